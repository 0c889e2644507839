//! Who acts now: one actor at a time for each thing that cannot be shared, in the order of coming.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use desktop::{Ctx, WindowId};

use crate::{Code, Refusal};

/// A thing that two acts must not use at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Pointers and keyboards.
    Seat,
    /// What happens inside one window.
    Window(WindowId),
}

#[derive(Default)]
pub struct Lane(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    moved: Condvar,
}

#[derive(Default)]
struct Queues {
    next: u64,
    waiting: HashMap<Slot, VecDeque<u64>>,
}

/// The right to act; given back when dropped.
pub struct Pass {
    lane: Arc<Shared>,
    slot: Slot,
    ticket: u64,
}

impl Lane {
    /// Wait for the turn. Cancellable; `input_busy` when the deadline passes first.
    pub fn enter(&self, slot: Slot, ctx: &Ctx) -> Result<Pass, Refusal> {
        let mut queues = self.0.lock();
        let ticket = queues.next;
        queues.next += 1;
        queues.waiting.entry(slot).or_default().push_back(ticket);
        let pass = Pass { lane: self.0.clone(), slot, ticket };
        loop {
            if queues.waiting.get(&slot).and_then(VecDeque::front) == Some(&ticket) {
                return Ok(pass);
            }
            if ctx.cancel.is_cancelled() || ctx.left().is_zero() {
                drop(queues);
                return Err(if ctx.cancel.is_cancelled() {
                    Refusal::new(Code::Cancelled, "The call was cancelled while it waited for another to act; nothing was sent.")
                } else {
                    Refusal::new(Code::InputBusy, "Another call was acting until this one's time was over; nothing was sent.")
                });
            }
            // Short, because a cancelled call does not wake this condition.
            let time = ctx.left().min(Duration::from_millis(20));
            queues = self.0.moved.wait_timeout(queues, time).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut queues = self.lane.lock();
        if let Some(q) = queues.waiting.get_mut(&self.slot) {
            q.retain(|t| *t != self.ticket);
            if q.is_empty() {
                queues.waiting.remove(&self.slot);
            }
        }
        drop(queues);
        self.lane.moved.notify_all();
    }
}
