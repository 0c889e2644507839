//! Pressing what was aimed at: an element by its own action where it has one, else the spot where
//! it is, and proof of what came of it.

use std::time::Duration;

use desktop::{Act, Button, DesktopError, Modifiers, Node, NodeKey, Place, Point, Route, Screen, States, Window};

use crate::aim::{Aim, Element};
use crate::effect::{ActionResult, Effect, EscalationReason, EscalationTarget, EvidenceKind, Mode};
use crate::foreground::Foreground;
use crate::ladder::{self, Kind};
use crate::lane::{Pass, Slot};
use crate::pointer::{self, Click};
use crate::proof::{self, Watch};
use crate::run::Run;
use crate::{Code, Refusal, role};

/// How an element or a point is pressed.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub button: Button,
    pub count: u32,
    pub modifiers: Modifiers,
    pub mode: Mode,
}

impl Press {
    pub const fn plain(mode: Mode) -> Self {
        Self { button: Button::Left, count: 1, modifiers: Modifiers::NONE, mode }
    }

    fn is_plain(&self) -> bool {
        matches!(self.button, Button::Left) && self.count == 1 && self.modifiers.is_empty()
    }
}

/// Acts on one window wait for one another.
pub fn lane(run: &Run<'_>, aim: &Aim) -> Result<Option<Pass>, Refusal> {
    aim.window.as_ref().map(|w| run.engine.lane().enter(Slot::Window(w.id), &run.ctx)).transpose()
}

/// Press what was aimed at.
pub fn press(run: &Run<'_>, aim: &Aim, p: &Press) -> Result<ActionResult, Refusal> {
    let _turn = lane(run, aim)?;
    match &aim.element {
        Some(e) => element(run, aim, e, p),
        None => match &aim.point {
            Some(spot) => point(run, aim.window.as_ref(), aim.place(spot), None, p),
            None => Err(Refusal::new(Code::InvalidArguments, "`element_token`: a click needs an element or a point x, y.").with("field", "element_token")),
        },
    }
}

fn element(run: &Run<'_>, aim: &Aim, e: &Element, p: &Press) -> Result<ActionResult, Refusal> {
    let window = aim.window()?;
    usable(&e.node)?;
    if p.is_plain() && p.mode != Mode::Foreground {
        reachable(&e.node, window)?;
        if let Some(action) = press_action(&e.node) {
            return invoke(run, window, &e.node, action);
        }
        if let Some(done) = select(run, window, &e.node)? {
            return Ok(done);
        }
    }
    let _front = foreground(run, p.mode, Some(window))?;
    let (node, at) = spot_of(run, window, &e.node)?;
    point(run, Some(window), at, Some(&node), &Press { mode: p.mode, ..*p })
}

/// Refuse what a person could not use either.
pub fn usable(n: &Node) -> Result<(), Refusal> {
    if !n.has(States::ENABLED) {
        return Err(Refusal::new(Code::ElementDisabled, format!("{} {} is disabled; nothing was sent.", role::of(n), crate::view::quoted(&n.name))));
    }
    Ok(())
}

/// Refuse what is hidden or on a page that is not shown. Menus that are closed, and windows that
/// are minimised or elsewhere, are reached by accessibility all the same.
fn reachable(n: &Node, window: &Window) -> Result<(), Refusal> {
    let r = role::of(n);
    let in_menu = matches!(r, "menuitem" | "menuitemcheckbox" | "menuitemradio" | "menu" | "option" | "listitem");
    let away = window.minimized || !window.on_screen;
    if (!n.has(States::VISIBLE) && !in_menu) || (!n.has(States::SHOWING) && !in_menu && !away && n.bounds.is_none_or(|b| b.is_empty())) {
        return Err(hidden(n));
    }
    Ok(())
}

fn hidden(n: &Node) -> Refusal {
    Refusal::new(Code::ElementNotVisible, format!("{} {} is not visible; nothing was sent.", role::of(n), crate::view::quoted(&n.name)))
}

/// The action that means a press, chosen by name. What an element of this role does with the same
/// word is looked at: a field's `activate` is Return, a row's is a double click.
pub fn press_action(n: &Node) -> Option<&str> {
    let words: &[&str] = match role::of(n) {
        "button" | "checkbox" | "switch" | "radio" | "menuitem" | "menuitemcheckbox" | "menuitemradio" | "menu" | "link" | "tab" | "option" => {
            &["click", "press", "toggle", "activate", "jump", "dodefault", "do default", "check", "uncheck", "select"]
        }
        "combobox" => &["press", "click", "open", "dodefault"],
        "textbox" | "searchbox" | "spinbutton" | "slider" | "cell" | "row" | "treeitem" | "listitem" => &[],
        _ => &["click", "press", "jump"],
    };
    words.iter().find_map(|w| n.actions.iter().find(|a| a.eq_ignore_ascii_case(w))).map(String::as_str)
}

/// Do one accessibility action and look what came of it.
pub fn invoke(run: &Run<'_>, window: &Window, n: &Node, action: &str) -> Result<ActionResult, Refusal> {
    let mut watch = Watch::begin(run, Some(window), Some(n), &[]);
    let act = Act::Invoke { node: n.key.clone(), action: action.to_owned() };
    let delivery = run.desktop().perform(&run.brief(), &act, Route::Accessibility).map_err(|e| match e {
        DesktopError::NotOffered(_) => Refusal::new(Code::StaleElementToken, format!("The element no longer offers {action:?}; nothing was sent.")),
        e => run.no_window(e, window),
    })?;
    watch.late(delivery.late);
    let evidence = watch.seek(run, proof::bound(n, delivery.late), &proof::changed);
    Ok(judged(n, &watch, ActionResult::proven(Route::Accessibility, Mode::Background, &evidence)))
}

/// A box that did not turn has seen nothing of the press, unless it turns by itself.
fn judged(n: &Node, watch: &Watch, mut r: ActionResult) -> ActionResult {
    let turns = matches!(role::of(n), "checkbox" | "switch" | "menuitemcheckbox") || (role::of(n) == "radio" && !n.has(States::CHECKED));
    if r.effect == Effect::Unverifiable && turns && !watch.is_restless(&n.key) {
        r.effect = Effect::SuspectedNoop;
        r = r.escalate(EscalationTarget::Pixel, EscalationReason::SuspectedNoop);
    }
    r
}

/// Select a row, item or tab through its container.
fn select(run: &Run<'_>, window: &Window, n: &Node) -> Result<Option<ActionResult>, Refusal> {
    if !matches!(role::of(n), "listitem" | "option" | "cell" | "row" | "treeitem" | "tab") || !n.has(States::SELECTABLE) {
        return Ok(None);
    }
    let container = {
        let state = run.session.state();
        let Some(s) = state.snapshots.newest(window.id) else { return Ok(None) };
        let Some(i) = s.tree.nodes.iter().position(|x| x.key == n.key) else { return Ok(None) };
        std::iter::successors(s.tree.nodes[i].parent, |p| s.tree.nodes[*p].parent).map(|p| &s.tree.nodes[p]).find(|c| c.selection).map(|c| c.key.clone())
    };
    let Some(container) = container else { return Ok(None) };
    let mut watch = Watch::begin(run, Some(window), Some(n), &[]);
    let act = Act::Select { container, child: n.key.clone(), on: true };
    let delivery = match run.desktop().perform(&run.brief(), &act, Route::Accessibility) {
        Ok(delivery) => delivery,
        Err(DesktopError::NotOffered(_) | DesktopError::CannotReach { .. } | DesktopError::Unsupported(_)) => return Ok(None),
        Err(e) => return Err(run.no_window(e, window)),
    };
    watch.late(delivery.late);
    let evidence = watch.seek(run, proof::bound(n, delivery.late), &proof::changed);
    let proven = evidence.contains(&EvidenceKind::SelectionReadback) || n.has(States::SELECTED);
    // Provably not selected: the pointer may try.
    if !proven && run.desktop().read(&run.brief(), &n.key).is_ok_and(|now| !now.has(States::SELECTED)) {
        return Ok(None);
    }
    Ok(Some(ActionResult::proven(Route::Accessibility, Mode::Background, &evidence)))
}

/// The foreground, where the call asked for it.
pub fn foreground<'a>(run: &'a Run<'a>, mode: Mode, window: Option<&Window>) -> Result<Option<Foreground<'a>>, Refusal> {
    if mode == Mode::Foreground { Foreground::take(run, window, true).map(Some) } else { Ok(None) }
}

/// The middle of the visible part of an element, scrolled into view where it has to be.
pub fn spot_of(run: &Run<'_>, window: &Window, n: &Node) -> Result<(Node, Place), Refusal> {
    if window.minimized {
        return Err(run.no(DesktopError::Minimized(window.id)));
    }
    let mut node = n.clone();
    if visible(&node, window).is_none() {
        let act = Act::ScrollIntoView { node: n.key.clone() };
        if run.desktop().perform(&run.brief(), &act, Route::Accessibility).is_ok() {
            for _ in 0..10 {
                run.wait(Duration::from_millis(30))?;
                node = run.desktop().read(&run.brief(), &n.key).map_err(|e| run.no_window(e, window))?;
                if visible(&node, window).is_some() {
                    break;
                }
            }
        }
    }
    let screen = visible(&node, window).ok_or_else(|| hidden(n))?;
    let local = screen.within(window.bounds.origin());
    let hit = run.desktop().hit(&run.brief(), window.id, local).map_err(|e| run.no_window(e, window))?;
    if let Some(cover) = over(run, window, &node, screen) {
        let what = format!("{} {}", role::of(&cover), crate::view::quoted(&cover.name));
        return Err(Refusal::new(Code::ElementNotVisible, format!("The element is covered by {what} of its own window; nothing was sent."))
            .hint("Close or move what covers it first.")
            .with("occluded_by", serde_json::json!({"role": role::of(&cover), "label": cover.name})));
    }
    match hit.top {
        Some(top) if top == window.id => Ok((node, Place::Window(window.id, local))),
        Some(top) => Ok((covered(run, node, window, local, top, &hit.top_title)?, Place::Window(window.id, local))),
        None => Err(Refusal::new(Code::ElementNotVisible, "The element lies off the screen; nothing was sent.")),
    }
}

/// The element of the same window that surely lies over another at this spot: one that takes the
/// pointer, comes later among those that are drawn in their order, and is still there. Pages draw
/// in an order of their own.
fn over(run: &Run<'_>, window: &Window, node: &Node, spot: Point<Screen>) -> Option<Node> {
    let candidates: Vec<NodeKey> = {
        let state = run.session.state();
        let s = state.snapshots.newest(window.id).filter(|s| s.window.birth == window.birth)?;
        let i = s.tree.nodes.iter().position(|n| n.key == node.key)?;
        let inside = |j: usize| std::iter::successors(Some(j), |j| s.tree.nodes[*j].parent).any(|j| j == i);
        let then = spot.within(window.bounds.origin()).on_screen(s.window.bounds.origin());
        let takes = |n: &Node| !n.has(States::WEB) && n.has(States::SHOWING) && takes_pointer(role::of(n)) && n.bounds.is_some_and(|b| b.contains(then));
        let later = s.tree.nodes.iter().enumerate().skip(i + 1).rev();
        later.filter(|(j, n)| takes(n) && !inside(*j)).map(|(_, n)| n.key.clone()).take(4).collect()
    };
    candidates.iter().find_map(|k| {
        let n = run.desktop().read(&run.brief(), k).ok()?;
        (n.has(States::VISIBLE | States::SHOWING) && n.bounds.is_some_and(|b| b.contains(spot))).then_some(n)
    })
}

/// Roles that keep what lies under them from the pointer, whatever they are made of.
fn takes_pointer(role: &str) -> bool {
    matches!(role, "button" | "checkbox" | "switch" | "radio" | "textbox" | "searchbox" | "combobox" | "spinbutton" | "slider" | "dialog" | "alert")
}

/// A covered element can be reached once its window is in front; in the background it cannot.
fn covered(run: &Run<'_>, node: Node, window: &Window, at: Point<desktop::Local>, top: desktop::WindowId, title: &str) -> Result<Node, Refusal> {
    let act = Act::Press { button: Button::Left, at: Place::Window(window.id, at) };
    // A way that does not go through the screen may exist.
    if ladder::routes(Kind::Pointer, Mode::Background).iter().any(|r| run.desktop().reaches(&run.brief(), window.id, &act, *r).is_ok()) {
        return Ok(node);
    }
    Err(Refusal::new(Code::BackgroundUnavailable, format!("The spot is covered by window {top} {}; nothing was sent.", crate::view::quoted(title)))
        .with("occluded_by", serde_json::json!({"window_id": top.0, "title": title}))
        .with("escalation", serde_json::json!({"target": "foreground", "reason": "route_unavailable"})))
}

/// The middle of what of an element lies inside its window.
fn visible(n: &Node, window: &Window) -> Option<Point<Screen>> {
    if !n.has(States::VISIBLE) || !n.has(States::SHOWING) {
        return None;
    }
    let part = n.bounds?.meet(&window.bounds)?;
    Some(part.centre())
}

/// Click a place and look what came of it. `node` is the element that lies there, where known.
fn point(run: &Run<'_>, window: Option<&Window>, at: Place, node: Option<&Node>, p: &Press) -> Result<ActionResult, Refusal> {
    // An element's click has taken the foreground already, to know where the element is then.
    let _front = if node.is_none() { foreground(run, p.mode, window)? } else { None };
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let known = match node {
        Some(n) => Some(n.key.clone()),
        None => window.and_then(|w| under(run, w, at)),
    };
    let birth = window.map_or(0, |w| w.birth);
    let rested = p.mode == Mode::Background && run.engine.rest().since(at, birth, run.host().now());
    let click = Click { at, button: p.button, count: p.count, modifiers: p.modifiers };
    let (mut watch, route, delivery) = std::thread::scope(|beside| {
        // Under a pointer that rests, an element is as it will be when it is pressed.
        let key = known.as_ref().filter(|_| rested);
        let early = key.zip(window).map(|(key, w)| beside.spawn(move || lying(run, w, key, at)));
        let mut watch = Watch::begin(run, window, node, &[at]);
        let arrived = |at_rest: bool| match (window, early) {
            (None, _) => watch.hush(run),
            (Some(_), Some(early)) if at_rest => rests(run, &mut watch, early.join().ok().flatten()),
            (Some(w), _) => hovered(run, &mut watch, w, known.as_ref(), at),
        };
        let (route, delivery) = pointer::click(run, ladder::routes(Kind::Pointer, p.mode), &click, arrived)?;
        Ok((watch, route, delivery))
    })?;
    run.engine.rest().at(at, birth, run.host().now());
    let bound = node.map_or(proof::BOUND, |n| proof::bound(n, delivery.late));
    let evidence = watch.seek(run, bound, &proof::changed);
    let mut r = ActionResult::proven(route, p.mode, &evidence);
    if let Some(n) = node.filter(|_| p.is_plain()) {
        r = judged(n, &watch, r);
    }
    if delivery.focus_given_back {
        tracing::debug!("the window manager took the focus; it was given back");
    }
    Ok(r)
}

/// The element at a point of the newest snapshot of a window, where it is one that is acted on:
/// the last in document order, which lies on top.
fn under(run: &Run<'_>, window: &Window, at: Place) -> Option<NodeKey> {
    let Place::Window(_, local) = at else { return None };
    let state = run.session.state();
    let s = state.snapshots.newest(window.id).filter(|s| s.window.birth == window.birth && s.window.bounds.size() == window.bounds.size())?;
    let then = local.on_screen(s.window.bounds.origin());
    let shown = |n: &&Node| n.has(States::VISIBLE) && n.has(States::SHOWING) && n.bounds.is_some_and(|b| b.contains(then));
    s.tree.nodes.iter().skip(1).filter(shown).rfind(|n| role::interactive(role::of(n))).map(|n| n.key.clone())
}

/// Between the motion and the press: what comes of the pointer being there must not be taken for
/// what comes of the press. An element that is known tells by itself, and is looked at as it is
/// with the pointer over it; without one only paint can tell, and what else paints is waited for.
fn hovered(run: &Run<'_>, watch: &mut Watch, window: &Window, known: Option<&NodeKey>, at: Place) {
    // Having answered, the application has done what it does about the motion, and told of it.
    let done = known.is_some() && run.desktop().caught_up(&run.brief(), window.id).unwrap_or(false);
    let Some((key, mut node)) = known.and_then(|k| Some((k, lying(run, window, k, at)?))) else { return watch.hush(run) };
    // A page hears of the pointer later than the window that shows it.
    let page = node.has(States::WEB);
    watch.still(run, if done && !page { TOLD } else { proof::HOVER });
    if page || !done {
        let Some(now) = lying(run, window, key, at) else { return };
        node = now;
    }
    watch.without_paint();
    watch.of(node);
}

/// The same where the pointer was there before: what came of that is over.
fn rests(run: &Run<'_>, watch: &mut Watch, node: Option<Node>) {
    let Some(node) = node else { return watch.hush(run) };
    watch.without_paint();
    watch.of(node);
}

/// An element as it is now, if it lies at this place.
fn lying(run: &Run<'_>, window: &Window, key: &NodeKey, at: Place) -> Option<Node> {
    let Place::Window(_, local) = at else { return None };
    let spot = local.on_screen(window.bounds.origin());
    run.desktop().read(&run.brief(), key).ok().filter(|n| n.bounds.is_some_and(|b| b.contains(spot)))
}

/// How long what was told before an answer may be behind it.
const TOLD: Duration = Duration::from_millis(1);

/// The spot of an aim that pointer tools go to: its point, the middle of its element, or of its
/// window.
pub fn place_of(run: &Run<'_>, aim: &Aim) -> Result<Place, Refusal> {
    if let Some(spot) = &aim.point {
        return Ok(aim.place(spot));
    }
    let window = aim.window()?;
    match &aim.element {
        Some(e) => spot_of(run, window, &e.node).map(|(_, at)| at),
        None => {
            if window.minimized {
                return Err(run.no(DesktopError::Minimized(window.id)));
            }
            let b = window.bounds;
            Ok(Place::Window(window.id, Point::new((b.w / 2) as i32, (b.h / 2) as i32)))
        }
    }
}

