//! Which route comes next. Plain data, and one loop that only goes on after a proven miss.

use desktop::{Delivery, DesktopError, Route};

use crate::effect::Mode;
use crate::run::Run;
use crate::{Code, Refusal};

/// What is to be done, as far as routes care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Buttons, motion and wheels at a point.
    Pointer,
    /// Keys and characters into a window.
    Keys,
}

/// Routes to try in this order. Foreground is never in a background list.
pub const fn routes(kind: Kind, mode: Mode) -> &'static [Route] {
    match (kind, mode) {
        (_, Mode::Foreground) => &[Route::Global],
        (Kind::Pointer | Kind::Keys, _) => &[Route::SecondSeat, Route::SentEvents],
    }
}

/// Try each route until one took the act. Only a route that provably sent nothing lets the next
/// one run; an act whose fate is unknown is never sent again.
pub fn climb(run: &Run<'_>, routes: &[Route], mut attempt: impl FnMut(Route) -> Result<Delivery, DesktopError>) -> Result<(Route, Delivery), Refusal> {
    let mut misses = Vec::new();
    for route in routes {
        match attempt(*route) {
            Ok(d) => return Ok((*route, d)),
            Err(DesktopError::CannotReach { why, .. } | DesktopError::Unsupported(why)) => misses.push(why),
            Err(e) => return Err(run.no(e)),
        }
    }
    let why = if misses.is_empty() { "this desktop has no such way".into() } else { misses.join("; ") };
    let foreground = routes == [Route::Global];
    let code = if foreground { Code::ForegroundUnavailable } else { Code::BackgroundUnavailable };
    let refusal = Refusal::new(code, format!("No way reaches this target: {why}. Nothing was sent."));
    Err(if foreground { refusal } else { refusal.with("escalation", serde_json::json!({"target": "foreground", "reason": "route_unavailable"})) })
}
