//! Subscriptions and the video that is none.

use std::fs::File;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Event, EventFilter, Events, Result, Size, Video};

use crate::clock::Clock;

/// Listeners of human input and the pointer run beside the calls: they wait in real time and
/// leave the fake clock alone. All others are part of a call and let fake time pass.
pub(crate) struct Listener {
    pub events: Receiver<Event>,
    pub filter: EventFilter,
    pub clock: Clock,
    /// What happens by itself, how often, and when next.
    pub alone: Vec<(Event, Duration, Instant)>,
}

impl Events for Listener {
    fn next(&mut self, time: Duration) -> Option<Event> {
        if self.filter.human || self.filter.pointer {
            return match self.events.recv_timeout(time) {
                Ok(e) => Some(e),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(time);
                    None
                }
            };
        }
        match self.events.try_recv() {
            Ok(e) => Some(e),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
                // A moment for other threads, so that a loop over events is no busy loop.
                std::thread::yield_now();
                let end = self.clock.now() + time;
                let due = self.alone.iter_mut().filter(|(_, _, next)| *next <= end).min_by_key(|(_, _, next)| *next);
                if let Some((event, every, next)) = due {
                    self.clock.advance_to(*next);
                    *next += *every;
                    return Some(event.clone());
                }
                self.clock.advance(time);
                None
            }
        }
    }
}

/// Writes a few bytes at the start and at the end.
pub(crate) struct Film {
    file: Mutex<File>,
    started: Instant,
    size: Size,
}

impl Film {
    pub fn start(path: &std::path::Path, started: Instant, size: Size) -> Result<Self> {
        let failed = |e: std::io::Error| DesktopError::System(format!("{}: {e}", path.display()));
        let mut file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
        file.write_all(b"\0\0\0\x18ftypisom fake video\n").map_err(failed)?;
        Ok(Self { file: Mutex::new(file), started, size })
    }
}

impl Video for Film {
    fn first_frame(&self) -> Option<Instant> {
        Some(self.started)
    }

    fn failed(&self) -> Option<String> {
        None
    }

    fn size(&self) -> Size {
        self.size
    }

    fn stop(&self, _: &Ctx) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(b"end\n").map_err(|e| DesktopError::System(e.to_string()))
    }
}
