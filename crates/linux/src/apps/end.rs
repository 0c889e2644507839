//! Ending processes, gently or not.
//!
//! Owns: that the process which was meant is the one that is told, and that its end is seen.

use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Pid, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::procs;

/// Time to close windows and save, before a process that goes on is told to end.
const POLITE: Duration = Duration::from_millis(1200);
/// Time to act on SIGTERM.
const TERM: Duration = Duration::from_millis(1500);
const KILL: Duration = Duration::from_secs(1);

/// Ask `close` first, then SIGTERM; SIGKILL at once when forced. `NotAnswering` when it goes on.
pub fn terminate(ctx: &Ctx, pid: Pid, force: bool, close: impl FnOnce() -> bool) -> Result<()> {
    if pid.0 <= 1 || pid.0 == std::process::id() {
        return Err(DesktopError::PermissionRequired(format!("process {pid} is not one to end")));
    }
    if !procs::alive(pid.0) {
        return Err(DesktopError::NoProcess(pid));
    }
    // The descriptor stands for this process and never for a later one of the same number.
    let number = rustix::process::Pid::from_raw(pid.0 as i32).ok_or(DesktopError::NoProcess(pid))?;
    let fd = pidfd_open(number, PidfdFlags::empty()).map_err(|_| DesktopError::NoProcess(pid))?;
    let send = |signal| {
        pidfd_send_signal(&fd, signal).map_err(|e| match e {
            rustix::io::Errno::PERM => DesktopError::PermissionRequired(format!("process {pid} belongs to another user")),
            _ => DesktopError::NoProcess(pid),
        })
    };
    if force {
        send(Signal::KILL)?;
        return if ended(ctx, &fd, KILL) { Ok(()) } else { Err(over(ctx, pid)) };
    }
    if close() && ended(ctx, &fd, POLITE) {
        return Ok(());
    }
    match send(Signal::TERM) {
        Err(DesktopError::NoProcess(_)) => Ok(()),
        Err(e) => Err(e),
        Ok(()) if ended(ctx, &fd, TERM) => Ok(()),
        Ok(()) => Err(over(ctx, pid)),
    }
}

fn over(ctx: &Ctx, pid: Pid) -> DesktopError {
    ctx.check().err().unwrap_or(DesktopError::NotAnswering(Some(pid)))
}

/// Whether the process ended within the time.
fn ended(ctx: &Ctx, fd: &rustix::fd::OwnedFd, time: Duration) -> bool {
    let end = (Instant::now() + time).min(ctx.deadline);
    loop {
        let left = end.saturating_duration_since(Instant::now()).min(Duration::from_millis(50));
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&wait)) {
            Ok(1..) => return true,
            Err(e) if e != rustix::io::Errno::INTR => return false,
            _ if left.is_zero() || ctx.cancel.is_cancelled() => return false,
            _ => {}
        }
    }
}
