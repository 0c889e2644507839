//! Engine calls on a bounded number of blocking threads, and the list of those that run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use desktop::Cancel;
use engine::{Answer, Call, Code, Engine, Refusal};
use tokio::sync::Semaphore;

/// Calls at one time; the others wait their turn and can be cancelled while they wait.
const CALLS: usize = 64;
/// Threads beyond those of calls: ends of connections, status, shutdown.
const SPARE: usize = 16;

pub const THREADS: usize = CALLS + SPARE;

pub struct Pool {
    engine: Arc<Engine>,
    places: Arc<Semaphore>,
    running: Arc<Mutex<HashMap<u64, Cancel>>>,
    next: AtomicU64,
}

impl Pool {
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine, places: Arc::new(Semaphore::new(CALLS)), running: Arc::default(), next: AtomicU64::new(1) }
    }

    /// Run one call. Dropping the future cancels it.
    pub async fn call(&self, call: Call) -> Answer {
        let cancel = call.cancel.clone();
        let _wanted = CancelOnDrop(cancel.clone());
        let _listed = self.list(cancel);
        let Ok(place) = self.places.clone().acquire_owned().await else { return Err(stopping()) };
        let engine = self.engine.clone();
        let tool = call.tool.clone();
        let ran = tokio::task::spawn_blocking(move || {
            let answer = engine.call(&call);
            drop(place);
            answer
        });
        ran.await.unwrap_or_else(|error| Err(fault(&tool, &error)))
    }

    /// No call begins any more; those that run are told to end.
    pub fn stop(&self) {
        self.places.close();
        for cancel in self.running.lock().unwrap_or_else(PoisonError::into_inner).values() {
            cancel.cancel();
        }
    }

    pub fn busy(&self) -> usize {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn list(&self, cancel: Cancel) -> Listed {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(id, cancel);
        Listed { id, running: self.running.clone() }
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

struct Listed {
    id: u64,
    running: Arc<Mutex<HashMap<u64, Cancel>>>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

fn stopping() -> Refusal {
    Refusal::new(Code::Cancelled, "the driver is ending; nothing was done")
        .hint("Start it again with `cua-driver serve`.")
}

fn fault(tool: &str, error: &tokio::task::JoinError) -> Refusal {
    let id = format!("{:08x}", host::random() as u32);
    tracing::error!(id, tool, %error, "a call failed inside the driver");
    Refusal::new(Code::Fault, format!("{tool} failed inside the driver (id {id}).")).with("id", id)
}
