//! The listening socket: private from its first moment, never in place of something that is not
//! a dead socket of ours.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Room in a socket's address.
const LONGEST: usize = 107;

/// A bound socket. `remove` takes its file away when it is still this one.
pub struct Socket {
    pub listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

/// Whether a socket can be at this path, before anything is made beside it.
pub fn fits(path: &Path) -> Result<()> {
    if path.as_os_str().len() > LONGEST {
        bail!("{} is too long for a socket's path ({LONGEST} bytes at most); pass a shorter --socket", path.display());
    }
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.file_type().is_socket()) {
        bail!("{} is there and is not a socket; move it away or pass --socket PATH", path.display());
    }
    Ok(())
}

/// Clear a dead socket away, listen. The caller holds the lock.
pub fn bind(path: &Path) -> Result<Socket> {
    fits(path)?;
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot look at {}", path.display())),
        Ok(_) if UnixStream::connect(path).is_ok() => {
            bail!("something else listens at {}; pass --socket PATH", path.display())
        }
        Ok(_) => fs::remove_file(path).with_context(|| format!("cannot remove the dead socket {}", path.display()))?,
    }
    // No other thread runs yet, so that nobody else is given this mask.
    let mask = rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(mask);
    let listener = bound.with_context(|| format!("cannot listen at {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    let inode = fs::symlink_metadata(path)?.ino();
    Ok(Socket { listener, path: path.to_owned(), inode })
}

/// The directory of a socket: made private when it is the driver's own or new; one that was
/// there and was named by the caller is left as it is.
pub fn directory(socket: &Path, named: crate::endpoint::Named) -> Result<()> {
    let Some(dir) = socket.parent() else { bail!("{} has no directory", socket.display()) };
    let own = dir == host::Dirs::from_env().driver();
    if named == crate::endpoint::Named::ByCaller && dir.is_dir() && !own {
        return Ok(());
    }
    host::private_dir(dir).with_context(|| "no private directory for the socket")
}

/// What `remove` needs, apart from the listener.
pub struct Trace {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    pub fn split(self) -> (UnixListener, Trace) {
        (self.listener, Trace { path: self.path, inode: self.inode })
    }
}

impl Trace {
    pub fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|meta| meta.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
