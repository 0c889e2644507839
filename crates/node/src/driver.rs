//! One engine with one client, as JavaScript holds it.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use desktop::Cancel;
use engine::{Answer, Call, ClientId, ClientKind, Code, Engine, Progress, Refusal};
use host::SystemHost;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use serde_json::{Value, json};

use crate::answer::{NativeAnswer, NativeProgress};
use crate::pool::Pool;

#[napi(object)]
pub struct OpenOptions {
    /// Path of the native program, started as the child that lets go of input.
    pub guardian: Option<String>,
    /// Label of the session that unlabelled calls belong to.
    pub session: Option<String>,
}

type Steps = ThreadsafeFunction<NativeProgress, napi::Unknown<'static>, NativeProgress, Status, false, true>;
type Resolver<T> = Box<dyn FnOnce(Env) -> Result<T> + Send>;

#[napi]
pub struct Driver {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Arc<Engine>,
    client: ClientId,
    pool: Arc<Pool>,
    /// Calls that run, by their ticket.
    running: Mutex<HashMap<u32, Cancel>>,
    closed: AtomicBool,
    about: Value,
    opened: Instant,
}

/// Opens the desktop of this process's environment and an engine on it. Never fails for lack of a
/// display: calls that need one then say so.
#[napi]
pub fn open(env: &Env, options: Option<OpenOptions>) -> Result<Object<'_>> {
    let pool = Arc::new(Pool::default());
    let options = options.unwrap_or(OpenOptions { guardian: None, session: None });
    let mine = pool.clone();
    promise(env, &pool, move || Ok(Inner::open(options, mine)), |env, inner| {
        // Input is let go of and recordings are finalised also where nobody called close.
        let weak = Arc::downgrade(&inner);
        env.add_env_cleanup_hook(weak, |inner| {
            if let Some(inner) = inner.upgrade() {
                inner.close();
            }
        })?;
        Ok(Driver { inner })
    })
}

#[napi]
impl Driver {
    #[napi]
    pub fn about_json(&self) -> String {
        self.inner.about.to_string()
    }

    #[napi]
    pub fn tools_json(&self) -> String {
        engine::tools_json()
    }

    #[napi]
    pub fn status_json<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let inner = self.inner.clone();
        promise(env, &self.inner.pool, move || Ok(inner.status().to_string()), |_, text| Ok(text))
    }

    /// Runs one tool. The promise is rejected only where the engine itself failed.
    #[napi]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        ticket: u32,
        tool: String,
        arguments_json: String,
        timeout_ms: u32,
        on_progress: Option<Steps>,
    ) -> Result<Object<'env>> {
        let inner = self.inner.clone();
        let cancel = Cancel::default();
        inner.list(ticket, cancel.clone());
        let asked = Asked { tool, arguments_json, timeout_ms, on_progress, cancel };
        let work = move || {
            let _listed = Listed { inner: inner.clone(), ticket };
            inner.call(asked)
        };
        promise(env, &self.inner.pool, work, |_, answer| Ok(NativeAnswer::from(answer)))
    }

    #[napi]
    pub fn cancel(&self, ticket: u32) {
        if let Some(cancel) = self.inner.running().get(&ticket) {
            cancel.cancel();
        }
    }

    #[napi]
    pub fn close<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let inner = self.inner.clone();
        promise(env, &self.inner.pool, move || Ok(inner.close()), |_, ()| Ok(()))
    }
}

struct Asked {
    tool: String,
    arguments_json: String,
    timeout_ms: u32,
    on_progress: Option<Steps>,
    cancel: Cancel,
}

impl Inner {
    fn open(options: OpenOptions, pool: Arc<Pool>) -> Arc<Self> {
        let guardian = options.guardian.map(|path| vec![OsString::from(path), OsString::from("guard")]);
        let display = std::env::var("DISPLAY").ok().filter(|display| !display.is_empty());
        let desktop = native::open(native::Options { display, guardian });
        let info = desktop.info();
        let engine = Engine::new(desktop, Arc::new(SystemHost::from_env()));
        let client = engine.connect(ClientKind::Addon, options.session.as_deref());
        let version = env!("CARGO_PKG_VERSION");
        let about = json!({"version": version, "display": info.display, "platform": info.platform});
        Arc::new(Self {
            engine,
            client,
            pool,
            running: Mutex::default(),
            closed: AtomicBool::new(false),
            about,
            opened: Instant::now(),
        })
    }

    fn call(&self, asked: Asked) -> Result<Answer> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(Error::new(Status::Closing, "this driver was closed"));
        }
        let arguments = match serde_json::from_str(&asked.arguments_json) {
            Ok(arguments) => arguments,
            Err(error) => {
                let message = format!("the arguments are not JSON: {error}.");
                return Ok(Err(Refusal::new(Code::InvalidArguments, message)));
            }
        };
        let timeout = (asked.timeout_ms > 0).then(|| Duration::from_millis(asked.timeout_ms.into()));
        let progress = asked.on_progress.map(|steps| Arc::new(Reporter(steps)) as Arc<dyn Progress>);
        let call = Call { tool: asked.tool, arguments, client: self.client, cancel: asked.cancel, timeout, progress };
        Ok(self.engine.call(&call))
    }

    fn status(&self) -> Value {
        let mut status = self.engine.status();
        status["uptime_ms"] = json!(u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX));
        status
    }

    /// Ends everything, once.
    fn close(&self) {
        if self.closed.swap(true, Ordering::SeqCst) {
            return;
        }
        for cancel in self.running().values() {
            cancel.cancel();
        }
        self.engine.disconnect(self.client);
        self.engine.shutdown("stopped");
    }

    fn list(&self, ticket: u32, cancel: Cancel) {
        self.running().insert(ticket, cancel);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Cancel>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Listed {
    inner: Arc<Inner>,
    ticket: u32,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.inner.running().remove(&self.ticket);
    }
}

struct Reporter(Steps);

impl Progress for Reporter {
    fn report(&self, done: u64, total: u64, message: &str) {
        let step = NativeProgress { done: done as f64, total: total as f64, message: message.to_owned() };
        self.0.call(step, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// A promise of what `work` makes on the pool. A panic in it is a rejection.
fn promise<'env, M, T>(
    env: &'env Env,
    pool: &Arc<Pool>,
    work: impl FnOnce() -> Result<M> + Send + 'static,
    make: impl FnOnce(Env, M) -> Result<T> + Send + 'static,
) -> Result<Object<'env>>
where
    M: Send + 'static,
    T: ToNapiValue + 'static,
{
    let (deferred, promise) = env.create_deferred::<T, Resolver<T>>()?;
    let job = move || match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(made)) => deferred.resolve(Box::new(move |env| make(env, made))),
        Ok(Err(error)) => deferred.reject(error),
        Err(panic) => deferred.reject(Error::from_reason(format!("the engine failed: {}", said(&*panic)))),
    };
    pool.run(job).map_err(|error| Error::from_reason(format!("no thread for the call: {error}")))?;
    Ok(promise)
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}
