//! `move_cursor`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::click::DeliveryMode;
use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, PointArgs, Target, Ways, WindowArgs};
use crate::effect::{ActionResult, EvidenceKind, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::run::Run;
use crate::{Answer, Code, Refusal, press};

/// Moves a pointer to a point: the driver's own in the background, the person's in the foreground,
/// where it stays.
#[derive(Deserialize, JsonSchema)]
pub struct MoveCursor {
    #[serde(flatten)]
    window: WindowArgs,
    target: Option<Target>,
    x: f64,
    y: f64,
    delivery_mode: Option<DeliveryMode>,
}

impl Acting for MoveCursor {
    const CARD: Card = {
        let mut c = Card::act("move_cursor", "pointer", Reach::WindowOrDesktop, r#"{"window_id":5678,"x":120,"y":80}"#);
        c.hints.destructive = false;
        c.hints.idempotent = true;
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        let point = PointArgs { x: Some(self.x), y: Some(self.y) };
        run.aim(&Ways { window: self.window.clone(), point, target: self.target.as_ref(), ..Ways::default() })
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let Some(spot) = &aim.point else { return Err(Refusal::new(Code::InvalidArguments, "`x`: no point is named.")) };
        let mode: Mode = self.delivery_mode.unwrap_or_default().into();
        let _turn = press::lane(run, aim)?;
        let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
        run.engine.rest().left();
        let act = desktop::Act::Move { to: aim.place(spot) };
        let (route, _) = ladder::climb(run, ladder::routes(Kind::Pointer, mode), |r| run.desktop().perform(&run.brief(), &act, r))?;
        let there = mode == Mode::Foreground && run.desktop().pointer(&run.brief()).is_ok_and(|p| p == spot.screen);
        let evidence: &[EvidenceKind] = if there { &[EvidenceKind::StateReadback] } else { &[] };
        ActionResult::proven(route, mode, evidence).reply("move_cursor")
    }
}
