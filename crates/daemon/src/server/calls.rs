//! All calls of one client on one stream. They run side by side, and each is answered when it ends.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use engine::{ClientId, Progress};
use futures_util::future::{AbortHandle, abortable};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, Stream, StreamExt as _};
use prost::Message as _;
use tokio::sync::{mpsc, watch};
use tonic::{Code, Status, Streaming};

use super::conn::Conn;
use super::pool::Pool;
use super::service::engine_call;
use super::wire;
use crate::proto::calls_reply::What as Told;
use crate::proto::calls_request::What as Asked;
use crate::proto::{self, CallsReply};

/// Calls of one stream that are under way at once; the next one is taken when one of them ends.
const UNDER_WAY: usize = 512;
/// Progress events that wait to be sent; more are left out.
const PROGRESS: usize = 64;

type Running = Pin<Box<dyn Future<Output = (u32, Option<CallsReply>)> + Send>>;

/// The calls of one stream. Dropped, it cancels those that run.
pub struct Calls {
    asked: Streaming<proto::CallsRequest>,
    /// More may come.
    open: bool,
    over: watch::Receiver<bool>,
    conn: Arc<Conn>,
    client: ClientId,
    pool: Arc<Pool>,
    running: FuturesUnordered<Running>,
    handles: HashMap<u32, AbortHandle>,
    tell: mpsc::Sender<CallsReply>,
    told: mpsc::Receiver<CallsReply>,
}

impl Calls {
    /// Takes calls until the client asks no more, or `over` says that the daemon ends.
    pub fn new(
        asked: Streaming<proto::CallsRequest>,
        conn: Arc<Conn>,
        client: ClientId,
        pool: Arc<Pool>,
        over: watch::Receiver<bool>,
    ) -> Self {
        let (tell, told) = mpsc::channel(PROGRESS);
        Self { asked, open: true, over, conn, client, pool, running: FuturesUnordered::new(), handles: HashMap::new(), tell, told }
    }

    pub fn answers(self) -> impl Stream<Item = Result<CallsReply, Status>> + Send {
        futures_util::stream::unfold(self, |mut calls| async move { Some((calls.next().await?, calls)) })
    }

    async fn next(&mut self) -> Option<Result<CallsReply, Status>> {
        while self.open || !self.running.is_empty() {
            let asked = tokio::select! {
                // Progress comes before the answer that it led to.
                biased;
                Some(progress) = self.told.recv() => return Some(Ok(progress)),
                Some((number, reply)) = self.running.next(), if !self.running.is_empty() => {
                    self.handles.remove(&number);
                    match reply {
                        Some(reply) => return Some(Ok(reply)),
                        None => continue,
                    }
                }
                asked = self.asked.message(), if self.open && self.running.len() < UNDER_WAY => asked,
                _ = self.over.wait_for(|over| *over), if self.open => Ok(None),
            };
            match asked {
                Ok(Some(message)) => self.take(message),
                Ok(None) => self.open = false,
                Err(status) => {
                    self.open = false;
                    return Some(Err(status));
                }
            }
        }
        None
    }

    fn take(&mut self, message: proto::CallsRequest) {
        let number = message.number;
        match message.what {
            Some(Asked::Call(call)) => self.begin(number, call),
            Some(Asked::Cancel(_)) => {
                if let Some(handle) = self.handles.remove(&number) {
                    handle.abort();
                }
            }
            None => {}
        }
    }

    fn begin(&mut self, number: u32, message: proto::CallRequest) {
        self.conn.called();
        let progress = Arc::new(Reporter { number, tell: self.tell.clone() });
        let call = match engine_call(self.client, message, Some(progress)) {
            Ok(call) => call,
            Err(status) => {
                let failed = failure(number, status.code(), status.message());
                self.running.push(std::future::ready((number, Some(failed))).boxed());
                return;
            }
        };
        let pool = self.pool.clone();
        let (work, handle) = abortable(async move { pool.call(call).await });
        self.handles.insert(number, handle);
        let answered = work.map(move |done| (number, done.ok().map(|answer| reply(number, wire::answer(answer)))));
        self.running.push(answered.boxed());
    }
}

/// An answer that is too large ends its own call, not the stream.
fn reply(number: u32, reply: proto::CallReply) -> CallsReply {
    let size = reply.encoded_len();
    if size + 64 > wire::LARGEST_MESSAGE {
        return failure(number, Code::ResourceExhausted, &format!("the answer has {size} bytes"));
    }
    CallsReply { number, what: Some(Told::Reply(reply)) }
}

fn failure(number: u32, code: Code, message: &str) -> CallsReply {
    let failure = proto::Failure { code: code.into(), message: message.to_owned() };
    CallsReply { number, what: Some(Told::Failure(failure)) }
}

struct Reporter {
    number: u32,
    tell: mpsc::Sender<CallsReply>,
}

impl Progress for Reporter {
    fn report(&self, done: u64, total: u64, message: &str) {
        let progress = proto::Progress { done, total, message: message.to_owned() };
        // A client that reads slowly misses some; the reply itself never waits.
        let _ = self.tell.try_send(CallsReply { number: self.number, what: Some(Told::Progress(progress)) });
    }
}
