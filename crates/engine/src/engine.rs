//! The engine: one desktop, its sessions, and the way of a call through it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use desktop::{Ctx, Desktop};
use serde_json::{Map, Value, json};

use crate::config::Settings;
use crate::lane::Lane;
use crate::pointer::Rest;
use crate::record::{Records, Secrets};
use crate::run::Run;
use crate::session::{InFlight, Session, Sessions};
use crate::tools::{self, Effect, Spec};
use crate::{Answer, Call, ClientId, ClientKind, Code, Host, Refusal, legacy, schema};

pub struct Engine {
    desktop: Arc<dyn Desktop>,
    host: Arc<dyn Host>,
    sessions: Sessions,
    lane: Lane,
    records: Records,
    secrets: Secrets,
    rest: Rest,
    busy: AtomicUsize,
    feeds: Mutex<Vec<SyncSender<Value>>>,
}

/// Events a slow listener may lag behind before it is dropped.
const FEED: usize = 1024;

impl Engine {
    pub fn new(desktop: Arc<dyn Desktop>, host: Arc<dyn Host>) -> Arc<Self> {
        let seed = host.random() as u32;
        Arc::new(Self {
            desktop,
            host,
            sessions: Sessions::new(seed),
            lane: Lane::default(),
            records: Records::default(),
            secrets: Secrets::default(),
            rest: Rest::default(),
            busy: AtomicUsize::new(0),
            feeds: Mutex::default(),
        })
    }

    pub fn desktop(&self) -> &dyn Desktop {
        &*self.desktop
    }

    /// For what outlives a call.
    pub fn shared_desktop(&self) -> Arc<dyn Desktop> {
        self.desktop.clone()
    }

    pub fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// For what outlives a call.
    pub fn shared_host(&self) -> Arc<dyn Host> {
        self.host.clone()
    }

    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    pub fn rest(&self) -> &Rest {
        &self.rest
    }

    pub fn records(&self) -> &Records {
        &self.records
    }

    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A connection came. `label` names the session that its unlabelled calls belong to; without
    /// one they belong to an implicit session that ends with the connection.
    pub fn connect(&self, kind: ClientKind, label: Option<&str>) -> ClientId {
        self.sessions.connect(kind, label)
    }

    /// A connection ended: its implicit session ends, what it held is let go.
    pub fn disconnect(&self, client: ClientId) {
        if let Some(session) = self.sessions.disconnect(client) {
            self.clean_up(&session, "client_gone");
        }
    }

    /// After a session ended: recording finalised, nothing held, nothing remembered.
    pub fn clean_up(&self, session: &Session, reason: &str) {
        let ctx = Ctx::lasting(Duration::from_millis(1000));
        let _ = self.desktop.release_held(&ctx, Some(session.owner));
        self.records.session_ended(self, session, reason);
        session.state().snapshots.clear();
        self.tell(json!({"event": "session_ended", "session": session.name(), "reason": reason}));
    }

    /// End what was idle too long.
    pub fn sweep(&self) {
        for session in self.sessions.expired(self.host.now()) {
            self.clean_up(&session, "session_ended");
        }
    }

    /// Run one tool. Blocks until it is answered; every call has a bound.
    pub fn call(&self, call: &Call) -> Answer {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let mut answer = catch_unwind(AssertUnwindSafe(|| self.pipeline(call))).unwrap_or_else(|panic| {
            let id = format!("{:08x}", self.host.random() as u32);
            let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
            tracing::error!(id, tool = call.tool, panic = self.secrets.scrub_text(what), "a call panicked");
            Err(Refusal::new(Code::Fault, format!("The driver failed inside {}; fault {id}.", call.tool)).with("id", id))
        });
        self.secrets.scrub(&mut answer);
        self.busy.fetch_sub(1, Ordering::Relaxed);
        answer
    }

    /// Parse, session, bounds, then the tool's own file.
    fn pipeline(&self, call: &Call) -> Answer {
        let Some(spec) = tools::find(&call.tool) else { return Err(unknown(&call.tool)) };
        self.sweep();
        let mut args = match &call.arguments {
            Value::Object(o) => o.clone(),
            Value::Null => Map::new(),
            other => return Err(Refusal::new(Code::InvalidArguments, format!("The arguments must be an object, not {other}."))),
        };
        args.retain(|k, _| !k.starts_with('_'));
        let label = lift_session(&mut args)?;
        let session = self.sessions.of(call.client, label.as_deref(), spec.card.even_ended, self.host.now())?;
        let flight = InFlight::new(&session);
        let input = checked(spec);
        let mut arguments = Value::Object(legacy::translate(input, args)?);
        if let Err(refusal) = schema::check(input, &mut arguments) {
            return self.refused_early(spec, &session, call, arguments, refusal);
        }
        let run = self.run(spec, &session, label.is_some(), call, arguments);
        let answer = (spec.call)(&run, run.arguments.clone());
        flight.touch(self.host.now());
        if spec.card.effect != Effect::Look {
            let word = answer.as_ref().map_or_else(|r| r.code.word(), |r| if r.failed { "failed" } else { "ok" });
            self.tell(json!({"event": "call", "session": session.name(), "tool": spec.card.name, "outcome": word}));
        }
        answer
    }

    fn run<'a>(&'a self, spec: &'static Spec, session: &Arc<Session>, named: bool, call: &Call, arguments: Value) -> Run<'a> {
        let bound = call.timeout.unwrap_or(spec.card.bound).min(Duration::from_secs(3600));
        let mut ctx = Ctx::new(self.host.now() + bound, call.cancel.clone());
        ctx.owner = session.owner;
        let change = session.state().change.clone();
        let settings = Settings::kept(&self.host.config()).with(&change);
        Run { engine: self, spec, session: session.clone(), session_named: named, client: call.client, ctx, settings, progress: call.progress.clone(), moved: AtomicBool::new(false), arguments }
    }

    /// An act whose arguments were refused is a turn of a recording too.
    fn refused_early(&self, spec: &'static Spec, session: &Arc<Session>, call: &Call, arguments: Value, refusal: Refusal) -> Answer {
        if spec.card.effect == Effect::Act {
            let run = self.run(spec, session, false, call, arguments);
            let answer = Err(refusal);
            if let Some(turn) = self.records.begin(&run, None) {
                self.records.end(&run, turn, None, &answer);
            }
            return answer;
        }
        Err(refusal)
    }

    /// Sessions, recordings, clients and running calls, as `status` shows them.
    pub fn status(&self) -> Value {
        self.sweep();
        let sessions: Vec<Value> = self.sessions.all().iter().map(|s| tools::session_row(self, s)).collect();
        json!({
            "sessions": sessions,
            "recording": self.records.status(),
            "clients": self.sessions.clients(),
            "busy": self.busy.load(Ordering::Relaxed),
        })
    }

    /// Finalise recordings and let go of everything. `stopped` or `signal`.
    pub fn shutdown(&self, reason: &str) {
        self.records.shutdown(self, reason);
        let _ = self.desktop.release_held(&Ctx::lasting(Duration::from_millis(1000)), None);
    }

    /// What happens from now on. A listener that falls far behind is dropped.
    pub fn watch(&self) -> Receiver<Value> {
        let (send, receive) = sync_channel(FEED);
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner).push(send);
        receive
    }

    pub fn tell(&self, event: Value) {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner).retain(|f| f.try_send(event.clone()).is_ok());
    }
}

fn unknown(name: &str) -> Refusal {
    let nearest = desktop::nearest(name, tools::TOOLS.iter().map(|t| t.card.name));
    let hint = nearest.map_or_else(|| "List the tools for what there is.".to_owned(), |n| format!("Did you mean {n}?"));
    Refusal::new(Code::InvalidArguments, format!("There is no tool {name:?}.")).hint(hint).with("field", "tool")
}

fn lift_session(args: &mut Map<String, Value>) -> Result<Option<String>, Refusal> {
    match args.remove("session") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) if s.chars().count() <= 200 => Ok(Some(s)),
        Some(other) => Err(Refusal::new(Code::InvalidArguments, format!("`session`: {other} is not a label of at most 200 characters.")).with("field", "session")),
    }
}

/// The schema a tool's arguments are checked against, made once.
fn checked(spec: &'static Spec) -> &'static Value {
    use std::collections::HashMap;
    use std::sync::OnceLock;
    static SCHEMAS: OnceLock<HashMap<&'static str, Value>> = OnceLock::new();
    static EMPTY: Value = Value::Null;
    SCHEMAS.get_or_init(|| tools::TOOLS.iter().map(|t| (t.card.name, (t.input)())).collect()).get(spec.card.name).unwrap_or(&EMPTY)
}

/// The text of `proto/tools.json`.
pub fn tools_json() -> String {
    format!("{:#}\n", tools::catalogue())
}
