//! The gRPC service: every message to one engine call, nothing decided here but who may speak.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::Cancel;
use engine::{Call, ClientId, ClientKind, Engine, Progress};
use futures_util::Stream;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tonic::{Extensions, Request, Response, Status, Streaming};

use super::calls::Calls;
use super::conn::Conn;
use super::pool::Pool;
use super::watch::{Events, Watchers};
use super::wire;
use crate::proto::driver_server::Driver;
use crate::proto;
use crate::version::{HEADER, mismatch, version};
use crate::{endpoint, tool_list};

/// What the daemon is, for all connections.
pub struct Service {
    pub engine: Arc<Engine>,
    pub pool: Arc<Pool>,
    pub watchers: Watchers,
    pub socket: String,
    /// Display it serves, empty without one.
    pub display: String,
    pub platform: &'static str,
    pub started: Instant,
    /// Told when a client asks for the end.
    pub stop: Arc<Notify>,
    /// Says that the daemon ends.
    pub over: watch::Receiver<bool>,
}

impl Service {
    /// A client that may speak: same version, same display.
    fn admit(&self, conn: &Conn, info: &proto::ClientInfo) -> Result<ClientId, Status> {
        if info.version != version() {
            return Err(Status::failed_precondition(mismatch(&info.version, version())));
        }
        let (theirs, ours) = (endpoint::plain(&info.display), endpoint::plain(&self.display));
        if !theirs.is_empty() && !ours.is_empty() && theirs != ours {
            return Err(Status::failed_precondition(format!(
                "this driver serves display {ours} and the client is on {theirs}; set DISPLAY={ours}, or run \
                 `cua-driver serve` on {theirs}"
            )));
        }
        let kind = wire::kind(&info.kind)
            .ok_or_else(|| Status::invalid_argument(format!("unknown kind of client {:?}", info.kind)))?;
        let label = Some(info.session.as_str()).filter(|label| !label.is_empty());
        let label = label.or((kind == ClientKind::Cli).then_some("cli"));
        conn.client(kind, label).ok_or_else(|| Status::cancelled("the connection has ended"))
    }

    fn begin(&self, request: Request<proto::CallRequest>) -> Result<Call, Status> {
        let conn = conn(request.extensions())?;
        let message = request.into_inner();
        let client = match (conn.known(), &message.client) {
            (Some(client), _) => client,
            (None, Some(info)) => self.admit(&conn, info)?,
            (None, None) => return Err(Status::failed_precondition("say Hello first, or send `client` with the call")),
        };
        conn.called();
        engine_call(client, message, None)
    }
}

/// A message as the engine takes it.
pub fn engine_call(
    client: ClientId,
    message: proto::CallRequest,
    progress: Option<Arc<dyn Progress>>,
) -> Result<Call, Status> {
    let arguments: Value = wire::arguments(&message.arguments_json).map_err(|error| {
        Status::invalid_argument(format!(
            "the arguments are not JSON: {error}; a character cut in half (a lone surrogate) is none"
        ))
    })?;
    let timeout = Some(message.timeout_ms).filter(|ms| *ms > 0).map(|ms| Duration::from_millis(ms.into()));
    Ok(Call { tool: message.tool, arguments, client, cancel: Cancel::default(), timeout, progress })
}

fn conn(extensions: &Extensions) -> Result<Arc<Conn>, Status> {
    extensions.get::<Arc<Conn>>().cloned().ok_or_else(|| Status::internal("no connection"))
}

/// A reply that says which version made it.
fn sign<T>(message: T) -> Response<T> {
    let mut response = Response::new(message);
    if let Ok(value) = version().parse() {
        response.metadata_mut().insert(HEADER, value);
    }
    response
}

#[tonic::async_trait]
impl Driver for Service {
    async fn hello(&self, request: Request<proto::HelloRequest>) -> Result<Response<proto::HelloReply>, Status> {
        let conn = conn(request.extensions())?;
        let info = request.into_inner().client.ok_or_else(|| Status::invalid_argument("Hello without `client`"))?;
        self.admit(&conn, &info)?;
        Ok(sign(proto::HelloReply {
            version: version().to_owned(),
            pid: std::process::id(),
            display: self.display.clone(),
            platform: self.platform.to_owned(),
        }))
    }

    async fn list_tools(&self, _: Request<proto::ListToolsRequest>) -> Result<Response<proto::ListToolsReply>, Status> {
        Ok(sign(proto::ListToolsReply { tools_json: tool_list::TEXT.to_owned() }))
    }

    async fn call(&self, request: Request<proto::CallRequest>) -> Result<Response<proto::CallReply>, Status> {
        let call = self.begin(request)?;
        Ok(sign(wire::answer(self.pool.call(call).await)))
    }

    type CallsStream = Pin<Box<dyn Stream<Item = Result<proto::CallsReply, Status>> + Send>>;

    async fn calls(
        &self,
        request: Request<Streaming<proto::CallsRequest>>,
    ) -> Result<Response<Self::CallsStream>, Status> {
        let conn = conn(request.extensions())?;
        let client = conn.known().ok_or_else(|| Status::failed_precondition("say Hello first"))?;
        let calls = Calls::new(request.into_inner(), conn, client, self.pool.clone(), self.over.clone());
        Ok(sign(Box::pin(calls.answers())))
    }

    async fn status(&self, _: Request<proto::StatusRequest>) -> Result<Response<proto::StatusReply>, Status> {
        let engine = self.engine.clone();
        let status = tokio::task::spawn_blocking(move || engine.status());
        let status = status.await.map_err(|error| Status::internal(error.to_string()))?;
        let part = |name: &str, default: &str| match status.get(name) {
            Some(value) => value.to_string(),
            None => default.to_owned(),
        };
        Ok(sign(proto::StatusReply {
            version: version().to_owned(),
            pid: std::process::id(),
            socket: self.socket.clone(),
            display: self.display.clone(),
            uptime_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            sessions_json: part("sessions", "[]"),
            recording_json: part("recording", "null"),
        }))
    }

    type WatchStream = Events;

    async fn watch(&self, _: Request<proto::WatchRequest>) -> Result<Response<Events>, Status> {
        Ok(sign(self.watchers.start(&self.engine)?))
    }

    async fn shutdown(
        &self,
        request: Request<proto::ShutdownRequest>,
    ) -> Result<Response<proto::ShutdownReply>, Status> {
        tracing::info!(reason = request.into_inner().reason, "asked to end");
        self.stop.notify_one();
        Ok(sign(proto::ShutdownReply {}))
    }
}
