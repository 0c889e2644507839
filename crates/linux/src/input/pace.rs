//! How far an application has come with its events: by the ping of its window where it answers
//! those, else by its main thread having gone to sleep. Only tells; what to do about it is the
//! caller's.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use desktop::{Ctx, Pid, Result, Stopped};

use super::bell::Bell;

/// Without any progress for this long an application counts as not answering.
const STALL: Duration = Duration::from_millis(930);
/// Pings that may be on their way while more is sent.
const AHEAD: usize = 2;

enum Way {
    Ping(u32),
    Sleep(Pid),
    /// Nothing can be asked.
    Blind,
}

pub(super) struct Pace {
    way: Way,
    sent: VecDeque<u32>,
}

impl Pace {
    pub fn new(bell: &mut Bell, window: Option<u32>, pid: Option<Pid>) -> Result<Self> {
        let way = match (window, pid) {
            (Some(w), _) if bell.answers(w)? => Way::Ping(w),
            (_, Some(pid)) => Way::Sleep(pid),
            _ => Way::Blind,
        };
        if matches!(way, Way::Ping(_)) {
            bell.listen(true)?;
        }
        Ok(Self { way, sent: VecDeque::new() })
    }

    /// Mark that something was sent, and wait while the application is too far behind.
    pub fn step(&mut self, bell: &mut Bell, ctx: &Ctx) -> Result<Option<Stopped>> {
        match self.way {
            Way::Ping(window) => {
                self.sent.push_back(bell.ping(window)?);
                self.drain(bell, ctx, AHEAD)
            }
            Way::Sleep(_) => self.drain(bell, ctx, 0),
            Way::Blind => Ok(None),
        }
    }

    /// Wait until the application has taken everything.
    pub fn all(&mut self, bell: &mut Bell, ctx: &Ctx) -> Result<Option<Stopped>> {
        self.drain(bell, ctx, 0)
    }

    fn drain(&mut self, bell: &mut Bell, ctx: &Ctx, ahead: usize) -> Result<Option<Stopped>> {
        match self.way {
            Way::Blind => {
                if ahead == 0 && ctx.sleep(Duration::from_millis(30)).is_err() {
                    return Ok(over(ctx));
                }
                Ok(None)
            }
            Way::Sleep(pid) => asleep(pid, ctx),
            Way::Ping(_) => {
                while self.sent.len() > ahead {
                    let serial = self.sent[0];
                    let end = Instant::now() + STALL;
                    loop {
                        if bell.pong(serial, Duration::from_millis(50).min(ctx.left()))? {
                            self.sent.pop_front();
                            break;
                        }
                        if let Some(why) = over(ctx) {
                            return Ok(Some(why));
                        }
                        if Instant::now() >= end {
                            return Ok(Some(Stopped::NotAnswering));
                        }
                    }
                }
                Ok(None)
            }
        }
    }

    pub fn done(self, bell: &mut Bell) -> Result<()> {
        if matches!(self.way, Way::Ping(_)) { bell.listen(false) } else { Ok(()) }
    }
}

/// Why a call is over, if it is.
pub(super) fn over(ctx: &Ctx) -> Option<Stopped> {
    if ctx.cancel.is_cancelled() {
        Some(Stopped::Cancelled)
    } else if ctx.left().is_zero() {
        Some(Stopped::Deadline)
    } else {
        None
    }
}

/// Wait until the main thread sleeps, as it does when it has no events left.
fn asleep(pid: Pid, ctx: &Ctx) -> Result<Option<Stopped>> {
    let end = Instant::now() + STALL;
    let mut quiet = 0;
    while Instant::now() < end {
        match thread_state(pid) {
            Some('S') => quiet += 1,
            Some(_) => quiet = 0,
            None => return Ok(None),
        }
        if quiet >= 3 {
            return Ok(None);
        }
        if ctx.sleep(Duration::from_micros(300)).is_err() {
            return Ok(over(ctx));
        }
    }
    Ok(Some(Stopped::NotAnswering))
}

/// The state letter of a process's main thread; `T` is stopped.
pub(super) fn thread_state(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].trim_start().chars().next()
}
