//! Standard output and error: a reader that has gone away is no error, and what others named (titles,
//! paths, words) cannot act on a terminal.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

/// One text and a line end on standard output.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let told = out.write_all(plain(text).as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    // Nothing may be taken for an answer that was cut off.
    if let Err(why) = told.as_ref()
        && why.kind() != ErrorKind::BrokenPipe
    {
        error(&format!("cua-driver: standard output: {why}"));
        std::process::exit(1);
    }
}

/// The same for a server, which does its work whether or not it can be read.
pub fn greeting(text: &str) {
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
