//! The event feed of the engine as a stream.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use engine::Engine;
use futures_util::Stream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::proto::WatchEvent;

/// Each has a thread of its own.
const WATCHERS: usize = 16;
/// Events that a slow watcher may lag behind; more are left out.
const BUFFER: usize = 1024;
const LOOK: Duration = Duration::from_millis(500);

pub type Events = Pin<Box<dyn Stream<Item = Result<WatchEvent, Status>> + Send>>;

#[derive(Default)]
pub struct Watchers(Arc<AtomicUsize>);

impl Watchers {
    pub fn start(&self, engine: &Engine) -> Result<Events, Status> {
        let count = self.0.clone();
        if count.fetch_add(1, Ordering::SeqCst) >= WATCHERS {
            count.fetch_sub(1, Ordering::SeqCst);
            return Err(Status::resource_exhausted(format!("{WATCHERS} watch already")));
        }
        let feed = engine.watch();
        let (send, receive) = mpsc::channel(BUFFER);
        let run = move || {
            while !send.is_closed() {
                match feed.recv_timeout(LOOK) {
                    Ok(event) => drop(send.try_send(Ok(WatchEvent { event_json: event.to_string() }))),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            count.fetch_sub(1, Ordering::SeqCst);
        };
        let started = std::thread::Builder::new().name("watch".into()).spawn(run);
        started.map_err(|error| Status::resource_exhausted(error.to_string()))?;
        Ok(Box::pin(ReceiverStream::new(receive)))
    }
}
