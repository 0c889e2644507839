//! Choosing an option of a combo box or list, by each way that toolkits offer, with the chosen
//! value read back after each.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use desktop::{Act, DesktopError, Key, Modifiers, Node, NodeKey, Pid, Route, States, Window, WindowKind};

use crate::aim::Element;
use crate::effect::{ActionResult, Effect, EscalationReason, EscalationTarget, EvidenceKind, Mode};
use crate::ladder::{self, Kind};
use crate::lane::Slot;
use crate::press::press_action;
use crate::run::Run;
use crate::{Code, Refusal, role, typing, view};

/// Objects looked through under one list.
const LOOKED: usize = 2000;

#[derive(Clone, Debug)]
pub enum Wanted {
    Label(String),
    Index(usize),
}

/// An option that was found.
#[derive(Clone, Debug)]
struct Found {
    key: NodeKey,
    label: String,
    index: usize,
    container: Option<NodeKey>,
    actions: Vec<String>,
}

pub fn choose(run: &Run<'_>, window: &Window, e: &Element, wanted: &Wanted) -> Result<ActionResult, Refusal> {
    if let Wanted::Label(l) = wanted
        && e.node.value.as_deref() == Some(l)
    {
        return Ok(ActionResult::proven(Route::Accessibility, Mode::NotApplicable, &[EvidenceKind::ValueReadback]));
    }
    let inside = options(run, &e.key)?;
    if !inside.is_empty() {
        let found = pick(&inside, wanted)?;
        if let Some(done) = choose_in_place(run, window, e, &found)? {
            return Ok(done);
        }
        if let Some(done) = choose_by_keys(run, window, e, &found, inside.len())? {
            return Ok(done);
        }
    }
    choose_in_popup(run, window, e, wanted, &inside)
}

fn pick(all: &[Found], wanted: &Wanted) -> Result<Found, Refusal> {
    let found = match wanted {
        Wanted::Label(l) => {
            let same: Vec<_> = all.iter().filter(|f| f.label == *l).collect();
            if same.len() > 1 {
                return Err(Refusal::new(Code::OptionNotFound, format!("{} options are called {}; nothing was sent.", same.len(), view::quoted(l)))
                    .hint("Choose by index.")
                    .with("indices", same.iter().map(|f| f.index).collect::<Vec<_>>()));
            }
            same.first().copied()
        }
        Wanted::Index(i) => all.get(*i),
    };
    found.cloned().ok_or_else(|| {
        let labels: Vec<&str> = all.iter().take(100).map(|f| f.label.as_str()).collect();
        let what = match wanted {
            Wanted::Label(l) => view::quoted(l),
            Wanted::Index(i) => i.to_string(),
        };
        Refusal::new(Code::OptionNotFound, format!("There is no option {what}; nothing was sent.")).with("options", labels)
    })
}

/// Options under an object, breadth first, whether shown or not.
fn options(run: &Run<'_>, root: &NodeKey) -> Result<Vec<Found>, Refusal> {
    let mut out: Vec<Found> = Vec::new();
    let mut queue = VecDeque::from([(root.clone(), None::<NodeKey>)]);
    let mut seen = HashSet::new();
    while let Some((key, container)) = queue.pop_front() {
        if seen.len() >= LOOKED || !seen.insert(key.clone()) {
            continue;
        }
        let node = match run.desktop().read(&run.brief(), &key) {
            Ok(n) => n,
            Err(DesktopError::NodeGone) => continue,
            Err(e) => return Err(run.no(e)),
        };
        if key != *root && is_option(&node) {
            let label = label(run, &node);
            if !label.is_empty() {
                out.push(Found { key: key.clone(), label, index: out.len(), container, actions: node.actions.clone() });
                continue;
            }
        }
        let container = if node.selection { Some(key.clone()) } else { container };
        for child in run.desktop().children(&run.brief(), &key, LOOKED).map_err(|e| run.no(e))? {
            queue.push_back((child, container.clone()));
        }
    }
    Ok(out)
}

fn is_option(n: &Node) -> bool {
    matches!(role::of(n), "option" | "listitem" | "menuitem" | "menuitemradio" | "menuitemcheckbox" | "cell" | "treeitem" | "row")
}

/// An option's name, or that of the label inside it.
fn label(run: &Run<'_>, n: &Node) -> String {
    if !n.name.is_empty() {
        return n.name.clone();
    }
    let mut queue: VecDeque<NodeKey> = run.desktop().children(&run.brief(), &n.key, 8).unwrap_or_default().into();
    for _ in 0..12 {
        let Some(key) = queue.pop_front() else { break };
        let Ok(child) = run.desktop().read(&run.brief(), &key) else { continue };
        if !child.name.is_empty() {
            return child.name;
        }
        queue.extend(run.desktop().children(&run.brief(), &key, 8).unwrap_or_default());
    }
    String::new()
}

/// By the selection of its container or its own action, without opening anything.
fn choose_in_place(run: &Run<'_>, window: &Window, e: &Element, f: &Found) -> Result<Option<ActionResult>, Refusal> {
    let mut ways: Vec<Act> = Vec::new();
    if e.node.selection {
        ways.push(Act::Select { container: e.key.clone(), child: f.key.clone(), on: true });
    }
    if let Some(c) = f.container.as_ref().filter(|c| **c != e.key) {
        ways.push(Act::Select { container: c.clone(), child: f.key.clone(), on: true });
    }
    ways.extend(["click", "press", "select", "toggle", "activate", "dodefault", "setfocus"].iter().filter_map(|w| {
        let action = f.actions.iter().find(|a| a.eq_ignore_ascii_case(w))?;
        Some(Act::Invoke { node: f.key.clone(), action: action.clone() })
    }));
    for act in ways {
        match run.desktop().perform(&run.brief(), &act, Route::Accessibility) {
            Ok(_) => {}
            Err(DesktopError::NotOffered(_) | DesktopError::Unsupported(_) | DesktopError::CannotReach { .. } | DesktopError::NodeGone) => continue,
            Err(x) => return Err(run.no_window(x, window)),
        }
        // A way that provably changed nothing lets the next one try: choosing is idempotent.
        if chosen(run, e, f, Duration::from_millis(350)) {
            return Ok(Some(ActionResult::proven(Route::Accessibility, Mode::Background, &[EvidenceKind::SelectionReadback])));
        }
    }
    Ok(None)
}

/// The value says so, or the option does.
fn chosen(run: &Run<'_>, e: &Element, f: &Found, bound: Duration) -> bool {
    let end = run.host().now() + bound.min(run.ctx.left());
    loop {
        let now = run.desktop().read(&run.ctx.at_most(Duration::from_millis(300)), &e.key).ok();
        let valued = now.as_ref().is_some_and(|n| n.value.is_some() || role::of(n) == "combobox");
        let right = if valued {
            now.as_ref().is_some_and(|n| n.value.as_deref() == Some(&f.label) || (n.value.is_none() && n.name == f.label))
        } else {
            run.desktop().read(&run.ctx.at_most(Duration::from_millis(300)), &f.key).is_ok_and(|n| n.has(States::SELECTED) || n.has(States::CHECKED))
        };
        if right {
            return true;
        }
        if run.host().now() >= end || run.wait(Duration::from_millis(10)).is_err() {
            return false;
        }
    }
}

/// With the keyboard inside: from the present option to the wanted one by arrow keys, without
/// opening the list.
fn choose_by_keys(run: &Run<'_>, window: &Window, e: &Element, f: &Found, count: usize) -> Result<Option<ActionResult>, Refusal> {
    if role::of(&e.node) != "combobox" || count > 200 || typing::focus_element(run, window, e, Mode::Background).is_err() {
        return Ok(None);
    }
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let key = |k: &'static str| Act::Key { key: Key::Named(k), modifiers: Modifiers::NONE, window: Some(window.id) };
    let Ok((route, _)) = ladder::climb(run, ladder::routes(Kind::Keys, Mode::Background), |r| typing::send_keys(run, Some(window), &key("Home"), r)) else {
        return Ok(None);
    };
    for _ in 0..f.index {
        run.desktop().perform(&run.brief(), &key("Down"), route).map_err(|x| run.no_window(x, window))?;
    }
    if chosen(run, e, f, Duration::from_millis(500)) {
        return Ok(Some(ActionResult::proven(route, Mode::Background, &[EvidenceKind::ValueReadback])));
    }
    Ok(None)
}

/// Open the list, choose in the window that comes, and see it chosen.
fn choose_in_popup(run: &Run<'_>, window: &Window, e: &Element, wanted: &Wanted, inside: &[Found]) -> Result<ActionResult, Refusal> {
    let before: HashSet<_> = run.desktop().windows(&run.brief()).map_err(|x| run.no(x))?.iter().map(|w| w.id).collect();
    let Some(open) = opener(run, e) else { return nothing(wanted, inside, &e.node) };
    run.desktop().perform(&run.brief(), &open, Route::Accessibility).map_err(|x| run.no_window(x, window))?;
    let end = run.host().now() + Duration::from_millis(1200).min(run.ctx.left());
    let mut last = Vec::new();
    while run.host().now() < end {
        let mut all = options(run, &e.key)?;
        if all.is_empty() || !last.is_empty() {
            // An open list can be a part of the combo box and a window of its own at once.
            let there: HashSet<_> = all.iter().map(|f| f.key.clone()).collect();
            all.extend(popup_options(run, window.pid, &before)?.into_iter().filter(|f| !there.contains(&f.key)));
        }
        if !all.is_empty() {
            match pick(&all, wanted) {
                Ok(f) => {
                    if let Some(done) = choose_in_place(run, window, e, &f)? {
                        close(run, window, &before);
                        return Ok(done);
                    }
                    let done = choose_in_open_list(run, window, e, &f)?;
                    close(run, window, &before);
                    return Ok(done);
                }
                Err(r) => {
                    if !last.is_empty() {
                        close(run, window, &before);
                        return Err(r);
                    }
                }
            }
            last = all;
        }
        run.wait(Duration::from_millis(40))?;
    }
    close(run, window, &before);
    if last.is_empty() { nothing(wanted, inside, &e.node) } else {
        Ok(ActionResult::new(Effect::SuspectedNoop, Route::Accessibility, Mode::Background).escalate(EscalationTarget::Pixel, EscalationReason::SuspectedNoop))
    }
}

/// What opens its list: its own action, or that of the button inside it. What has no list is not
/// pressed.
fn opener(run: &Run<'_>, e: &Element) -> Option<Act> {
    if role::of(&e.node) != "combobox" && !e.node.has(States::HAS_POPUP) {
        return None;
    }
    let press = |n: &Node| press_action(n).map(|a| Act::Invoke { node: n.key.clone(), action: a.to_owned() });
    press(&e.node).or_else(|| {
        let inside = run.desktop().children(&run.brief(), &e.key, 4).ok()?;
        inside.iter().filter_map(|k| run.desktop().read(&run.brief(), k).ok()).filter(|n| role::of(n) == "button").find_map(|n| press(&n))
    })
}

/// The list is open and has the keyboard of its window: to the option by arrow keys, then Return.
fn choose_in_open_list(run: &Run<'_>, window: &Window, e: &Element, f: &Found) -> Result<ActionResult, Refusal> {
    let missed = |route| ActionResult::new(Effect::SuspectedNoop, route, Mode::Background).escalate(EscalationTarget::Pixel, EscalationReason::SuspectedNoop);
    let _seat = run.engine.lane().enter(Slot::Seat, &run.ctx)?;
    let key = |k: &'static str| Act::Key { key: Key::Named(k), modifiers: Modifiers::NONE, window: Some(window.id) };
    let Ok((route, _)) = ladder::climb(run, ladder::routes(Kind::Keys, Mode::Background), |r| typing::send_keys(run, Some(window), &key("Home"), r)) else {
        return Ok(missed(Route::Accessibility));
    };
    for k in std::iter::repeat_n("Down", f.index).chain(["Return"]) {
        run.desktop().perform(&run.brief(), &key(k), route).map_err(|x| run.no_window(x, window))?;
    }
    if chosen(run, e, f, Duration::from_millis(600)) {
        return Ok(ActionResult::proven(route, Mode::Background, &[EvidenceKind::ValueReadback]));
    }
    Ok(missed(route))
}

fn nothing(wanted: &Wanted, inside: &[Found], n: &Node) -> Result<ActionResult, Refusal> {
    if !inside.is_empty() {
        pick(inside, wanted)?;
    }
    Err(Refusal::new(Code::OptionNotFound, format!("{} {} shows no options to accessibility; nothing was chosen.", role::of(n), view::quoted(&n.name)))
        .hint("Open it with click, take a snapshot of the list's window, and click the option."))
}

fn popup_options(run: &Run<'_>, pid: Option<Pid>, before: &HashSet<desktop::WindowId>) -> Result<Vec<Found>, Refusal> {
    let mut out = Vec::new();
    for w in run.desktop().windows(&run.brief()).map_err(|x| run.no(x))? {
        if before.contains(&w.id) || w.pid != pid {
            continue;
        }
        let Ok(tree) = run.desktop().tree(&run.brief(), w.id, &desktop::Limits { max_nodes: LOOKED, ..Default::default() }) else { continue };
        if let Some(root) = tree.nodes.first() {
            out.extend(options(run, &root.key)?);
        }
    }
    Ok(out)
}

/// What was opened and is still there goes away by Escape.
fn close(run: &Run<'_>, window: &Window, before: &HashSet<desktop::WindowId>) {
    let Ok(now) = run.desktop().windows(&run.brief()) else { return };
    let Some(popup) = now.iter().find(|w| !before.contains(&w.id) && w.pid == window.pid && w.kind == WindowKind::Popup) else { return };
    let esc = Act::Key { key: Key::Named("Escape"), modifiers: Modifiers::NONE, window: Some(popup.id) };
    let _ = ladder::climb(run, ladder::routes(Kind::Keys, Mode::Background), |r| typing::send_keys(run, Some(popup), &esc, r));
}
