//! What a turn is about: the durable target, the point that was pressed, the application.

use std::time::Duration;

use desktop::{Ctx, Local, Node, Point, Rect, Screen, Tree, Window};
use serde_json::{Map, Value};

use super::look::Look;
use super::secret::reference;
use super::state::position;
use super::target::{self, Grove};
use super::types::{Addressed, At, ClickPoint, ElementTarget, Space, Spot, Target};
use crate::aim::{self, Aim};
use crate::run::Run;

#[derive(Clone, Debug, Default)]
pub struct Subject {
    pub pid: Option<u32>,
    pub window_id: Option<u64>,
    pub target: Option<Target>,
    pub click_point: Option<ClickPoint>,
    /// The same in the picture before.
    pub mark: Option<Point<Local>>,
}

/// Describe what an act means. Without an aim only what the arguments say is known.
pub fn of(run: &Run<'_>, aim: Option<&Aim>, before: &Look, field: Option<&Node>) -> Subject {
    let number = |k: &str| run.arguments.get(k).and_then(Value::as_u64);
    let Some(aim) = aim else {
        let pid = number("pid").and_then(|p| u32::try_from(p).ok());
        return Subject { pid, window_id: number("window_id"), ..Subject::default() };
    };
    let ctx = run.ctx.at_most(Duration::from_millis(400));
    let all = run.desktop().windows(&ctx).unwrap_or_default();
    let over = aim.window.clone().or_else(|| aim.point.filter(|_| aim.desktop).and_then(|p| on_top(&all, p.screen)));
    let pid = over.as_ref().and_then(|w| w.pid).map(|p| p.0).or_else(|| number("pid").and_then(|p| u32::try_from(p).ok()));
    let mut subject = Subject { pid, window_id: aim.window.as_ref().map(|w| w.id.0), ..Subject::default() };
    let Some(window) = over else {
        subject.target = app_only(run, &ctx, pid);
        return subject;
    };
    let desktop_tree = (aim.desktop).then(|| before.others.iter().find(|(w, _)| w.id == window.id).map(|(_, t)| t)).flatten();
    let tree = before.tree.as_ref().ok().or(desktop_tree);
    subject.target = Some(describe(run, &ctx, aim, &window, &all, tree, field));
    if run.spec.card.family == "pointer" {
        press(aim, before, &mut subject);
    }
    subject
}

fn describe(run: &Run<'_>, ctx: &Ctx, aim: &Aim, window: &Window, all: &[Window], tree: Option<&Tree>, field: Option<&Node>) -> Target {
    let grove = tree.map(Grove::new);
    let origin = window.bounds.origin();
    let within = |p: Point<Screen>| p.within(origin);
    let at = aim.point.map(|p| p.screen);
    let key = aim.element.as_ref().map(|e| &e.node).or(field.filter(|_| at.is_none())).map(|n| &n.key);
    let index = match (key, at) {
        (Some(k), _) => tree.and_then(|t| position(t, k)),
        // A wheel turns what scrolls, whatever row lies under it.
        (None, Some(p)) => grove.as_ref().and_then(|g| g.under(p).map(|i| if run.arguments.get("direction").is_some() { g.scrolled(i) } else { i })),
        (None, None) => None,
    };
    let bounds = index.and_then(|i| tree.and_then(|t| t.nodes[i].bounds));
    let middle = aim.element.as_ref().and(bounds).filter(|b| !b.is_empty()).map(|b| b.centre());
    Target {
        addressed: if aim.desktop {
            Addressed::Desktop
        } else if aim.element.is_some() {
            Addressed::Element
        } else if at.is_some() {
            Addressed::Point
        } else {
            Addressed::Window
        },
        app: Some(target::app(window, app_of(run, ctx, window.pid.map(|p| p.0)).as_ref())),
        window: Some(target::window(window, all)),
        element: index.and_then(|i| grove.as_ref().and_then(|g| g.describe(i))).or_else(|| fallback(aim)),
        point: at.or(middle).map(|p| target::point(within(p), window, bounds.as_ref())),
        to: aim.to.map(|to| spot(&to, window, tree, grove.as_ref())),
        scale: Some(window.scale),
    }
}

/// The element without its place in the tree, where the tree could not be read.
fn fallback(aim: &Aim) -> Option<ElementTarget> {
    let n = &aim.element.as_ref()?.node;
    Some(ElementTarget {
        role: crate::role::of(n).to_owned(),
        raw_role: n.raw_role.clone(),
        name: n.name.clone(),
        has_value: n.value.is_some(),
        showing: n.has(desktop::States::SHOWING),
        automation_id: n.automation_id.clone(),
        ..ElementTarget::default()
    })
}

fn spot(to: &aim::Spot, window: &Window, tree: Option<&Tree>, grove: Option<&Grove<'_>>) -> Spot {
    let index = grove.and_then(|g| g.under(to.screen));
    let bounds: Option<Rect<Screen>> = index.and_then(|i| tree.and_then(|t| t.nodes[i].bounds));
    Spot {
        element: index.and_then(|i| grove.and_then(|g| g.describe(i))),
        point: Some(target::point(to.screen.within(window.bounds.origin()), window, bounds.as_ref())),
    }
}

/// The point in the picture before.
fn press(aim: &Aim, before: &Look, subject: &mut Subject) {
    let on_screen = match (&aim.point, &aim.element) {
        (Some(p), _) => p.screen,
        (None, Some(e)) => match e.node.bounds.filter(|b| !b.is_empty()) {
            Some(b) => b.centre(),
            None => return,
        },
        (None, None) => return,
    };
    let picture_origin = before.picture.as_ref().ok().map(|p| p.origin);
    let Some(origin) = picture_origin.or(aim.window.as_ref().map(|w| w.bounds.origin())) else { return };
    let at = on_screen.within(origin);
    subject.click_point = Some(ClickPoint {
        x: f64::from(at.x),
        y: f64::from(at.y),
        space: if aim.desktop { Space::Screen } else { Space::Window },
        picture: "before.png".into(),
        window_origin: At { x: origin.x, y: origin.y },
    });
    let inside = before.picture.as_ref().is_ok_and(|p| at.x >= 0 && at.y >= 0 && at.x < p.size.w as i32 && at.y < p.size.h as i32);
    subject.mark = picture_origin.filter(|_| inside).map(|_| at);
}

fn on_top(all: &[Window], at: Point<Screen>) -> Option<Window> {
    all.iter().rev().find(|w| w.on_screen && w.bounds.contains(at)).cloned()
}

fn app_of(run: &Run<'_>, ctx: &Ctx, pid: Option<u32>) -> Option<desktop::App> {
    run.engine.records().app_of(run, ctx, desktop::Pid(pid?))
}

/// The target of an act on an application.
fn app_only(run: &Run<'_>, ctx: &Ctx, pid: Option<u32>) -> Option<Target> {
    let app = app_of(run, ctx, pid)?;
    Some(Target {
        addressed: Addressed::App,
        app: Some(super::types::AppTarget {
            name: app.name.clone(),
            desktop_id: app.id.clone(),
            executable: app.exe.as_ref().map(|e| e.display().to_string()),
            wm_class: None,
            wm_instance: None,
        }),
        ..Target::default()
    })
}

/// Clipboard text is kept by reference.
pub fn hide_clipboard(arguments: &mut Map<String, Value>) {
    if let Some(v) = arguments.get_mut("text").filter(|v| v.is_string()) {
        *v = reference("clipboard");
    }
}
