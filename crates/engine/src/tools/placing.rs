//! `set_window_frame`, `set_window_state`, `bring_to_front`.

use std::time::{Duration, Instant};

use desktop::{DesktopError, Placement, Rect, Route, Window};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, WindowArgs};
use crate::effect::{ActionResult, Effect, EvidenceKind, Mode};
use crate::press;
use crate::run::Run;
use crate::{Answer, Code, Refusal};

/// Pixels that a window may be off and still be where it was asked to be.
const NEAR: u32 = 2;

/// Moves and sizes a window: its client area, in screen pixels.
#[derive(Deserialize, JsonSchema)]
pub struct SetWindowFrame {
    #[serde(flatten)]
    window: WindowArgs,
    #[schemars(range(min = -32768, max = 32767))]
    x: i32,
    #[schemars(range(min = -32768, max = 32767))]
    y: i32,
    #[schemars(range(min = 1, max = 32767))]
    width: u32,
    #[schemars(range(min = 1, max = 32767))]
    height: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    Minimized,
    Maximized,
    Restored,
    Closed,
}

/// Minimises, maximises, restores or closes a window.
#[derive(Deserialize, JsonSchema)]
pub struct SetWindowState {
    #[serde(flatten)]
    window: WindowArgs,
    state: StateWord,
}

/// Raises a window and makes it active, for good.
#[derive(Deserialize, JsonSchema)]
pub struct BringToFront {
    #[serde(flatten)]
    window: WindowArgs,
}

const fn card(name: &'static str, example: &'static str) -> Card {
    let mut c = Card::act(name, "windows", Reach::Window, example);
    c.hints.destructive = false;
    c.hints.idempotent = true;
    c
}

fn aim(run: &Run<'_>, w: &WindowArgs) -> Result<Aim, Refusal> {
    Ok(Aim { window: Some(run.aim_window(w)?), ..Aim::default() })
}

/// Place it, then read it until it is as wanted or a second is over. `None`: the window closed.
fn place(run: &Run<'_>, aim: &Aim, p: Placement, bound: Duration, wanted: impl Fn(Option<&Window>) -> bool) -> Result<(bool, Option<Window>), Refusal> {
    let window = aim.window()?;
    let _turn = press::lane(run, aim)?;
    run.desktop().place(&run.ctx.at_most(Duration::from_secs(3)), window.id, p).map_err(|e| run.no_window(e, window))?;
    let end = Instant::now() + bound.min(run.ctx.left());
    loop {
        let now = match run.desktop().window(&run.brief(), window.id) {
            Ok(w) => Some(w).filter(|w| w.birth == window.birth),
            Err(DesktopError::WindowGone(_)) => None,
            Err(e) => return Err(run.no_window(e, window)),
        };
        let right = wanted(now.as_ref());
        if right || Instant::now() >= end {
            return Ok((right, now));
        }
        run.wait(Duration::from_millis(10))?;
    }
}

fn result(right: bool, changed: bool, mode: Mode) -> ActionResult {
    if right {
        return ActionResult::proven(Route::System, mode, &[EvidenceKind::WindowChange]);
    }
    ActionResult::new(if changed { Effect::Unverifiable } else { Effect::SuspectedNoop }, Route::System, mode)
}

impl Acting for SetWindowFrame {
    const CARD: Card = card("set_window_frame", r#"{"pid":1234,"window_id":5678,"x":100,"y":80,"width":800,"height":600}"#);
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        aim(run, &self.window)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let want = Rect::new(self.x, self.y, self.width, self.height);
        let near = |w: &Window| {
            let b = w.bounds;
            b.x.abs_diff(want.x) <= NEAR && b.y.abs_diff(want.y) <= NEAR && b.w.abs_diff(want.w) <= NEAR && b.h.abs_diff(want.h) <= NEAR
        };
        let (right, now) = place(run, aim, Placement::Bounds(want), Duration::from_millis(800), |w| w.is_some_and(near))?;
        let was = aim.window()?.bounds;
        let mut reply = result(right, now.as_ref().is_some_and(|w| w.bounds != was), Mode::Background).reply("set_window_frame")?;
        if let Some(w) = now.filter(|_| !right) {
            reply.text.push_str(&format!("; the window is {}x{} at {},{} (its application or window manager decides)", w.bounds.w, w.bounds.h, w.bounds.x, w.bounds.y));
        }
        Ok(reply)
    }
}

impl Acting for SetWindowState {
    const CARD: Card = {
        let mut c = card("set_window_state", r#"{"window_id":5678,"state":"minimized"}"#);
        c.hints.destructive = true;
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        aim(run, &self.window)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let before = aim.window()?.clone();
        let (p, bound) = match self.state {
            StateWord::Minimized => (Placement::Minimize, 1000),
            StateWord::Maximized => (Placement::Maximize, 1000),
            StateWord::Restored => (Placement::Restore, 1000),
            StateWord::Closed => (Placement::Close, 2000),
        };
        let (right, now) = place(run, aim, p, Duration::from_millis(bound), |w| match (self.state, w) {
            (StateWord::Closed, w) => w.is_none(),
            (_, None) => false,
            (StateWord::Minimized, Some(w)) => w.minimized,
            (StateWord::Restored, Some(w)) => !w.minimized && w.on_screen,
            (StateWord::Maximized, Some(w)) => w.bounds != before.bounds && w.bounds.w >= before.bounds.w && w.bounds.h >= before.bounds.h,
        })?;
        result(right, now.as_ref() != Some(&before), Mode::Background).reply("set_window_state")
    }
}

impl Acting for BringToFront {
    const CARD: Card = card("bring_to_front", r#"{"window_id":5678}"#);
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        let aim = aim(run, &self.window)?;
        let w = aim.window()?;
        if w.kind == desktop::WindowKind::Popup {
            return Err(Refusal::new(Code::ForegroundUnavailable, format!("Window {} is a popup and has no place of its own in the stack.", w.id))
                .hint("Bring its owner to the front (owner_window_id in list_windows)."));
        }
        Ok(aim)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let id = aim.window()?.id;
        let (right, _) = place(run, aim, Placement::Activate, Duration::from_millis(900), |w| {
            w.is_some_and(|w| w.active) || run.desktop().focus(&run.brief()).is_ok_and(|f| f.window == Some(id))
        })?;
        result(right, true, Mode::Foreground).reply("bring_to_front")
    }
}
