//! From the folders of a recording to steps that can be done again.
//!
//! Owns: telling a whole recording from anything else, before the first act. Reads only plain
//! files inside the directory, of bounded size. Refuses to own: finding, acting, comparing.

use std::path::Path;

use serde_json::{Map, Value};

use super::older;
use crate::record::disk::{Dir, DiskError, Kind};
use crate::record::pixels::{self, Rgb};
use crate::record::store::{SESSION, turn_name, turn_number};
use crate::record::types::{Action, Outcome, SCHEMA, SCHEMA_VERSION, State, Target};

const MAX_JSON: u64 = 8 << 20;
const MAX_STATE: u64 = 64 << 20;
const MAX_PICTURE: u64 = 64 << 20;
const MAX_PIXELS: usize = 256 << 20;
const MAX_ENTRIES: usize = 200_000;

/// Why it is no recording that can be replayed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct Broken {
    /// File or folder.
    pub at: String,
    pub why: String,
}

impl Broken {
    pub fn new(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self { at: at.into(), why: why.into() }
    }
}

/// One act to do again.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub turn: u32,
    pub tool: String,
    pub arguments: Map<String, Value>,
    pub target: Option<Target>,
    pub outcome: Outcome,
    /// What was known of it when it was recorded.
    pub effect: Option<String>,
    pub start_ms: u64,
    pub end_ms: u64,
    /// How far an older layout lets it be found again.
    pub remark: Option<String>,
}

#[derive(Debug)]
pub struct Recording {
    dir: Dir,
    pub steps: Vec<Step>,
    /// Of a driver that keeps no targets.
    pub older: bool,
}

impl Recording {
    /// Read and check everything that is needed before the first act.
    pub fn open(path: &Path) -> Result<Self, Broken> {
        let shown = path.display().to_string();
        let dir = Dir::open(path).map_err(|e| Broken::new(&shown, said(&e)))?;
        let names = dir.list(MAX_ENTRIES).map_err(|e| Broken::new(&shown, said(&e)))?;
        let mut turns = Vec::new();
        for (name, kind) in &names {
            let Some(n) = turn_number(name) else { continue };
            if *kind != Kind::Dir {
                return Err(Broken::new(name, "is a link or a file, not a turn's folder"));
            }
            turns.push(n);
        }
        turns.sort_unstable();
        if turns.is_empty() {
            return Err(Broken::new(&shown, "holds no turns; it is not a recording"));
        }
        for (i, n) in turns.iter().enumerate() {
            let due = i as u32 + 1;
            if *n != due {
                return Err(Broken::new(turn_name(due), if *n < due { "is there twice" } else { "is missing" }));
            }
        }
        let (older, counted) = layout(&dir)?;
        if let Some(due) = turns.last().map(|last| last + 1).filter(|due| u64::from(*due) <= counted) {
            return Err(Broken::new(turn_name(due), format!("is missing: {SESSION} counts {counted} turns")));
        }
        let steps = turns.iter().map(|n| step(&dir, *n, older)).collect::<Result<_, _>>()?;
        Ok(Self { dir, steps, older })
    }

    /// The state after a turn, where it was kept and can be read.
    pub fn after(&self, turn: u32) -> Option<State> {
        let bytes = self.dir.sub(&turn_name(turn)).ok()?.read("app_state.json", MAX_STATE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The state before a turn.
    pub fn before(&self, turn: u32) -> Option<State> {
        let bytes = self.dir.sub(&turn_name(turn)).ok()?.read("before_state.json", MAX_STATE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The picture after a turn.
    pub fn picture(&self, turn: u32) -> Option<Rgb> {
        let bytes = self.dir.sub(&turn_name(turn)).ok()?.read("screenshot.png", MAX_PICTURE).ok()?;
        pixels::decode(&bytes, MAX_PIXELS)
    }
}

fn said(e: &DiskError) -> String {
    match e {
        DiskError::Missing { .. } => "is not there".into(),
        DiskError::Kind { due, .. } => format!("is not {due}"),
        DiskError::TooLarge { size, max, .. } => format!("has {size} bytes, more than {max}"),
        e => e.to_string(),
    }
}

fn json(dir: &Dir, shown: &str, name: &str, max: u64) -> Result<Value, Broken> {
    let at = if shown.is_empty() { name.to_owned() } else { format!("{shown}/{name}") };
    let bytes = dir.read(name, max).map_err(|e| Broken::new(&at, said(&e)))?;
    serde_json::from_slice(&bytes).map_err(|e| Broken::new(&at, format!("is not JSON ({e})")))
}

/// Whether it is of the older layout, and how many turns it is to have, where that is kept; an
/// unknown version is an error.
fn layout(dir: &Dir) -> Result<(bool, u64), Broken> {
    if matches!(dir.kind(SESSION), Ok(None)) {
        return Ok((true, 0));
    }
    let session = json(dir, "", SESSION, MAX_JSON)?;
    let version = session.get("schema_version");
    match session.get("schema") {
        None if session.is_object() && version.is_none_or(|v| *v == Value::from(1)) => Ok((true, 0)),
        Some(s) if s == SCHEMA && version == Some(&Value::from(SCHEMA_VERSION)) => Ok((false, session.get("turns").and_then(Value::as_u64).unwrap_or(0))),
        other => {
            let said = |v: Option<&Value>| v.map_or_else(|| "none".to_owned(), Value::to_string);
            Err(Broken::new(SESSION, format!("is schema {} version {}; this driver reads {SCHEMA:?} version {SCHEMA_VERSION}", said(other), said(version))))
        }
    }
}

fn step(dir: &Dir, turn: u32, older: bool) -> Result<Step, Broken> {
    let name = turn_name(turn);
    let sub = dir.sub(&name).map_err(|e| Broken::new(&name, said(&e)))?;
    let action = json(&sub, &name, "action.json", MAX_JSON)?;
    let at = format!("{name}/action.json");
    if older {
        let state = json(&sub, &name, "before_state.json", MAX_STATE).ok();
        let size = sub.read("before.png", MAX_PICTURE).ok().and_then(|b| older::png_size(&b));
        return older::step(turn, &action, state.as_ref(), size).map_err(|why| Broken::new(at, why));
    }
    let a: Action = serde_json::from_value(action).map_err(|e| Broken::new(&at, format!("does not fit the schema ({e})")))?;
    if a.t_end_ms < a.t_start_ms {
        return Err(Broken::new(at, "ends before it begins"));
    }
    Ok(Step {
        turn,
        effect: a.result.get("effect").and_then(Value::as_str).map(str::to_owned),
        tool: a.tool,
        arguments: a.arguments,
        target: a.target,
        outcome: a.outcome,
        start_ms: a.t_start_ms,
        end_ms: a.t_end_ms,
        remark: None,
    })
}
