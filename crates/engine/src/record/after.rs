//! The look after an act, taken beside the calls.
//!
//! Owns: which turns still wait for it, who waits until it is taken, and that every turn is kept
//! once, with that look or with the reason why there is none; and whether a look is still so new
//! that the next act may begin from it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Cancel, Local, Owner, Point, WindowId};

use super::look::Look;
use super::recording::Recording;
use super::turn::Done;
use super::types::Action;
use crate::Host;

/// How often a wait looks whether it is still wanted: a cancelled call wakes nobody.
const SLICE: Duration = Duration::from_millis(20);
/// A look is not older than this when the next act begins from it: another would take as long.
const FRESH: Duration = Duration::from_millis(20);

/// A turn without its look after the act.
pub struct Unseen {
    pub recording: Arc<Recording>,
    pub number: u32,
    pub action: Action,
    pub before: Arc<Look>,
    pub mark: Option<Point<Local>>,
}

impl Unseen {
    fn keep(self, after: &Arc<Look>, now: Instant) {
        let Self { recording, number, action, before, mark } = self;
        recording.looked(after, recording.log.ms(now));
        recording.keep(Done { number, action, before, after: after.clone(), mark });
    }
}

/// One act, in every recording that it is a turn of.
pub struct After {
    /// Who acted, and on which window.
    pub owner: Owner,
    pub window: Option<WindowId>,
    recordings: Vec<Arc<Recording>>,
    turns: Mutex<Vec<Unseen>>,
}

impl After {
    pub fn is_of(&self, recording: &Arc<Recording>) -> bool {
        self.recordings.iter().any(|r| Arc::ptr_eq(r, recording))
    }

    fn keep(&self, look: &Arc<Look>, host: &dyn Host) {
        let turns = std::mem::take(&mut *self.turns.lock().unwrap_or_else(PoisonError::into_inner));
        for t in turns {
            t.keep(look, host.now());
        }
    }
}

/// Every act whose window has not been seen again yet.
#[derive(Default)]
pub struct Afters {
    waiting: Mutex<Vec<Arc<After>>>,
    moved: Condvar,
    /// The newest look, until an act begins.
    last: Mutex<Option<(WindowId, Arc<Look>, Instant)>>,
}

impl Afters {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<After>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self, after: &Arc<After>) {
        self.lock().retain(|a| !Arc::ptr_eq(a, after));
        self.moved.notify_all();
    }

    /// Look and keep the turns, on a thread of its own.
    pub fn begin(self: &Arc<Self>, owner: Owner, window: Option<WindowId>, turns: Vec<Unseen>, host: Arc<dyn Host>, look: impl FnOnce() -> Look + Send + 'static) {
        let recordings = turns.iter().map(|t| t.recording.clone()).collect();
        let after = Arc::new(After { owner, window, recordings, turns: Mutex::new(turns) });
        self.lock().push(after.clone());
        let (all, own, theirs) = (self.clone(), after.clone(), host.clone());
        let spawned = std::thread::Builder::new().name("recording-look".into()).spawn(move || {
            let seen = catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| Look::nothing("the look failed"));
            all.seen(&own, seen, &*theirs);
            all.done(&own);
        });
        if let Err(e) = spawned {
            after.keep(&Arc::new(Look::nothing(&format!("no thread could look: {e}"))), &*host);
            self.done(&after);
        }
    }

    fn seen(&self, after: &After, look: Look, host: &dyn Host) {
        let look = Arc::new(look);
        if let Some(window) = after.window.filter(|_| look.is_whole()) {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((window, look.clone(), host.now()));
        }
        after.keep(&look, host);
    }

    /// An act begins. What was seen of its window last, where nothing was done since and no time
    /// has passed.
    pub fn fresh(&self, window: Option<WindowId>, host: &dyn Host) -> Option<Arc<Look>> {
        let (of, look, at) = self.last.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        (Some(of) == window && host.now().saturating_duration_since(at) <= FRESH).then_some(look)
    }

    /// Wait until the acts that `which` means are seen and kept; those that are not in time are
    /// kept without, and `why`.
    pub fn settle(&self, host: &dyn Host, bound: Duration, cancel: &Cancel, which: &dyn Fn(&After) -> bool, why: &str) {
        let end = Instant::now() + bound;
        let mut waiting = self.lock();
        while waiting.iter().any(|a| which(a)) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || cancel.is_cancelled() {
                let late: Vec<_> = waiting.iter().filter(|a| which(a)).cloned().collect();
                drop(waiting);
                let nothing = Arc::new(Look::nothing(why));
                late.iter().for_each(|a| a.keep(&nothing, host));
                return;
            }
            waiting = self.moved.wait_timeout(waiting, left.min(SLICE)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
