//! Pointer and keyboard on X11: by the person's own devices, by a second pair of the driver's
//! own, and by events sent to one window. Owns what is pressed, changed and held, and undoes it;
//! refuses to own which route is taken, gaps between clicks, and accessibility.

mod bell;
mod calm;
mod chord;
mod fingers;
mod guard;
mod hands;
mod held;
mod keymap;
mod keysyms;
mod ledger;
mod pace;
mod pointer;
mod reach;
mod seat;
mod sent;
mod toolkit;
mod typing;
mod wire;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use desktop::{Act, Ctx, Delivery, DesktopError, Health, HealthState, Owner, Point, Result, Route, Screen, Window, WindowId};

use hands::Hands;
use ledger::{Entry, Ledger};
use pointer::{Geometry, SELF_ACTIVATION, on_top, spot};
use seat::{Seat, Side};
use toolkit::Toolkit;
use typing::Target;
use wire::Wire;

pub use guard::guard;

/// How long after an input of the driver on the person's seat its events may still come.
const ECHO: Duration = Duration::from_millis(150);

/// How long an application may take to come to a motion.
const CATCHING_UP: Duration = Duration::from_millis(60);

pub struct Input {
    wire: Arc<Wire>,
    person: Seat,
    hands: Mutex<Hands>,
}

impl Input {
    /// Connect, and let go of what a driver that was killed left down on the second pair.
    /// `guardian` is the command that lets go when this process is killed; without it, input
    /// that could stay held is refused.
    pub fn open(display: &str, guardian: Option<Vec<OsString>>) -> Result<Self> {
        let wire = Arc::new(Wire::open(display)?);
        let person = Seat::person(wire.clone())?;
        let hands = Hands::new(wire.clone(), display, Ledger::new(guardian, display))?;
        Ok(Self { wire, person, hands: Mutex::new(hands) })
    }

    /// Do one act of pointer or keyboard by exactly this route.
    pub fn perform(&self, ctx: &Ctx, act: &Act, route: Route, geometry: Geometry) -> Result<Delivery> {
        ctx.check()?;
        let mut hands = self.lock(ctx)?;
        if route == Route::SentEvents {
            return self.send(ctx, &mut hands, act, geometry);
        }
        let seat = hands.seat(route)?;
        match act {
            Act::Move { to } => {
                let (at, _) = self.aim(*to, route, geometry)?;
                hands.move_to(&seat, at)
            }
            Act::Press { button, at } => {
                let (at, window) = self.aim(*at, route, geometry)?;
                hands.press_at(ctx, &seat, *button, at, window.as_ref())
            }
            Act::Release { button, at } => {
                let (at, window) = spot(*at, geometry)?;
                hands.release_at(&seat, *button, at, window.as_ref())
            }
            Act::Click { button, at } => {
                let (at, window) = self.aim(*at, route, geometry)?;
                hands.click_at(ctx, &seat, *button, at, window.as_ref())
            }
            Act::Wheel { way, at } => {
                let (at, window) = self.aim(*at, route, geometry)?;
                hands.wheel_at(&seat, *way, at, window.as_ref())
            }
            Act::HoldModifiers { modifiers, .. } => hands.hold_modifiers(ctx, &seat, *modifiers),
            Act::ReleaseModifiers { modifiers, .. } => hands.release_modifiers(&seat, *modifiers),
            Act::Key { key, modifiers, window } => {
                let target = target(&mut hands, *window, geometry)?;
                self.with_focus(&mut hands, &seat, route, &target, |hands| {
                    if !hands.focused(&seat, &target)? {
                        return Err(cannot(route, "the window does not have the keyboard"));
                    }
                    hands.key(ctx, &seat, key, *modifiers, &target)
                })
            }
            Act::Text { text, window } => {
                let target = target(&mut hands, *window, geometry)?;
                self.with_focus(&mut hands, &seat, route, &target, |hands| hands.text(ctx, &seat, text, &target))
            }
            _ => Err(cannot(route, "it is not an act of pointer or keyboard")),
        }
    }

    /// The same acts as events that are sent to the window.
    fn send(&self, ctx: &Ctx, hands: &mut Hands, act: &Act, geometry: Geometry) -> Result<Delivery> {
        let route = Route::SentEvents;
        match act {
            Act::Move { to } => hands.sent_move(*to, geometry),
            Act::Press { button, at } => hands.sent_press(ctx, *button, *at, geometry),
            Act::Release { button, at } => hands.sent_release(*button, *at, geometry),
            Act::Click { button, at } => hands.sent_click(ctx, *button, *at, geometry),
            Act::Wheel { way, at } => hands.sent_wheel(*way, *at, geometry),
            Act::HoldModifiers { modifiers, .. } => hands.sent_modifiers(*modifiers, true),
            Act::ReleaseModifiers { modifiers, .. } => hands.sent_modifiers(*modifiers, false),
            Act::Key { key, modifiers, window } => {
                let target = sent_target(hands, *window, geometry)?;
                let seat = self.person.clone();
                hands.key(ctx, &seat, key, *modifiers, &target)
            }
            Act::Text { text, window } => {
                let target = sent_target(hands, *window, geometry)?;
                let seat = self.person.clone();
                hands.text(ctx, &seat, text, &target)
            }
            _ => Err(cannot(route, "it is not an act of pointer or keyboard")),
        }
    }

    /// Whether the route could reach this window with this act, before anything is sent.
    pub fn reaches(&self, ctx: &Ctx, window: &Window, act: &Act, route: Route) -> Result<()> {
        self.lock(ctx)?.reach(window, act, route)
    }

    /// Whether the application of this window has taken everything that was sent to it before.
    pub fn caught_up(&self, ctx: &Ctx, window: WindowId) -> Result<bool> {
        let (window, bound) = (xid(window)?, ctx.left().min(CATCHING_UP));
        self.lock(ctx)?.bell()?.application(window, bound)
    }

    /// The spot on the screen; by the second pointer only where the window is on top.
    fn aim(&self, place: desktop::Place, route: Route, geometry: Geometry) -> Result<(Point<Screen>, Option<Window>)> {
        let (at, window) = spot(place, geometry)?;
        if let (Some(w), Route::SecondSeat) = (&window, route) {
            on_top(&self.wire, xid(w.id)?, at, route)?;
        }
        Ok((at, window))
    }

    /// Do something while the second keyboard is given to the window.
    fn with_focus(&self, hands: &mut Hands, seat: &Seat, route: Route, target: &Target, act: impl FnOnce(&mut Hands) -> Result<Delivery>) -> Result<Delivery> {
        if seat.side == Side::Person {
            return act(hands);
        }
        let Some(window) = target.window else { return Err(cannot(route, "the second keyboard needs a window")) };
        reach::takes_second_keyboard(target.toolkit)?;
        let standing = hands.standing(seat)?;
        hands.ledger.begin(&[Entry::Focus])?;
        seat.set_focus(Some(window)).map_err(|e| match e {
            DesktopError::System(_) => cannot(route, "the window takes no keyboard: it is not shown"),
            e => e,
        })?;
        let done = act(hands);
        seat.set_focus(None)?;
        hands.ledger.end(&[Entry::Focus]);
        let settled = hands.settle(standing, None)?;
        done.map(|d| Delivery { focus_given_back: settled.focus_given_back, ..d })
    }

    /// Do something that may make a window come to the front by itself, and give back what it took.
    pub fn calmly(&self, ctx: &Ctx, window: WindowId, act: impl FnOnce() -> Result<Delivery>) -> Result<Delivery> {
        let window = xid(window)?;
        let standing = self.lock(ctx)?.standing_now()?;
        let done = act();
        let give_back = || {
            let mut hands = self.lock(ctx)?;
            let bell = hands.bell()?;
            bell.application(window, SELF_ACTIVATION)?;
            standing.restore(bell, Some(window))
        };
        // What was done is done, whatever becomes of the focus.
        let focus_given_back = give_back().unwrap_or(false);
        done.map(|d| Delivery { focus_given_back, ..d })
    }

    /// Where the person's pointer is.
    pub fn pointer(&self, ctx: &Ctx) -> Result<Point<Screen>> {
        ctx.check()?;
        self.person.position()
    }

    /// Let go of everything an owner holds down; `None` is everybody.
    pub fn release_held(&self, ctx: &Ctx, owner: Option<Owner>) -> Result<()> {
        self.lock(ctx)?.release_held(owner)
    }

    /// Until when events of the person's devices may be the driver's own; `None` when it has not
    /// driven them lately.
    pub fn own_core_input_until(&self) -> Option<Instant> {
        let sent = match self.hands.try_lock() {
            Ok(h) => h.core_input?,
            Err(TryLockError::Poisoned(h)) => h.into_inner().core_input?,
            Err(TryLockError::WouldBlock) => Instant::now(),
        };
        Some(sent + ECHO).filter(|u| *u > Instant::now())
    }

    /// Whether background input by a second pointer and keyboard is to be had.
    pub fn health(&self) -> Health {
        let (state, message) = match Seat::has_agent(&self.wire) {
            Ok(true) => (HealthState::Pass, "the second pointer and keyboard are there".into()),
            Ok(false) => (HealthState::Pass, "a second pointer and keyboard are made at first need".into()),
            Err(e) => (HealthState::Fail, e.to_string()),
        };
        let hint = if state == HealthState::Fail { "start the X server with XInput 2 and XTEST" } else { "" };
        Health { name: "second_seat", state, message, hint: hint.into() }
    }

    fn lock(&self, ctx: &Ctx) -> Result<MutexGuard<'_, Hands>> {
        loop {
            match self.hands.try_lock() {
                Ok(hands) => return Ok(hands),
                Err(TryLockError::Poisoned(hands)) => return Ok(hands.into_inner()),
                Err(TryLockError::WouldBlock) => ctx.sleep(Duration::from_millis(1))?,
            }
        }
    }
}

fn cannot(route: Route, why: &str) -> DesktopError {
    DesktopError::CannotReach { route, why: why.into() }
}

fn xid(id: WindowId) -> Result<u32> {
    u32::try_from(id.0).map_err(|_| DesktopError::WindowGone(id))
}

fn target(hands: &mut Hands, window: Option<WindowId>, geometry: Geometry) -> Result<Target> {
    let Some(id) = window else {
        return Ok(Target { window: None, ask: None, pid: None, toolkit: Toolkit::Other, sent: false });
    };
    let w: Window = geometry(id)?;
    if w.minimized {
        return Err(DesktopError::Minimized(id));
    }
    let xid = xid(id)?;
    let toolkit = hands.toolkits.of(w.pid);
    Ok(Target { window: Some(xid), ask: Some(xid), pid: w.pid, toolkit, sent: false })
}

fn sent_target(hands: &mut Hands, window: Option<WindowId>, geometry: Geometry) -> Result<Target> {
    let target = target(hands, window, geometry)?;
    if target.window.is_none() {
        return Err(cannot(Route::SentEvents, "events are sent to a window"));
    }
    reach::heeds_keys(target.toolkit)?;
    Ok(Target { sent: true, ..target })
}
