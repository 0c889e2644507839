//! The few system calls that need `unsafe`.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Memory that can be lent to another process by its file descriptor.
pub struct Shared {
    at: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone and is only reached through it.
unsafe impl Send for Shared {}

impl Shared {
    /// New zeroed memory, and the descriptor to lend.
    pub fn new(len: usize) -> io::Result<(Self, OwnedFd)> {
        let fd = memfd_create("cua-driver", MemfdFlags::CLOEXEC)?;
        ftruncate(&fd, len as u64)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice, of a file of this length.
        let at = unsafe { mmap(std::ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &fd, 0)? };
        let at = NonNull::new(at.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok((Self { at, len }, fd))
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// A copy of the first `len` bytes.
    pub fn copy(&self, len: usize) -> Vec<u8> {
        let len = len.min(self.len);
        let mut out = Vec::with_capacity(len);
        // SAFETY: the mapping is `self.len` bytes long and never shrinks; reading it through a raw
        // pointer makes no claim that the other process leaves it alone meanwhile.
        unsafe {
            std::ptr::copy_nonoverlapping(self.at.as_ptr(), out.as_mut_ptr(), len);
            out.set_len(len);
        }
        out
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `new` made; nothing refers to it any more.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), self.len) };
    }
}

/// The child leads a session of its own, so that signals to ours do not reach it.
pub fn own_session(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: setsid is async-signal-safe and touches no memory of the parent.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid().map(drop).map_err(io::Error::from)
        });
    }
}

/// The child is killed when the thread that starts it ends, also by kill -9. That thread has to
/// live as long as the child shall.
pub fn dies_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    let parent = rustix::process::getpid();
    // SAFETY: prctl, getppid and setpgid are async-signal-safe and touch no memory of the parent.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // Whoever lost its parent before the call above would never be told.
            if rustix::process::getppid() != Some(parent) {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(())
        });
    }
}
