//! Files on a caller's word: written whole or not at all, for this user alone; read only when they
//! are regular, through no link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Write `bytes` to `path`: a new file (0600) in the same directory, then one rename. A file that
/// was there is replaced; a link in its place is replaced, not followed. What is no file, or a link
/// to such, is left alone: a device, a pipe, a socket, a directory.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is there and is not a regular file"));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    let mut draft_name = std::ffi::OsString::from(".");
    draft_name.push(name);
    draft_name.push(format!(".{}-{:08x}", std::process::id(), crate::system::random() as u32));
    let draft = parent.join(draft_name);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&draft, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Open a regular file for reading, not through a link in the last place and without waiting for
/// anything (a pipe would).
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_plain(path, rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK)
}

/// The same of the user's own files, which may be links.
pub fn open_own(path: &Path) -> io::Result<File> {
    open_plain(path, rustix::fs::OFlags::NONBLOCK)
}

fn open_plain(path: &Path, flags: rustix::fs::OFlags) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// The bytes of a regular file of at most `max`.
pub fn read_regular(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    whole(open_regular(path)?, max)
}

/// The bytes of a file of the user's own.
pub fn read_own(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    whole(open_own(path)?, max)
}

fn whole(file: File, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {max} bytes")));
    }
    Ok(bytes)
}
