//! The wire to the X server, with a bound on every wait.
//!
//! Owns: how long a thread waits for the server, and whether the wire is broken.
//! Refuses to own: what is said over it.

use std::cell::Cell;
use std::io::{self, ErrorKind, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;

/// The longest silence of the X server that is waited through, whatever the caller's deadline.
pub const PATIENCE: Duration = Duration::from_secs(5);

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Until it is dropped, this thread waits for the X server no longer than until `deadline`.
pub struct Bound(Option<Instant>);

impl Bound {
    pub fn until(deadline: Instant) -> Self {
        Self(DEADLINE.replace(Some(deadline)))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        DEADLINE.set(self.0);
    }
}

/// A stream whose waits end: by the thread's `Bound`, and by `PATIENCE` in any case.
pub struct Bounded {
    inner: DefaultStream,
    broken: AtomicBool,
}

impl Bounded {
    pub fn new(inner: DefaultStream) -> Self {
        Self { inner, broken: AtomicBool::new(false) }
    }

    /// True once the server has hung up, or a request was cut in the middle.
    pub fn broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    fn breaks(&self, error: io::Error) -> io::Error {
        if error.kind() != ErrorKind::WouldBlock {
            self.broken.store(true, Ordering::Relaxed);
        }
        error
    }
}

impl Stream for Bounded {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut flags = PollFlags::empty();
        if mode.readable() {
            flags |= PollFlags::IN;
        }
        if mode.writable() {
            flags |= PollFlags::OUT;
        }
        let now = Instant::now();
        let until = DEADLINE.get().unwrap_or(now + PATIENCE).min(now + PATIENCE);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            match poll(&mut [PollFd::new(&self.inner, flags)], Some(&time)) {
                Ok(0) => {
                    // A request that is cut off half-way leaves a wire nobody can use.
                    if mode.writable() {
                        self.broken.store(true, Ordering::Relaxed);
                    }
                    return Err(ErrorKind::TimedOut.into());
                }
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(self.breaks(e.into())),
            }
        }
    }

    fn read(&self, buf: &mut [u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        match self.inner.read(buf, fds) {
            Ok(0) if !buf.is_empty() => {
                self.broken.store(true, Ordering::Relaxed);
                Ok(0)
            }
            other => other.map_err(|e| self.breaks(e)),
        }
    }

    fn write(&self, buf: &[u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.write(buf, fds).map_err(|e| self.breaks(e))
    }

    fn write_vectored(&self, bufs: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.write_vectored(bufs, fds).map_err(|e| self.breaks(e))
    }
}
