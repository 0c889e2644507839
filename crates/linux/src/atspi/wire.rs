//! One connection to a bus, and rounds of many calls at once over it.
//!
//! Owns: sending, matching of replies, stalls, the count of calls. Refuses to own: what is
//! asked and what an answer means.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use zbus::message::Type;
use zbus::wire::DynamicType;
use zbus::{Connection, Message, MessageStream};

/// Calls of one round that are under way at the same time. An application that stops in the
/// middle never has more than this waiting for it.
const UNDER_WAY: usize = 512;

/// An error reply: its D-Bus name.
#[derive(Clone, Debug)]
pub(super) struct Refused(pub String);

impl Refused {
    /// The bus says that nobody owns the name any more, or that the owner left.
    pub fn nobody(&self) -> bool {
        let n = self.0.rsplit('.').next().unwrap_or_default();
        matches!(n, "ServiceUnknown" | "NameHasNoOwner" | "NoReply" | "Disconnected")
    }
}

pub(super) type Answer = Result<Message, Refused>;

/// Answers in the order of the calls; `None` where none came.
pub(super) struct Round {
    pub answers: Vec<Option<Answer>>,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// No answer of the round came for the whole patience.
    Stalled,
    Deadline,
    /// The connection is gone.
    Closed,
}

impl Round {
    pub fn take(&mut self, i: usize) -> Option<Message> {
        self.answers.get_mut(i)?.take()?.ok()
    }
}

struct Slots {
    answers: Vec<Option<Answer>>,
    left: usize,
    /// Wake the caller when no more than this are left.
    want: usize,
    last: Instant,
    any: bool,
}

/// How long the next answer of a round may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub first: Duration,
    /// Once something was answered, so that the application is known to be alive.
    pub later: Duration,
}

impl From<Duration> for Patience {
    fn from(d: Duration) -> Self {
        Self { first: d, later: d }
    }
}

struct Batch {
    slots: Mutex<Slots>,
    wake: Notify,
}

type Tap = Box<dyn Fn(&Message) + Send + Sync>;
type Waiting = HashMap<u32, (Arc<Batch>, usize)>;

/// A connection that many callers share without waiting for each other.
pub(super) struct Wire {
    conn: Connection,
    waiting: Mutex<Waiting>,
    tap: OnceLock<Tap>,
    listeners: Mutex<Vec<(u64, UnboundedSender<Message>)>>,
    next: AtomicU64,
    calls: Arc<AtomicU64>,
    closed: AtomicBool,
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    /// Take over a connection. Must be called inside the runtime.
    pub fn new(conn: Connection, calls: Arc<AtomicU64>) -> Arc<Self> {
        let stream = MessageStream::from(&conn);
        let wire = Arc::new(Self {
            conn,
            waiting: Mutex::default(),
            tap: OnceLock::new(),
            listeners: Mutex::default(),
            next: AtomicU64::new(1),
            calls,
            closed: AtomicBool::new(false),
        });
        tokio::spawn(read(Arc::downgrade(&wire), stream));
        wire
    }

    /// Where calls are counted, for further connections.
    pub fn counter(&self) -> Arc<AtomicU64> {
        self.calls.clone()
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire) || self.conn.is_closed()
    }

    /// Every signal is shown to this one before any message that came after it is handed on.
    pub fn tap(&self, tap: impl Fn(&Message) + Send + Sync + 'static) {
        let _ = self.tap.set(Box::new(tap));
    }

    /// Every signal that reaches this connection goes to the listener from now on.
    pub fn listen(&self, to: UnboundedSender<Message>) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.listeners).push((id, to));
        id
    }

    pub fn unlisten(&self, id: u64) {
        lock(&self.listeners).retain(|(i, _)| *i != id);
    }

    /// Send without waiting for an answer.
    pub async fn post(&self, message: &Message) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.conn.send(message).await.is_ok()
    }

    /// One call and its answer.
    pub async fn one(&self, message: Message, until: Instant, patience: impl Into<Patience>) -> (Option<Answer>, End) {
        let mut round = self.round(vec![message], until, patience).await;
        (round.answers.pop().flatten(), round.end)
    }

    /// Send all, wait for all. Gives up at `until`, or when nothing came for the patience.
    pub async fn round(&self, messages: Vec<Message>, until: Instant, patience: impl Into<Patience>) -> Round {
        let patience = patience.into();
        let n = messages.len();
        self.calls.fetch_add(n as u64, Ordering::Relaxed);
        let batch = Arc::new(Batch {
            slots: Mutex::new(Slots {
                answers: (0..n).map(|_| None).collect(),
                left: n,
                want: 0,
                last: Instant::now(),
                any: false,
            }),
            wake: Notify::new(),
        });
        let mut held = Held { wire: self, serials: Vec::with_capacity(n) };
        let mut end = End::Whole;
        let mut sent = 0;
        while sent < n && end == End::Whole {
            let next = (sent + UNDER_WAY / 2).min(n);
            let part = &messages[sent..next];
            held.register(part, &batch, sent);
            if self.conn.send_all(part).await.is_err() {
                end = End::Closed;
                break;
            }
            sent = next;
            // Half of what may be under way is answered before the next half is sent.
            let want = if sent == n { 0 } else { n - sent + UNDER_WAY / 2 };
            end = self.settle(&batch, want, until, patience).await;
        }
        if end == End::Whole && n > 0 && lock(&batch.slots).left > 0 {
            end = self.settle(&batch, 0, until, patience).await;
        }
        drop(held);
        let answers = std::mem::take(&mut lock(&batch.slots).answers);
        Round { answers, end }
    }

    async fn settle(&self, batch: &Batch, want: usize, until: Instant, patience: Patience) -> End {
        loop {
            let wake = batch.wake.notified();
            let (last, any) = {
                let mut slots = lock(&batch.slots);
                if slots.left <= want {
                    return End::Whole;
                }
                slots.want = want;
                (slots.last, slots.any)
            };
            if self.is_closed() {
                return End::Closed;
            }
            let now = Instant::now();
            if now >= until {
                return End::Deadline;
            }
            let bored = last + if any { patience.later } else { patience.first };
            if now >= bored {
                return End::Stalled;
            }
            let _ = tokio::time::timeout_at(until.min(bored).into(), wake).await;
        }
    }

    fn answer(&self, message: Message) {
        let Some(serial) = message.header().reply_serial() else { return };
        let Some((batch, i)) = lock(&self.waiting).remove(&serial.get()) else { return };
        let answer = if message.message_type() == Type::Error {
            Err(Refused(message.header().error_name().map(|n| n.to_string()).unwrap_or_default()))
        } else {
            Ok(message)
        };
        let mut slots = lock(&batch.slots);
        if let Some(slot) = slots.answers.get_mut(i) {
            *slot = Some(answer);
            slots.left -= 1;
            slots.last = Instant::now();
            slots.any = true;
            if slots.left <= slots.want {
                batch.wake.notify_one();
            }
        }
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        for (batch, _) in waiting.into_values() {
            batch.wake.notify_one();
        }
        lock(&self.listeners).clear();
    }
}

/// Serials this round waits for; forgotten when the round ends in any way.
struct Held<'a> {
    wire: &'a Wire,
    serials: Vec<u32>,
}

impl Held<'_> {
    fn register(&mut self, part: &[Message], batch: &Arc<Batch>, first: usize) {
        let mut waiting = lock(&self.wire.waiting);
        for (i, m) in part.iter().enumerate() {
            let serial = m.primary_header().serial_num().get();
            waiting.insert(serial, (batch.clone(), first + i));
            self.serials.push(serial);
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.wire.waiting);
        for s in &self.serials {
            waiting.remove(s);
        }
    }
}

async fn read(wire: std::sync::Weak<Wire>, mut stream: MessageStream) {
    while let Some(Ok(message)) = stream.next().await {
        let Some(wire) = wire.upgrade() else { return };
        match message.message_type() {
            Type::MethodReturn | Type::Error => wire.answer(message),
            Type::Signal => {
                if let Some(tap) = wire.tap.get() {
                    tap(&message);
                }
                lock(&wire.listeners).retain(|(_, to)| to.send(message.clone()).is_ok());
            }
            Type::MethodCall => {}
        }
    }
    if let Some(wire) = wire.upgrade() {
        wire.close();
    }
}

/// A method call. `None` when a name or path is not one of D-Bus.
pub(super) fn call<B>(to: &str, path: &str, interface: &str, member: &str, body: &B) -> Option<Message>
where
    B: serde::Serialize + DynamicType,
{
    Message::method_call(path, member).destination(to).interface(interface).build(body).ok()
}
