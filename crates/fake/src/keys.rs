//! Keys, text and values: what arrives in the focused object of a window.

use desktop::{
    Ctx, Delivery, DesktopError, Key, Modifier, Modifiers, NodeKey, Range, Result, Route, States, Stopped, WindowId,
};

use crate::acts::{activate, reach};
use crate::state::State;

/// `ctrl+shift`, in a fixed order.
pub(crate) fn spelled(m: Modifiers) -> String {
    let word = |m| match m {
        Modifier::Shift => "shift",
        Modifier::Control => "ctrl",
        Modifier::Alt => "alt",
        Modifier::Super => "super",
        Modifier::Level3 => "altgr",
    };
    m.iter().map(word).collect::<Vec<_>>().join("+")
}

/// The window that keys of a route get to.
fn keyboard(s: &State, route: Route, window: Option<WindowId>) -> Result<WindowId> {
    let no = |why: &str| DesktopError::CannotReach { route, why: why.into() };
    let id = window.or(s.scene.active).ok_or_else(|| no("no window has the keyboard"))?;
    if matches!(route, Route::Accessibility | Route::System) {
        return Err(no("it has no keyboard"));
    }
    reach(s, id, route)?;
    if route == Route::Global && s.scene.active != Some(id) {
        return Err(no("the window is not active"));
    }
    Ok(id)
}

fn hung(s: &State, id: WindowId) -> bool {
    s.scene.window(id).and_then(|w| w.pid).is_some_and(|p| s.faults.hung.contains(&p))
}

fn focused(s: &State, id: WindowId) -> Option<NodeKey> {
    s.scene.window(id).map(|w| w.focus.clone().unwrap_or_else(|| w.root.clone()))
}

pub(crate) fn key(s: &mut State, route: Route, key: &Key, modifiers: Modifiers, window: Option<WindowId>) -> Result<Delivery> {
    let id = keyboard(s, route, window)?;
    if let Key::Char(c) = key
        && s.faults.untypable.contains(c)
    {
        return Err(DesktopError::Undeliverable(*c));
    }
    let name = match key {
        Key::Char(c) => c.to_string(),
        Key::Named(n) => (*n).to_owned(),
    };
    let chord = if modifiers.is_empty() { name } else { format!("{}+{name}", spelled(modifiers)) };
    s.write(format!("key {id} {chord}"), Some(route), None);
    if !hung(s, id)
        && let Some(node) = focused(s, id)
    {
        press(s, id, &node, key, modifiers, &chord);
    }
    Ok(Delivery::default())
}

fn press(s: &mut State, id: WindowId, node: &NodeKey, key: &Key, modifiers: Modifiers, chord: &str) {
    let Some(o) = s.scene.objects.get(node) else { return };
    let (role, all) = (o.role.clone(), o.value.clone().unwrap_or_default());
    let plain = modifiers.is_empty() || (modifiers == Modifiers::from_iter([Modifier::Shift]) && matches!(key, Key::Char(_)));
    if modifiers == Modifiers::from_iter([Modifier::Control]) {
        match key {
            Key::Char('a') => set(s, node, |o| o.all_selected = true),
            Key::Char('c') => s.clipboard.text = Some(all),
            Key::Char('v') => insert(s, node, &s.clipboard.text.clone().unwrap_or_default(), None),
            _ => {}
        }
    }
    match key {
        Key::Char(c) if plain && takes_text(s, node) => return insert(s, node, &c.to_string(), None),
        Key::Named("space") if plain && takes_text(s, node) => return insert(s, node, " ", None),
        Key::Named("Return") if plain => return newline(s, node),
        Key::Named("Tab" | "ISO_Left_Tab") => {
            return step_focus(s, id, modifiers.has(Modifier::Shift) || *key == Key::Named("ISO_Left_Tab"));
        }
        Key::Named("space") if plain && role != "frame" => return activate(s, node, "clicked by key", true),
        Key::Named("BackSpace") if takes_text(s, node) => delete(s, node, 1, 0),
        Key::Named("Delete") if takes_text(s, node) => delete(s, node, 0, 1),
        Key::Named("Home") => set(s, node, |o| (o.caret, o.all_selected) = (0, false)),
        Key::Named("End") => set(s, node, |o| (o.caret, o.all_selected) = (usize::MAX, false)),
        Key::Named("Left") => set(s, node, |o| o.caret = o.caret.saturating_sub(1)),
        Key::Named("Right" | "Up" | "Down") => arrow(s, node, key),
        _ => {}
    }
    s.felt(node, format!("key {chord}"));
}

fn arrow(s: &mut State, node: &NodeKey, key: &Key) {
    let Some(o) = s.scene.objects.get(node) else { return };
    match o.range {
        Some(r) => number(s, node, if *key == Key::Named("Down") { r.now - r.step } else { r.now + r.step }),
        None => set(s, node, |o| o.caret += usize::from(*key == Key::Named("Right"))),
    }
}

fn newline(s: &mut State, node: &NodeKey) {
    match s.scene.objects.get(node) {
        Some(o) if o.states.has(States::MULTI_LINE) => insert(s, node, "\n", None),
        Some(o) if o.role == "push button" => activate(s, node, "clicked by key", true),
        _ => s.felt(node, "activated"),
    }
}

fn step_focus(s: &mut State, id: WindowId, back: bool) {
    let Some(w) = s.scene.window(id) else { return };
    let can = States::FOCUSABLE | States::ENABLED;
    let mut order: Vec<NodeKey> =
        s.scene.walk(&w.root).into_iter().filter(|k| s.scene.objects[k].states.has(can) && s.scene.showing(k)).collect();
    if back {
        order.reverse();
    }
    let at = w.focus.as_ref().and_then(|f| order.iter().position(|k| k == f)).map_or(0, |i| i + 1);
    let next = order.get(at).or(order.first()).cloned();
    if let (Some(w), Some(k)) = (s.scene.window_mut(id), next) {
        w.focus = Some(k.clone());
        s.felt(&k, "focused");
    }
}

/// Characters go one by one, so that what stops in the middle leaves exactly what was sent.
pub(crate) fn text(s: &mut State, ctx: &Ctx, route: Route, text: &str, window: Option<WindowId>) -> Result<Delivery> {
    let id = keyboard(s, route, window)?;
    if let Some(c) = text.chars().find(|c| s.faults.untypable.contains(c)) {
        return Err(DesktopError::Undeliverable(c));
    }
    if hung(s, id) {
        return Ok(Delivery { stopped: Some(Stopped::NotAnswering), ..Delivery::default() });
    }
    let mut sent = String::new();
    let mut stopped = None;
    for c in text.chars() {
        let n = sent.chars().count();
        if ctx.cancel.is_cancelled() {
            stopped = Some(Stopped::Cancelled);
            break;
        }
        if let Some((_, to)) = s.faults.focus_leaves.take_if(|(after, _)| *after == n) {
            s.set_active(to);
            stopped = Some(Stopped::FocusLost);
            break;
        }
        sent.push(c);
        let Some(node) = focused(s, id) else { break };
        match c {
            '\n' => newline(s, &node),
            '\t' => step_focus(s, id, false),
            _ if takes_text(s, &node) => put(s, &node, &c.to_string(), None),
            _ => s.felt(&node, format!("key {c}")),
        }
    }
    if !sent.is_empty() {
        s.write(format!("text {id} {sent:?}"), Some(route), None);
    }
    if let Some(node) = focused(s, id).filter(|n| takes_text(s, n)) {
        s.felt(&node, format!("typed {sent:?}"));
    }
    Ok(Delivery { sent: sent.chars().count(), stopped, ..Delivery::default() })
}

fn takes_text(s: &State, node: &NodeKey) -> bool {
    s.scene.objects.get(node).is_some_and(|o| {
        o.value.is_some() && o.states.has(States::EDITABLE | States::ENABLED) && !o.states.has(States::READ_ONLY) && !o.noop
    })
}

fn set(s: &mut State, node: &NodeKey, change: impl FnOnce(&mut crate::scene::Obj)) {
    if let Some(o) = s.scene.objects.get_mut(node) {
        change(o);
    }
}

pub(crate) fn insert(s: &mut State, node: &NodeKey, text: &str, at: Option<usize>) {
    put(s, node, text, at);
    s.felt(node, format!("got {text:?}"));
}

fn put(s: &mut State, node: &NodeKey, text: &str, at: Option<usize>) {
    set(s, node, |o| {
        let mut chars: Vec<char> = o.value.as_deref().unwrap_or_default().chars().collect();
        if std::mem::take(&mut o.all_selected) {
            chars.clear();
        }
        let at = at.unwrap_or(o.caret).min(chars.len());
        let room = o.longest.map_or(usize::MAX, |l| l.saturating_sub(chars.len()));
        let new: Vec<char> = text.chars().take(room).collect();
        o.caret = at + new.len();
        chars.splice(at..at, new);
        o.value = Some(chars.into_iter().collect());
    });
}

pub(crate) fn replace(s: &mut State, node: &NodeKey, text: &str) {
    set(s, node, |o| {
        let kept: String = text.chars().take(o.longest.unwrap_or(usize::MAX)).collect();
        o.caret = kept.chars().count();
        o.value = Some(kept);
    });
    s.felt(node, format!("set to {text:?}"));
}

fn delete(s: &mut State, node: &NodeKey, before: usize, after: usize) {
    set(s, node, |o| {
        let mut chars: Vec<char> = o.value.as_deref().unwrap_or_default().chars().collect();
        let caret = o.caret.min(chars.len());
        let range = if std::mem::take(&mut o.all_selected) {
            0..chars.len()
        } else {
            caret.saturating_sub(before)..(caret + after).min(chars.len())
        };
        o.caret = range.start;
        chars.drain(range);
        o.value = Some(chars.into_iter().collect());
    });
}

/// Numbers are kept within their bounds, as toolkits do.
pub(crate) fn number(s: &mut State, node: &NodeKey, value: f64) {
    set(s, node, |o| o.range = o.range.map(|r| Range { now: value.clamp(r.min, r.max), ..r }));
    let now = s.scene.objects.get(node).and_then(|o| o.range).map(|r| r.now).unwrap_or_default();
    s.felt(node, format!("set to {now}"));
}
