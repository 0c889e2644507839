//! How far an application has come with its events: by the ping of its window where it answers
//! those, else by its main thread having gone to sleep. Only tells; what to do about it is the
//! caller's.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use desktop::{Ctx, Pid, Result, Stopped};

use super::bell::Bell;
use super::toolkit::Toolkit;
use super::typing::Target;

/// Without any progress for this long an application counts as not answering.
const STALL: Duration = Duration::from_millis(930);
/// Threads that have not come to rest by then are at work of their own.
const OTHERS: Duration = Duration::from_millis(100);
/// As many are looked at.
const THREADS: usize = 32;
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
    pub fn new(bell: &mut Bell, target: &Target) -> Result<Self> {
        let way = match (target.ask, target.pid) {
            // Tk can answer before it has come to the keys that were sent earlier.
            (_, Some(pid)) if target.toolkit == Toolkit::Tk => Way::Sleep(pid),
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

    /// Wait until it has taken what changed just now.
    pub fn again(&mut self, bell: &mut Bell, ctx: &Ctx) -> Result<Option<Stopped>> {
        if let Way::Ping(window) = self.way {
            self.sent.push_back(bell.ping(window)?);
        }
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
            Way::Sleep(pid) => asleep(bell, pid, ctx),
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

/// Wait until the main thread sleeps, as it does when it has no events left. It sleeps too while
/// it waits for an answer of the server, so the server is asked in between: it has served the
/// application by then, which shows as having woken. Tk reads events in a thread of its own and
/// wakes the main one then: while another thread is about to run, something may be on its way.
fn asleep(bell: &Bell, pid: Pid, ctx: &Ctx) -> Result<Option<Stopped>> {
    let start = Instant::now();
    let (mut quiet, mut last) = (0, None);
    while start.elapsed() < STALL {
        bell.wire.round_trip()?;
        bell.wire.round_trip()?;
        let Some(now) = main_thread(pid) else { return Ok(None) };
        let rests = now.state == 'S' && last == Some(now) && (start.elapsed() > OTHERS || others_rest(pid));
        quiet = if rests { quiet + 1 } else { 0 };
        last = Some(now);
        if quiet >= 3 {
            return Ok(None);
        }
        if ctx.sleep(Duration::from_micros(250)).is_err() {
            return Ok(over(ctx));
        }
    }
    Ok(Some(Stopped::NotAnswering))
}

/// Whether no other thread of a process is running or about to.
fn others_rest(pid: Pid) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    let main = pid.0.to_string();
    let others = tasks.flatten().filter(|t| t.file_name().to_str() != Some(main.as_str()));
    // State is the word behind the name in brackets.
    others.take(THREADS).all(|t| {
        let stat = std::fs::read_to_string(t.path().join("stat")).unwrap_or_default();
        !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('R'))
    })
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Thread {
    /// `S` sleeps, `T` is stopped.
    pub state: char,
    /// How often it went to sleep or was put aside.
    switches: u64,
}

/// What the main thread of a process does; `None` when the process is gone.
pub(super) fn main_thread(pid: Pid) -> Option<Thread> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
    let count = |name: &str| field(name).and_then(|v| v.parse::<u64>().ok()).unwrap_or(0);
    let switches = count("voluntary_ctxt_switches:") + count("nonvoluntary_ctxt_switches:");
    Some(Thread { state: field("State:")?.chars().next()?, switches })
}
