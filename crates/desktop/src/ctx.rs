//! The bound of a call: until when, and whether it is still wanted.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{DesktopError, Result};

/// Set once, by whoever asked, when the answer is no longer wanted.
#[derive(Clone, Default)]
pub struct Cancel(Arc<(Mutex<bool>, Condvar)>);

impl Cancel {
    pub fn cancel(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleep for `time` or until cancelled; true when cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let set = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        *self.0.1.wait_timeout_while(set, time, |set| !*set).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Every call of the seam carries one and gives up by its deadline.
#[derive(Clone)]
pub struct Ctx {
    pub deadline: Instant,
    pub cancel: Cancel,
    /// Whose input is held: what stays down is let go when this owner ends.
    pub owner: crate::Owner,
}

impl Ctx {
    pub fn new(deadline: Instant, cancel: Cancel) -> Self {
        Self { deadline, cancel, owner: crate::Owner(0) }
    }

    /// A bound of its own, for tests and start-up.
    pub fn lasting(time: Duration) -> Self {
        Self::new(Instant::now() + time, Cancel::default())
    }

    /// The same call with an earlier deadline, never a later one.
    pub fn at_most(&self, time: Duration) -> Self {
        Self { deadline: self.deadline.min(Instant::now() + time), ..self.clone() }
    }

    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// `Cancelled` or `Timeout` when the call is over.
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            Err(DesktopError::Cancelled)
        } else if self.left().is_zero() {
            Err(DesktopError::Timeout)
        } else {
            Ok(())
        }
    }

    /// Sleep within the bound; fails like `check`.
    pub fn sleep(&self, time: Duration) -> Result<()> {
        self.cancel.wait(time.min(self.left()));
        self.check()
    }
}
