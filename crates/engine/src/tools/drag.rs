//! `drag`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::click::{ButtonWord, DeliveryMode};
use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, PointArgs, Target, Ways, WindowArgs};
use crate::effect::{ActionResult, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::pointer::{self, Click};
use crate::press;
use crate::proof::{self, Watch};
use crate::run::Run;
use crate::{Answer, Code, Refusal};

/// Presses at from_x,from_y, moves and releases at to_x,to_y: pixels of the last picture.
#[derive(Deserialize, JsonSchema)]
pub struct Drag {
    #[serde(flatten)]
    window: WindowArgs,
    target: Option<Target>,
    from_x: f64,
    from_y: f64,
    to_x: f64,
    to_y: f64,
    /// Default 500.
    #[schemars(range(max = 10000))]
    duration_ms: Option<u64>,
    /// Default 20.
    #[schemars(range(min = 1, max = 200))]
    steps: Option<u32>,
    button: Option<ButtonWord>,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifier: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

impl Acting for Drag {
    const CARD: Card = Card::act("drag", "pointer", Reach::WindowOrDesktop, r#"{"window_id":5678,"from_x":40,"from_y":50,"to_x":240,"to_y":150}"#);
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        pointer::modifiers(&self.modifier)?;
        let point = PointArgs { x: Some(self.from_x), y: Some(self.from_y) };
        let mut aim = run.aim(&Ways { window: self.window.clone(), point, target: self.target.as_ref(), ..Ways::default() })?;
        aim.to = Some(match &aim.window {
            Some(w) => run.spot(w, self.to_x, self.to_y, "to_x, to_y")?,
            None => run.desktop_spot(self.to_x, self.to_y)?,
        });
        Ok(aim)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let (Some(from), Some(to)) = (&aim.point, &aim.to) else {
            return Err(Refusal::new(Code::InvalidArguments, "`from_x`: a drag needs both ends."));
        };
        let mode: Mode = self.delivery_mode.unwrap_or_default().into();
        let _turn = press::lane(run, aim)?;
        let _front = press::foreground(run, mode, aim.window.as_ref())?;
        let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
        let mut watch = Watch::begin(run, aim.window.as_ref(), None, &[aim.place(from), aim.place(to)]);
        let start = Click {
            at: aim.place(from),
            button: self.button.unwrap_or_default().into(),
            count: 1,
            modifiers: pointer::modifiers(&self.modifier)?,
        };
        let time = Duration::from_millis(self.duration_ms.unwrap_or(500));
        let way = (aim.place(to), time, self.steps.unwrap_or(20));
        let (route, _) = pointer::drag(run, ladder::routes(Kind::Pointer, mode), &start, way, || watch.hush(run))?;
        let evidence = watch.seek(run, proof::BOUND, &proof::changed);
        ActionResult::proven(route, mode, &evidence).reply("drag")
    }
}
