//! `press_key`, `hotkey`.

use desktop::{Act, Key, Modifiers};
use schemars::JsonSchema;
use serde::Deserialize;

use super::click::DeliveryMode;
use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, ElementArgs, PointArgs, Target, Ways, WindowArgs};
use crate::effect::{ActionResult, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::press::{self, Press};
use crate::proof::{self, Watch};
use crate::run::Run;
use crate::{Answer, Code, Refusal, typing};

/// Presses one key (return, tab, escape, up, f5, kp_enter, volumeup, or a character) in a window
/// or element.
#[derive(Deserialize, JsonSchema)]
pub struct PressKey {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    /// A point is clicked first.
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    #[schemars(length(min = 1, max = 40))]
    key: String,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifiers: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

/// Presses keys together, modifiers first: ["ctrl","s"].
#[derive(Deserialize, JsonSchema)]
pub struct Hotkey {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    /// A point is clicked first.
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    #[schemars(length(min = 2, max = 6))]
    keys: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifiers: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

fn key(word: &str, field: &str) -> Result<Key, Refusal> {
    word.parse::<Key>().map_err(|e| Refusal::new(Code::InvalidArguments, format!("`{field}`: {e}.")).with("field", field))
}

fn held(words: &[String], field: &str) -> Result<Modifiers, Refusal> {
    words
        .iter()
        .map(|w| w.parse::<desktop::Modifier>().map_err(|e| Refusal::new(Code::InvalidArguments, format!("`{field}`: {e}.")).with("field", field)))
        .collect()
}

impl PressKey {
    fn chord(&self) -> Result<(Key, Modifiers), Refusal> {
        Ok((key(&self.key, "key")?, held(&self.modifiers, "modifiers")?))
    }
}

impl Hotkey {
    fn chord(&self) -> Result<(Key, Modifiers), Refusal> {
        let Some((last, first)) = self.keys.split_last() else { return Err(Refusal::new(Code::InvalidArguments, "`keys`: is empty.")) };
        let modifiers = held(first, "keys")?.iter().chain(held(&self.modifiers, "modifiers")?.iter()).collect();
        Ok((key(last, "keys")?, modifiers))
    }
}

macro_rules! chords {
    ($tool:ident, $name:literal, $example:literal) => {
        impl Acting for $tool {
            const CARD: Card = Card::act($name, "keyboard", Reach::WindowOrDesktop, $example);
            type Out = Acted;

            fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
                self.chord()?;
                run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), point: self.point.clone(), target: self.target.as_ref() })
            }

            fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
                let (key, modifiers) = self.chord()?;
                chord(run, aim, key, modifiers, self.delivery_mode.unwrap_or_default().into())?.reply($name)
            }
        }
    };
}

chords!(PressKey, "press_key", r#"{"window_id":5678,"key":"return"}"#);
chords!(Hotkey, "hotkey", r#"{"window_id":5678,"keys":["ctrl","s"]}"#);

fn chord(run: &Run<'_>, aim: &Aim, key: Key, modifiers: Modifiers, mode: Mode) -> Result<ActionResult, Refusal> {
    if aim.point.is_some() {
        press::press(run, aim, &Press::plain(mode))?;
    }
    let window = aim.window.as_ref();
    if aim.desktop && mode != Mode::Foreground {
        return Err(Refusal::new(Code::BackgroundUnavailable, "Keys for the desktop go where the person's keyboard is; nothing was sent.")
            .with("escalation", serde_json::json!({"target": "foreground", "reason": "route_unavailable"})));
    }
    let _turn = press::lane(run, aim)?;
    let _front = press::foreground(run, mode, window)?;
    if let (Some(e), Some(w)) = (&aim.element, window) {
        press::usable(&e.node)?;
        typing::or_click(run, w, &e.node, mode, typing::focus_element(run, w, e, mode))?;
    }
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let mut watch = Watch::begin(run, window, aim.element.as_ref().map(|e| &e.node), &[]);
    let act = Act::Key { key, modifiers, window: window.map(|w| w.id) };
    let (route, _) = ladder::climb(run, ladder::routes(Kind::Keys, mode), |r| typing::send_keys(run, window, &act, r))?;
    let evidence = watch.seek(run, proof::BOUND, &proof::changed);
    Ok(ActionResult::proven(route, mode, &evidence))
}
