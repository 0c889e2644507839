//! Turns are made and written beside the calls, in order, a few at a time.
//!
//! Owns: the thread and its bounds. A call waits only when the disk is slower than the acts.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::disk::DiskError;
use super::secret::Secrets;
use super::store::Store;
use super::turn::{Done, Maker};

/// Turns that may wait to be written.
const WAITING: usize = 2;

/// A disk that takes no turn for so long costs the turn.
const SLOWEST: Duration = Duration::from_secs(10);

/// What became of a turn.
pub enum Kept {
    Whole { bytes: u64 },
    /// Without pictures and states.
    Bare { bytes: u64, why: String },
    Lost { why: String },
}

type Tell = Box<dyn Fn(u32, Kept) + Send>;

pub struct Writer {
    send: Mutex<Option<SyncSender<Done>>>,
    ended: Mutex<Receiver<()>>,
}

impl Writer {
    /// `tell` hears of every turn, from the writer's thread.
    pub fn start(store: Arc<Store>, secrets: Secrets, tell: Tell) -> std::io::Result<Self> {
        let (send, receive) = sync_channel::<Done>(WAITING);
        let (say_ended, ended) = sync_channel(1);
        std::thread::Builder::new().name("recording".into()).spawn(move || {
            let mut maker = Maker::new(secrets);
            while let Ok(turn) = receive.recv() {
                tell(turn.number, keep(&store, &mut maker, &turn));
            }
            let _ = say_ended.send(());
        })?;
        Ok(Self { send: Mutex::new(Some(send)), ended: Mutex::new(ended) })
    }

    /// Hand over a turn. Answers why it was not taken.
    pub fn take(&self, mut turn: Done) -> Result<(), &'static str> {
        let send = self.send.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let send = send.ok_or("the recording had ended")?;
        let end = Instant::now() + SLOWEST;
        loop {
            turn = match send.try_send(turn) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) if Instant::now() >= end => return Err("the disk took too long"),
                Err(TrySendError::Full(t)) => t,
                Err(TrySendError::Disconnected(_)) => return Err("the recording had ended"),
            };
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Take no more and wait until all is written; false when that took longer.
    pub fn finish(&self, bound: Duration) -> bool {
        self.send.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        !matches!(ended.recv_timeout(bound), Err(std::sync::mpsc::RecvTimeoutError::Timeout))
    }
}

fn keep(store: &Store, maker: &mut Maker, turn: &Done) -> Kept {
    let files = maker.files(turn);
    match store.keep_turn(turn.number, &files) {
        Ok(bytes) => Kept::Whole { bytes },
        Err(e @ DiskError::Full { .. }) => {
            let why = e.to_string();
            match store.keep_turn(turn.number, &maker.bare(turn, &why)) {
                Ok(bytes) => Kept::Bare { bytes, why },
                Err(_) => Kept::Lost { why },
            }
        }
        Err(e) => Kept::Lost { why: e.to_string() },
    }
}
