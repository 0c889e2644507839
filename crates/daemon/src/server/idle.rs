//! Who is there, and when nobody was for so long that the daemon may end.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts of what lives on the daemon.
pub struct Presence {
    inner: Mutex<State>,
}

struct State {
    clients: usize,
    /// Whether there was ever one.
    any: bool,
    last: Instant,
}

/// When the daemon ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndWhen {
    Never,
    /// No call for this long.
    Idle(Duration),
    /// This long after the last client has gone; clients that never come are waited for longer.
    NoClients(Duration),
}

const FIRST_CLIENT: Duration = Duration::from_secs(30);

impl Presence {
    pub fn new() -> Self {
        Self { inner: Mutex::new(State { clients: 0, any: false, last: Instant::now() }) }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        state.last = Instant::now();
    }

    pub fn came(&self) {
        self.change(|state| {
            state.clients += 1;
            state.any = true;
        });
    }

    pub fn went(&self) {
        self.change(|state| state.clients = state.clients.saturating_sub(1));
    }

    pub fn called(&self) {
        self.change(|_| ());
    }

    /// Whether it is over, were nothing running or recording.
    pub fn over(&self, when: EndWhen) -> bool {
        let state = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match when {
            EndWhen::Never => false,
            EndWhen::Idle(time) => state.last.elapsed() >= time,
            EndWhen::NoClients(time) => {
                let wait = if state.any { time } else { FIRST_CLIENT };
                state.clients == 0 && state.last.elapsed() >= wait
            }
        }
    }
}
