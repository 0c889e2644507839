//! A client's connection to the daemon.

use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tonic::transport::{Channel, Endpoint as Http};
use tonic::{Code, Status};
use tower::service_fn;

use crate::endpoint::{self, Endpoint, Named};
use crate::exit::{Failure, Result};
use crate::proto;
use crate::proto::driver_client::DriverClient;
use crate::server::{LARGEST_MESSAGE, lock, socket};
use crate::version::{HEADER, mismatch, version};

pub type Driver = DriverClient<Channel>;

/// For questions that are answered at once.
pub const SHORT: Duration = Duration::from_secs(5);
/// A daemon that answers no ping for this long is not waited for.
const PING: Duration = Duration::from_secs(4);
const PONG: Duration = Duration::from_secs(6);

/// Run a client's work on a runtime of its own, in this thread.
pub fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::failed(error.to_string()))?.block_on(work)
}

/// Connect to the daemon at this endpoint: it must be there and this user's.
pub async fn connect(endpoint: &Endpoint) -> Result<Driver> {
    let stream = UnixStream::connect(&endpoint.socket).await.map_err(|error| nobody(endpoint, &error))?;
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == rustix::process::geteuid().as_raw() => {}
        _ => {
            return Err(Failure::unreachable(format!("{} is another user's driver", endpoint.socket.display())));
        }
    }
    let mut stream = Some(stream);
    let connector = service_fn(move |_| {
        let stream = stream.take().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotConnected));
        async move { stream.map(TokioIo::new) }
    });
    let channel = Http::from_static("http://driver")
        .initial_stream_window_size(4 << 20)
        .initial_connection_window_size(8 << 20)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .connect_with_connector_lazy(connector);
    Ok(DriverClient::new(channel).max_decoding_message_size(LARGEST_MESSAGE).max_encoding_message_size(LARGEST_MESSAGE))
}

/// Who this client is.
pub fn client_info(session: Option<&str>) -> proto::ClientInfo {
    proto::ClientInfo {
        version: version().to_owned(),
        kind: "cli".to_owned(),
        display: endpoint::display(),
        session: session.unwrap_or_default().to_owned(),
    }
}

/// The session that a command line names: `--session`, else `CUA_DRIVER_SESSION`.
pub fn session(named: Option<&str>) -> Option<String> {
    let set = || std::env::var("CUA_DRIVER_SESSION").ok().filter(|name| !name.is_empty());
    named.map(str::to_owned).or_else(set)
}

/// Wait for an answer within a bound.
pub async fn within<T>(
    endpoint: &Endpoint,
    bound: Duration,
    answer: impl Future<Output = Result<tonic::Response<T>, Status>>,
) -> Result<T> {
    match tokio::time::timeout(bound, answer).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(trouble(endpoint, &status)),
        Err(_) => Err(silent(endpoint)),
    }
}

/// A status of the transport in words.
pub fn trouble(endpoint: &Endpoint, status: &Status) -> Failure {
    let theirs = status.metadata().get(HEADER).and_then(|value| value.to_str().ok());
    match (status.code(), theirs) {
        (_, Some(theirs)) if theirs != version() => Failure::failed(mismatch(version(), theirs)),
        (Code::FailedPrecondition, _) => Failure::failed(status.message().to_owned()),
        (Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal, _) => {
            if lock::holder(&lock::path(&endpoint.socket)).is_some() {
                return Failure::unreachable(format!("the driver gave no answer: {}", status.message()));
            }
            Failure::unreachable(format!(
                "the driver ended before it answered ({}); start it with `cua-driver serve`",
                status.message()
            ))
        }
        (Code::DeadlineExceeded, _) => silent(endpoint),
        _ => Failure::failed(status.message().to_owned()),
    }
}

/// It is there and says nothing.
pub fn silent(endpoint: &Endpoint) -> Failure {
    let pid = match lock::holder(&lock::path(&endpoint.socket)) {
        Some(pid) if pid > 0 => format!(" (pid {pid})"),
        _ => String::new(),
    };
    Failure::unreachable(format!(
        "the driver{pid} at {} does not answer; it is stopped or busy. End it with `kill -9` if it does not come back",
        endpoint.socket.display()
    ))
}

fn nobody(endpoint: &Endpoint, error: &std::io::Error) -> Failure {
    let path = endpoint.socket.display();
    if error.kind() == std::io::ErrorKind::PermissionDenied {
        return Failure::unreachable(format!("{path} is another user's driver"));
    }
    if let Err(why) = socket::fits(&endpoint.socket) {
        return Failure::unreachable(format!("no driver is running there: {why:#}"));
    }
    let start = match endpoint.named {
        Named::ByCaller => format!("cua-driver serve --socket {path}"),
        Named::ByRule => "cua-driver serve".to_owned(),
    };
    let mut text = format!("no driver is running at {path}; start one with `{start}`");
    if endpoint.named == Named::ByRule {
        for other in endpoint::living(&host::Dirs::from_env()) {
            text += &format!("\nanother one runs: {}", endpoint::reach(&other));
        }
    }
    Failure::unreachable(text)
}
