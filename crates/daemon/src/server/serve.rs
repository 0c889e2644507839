//! A daemon's life: lock, socket, engine, service; then one of the causes of its end, and the
//! end itself, bounded.

use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use engine::Engine;
use host::SystemHost;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tonic::transport::Server;
use tracing::level_filters::LevelFilter;

use super::idle::{EndWhen, Presence};
use super::lock::{self, LockError};
use super::log::{self, Shape};
use super::pool::{Pool, THREADS};
use super::service::Service;
use super::watch::Watchers;
use super::{conn, socket, wire};
use crate::endpoint::Endpoint;
use crate::exit::{Exit, Failure};
use crate::proto::driver_server::DriverServer;
use crate::{out, version};

/// Handles that are enough for many clients and their pictures.
const FILES: u64 = 4096;
/// The whole end takes less than this, and what is not done by then is left.
const ENGINE_END: Duration = Duration::from_millis(2000);
const CALLS_END: Duration = Duration::from_millis(600);
const STREAMS_END: Duration = Duration::from_millis(150);
const SWEEP: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(250);

pub struct Options {
    pub endpoint: Endpoint,
    /// Display as the environment names it, empty without one.
    pub display: String,
    pub end: EndWhen,
    pub log: Shape,
    pub level: LevelFilter,
    /// Said on standard output once it listens.
    pub greeting: String,
    /// Done last, while the socket is still this daemon's.
    pub last: Option<Box<dyn FnOnce()>>,
}

pub use super::idle::EndWhen as End;
pub use super::log::Shape as LogShape;

/// Run until the end.
pub fn run(mut options: Options) -> Result<Exit, Failure> {
    let last = options.last.take();
    let ended = locked(options, last);
    ended.inspect(|_| tracing::info!("ended"))
}

/// The life between taking the lock and letting go of it.
fn locked(options: Options, last: Option<Box<dyn FnOnce()>>) -> Result<Exit, Failure> {
    log::start(options.log, options.level);
    let path = options.endpoint.socket.clone();
    socket::fits(&path)?;
    socket::directory(&path, options.endpoint.named)?;
    let _lock = match lock::take(&lock::path(&path)) {
        Ok(lock) => lock,
        Err(LockError::Held(pid)) => {
            let pid = pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
            return Err(Failure::failed(format!("a driver is already running{pid} at {}", path.display())));
        }
        Err(LockError::Io(error)) => {
            let lock = lock::path(&path);
            return Err(Failure::failed(format!(
                "{}: {error}; the lock of a driver cannot be taken there, pass another --socket",
                lock.display()
            )));
        }
    };
    let (listener, trace) = socket::bind(&path)?.split();
    raise_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(THREADS)
        .thread_name("serve")
        .enable_all()
        .build()
        .context("no runtime")?;
    let ran = runtime.block_on(live(options, listener));
    trace.remove();
    // Threads that hang in an application are not waited for.
    runtime.shutdown_background();
    if let Some(last) = last {
        last();
    }
    ran.map_err(Failure::from)?;
    Ok(Exit::Done)
}

async fn live(options: Options, listener: UnixListener) -> Result<()> {
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    // A closed terminal is no reason to end in the middle.
    let mut hangup = signal(SignalKind::hangup())?;
    let started = Instant::now();
    let display = options.display.clone();
    let desktop =
        tokio::task::spawn_blocking(move || open_desktop(&display)).await.context("the desktop could not be opened")?;
    let platform = desktop.info().platform;
    let engine = Engine::new(desktop, Arc::new(SystemHost::from_env()));
    let presence = Arc::new(Presence::new());
    let pool = Arc::new(Pool::new(engine.clone()));
    let stop = Arc::new(Notify::new());
    let (end_streams, over_now) = tokio::sync::watch::channel(false);
    let service = Service {
        engine: engine.clone(),
        pool: pool.clone(),
        watchers: Watchers::default(),
        socket: options.endpoint.socket.display().to_string(),
        display: options.display.clone(),
        platform,
        started,
        stop: stop.clone(),
        over: over_now,
    };
    let service = DriverServer::new(service)
        .max_decoding_message_size(wire::LARGEST_MESSAGE)
        .max_encoding_message_size(wire::LARGEST_MESSAGE);
    let last = Arc::new(Notify::new());
    let serving = tokio::spawn(
        Server::builder()
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(8 << 20)
            .max_frame_size(1 << 20)
            .add_service(service)
            .serve_with_incoming_shutdown(conn::accept(listener, engine.clone(), presence.clone()), {
                let last = last.clone();
                async move { last.notified().await }
            }),
    );
    tracing::info!(version = version::version(), socket = %options.endpoint.socket.display(), display = options.display, "serving");
    out::greeting(&options.greeting);

    let sweeping = tokio::spawn(sweep(engine.clone()));
    let reason = tokio::select! {
        _ = term.recv() => "signal",
        _ = int.recv() => "signal",
        _ = hangup.recv() => "signal",
        () = stop.notified() => "stopped",
        () = over(&presence, &pool, &engine, options.end) => "stopped",
    };
    tracing::info!(reason, "ending");
    sweeping.abort();
    end(&engine, &pool, reason).await;
    let _ = end_streams.send(true);
    last.notify_one();
    if tokio::time::timeout(STREAMS_END, serving).await.is_err() {
        tracing::debug!("connections were still open at the end");
    }
    Ok(())
}

/// Running calls answer, recordings are finalised, what is held is let go; all within bounds.
async fn end(engine: &Arc<Engine>, pool: &Pool, reason: &'static str) {
    pool.stop();
    let until = Instant::now() + CALLS_END;
    while pool.busy() > 0 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let engine = engine.clone();
    let ended = tokio::task::spawn_blocking(move || engine.shutdown(reason));
    if tokio::time::timeout(ENGINE_END, ended).await.is_err() {
        tracing::warn!("the engine did not end within {} ms", ENGINE_END.as_millis());
    }
}

/// Idle sessions end also when nobody calls.
async fn sweep(engine: Arc<Engine>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let engine = engine.clone();
        if tokio::task::spawn_blocking(move || engine.sweep()).await.is_err() {
            tracing::error!("the end of an idle session failed");
        }
    }
}

/// Returns when the daemon may end by itself.
async fn over(presence: &Presence, pool: &Pool, engine: &Arc<Engine>, when: EndWhen) {
    if when == EndWhen::Never {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(TICK).await;
        if pool.busy() > 0 || !presence.over(when) {
            continue;
        }
        let engine = engine.clone();
        let status = tokio::task::spawn_blocking(move || engine.status()).await;
        if !status.is_ok_and(|status| records(&status)) {
            return;
        }
    }
}

fn records(status: &serde_json::Value) -> bool {
    match &status["recording"] {
        serde_json::Value::Null => false,
        serde_json::Value::Array(all) => !all.is_empty(),
        other => other.get("recording").and_then(serde_json::Value::as_bool).unwrap_or(true),
    }
}

fn open_desktop(display: &str) -> Arc<dyn desktop::Desktop> {
    let display = Some(display.to_owned()).filter(|display| !display.is_empty());
    let guardian = std::env::current_exe().ok().map(|own| vec![own.into_os_string(), "guard".into()]);
    native::open(native::Options { display, guardian })
}

fn raise_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|now| now < wanted) {
        limit.current = Some(wanted);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it was");
        }
    }
}
