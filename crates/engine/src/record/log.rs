//! The clock, the numbers and the event log of one recording, shared by its threads.
//!
//! Owns: that times never go back, that `session.json` says what is so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::disk::DiskError;
use super::store::Store;
use super::types::{Line, Session};
use super::writer::Kept;
use crate::Host;

pub struct Log {
    host: Arc<dyn Host>,
    pub store: Arc<Store>,
    /// The recording takes no more.
    pub ended: AtomicBool,
    /// Time 0 of this part, and what the clock shows then.
    zero: Instant,
    base_ms: u64,
    inner: Mutex<Inner>,
}

pub struct Inner {
    pub session: Session,
    pub next_turn: u32,
    last_ms: u64,
    error: Option<String>,
}

impl Log {
    pub fn new(host: Arc<dyn Host>, store: Arc<Store>, session: Session, next_turn: u32, zero: Instant, base_ms: u64) -> Self {
        let inner = Inner { session, next_turn, last_ms: base_ms, error: None };
        Self { host, store, ended: AtomicBool::new(false), zero, base_ms, inner: Mutex::new(inner) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn now(&self) -> Instant {
        self.host.now()
    }

    /// What the clock shows at a moment.
    pub fn ms(&self, at: Instant) -> u64 {
        self.base_ms + at.saturating_duration_since(self.zero).as_millis() as u64
    }

    pub fn elapsed(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.zero)
    }

    /// Write a line with the time of `at`, or of the line before where that is later. Answers
    /// the time.
    pub fn note_at(&self, at: Instant, line: impl FnOnce(u64) -> Line) -> u64 {
        let mut inner = self.lock();
        let t = self.ms(at).max(inner.last_ms);
        inner.last_ms = t;
        if let Err(e) = self.store.log(&line(t)) {
            inner.error = Some(e.to_string());
        }
        t
    }

    pub fn note(&self, line: impl FnOnce(u64) -> Line) {
        if !self.ended.load(Ordering::Relaxed) {
            self.note_at(self.now(), line);
        }
    }

    /// Begin a turn: its number and time.
    pub fn begin(&self, at: Instant, tool: &str) -> (u32, u64) {
        let number = {
            let mut inner = self.lock();
            inner.next_turn += 1;
            inner.next_turn - 1
        };
        if !self.store.is_there() {
            self.failed(None, format!("{} was removed", self.store.path.display()));
        }
        let t = self.note_at(at, |t_ms| Line::TurnBegun { turn: number, t_ms, tool: tool.to_owned() });
        (number, t)
    }

    /// Something went wrong that the acts do not suffer from.
    pub fn failed(&self, turn: Option<u32>, message: String) {
        tracing::warn!(turn, message, "recording");
        self.note_at(self.now(), |t_ms| Line::Error { t_ms, turn, message: message.clone() });
        self.lock().error = Some(message);
    }

    pub fn last_error(&self) -> Option<String> {
        self.lock().error.clone()
    }

    /// A turn was written, or not.
    pub fn kept(&self, turn: u32, kept: Kept) {
        let lost = {
            let mut inner = self.lock();
            match kept {
                Kept::Whole { bytes } => {
                    inner.session.turns += 1;
                    inner.session.bytes += bytes;
                    None
                }
                Kept::Bare { bytes, why } => {
                    inner.session.turns += 1;
                    inner.session.bytes += bytes;
                    Some(format!("turn {turn} has no pictures: {why}"))
                }
                Kept::Lost { why } => {
                    inner.session.lost_turns.insert(turn, why.clone());
                    Some(format!("turn {turn} was lost: {why}"))
                }
            }
        };
        if let Some(message) = lost {
            self.failed(Some(turn), message);
        }
        self.keep_session();
    }

    pub fn keep_session(&self) {
        let mut inner = self.lock();
        inner.session.last_error = inner.error.clone();
        let kept = if self.store.is_there() { self.store.keep_session(&inner.session) } else { Err(DiskError::Missing { what: self.store.path.display().to_string() }) };
        if let Err(e) = kept {
            inner.error = Some(e.to_string());
        }
    }
}
