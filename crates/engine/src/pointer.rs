//! Clicks, drags and wheels composed of short pointer acts. Whatever happens on the way, what was
//! pressed is let go.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Act, Button, Ctx, Delivery, DesktopError, Modifier, Modifiers, Place, Route, Wheel, WindowId};

use crate::ladder::climb;
use crate::run::Run;
use crate::{Code, Refusal};

/// Between two presses of a double click: long enough that a web page sees two, short enough that
/// no toolkit sees two single ones.
const BETWEEN: Duration = Duration::from_millis(30);

/// What a hover begins, and what the last click began, is over by then.
const RESTED: Duration = Duration::from_millis(250);

/// Modifiers by their names.
pub fn modifiers(words: &[String]) -> Result<Modifiers, Refusal> {
    words
        .iter()
        .map(|w| w.parse::<Modifier>().map_err(|e| Refusal::new(Code::InvalidArguments, format!("`modifier`: {e}.")).with("field", "modifier")))
        .collect()
}

/// Where and how a click lands.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    pub at: Place,
    pub button: Button,
    pub count: u32,
    pub modifiers: Modifiers,
}

pub fn window_of(at: Place) -> Option<WindowId> {
    match at {
        Place::Window(w, _) => Some(w),
        Place::Screen(_) => None,
    }
}

/// Where the driver's pointer was left, so that what comes of its arrival is over by now.
#[derive(Default)]
pub struct Rest(Mutex<Option<(Place, u64, Instant)>>);

impl Rest {
    fn lock(&self) -> MutexGuard<'_, Option<(Place, u64, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has been here, over this life of the window, long enough.
    pub fn since(&self, at: Place, birth: u64, now: Instant) -> bool {
        self.lock().is_some_and(|(place, of, since)| place == at && of == birth && now.saturating_duration_since(since) >= RESTED)
    }

    pub fn at(&self, at: Place, birth: u64, now: Instant) {
        *self.lock() = Some((at, birth, now));
    }

    pub fn left(&self) {
        *self.lock() = None;
    }
}

fn first_move(run: &Run<'_>, to: Place, route: Route) -> desktop::Result<Delivery> {
    let moved = run.desktop().perform(&run.brief(), &Act::Move { to }, route)?;
    run.moved.store(true, Ordering::Relaxed);
    Ok(moved)
}

/// Click by the first route that reaches the place. `arrived` runs between the motion and the
/// first press, and is told whether the pointer was there before.
pub fn click(run: &Run<'_>, routes: &[Route], c: &Click, arrived: impl FnOnce(bool)) -> Result<(Route, Delivery), Refusal> {
    run.engine.rest().left();
    // A motion reaches what a press does, or nothing of it is sent.
    let (route, mut delivery) = climb(run, routes, |route| first_move(run, c.at, route))?;
    arrived(delivery.at_rest);
    let held = Held::modifiers(run, c.modifiers, window_of(c.at), route)?;
    for n in 0..c.count {
        if n > 0 {
            run.wait(BETWEEN)?;
        }
        delivery.focus_given_back |= Held::click(run, c.button, c.at, route)?.focus_given_back;
    }
    held.let_go_all()?;
    Ok((route, delivery))
}

/// Press at one place, move to another in steps, release there. `arrived` runs between the motion
/// to the first place and the press.
pub fn drag(run: &Run<'_>, routes: &[Route], from: &Click, (to, time, steps): (Place, Duration, u32), arrived: impl FnOnce()) -> Result<(Route, Delivery), Refusal> {
    let d = run.desktop();
    run.engine.rest().left();
    let (route, _) = climb(run, routes, |route| {
        if let Some(w) = window_of(from.at) {
            d.reaches(&run.brief(), w, &Act::Press { button: from.button, at: from.at }, route)?;
        }
        first_move(run, from.at, route)
    })?;
    arrived();
    let held = Held::modifiers(run, from.modifiers, window_of(from.at), route)?;
    let pressed = Held::button(run, from.button, from.at, route)?;
    let pause = time / steps.max(1);
    for n in 1..=steps {
        run.wait(pause)?;
        let at = between(from.at, to, n, steps);
        d.perform(&run.brief(), &Act::Move { to: at }, route).map_err(|e| run.no(e))?;
    }
    let delivery = pressed.let_go(to)?;
    held.let_go_all()?;
    Ok((route, delivery))
}

fn between(a: Place, b: Place, n: u32, of: u32) -> Place {
    let mix = |p: i32, q: i32| p + ((i64::from(q - p) * i64::from(n)) / i64::from(of.max(1))) as i32;
    match (a, b) {
        (Place::Window(w, p), Place::Window(_, q)) => Place::Window(w, desktop::Point::new(mix(p.x, q.x), mix(p.y, q.y))),
        (Place::Screen(p), Place::Screen(q)) => Place::Screen(desktop::Point::new(mix(p.x, q.x), mix(p.y, q.y))),
        _ => b,
    }
}

/// Turn the wheel. `arrived` runs between the motion and the first notch.
pub fn wheel(run: &Run<'_>, routes: &[Route], at: Place, (way, notches): (Wheel, u32), modifiers: Modifiers, arrived: impl FnOnce()) -> Result<(Route, Delivery), Refusal> {
    let d = run.desktop();
    run.engine.rest().left();
    let (route, _) = climb(run, routes, |route| {
        if let Some(w) = window_of(at) {
            d.reaches(&run.brief(), w, &Act::Wheel { way, at }, route)?;
        }
        first_move(run, at, route)
    })?;
    arrived();
    let held = Held::modifiers(run, modifiers, window_of(at), route)?;
    let mut delivery = Delivery::default();
    for _ in 0..notches {
        run.ctx.check().map_err(|e| run.no(e))?;
        delivery = d.perform(&run.brief(), &Act::Wheel { way, at }, route).map_err(|e| run.no(e))?;
    }
    held.let_go_all()?;
    Ok((route, delivery))
}

/// Something that is down. Dropped early, it is let go where it was pressed.
struct Held<'a> {
    run: &'a Run<'a>,
    route: Route,
    what: Option<What>,
}

enum What {
    Button(Button, Place),
    Modifiers(Modifiers, Option<WindowId>),
}

impl<'a> Held<'a> {
    fn button(run: &'a Run<'a>, button: Button, at: Place, route: Route) -> Result<Self, Refusal> {
        // Taken first: should the press fail half way, the release is sent all the same.
        let held = Self { run, route, what: Some(What::Button(button, at)) };
        run.desktop().perform(&run.brief(), &Act::Press { button, at }, route).map_err(|e| run.no(e))?;
        Ok(held)
    }

    /// Press and release at once.
    fn click(run: &'a Run<'a>, button: Button, at: Place, route: Route) -> Result<Delivery, Refusal> {
        // Should it fail half way, the release is sent all the same.
        let mut held = Self { run, route, what: Some(What::Button(button, at)) };
        let clicked = run.desktop().perform(&run.brief(), &Act::Click { button, at }, route).map_err(|e| run.no(e))?;
        held.what = None;
        Ok(clicked)
    }

    fn modifiers(run: &'a Run<'a>, modifiers: Modifiers, window: Option<WindowId>, route: Route) -> Result<Self, Refusal> {
        if modifiers.is_empty() {
            return Ok(Self { run, route, what: None });
        }
        let held = Self { run, route, what: Some(What::Modifiers(modifiers, window)) };
        run.desktop().perform(&run.brief(), &Act::HoldModifiers { modifiers, window }, route).map_err(|e| run.no(e))?;
        Ok(held)
    }

    /// Release a button here.
    fn let_go(mut self, at: Place) -> Result<Delivery, Refusal> {
        match self.what.take() {
            Some(What::Button(button, _)) => {
                let r = self.send(&Act::Release { button, at });
                r.map_err(|e| self.run.no(e))
            }
            other => {
                self.what = other;
                Ok(Delivery::default())
            }
        }
    }

    fn let_go_all(mut self) -> Result<(), Refusal> {
        match self.what.take() {
            Some(What::Modifiers(modifiers, window)) => self.send(&Act::ReleaseModifiers { modifiers, window }).map(drop).map_err(|e| self.run.no(e)),
            other => {
                self.what = other;
                Ok(())
            }
        }
    }

    /// Letting go has a bound of its own: the call may be over or cancelled.
    fn send(&self, act: &Act) -> Result<Delivery, DesktopError> {
        let mut ctx = Ctx::lasting(Duration::from_millis(800));
        ctx.owner = self.run.ctx.owner;
        self.run.desktop().perform(&ctx, act, self.route)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let act = match self.what.take() {
            Some(What::Button(button, at)) => Act::Release { button, at },
            Some(What::Modifiers(modifiers, window)) => Act::ReleaseModifiers { modifiers, window },
            None => return,
        };
        let _ = self.send(&act);
    }
}
