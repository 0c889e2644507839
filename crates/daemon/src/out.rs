//! Standard output and error: a reader that has gone away is no error, and what others named (titles,
//! paths, words) cannot act on a terminal.

use std::io::{ErrorKind, Write};

/// One text and a line end on standard output.
pub fn line(text: &str) {
    // Nothing may be taken for an answer that was cut off.
    if let Err(why) = write(&mut std::io::stdout().lock(), text)
        && why.kind() != ErrorKind::BrokenPipe
    {
        error(&format!("cua-driver: standard output: {why}"));
        std::process::exit(1);
    }
}

/// The same for a server, which does its work whether or not it can be read.
pub fn greeting(text: &str) {
    let _ = write(&mut std::io::stdout().lock(), text);
}

/// The same on standard error.
pub fn error(text: &str) {
    let _ = write(&mut std::io::stderr().lock(), text);
}

/// What acts on a terminal is spelled out: in JSON the same text.
fn write(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    out.write_all(desktop::plain(text, &['\n', '\t']).as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}
