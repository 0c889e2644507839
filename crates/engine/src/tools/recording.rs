//! `start_recording`, `stop_recording`, `get_recording_state`, `replay_trajectory`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Card, Hints, Tool};
use crate::record::disk::DiskError;
use crate::record::recording::{Holder, Recording, StartError, Wanted};
use crate::record::store::{Onto, StoreError};
use crate::record::types::{EndReason, Settings, Whose};
use crate::replay::{self, Mode, Plan, ReplayOut, Status};
use crate::run::Run;
use crate::{Answer, Code, Refusal, Reply};

/// Records every act of this session from now on: pictures and elements before and after, the
/// target by what lasts, the result. For replay, comparison, review. Secrets are left out.
#[derive(Deserialize, JsonSchema)]
pub struct StartRecording {
    /// Absolute or ~/; made where it is not there.
    #[schemars(length(min = 1, max = 4096))]
    output_dir: String,
    /// Also a video of the display, recording.mp4.
    #[serde(default)]
    record_video: bool,
    #[schemars(range(min = 1, max = 60))]
    video_fps: Option<u32>,
    /// own (default): acts of this session; all: of every session.
    sessions: Option<Whose>,
    /// Go on in a directory that holds a recording.
    #[serde(default)]
    resume: bool,
    /// Remove the recording that the directory holds, and nothing else.
    #[serde(default)]
    overwrite: bool,
    /// Keep text that goes to the clipboard.
    #[serde(default)]
    record_clipboard: bool,
    /// Default 10000.
    #[schemars(range(min = 1, max = 99999))]
    max_turns: Option<u32>,
    /// Default 2 GiB.
    #[schemars(range(min = 1))]
    max_bytes: Option<u64>,
    /// Default 120.
    #[schemars(range(min = 1, max = 10080))]
    max_minutes: Option<u32>,
}

/// What is known of a recording. null where there is none.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub struct RecordingOut {
    recording: bool,
    output_dir: Value,
    next_turn: Value,
    video_active: bool,
    last_error: Value,
    turns: Option<u32>,
    video: Option<Value>,
    session: Option<String>,
    sessions: Option<String>,
    others_not_recorded: Option<u64>,
    trajectory_id: Option<String>,
    started_at: Option<String>,
    end_reason: Option<Value>,
    /// Recordings of other sessions.
    others: Option<Vec<Value>>,
    /// Ended recordings whose video is still being masked.
    masking: Option<Vec<String>>,
}

const CONTROL: Hints = Hints { destructive: false, idempotent: true, open_world: false };

impl Tool for StartRecording {
    const CARD: Card = Card { hints: CONTROL, ..Card::control("start_recording", "recording", r#"{"output_dir":"~/cua/run-1"}"#) };
    type Out = RecordingOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let accepted = run.host().now();
        let records = run.engine.records();
        if self.resume && self.overwrite {
            return Err(Refusal::new(Code::InvalidArguments, "`resume` and `overwrite` exclude each other.").with("field", "overwrite"));
        }
        let path = run.allowed(&self.output_dir)?;
        if !records.has_let_go(run, &path) {
            let at = path.display().to_string();
            return Err(Refusal::new(Code::RecordingLocked, format!("The video of the recording that ended in {at} is still being masked."))
                .hint("Ask get_recording_state until `masking` is empty, or record into another directory.")
                .with("output_dir", at));
        }
        let _one = records.starting();
        if let Some(r) = records.of(run.session.owner) {
            let at = r.path().display().to_string();
            return Err(Refusal::new(Code::RecordingActive, format!("This session records to {at} already.")).with("output_dir", at));
        }
        if records.is_replayed(&path) {
            return Err(Refusal::new(Code::PathNotAllowed, format!("{} is being replayed.", path.display())).hint("Record into another directory."));
        }
        let onto = if self.resume { Onto::Resume } else if self.overwrite { Onto::Overwrite } else { Onto::Refuse };
        let holder = Holder { owner: run.session.owner, label: run.session.name() };
        let wanted = Wanted { path, onto, settings: self.settings(&run.host().config()), holder };
        let recording = Recording::start(&run.engine.shared_desktop(), &run.engine.shared_host(), run.engine.secrets(), wanted, accepted).map_err(refuse)?;
        records.add(run.engine, recording.clone());
        let mut state = recording.state();
        let text = started(&recording, &state);
        extra(run, &recording, &mut state);
        Ok(Reply { text, structured: state, ..Reply::default() })
    }
}

impl StartRecording {
    /// What the call says, then the configuration, then the default.
    fn settings(&self, config: &Value) -> Settings {
        let kept = |k: &str| config.get("recording").and_then(|r| r.get(k)).and_then(Value::as_u64).filter(|n| *n > 0);
        Settings {
            record_video: self.record_video,
            video_fps: self.video_fps.unwrap_or(30),
            sessions: self.sessions.unwrap_or_default(),
            record_clipboard: self.record_clipboard,
            max_turns: self.max_turns.or(kept("max_turns").and_then(|n| u32::try_from(n).ok())).unwrap_or(10_000),
            max_bytes: self.max_bytes.or(kept("max_bytes")).unwrap_or(2 << 30),
            max_minutes: self.max_minutes.or(kept("max_minutes").and_then(|n| u32::try_from(n).ok())).unwrap_or(120),
        }
    }
}

fn started(r: &Recording, state: &Value) -> String {
    let mut text = format!("Recording to {}, next turn {}.", r.path().display(), state["next_turn"]);
    if r.was_interrupted() {
        text.push_str(" The recording before was interrupted: the driver that wrote it died.");
    }
    if r.settings.record_video {
        match (state["video_active"].as_bool(), state["last_error"].as_str()) {
            (Some(true), _) => text.push_str(" The video runs."),
            (_, why) => {
                let why = why.unwrap_or("no frame came in time");
                text.push_str(&format!(" There is no video: {why}. Turns are recorded."));
            }
        }
    }
    text
}

fn refuse(e: StartError) -> Refusal {
    let message = format!("{e}.");
    match e {
        StartError::Store(StoreError::HoldsRecording { path, turns, interrupted }) => Refusal::new(Code::RecordingExists, message)
            .with("output_dir", path.display().to_string())
            .with("turns", turns)
            .with("interrupted", interrupted),
        StartError::Store(StoreError::HoldsOther { path, .. }) => {
            Refusal::new(Code::PathNotAllowed, message).hint("Use a new or an empty directory.").with("path", path.display().to_string())
        }
        StartError::Store(StoreError::Locked { path }) => Refusal::new(Code::RecordingLocked, message).with("output_dir", path.display().to_string()),
        StartError::Store(StoreError::Foreign { path, .. }) => {
            Refusal::new(Code::TrajectoryInvalid, message).hint("Use another directory, or overwrite: true.").with("output_dir", path.display().to_string())
        }
        StartError::Store(StoreError::Disk(DiskError::Full { .. })) => Refusal::new(Code::PathNotAllowed, message).hint("Make room, or use a directory on another disk."),
        StartError::Store(StoreError::Disk(_)) => Refusal::new(Code::PathNotAllowed, message).hint("Use a new directory that this user may write to."),
        StartError::Thread(_) => Refusal::new(Code::Fault, message),
    }
}

/// Ends this session's recording: turns are written, the video is whole.
#[derive(Deserialize, JsonSchema)]
pub struct StopRecording {
    /// Names the recording; needed only for another session's.
    #[schemars(length(min = 1, max = 4096))]
    output_dir: Option<String>,
    /// Also another session's.
    #[serde(default)]
    take_over: bool,
}

impl Tool for StopRecording {
    const CARD: Card = Card { hints: CONTROL, ..Card::control("stop_recording", "recording", "{}") };
    type Out = RecordingOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let recording = self.which(run)?;
        let owner = run.session.owner;
        if recording.holder().owner != owner {
            recording.take_over(Holder { owner: recording.holder().owner, label: run.session.name() }, run.host().now());
        }
        run.engine.records().end_recording(run.engine, &recording, EndReason::Stopped, true);
        let mut state = recording.state();
        let mut text = format!("Recording stopped: {} turns in {}.", state["turns"], recording.path().display());
        if let Some(v) = state["video"]["path"].as_str().filter(|_| state["video"]["start_ms"].is_u64()) {
            text.push_str(&format!(" Video: {v}."));
        }
        if let Some(n) = state["others_not_recorded"].as_u64().filter(|n| *n > 0) {
            text.push_str(&format!(" {n} acts of other sessions were not recorded (sessions: \"all\" records them)."));
        }
        if let Some(e) = state["last_error"].as_str() {
            text.push_str(&format!(" Last error: {e}."));
        }
        extra(run, &recording, &mut state);
        Ok(Reply { text, structured: state, ..Reply::default() })
    }
}

impl StopRecording {
    fn which(&self, run: &Run<'_>) -> Result<Arc<Recording>, Refusal> {
        let records = run.engine.records();
        let own = records.of(run.session.owner);
        let Some(named) = &self.output_dir else {
            if let Some(r) = own {
                return Ok(r);
            }
            let mut others = records.all();
            return match (self.take_over, others.len()) {
                (true, 1) => Ok(others.remove(0)),
                (true, 2..) => Err(Refusal::new(Code::InvalidArguments, "Several recordings run; pass output_dir of the one to stop.")
                    .with("recordings", others.iter().map(|r| r.path().display().to_string()).collect::<Vec<_>>())),
                (_, n) => Err(not_recording(n)),
            };
        };
        let path = run.allowed(named)?;
        match records.all().into_iter().find(|r| r.path() == path) {
            Some(r) if self.take_over || r.holder().owner == run.session.owner => Ok(r),
            Some(r) => Err(Refusal::new(Code::RecordingNotOwner, format!("{} is recorded by session {:?}.", path.display(), r.holder().label)).with("session", r.holder().label)),
            None => Err(not_recording(records.all().len())),
        }
    }
}

fn not_recording(others: usize) -> Refusal {
    let r = Refusal::new(Code::NotRecording, "This session records nothing.");
    if others == 0 { r } else { r.hint(format!("{others} other sessions record; take_over: true stops another's.")) }
}

/// Says whether this session records, where to, and what went wrong.
#[derive(Deserialize, JsonSchema)]
pub struct GetRecordingState {}

impl Tool for GetRecordingState {
    const CARD: Card = Card::look("get_recording_state", "recording", "{}");
    type Out = RecordingOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let records = run.engine.records();
        if let Some(r) = records.of(run.session.owner) {
            let mut state = r.state();
            extra(run, &r, &mut state);
            let text = format!("Recording to {}, next turn {}.", r.path().display(), state["next_turn"]);
            return Ok(Reply { text, structured: state, ..Reply::default() });
        }
        let mut state = json!({"recording": false, "output_dir": null, "next_turn": null, "video_active": false, "last_error": null});
        state["others"] = others(run, None);
        state["masking"] = json!(records.masking());
        Ok(Reply { text: "Not recording.".into(), structured: state, ..Reply::default() })
    }
}

/// What other recordings there are, and what still goes on.
fn extra(run: &Run<'_>, own: &Arc<Recording>, state: &mut Value) {
    state["others"] = others(run, Some(own));
    state["masking"] = json!(run.engine.records().masking());
}

fn others(run: &Run<'_>, own: Option<&Arc<Recording>>) -> Value {
    let all = run.engine.records().all();
    let rows = all.iter().filter(|r| own.is_none_or(|o| !Arc::ptr_eq(o, r)));
    Value::Array(rows.map(|r| json!({"session": r.holder().label, "output_dir": r.path()})).collect())
}

/// Does a recording again: finds each target by what lasts, waits for it, acts once, compares.
/// Stops at the first turn that fails unless stop_on_error is false.
#[derive(Deserialize, JsonSchema)]
pub struct ReplayTrajectory {
    /// The recording's directory.
    #[schemars(length(min = 1, max = 4096))]
    dir: String,
    /// Pause between turns; default 500.
    #[schemars(range(max = 10000))]
    delay_ms: Option<u32>,
    stop_on_error: Option<bool>,
    /// durable (default): targets are found again; literal: arguments are sent as recorded.
    mode: Option<Mode>,
    /// Find everything, act on nothing.
    #[serde(default)]
    dry_run: bool,
    /// First turn.
    from: Option<u32>,
    /// Last turn.
    to: Option<u32>,
    /// How long each target is waited for; default 10000.
    #[schemars(range(max = 60000))]
    wait_ms: Option<u32>,
    /// Pauses as recorded, divided by this; with delay_ms that pause divided by it.
    #[schemars(range(min = 0.01, max = 1000.0))]
    speed: Option<f64>,
    /// Values for {{name}} in recorded text.
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    /// For each secret the recording left out: its name in the secret source. Never values.
    #[serde(default)]
    secrets: BTreeMap<String, String>,
}

impl Tool for ReplayTrajectory {
    const CARD: Card = {
        let mut c = Card::control("replay_trajectory", "recording", r#"{"dir":"~/cua/run-1"}"#);
        c.hints = Hints { destructive: true, idempotent: false, open_world: true };
        c.bound = Duration::from_secs(3600);
        c
    };
    type Out = ReplayOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let path = run.allowed(&self.dir)?;
        let records = run.engine.records();
        if let Some(r) = records.all().iter().find(|r| r.path() == path) {
            return Err(Refusal::new(Code::RecordingActive, format!("{} is being recorded by session {:?}.", path.display(), r.holder().label)).hint("Stop that recording first, or record into another directory."));
        }
        let plan = Plan {
            path: path.clone(),
            mode: self.mode.unwrap_or_default(),
            dry_run: self.dry_run,
            stop_on_error: self.stop_on_error.unwrap_or(true),
            from: self.from,
            to: self.to,
            delay: self.delay_ms.map(|ms| Duration::from_millis(ms.into())),
            speed: self.speed,
            wait: Duration::from_millis(self.wait_ms.unwrap_or(10_000).into()),
            parameters: self.parameters.clone(),
            secrets: self.secrets.clone(),
        };
        let _shield = records.replaying(path);
        let out = replay::replay(run, &plan)?;
        Ok(Reply { text: summary(&out), failed: matches!(out.status, Status::Failed | Status::Cancelled), structured: json!(out), ..Reply::default() })
    }
}

fn summary(out: &ReplayOut) -> String {
    let word = json!(out.status);
    let c = out.counts;
    let mut text = format!("Replay {}: {} ok, {} drifted, {} failed, {} skipped.", word.as_str().unwrap_or_default(), c.ok, c.drifted, c.failed, c.skipped);
    for t in out.turns.iter().filter(|t| t.code.is_some() || !t.differences.is_empty()).take(12) {
        let what = match (&t.code, &t.message) {
            (Some(code), message) => format!("{code}: {}", message.as_deref().unwrap_or_default()),
            _ => t.differences.iter().take(3).map(|d| format!("{} {}: {} -> {}", d.what, d.at, d.recorded, d.now)).collect::<Vec<_>>().join("; "),
        };
        text.push_str(&format!("\nturn {} {}: {what}", t.turn, t.tool));
    }
    text
}
