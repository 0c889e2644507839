//! What acts do to a scene: a check box toggles, a field takes text, a menu opens.

use desktop::{
    Act, Button, Ctx, Delivery, DesktopError, Event, Local, Modifiers, NodeKey, Place, Point, Result, Route, Screen,
    States, Wheel, WindowId,
};

use crate::keys::{self, spelled};
use crate::scene::shown;
use crate::state::State;

/// Do one act by one route. The line of it is written down when, and only when, it was sent.
pub(crate) fn perform(s: &mut State, ctx: &Ctx, act: &Act, route: Route) -> Result<Delivery> {
    match act {
        Act::Move { to } => pointer(s, route, *to, "move", |_, _| {}),
        Act::Press { button, at } => {
            let (button, owner) = (*button, ctx.owner);
            let line = format!("press {}", word(button));
            pointer(s, route, *at, &line, |s, over| {
                s.held.push((owner, word(button).into()));
                press(s, route, over, button);
            })
        }
        Act::Release { button, at } => {
            let (button, owner) = (*button, ctx.owner);
            let line = format!("release {}", word(button));
            pointer(s, route, *at, &line, |s, over| {
                s.held.retain(|(o, w)| *o != owner || w != word(button));
                release(s, over, button);
            })
        }
        Act::Click { button, at } => {
            let pressed = perform(s, ctx, &Act::Press { button: *button, at: *at }, route)?;
            let released = perform(s, ctx, &Act::Release { button: *button, at: *at }, route)?;
            Ok(Delivery { focus_given_back: pressed.focus_given_back || released.focus_given_back, ..released })
        }
        Act::Wheel { way, at } => {
            let way = *way;
            pointer(s, route, *at, &format!("wheel {}", way_word(way)), |s, over| wheel(s, over, way))
        }
        Act::HoldModifiers { modifiers, .. } => {
            s.write(format!("hold {}", spelled(*modifiers)), Some(route), None);
            for m in modifiers.iter() {
                s.held.push((ctx.owner, spelled(Modifiers::from_iter([m]))));
            }
            s.modifiers = s.modifiers.iter().chain(modifiers.iter()).collect();
            Ok(Delivery::default())
        }
        Act::ReleaseModifiers { modifiers, .. } => {
            s.write(format!("let go {}", spelled(*modifiers)), Some(route), None);
            for m in modifiers.iter() {
                let held = spelled(Modifiers::from_iter([m]));
                s.held.retain(|(o, w)| *o != ctx.owner || *w != held);
            }
            s.modifiers = s.modifiers.iter().filter(|m| !modifiers.has(*m)).collect();
            Ok(Delivery::default())
        }
        Act::Key { key, modifiers, window } => keys::key(s, route, key, *modifiers, *window),
        Act::Text { text, window } => keys::text(s, ctx, route, text, *window),
        _ => accessible(s, act, route),
    }
}

/// Whether a route can reach a window for pointer or keyboard acts.
pub(crate) fn reach(s: &State, id: WindowId, route: Route) -> Result<()> {
    let window = s.scene.window(id).ok_or(DesktopError::WindowGone(id))?;
    let no = |why: &str| Err(DesktopError::CannotReach { route, why: why.into() });
    if let Some((_, _, why)) = s.faults.unreached.iter().find(|(w, r, _)| *w == id && *r == route) {
        return no(why);
    }
    match route {
        Route::System => no("the system has no such act"),
        Route::Accessibility => Ok(()),
        _ if window.minimized => Err(DesktopError::Minimized(id)),
        _ if !shown(window) => no("the window is not on the screen"),
        _ => Ok(()),
    }
}

/// Which window and spot a place means for a route. The second pointer goes to the window that
/// is meant or nowhere; the person's own pointer reaches what is on top.
pub(crate) fn aim(s: &State, route: Route, place: Place) -> Result<(String, Point<Screen>, Option<WindowId>)> {
    match place {
        Place::Window(id, at) => {
            reach(s, id, route)?;
            let window = s.scene.window(id).ok_or(DesktopError::WindowGone(id))?;
            let spot = at.on_screen(window.bounds.origin());
            let top = s.scene.top_at(spot).map(|w| w.id);
            if route == Route::SecondSeat && top != Some(id) {
                return Err(DesktopError::CannotReach { route, why: "another window is on top there".into() });
            }
            let gets = if route == Route::SentEvents { Some(id) } else { top };
            Ok((format!("{id} ({},{})", at.x, at.y), spot, gets))
        }
        Place::Screen(at) => {
            if matches!(route, Route::SentEvents | Route::Accessibility | Route::System) {
                return Err(DesktopError::CannotReach { route, why: "a point of the screen has no window".into() });
            }
            Ok((format!("screen ({},{})", at.x, at.y), at, s.scene.top_at(at).map(|w| w.id)))
        }
    }
}

fn pointer(s: &mut State, route: Route, place: Place, what: &str, then: impl FnOnce(&mut State, Option<&NodeKey>)) -> Result<Delivery> {
    if route == Route::Accessibility || route == Route::System {
        return Err(DesktopError::CannotReach { route, why: "it has no pointer".into() });
    }
    let (place, spot, gets) = aim(s, route, place)?;
    let at_rest = what == "move" && match route {
        Route::Global => s.pointer.0 == spot,
        Route::SecondSeat => s.agent == Some(spot),
        _ => false,
    };
    if !at_rest {
        s.write(format!("{what} {place}"), Some(route), None);
    }
    match route {
        Route::Global => s.pointer.0 = spot,
        Route::SecondSeat => s.agent = Some(spot),
        _ => {}
    }
    s.emit(&Event::PointerMoved { at: spot, agent: route != Route::Global });
    let before = s.scene.active;
    let over = gets.and_then(|id| s.scene.window(id)).filter(|w| !w.pid.is_some_and(|p| s.faults.hung.contains(&p)));
    let over = over.and_then(|w| {
        let at: Point<Local> = spot.within(w.bounds.origin());
        s.scene.object_at(w, at)
    });
    if !at_rest && what == "move" {
        let changed = s.faults.hovers.iter().find(|(k, _)| Some(k) == over.as_ref()).map(|(_, other)| other.clone());
        if let Some((other, id)) = changed.and_then(|k| Some((k.clone(), s.scene.objects.get(&k)?.window))) {
            s.changed(id, Some(&other));
        }
    }
    then(s, over.as_ref());
    let took = what.starts_with("press") && s.faults.presses_take_focus && route == Route::SecondSeat && gets != before;
    if took {
        s.set_active(gets);
        s.set_active(before);
    }
    Ok(Delivery { focus_given_back: took, at_rest, ..Delivery::default() })
}

fn press(s: &mut State, route: Route, over: Option<&NodeKey>, button: Button) {
    s.pressed = over.map(|k| (k.clone(), button));
    let Some(o) = over.and_then(|k| s.scene.objects.get(k)) else { return };
    let (window, focusable, key) = (o.window, o.states.has(States::FOCUSABLE | States::ENABLED), o.key.clone());
    if focusable && let Some(w) = s.scene.window_mut(window) {
        w.focus = Some(key);
    }
    if route == Route::Global {
        s.set_active(Some(window));
    }
}

fn release(s: &mut State, over: Option<&NodeKey>, button: Button) {
    let Some((from, pressed)) = s.pressed.take() else { return };
    if pressed != button {
        return;
    }
    let with = if s.modifiers.is_empty() { String::new() } else { format!(" with {}", spelled(s.modifiers)) };
    match over {
        Some(to) if *to == from => {
            let what = match button {
                Button::Left => "clicked",
                Button::Middle => "clicked middle",
                Button::Right => "clicked right",
            };
            activate(s, &from, &format!("{what}{with}"), button == Button::Left);
        }
        Some(to) => {
            let name = s.scene.objects.get(to).map(crate::scene::Obj::label).unwrap_or_default();
            s.felt(&from, format!("dragged to {name}{with}"));
        }
        None => s.felt(&from, format!("dragged away{with}")),
    }
}

fn wheel(s: &mut State, over: Option<&NodeKey>, way: Wheel) {
    let Some(key) = over else { return };
    s.felt(key, format!("scrolled {}", way_word(way)));
    let mut at = Some(key.clone());
    while let Some(k) = at {
        let Some(o) = s.scene.objects.get(&k) else { return };
        if o.role == "scroll pane" {
            for child in o.children.clone() {
                if let Some(c) = s.scene.objects.get_mut(&child) {
                    c.states.set(States::SHOWING, true);
                }
            }
            return;
        }
        at = o.parent.clone();
    }
}

/// What a click or an action does. `main`: the ordinary one, not a context menu.
pub(crate) fn activate(s: &mut State, key: &NodeKey, what: &str, main: bool) {
    let Some(o) = s.scene.objects.get(key) else { return };
    if !o.states.has(States::ENABLED) || o.noop {
        return;
    }
    let (role, parent, opens, closes, window) = (o.role.clone(), o.parent.clone(), o.opens, o.closes, o.window);
    if main {
        match role.as_str() {
            "check box" | "toggle button" | "check menu item" => flip(s, key, States::CHECKED),
            "radio button" => only(s, key, States::CHECKED),
            "list item" | "page tab" | "tree item" | "table row" | "table cell" => only(s, key, States::SELECTED),
            "combo box" | "menu" => flip(s, key, States::EXPANDED),
            "menu item" => choose(s, key, parent.as_ref()),
            _ => {}
        }
    }
    s.felt(key, what);
    if let Some(id) = opens {
        open(s, id);
    }
    if closes {
        s.scene.drop_window(window);
        s.emit(&Event::WindowClosed(window));
    }
}

/// Bring a window that waits in the scene in front.
pub(crate) fn open(s: &mut State, id: WindowId) {
    if let Some(i) = s.scene.windows.iter().position(|w| w.id == id && w.closed) {
        let mut w = s.scene.windows.remove(i);
        w.closed = false;
        s.scene.windows.push(w);
        s.emit(&Event::WindowOpened(id));
    }
}

fn flip(s: &mut State, key: &NodeKey, state: States) {
    if let Some(o) = s.scene.objects.get_mut(key) {
        o.states.set(state, !o.states.has(state));
    }
}

fn only(s: &mut State, key: &NodeKey, state: States) {
    let siblings = s.scene.objects.get(key).and_then(|o| o.parent.as_ref()).and_then(|p| s.scene.objects.get(p)).map(|p| p.children.clone());
    for k in siblings.unwrap_or_default() {
        if let Some(o) = s.scene.objects.get_mut(&k) {
            o.states.set(state, k == *key);
        }
    }
}

/// A menu item closes its menus; an option of a combo box becomes its value.
fn choose(s: &mut State, key: &NodeKey, parent: Option<&NodeKey>) {
    let name = s.scene.objects.get(key).map(|o| o.name.clone());
    if let Some(p) = parent.and_then(|p| s.scene.objects.get_mut(p))
        && p.role == "combo box"
    {
        p.value = name;
        only(s, key, States::SELECTED);
    }
    let mut at = parent.cloned();
    while let Some(k) = at {
        let Some(o) = s.scene.objects.get_mut(&k) else { return };
        if o.folds() {
            o.states.set(States::EXPANDED, false);
        }
        at = o.parent.clone();
    }
}

/// Where a pointer act goes.
pub(crate) fn place_of(act: &Act) -> Option<Place> {
    match act {
        Act::Move { to } => Some(*to),
        Act::Press { at, .. } | Act::Release { at, .. } | Act::Click { at, .. } | Act::Wheel { at, .. } => Some(*at),
        _ => None,
    }
}

fn target(act: &Act) -> Option<&NodeKey> {
    match act {
        Act::Invoke { node, .. } | Act::SetText { node, .. } | Act::InsertText { node, .. } => Some(node),
        Act::SetNumber { node, .. } | Act::Focus { node } | Act::ScrollIntoView { node } => Some(node),
        Act::Select { container, .. } => Some(container),
        _ => None,
    }
}

/// The window an act goes to, where it names one.
pub(crate) fn window_of(s: &State, act: &Act) -> Option<WindowId> {
    match act {
        Act::Key { window, .. } | Act::Text { window, .. } => *window,
        Act::HoldModifiers { window, .. } | Act::ReleaseModifiers { window, .. } => *window,
        _ => match place_of(act) {
            Some(Place::Window(w, _)) => Some(w),
            _ => target(act).and_then(|k| s.scene.object(k)).map(|o| o.window),
        },
    }
}

/// Acts on an object.
fn accessible(s: &mut State, act: &Act, route: Route) -> Result<Delivery> {
    if route != Route::Accessibility {
        return Err(DesktopError::CannotReach { route, why: "only the accessibility interface has objects".into() });
    }
    if s.faults.no_bus {
        return Err(DesktopError::NoAccessibility("the fake has no bus".into()));
    }
    let key = target(act).ok_or(DesktopError::NodeGone)?;
    let o = s.scene.object(key).ok_or(DesktopError::NodeGone)?.clone();
    let alive = o.states.has(States::ENABLED) && !o.noop;
    let offered = |yes: bool, what: &str| if yes { Ok(()) } else { Err(DesktopError::NotOffered(what.into())) };
    match act {
        Act::Invoke { action, .. } => {
            offered(o.actions.contains(action), action)?;
            s.write(format!("invoke {} {action}", o.label()), Some(route), Some(key));
            let what = if matches!(o.role.as_str(), "text" | "entry") { "activated" } else { "clicked" };
            activate(s, key, what, true);
        }
        Act::SetText { text, .. } => {
            offered(o.editable, "text")?;
            s.write(format!("set text {} {text:?}", o.label()), Some(route), Some(key));
            if alive {
                let text = if o.shouts { text.to_uppercase() } else { text.clone() };
                keys::replace(s, key, &text);
            }
        }
        Act::InsertText { text, at, .. } => {
            offered(o.editable, "text")?;
            let place = at.map_or("caret".into(), |a| a.to_string());
            s.write(format!("insert text {} {text:?} at {place}", o.label()), Some(route), Some(key));
            if alive {
                keys::insert(s, key, text, at.map(|a| a as usize));
            }
        }
        Act::SetNumber { value, .. } => {
            offered(o.range.is_some(), "number")?;
            s.write(format!("set number {} {value}", o.label()), Some(route), Some(key));
            if alive {
                keys::number(s, key, *value);
            }
        }
        Act::Select { child, on, .. } => {
            offered(o.selection, "selection")?;
            let c = s.scene.object(child).ok_or(DesktopError::NodeGone)?.label();
            s.write(format!("{} {} {c}", if *on { "select" } else { "unselect" }, o.label()), Some(route), Some(key));
            if alive {
                select(s, &o.role, key, child, *on);
            }
        }
        Act::Focus { .. } => {
            offered(o.states.has(States::FOCUSABLE), "focus")?;
            s.write(format!("focus {}", o.label()), Some(route), Some(key));
            if alive && let Some(w) = s.scene.window_mut(o.window) {
                w.focus = Some(key.clone());
                s.felt(key, "focused");
            }
        }
        Act::ScrollIntoView { .. } => {
            offered(!o.fixed, "scrolling")?;
            s.write(format!("scroll to {}", o.label()), Some(route), Some(key));
            if let Some(o) = s.scene.objects.get_mut(key) {
                o.states.set(States::SHOWING, true);
            }
        }
        _ => return Err(DesktopError::NodeGone),
    }
    Ok(Delivery::default())
}

fn select(s: &mut State, role: &str, container: &NodeKey, child: &NodeKey, on: bool) {
    if role == "combo box" && on {
        choose(s, child, Some(container));
    } else if on {
        only(s, child, States::SELECTED);
    } else if let Some(c) = s.scene.objects.get_mut(child) {
        c.states.set(States::SELECTED, false);
    }
    s.felt(child, if on { "selected" } else { "unselected" });
}

fn word(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
    }
}

fn way_word(way: Wheel) -> &'static str {
    match way {
        Wheel::Up => "up",
        Wheel::Down => "down",
        Wheel::Left => "left",
        Wheel::Right => "right",
    }
}
