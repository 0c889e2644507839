//! Doing a recording again: find, wait for the ground, act once, compare.
//!
//! Owns: the walk over the steps, its pace, its answer. Changes nothing in the recording.

mod act;
mod compare;
mod find;
mod ground;
mod older;
mod reader;
mod structure;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use desktop::{Limits, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::compare::Difference;
use self::find::{Finder, Place};
use self::reader::{Recording, Step};
use crate::record::pixels::Rgb;
use crate::record::types::{Outcome, State};
use crate::run::Run;
use crate::tools::{self, Effect};
use crate::{Code, Refusal};

/// A state that comes a little later than the act's answer is waited for.
const LATE: Duration = Duration::from_millis(900);
/// Between two looks, at first and at most.
const AGAIN: Duration = Duration::from_millis(8);
const AGAIN_MOST: Duration = Duration::from_millis(60);
/// Targets of later turns may need the acts that a dry run leaves out.
const DRY_WAIT: Duration = Duration::from_millis(1500);

/// How a target is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Found again by what lasts.
    #[default]
    Durable,
    /// The recorded arguments as they are.
    Literal,
}

/// What is asked of a replay.
pub struct Plan {
    pub path: PathBuf,
    pub mode: Mode,
    pub dry_run: bool,
    pub stop_on_error: bool,
    pub from: Option<u32>,
    pub to: Option<u32>,
    pub delay: Option<Duration>,
    pub speed: Option<f64>,
    pub wait: Duration,
    pub parameters: BTreeMap<String, String>,
    pub secrets: BTreeMap<String, String>,
}

/// Between turns when nothing else is asked.
pub const DELAY: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    Drifted,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    Ok,
    Drifted,
    Failed,
    Skipped,
}

/// What became of one turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TurnOut {
    pub turn: u32,
    pub tool: String,
    pub status: TurnStatus,
    /// What found the target: id, path, role_name, neighbours, structure, point, window, application, none, literal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<Value>>,
    pub differences: Vec<Difference>,
    /// Since the replay began.
    pub started_ms: u64,
    pub duration_ms: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    pub ok: u32,
    pub drifted: u32,
    pub failed: u32,
    pub skipped: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayOut {
    pub status: Status,
    pub turns: Vec<TurnOut>,
    pub counts: Counts,
    pub dir: String,
    pub mode: Mode,
    pub dry_run: bool,
    pub duration_ms: u64,
}

/// Read, check, and walk. A refusal comes before the first act; after it the answer says what
/// became of each turn.
pub fn replay(run: &Run<'_>, plan: &Plan) -> Result<ReplayOut, Refusal> {
    let recording = Recording::open(&plan.path).map_err(|b| Refusal::new(Code::TrajectoryInvalid, format!("{b}; nothing was sent.")).with("path", plan.path.display().to_string()))?;
    let steps = chosen(&recording, plan)?;
    let steps = prepared(run, plan, &steps)?;
    let mut walk = Walk { run, plan, recording: &recording, finder: Finder::new(run.desktop()), began: run.host().now(), turns: Vec::new() };
    let cancelled = walk.go(&steps);
    Ok(walk.answer(cancelled))
}

/// The steps between `from` and `to`, each by a tool that is known.
fn chosen(recording: &Recording, plan: &Plan) -> Result<Vec<Step>, Refusal> {
    let last = recording.steps.len() as u32;
    let (from, to) = (plan.from.unwrap_or(1), plan.to.unwrap_or(last));
    for (field, n) in [("from", from), ("to", to)] {
        if n < 1 || n > last {
            return Err(Refusal::new(Code::InvalidArguments, format!("`{field}`: there is no turn {n}; the recording has turns 1 to {last}.")).with("field", field));
        }
    }
    if from > to {
        return Err(Refusal::new(Code::InvalidArguments, format!("`from`: {from} comes after to, {to}.")).with("field", "from"));
    }
    for s in &recording.steps {
        if tools::find(&s.tool).is_none() && !(recording.older && is_foreign_control(&s.tool)) {
            let why = format!("turn {}: there is no tool {:?}; nothing was sent.", s.turn, s.tool);
            return Err(Refusal::new(Code::TrajectoryInvalid, why).with("turn", s.turn));
        }
    }
    Ok(recording.steps.iter().filter(|s| (from..=to).contains(&s.turn)).cloned().collect())
}

/// Tools of the older driver that control the driver itself, not the desktop.
fn is_foreign_control(tool: &str) -> bool {
    ["agent_cursor", "session", "config", "recording", "history", "install_"].iter().any(|w| tool.contains(w))
}

/// Parameters filled in, secrets asked for: all that can be known before the first act.
fn prepared(run: &Run<'_>, plan: &Plan, steps: &[Step]) -> Result<Vec<Step>, Refusal> {
    let (mut missing, mut needed) = (Vec::new(), Vec::new());
    let mut out = Vec::with_capacity(steps.len());
    for s in steps {
        let mut step = s.clone();
        let mut arguments = Value::Object(std::mem::take(&mut step.arguments));
        act::fill(&mut arguments, &plan.parameters, &mut missing);
        if acts(&step) {
            act::redacted(&arguments, &mut needed);
        }
        step.arguments = match arguments {
            Value::Object(o) => o,
            _ => Map::new(),
        };
        if let Some(Ok(Value::Object(t))) = step.target.as_ref().map(serde_json::to_value) {
            let mut t = Value::Object(t);
            act::fill(&mut t, &plan.parameters, &mut missing);
            step.target = serde_json::from_value(t).ok();
        }
        // A secret that was typed by its name is asked for under the name it has today.
        if let Some(Value::String(name)) = step.arguments.get("secret")
            && let Some(today) = plan.secrets.get(name)
        {
            step.arguments.insert("secret".into(), Value::String(today.clone()));
        }
        out.push(step);
    }
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        return Err(Refusal::new(Code::InvalidArguments, format!("`parameters`: the recording asks for {}; nothing was sent.", missing.join(", "))).with("field", "parameters").with("missing", missing));
    }
    let unknown: Vec<String> = needed.iter().filter(|n| !plan.secrets.contains_key(*n)).cloned().collect();
    if !unknown.is_empty() && !plan.dry_run {
        return Err(act::required(&unknown));
    }
    // Whether the source knows them is found out now, not in the middle.
    if !plan.dry_run {
        for s in out.iter().filter(|s| acts(s)) {
            act::reveal(run, &mut Value::Object(s.arguments.clone()), &plan.secrets)?;
        }
    }
    Ok(out)
}

/// The step is done again: it was an act and was not refused.
fn acts(step: &Step) -> bool {
    step.outcome != Outcome::Refused && tools::find(&step.tool).is_some_and(|t| t.card.effect == Effect::Act)
}

/// The window after a turn, as it was recorded.
struct Was {
    state: Option<State>,
    picture: Option<Rgb>,
}

struct Walk<'w, 'r> {
    run: &'w Run<'r>,
    plan: &'w Plan,
    recording: &'w Recording,
    finder: Finder<'w>,
    began: std::time::Instant,
    turns: Vec<TurnOut>,
}

impl Walk<'_, '_> {
    /// Every step in order; true when it was cancelled.
    fn go(&mut self, steps: &[Step]) -> bool {
        let total = steps.len() as u64;
        let mut stopped = false;
        for (i, step) in steps.iter().enumerate() {
            if stopped || self.run.ctx.check().is_err() {
                self.skip(step, "the replay had stopped");
                continue;
            }
            self.run.report(i as u64, total, &format!("turn {}: {}", step.turn, step.tool));
            if !acts(step) {
                let why = if step.outcome == Outcome::Refused { "it was refused when it was recorded" } else { "it controls the driver, not the desktop" };
                self.skip(step, why);
                continue;
            }
            if i > 0 && self.pause(&steps[i - 1], step) {
                self.skip(step, "the replay was cancelled");
                continue;
            }
            let out = self.turn(step);
            stopped = out.status == TurnStatus::Failed && self.plan.stop_on_error;
            self.turns.push(out);
        }
        self.run.report(total, total, "done");
        self.run.ctx.cancel.is_cancelled()
    }

    /// Wait before a step; true when cancelled.
    fn pause(&self, before: &Step, step: &Step) -> bool {
        if self.plan.dry_run {
            return self.run.ctx.check().is_err();
        }
        let recorded = Duration::from_millis(step.start_ms.saturating_sub(before.end_ms));
        let time = match (self.plan.speed, self.plan.delay) {
            (Some(k), Some(d)) => d.div_f64(k),
            (Some(k), None) => recorded.div_f64(k),
            (None, d) => d.unwrap_or(DELAY),
        };
        !time.is_zero() && self.run.wait(time).is_err() || self.run.ctx.check().is_err()
    }

    fn ms(&self) -> u64 {
        self.run.host().now().saturating_duration_since(self.began).as_millis() as u64
    }

    fn blank(&self, step: &Step, status: TurnStatus) -> TurnOut {
        TurnOut {
            turn: step.turn,
            tool: step.tool.clone(),
            status,
            rung: None,
            code: None,
            message: step.remark.clone(),
            candidates: None,
            differences: Vec::new(),
            started_ms: self.ms(),
            duration_ms: 0,
        }
    }

    fn skip(&mut self, step: &Step, why: &str) {
        let mut out = self.blank(step, TurnStatus::Skipped);
        out.message = Some(why.into());
        self.turns.push(out);
    }

    fn turn(&mut self, step: &Step) -> TurnOut {
        let mut out = self.blank(step, TurnStatus::Ok);
        if let Err(r) = self.perform(step, &mut out) {
            out.status = TurnStatus::Failed;
            out.code = Some(r.code.word().into());
            out.message = Some(r.message.clone());
            out.candidates = r.details.get("candidates").and_then(Value::as_array).cloned();
        } else if !out.differences.is_empty() {
            out.status = TurnStatus::Drifted;
        }
        out.duration_ms = self.ms().saturating_sub(out.started_ms);
        out
    }

    /// Find, wait, act, compare.
    fn perform(&mut self, step: &Step, out: &mut TurnOut) -> Result<(), Refusal> {
        let wait = if self.plan.dry_run { self.plan.wait.min(DRY_WAIT) } else { self.plan.wait };
        let durable = self.plan.mode == Mode::Durable;
        let place = match step.target.as_ref().filter(|_| durable) {
            Some(t) => Some(ground::ready(self.run, &mut self.finder, t, wait, &|| self.recording.before(step.turn))?),
            None => {
                if durable && needs_target(step) {
                    let why = step.remark.clone().unwrap_or_else(|| "its target was not recorded".into());
                    return Err(Refusal::new(Code::ReplayTargetMissing, format!("The target cannot be found: {why}; nothing was sent.")));
                }
                None
            }
        };
        out.rung = Some(place.as_ref().map_or(if durable { "none" } else { "literal" }, |p| p.rung));
        if let Some(p) = &place {
            out.differences.extend(compare::target(step, p));
        }
        if self.plan.dry_run {
            return Ok(());
        }
        let mut arguments = Value::Object(step.arguments.clone());
        act::reveal(self.run, &mut arguments, &self.plan.secrets)?;
        let Value::Object(arguments) = arguments else { return Ok(()) };
        // What it is compared with is read while it acts.
        let compared = durable && place.as_ref().is_some_and(|p| p.window.is_some());
        let recording = self.recording;
        let (reply, was) = std::thread::scope(|s| {
            let was = compared.then(|| s.spawn(|| Was { state: recording.after(step.turn), picture: recording.picture(step.turn) }));
            let reply = act::once(self.run, step, arguments, place.as_ref(), step.target.as_ref());
            (reply, was.and_then(|w| w.join().ok()))
        });
        let reply = reply?;
        if reply.failed {
            return Err(Refusal::new(Code::Fault, reply.text));
        }
        let same = was.is_some_and(|was| self.compare(&was, place.as_ref(), out));
        // How an effect is proven depends on timing; a window that is as it was says more.
        if !same {
            out.differences.extend(compare::result(step, &reply.structured));
        }
        Ok(())
    }

    /// The window after the act; what is late is waited for. True when it was compared and is
    /// as it was.
    fn compare(&mut self, recorded: &Was, place: Option<&Place>, out: &mut TurnOut) -> bool {
        let Some(id) = place.and_then(|p| p.window.as_ref()).map(|w| w.id) else { return false };
        let Some(was) = &recorded.state else { return false };
        let end = self.run.host().now() + LATE;
        let mut pause = AGAIN;
        loop {
            let ctx = self.run.brief();
            let Ok(window) = self.run.desktop().window(&ctx, id) else {
                out.differences.push(Difference { what: "element", at: "window".into(), recorded: was.title.clone().into(), now: "closed".into() });
                return false;
            };
            let (picture, tree) = std::thread::scope(|s| {
                let picture = recorded.picture.is_some().then(|| s.spawn(|| self.run.desktop().capture(&ctx, &Source::Window(id))));
                let tree = self.run.desktop().tree(&ctx, id, &Limits::default());
                (picture.and_then(|p| p.join().ok()).and_then(Result::ok), tree)
            });
            let Ok(tree) = tree else { return false };
            let at = std::time::Instant::now();
            let has_tree = tree.nodes.len() > 1;
            let now = compare::now(&window, tree.clone(), self.run.engine.secrets());
            let mut found = compare::state(was, &now);
            let last = self.run.host().now() >= end || self.run.ctx.check().is_err();
            if let (Some(was), Some(now), true) = (&recorded.picture, picture, found.is_empty()) {
                found.extend(compare::picture(was, &Rgb::from(&now), has_tree));
            }
            if found.is_empty() || last {
                let same = found.is_empty() && has_tree;
                out.differences.extend(found);
                self.finder.saw(id, tree, at);
                return same;
            }
            if self.run.wait(pause).is_err() {
                return false;
            }
            pause = (pause * 2).min(AGAIN_MOST);
        }
    }

    fn answer(self, cancelled: bool) -> ReplayOut {
        let mut counts = Counts::default();
        for t in &self.turns {
            match t.status {
                TurnStatus::Ok => counts.ok += 1,
                TurnStatus::Drifted => counts.drifted += 1,
                TurnStatus::Failed => counts.failed += 1,
                TurnStatus::Skipped => counts.skipped += 1,
            }
        }
        let status = match (cancelled, counts.failed, counts.drifted) {
            (true, ..) => Status::Cancelled,
            (_, 1.., _) => Status::Failed,
            (_, _, 1..) => Status::Drifted,
            _ if self.run.ctx.check().is_err() => Status::Failed,
            _ => Status::Ok,
        };
        ReplayOut {
            status,
            counts,
            dir: self.plan.path.display().to_string(),
            mode: self.plan.mode,
            dry_run: self.plan.dry_run,
            duration_ms: self.ms(),
            turns: self.turns,
        }
    }
}

/// Its arguments name something that is gone.
fn needs_target(step: &Step) -> bool {
    ["window_id", "element_token", "element_index", "pid"].iter().any(|k| step.arguments.contains_key(*k))
}
