//! A bounded number of threads for blocking work, so that neither the event loop nor the threads
//! that Node itself needs ever wait for an application.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Work at one time; more waits its turn.
const THREADS: usize = 32;
/// A thread without work ends after this.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub struct Pool {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Pool {
    /// Run `job` on a thread of the pool. Fails when there is no thread for it and none can be made.
    pub fn run(self: &Arc<Self>, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let mut state = self.state();
        let spawn = state.idle <= state.jobs.len() && state.threads < THREADS;
        if spawn {
            let pool = self.clone();
            let spawned = thread::Builder::new().name("cua-call".into()).spawn(move || pool.work());
            match spawned {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => return Err(error),
                // Those that are there will come to it.
                Err(_) => {}
            }
        }
        state.jobs.push_back(Box::new(job));
        self.work.notify_one();
        Ok(())
    }

    fn work(&self) {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state();
                continue;
            }
            state.idle += 1;
            let (woken, time) = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if time.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
