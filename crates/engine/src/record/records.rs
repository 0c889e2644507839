//! The recordings in progress, and the hooks of the pipeline.
//!
//! Owns: which act becomes a turn of which recording, and the order of looks and times around
//! it. No tool knows that it is recorded.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use desktop::{App, Cancel, Ctx, Node, Owner, Pid, WindowId};
use serde_json::{Value, json};

use super::after::{After, Afters, Unseen};
use super::learn;
use super::look::{self, Look};
use super::recording::Recording;
use super::subject::{self, Subject};
use super::types::{Action, EndReason, Line, Outcome};
use crate::aim::Aim;
use crate::engine::Engine;
use crate::run::Run;
use crate::session::Session;
use crate::time::rfc3339;
use crate::{Answer, Code};

/// An act that took this long has begun to show, if it shows at all.
const BEGUN: Duration = Duration::from_millis(100);
/// How long an act waits until the one before it was looked at.
const SEEN: Duration = Duration::from_millis(3000);
/// How long the end of a recording waits for that, and how long when the driver ends.
const SEEN_LAST: Duration = Duration::from_millis(3000);
const SEEN_AT_END: Duration = Duration::from_millis(500);
/// How long the driver waits for recordings that others end.
const END: Duration = Duration::from_millis(1500);
/// How long a start waits for the end of a recording in the same directory.
const ENDING: Duration = Duration::from_secs(10);
/// How long a video may take to be masked, and how long when the driver ends.
const MASK: Duration = Duration::from_secs(600);
const MASK_AT_END: Duration = Duration::from_millis(1200);

/// Recordings in progress. The pipeline calls these five and knows nothing else of recording.
#[derive(Default)]
pub struct Records {
    running: Mutex<Vec<Arc<Recording>>>,
    /// Those that are being ended.
    ending: Mutex<Vec<Arc<Recording>>>,
    /// Ended ones whose video is still being masked.
    masking: Arc<Mutex<Vec<Arc<Recording>>>>,
    /// Acts whose windows are still looked at.
    afters: Arc<Afters>,
    /// One start at a time: a session has one recording.
    starts: Mutex<()>,
    /// What is known of processes: asking is slow, and it stays so.
    apps: Mutex<HashMap<Pid, Option<App>>>,
    /// Directories that are being replayed.
    replayed: Arc<Mutex<Vec<PathBuf>>>,
}

/// A directory that nobody may record into, until this is dropped.
pub struct Shield {
    path: PathBuf,
    all: Arc<Mutex<Vec<PathBuf>>>,
}

impl Drop for Shield {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(i) = all.iter().position(|p| *p == self.path) {
            all.swap_remove(i);
        }
    }
}

/// A turn that was begun.
pub struct Turn {
    entries: Vec<Entry>,
    before: Arc<Look>,
    subject: Subject,
    field: Option<Node>,
    wall: SystemTime,
    began: Instant,
}

struct Entry {
    recording: Arc<Recording>,
    number: u32,
    start_ms: u64,
}

impl Records {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Recording>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before an act is handed to the desktop. `aim` is `None` when it was refused before its
    /// target was settled. What goes into a hidden field is learnt also when nothing records.
    pub fn begin(&self, run: &Run<'_>, aim: Option<&Aim>) -> Option<Turn> {
        // What was done before is looked at before anything else happens to it.
        let window = aim.and_then(|a| a.window.as_ref()).map(|w| w.id);
        let before_this = |a: &After| a.owner == run.session.owner || (window.is_some() && a.window == window);
        self.afters.settle(run.host(), SEEN.min(run.ctx.left()), &run.ctx.cancel, &before_this, "the next act began before the window was seen again");
        let fresh = self.afters.fresh(window, run.host());
        let field = aim.and_then(|a| learn::field(run, a));
        learn::from_act(run, field.as_ref(), run.engine.secrets());
        let wanting = self.wanting(run);
        if wanting.is_empty() {
            return None;
        }
        let before = fresh.unwrap_or_else(|| Arc::new(self.first_look(run, aim)));
        let subject = subject::of(run, aim, &before, field.as_ref());
        let now = run.host().now();
        let entries = wanting
            .into_iter()
            .map(|recording| {
                let (number, start_ms) = recording.log.begin(now, run.spec.card.name);
                recording.looked(&before, start_ms);
                Entry { recording, number, start_ms }
            })
            .collect();
        Some(Turn { entries, before, subject, field, wall: run.host().wall(), began: now })
    }

    /// Recordings that this act is a turn of. Those that are full end here.
    fn wanting(&self, run: &Run<'_>) -> Vec<Arc<Recording>> {
        let all = self.lock().clone();
        let mut out = Vec::new();
        for r in all {
            if !r.wants(run.session.owner) {
                r.left_out();
            } else if r.is_full(run.host().now()) {
                self.end_recording(run.engine, &r, EndReason::Limit, true);
            } else {
                out.push(r);
            }
        }
        out
    }

    fn first_look(&self, run: &Run<'_>, aim: Option<&Aim>) -> Look {
        match aim {
            Some(a) if a.desktop => look::desktop(run.desktop()),
            Some(a) => match &a.window {
                Some(w) => look::at(run.desktop(), w.id),
                None => Look::nothing("the act names no window"),
            },
            // It will be refused: the window it named, where that is there.
            None => match run.arguments.get("window_id").and_then(Value::as_u64) {
                Some(id) => look::at(run.desktop(), WindowId(id)),
                None => Look::nothing("no window was settled"),
            },
        }
    }

    /// The act has its answer.
    pub fn end(&self, run: &Run<'_>, turn: Turn, aim: Option<&Aim>, answer: &Answer) {
        let now = run.host().now();
        let word = outcome_word(answer);
        let ends: Vec<u64> = turn
            .entries
            .iter()
            .map(|e| e.recording.log.note_at(now, |t_ms| Line::TurnEnded { turn: e.number, t_ms, outcome: word.clone() }))
            .collect();
        let look = last_look(run, &turn, aim, answer);
        let secrets = run.engine.secrets();
        let (arguments, names) = learn::redacted(&run.arguments, turn.field.as_ref(), secrets);
        let Turn { entries, before, subject, wall, .. } = turn;
        let mut turns = Vec::with_capacity(entries.len());
        for (entry, end_ms) in entries.into_iter().zip(ends) {
            let mut arguments = arguments.clone();
            if run.spec.card.family == "clipboard" && !entry.recording.settings.record_clipboard {
                subject::hide_clipboard(&mut arguments);
            }
            let action = Action {
                tool: run.spec.card.name.into(),
                arguments,
                session: run.session.name(),
                pid: subject.pid,
                window_id: subject.window_id,
                target: subject.target.clone(),
                outcome: outcome(answer),
                result: result(answer),
                click_point: subject.click_point.clone(),
                timestamp: rfc3339(wall),
                t_start_ms: entry.start_ms,
                t_end_ms: end_ms,
                secrets: names.clone(),
            };
            turns.push(Unseen { recording: entry.recording, number: entry.number, action, before: before.clone(), mark: subject.mark });
        }
        let window = before.window.as_ref().map(|w| w.id);
        self.afters.begin(run.session.owner, window, turns, run.engine.shared_host(), look);
    }

    /// The recording of a session.
    pub fn of(&self, owner: Owner) -> Option<Arc<Recording>> {
        self.lock().iter().find(|r| r.holder().owner == owner).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Recording>> {
        self.lock().clone()
    }

    /// The application of a process.
    pub fn app_of(&self, run: &Run<'_>, ctx: &Ctx, pid: Pid) -> Option<App> {
        let mut known = self.apps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(app) = known.get(&pid) {
            return app.clone();
        }
        known.clear();
        for a in run.desktop().apps(ctx, false).unwrap_or_default() {
            if let Some(p) = a.pid {
                known.insert(p, Some(a));
            }
        }
        known.entry(pid).or_insert(None).clone()
    }

    /// Held while a recording is begun.
    pub fn starting(&self) -> MutexGuard<'_, ()> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn replaying(&self, path: PathBuf) -> Shield {
        self.replayed.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Shield { path, all: self.replayed.clone() }
    }

    pub fn is_replayed(&self, path: &std::path::Path) -> bool {
        self.replayed.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|p| p == path)
    }

    /// A recording began.
    pub fn add(&self, engine: &Engine, recording: Arc<Recording>) {
        set_recording(engine, recording.holder().owner, true);
        self.lock().push(recording);
    }

    /// Finalise a recording; false when it had ended. A video with secrets in it is masked
    /// beside, unless the driver itself ends.
    pub fn end_recording(&self, engine: &Engine, recording: &Arc<Recording>, reason: EndReason, beside: bool) -> bool {
        let was = {
            let mut running = self.lock();
            let n = running.len();
            running.retain(|r| !Arc::ptr_eq(r, recording));
            let was = running.len() < n;
            if was {
                self.ending.lock().unwrap_or_else(PoisonError::into_inner).push(recording.clone());
            }
            was
        };
        if !was {
            return false;
        }
        set_recording(engine, recording.holder().owner, false);
        let bound = if beside { SEEN_LAST } else { SEEN_AT_END };
        let seen = || self.afters.settle(engine.host(), bound, &Cancel::default(), &|a| a.is_of(recording), "the recording ended before the window was seen again");
        if recording.finish(engine.host(), reason, !beside, &seen) {
            if beside { self.mask_beside(engine, recording.clone()) } else { recording.mask(engine.desktop(), MASK_AT_END) }
        }
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).retain(|r| !Arc::ptr_eq(r, recording));
        engine.tell(json!({"event": "recording_ended", "session": recording.holder().label, "output_dir": recording.path(), "reason": reason}));
        true
    }

    fn mask_beside(&self, engine: &Engine, recording: Arc<Recording>) {
        self.masking.lock().unwrap_or_else(PoisonError::into_inner).push(recording.clone());
        let (desktop, masking, own) = (engine.shared_desktop(), self.masking.clone(), recording.clone());
        let spawned = std::thread::Builder::new().name("recording-mask".into()).spawn(move || {
            own.mask(&*desktop, MASK);
            masking.lock().unwrap_or_else(PoisonError::into_inner).retain(|r| !Arc::ptr_eq(r, &own));
        });
        if spawned.is_err() {
            recording.mask(engine.desktop(), MASK_AT_END);
            self.masking.lock().unwrap_or_else(PoisonError::into_inner).retain(|r| !Arc::ptr_eq(r, &recording));
        }
    }

    /// Directories of ended recordings whose video is still being masked.
    pub fn masking(&self) -> Vec<String> {
        self.still_masking().iter().map(|r| r.path().display().to_string()).collect()
    }

    fn is_ending(&self) -> bool {
        !self.ending.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Wait until no ended recording of this driver holds the directory; false when one still does.
    pub fn has_let_go(&self, run: &Run<'_>, path: &std::path::Path) -> bool {
        let holds = || {
            let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|r| r.path() == path);
            ending || self.still_masking().iter().any(|r| r.path() == path)
        };
        // A real thread lets go of it, in real time.
        let end = Instant::now() + ENDING.min(run.ctx.left());
        while holds() {
            if Instant::now() >= end || run.ctx.check().is_err() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    fn still_masking(&self) -> Vec<Arc<Recording>> {
        self.masking.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// `session_ended` or `client_gone`.
    pub fn session_ended(&self, engine: &Engine, session: &Session, reason: &str) {
        let reason = if reason == "client_gone" { EndReason::ClientGone } else { EndReason::SessionEnded };
        while let Some(r) = self.of(session.owner) {
            self.end_recording(engine, &r, reason, true);
        }
    }

    /// Finalise everything within 2 s.
    pub fn shutdown(&self, engine: &Engine, reason: &str) {
        let reason = if reason == "signal" { EndReason::Signal } else { EndReason::Stopped };
        std::thread::scope(|s| {
            for r in self.all() {
                s.spawn(move || self.end_recording(engine, &r, reason, false));
            }
        });
        // One whose client went at the same moment is being ended by another thread.
        let end = Instant::now() + END;
        while self.is_ending() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        let end = engine.host().now() + MASK_AT_END;
        while !self.masking().is_empty() && engine.host().now() < end {
            engine.host().wait(Duration::from_millis(20), &desktop::Cancel::default());
        }
        for r in self.still_masking() {
            r.remove_video("the driver ended before the video could be masked");
        }
    }

    /// The recordings in progress, and those whose video is still being masked, for `status`.
    pub fn status(&self) -> Value {
        let all: Vec<Value> = self.all().iter().chain(&self.still_masking()).map(|r| r.state()).collect();
        if all.is_empty() { Value::Null } else { json!(all) }
    }
}

/// How the window is looked at after the act. Runs beside the calls.
fn last_look(run: &Run<'_>, turn: &Turn, aim: Option<&Aim>, answer: &Answer) -> impl FnOnce() -> Look + Send + use<> {
    let (desktop, host) = (run.engine.shared_desktop(), run.engine.shared_host());
    let (whole, refused, before) = (aim.is_some_and(|a| a.desktop), answer.is_err(), turn.before.clone());
    let began = outcome_word(answer) == "confirmed" || host.now().saturating_duration_since(turn.began) >= BEGUN;
    move || {
        if whole {
            host.wait(Duration::from_millis(40), &Cancel::default());
            return look::desktop(&*desktop);
        }
        let Some(window) = &before.window else { return Look::nothing("the act names no window") };
        // A refused act has sent nothing: there is nothing to settle.
        if refused {
            return look::at(&*desktop, window.id);
        }
        look::settled(&*desktop, &*host, window.id, before.picture.as_ref().ok(), began)
    }
}

fn set_recording(engine: &Engine, owner: Owner, on: bool) {
    if let Some(s) = engine.sessions().all().iter().find(|s| s.owner == owner) {
        s.state().recording = on;
    }
}

fn outcome(answer: &Answer) -> Outcome {
    match answer {
        Ok(r) if r.failed => Outcome::Failed,
        Ok(_) => Outcome::Done,
        Err(r) if matches!(r.code, Code::Fault | Code::Timeout | Code::Cancelled | Code::AppNotAnswering) => Outcome::Failed,
        Err(_) => Outcome::Refused,
    }
}

/// The effect of a result, or the code of a refusal.
fn outcome_word(answer: &Answer) -> String {
    match answer {
        Ok(r) => r.structured.get("effect").and_then(Value::as_str).unwrap_or(if r.failed { "failed" } else { "done" }).to_owned(),
        Err(r) => r.code.word().to_owned(),
    }
}

fn result(answer: &Answer) -> Value {
    match answer {
        Ok(r) => r.structured.clone(),
        Err(r) => r.envelope(),
    }
}
