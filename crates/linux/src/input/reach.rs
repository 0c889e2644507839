//! Whether a route can reach a window with an act at all, told before anything is sent.

use desktop::{Act, Place, Result, Route, Window};

use super::hands::Hands;
use super::pointer::on_top;
use super::toolkit::Toolkit;
use super::{cannot, xid};

impl Hands {
    pub fn reach(&mut self, window: &Window, act: &Act, route: Route) -> Result<()> {
        if window.minimized {
            return Err(desktop::DesktopError::Minimized(window.id));
        }
        let toolkit = self.toolkits.of(window.pid);
        match (route, kind(act)) {
            (_, Kind::None) => Err(cannot(route, "it is not an act of pointer or keyboard")),
            (Route::Global, _) => Ok(()),
            (Route::SecondSeat, Kind::Pointer(Some(place))) => {
                let at = match place {
                    Place::Window(_, p) => p.on_screen(window.bounds.origin()),
                    Place::Screen(p) => p,
                };
                on_top(&self.person.wire, xid(window.id)?, at, route)
            }
            (Route::SecondSeat, _) if !window.on_screen => Err(cannot(route, "the window is not shown")),
            (Route::SecondSeat, Kind::Keys) => takes_second_keyboard(toolkit),
            (Route::SecondSeat, _) => Ok(()),
            (Route::SentEvents, Kind::Pointer(_)) => heeds_pointer(toolkit, matches!(act, Act::Wheel { .. })),
            (Route::SentEvents, Kind::Keys) => heeds_keys(toolkit),
            (Route::Accessibility | Route::System, _) => Err(cannot(route, "it has no pointer and no keyboard")),
        }
    }
}

enum Kind {
    Pointer(Option<Place>),
    Keys,
    None,
}

fn kind(act: &Act) -> Kind {
    match act {
        Act::Move { to: at } | Act::Press { at, .. } | Act::Release { at, .. } | Act::Click { at, .. } | Act::Wheel { at, .. } => Kind::Pointer(Some(*at)),
        Act::HoldModifiers { .. } | Act::ReleaseModifiers { .. } => Kind::Pointer(None),
        Act::Key { .. } | Act::Text { .. } => Kind::Keys,
        _ => Kind::None,
    }
}

/// Whether keys of the second keyboard mean to the toolkit what they are.
pub(super) fn takes_second_keyboard(toolkit: Toolkit) -> Result<()> {
    match toolkit {
        Toolkit::Qt => Err(cannot(Route::SecondSeat, "Qt takes the modifiers of the person's keyboard for those of every other")),
        _ => Ok(()),
    }
}

pub(super) fn heeds_pointer(toolkit: Toolkit, wheel: bool) -> Result<()> {
    let what = if wheel { "wheel" } else { "pointer" };
    heeds(what, toolkit, matches!(toolkit, Toolkit::Tk | Toolkit::Xt | Toolkit::Other) || (toolkit == Toolkit::Qt && !wheel))
}

pub(super) fn heeds_keys(toolkit: Toolkit) -> Result<()> {
    heeds("key", toolkit, matches!(toolkit, Toolkit::Qt | Toolkit::Other))
}

fn heeds(what: &str, toolkit: Toolkit, yes: bool) -> Result<()> {
    if yes { Ok(()) } else { Err(cannot(Route::SentEvents, &format!("{toolkit:?} ignores synthetic {what} events of a window without the keyboard"))) }
}
