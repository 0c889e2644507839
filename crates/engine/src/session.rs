//! Sessions: what belongs to one client or one label.
//!
//! A session owns its snapshots, pictures, overrides and held input. A label groups calls and
//! gives no authority.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Owner, WindowId};

use crate::config::Change;
use crate::picture::Frame;
use crate::snapshot::Snapshots;
use crate::{ClientId, ClientKind, Code, Refusal};

/// How long a session may be idle.
pub const IDLE: Duration = Duration::from_secs(300);

/// Label of the session that the command line's calls share.
pub const CLI: &str = "cli";

pub struct Session {
    /// Differs between any two sessions of an engine.
    pub owner: Owner,
    /// `None`: the implicit session of one connection.
    pub label: Option<String>,
    pub kind: ClientKind,
    pub began: Instant,
    in_flight: AtomicUsize,
    inner: Mutex<State>,
}

/// What a session remembers.
pub struct State {
    pub snapshots: Snapshots,
    /// Births of windows as they were listed to this session.
    pub listed: HashMap<WindowId, u64>,
    /// The last picture of each window, and of the desktop.
    pub pictures: HashMap<WindowId, Frame>,
    pub desktop_picture: Option<Frame>,
    pub change: Change,
    pub used: Instant,
    pub ended: bool,
    pub recording: bool,
}

impl Session {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn busy(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Its label, or a word for a session without one.
    pub fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| format!("implicit-{}", self.owner.0))
    }
}

/// A call in a session: it cannot expire meanwhile.
pub struct InFlight(Arc<Session>);

impl InFlight {
    pub fn new(session: &Arc<Session>) -> Self {
        session.in_flight.fetch_add(1, Ordering::Relaxed);
        Self(session.clone())
    }

    /// The session stays in use from now on.
    pub fn touch(&self, now: Instant) {
        self.0.state().used = now;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Client {
    kind: ClientKind,
    label: Option<String>,
    implicit: Option<Arc<Session>>,
}

/// All sessions of an engine.
pub struct Sessions {
    next: AtomicU64,
    seed: u32,
    inner: Mutex<Registry>,
}

#[derive(Default)]
struct Registry {
    clients: HashMap<ClientId, Client>,
    labelled: HashMap<String, Arc<Session>>,
    /// Labels that were ended; `start_session` revives them.
    tombs: HashSet<String>,
}

impl Sessions {
    /// `seed` is where snapshot ids begin: random, so that a token of an earlier run meets nothing.
    pub fn new(seed: u32) -> Self {
        Self { next: AtomicU64::new(1), seed, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn connect(&self, kind: ClientKind, label: Option<&str>) -> ClientId {
        let id = ClientId(self.next.fetch_add(1, Ordering::Relaxed));
        self.lock().clients.insert(id, Client { kind, label: label.and_then(meant), implicit: None });
        id
    }

    /// The connection ended; answers its implicit session, to be cleaned up.
    pub fn disconnect(&self, client: ClientId) -> Option<Arc<Session>> {
        let session = self.lock().clients.remove(&client)?.implicit?;
        session.state().ended = true;
        Some(session)
    }

    pub fn clients(&self) -> usize {
        self.lock().clients.len()
    }

    fn make(&self, label: Option<String>, kind: ClientKind, now: Instant) -> Arc<Session> {
        let owner = Owner(self.next.fetch_add(1, Ordering::Relaxed));
        // Far apart, so that ids of two sessions do not meet either.
        let seed = self.seed.wrapping_add((owner.0 as u32).wrapping_mul(0x9E37_79B1));
        Arc::new(Session {
            owner,
            label,
            kind,
            began: now,
            in_flight: AtomicUsize::new(0),
            inner: Mutex::new(State {
                snapshots: Snapshots::new(seed),
                listed: HashMap::new(),
                pictures: HashMap::new(),
                desktop_picture: None,
                change: Change::default(),
                used: now,
                ended: false,
                recording: false,
            }),
        })
    }

    /// The session of a call. `label` is what the call says, which goes before what the client
    /// said. An ended label is refused unless `even_ended`.
    pub fn of(&self, client: ClientId, label: Option<&str>, even_ended: bool, now: Instant) -> Result<Arc<Session>, Refusal> {
        let mut all = self.lock();
        let (kind, own) = match all.clients.get(&client) {
            Some(c) => (c.kind, c.label.clone()),
            None => return Err(Refusal::new(Code::SessionEnded, "The connection of this call has ended.").hint("Connect again.")),
        };
        let Some(label) = label.and_then(meant).or(own) else {
            let c = all.clients.get_mut(&client);
            if let Some(live) = c.as_ref().and_then(|c| c.implicit.clone()).filter(|s| !s.state().ended) {
                return Ok(live);
            }
            let fresh = self.make(None, kind, now);
            if let Some(c) = c {
                c.implicit = Some(fresh.clone());
            }
            return Ok(fresh);
        };
        if all.tombs.contains(&label) && !even_ended {
            return Err(Refusal::new(Code::SessionEnded, format!("Session {label:?} has ended."))
                .hint(format!("Revive it with start_session {{\"session\": {label:?}}}, or use another label.")));
        }
        if let Some(live) = all.labelled.get(&label) {
            return Ok(live.clone());
        }
        let fresh = self.make(Some(label.clone()), kind, now);
        if !all.tombs.contains(&label) {
            all.labelled.insert(label, fresh.clone());
        }
        Ok(fresh)
    }

    /// Bring a label (back) to life; true when it had ended.
    pub fn start(&self, label: &str, kind: ClientKind, now: Instant) -> (Arc<Session>, bool) {
        let mut all = self.lock();
        let revived = all.tombs.remove(label);
        let session = all.labelled.entry(label.to_owned()).or_insert_with(|| self.make(Some(label.to_owned()), kind, now)).clone();
        (session, revived)
    }

    /// End a session; answers false when it had ended before.
    pub fn end(&self, session: &Arc<Session>) -> bool {
        let mut all = self.lock();
        if let Some(label) = &session.label {
            all.labelled.remove(label);
            all.tombs.insert(label.clone());
        }
        let mut state = session.state();
        !std::mem::replace(&mut state.ended, true)
    }

    /// Take out what was idle too long; the caller cleans up after each.
    pub fn expired(&self, now: Instant) -> Vec<Arc<Session>> {
        let mut all = self.lock();
        let implicit = all.clients.values_mut().filter_map(|c| c.implicit.take_if(|s| idle(s, now))).collect::<Vec<_>>();
        let labels: Vec<String> = all.labelled.iter().filter(|(_, s)| idle(s, now)).map(|(l, _)| l.clone()).collect();
        let mut out = implicit;
        for l in labels {
            out.extend(all.labelled.remove(&l));
            // The command line's label is nobody's to end: it begins afresh.
            if l != CLI {
                all.tombs.insert(l);
            }
        }
        for s in &out {
            s.state().ended = true;
        }
        out
    }

    /// Every live session, labelled ones first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        let all = self.lock();
        let mut out: Vec<_> = all.labelled.values().cloned().collect();
        out.sort_by(|a, b| a.label.cmp(&b.label));
        let mut implicit: Vec<_> = all.clients.values().filter_map(|c| c.implicit.clone()).filter(|s| !s.state().ended).collect();
        implicit.sort_by_key(|s| s.owner.0);
        out.extend(implicit);
        out
    }
}

fn idle(s: &Session, now: Instant) -> bool {
    let state = s.state();
    s.busy() == 0 && !state.recording && now.saturating_duration_since(state.used) > IDLE
}

/// `""` and `default` mean no label.
fn meant(label: &str) -> Option<String> {
    (!label.is_empty() && label != "default").then(|| label.to_owned())
}
