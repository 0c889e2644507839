//! Standard output and error: a reader that has gone away is no error, and what others named (titles,
//! paths, words) cannot act on a terminal.

use std::borrow::Cow;
use std::io::Write;

/// One text and a line end on standard output.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(plain(text).as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}

/// The same on standard error.
pub fn error(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(plain(text).as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// In JSON the same text, spelled otherwise.
fn plain(text: &str) -> Cow<'_, str> {
    desktop::plain(text, &['\n', '\t'])
}
