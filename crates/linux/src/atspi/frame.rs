//! Which accessible object is a given window.
//!
//! Owns: telling an application's frames apart. Refuses to guess: two objects that could both be
//! the window make none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use desktop::{Rect, Screen, Window, WindowId, WindowKind};

use super::apps::App;
use super::ask::{Ask, Ref};
use super::detail::{Survey, basics};
use super::node::View;
use super::raw::{Raw, bit};
use super::wire::End;

/// Windows that were told apart once, while both window and object live.
#[derive(Default)]
pub(super) struct Bound(Mutex<HashMap<(WindowId, u64), Ref>>);

impl Bound {
    fn get(&self, w: &Window) -> Option<Ref> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(w.id, w.birth)).cloned()
    }

    fn set(&self, w: &Window, r: &Ref) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An application that opens and closes windows all day leaves nothing behind.
        if all.len() > 4096 {
            all.clear();
        }
        all.insert((w.id, w.birth), r.clone());
    }

    /// It is known to be another window.
    fn other(&self, w: &Window, r: &Ref) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|(k, v)| v == r && *k != (w.id, w.birth))
    }
}

/// The top-level objects of an application, with basics and extents.
pub(super) async fn tops(survey: &Survey<'_>, app: &Arc<App>) -> Result<Vec<Raw>, End> {
    let root = Ref { bus: app.bus.clone(), path: app.root.clone() };
    let mut list = vec![Raw::at(root)];
    let end = survey.ask(&mut list, &[(0, Ask::Children)]).await;
    if end != End::Whole {
        return Err(end);
    }
    let mut raws: Vec<Raw> = list[0].children.take().unwrap_or_default().into_iter().map(Raw::at).collect();
    let all: Vec<Ask> = basics(app.kit()).iter().copied().chain([Ask::Extents]).collect();
    let asks: Vec<_> = (0..raws.len()).flat_map(|i| all.iter().map(move |a| (i, *a))).collect();
    match survey.ask(&mut raws, &asks).await {
        End::Whole => Ok(raws),
        end => Err(end),
    }
}

/// How well an object's place fits the window's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It says it is elsewhere or of another size.
    No,
    /// It does not say.
    Unknown,
    /// Of this size about, with a frame or shadow of the toolkit's own around it.
    Near,
    Exact,
}

fn fit(raw: &Raw, window: &Window, view: &View) -> Fit {
    let Some(r) = raw.extents.and_then(|e| view.place(e)).filter(|r| !r.is_empty()) else { return Fit::Unknown };
    let off = |tolerance: i32| near(&r, &window.bounds, tolerance);
    let slack = (2.0 * view.scale).ceil() as i32;
    if off(slack) {
        Fit::Exact
    } else if off((64.0 * view.scale) as i32) {
        Fit::Near
    } else {
        Fit::No
    }
}

fn near(a: &Rect<Screen>, b: &Rect<Screen>, by: i32) -> bool {
    let edges = [(a.x, b.x), (a.y, b.y), (a.right(), b.right()), (a.bottom(), b.bottom())];
    edges.iter().all(|(p, q)| p.abs_diff(*q) <= by.unsigned_abs())
}

/// The object that is this window, or none where that cannot be told.
pub(super) fn choose<'a>(tops: &'a [Raw], window: &Window, view: &View, bound: &Bound) -> Option<&'a Raw> {
    let titled = |r: &Raw| !window.title.is_empty() && r.name == window.title;
    let fits = |r: &Raw| fit(r, window, view);
    if let Some(known) = bound.get(window)
        && let Some(r) = tops.iter().find(|r| r.at == known)
        && (titled(r) || fits(r) >= Fit::Near)
    {
        return Some(r);
    }
    let popup = window.kind == WindowKind::Popup;
    let mut left: Vec<&Raw> = tops.iter().filter(|r| fits(r) != Fit::No && (titled(r) || fits(r) == Fit::Exact)).collect();
    for better in [
        &(|r: &Raw| titled(r) && fits(r) == Fit::Exact) as &dyn Fn(&Raw) -> bool,
        &(|r: &Raw| titled(r) && !popup),
        &(|r: &Raw| (r.name.is_empty() || window.title.is_empty() || popup) && r.is(bit::SHOWING)),
        &(|r: &Raw| !bound.other(window, &r.at)),
        &(|r: &Raw| r.is(bit::ACTIVE) == window.active),
    ] {
        let some: Vec<&Raw> = left.iter().copied().filter(|r| better(r)).collect();
        if !some.is_empty() {
            left = some;
        }
        if left.len() == 1 {
            break;
        }
    }
    let [one] = left[..] else { return None };
    // Same place and another title: two windows on top of each other, unless it is the only one.
    let sure = titled(one) || one.name.is_empty() || window.title.is_empty() || popup || tops.len() == 1;
    if !sure {
        return None;
    }
    bound.set(window, &one.at);
    Some(one)
}
