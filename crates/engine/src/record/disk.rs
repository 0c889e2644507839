//! Private directories and files, reached from an open directory and never through a link.
//!
//! Owns: modes, links, atomic replacement, what the disk says in words. Refuses to own: which
//! files there are.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// What the disk did not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskError {
    #[error("the disk is full ({what})")]
    Full { what: String },
    #[error("the file system is read-only ({what})")]
    ReadOnly { what: String },
    #[error("no permission ({what})")]
    Forbidden { what: String },
    #[error("{what} is not there")]
    Missing { what: String },
    #[error("{what} is there already")]
    Exists { what: String },
    /// A link, a device, a file where a directory is due.
    #[error("{what} is not {due}")]
    Kind { what: String, due: &'static str },
    #[error("{what} has {size} bytes, more than {max}")]
    TooLarge { what: String, size: u64, max: u64 },
    #[error("another process has it open ({what})")]
    Locked { what: String },
    #[error("{what}: {why}")]
    Other { what: String, why: String },
}

pub type Disk<T> = Result<T, DiskError>;

fn said(e: Errno, what: &str, due: &'static str) -> DiskError {
    let what = what.to_owned();
    match e {
        Errno::NOSPC | Errno::DQUOT => DiskError::Full { what },
        Errno::ROFS => DiskError::ReadOnly { what },
        Errno::ACCESS | Errno::PERM => DiskError::Forbidden { what },
        Errno::NOENT => DiskError::Missing { what },
        Errno::EXIST | Errno::NOTEMPTY => DiskError::Exists { what },
        Errno::LOOP | Errno::NOTDIR | Errno::ISDIR | Errno::NXIO => DiskError::Kind { what, due },
        Errno::WOULDBLOCK => DiskError::Locked { what },
        e => DiskError::Other { what, why: e.to_string() },
    }
}

pub(super) fn io(e: &std::io::Error, what: &str) -> DiskError {
    match e.raw_os_error() {
        Some(n) => said(Errno::from_raw_os_error(n), what, "a file"),
        None => DiskError::Other { what: what.into(), why: e.to_string() },
    }
}

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Dir,
    /// A link or something that is neither.
    Other,
}

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open directory. What is done in it stays in it, wherever its path leads later.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    name: String,
}

/// A child between its fork and its program has a copy of the descriptor, and with it the lock:
/// closing alone would not let go of it at once.
impl Drop for Dir {
    fn drop(&mut self) {
        self.unlock();
    }
}

impl Dir {
    /// Open a directory that is there. Its last component is no link.
    pub fn open(path: &Path) -> Disk<Self> {
        let name = path.display().to_string();
        let fd = rustix::fs::openat(CWD, path, DIR, Mode::empty()).map_err(|e| said(e, &name, "a directory"))?;
        Ok(Self { fd, name })
    }

    /// Open a directory, making it and its missing ancestors with mode 0700. No component of
    /// `path` (absolute, resolved) may be a link.
    pub fn make(path: &Path) -> Disk<Self> {
        let shown = path.display().to_string();
        let walk = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let parts: Vec<&OsStr> = path.components().filter_map(|c| if let Component::Normal(n) = c { Some(n) } else { None }).collect();
        let mut at = rustix::fs::openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(|e| said(e, "/", "a directory"))?;
        for (i, part) in parts.iter().enumerate() {
            let flags = if i + 1 == parts.len() { DIR } else { walk };
            at = match rustix::fs::openat(&at, *part, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOENT) => make_one(at.as_fd(), part, flags, &shown)?,
                Err(e) => return Err(said(e, &shown, "a directory")),
            };
        }
        if parts.is_empty() {
            return Err(DiskError::Kind { what: shown, due: "a directory of its own" });
        }
        Ok(Self { fd: at, name: shown })
    }

    /// Let others take it.
    pub fn unlock(&self) {
        let _ = rustix::fs::flock(&self.fd, FlockOperation::Unlock);
    }

    pub fn sub(&self, name: &str) -> Disk<Self> {
        let shown = self.shown(name);
        let fd = rustix::fs::openat(&self.fd, name, DIR, Mode::empty()).map_err(|e| said(e, &shown, "a directory"))?;
        Ok(Self { fd, name: shown })
    }

    /// Make a directory that must not be there.
    pub fn make_sub(&self, name: &str) -> Disk<Self> {
        let shown = self.shown(name);
        rustix::fs::mkdirat(&self.fd, name, Mode::RWXU).map_err(|e| said(e, &shown, "a directory"))?;
        let dir = self.sub(name)?;
        rustix::fs::fchmod(&dir.fd, Mode::RWXU).map_err(|e| said(e, &shown, "a directory"))?;
        Ok(dir)
    }

    /// Nobody else may enter.
    pub fn close_to_others(&self) -> Disk<()> {
        rustix::fs::fchmod(&self.fd, Mode::RWXU).map_err(|e| said(e, &self.name, "a directory of this user"))
    }

    /// A name still leads to it.
    pub fn is_linked(&self) -> bool {
        rustix::fs::fstat(&self.fd).is_ok_and(|s| s.st_nlink > 0)
    }

    /// Take it for this process alone, until it is dropped.
    pub fn lock(&self) -> Disk<()> {
        rustix::fs::flock(&self.fd, FlockOperation::NonBlockingLockExclusive).map_err(|e| said(e, &self.name, "a directory"))
    }

    /// Entries in the order of their names, at most `max`.
    pub fn list(&self, max: usize) -> Disk<Vec<(String, Kind)>> {
        let wrong = |e| said(e, &self.name, "a directory");
        let mut out = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == "." || name == ".." {
                continue;
            }
            if out.len() >= max {
                return Err(DiskError::TooLarge { what: self.name.clone(), size: max as u64 + 1, max: max as u64 });
            }
            let kind = match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Dir,
                FileType::Unknown => self.kind(&name)?.unwrap_or(Kind::Other),
                _ => Kind::Other,
            };
            out.push((name, kind));
        }
        out.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(out)
    }

    /// What a name is, without following it; `None` when there is nothing.
    pub fn kind(&self, name: &str) -> Disk<Option<Kind>> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(s) => Ok(Some(match FileType::from_raw_mode(s.st_mode) {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Dir,
                _ => Kind::Other,
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(said(e, &self.shown(name), "a file")),
        }
    }

    /// The bytes of a plain file of at most `max` bytes.
    pub fn read(&self, name: &str, max: u64) -> Disk<Vec<u8>> {
        let shown = self.shown(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map_err(|e| said(e, &shown, "a plain file"))?;
        let stat = rustix::fs::fstat(&fd).map_err(|e| said(e, &shown, "a plain file"))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(DiskError::Kind { what: shown, due: "a plain file" });
        }
        let size = stat.st_size.max(0) as u64;
        if size > max {
            return Err(DiskError::TooLarge { what: shown, size, max });
        }
        let mut out = Vec::with_capacity(size as usize);
        File::from(fd).take(max + 1).read_to_end(&mut out).map_err(|e| io(&e, &shown))?;
        if out.len() as u64 > max {
            return Err(DiskError::TooLarge { what: shown, size: out.len() as u64, max });
        }
        Ok(out)
    }

    /// A new file of mode 0600. One that is there, or a link, is an error.
    pub fn create(&self, name: &str) -> Disk<File> {
        let shown = self.shown(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR).map_err(|e| said(e, &shown, "a file"))?;
        rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).map_err(|e| said(e, &shown, "a file"))?;
        Ok(File::from(fd))
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Disk<()> {
        self.create(name)?.write_all(bytes).map_err(|e| io(&e, &self.shown(name)))
    }

    /// Write beside and rename over, so that a reader finds the old or the new file, whole.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Disk<()> {
        let beside = format!(".{name}.new");
        self.remove_file(&beside)?;
        let done = self.write(&beside, bytes).and_then(|()| {
            rustix::fs::renameat(&self.fd, beside.as_str(), &self.fd, name).map_err(|e| said(e, &self.shown(name), "a file"))
        });
        if done.is_err() {
            let _ = self.remove_file(&beside);
        }
        done
    }

    /// Room that is kept on this disk: a file without a name, so that nothing of it stays.
    pub fn reserve(&self, bytes: u64) -> Disk<File> {
        let wrong = |e| said(e, &self.name, "a directory");
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, ".", flags, Mode::RUSR | Mode::WUSR).map_err(wrong)?;
        rustix::fs::fallocate(&fd, rustix::fs::FallocateFlags::empty(), 0, bytes).map_err(wrong)?;
        Ok(File::from(fd))
    }

    /// Open for appending, made with mode 0600 where it is not there. Never a link.
    pub fn append(&self, name: &str) -> Disk<File> {
        let shown = self.shown(name);
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR).map_err(|e| said(e, &shown, "a plain file"))?;
        rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).map_err(|e| said(e, &shown, "a plain file"))?;
        Ok(File::from(fd))
    }

    /// Rename inside this directory to a name that is free.
    pub fn rename(&self, from: &str, to: &str) -> Disk<()> {
        if self.kind(to)?.is_some() {
            return Err(DiskError::Exists { what: self.shown(to) });
        }
        rustix::fs::renameat(&self.fd, from, &self.fd, to).map_err(|e| said(e, &self.shown(to), "a file"))
    }

    /// Rename over whatever file has the new name.
    pub fn rename_over(&self, from: &str, to: &str) -> Disk<()> {
        rustix::fs::renameat(&self.fd, from, &self.fd, to).map_err(|e| said(e, &self.shown(to), "a file"))
    }

    /// Only this user may read the file. Nothing happens through a link.
    pub fn make_private(&self, name: &str) -> Disk<()> {
        let shown = self.shown(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map_err(|e| said(e, &shown, "a plain file"))?;
        rustix::fs::fchmod(&fd, Mode::RUSR | Mode::WUSR).map_err(|e| said(e, &shown, "a plain file"))
    }

    /// Remove a file or a link; nothing there is fine.
    pub fn remove_file(&self, name: &str) -> Disk<()> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(said(e, &self.shown(name), "a file")),
        }
    }

    /// Remove an empty directory; one that holds something stays.
    pub fn remove_dir(&self, name: &str) -> Disk<()> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(e) => Err(said(e, &self.shown(name), "a directory")),
        }
    }

    fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }
}

fn make_one(at: std::os::fd::BorrowedFd<'_>, part: &OsStr, flags: OFlags, shown: &str) -> Disk<OwnedFd> {
    let wrong = |e| said(e, shown, "a directory");
    match rustix::fs::mkdirat(at, part, Mode::RWXU) {
        Ok(()) => {
            let fd = rustix::fs::openat(at, part, DIR, Mode::empty()).map_err(wrong)?;
            rustix::fs::fchmod(&fd, Mode::RWXU).map_err(wrong)?;
            Ok(fd)
        }
        Err(Errno::EXIST) => rustix::fs::openat(at, part, flags, Mode::empty()).map_err(wrong),
        Err(e) => Err(wrong(e)),
    }
}
