//! `start_session`, `end_session`, `get_session`, `list_sessions`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Card, Tool};
use crate::engine::Engine;
use crate::run::Run;
use crate::session::{IDLE, Session};
use crate::{Answer, Code, Refusal, Reply};

const fn card(name: &'static str, example: &'static str) -> Card {
    let mut c = Card::control(name, "sessions", example);
    c.even_ended = true;
    c
}

#[derive(Serialize, JsonSchema)]
pub struct SessionRow {
    /// null for a connection's own.
    session: Option<String>,
    implicit: bool,
    state: &'static str,
    client_kind: &'static str,
    recording_active: bool,
    idle_seconds: u64,
    expires_in_seconds: u64,
}

fn state(engine: &Engine, s: &Session) -> SessionRow {
    let inner = s.state();
    let idle = engine.host().now().saturating_duration_since(inner.used);
    SessionRow {
        session: s.label.clone(),
        implicit: s.label.is_none(),
        state: if inner.ended { "ended" } else { "active" },
        client_kind: s.kind.word(),
        recording_active: inner.recording,
        idle_seconds: idle.as_secs(),
        expires_in_seconds: IDLE.saturating_sub(idle).as_secs(),
    }
}

/// One session as `status` shows it.
pub fn session_row(engine: &Engine, s: &Session) -> Value {
    json!(state(engine, s))
}

/// Starts a labelled session, or revives one that ended. Labels group calls; without one each
/// connection has its own session.
#[derive(Deserialize, JsonSchema)]
pub struct StartSession {}

#[derive(Serialize, JsonSchema)]
pub struct StartOut {
    session: Option<String>,
    active: bool,
    revived: bool,
}

impl Tool for StartSession {
    const CARD: Card = card("start_session", r#"{"session":"research"}"#);
    type Out = StartOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let (session, revived) = match &run.session.label {
            Some(label) => {
                let (s, revived) = run.engine.sessions().start(label, run.session.kind, run.host().now());
                s.state().used = run.host().now();
                (Some(label.clone()), revived)
            }
            None => (None, false),
        };
        let name = run.session.name();
        Ok(Reply { text: format!("session {name} is active"), structured: json!(StartOut { session, active: true, revived }), ..Reply::default() })
    }
}

/// Ends a session: its tokens, held input and recording end with it.
#[derive(Deserialize, JsonSchema)]
pub struct EndSession {}

#[derive(Serialize, JsonSchema)]
pub struct EndOut {
    session: Option<String>,
    active: bool,
}

impl Tool for EndSession {
    const CARD: Card = {
        let mut c = card("end_session", r#"{"session":"research"}"#);
        c.even_ended = false;
        c
    };
    type Out = EndOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        if run.engine.sessions().end(&run.session) {
            run.engine.clean_up(&run.session, "session_ended");
        }
        let out = EndOut { session: run.session.label.clone(), active: false };
        Ok(Reply { text: format!("session {} has ended", run.session.name()), structured: json!(out), ..Reply::default() })
    }
}

/// This session.
#[derive(Deserialize, JsonSchema)]
pub struct GetSession {}

impl Tool for GetSession {
    const CARD: Card = {
        let mut c = Card::look("get_session", "sessions", "{}");
        c.even_ended = true;
        c
    };
    type Out = SessionRow;

    fn run(&self, run: &Run<'_>) -> Answer {
        let live = run.engine.sessions().all().iter().any(|s| s.owner == run.session.owner);
        let mut row = state(run.engine, &run.session);
        if !live && row.session.is_some() {
            row.state = "ended";
        }
        Ok(Reply { text: format!("session {} is {}", run.session.name(), row.state), structured: json!(row), ..Reply::default() })
    }
}

/// Every live session.
#[derive(Deserialize, JsonSchema)]
pub struct ListSessions {
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// next_cursor of the page before.
    #[schemars(length(max = 40))]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct ListOut {
    sessions: Vec<SessionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for ListSessions {
    const CARD: Card = {
        let mut c = Card::look("list_sessions", "sessions", "{}");
        c.even_ended = true;
        c
    };
    type Out = ListOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let from = match &self.cursor {
            None => 0,
            Some(c) => c.strip_prefix("o:").and_then(|n| n.parse::<usize>().ok()).ok_or_else(|| {
                Refusal::new(Code::InvalidArguments, format!("`cursor`: {c:?} is no next_cursor of list_sessions.")).with("field", "cursor")
            })?,
        };
        let limit = self.limit.unwrap_or(50);
        let all = run.engine.sessions().all();
        let sessions: Vec<SessionRow> = all.iter().skip(from).take(limit).map(|s| state(run.engine, s)).collect();
        let next_cursor = (from + limit < all.len()).then(|| format!("o:{}", from + limit));
        Ok(Reply { text: format!("{} sessions", all.len()), structured: json!(ListOut { sessions, next_cursor }), ..Reply::default() })
    }
}
