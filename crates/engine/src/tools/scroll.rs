//! `scroll`.

use desktop::Wheel;
use schemars::JsonSchema;
use serde::Deserialize;

use super::click::DeliveryMode;
use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, ElementArgs, PointArgs, Target, Ways, WindowArgs};
use crate::effect::{ActionResult, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::proof::{self, Watch};
use crate::run::Run;
use crate::{Answer, Refusal, pointer, press};

/// Wheel notches in a page.
const PAGE: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum By {
    #[default]
    Line,
    Page,
}

/// Turns the wheel over a point, an element, or the middle of the window; one notch a line.
#[derive(Deserialize, JsonSchema)]
pub struct Scroll {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    direction: Direction,
    by: Option<By>,
    /// Default 3.
    #[schemars(range(min = 1, max = 50))]
    amount: Option<u32>,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifier: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

impl Acting for Scroll {
    const CARD: Card = Card::act("scroll", "pointer", Reach::WindowOrDesktop, r#"{"window_id":5678,"direction":"down","amount":5}"#);
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        pointer::modifiers(&self.modifier)?;
        run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), point: self.point.clone(), target: self.target.as_ref() })
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let mode: Mode = self.delivery_mode.unwrap_or_default().into();
        let _turn = press::lane(run, aim)?;
        let _front = press::foreground(run, mode, aim.window.as_ref())?;
        let at = press::place_of(run, aim)?;
        let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
        let way = match self.direction {
            Direction::Up => Wheel::Up,
            Direction::Down => Wheel::Down,
            Direction::Left => Wheel::Left,
            Direction::Right => Wheel::Right,
        };
        let notches = self.amount.unwrap_or(3) * if self.by == Some(By::Page) { PAGE } else { 1 };
        let mut watch = Watch::begin(run, aim.window.as_ref(), None, &[at]);
        let modifiers = pointer::modifiers(&self.modifier)?;
        let (route, _) = pointer::wheel(run, ladder::routes(Kind::Pointer, mode), at, (way, notches), modifiers, || watch.hush(run))?;
        let evidence = watch.seek(run, proof::BOUND, &proof::changed);
        ActionResult::proven(route, mode, &evidence).reply("scroll")
    }
}
