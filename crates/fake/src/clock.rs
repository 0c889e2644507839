//! Time that passes only when somebody waits.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A clock shared by a fake desktop and the fake surroundings of an engine.
#[derive(Clone)]
pub struct Clock {
    base: Instant,
    wall: SystemTime,
    passed: Arc<Mutex<Duration>>,
}

impl Default for Clock {
    fn default() -> Self {
        // A fixed day, so that recordings of tests are alike.
        let wall = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600);
        Self { base: Instant::now(), wall, passed: Arc::default() }
    }
}

impl Clock {
    pub fn now(&self) -> Instant {
        self.base + self.passed()
    }

    pub fn wall(&self) -> SystemTime {
        self.wall + self.passed()
    }

    /// Fake time since the clock was made.
    pub fn passed(&self) -> Duration {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn advance(&self, by: Duration) {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// Let time pass until `at`; nothing happens when that is past.
    pub fn advance_to(&self, at: Instant) {
        self.advance(at.saturating_duration_since(self.now()));
    }
}
