//! What a recording is on disk: every file's fields.
//!
//! Owns: names, shapes, units and the version of the format. Refuses to own: reading, writing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub const SCHEMA: &str = "cua-trajectory";
/// Raised when a reader of the older version would misread the newer.
pub const SCHEMA_VERSION: u32 = 1;

/// `session.json`: written at the start, replaced atomically.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Always `cua-trajectory`.
    pub schema: String,
    pub schema_version: u32,
    /// UUID, ordered by time.
    pub trajectory_id: String,
    pub actor: Actor,
    pub driver: Driver,
    pub os: Os,
    #[serde(default)]
    pub display: Option<Screen>,
    /// UTC, ISO-8601.
    pub started_at: String,
    /// Missing while it records, and after a crash.
    #[serde(default)]
    pub ended_at: Option<String>,
    #[serde(default)]
    pub end_reason: Option<EndReason>,
    /// Label of the session that recorded.
    pub session: String,
    pub settings: Settings,
    /// Whole turns in this directory.
    pub turns: u32,
    /// Acts of other sessions that this recording left out.
    pub others_not_recorded: u64,
    /// Turns that could not be written, with the reason.
    #[serde(default)]
    pub lost_turns: BTreeMap<u32, String>,
    /// Bytes written for turns.
    pub bytes: u64,
    /// The first video, where one was asked for.
    #[serde(default)]
    pub video: Option<VideoFile>,
    /// Every video, in order: a resumed recording goes on in a file of its own.
    #[serde(default)]
    pub videos: Vec<VideoFile>,
    /// One entry from each start to its end.
    pub parts: Vec<Part>,
    /// The last thing that went wrong.
    #[serde(default)]
    pub last_error: Option<String>,
}

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    AgentActs,
    Human,
    AgentRun,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Driver {
    pub name: String,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Os {
    /// `linux`, `windows`, `macos`.
    pub platform: String,
    /// `x11`, `wayland`, …
    pub backend: String,
    /// Processor architecture.
    pub arch: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Screen {
    pub name: String,
    pub width: u32,
    pub height: u32,
    pub scale: f64,
}

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    Stopped,
    SessionEnded,
    ClientGone,
    Signal,
    Limit,
    /// The driver died; found out by the next one.
    Interrupted,
}

/// Whose acts become turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    #[default]
    Own,
    All,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    pub record_video: bool,
    pub video_fps: u32,
    pub sessions: Whose,
    pub record_clipboard: bool,
    pub max_turns: u32,
    pub max_bytes: u64,
    pub max_minutes: u32,
}

/// One video file. Its time 0 is `start_ms` on the recording's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VideoFile {
    /// Name inside the directory.
    pub path: String,
    pub fps: u32,
    /// Width and height of the frames.
    pub size: [u32; 2],
    /// Measured time of the first frame; null when none came.
    #[serde(default)]
    pub start_ms: Option<u64>,
    /// When it was stopped, on the same clock.
    #[serde(default)]
    pub end_ms: Option<u64>,
    /// Why it ended early or is missing.
    #[serde(default)]
    pub error: Option<String>,
    /// `none`: nothing to hide; `pending`: being masked; `done`; `removed`: could not be masked.
    #[serde(default)]
    pub masking: Masking,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Masking {
    #[default]
    None,
    Pending,
    Done,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    pub started_at: String,
    #[serde(default)]
    pub ended_at: Option<String>,
    #[serde(default)]
    pub end_reason: Option<EndReason>,
    /// The clock at its start, in milliseconds.
    pub start_ms: u64,
    /// Number of the first turn it could write.
    pub first_turn: u32,
    /// What an earlier crash left here, kept and never taken for turns.
    #[serde(default)]
    pub leftovers: Vec<String>,
}

/// One line of `events.jsonl`. `t_ms` is milliseconds since the recording was accepted and never
/// goes back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Line {
    TurnBegun { turn: u32, t_ms: u64, tool: String },
    /// `outcome`: the effect of the result, or the code of the refusal.
    TurnEnded { turn: u32, t_ms: u64, outcome: String },
    /// Where a pointer is, in pixels of the screen.
    Cursor { t_ms: u64, x: i32, y: i32, agent: bool },
    /// Nothing is known between `from_ms` and `t_ms`.
    Gap { t_ms: u64, from_ms: u64, reason: String },
    /// Another session took the recording over.
    TookOver { t_ms: u64, by: String },
    /// The person moved or pressed something.
    HumanInput {
        t_ms: u64,
        what: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        x: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        y: Option<i32>,
    },
    Error {
        t_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<u32>,
        message: String,
    },
}

/// `action.json` of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    pub tool: String,
    /// As given; secrets are references: `{"redacted": true, "name": …}`.
    pub arguments: Map<String, Value>,
    /// Label of the session that acted.
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// How to find it again in another process.
    #[serde(default)]
    pub target: Option<Target>,
    pub outcome: Outcome,
    /// The public result, or the refusal `{code, message, hint, details}`.
    pub result: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub click_point: Option<ClickPoint>,
    /// Wall clock at `t_start_ms`, UTC, ISO-8601.
    pub timestamp: String,
    /// The act was handed to the desktop, after the picture before.
    pub t_start_ms: u64,
    /// Its result was known, before the picture after.
    pub t_end_ms: u64,
    /// Names of secrets whose values the turn used; never values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran; `result` says what is known of it.
    Done,
    Refused,
    /// It ran and did not come through.
    Failed,
}

/// Where a click went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClickPoint {
    /// Pixels of `picture`.
    pub x: f64,
    pub y: f64,
    pub space: Space,
    /// The picture that the point lies in.
    pub picture: String,
    /// Where pixel 0,0 of the picture lies on the screen.
    pub window_origin: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    Window,
    Screen,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct At {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    pub width: u32,
    pub height: u32,
}

/// What was acted on, by what lasts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    #[serde(default)]
    pub addressed: Addressed,
    #[serde(default)]
    pub app: Option<AppTarget>,
    #[serde(default)]
    pub window: Option<WindowTarget>,
    #[serde(default)]
    pub element: Option<ElementTarget>,
    #[serde(default)]
    pub point: Option<PointTarget>,
    /// Where a drag ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Spot>,
    /// Native pixels per logical unit of the application.
    #[serde(default)]
    pub scale: Option<f64>,
}

/// How the caller named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Addressed {
    /// An element.
    Element,
    /// A point of the window; `element` is what lay there.
    Point,
    /// The window; `element` is what had its focus.
    #[default]
    Window,
    /// A point of the desktop; window and element are what lay there.
    Desktop,
    /// The application.
    App,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    #[serde(default)]
    pub element: Option<ElementTarget>,
    #[serde(default)]
    pub point: Option<PointTarget>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppTarget {
    pub name: String,
    #[serde(default)]
    pub desktop_id: Option<String>,
    #[serde(default)]
    pub executable: Option<String>,
    #[serde(default)]
    pub wm_class: Option<String>,
    #[serde(default)]
    pub wm_instance: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowTarget {
    pub title: String,
    #[serde(default)]
    pub role: Option<String>,
    /// `normal`, `dialog`, `popup`, `utility`, `chrome`.
    pub kind: String,
    pub size: Extent,
    /// Where it was; says nothing about where it will be.
    pub origin: At,
    /// Which of the application's windows of this kind and title it was, from 0.
    pub index: u32,
    /// How many there were.
    pub of: u32,
    pub unique: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ElementTarget {
    pub role: String,
    #[serde(default)]
    pub raw_role: String,
    pub name: String,
    /// It had a text value; not which.
    #[serde(default)]
    pub has_value: bool,
    /// It was on the screen, not scrolled away or on a hidden page.
    #[serde(default)]
    pub showing: bool,
    #[serde(default)]
    pub automation_id: Option<String>,
    /// From the window's child down to the parent of the element.
    #[serde(default)]
    pub path: Vec<Step>,
    /// Only where role and name fitted others too.
    #[serde(default)]
    pub neighbours: Neighbours,
    /// Which of these fitted this element alone when it was recorded.
    #[serde(default)]
    pub unique: Unique,
}

/// Role and name of an element on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    pub role: String,
    #[serde(default)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbours {
    #[serde(default)]
    pub before: Option<Step>,
    #[serde(default)]
    pub after: Option<Step>,
    /// Texts of labels and named elements inside the nearest container that has any others.
    #[serde(default)]
    pub around: Vec<Step>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unique {
    pub automation_id: bool,
    pub path: bool,
    pub role_name: bool,
    pub neighbours: bool,
}

/// A point by what it lies in. Fractions are of the size at record time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointTarget {
    /// Native pixels from the top left of the window, and its size.
    pub window: Offset,
    /// The same in the element, where there is one.
    #[serde(default)]
    pub element: Option<Offset>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Offset {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// `before_state.json` and `app_state.json`: what `get_window_state` tells, without its picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    #[serde(default)]
    pub pid: Option<u32>,
    #[serde(default)]
    pub window_id: Option<u64>,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub bounds: Option<Bounds>,
    pub element_count: u32,
    /// Nothing was left out.
    #[serde(default)]
    pub elements_complete: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded_reason: Option<String>,
    pub tree_markdown: String,
    #[serde(default)]
    pub elements: Vec<Element>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// One row of a state. What is empty or false is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Element {
    pub element_index: u32,
    pub role: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// Pixels of the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_index: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    pub x: i32,
    pub y: i32,
    pub w: u32,
    pub h: u32,
}

/// `evidence.json`: what of a turn is there, and why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    pub before: Proof,
    pub before_state: Proof,
    pub screenshot: Proof,
    pub app_state: Proof,
    pub click: Proof,
    /// The window was still changing when the bound for settling was reached.
    #[serde(default)]
    pub unsettled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Regions that were covered because a secret lies there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub masked_regions: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Captured,
    Unavailable,
    NotApplicable,
    Redacted,
}

impl Proof {
    pub fn captured() -> Self {
        Self { status: Status::Captured, why: None, masked_regions: 0 }
    }

    pub fn missing(status: Status, why: impl Into<String>) -> Self {
        Self { status, why: Some(why.into()), masked_regions: 0 }
    }
}

/// A value that was left out of what is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Redacted {
    /// Always true.
    pub redacted: bool,
    /// What `secrets` of a replay maps to a name in the secret source.
    pub name: String,
}

/// Every file of a recording by its name, for `proto/trajectory.json`.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Trajectory {
    /// `session.json`
    session: Session,
    /// A line of `events.jsonl`
    event: Line,
    /// `turn-NNNNN/action.json`
    action: Action,
    /// `turn-NNNNN/before_state.json` and `turn-NNNNN/app_state.json`
    state: State,
    /// `turn-NNNNN/evidence.json`
    evidence: Evidence,
    /// In place of a secret value in `arguments`
    redacted: Redacted,
}

/// The text of `proto/trajectory.json`.
pub fn trajectory_schema() -> String {
    let mut schema = schemars::schema_for!(Trajectory).to_value();
    schema["title"] = "cua-trajectory".into();
    schema["description"] = "The files of a recording. Unknown fields are to be ignored.".into();
    schema["version"] = SCHEMA_VERSION.into();
    schema["examples"] = serde_json::json!([super::example::files()]);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
