//! Private files: written whole or not at all, for this user alone.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Write `bytes` to `path`: a new file (0600) in the same directory, then one rename. What was
/// there is replaced; a link in its place is replaced, not followed.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
