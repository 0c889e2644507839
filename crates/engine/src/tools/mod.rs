//! Every tool in a file of its own, and the one list of them.
//!
//! A tool declares its arguments as a type whose doc comment is the published text, its effect,
//! reach and hints, and what it does. Validation, listing, recording and locking follow.

mod apps;
mod click;
mod clipboard;
mod config;
mod desktop_state;
mod drag;
mod health;
mod keys;
mod list;
mod menu;
mod move_cursor;
mod placing;
mod recording;
mod scroll;
mod select_option;
mod sessions;
mod set_value;
mod type_text;
mod verify;
mod window_state;
mod zoom;

use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::aim::Aim;
use crate::effect::ActionResult;
use crate::run::Run;
use crate::{Answer, Code, Refusal, schema};

/// What a call does to the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads.
    Look,
    /// Changes the desktop: recorded, guarded, one actor at a time.
    Act,
    /// Changes the driver: sessions, settings, recordings.
    Control,
}

impl Effect {
    const fn word(self) -> &'static str {
        match self {
            Effect::Look => "look",
            Effect::Act => "act",
            Effect::Control => "control",
        }
    }
}

/// How much of the desktop a tool can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    None,
    Window,
    WindowOrDesktop,
}

impl Reach {
    const fn word(self) -> &'static str {
        match self {
            Reach::None => "none",
            Reach::Window => "window",
            Reach::WindowOrDesktop => "window_or_desktop",
        }
    }
}

/// MCP's hints, the same on every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

/// What a tool is, apart from its types.
#[derive(Clone, Copy)]
pub struct Card {
    pub name: &'static str,
    pub family: &'static str,
    pub effect: Effect,
    pub reach: Reach,
    pub hints: Hints,
    /// Arguments of an example call, as JSON.
    pub example: &'static str,
    /// The longest the tool may take by itself.
    pub bound: Duration,
    /// Answers also in a session that has ended.
    pub even_ended: bool,
}

pub const LOOK: Hints = Hints { destructive: false, idempotent: true, open_world: false };
pub const ACT: Hints = Hints { destructive: true, idempotent: false, open_world: true };
pub const MILD: Hints = Hints { destructive: false, idempotent: true, open_world: false };
pub const BOUND: Duration = Duration::from_secs(30);

impl Card {
    pub const fn look(name: &'static str, family: &'static str, example: &'static str) -> Self {
        Self { name, family, effect: Effect::Look, reach: Reach::None, hints: LOOK, example, bound: BOUND, even_ended: false }
    }

    pub const fn act(name: &'static str, family: &'static str, reach: Reach, example: &'static str) -> Self {
        Self { name, family, effect: Effect::Act, reach, hints: ACT, example, bound: BOUND, even_ended: false }
    }

    pub const fn control(name: &'static str, family: &'static str, example: &'static str) -> Self {
        Self { name, family, effect: Effect::Control, reach: Reach::None, hints: MILD, example, bound: BOUND, even_ended: false }
    }
}

/// A tool that reads, or changes only the driver.
pub trait Tool: DeserializeOwned + JsonSchema {
    const CARD: Card;
    /// Its result.
    type Out: JsonSchema;
    fn run(&self, run: &Run<'_>) -> Answer;
}

/// A tool that changes the desktop. Its target is settled before anything is sent.
pub trait Acting: DeserializeOwned + JsonSchema {
    const CARD: Card;
    type Out: JsonSchema;
    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal>;
    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer;
}

/// One tool as the pipeline and the catalogue see it.
pub struct Spec {
    pub card: Card,
    pub input: fn() -> Value,
    pub output: fn() -> Value,
    pub call: fn(&Run<'_>, Value) -> Answer,
}

const fn tool<T: Tool>() -> Spec {
    Spec {
        card: T::CARD,
        input: schema::of::<T>,
        output: output_of::<T::Out>,
        call: |run, args| parse::<T>(args)?.run(run),
    }
}

const fn acting<T: Acting>() -> Spec {
    Spec { card: T::CARD, input: schema::of::<T>, output: output_of::<T::Out>, call: act::<T> }
}

fn parse<T: DeserializeOwned>(args: Value) -> Result<T, Refusal> {
    T::deserialize(&args).map_err(|e| misfit::<T>(&args, &e.to_string()))
}

/// What the schema lets through and the type does not take: the argument without which the type
/// says something else.
fn misfit<T: DeserializeOwned>(args: &Value, why: &str) -> Refusal {
    let all = args.as_object().into_iter().flatten();
    let guilty = all.map(|(name, _)| name).find(|name| {
        let mut rest = args.clone();
        rest.as_object_mut().map(|o| o.remove(*name));
        T::deserialize(&rest).err().is_none_or(|e| e.to_string() != why)
    });
    let bound = "expected u32";
    let why = if why.ends_with(bound) { why.replace(bound, &format!("expected 0 to {}", u32::MAX)) } else { why.to_owned() };
    match guilty {
        Some(name) => Refusal::new(Code::InvalidArguments, format!("`{name}`: {why}.")).with("field", name.as_str()),
        None => Refusal::new(Code::InvalidArguments, format!("The arguments do not fit: {why}.")),
    }
}

/// The before and after of every act.
fn act<T: Acting>(run: &Run<'_>, args: Value) -> Answer {
    let parsed: T = match parse(args) {
        Ok(p) => p,
        Err(r) => return recorded(run, None, || Err(r)),
    };
    match parsed.aim(run) {
        Ok(aim) => recorded(run, Some(&aim), || parsed.act(run, &aim)),
        Err(r) => recorded(run, None, || Err(r)),
    }
}

fn recorded(run: &Run<'_>, aim: Option<&Aim>, f: impl FnOnce() -> Answer) -> Answer {
    let turn = run.engine.records().begin(run, aim);
    let mut answer = f();
    if answer.is_err() {
        // Whatever an act left down when it failed is let go before anybody hears of it.
        let _ = run.desktop().release_held(&desktop::Ctx::lasting(Duration::from_millis(500)), Some(run.ctx.owner));
    }
    if let Some(turn) = turn {
        run.engine.secrets().scrub(&mut answer);
        run.engine.records().end(run, turn, aim, &answer);
    }
    answer
}

fn output_of<T: JsonSchema>() -> Value {
    let mut s = schema::out::<T>();
    if let Some(o) = s.as_object_mut() {
        o.remove("description");
    }
    s
}

/// Every tool, in the order of the catalogue.
pub static TOOLS: &[Spec] = &[
    tool::<list::ListWindows>(),
    tool::<window_state::GetWindowState>(),
    tool::<list::ListApps>(),
    tool::<desktop_state::GetDesktopState>(),
    tool::<desktop_state::GetScreenSize>(),
    tool::<desktop_state::GetCursorPosition>(),
    tool::<zoom::Zoom>(),
    tool::<verify::VerifyState>(),
    tool::<verify::WaitFor>(),
    acting::<click::Click>(),
    acting::<click::DoubleClick>(),
    acting::<click::RightClick>(),
    acting::<drag::Drag>(),
    acting::<scroll::Scroll>(),
    acting::<move_cursor::MoveCursor>(),
    acting::<type_text::TypeText>(),
    acting::<keys::PressKey>(),
    acting::<keys::Hotkey>(),
    acting::<set_value::SetValue>(),
    acting::<select_option::SelectOption>(),
    acting::<menu::InvokeMenu>(),
    acting::<placing::SetWindowFrame>(),
    acting::<placing::SetWindowState>(),
    acting::<placing::BringToFront>(),
    acting::<apps::LaunchApp>(),
    acting::<apps::KillApp>(),
    tool::<clipboard::ClipboardRead>(),
    acting::<clipboard::ClipboardWrite>(),
    tool::<recording::StartRecording>(),
    tool::<recording::StopRecording>(),
    tool::<recording::GetRecordingState>(),
    tool::<recording::ReplayTrajectory>(),
    tool::<sessions::StartSession>(),
    tool::<sessions::EndSession>(),
    tool::<sessions::GetSession>(),
    tool::<sessions::ListSessions>(),
    tool::<config::GetConfig>(),
    tool::<config::SetConfig>(),
    tool::<health::CheckPermissions>(),
    tool::<health::HealthReport>(),
];

pub fn find(name: &str) -> Option<&'static Spec> {
    TOOLS.iter().find(|t| t.card.name == name)
}

/// The input schema as it is published: with `session`, without the root's description.
pub fn published(spec: &Spec) -> (String, Value) {
    let mut s = (spec.input)();
    let text = s.as_object_mut().and_then(|o| o.remove("description")).and_then(|d| d.as_str().map(str::to_owned)).unwrap_or_default();
    s["properties"]["session"] = json!({"type": "string", "maxLength": 200});
    (text, s)
}

/// The text of `proto/tools.json`: every tool with its schemas and hints.
pub fn catalogue() -> Value {
    let tools: Vec<Value> = TOOLS
        .iter()
        .map(|t| {
            let (text, input) = published(t);
            let c = &t.card;
            json!({
                "name": c.name,
                "description": text,
                "family": c.family,
                "effect": c.effect.word(),
                "reach": c.reach.word(),
                "input_schema": input,
                "output_schema": (t.output)(),
                "annotations": {
                    "readOnlyHint": c.effect == Effect::Look,
                    "destructiveHint": c.hints.destructive,
                    "idempotentHint": c.hints.idempotent,
                    "openWorldHint": c.hints.open_world,
                },
                "example": serde_json::from_str::<Value>(c.example).unwrap_or_default(),
            })
        })
        .collect();
    let codes: Vec<Value> = Code::ALL.iter().map(|c| json!({"code": c.word(), "hint": c.hint()})).collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "tools": tools, "refusals": codes})
}

pub use sessions::session_row;

/// The result type of actions, for tools that answer nothing else.
pub type Acted = ActionResult;
