//! Text into a field or a window: by its accessibility interface where that is exact, else by
//! keys; then what arrived is read back.

use std::time::Duration;

use desktop::{Act, Button, Delivery, DesktopError, Key, Modifiers, Node, NodeKey, Route, States, Stopped, Window};

use crate::aim::{Aim, Element};
use crate::effect::{ActionResult, Effect, EscalationReason, EscalationTarget, EvidenceKind, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::pointer::{self, Click};
use crate::run::Run;
use crate::{Code, Refusal, press, role};

/// Characters handed to the desktop at once: few enough that a cancelled call ends soon.
const CHUNK: usize = 128;
/// How long what was typed may take to show.
const SHOWS: Duration = Duration::from_millis(1500);

/// Type into what was aimed at.
pub fn type_text(run: &Run<'_>, aim: &Aim, text: &str, mode: Mode) -> Result<ActionResult, Refusal> {
    let _turn = press::lane(run, aim)?;
    if let Some(e) = &aim.element {
        press::usable(&e.node)?;
        writable(&e.node)?;
    }
    let field = field(run, aim)?;
    if let Some(f) = field.as_ref().filter(|f| f.editable_text && mode != Mode::Foreground) {
        let window = aim.window()?;
        if let Some(done) = insert(run, window, f, text)? {
            return Ok(done);
        }
    }
    by_keys(run, aim, field.as_ref(), text, mode)
}

/// Whether a person could write into it: some toolkits let accessibility write where keys may not.
pub fn writable(n: &Node) -> Result<(), Refusal> {
    if n.has(States::READ_ONLY) {
        let text = format!("{} {} is read-only; nothing was sent.", role::of(n), crate::view::quoted(&n.name));
        return Err(Refusal::new(Code::TextUndeliverable, text).hint("Do what makes it writable first, or act on another field."));
    }
    Ok(())
}

/// The field that will get the text: the element, or what has the focus inside the window.
fn field(run: &Run<'_>, aim: &Aim) -> Result<Option<Node>, Refusal> {
    if let Some(e) = &aim.element {
        return Ok(Some(e.node.clone()));
    }
    let Some(w) = &aim.window else { return Ok(None) };
    let Ok(Some(key)) = run.desktop().focused_node(&run.brief(), w.id) else { return Ok(None) };
    Ok(run.desktop().read(&run.brief(), &key).ok())
}

/// Insert by the accessibility interface. `None`: it provably took nothing, keys may try.
fn insert(run: &Run<'_>, window: &Window, f: &Node, text: &str) -> Result<Option<ActionResult>, Refusal> {
    let multi = f.has(States::MULTI_LINE);
    let before = Reading::of(run, f);
    // In a single line a newline is Return; only its own action can be that in the background.
    let parts: Vec<&str> = if multi { vec![text] } else { text.split('\n').collect() };
    let (mut sent, mut lines) = (0, 0);
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            if !enter(run, window, f)? {
                return if sent + lines == 0 { Ok(None) } else { Ok(Some(partial(Route::Accessibility, Mode::Background, sent + lines))) };
            }
            lines += 1;
        }
        if part.is_empty() {
            continue;
        }
        let act = Act::InsertText { node: f.key.clone(), text: (*part).to_owned(), at: None };
        match run.desktop().perform(&run.brief(), &act, Route::Accessibility) {
            Ok(_) => sent += part.chars().count(),
            Err(DesktopError::NotOffered(_) | DesktopError::Unsupported(_) | DesktopError::CannotReach { .. }) if sent + lines == 0 => return Ok(None),
            Err(e) if sent + lines == 0 => return Err(run.no_window(e, window)),
            Err(_) => return Ok(Some(partial(Route::Accessibility, Mode::Background, sent + lines))),
        }
    }
    // After a Return the field may be emptied or gone: what it held by then is not known.
    let typed = if lines == 0 { text } else { "" };
    Ok(Some(match (lines, before) {
        (0, Some(b)) => b.judge(run, f, typed, sent, Route::Accessibility, Mode::Background),
        _ => ActionResult::new(Effect::Unverifiable, Route::Accessibility, Mode::Background).count(sent + lines),
    }))
}

/// Return in a single-line field: its own action, else the key.
fn enter(run: &Run<'_>, window: &Window, f: &Node) -> Result<bool, Refusal> {
    if let Some(a) = f.actions.iter().find(|a| a.eq_ignore_ascii_case("activate")) {
        let act = Act::Invoke { node: f.key.clone(), action: a.clone() };
        match run.desktop().perform(&run.brief(), &act, Route::Accessibility) {
            Ok(_) => return Ok(true),
            Err(DesktopError::NotOffered(_) | DesktopError::Unsupported(_) | DesktopError::CannotReach { .. }) => {}
            // It may have been done: never twice.
            Err(_) => return Ok(false),
        }
    }
    or_click(run, window, f, Mode::Background, give_focus(run, window, f))?;
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let act = Act::Key { key: Key::Named("Return"), modifiers: Modifiers::NONE, window: Some(window.id) };
    Ok(ladder::climb(run, ladder::routes(Kind::Keys, Mode::Background), |r| send_keys(run, Some(window), &act, r)).is_ok())
}

/// Keys by the first route that reaches the window.
fn by_keys(run: &Run<'_>, aim: &Aim, field: Option<&Node>, text: &str, mode: Mode) -> Result<ActionResult, Refusal> {
    let window = aim.window.as_ref();
    if aim.desktop && mode != Mode::Foreground {
        return Err(Refusal::new(Code::BackgroundUnavailable, "Keys for the desktop go where the person's keyboard is; nothing was sent.")
            .with("escalation", serde_json::json!({"target": "foreground", "reason": "route_unavailable"})));
    }
    let _front = press::foreground(run, mode, window)?;
    if let (Some(e), Some(w)) = (&aim.element, window) {
        focus_element(run, w, e, mode)?;
    }
    let before = field.and_then(|f| Reading::of(run, f));
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let sent = send_text(run, window, text, mode)?;
    let (route, count, stopped) = (sent.route, sent.count, sent.stopped);
    let whole = count == text.chars().count();
    if !whole {
        if stopped == Some(Stopped::NotAnswering) && count == 0 {
            return Err(Refusal::new(Code::AppNotAnswering, "The application does not take its keys; nothing is known to have arrived."));
        }
        let arrived = before.zip(field).map(|(b, f)| b.judge(run, f, text, count, route, mode));
        return Ok(match arrived {
            Some(r) if r.effect == Effect::Partial => r,
            _ => partial(route, mode, count),
        });
    }
    Ok(match (field, before) {
        (Some(f), Some(b)) if !text.contains('\n') || f.has(States::MULTI_LINE) => b.judge(run, f, text, count, route, mode),
        _ => ActionResult::new(Effect::Unverifiable, route, mode).count(count),
    })
}

struct Sent {
    route: Route,
    count: usize,
    stopped: Option<Stopped>,
}

/// The whole text in chunks, all by the route that took the first.
fn send_text(run: &Run<'_>, window: Option<&Window>, text: &str, mode: Mode) -> Result<Sent, Refusal> {
    let id = window.map(|w| w.id);
    let whole = Act::Text { text: text.to_owned(), window: id };
    let chars: Vec<char> = text.chars().collect();
    let mut chunks = chars.chunks(CHUNK).map(|c| c.iter().collect::<String>());
    let Some(first) = chunks.next() else {
        return Ok(Sent { route: ladder::routes(Kind::Keys, mode)[0], count: 0, stopped: None });
    };
    let (route, d) = ladder::climb(run, ladder::routes(Kind::Keys, mode), |r| {
        if let Some(w) = id {
            run.desktop().reaches(&run.brief(), w, &whole, r)?;
        }
        run.desktop().perform(&run.ctx, &Act::Text { text: first.clone(), window: id }, r)
    })?;
    let mut sent = Sent { route, count: d.sent, stopped: d.stopped };
    for chunk in chunks {
        if sent.stopped.is_some() || run.ctx.check().is_err() {
            break;
        }
        match run.desktop().perform(&run.ctx, &Act::Text { text: chunk, window: id }, route) {
            Ok(d) => {
                sent.count += d.sent;
                sent.stopped = d.stopped;
            }
            Err(_) => break,
        }
    }
    Ok(sent)
}

/// One key or text act, after asking whether the route reaches.
pub fn send_keys(run: &Run<'_>, window: Option<&Window>, act: &Act, route: Route) -> Result<Delivery, DesktopError> {
    if let Some(w) = window {
        run.desktop().reaches(&run.brief(), w.id, act, route)?;
    }
    run.desktop().perform(&run.brief(), act, route)
}

/// Give an element the keyboard inside its window.
pub fn focus_element(run: &Run<'_>, window: &Window, e: &Element, mode: Mode) -> Result<(), Refusal> {
    if e.node.has(States::FOCUSED) && mode != Mode::Foreground {
        return Ok(());
    }
    if mode == Mode::Foreground {
        let now = run.desktop().read(&run.brief(), &e.key).map_err(|x| run.no_window(x, window))?;
        if now.has(States::FOCUSED) {
            return Ok(());
        }
    }
    give_focus(run, window, &e.node)
}

/// For keys that do not depend on where the caret is: a field that took no focus by accessibility
/// is clicked, as a person would.
pub fn or_click(run: &Run<'_>, window: &Window, n: &Node, mode: Mode, took: Result<(), Refusal>) -> Result<(), Refusal> {
    let refused = match took {
        Err(r) if r.code == Code::BackgroundUnavailable && n.has(States::EDITABLE) && matches!(role::of(n), "textbox" | "searchbox" | "spinbutton") => r,
        done => return done,
    };
    let (_, at) = press::spot_of(run, window, n)?;
    {
        let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
        let click = Click { at, button: Button::Left, count: 1, modifiers: Modifiers::NONE };
        pointer::click(run, ladder::routes(Kind::Pointer, mode), &click, |_| {})?;
    }
    if comes_to(run, window, &n.key, Duration::from_millis(120))? {
        return Ok(());
    }
    // Some say who has the keyboard only while their window is in front: then the click is believed,
    // unless another one has it.
    match run.desktop().focused_node(&run.brief(), window.id) {
        Ok(Some(other)) if other != n.key => Err(refused),
        _ => Ok(()),
    }
}

/// By accessibility, and proven; what of the person's focus went along is given back.
fn give_focus(run: &Run<'_>, window: &Window, n: &Node) -> Result<(), Refusal> {
    if n.has(States::FOCUSED) {
        return Ok(());
    }
    let before = run.desktop().focus(&run.brief()).ok().and_then(|f| f.window);
    let asked = run.desktop().perform(&run.brief(), &Act::Focus { node: n.key.clone() }, Route::Accessibility);
    let has = asked.is_ok() && comes_to(run, window, &n.key, Duration::from_millis(400))?;
    if let Some(b) = before.filter(|b| *b != window.id) {
        let now = run.desktop().focus(&run.brief()).ok().and_then(|f| f.window);
        if now != Some(b) {
            let _ = run.desktop().place(&run.brief(), b, desktop::Placement::GiveBack);
        }
    }
    if has {
        return Ok(());
    }
    match asked {
        Err(e @ (DesktopError::NotAnswering(_) | DesktopError::NodeGone)) => Err(run.no_window(e, window)),
        _ => Err(Refusal::new(Code::BackgroundUnavailable, format!("{} {} did not take the keyboard; nothing was typed.", role::of(n), crate::view::quoted(&n.name)))
            .with("escalation", serde_json::json!({"target": "foreground", "reason": "route_unavailable"}))),
    }
}

/// Whether the element has the keyboard of its window within this time.
fn comes_to(run: &Run<'_>, window: &Window, key: &NodeKey, time: Duration) -> Result<bool, Refusal> {
    let end = run.host().now() + time;
    while run.host().now() < end {
        if focused(run, window, key) {
            return Ok(true);
        }
        run.wait(Duration::from_millis(10))?;
    }
    Ok(false)
}

fn focused(run: &Run<'_>, window: &Window, key: &NodeKey) -> bool {
    run.desktop().read(&run.brief(), key).is_ok_and(|n| n.has(States::FOCUSED)) || run.desktop().focused_node(&run.brief(), window.id).is_ok_and(|f| f.as_ref() == Some(key))
}

pub fn partial(route: Route, mode: Mode, count: usize) -> ActionResult {
    ActionResult::new(Effect::Partial, route, mode).count(count).escalate(EscalationTarget::Foreground, EscalationReason::DeliveryFailed)
}

/// What a field held before, to tell what arrived.
pub struct Reading {
    text: String,
    secret: bool,
}

impl Reading {
    pub fn of(run: &Run<'_>, f: &Node) -> Option<Self> {
        let text = run.desktop().text(&run.ctx.at_most(Duration::from_millis(500)), &f.key).ok()?;
        Some(Self { text, secret: f.has(States::SECRET) })
    }

    /// Read again until what was typed stands there, or its time is over.
    pub fn judge(&self, run: &Run<'_>, f: &Node, typed: &str, sent: usize, route: Route, mode: Mode) -> ActionResult {
        let end = run.host().now() + SHOWS.min(run.ctx.left().max(Duration::from_millis(300)));
        let want = typed.chars().count().min(sent);
        let mut last = None;
        let mut same = 0;
        loop {
            let ctx = desktop::Ctx::lasting(Duration::from_millis(500));
            let now = run.desktop().text(&ctx, &f.key).ok();
            let arrived = now.as_deref().and_then(|t| self.arrived(t, typed));
            if arrived == Some(typed.chars().count()) && want == typed.chars().count() {
                return ActionResult::proven(route, mode, &[EvidenceKind::ValueReadback]).count(sent);
            }
            same = if now == last { same + 1 } else { 0 };
            // Settled on something else: more waiting changes nothing.
            let settled = same > 20 && arrived.is_none_or(|n| n > 0);
            if run.host().now() >= end || settled || run.ctx.cancel.is_cancelled() {
                return match (now, arrived) {
                    (None, _) => ActionResult::new(Effect::Unverifiable, route, mode).count(sent),
                    (_, Some(0)) if !typed.is_empty() => ActionResult::new(Effect::SuspectedNoop, route, mode).escalate(EscalationTarget::Foreground, EscalationReason::SuspectedNoop),
                    (_, Some(n)) if n < typed.chars().count() => partial(route, mode, n),
                    _ => ActionResult::new(Effect::Unverifiable, route, mode).count(sent),
                };
            }
            last = now;
            run.host().wait(Duration::from_millis(if same < 5 { 4 } else { 20 }), &run.ctx.cancel);
        }
    }

    /// How many of the typed characters stand in `now`, if it is what the field held with a
    /// beginning of them put in at one place, or in place of a part of it.
    fn arrived(&self, now: &str, typed: &str) -> Option<usize> {
        if self.secret {
            // Only its length can be seen.
            return now.chars().count().checked_sub(self.text.chars().count());
        }
        let old: Vec<char> = self.text.chars().collect();
        let new: Vec<char> = now.chars().collect();
        let typed: Vec<char> = typed.chars().collect();
        if new == old {
            return Some(0);
        }
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
        // The common head and tail may have taken in some of the typed characters: try each split.
        for h in (0..=head).rev() {
            for t in (0..=tail.min(new.len() - h)).rev() {
                let middle = &new[h..new.len() - t];
                if !middle.is_empty() && typed.starts_with(middle) && (middle.len() == typed.len() || h + t == old.len()) {
                    return Some(middle.len());
                }
                if head.saturating_sub(h) + tail.saturating_sub(t) > typed.len() {
                    break;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrived_is_counted() {
        for (old, now, typed, want) in [
            ("", "abc", "abc", Some(3)),
            ("", "ab", "abc", Some(2)),
            ("", "", "abc", Some(0)),
            ("xy", "xaby", "ab", Some(2)),
            ("aa", "aaaa", "aa", Some(2)),
            ("aa", "aaa", "aa", Some(1)),
            ("old", "new", "new", Some(3)),
            ("", "b", "abc", None),
            ("x", "xaQ", "ab", None),
        ] {
            let r = Reading { text: old.into(), secret: false };
            assert_eq!(r.arrived(now, typed), want, "{old:?} {now:?} {typed:?}");
        }
    }
}
