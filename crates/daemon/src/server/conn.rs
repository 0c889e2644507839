//! Connections: only this user's processes, each one client of the engine until its stream ends.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use engine::{ClientId, ClientKind, Engine};
use futures_util::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tonic::transport::server::Connected;

use super::idle::Presence;

/// What a connection is, for the calls on it.
pub struct Conn {
    engine: Arc<Engine>,
    presence: Arc<Presence>,
    client: Mutex<Option<ClientId>>,
    gone: AtomicBool,
}

impl Conn {
    /// The client of this connection, made the first time; `None` once the connection has ended.
    pub fn client(&self, kind: ClientKind, label: Option<&str>) -> Option<ClientId> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if self.gone.load(Ordering::SeqCst) {
            return None;
        }
        Some(*client.get_or_insert_with(|| {
            self.presence.came();
            self.engine.connect(kind, label)
        }))
    }

    /// The client, where one has been made.
    pub fn known(&self) -> Option<ClientId> {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn called(&self) {
        self.presence.called();
    }

    fn end(&self) {
        if self.gone.swap(true, Ordering::SeqCst) {
            return;
        }
        let Some(client) = self.client.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (engine, presence) = (self.engine.clone(), self.presence.clone());
        let end = move || {
            engine.disconnect(client);
            presence.went();
        };
        // Ending a session may finalise a recording: not on the thread that serves sockets.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(end)),
            Err(_) => end(),
        }
    }
}

/// The byte stream of a connection. Its end is the end of the client.
pub struct Peer {
    stream: UnixStream,
    conn: Arc<Conn>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.conn.end();
    }
}

impl Connected for Peer {
    type ConnectInfo = Arc<Conn>;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.conn.clone()
    }
}

impl AsyncRead for Peer {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Peer {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// Connections of this user, for ever. Another user's are closed unread; a lack of file handles
/// is waited out.
pub fn accept(
    listener: UnixListener,
    engine: Arc<Engine>,
    presence: Arc<Presence>,
) -> impl Stream<Item = io::Result<Peer>> {
    let own = rustix::process::geteuid().as_raw();
    futures_util::stream::unfold((listener, engine, presence), move |(listener, engine, presence)| async move {
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            match stream.peer_cred() {
                Ok(peer) if peer.uid() == own => {
                    let conn = Conn {
                        engine: engine.clone(),
                        presence: presence.clone(),
                        client: Mutex::new(None),
                        gone: AtomicBool::new(false),
                    };
                    let peer = Peer { stream, conn: Arc::new(conn) };
                    return Some((Ok(peer), (listener, engine, presence)));
                }
                Ok(peer) => tracing::warn!(uid = peer.uid(), "refused a connection of another user"),
                Err(error) => tracing::warn!(%error, "refused a connection of nobody known"),
            }
        }
    })
}
