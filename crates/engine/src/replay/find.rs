//! Finding a recorded target in today's desktop.
//!
//! Owns: the ladder. A rung counts only when it fitted one element when it was recorded and
//! fits exactly one that is alike today. Never the first of many.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use desktop::{App, Ctx, Desktop, DesktopError, Limits, Local, Node, Pid, Point, Rect, Screen, States, Tree, Window, WindowId};
use serde_json::{Value, json};

use super::structure::{self, Stands};
use crate::record::Secrets;
use crate::record::target::{self, Grove, bare_title, same_app};
use crate::record::types::{Addressed, AppTarget, ElementTarget, Offset, PointTarget, State, Target, WindowTarget};
use crate::role;

/// A tree that was read so recently, with nothing done since, is as good as another.
const FRESH: Duration = Duration::from_millis(20);
/// How far a window without an element at the point may differ in size, in pixels.
const SAME_SIZE: u32 = 2;

/// Where the target is today.
#[derive(Clone, Debug)]
pub struct Place {
    /// `None`: a point of the desktop itself, or an application.
    pub window: Option<Window>,
    pub pid: Option<Pid>,
    pub tree: Option<Tree>,
    /// In `tree`.
    pub element: Option<usize>,
    pub rung: &'static str,
    pub point: Option<Point<Local>>,
    pub to: Option<Point<Local>>,
}

impl Place {
    pub fn node(&self) -> Option<&Node> {
        self.tree.as_ref()?.nodes.get(self.element?)
    }
}

/// Not (yet) to be found.
#[derive(Clone, Debug, PartialEq)]
pub enum Lost {
    Missing(String),
    /// What fits, for the caller to choose from.
    Ambiguous(String, Vec<Value>),
    /// The desktop could not be asked.
    Desktop(DesktopError),
}

impl From<DesktopError> for Lost {
    fn from(e: DesktopError) -> Self {
        Lost::Desktop(e)
    }
}

type Found<T> = Result<T, Lost>;

/// Looks for targets; remembers which process is which application.
pub struct Finder<'d> {
    desktop: &'d dyn Desktop,
    apps: HashMap<Pid, Option<App>>,
    /// The tree of a window that was compared last.
    seen: Option<(WindowId, Tree, Instant)>,
}

impl<'d> Finder<'d> {
    pub fn new(desktop: &'d dyn Desktop) -> Self {
        Self { desktop, apps: HashMap::new(), seen: None }
    }

    /// This tree was just read; nothing is done before the next search.
    pub fn saw(&mut self, window: WindowId, tree: Tree, at: Instant) {
        self.seen = Some((window, tree, at));
    }

    fn tree(&mut self, ctx: &Ctx, window: WindowId) -> Result<Tree, DesktopError> {
        match self.seen.take() {
            Some((id, tree, at)) if id == window && at.elapsed() <= FRESH => Ok(tree),
            _ => self.desktop.tree(ctx, window, &Limits::default()),
        }
    }

    /// Find it. With `hidden`, an element that was showing when recorded may be off the screen.
    pub fn find(&mut self, ctx: &Ctx, t: &Target, hidden: bool) -> Found<Place> {
        if t.addressed == Addressed::App {
            return self.app(ctx, t);
        }
        let Some(wanted) = &t.window else { return bare_point(t) };
        let windows = self.windows(ctx, t.app.as_ref(), wanted)?;
        let mut place = match t.element.as_ref().filter(|e| telling(e)) {
            Some(e) if t.addressed != Addressed::Window => self.element(ctx, windows, wanted, e, t, hidden)?,
            _ => {
                let w = one_window(windows, wanted)?;
                let tree = self.tree(ctx, w.id).ok();
                Place { pid: w.pid, window: Some(w), tree, element: None, rung: "window", point: None, to: None }
            }
        };
        self.pointed(t, &mut place)?;
        Ok(place)
    }

    /// Where in the place the point lies, and where a drag ends.
    fn pointed(&self, t: &Target, place: &mut Place) -> Found<()> {
        if matches!(t.addressed, Addressed::Point | Addressed::Desktop) {
            place.point = Some(point(t.point.as_ref(), place)?);
            if place.element.is_none() {
                place.rung = "point";
            }
        }
        place.to = self.to(t, place)?;
        Ok(())
    }

    /// Find it under another label, in a window that is otherwise as it `was`. `None` where
    /// nothing tells that it is there.
    pub fn renamed(&mut self, ctx: &Ctx, t: &Target, was: &State, secrets: &Secrets) -> Found<Option<Place>> {
        let (Some(wanted), Some(e)) = (&t.window, t.element.as_ref().filter(|e| telling(e))) else { return Ok(None) };
        let mut places = Vec::new();
        for w in by_index(self.windows(ctx, t.app.as_ref(), wanted)?, wanted) {
            let tree = self.tree(ctx, w.id)?;
            match structure::find(was, &w, &tree, e, t.point.as_ref(), secrets) {
                Stands::Nothing => {}
                Stands::One(i) => places.push(Place { pid: w.pid, window: Some(w), tree: Some(tree), element: Some(i), rung: "structure", point: None, to: None }),
                Stands::Alike(all) => {
                    let g = Grove::new(&tree);
                    let rows = all.iter().map(|i| row(&w, &g, *i)).collect();
                    return Err(Lost::Ambiguous(format!("{} elements are alike where {} {:?} was", all.len(), e.role, e.name), rows));
                }
            }
        }
        if places.len() > 1 {
            let rows = places.iter().filter_map(|p| Some(json!({"window_id": p.window.as_ref()?.id.0, "title": p.window.as_ref()?.title}))).collect();
            return Err(Lost::Ambiguous(format!("{} windows have an element where {} {:?} was", places.len(), e.role, e.name), rows));
        }
        let Some(mut place) = places.pop() else { return Ok(None) };
        self.pointed(t, &mut place)?;
        Ok(Some(place))
    }

    /// Windows that may be the one, by the closest title that any of them has.
    fn windows(&mut self, ctx: &Ctx, app: Option<&AppTarget>, wanted: &WindowTarget) -> Found<Vec<Window>> {
        let all = self.desktop.windows(ctx)?;
        let mut same = Vec::new();
        for w in all {
            let fits = match app {
                Some(a) => same_app(a, &target::app(&w, self.app_of(ctx, w.pid).as_ref())),
                None => true,
            };
            if fits && kind_fits(&w, wanted) {
                same.push(w);
            }
        }
        let who = app.map_or_else(|| "any application".to_owned(), |a| format!("application {:?}", a.name));
        if same.is_empty() {
            return Err(Lost::Missing(format!("no {} window of {who} is there", wanted.kind)));
        }
        let titled = |f: &dyn Fn(&str) -> bool| same.iter().filter(|w| f(&w.title)).cloned().collect::<Vec<_>>();
        let exact = titled(&|title| title == wanted.title);
        if !exact.is_empty() {
            return Ok(exact);
        }
        let bare = titled(&|title| bare_title(title) == bare_title(&wanted.title));
        if !bare.is_empty() {
            return Ok(bare);
        }
        // A document's window changes its title; a dialog with another title is another dialog.
        if app.is_some() && (wanted.kind == "normal" || wanted.kind == "popup" || wanted.title.is_empty()) {
            return Ok(same);
        }
        Err(Lost::Missing(format!("{who} has no {} titled {:?}", wanted.kind, wanted.title)))
    }

    fn app_of(&mut self, ctx: &Ctx, pid: Option<Pid>) -> Option<App> {
        let pid = pid?;
        if !self.apps.contains_key(&pid) {
            for a in self.desktop.apps(ctx, false).unwrap_or_default() {
                if let Some(p) = a.pid {
                    self.apps.insert(p, Some(a));
                }
            }
            self.apps.entry(pid).or_insert(None);
        }
        self.apps.get(&pid).cloned().flatten()
    }

    fn app(&mut self, ctx: &Ctx, t: &Target) -> Found<Place> {
        let wanted = t.app.as_ref().ok_or_else(|| Lost::Missing("the application was not recorded".into()))?;
        let running: Vec<App> = self.desktop.apps(ctx, false)?.into_iter().filter(|a| a.pid.is_some()).collect();
        let today = |a: &App| AppTarget { name: a.name.clone(), desktop_id: a.id.clone(), executable: a.exe.as_ref().map(|e| e.display().to_string()), wm_class: None, wm_instance: None };
        let fits: Vec<&App> = running.iter().filter(|a| same_app(wanted, &today(a)) && a.name == wanted.name).collect();
        match fits.as_slice() {
            [a] => Ok(Place { window: None, pid: a.pid, tree: None, element: None, rung: "application", point: None, to: None }),
            [] => Err(Lost::Missing(format!("application {:?} is not running", wanted.name))),
            many => {
                let rows = many.iter().map(|a| json!({"pid": a.pid.map(|p| p.0), "name": a.name})).collect();
                Err(Lost::Ambiguous(format!("{} processes are {:?}", many.len(), wanted.name), rows))
            }
        }
    }

    fn element(&mut self, ctx: &Ctx, windows: Vec<Window>, wanted: &WindowTarget, e: &ElementTarget, t: &Target, hidden: bool) -> Found<Place> {
        let windows = by_index(windows, wanted);
        let mut seen: Vec<(Window, Tree)> = Vec::new();
        let mut failed = None;
        for w in windows {
            match self.tree(ctx, w.id) {
                Ok(tree) => seen.push((w, tree)),
                Err(DesktopError::Cancelled) => return Err(Lost::Desktop(DesktopError::Cancelled)),
                Err(err) => failed = Some(err),
            }
        }
        if seen.is_empty() {
            return Err(failed.map_or_else(|| Lost::Missing("its window is not there".into()), Lost::Desktop));
        }
        let (at, index, rung) = ladder(&seen, e, t, hidden)?;
        let (w, tree) = seen.swap_remove(at);
        Ok(Place { pid: w.pid, window: Some(w), tree: Some(tree), element: Some(index), rung, point: None, to: None })
    }

    /// Where a drag ends: as far from its start as it was, unless it ended in another element.
    fn to(&self, t: &Target, place: &Place) -> Found<Option<Point<Local>>> {
        let (Some(to), Some(from)) = (&t.to, place.point) else { return Ok(None) };
        let (Some(was_from), Some(was_to)) = (t.point, to.point) else { return Ok(None) };
        let moved = from.offset(was_to.window.x - was_from.window.x, was_to.window.y - was_from.window.y);
        let other = to.element.as_ref().filter(|e| telling(e) && t.element.as_ref() != Some(*e));
        let (Some(e), Some(tree), Some(w)) = (other, &place.tree, &place.window) else { return Ok(Some(moved)) };
        let seen = [(w.clone(), tree.clone())];
        let (_, index, _) = ladder(&seen, e, &Target { point: to.point, ..Target::default() }, false)?;
        let there = Place { element: Some(index), ..place.clone() };
        point(to.point.as_ref(), &there).map(Some)
    }
}

/// It says more of itself than that it holds others.
fn telling(e: &ElementTarget) -> bool {
    !e.name.is_empty() || e.automation_id.is_some() || !role::container(&e.role)
}

fn kind_fits(w: &Window, wanted: &WindowTarget) -> bool {
    target::kind(w.kind) == wanted.kind || wanted.kind.is_empty()
}

/// Several alike as there were when recorded: the one at the same place among them.
fn by_index(mut windows: Vec<Window>, wanted: &WindowTarget) -> Vec<Window> {
    if wanted.of > 1 && windows.len() == wanted.of as usize {
        windows.sort_by_key(|w| w.id.0);
        return vec![windows.swap_remove((wanted.index as usize).min(windows.len() - 1))];
    }
    windows
}

fn one_window(windows: Vec<Window>, wanted: &WindowTarget) -> Found<Window> {
    let mut windows = by_index(windows, wanted);
    if windows.len() > 1 {
        let rows = windows.iter().map(|w| json!({"window_id": w.id.0, "title": w.title, "app_name": w.app_name})).collect();
        return Err(Lost::Ambiguous(format!("{} windows fit {:?}", windows.len(), wanted.title), rows));
    }
    Ok(windows.remove(0))
}

type Fits = fn(&Grove<'_>, &ElementTarget, usize) -> bool;

/// The first rung that was unique when recorded and fits one element of all these windows.
fn ladder(seen: &[(Window, Tree)], e: &ElementTarget, t: &Target, hidden: bool) -> Found<(usize, usize, &'static str)> {
    let groves: Vec<Grove<'_>> = seen.iter().map(|(_, t)| Grove::new(t)).collect();
    let pools: Vec<Vec<usize>> = groves.iter().map(|g| g.pool(e.showing && !hidden)).collect();
    let rungs: [(&'static str, bool, Fits); 4] = [
        ("id", e.unique.automation_id, |g, e, i| g.fits_id(e, i)),
        ("path", e.unique.path, |g, e, i| g.fits_path(e, i)),
        ("role_name", e.unique.role_name, |g, e, i| g.fits_role_name(e, i)),
        ("neighbours", e.unique.neighbours, |g, e, i| g.fits_neighbours(e, i)),
    ];
    let what = format!("{} {:?}", e.role, e.name);
    for (rung, unique, fits) in rungs.into_iter().filter(|(_, unique, _)| *unique) {
        debug_assert!(unique);
        let found: Vec<(usize, usize)> =
            pools.iter().enumerate().flat_map(|(w, pool)| pool.iter().map(move |i| (w, *i))).filter(|(w, i)| fits(&groves[*w], e, *i)).collect();
        match found.as_slice() {
            [] => {}
            [(w, i)] => return Ok((*w, *i, rung)),
            many => return Err(Lost::Ambiguous(format!("{} elements fit {what} by {rung}", many.len()), many.iter().map(|(w, i)| row(&seen[*w].0, &groves[*w], *i)).collect())),
        }
    }
    let u = e.unique;
    if !u.automation_id && !u.path && !u.role_name && !u.neighbours {
        return by_point(seen, &groves, e, t, &what);
    }
    Err(Lost::Missing(format!("no {what} is in {:?}", seen.first().map_or("", |(w, _)| w.title.as_str()))))
}

/// Nothing told it from others: the alike element at the same place of the window.
fn by_point(seen: &[(Window, Tree)], groves: &[Grove<'_>], e: &ElementTarget, t: &Target, what: &str) -> Found<(usize, usize, &'static str)> {
    let mut found = Vec::new();
    if let Some(p) = &t.point {
        for (w, (window, _)) in seen.iter().enumerate() {
            let at = scaled(&p.window, window.bounds.size()).on_screen(window.bounds.origin());
            found.extend(groves[w].under(at).filter(|i| groves[w].fits_role_name(e, *i)).map(|i| (w, i)));
        }
    }
    match found.as_slice() {
        [(w, i)] => Ok((*w, *i, "point")),
        [] => Err(Lost::Missing(format!("{what} was one of several alike, and none is at its place"))),
        many => Err(Lost::Ambiguous(format!("{} windows have {what} at its place", many.len()), many.iter().map(|(w, i)| row(&seen[*w].0, &groves[*w], *i)).collect())),
    }
}

fn row(w: &Window, g: &Grove<'_>, i: usize) -> Value {
    let n = &g.nodes[i];
    json!({"window_id": w.id.0, "title": w.title, "role": role::of(n), "name": n.name, "frame": n.bounds.map(|b| json!({"x": b.x, "y": b.y, "w": b.w, "h": b.h}))})
}

fn scaled(o: &Offset, now: desktop::Size) -> Point<Local> {
    let one = |v: i32, was: u32, is: u32| if was == is || was == 0 { v } else { (f64::from(v) * f64::from(is) / f64::from(was)).round() as i32 };
    Point::new(one(o.x, o.width, now.w), one(o.y, o.height, now.h))
}

/// The recorded point in what was found.
fn point(p: Option<&PointTarget>, place: &Place) -> Found<Point<Local>> {
    let (Some(p), Some(w)) = (p, &place.window) else { return Err(Lost::Missing("the point was not recorded".into())) };
    let bounds: Option<Rect<Screen>> = place.node().and_then(|n| n.bounds).filter(|b| !b.is_empty());
    if let (Some(o), Some(b)) = (&p.element, bounds) {
        let b = b.within(w.bounds.origin());
        // The same distance from the corner where that is inside; else the same share.
        let inside = o.x < b.w as i32 && o.y < b.h as i32;
        let at = if inside { Point::new(o.x, o.y) } else { scaled(o, b.size()) };
        return Ok(at.offset(b.x, b.y));
    }
    let (is, was) = (w.bounds.size(), (p.window.width, p.window.height));
    if was != (0, 0) && (is.w.abs_diff(was.0) > SAME_SIZE || is.h.abs_diff(was.1) > SAME_SIZE) {
        return Err(Lost::Missing(format!("the window was {}x{} and is {}x{}, and no element lay at the point", was.0, was.1, is.w, is.h)));
    }
    let at = Point::new(p.window.x, p.window.y);
    if at.x < 0 || at.y < 0 || at.x >= is.w as i32 || at.y >= is.h as i32 {
        return Err(Lost::Missing("the point lies outside the window".into()));
    }
    Ok(at)
}

/// A point of the desktop with no window under it.
fn bare_point(t: &Target) -> Found<Place> {
    match &t.point {
        Some(_) => Err(Lost::Missing("no window lay at the point".into())),
        None => Ok(Place { window: None, pid: None, tree: None, element: None, rung: "none", point: None, to: None }),
    }
}

/// The element is where it was in a window of the size that it had: it is not on its way.
pub fn at_rest(t: &Target, place: &Place) -> bool {
    let (Some(p), Some(w), Some(b)) = (&t.point, &place.window, place.node().and_then(|n| n.bounds)) else { return false };
    let Some(o) = &p.element else { return false };
    let b = b.within(w.bounds.origin());
    w.bounds.size() == desktop::Size { w: p.window.width, h: p.window.height } && (b.x, b.y, b.w, b.h) == (p.window.x - o.x, p.window.y - o.y, o.width, o.height)
}

/// Whether an element can be acted on now.
pub fn enabled(n: &Node) -> bool {
    n.has(States::ENABLED) && !n.has(States::DEFUNCT)
}

/// The element in one tree, when exactly one fits.
pub fn in_tree(tree: &Tree, e: &ElementTarget) -> Option<usize> {
    let g = Grove::new(tree);
    let one = |fits: Fits| {
        let mut all = g.pool(e.showing).into_iter().filter(|i| fits(&g, e, *i));
        all.next().filter(|_| all.next().is_none())
    };
    one(|g, e, i| g.fits_path(e, i)).or_else(|| one(|g, e, i| g.fits_role_name(e, i)))
}
