//! Which accessible object is a given window.
//!
//! Owns: telling an application's windows apart. Refuses to guess: two objects that could both be
//! the window make none.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Rect, Screen, Window, WindowId, WindowKind};

use super::apps::Kit;
use super::ask::Ref;
use super::found::Found;
use super::node::{View, popover};
use super::raw::{Raw, bit};
use super::role;

/// Evidence that could be a moment old is believed for good when it is seen again this much later.
const AGAIN: Duration = Duration::from_millis(250);

/// Windows that were told apart once, while both window and object live.
#[derive(Default)]
pub(super) struct Bound(Mutex<Ties>);

/// A window, its birth, and the bus it was looked for on.
type Tie = (WindowId, u64, u32);

#[derive(Default)]
struct Ties {
    sure: HashMap<Tie, Ref>,
    maybe: HashMap<Tie, (Ref, Instant)>,
}

impl Bound {
    fn ties(&self) -> MutexGuard<'_, Ties> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, w: &Window, epoch: u32) -> Option<Ref> {
        self.ties().sure.get(&(w.id, w.birth, epoch)).cloned()
    }

    fn set(&self, w: &Window, epoch: u32, r: &Ref) {
        let mut ties = self.ties();
        // An application that opens and closes windows all day leaves nothing behind.
        if ties.sure.len() > 4096 {
            ties.sure.clear();
        }
        ties.sure.insert((w.id, w.birth, epoch), r.clone());
    }

    /// The active one of several like it: focus may have moved since the window was listed.
    pub fn suppose(&self, w: &Window, epoch: u32, r: &Ref) {
        let key = (w.id, w.birth, epoch);
        let before = self.ties().maybe.get(&key).cloned();
        match before {
            Some((known, at)) if known == *r => {
                if at.elapsed() > AGAIN {
                    self.set(w, epoch, r);
                }
            }
            _ => {
                let mut ties = self.ties();
                if ties.maybe.len() > 512 {
                    ties.maybe.clear();
                }
                ties.maybe.insert(key, (r.clone(), Instant::now()));
            }
        }
    }

    /// It is known to be another window.
    fn other(&self, w: &Window, epoch: u32, r: &Ref) -> bool {
        self.ties().sure.iter().any(|(k, v)| v == r && k.2 == epoch && *k != (w.id, w.birth, epoch))
    }
}

/// How well an object's place fits the window's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It says it is elsewhere or of another size.
    No,
    /// It does not say.
    Unknown,
    /// One inside the other, as with the window manager's frame or a toolkit's own shadow.
    Framed,
    Exact,
}

fn fit(raw: &Raw, window: &Window, view: &View) -> Fit {
    let view = view.fitted(raw, window.scale);
    let Some(r) = raw.extents.and_then(|e| view.place(e)).filter(|r| !r.is_empty()) else { return Fit::Unknown };
    let slack = (2.0 * view.scale).ceil() as i32;
    let room = (64.0 * window.scale.max(1.0)) as i32;
    if around(&r, &window.bounds, slack, slack) {
        Fit::Exact
    } else if around(&r, &window.bounds, room, slack) || around(&window.bounds, &r, room, slack) {
        Fit::Framed
    } else {
        Fit::No
    }
}

/// `outer` goes round `inner` by at most `out`, and is short of it by at most `short`.
fn around(outer: &Rect<Screen>, inner: &Rect<Screen>, out: i32, short: i32) -> bool {
    let margins =
        [inner.x - outer.x, inner.y - outer.y, outer.right() - inner.right(), outer.bottom() - inner.bottom()];
    margins.iter().all(|m| (-short..=out).contains(m))
}

/// The object that is a window.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub top: &'a Raw,
    /// Of its units.
    pub scale: f64,
    /// Not by what may be a moment old: which is active, or which is left over.
    pub sure: bool,
}

/// The object that is this window, or none where that cannot be told. A choice that is not sure
/// holds when it is the same a moment later, and is then to be told by `Bound::suppose`.
pub(super) fn choose<'a>(tops: &'a [Raw], window: &Window, view: &View, bound: &Bound) -> Option<Choice<'a>> {
    if let Some(one) = at_scale(tops, window, view, bound) {
        return Some(one);
    }
    // The desktop's own setting for large screens is told by no environment.
    let titled = tops.iter().filter(|r| !window.title.is_empty() && r.name == window.title).count();
    [2.0, 3.0].into_iter().filter(|_| titled == 1).find_map(|scale| {
        let scaled = Window { scale, ..window.clone() };
        at_scale(tops, &scaled, view, bound).filter(|c| c.top.name == window.title)
    })
}

fn at_scale<'a>(tops: &'a [Raw], window: &Window, view: &View, bound: &Bound) -> Option<Choice<'a>> {
    let choice = |top, sure| Choice { top, scale: window.scale, sure };
    let titled = |r: &Raw| !window.title.is_empty() && r.name == window.title;
    let fits = |r: &Raw| fit(r, window, view);
    if let Some(known) = bound.get(window, view.epoch)
        && let Some(r) = tops.iter().find(|r| r.at == known)
        && (titled(r) || fits(r) >= Fit::Framed)
    {
        return Some(choice(r, true));
    }
    let placed: Vec<&Raw> = tops.iter().filter(|r| fits(r) != Fit::No).collect();
    let mut left: Vec<&Raw> =
        placed.iter().copied().filter(|r| titled(r) && window.kind != WindowKind::Popup).collect();
    if left.is_empty() {
        // Titles of dialogs and popups are told to nobody; a title may also have just changed.
        left = placed.into_iter().filter(|r| fits(r) >= Fit::Framed && r.is(bit::SHOWING)).collect();
        if view.kit == Kit::Gtk4 && tops.len() > 1 {
            left.retain(|r| r.name.is_empty());
        }
    }
    narrow(&mut left, |r| fits(r) == Fit::Exact);
    narrow(&mut left, |r| fits(r) >= Fit::Framed);
    if let [one] = left[..] {
        bound.set(window, view.epoch, &one.at);
        return Some(choice(one, true));
    }
    narrow(&mut left, |r| !bound.other(window, view.epoch, &r.at));
    if let [one] = left[..] {
        return Some(choice(one, false));
    }
    let active: Vec<&Raw> = left.iter().copied().filter(|r| r.is(bit::ACTIVE)).collect();
    let [active] = active[..] else { return None };
    let rest: Vec<&Raw> = left.into_iter().filter(|r| r.at != active.at).collect();
    let one = match (window.active, &rest[..]) {
        (true, _) => active,
        (false, [one]) => one,
        _ => return None,
    };
    Some(choice(one, false))
}

fn narrow(left: &mut Vec<&Raw>, keep: impl Fn(&Raw) -> bool) {
    if left.len() > 1 && left.iter().any(|r| keep(r)) {
        left.retain(|r| keep(r));
    }
}

/// Roles of what lies in a popup of its own.
fn poppable(raw: &Raw) -> bool {
    let roles = [
        role::MENU,
        role::POPUP_MENU,
        role::LIST,
        role::LIST_BOX,
        role::WINDOW,
        role::TOOL_TIP,
        role::COMBO_BOX,
        role::TABLE,
        role::TREE,
        role::TREE_TABLE,
        role::PANEL,
        role::ALERT,
        role::DIALOG,
    ];
    roles.contains(&raw.role) || popover(raw)
}

/// Objects of a whole application that could be a popup, whose extents are worth asking.
pub(super) fn popups(found: &Found, kit: Kit) -> Vec<usize> {
    let shown = |r: &Raw| r.is(bit::SHOWING) || (kit == Kit::Gtk4 && popover(r));
    let asked = |i: &usize| {
        let raw = &found.raws[*i];
        shown(raw) && (poppable(raw) || found.parents[*i].is_some_and(|p| found.raws[p].role == role::MENU))
    };
    (1..found.raws.len()).filter(asked).collect()
}

/// The object that is this popup: the one that lies just where it is, or a menu whose items do.
pub(super) fn popup(found: &Found, window: &Window, view: &View) -> Option<usize> {
    let place = |i: usize| found.raws[i].extents.and_then(|e| view.fitted(&found.raws[i], window.scale).place(e));
    let border = (6.0 * window.scale.max(1.0)) as i32;
    let all = popups(found, view.kit);
    let mut fit: Vec<usize> = all
        .iter()
        .copied()
        .filter(|i| poppable(&found.raws[*i]))
        .filter(|i| place(*i).is_some_and(|r| !r.is_empty() && around(&window.bounds, &r, border, border)))
        .collect();
    // An outer object and the list that fills it are one popup: the outer one is meant.
    fit.retain({
        let all = fit.clone();
        move |i| !all.iter().any(|o| o != i && found.order(*o).contains(i))
    });
    if fit.is_empty() {
        fit = all
            .iter()
            .copied()
            .filter(|i| found.raws[*i].role == role::MENU && items_fill(found, *i, window, &place))
            .collect();
    }
    match fit[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The shown items of a menu lie inside the popup and are as wide as it.
fn items_fill(found: &Found, menu: usize, window: &Window, place: &dyn Fn(usize) -> Option<Rect<Screen>>) -> bool {
    let items: Vec<Rect<Screen>> =
        found.below[menu].iter().filter(|i| found.raws[**i].is(bit::SHOWING)).filter_map(|i| place(*i)).collect();
    let room = (24.0 * window.scale.max(1.0)) as i32;
    let w = &window.bounds;
    !items.is_empty()
        && items.iter().all(|r| around(w, r, i32::MAX / 4, 2))
        && items.iter().any(|r| r.x - w.x <= room && w.right() - r.right() <= room)
}
