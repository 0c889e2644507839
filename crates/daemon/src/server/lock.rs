//! One daemon for each socket. The lock is the kernel's (it ends with its process, however that
//! ends) on a file beside the socket, which also holds the daemon's pid. A stopped daemon still
//! holds it. The file stays: removing it would let two hold it at once.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

/// Held until dropped or until the process ends.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code)] File);

#[derive(Debug)]
pub enum LockError {
    /// Another daemon holds it; its pid where it has written it.
    Held(Option<u32>),
    Io(std::io::Error),
}

/// The lock file of a socket: `.sock` replaced by `.lock`, or added.
pub fn path(socket: &Path) -> PathBuf {
    if socket.extension().is_some_and(|end| end == "sock") {
        return socket.with_extension("lock");
    }
    let mut name = socket.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// Take the lock and write this process's pid.
pub fn take(path: &Path) -> Result<Lock, LockError> {
    let mut file = open(path).map_err(LockError::Io)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(LockError::Held(pid_soon(path))),
        Err(error) => return Err(LockError::Io(error.into())),
    }
    let write = (|| {
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{}", std::process::id())?;
        file.flush()
    })();
    write.map_err(LockError::Io)?;
    Ok(Lock(file))
}

/// Pid of the daemon that holds the lock; `None` when nobody does. `Some(0)`: it has not written
/// it yet.
pub fn holder(path: &Path) -> Option<u32> {
    let file = OpenOptions::new().read(true).custom_flags(plain()).open(path).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => Some(read_pid(path).unwrap_or(0)),
        // Closing the file lets go of it again.
        _ => None,
    }
}

/// Wait until nobody holds it; false after `bound`.
pub fn wait_free(path: &Path, bound: Duration) -> bool {
    let end = Instant::now() + bound;
    while holder(path).is_some() {
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(plain()).open(path)
}

/// Through no link, and without waiting for anything (a pipe would).
fn plain() -> i32 {
    (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32
}

fn read_pid(path: &Path) -> Option<u32> {
    let mut text = String::new();
    let file = OpenOptions::new().read(true).custom_flags(plain()).open(path).ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// The winner of a race writes its pid a moment after it has the lock.
fn pid_soon(path: &Path) -> Option<u32> {
    for _ in 0..50 {
        if let Some(pid) = read_pid(path) {
            return Some(pid);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}
