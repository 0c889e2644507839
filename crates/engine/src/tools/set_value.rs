//! `set_value`.

use std::time::{Duration, Instant};

use desktop::{Act, DesktopError, Key, Modifier, Modifiers, Node, Route, States, Window};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, Element, ElementArgs, Ways, WindowArgs};
use crate::choice::{self, Wanted};
use crate::effect::{ActionResult, Effect, EscalationReason, EscalationTarget, EvidenceKind, Mode};
use crate::press::{self, Press};
use crate::run::Run;
use crate::{Answer, Code, Refusal, role, typing, view};

/// Sets the value of a field, slider, spin button, check box (true, false) or combo box, and reads
/// it back. Never by pixels.
#[derive(Deserialize, JsonSchema)]
pub struct SetValue {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[schemars(length(max = 1_000_000))]
    value: String,
}

impl Acting for SetValue {
    const CARD: Card = {
        let mut c = Card::act("set_value", "keyboard", Reach::Window, r#"{"element_token":"s0123abcd:13","value":"Ada"}"#);
        c.hints.idempotent = true;
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        let aim = run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), ..Ways::default() })?;
        if aim.element.is_none() {
            return Err(Refusal::new(Code::InvalidArguments, "`element_token`: is required.").with("field", "element_token"));
        }
        Ok(aim)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let (Some(e), window) = (&aim.element, aim.window()?) else {
            return Err(Refusal::new(Code::InvalidArguments, "`element_token`: is required."));
        };
        press::usable(&e.node)?;
        if e.node.has(States::SECRET) {
            run.engine.secrets().learn(&self.value);
        }
        let role = role::of(&e.node);
        let done = match role {
            "checkbox" | "switch" | "menuitemcheckbox" | "radio" => self.check(run, aim, e)?,
            "combobox" if !e.node.editable_text && !e.node.has(States::EDITABLE) => {
                let _turn = press::lane(run, aim)?;
                choice::choose(run, window, e, &Wanted::Label(self.value.clone()))?
            }
            _ if e.node.range.is_some() => self.number(run, aim, window, e)?,
            _ => self.text(run, aim, window, e)?,
        };
        done.reply("set_value")
    }
}

impl SetValue {
    fn wrong(&self, what: &str) -> Refusal {
        Refusal::new(Code::InvalidArguments, format!("`value`: {} is {what}; nothing was sent.", view::quoted(&self.value))).with("field", "value")
    }

    fn check(&self, run: &Run<'_>, aim: &Aim, e: &Element) -> Result<ActionResult, Refusal> {
        let on = match self.value.to_lowercase().as_str() {
            "true" | "1" | "on" | "yes" | "checked" => true,
            "false" | "0" | "off" | "no" | "unchecked" => false,
            _ => return Err(self.wrong("neither true nor false")),
        };
        if e.node.has(States::CHECKED) == on {
            return Ok(ActionResult::proven(Route::Accessibility, Mode::NotApplicable, &[EvidenceKind::StateReadback]));
        }
        press::press(run, aim, &Press::plain(Mode::Background))
    }

    fn number(&self, run: &Run<'_>, aim: &Aim, window: &Window, e: &Element) -> Result<ActionResult, Refusal> {
        let _turn = press::lane(run, aim)?;
        let want: f64 = self.value.trim().parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(|| self.wrong("not a number"))?;
        let range = e.node.range.unwrap_or(desktop::Range { min: f64::MIN, max: f64::MAX, now: 0.0, step: 0.0 });
        if range.max > range.min && (want < range.min || want > range.max) {
            return Err(self.wrong(&format!("outside {} to {}", view::number(range.min), view::number(range.max))));
        }
        let act = Act::SetNumber { node: e.key.clone(), value: want };
        run.desktop().perform(&run.brief(), &act, Route::Accessibility).map_err(|x| run.no_window(x, window))?;
        let near = (range.step.abs() / 2.0).max(1e-6);
        let now = settle(run, e, |n| n.range.is_some_and(|r| (r.now - want).abs() <= near));
        Ok(verdict(&e.node, now.as_ref(), now.as_ref().and_then(|n| n.range).is_some_and(|r| (r.now - want).abs() <= near), Route::Accessibility))
    }

    fn text(&self, run: &Run<'_>, aim: &Aim, window: &Window, e: &Element) -> Result<ActionResult, Refusal> {
        typing::writable(&e.node)?;
        if !e.node.editable_text && !e.node.has(States::EDITABLE) {
            return Err(Refusal::new(Code::UnsupportedOnPlatform, format!("{} {} holds no value that can be set; nothing was sent.", role::of(&e.node), view::quoted(&e.node.name)))
                .hint("Use click, select_option or type_text on it."));
        }
        if !e.node.has(States::MULTI_LINE) && self.value.contains('\n') {
            return Err(self.wrong("more than one line, and the field holds one"));
        }
        let _turn = press::lane(run, aim)?;
        let read = || run.desktop().text(&run.ctx.at_most(Duration::from_millis(500)), &e.key).ok();
        let before = read();
        let act = Act::SetText { node: e.key.clone(), text: self.value.clone() };
        let route = match run.desktop().perform(&run.brief(), &act, Route::Accessibility) {
            Ok(_) => Route::Accessibility,
            Err(DesktopError::NotOffered(_) | DesktopError::Unsupported(_) | DesktopError::CannotReach { .. }) => self.retype(run, window, e)?,
            Err(x) => return Err(run.no_window(x, window)),
        };
        let unproven = ActionResult::new(Effect::Unverifiable, route, Mode::Background);
        let long = |text: &str| text.chars().count();
        // Of a hidden text only the length is seen: one that was as long before proves nothing.
        if e.node.has(States::SECRET) && before.as_deref().is_none_or(|b| long(b) == long(&self.value)) {
            return Ok(unproven);
        }
        let right = |t: &str| if e.node.has(States::SECRET) { long(t) == long(&self.value) } else { t == self.value };
        let end = Instant::now() + Duration::from_millis(1200).min(run.ctx.left());
        loop {
            match read() {
                Some(t) if right(&t) => return Ok(ActionResult::proven(route, Mode::Background, &[EvidenceKind::ValueReadback])),
                None if Instant::now() >= end => return Ok(unproven),
                Some(t) if Instant::now() >= end => {
                    // What the application made something else of has not been left alone.
                    let effect = if before.as_ref() == Some(&t) { Effect::SuspectedNoop } else { Effect::Unverifiable };
                    return Ok(ActionResult::new(effect, route, Mode::Background).escalate(EscalationTarget::Foreground, EscalationReason::EffectUnconfirmed));
                }
                _ => run.wait(Duration::from_millis(8))?,
            }
        }
    }

    /// Fields whose accessibility takes no text (web pages): all of it selected and typed over.
    fn retype(&self, run: &Run<'_>, window: &Window, e: &Element) -> Result<Route, Refusal> {
        typing::focus_element(run, window, e, Mode::Background)?;
        let all = Act::Key { key: Key::Char('a'), modifiers: Modifiers::from_iter([Modifier::Control]), window: Some(window.id) };
        let end = if self.value.is_empty() {
            Act::Key { key: Key::Named("BackSpace"), modifiers: Modifiers::NONE, window: Some(window.id) }
        } else {
            Act::Text { text: self.value.clone(), window: Some(window.id) }
        };
        let _seat = run.engine.lane().enter(crate::lane::Slot::Seat, &run.ctx)?;
        let routes = crate::ladder::routes(crate::ladder::Kind::Keys, Mode::Background);
        let (route, _) = crate::ladder::climb(run, routes, |r| typing::send_keys(run, Some(window), &all, r))?;
        run.desktop().perform(&run.ctx, &end, route).map_err(|x| run.no_window(x, window))?;
        Ok(route)
    }
}

/// Read the element until it is as wanted, or half a second is over.
fn settle(run: &Run<'_>, e: &Element, wanted: impl Fn(&Node) -> bool) -> Option<Node> {
    let end = Instant::now() + Duration::from_millis(600).min(run.ctx.left());
    loop {
        let now = run.desktop().read(&run.ctx.at_most(Duration::from_millis(300)), &e.key).ok();
        if now.as_ref().is_some_and(&wanted) || Instant::now() >= end || run.wait(Duration::from_millis(8)).is_err() {
            return now;
        }
    }
}

fn verdict(before: &Node, now: Option<&Node>, right: bool, route: Route) -> ActionResult {
    match now {
        _ if right => ActionResult::proven(route, Mode::Background, &[EvidenceKind::ValueReadback]),
        None => ActionResult::new(Effect::Unverifiable, route, Mode::Background),
        Some(n) if n.range == before.range && n.value == before.value => {
            ActionResult::new(Effect::SuspectedNoop, route, Mode::Background).escalate(EscalationTarget::Pixel, EscalationReason::SuspectedNoop)
        }
        Some(_) => ActionResult::new(Effect::Unverifiable, route, Mode::Background).escalate(EscalationTarget::Pixel, EscalationReason::EffectUnconfirmed),
    }
}
