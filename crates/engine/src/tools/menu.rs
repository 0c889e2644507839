//! `invoke_menu`.

use std::time::{Duration, Instant};

use desktop::{Act, DesktopError, Limits, Node, Route, States, Tree, Window, WindowId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, WindowArgs};
use crate::effect::{ActionResult, Mode};
use crate::press::{self, press_action};
use crate::proof::{self, Watch};
use crate::run::Run;
use crate::{Answer, Code, Refusal, role, view};

/// Chooses a menu item by its exact labels from the menu bar down: ["File","Save"]. No pixels.
#[derive(Deserialize, JsonSchema)]
pub struct InvokeMenu {
    #[serde(flatten)]
    window: WindowArgs,
    #[schemars(length(min = 1, max = 16))]
    path: Vec<Label>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Label(#[schemars(length(min = 1, max = 200))] String);

/// What one level of a menu offers.
struct Level {
    tree: Tree,
    /// Indices of its items.
    items: Vec<usize>,
}

impl Acting for InvokeMenu {
    const CARD: Card = Card::act("invoke_menu", "windows", Reach::Window, r#"{"pid":1234,"window_id":5678,"path":["File","Save"]}"#);
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        Ok(Aim { window: Some(run.aim_window(&self.window)?), ..Aim::default() })
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let window = aim.window()?;
        let _turn = press::lane(run, aim)?;
        let path: Vec<&str> = self.path.iter().map(|l| l.0.trim()).collect();
        let mut level = bar(run, window)?;
        let mut opened: Vec<Node> = vec![];
        for (depth, label) in path.iter().enumerate() {
            let found = level.items.iter().map(|i| &level.tree.nodes[*i]).find(|n| n.name.trim() == *label).cloned();
            let Some(item) = found else {
                close(run, &opened);
                return Err(no_item(&path, depth, &level));
            };
            if !item.has(States::ENABLED) {
                close(run, &opened);
                return Err(Refusal::new(Code::ElementDisabled, format!("The menu item {} is disabled; nothing was chosen.", view::quoted(label))));
            }
            if depth + 1 == path.len() {
                return last(run, window, &item, !opened.is_empty())?.reply("invoke_menu");
            }
            level = below(run, window, &level, &item, &mut opened)?;
        }
        Err(Refusal::new(Code::MenuPathUnavailable, "`path`: is empty."))
    }
}

fn look(run: &Run<'_>, id: WindowId) -> Result<Tree, DesktopError> {
    run.desktop().tree(&run.ctx.at_most(Duration::from_secs(3)), id, &Limits::default())
}

/// The items of the window's menu bar.
fn bar(run: &Run<'_>, window: &Window) -> Result<Level, Refusal> {
    let tree = look(run, window.id).map_err(|e| run.no_window(e, window))?;
    if let Some(e) = tree.empty {
        let (reason, hint) = super::window_state::degraded(e);
        let code = if reason == "app_not_answering" { Code::AppNotAnswering } else { Code::MenuPathUnavailable };
        return Err(Refusal::new(code, format!("The window's menus cannot be read: {reason}.")).hint(hint));
    }
    let Some(at) = tree.nodes.iter().position(|n| role::of(n) == "menubar") else {
        return Err(Refusal::new(Code::MenuPathUnavailable, "The window has no menu bar; nothing was chosen.").hint("Click the button that opens its menu, then the item."));
    };
    let items = items_under(&tree, at);
    Ok(Level { tree, items })
}

/// Menu items below a node with no other item between.
fn items_under(tree: &Tree, root: usize) -> Vec<usize> {
    let mut inside = vec![false; tree.nodes.len()];
    inside[root] = true;
    let mut out = vec![];
    for (i, n) in tree.nodes.iter().enumerate().skip(root + 1) {
        if !n.parent.is_some_and(|p| inside[p]) {
            continue;
        }
        if is_item(n) && !n.name.is_empty() { out.push(i) } else { inside[i] = true }
    }
    out
}

fn is_item(n: &Node) -> bool {
    matches!(role::of(n), "menu" | "menuitem" | "menuitemcheckbox" | "menuitemradio")
}

/// The items one level down: as they are known, else after the parent was opened.
fn below(run: &Run<'_>, window: &Window, level: &Level, item: &Node, opened: &mut Vec<Node>) -> Result<Level, Refusal> {
    let at = level.tree.nodes.iter().position(|n| n.key == item.key);
    if let Some(at) = at {
        let items = items_under(&level.tree, at);
        if !items.is_empty() {
            return Ok(Level { tree: level.tree.clone(), items });
        }
    }
    let before: Vec<WindowId> = run.desktop().windows(&run.brief()).map_err(|e| run.no(e))?.iter().map(|w| w.id).collect();
    if let Some(action) = press_action(item) {
        let act = Act::Invoke { node: item.key.clone(), action: action.to_owned() };
        run.desktop().perform(&run.brief(), &act, Route::Accessibility).map_err(|e| run.no_window(e, window))?;
        opened.push(item.clone());
    }
    let end = Instant::now() + Duration::from_millis(1500).min(run.ctx.left());
    loop {
        if let Ok(tree) = look(run, window.id)
            && let Some(at) = tree.nodes.iter().position(|n| n.key == item.key)
        {
            let items = items_under(&tree, at);
            if !items.is_empty() {
                return Ok(Level { tree, items });
            }
        }
        for w in run.desktop().windows(&run.brief()).map_err(|e| run.no(e))? {
            if before.contains(&w.id) || w.pid != window.pid {
                continue;
            }
            if let Ok(tree) = look(run, w.id)
                && !tree.nodes.is_empty()
            {
                let items = items_under(&tree, 0);
                if !items.is_empty() {
                    return Ok(Level { tree, items });
                }
            }
        }
        if Instant::now() >= end {
            close(run, opened);
            return Err(Refusal::new(Code::MenuPathUnavailable, format!("The menu {} shows no items to accessibility; nothing was chosen.", view::quoted(&item.name))));
        }
        run.wait(Duration::from_millis(30))?;
    }
}

/// Choose the last item. A menu that was opened and closes is no effect of the item itself.
fn last(run: &Run<'_>, window: &Window, item: &Node, open: bool) -> Result<ActionResult, Refusal> {
    let action = press_action(item).ok_or_else(|| {
        Refusal::new(Code::MenuPathUnavailable, format!("The item {} offers no action to accessibility; nothing was chosen.", view::quoted(&item.name)))
    })?;
    if !open {
        return press::invoke(run, window, item, action);
    }
    let mut watch = Watch::begin(run, None, Some(item), &[]);
    let act = Act::Invoke { node: item.key.clone(), action: action.to_owned() };
    let delivery = run.desktop().perform(&run.brief(), &act, Route::Accessibility).map_err(|e| run.no_window(e, window))?;
    let evidence = watch.seek(run, proof::bound(item, delivery.late), &|a, b| (a.has(States::CHECKED) != b.has(States::CHECKED)).then_some(crate::effect::EvidenceKind::StateReadback));
    Ok(ActionResult::proven(Route::Accessibility, Mode::Background, &evidence))
}

/// Close what was opened, by the same action that opened it.
fn close(run: &Run<'_>, opened: &[Node]) {
    if let Some(top) = opened.first()
        && let Some(action) = press_action(top)
    {
        let act = Act::Invoke { node: top.key.clone(), action: action.to_owned() };
        let _ = run.desktop().perform(&run.brief(), &act, Route::Accessibility);
    }
}

fn no_item(path: &[&str], depth: usize, level: &Level) -> Refusal {
    let labels: Vec<&str> = level.items.iter().map(|i| level.tree.nodes[*i].name.as_str()).take(100).collect();
    let nearest = desktop::nearest(path[depth], labels.iter().copied()).map(|n| format!(" Did you mean {n:?}?")).unwrap_or_default();
    Refusal::new(Code::MenuPathUnavailable, format!("There is no menu item {} at level {}; nothing was chosen.{nearest}", view::quoted(path[depth]), depth + 1)).with("labels", labels)
}
