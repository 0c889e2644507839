//! Pointer acts of a seat: motion, buttons, wheel.

use std::time::Duration;

use desktop::{Button, Ctx, Delivery, DesktopError, Place, Point, Result, Route, Screen, Wheel, Window, WindowId};
use x11rb::protocol::xproto::ConnectionExt as _;

use super::calm::Standing;
use super::hands::Hands;
use super::ledger::Entry;
use super::seat::{Seat, Side};
use super::toolkit::Toolkit;
use super::wire::{Heard, Wire};

/// Mod3: with it, the click-to-focus grabs of most window managers do not match.
const UNGRABBED: u8 = 1 << 5;

/// How long an application is waited for that takes the focus of its own accord.
pub(super) const SELF_ACTIVATION: Duration = Duration::from_millis(150);

pub(super) type Geometry<'a> = &'a dyn Fn(WindowId) -> Result<Window>;

pub(super) fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

pub(super) fn notch(way: Wheel) -> u8 {
    match way {
        Wheel::Up => 4,
        Wheel::Down => 5,
        Wheel::Left => 6,
        Wheel::Right => 7,
    }
}

/// The spot on the screen and the window it is meant for.
pub(super) fn spot(place: Place, geometry: Geometry) -> Result<(Point<Screen>, Option<Window>)> {
    match place {
        Place::Screen(p) => Ok((p, None)),
        Place::Window(id, p) => {
            let w = geometry(id)?;
            if w.minimized {
                return Err(DesktopError::Minimized(id));
            }
            Ok((p.on_screen(w.bounds.origin()), Some(w)))
        }
    }
}

/// Whether the window is on top at a spot of the screen.
pub(super) fn on_top(wire: &Wire, window: u32, at: Point<Screen>, route: Route) -> Result<()> {
    let cannot = |why: &str| Err(DesktopError::CannotReach { route, why: why.into() });
    let (Ok(x), Ok(y)) = (i16::try_from(at.x), i16::try_from(at.y)) else { return cannot("the spot is off the screen") };
    if wire.leads(window, x, y)? {
        return Ok(());
    }
    let (mut over, mut way) = (wire.root, Vec::new());
    for _ in 0..32 {
        let r = wire.conn.translate_coordinates(wire.root, over, x, y).heard()?.reply().heard()?;
        match r.child {
            0 => return cannot(if over == wire.root { "nothing is there on the screen" } else { "another window is on top at that spot" }),
            child if child == window => {
                way.push(window);
                wire.remember(way);
                return Ok(());
            }
            child => over = child,
        }
        way.push(over);
        if wire.lies_in(over, window)? {
            return Ok(());
        }
    }
    cannot("another window is on top at that spot")
}

impl Hands {
    pub fn move_to(&mut self, seat: &Seat, at: Point<Screen>) -> Result<Delivery> {
        let before = seat.ask_position()?;
        self.felt(seat);
        // A window that opened under it has not heard of the pointer, and may not take a press from it yet.
        seat.motion(at)?;
        seat.sync()?;
        Ok(Delivery { at_rest: before.told()? == at, ..Default::default() })
    }

    pub fn press_at(&mut self, ctx: &Ctx, seat: &Seat, button: Button, at: Point<Screen>, window: Option<&Window>) -> Result<Delivery> {
        let standing = self.standing(seat)?;
        self.felt(seat);
        self.approach(seat, at)?;
        let shy = standing.is_some();
        if shy {
            seat.lock(UNGRABBED, UNGRABBED)?;
        }
        let pressed = self.hold(seat, ctx.owner, Entry::Button(seat.side, number(button)));
        if shy {
            seat.lock(UNGRABBED, 0)?;
        }
        pressed?;
        seat.sync()?;
        self.settle(standing, window)
    }

    pub fn release_at(&mut self, seat: &Seat, button: Button, at: Point<Screen>, window: Option<&Window>) -> Result<Delivery> {
        let standing = self.standing(seat)?;
        self.felt(seat);
        self.approach(seat, at)?;
        self.let_go(seat, Entry::Button(seat.side, number(button)))?;
        seat.sync()?;
        self.settle(standing, window)
    }

    /// Press and release in one breath: what others make of the two is looked at once, afterwards.
    pub fn click_at(&mut self, ctx: &Ctx, seat: &Seat, button: Button, at: Point<Screen>, window: Option<&Window>) -> Result<Delivery> {
        let standing = self.standing(seat)?;
        self.felt(seat);
        seat.motion(at)?;
        let shy = standing.is_some();
        if shy {
            seat.lock(UNGRABBED, UNGRABBED)?;
        }
        let button = Entry::Button(seat.side, number(button));
        let pressed = self.hold(seat, ctx.owner, button.clone());
        if shy {
            seat.lock(UNGRABBED, 0)?;
        }
        pressed?;
        self.let_go(seat, button)?;
        self.settle(standing, window)
    }

    pub fn wheel_at(&mut self, seat: &Seat, way: Wheel, at: Point<Screen>, window: Option<&Window>) -> Result<Delivery> {
        let standing = self.standing(seat)?;
        self.felt(seat);
        self.approach(seat, at)?;
        if standing.is_some() {
            seat.lock(UNGRABBED, UNGRABBED)?;
        }
        seat.button(notch(way), true)?;
        seat.button(notch(way), false)?;
        if standing.is_some() {
            seat.lock(UNGRABBED, 0)?;
        }
        seat.sync()?;
        self.settle(standing, window)
    }

    /// Bring the pointer there, if it is not.
    fn approach(&self, seat: &Seat, at: Point<Screen>) -> Result<()> {
        if seat.position()? != at { seat.motion(at) } else { Ok(()) }
    }

    /// How the person's desktop stands, for an act of the second seat.
    pub fn standing(&mut self, seat: &Seat) -> Result<Option<Standing>> {
        match seat.side {
            Side::Person => Ok(None),
            Side::Agent => self.standing_now().map(Some),
        }
    }

    pub fn standing_now(&mut self) -> Result<Standing> {
        Standing::before(self.bell()?)
    }

    /// Give back what the act made a window manager or the application itself take.
    pub fn settle(&mut self, standing: Option<Standing>, window: Option<&Window>) -> Result<Delivery> {
        let Some(was) = standing else { return Ok(Delivery::default()) };
        let id = window.map(|w| super::xid(w.id)).transpose()?;
        let eager = window.is_some_and(|w| matches!(self.toolkits.of(w.pid), Toolkit::Qt | Toolkit::Chromium));
        if let Some(id) = id.filter(|_| eager) {
            // These ask for the focus themselves, when they come to the event.
            self.bell()?.application(id, SELF_ACTIVATION)?;
        }
        Ok(Delivery { focus_given_back: was.restore(self.bell()?, id)?, ..Default::default() })
    }
}
