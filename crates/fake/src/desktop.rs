//! The seam, as a scene answers it.

use std::sync::mpsc::channel;
use std::time::Duration;

use desktop::{
    Act, App, ClipboardContent, ClipboardOffer, Cover, Ctx, Delivery, Desktop, DesktopError, Display, EmptyBecause, Event,
    EventFilter, Events, Focus, Health, HealthState, Hit, Info, Launch, Launched, Limits, Local, Node, NodeKey, Owner,
    Picture, Pid, Placement, Point, Result, Route, Screen, Source, Tree, Video, VideoRequest, Window, WindowId,
    WindowKind,
};

use crate::events::{Film, Listener};
use crate::scene::{Scene, shown};
use crate::state::State;
use crate::{FakeDesktop, acts, paint, parse};

impl FakeDesktop {
    /// What every method begins with: changes that are due, faults, and for methods that ask
    /// an application (`of`) whether it answers.
    fn enter(&self, ctx: &Ctx, method: &'static str, of: impl FnOnce(&Scene) -> Option<Pid>) -> Result<()> {
        self.run_due();
        let mut s = self.state();
        *s.calls.entry(method).or_default() += 1;
        if ctx.cancel.is_cancelled() {
            return Err(DesktopError::Cancelled);
        }
        if s.faults.no_display {
            return Err(DesktopError::NoDisplay("the fake has none".into()));
        }
        if let Some(i) = s.faults.fails.iter().position(|(m, ..)| *m == method) {
            let (_, error, times) = &mut s.faults.fails[i];
            let error = error.clone();
            *times = times.map(|t| t - 1);
            if *times == Some(0) {
                s.faults.fails.remove(i);
            }
            return Err(error);
        }
        let Some(pid) = of(&s.scene) else { return Ok(()) };
        if let Some(i) = s.faults.dies.iter().position(|(m, p)| *m == method && *p == pid) {
            s.faults.dies.remove(i);
            s.end(pid);
            return Err(DesktopError::NotAnswering(Some(pid)));
        }
        if s.faults.hung.contains(&pid) {
            self.clock().advance_to(ctx.deadline);
            return Err(DesktopError::NotAnswering(Some(pid)));
        }
        Ok(())
    }

    fn ask(&self, ctx: &Ctx, method: &'static str, node: &NodeKey) -> Result<()> {
        if self.state().faults.no_bus {
            return Err(DesktopError::NoAccessibility("the fake has no bus".into()));
        }
        self.enter(ctx, method, |s| s.object(node).and_then(|o| owner_of(s, o.window)))?;
        self.state().scene.object(node).map(|_| ()).ok_or(DesktopError::NodeGone)
    }
}

fn owner_of(s: &Scene, id: WindowId) -> Option<Pid> {
    s.window(id).and_then(|w| w.pid)
}

fn nobody(_: &Scene) -> Option<Pid> {
    None
}

impl Desktop for FakeDesktop {
    fn info(&self) -> Info {
        let display = if self.state().faults.no_display { "" } else { ":fake" };
        Info {
            platform: "fake",
            backend: "fake",
            display: display.into(),
            routes: vec![Route::Accessibility, Route::SecondSeat, Route::SentEvents, Route::Global, Route::System],
        }
    }

    fn health(&self, _: &Ctx) -> Vec<Health> {
        let s = self.state();
        let part = |name, there: bool| Health {
            name,
            state: if there { HealthState::Pass } else { HealthState::Fail },
            message: if there { "there" } else { "missing" }.into(),
            hint: if there { "" } else { "give the scene one" }.into(),
        };
        let display = !s.faults.no_display;
        vec![
            part("display", display),
            part("accessibility", !s.faults.no_bus),
            part("second_seat", display),
            part("screen_capture", display),
            part("window_manager", display),
            part("video", display),
        ]
    }

    fn displays(&self, ctx: &Ctx) -> Result<Vec<Display>> {
        self.enter(ctx, "displays", nobody)?;
        Ok(self.state().scene.displays.clone())
    }

    fn apps(&self, ctx: &Ctx, installed: bool) -> Result<Vec<App>> {
        self.enter(ctx, "apps", nobody)?;
        let s = self.state();
        let mut out: Vec<App> = Vec::new();
        for w in s.scene.windows.iter().filter(|w| !w.closed && w.pid.is_some()) {
            if !out.iter().any(|a| a.pid == w.pid) {
                let exe = s.scene.installed.iter().find(|a| Some(&a.id) == w.app_id.as_ref()).and_then(|a| a.exe.clone());
                let active = s.scene.active.and_then(|id| s.scene.window(id)).is_some_and(|a| a.pid == w.pid);
                out.push(App {
                    pid: w.pid,
                    name: w.app_name.clone(),
                    id: w.app_id.clone(),
                    exe: exe.clone().map(Into::into),
                    active,
                    launch_path: exe,
                });
            }
        }
        if installed {
            for a in s.scene.installed.iter().filter(|a| !out.iter().any(|o| o.id.as_ref() == Some(&a.id))).collect::<Vec<_>>() {
                out.push(App {
                    pid: None,
                    name: a.name.clone(),
                    id: Some(a.id.clone()),
                    exe: a.exe.clone().map(Into::into),
                    active: false,
                    launch_path: a.exe.clone(),
                });
            }
        }
        Ok(out)
    }

    fn windows(&self, ctx: &Ctx) -> Result<Vec<Window>> {
        self.enter(ctx, "windows", nobody)?;
        let s = self.state();
        Ok(s.scene.windows.iter().filter(|w| !w.closed).map(|w| s.scene.seen(w)).collect())
    }

    fn window(&self, ctx: &Ctx, id: WindowId) -> Result<Window> {
        self.enter(ctx, "window", nobody)?;
        let s = self.state();
        s.scene.window(id).map(|w| s.scene.seen(w)).ok_or(DesktopError::WindowGone(id))
    }

    fn tree(&self, ctx: &Ctx, window: WindowId, limits: &Limits) -> Result<Tree> {
        let empty = |why| Ok(Tree { empty: Some(why), ..Tree::default() });
        match self.enter(ctx, "tree", |s| owner_of(s, window)) {
            Err(DesktopError::NotAnswering(_)) => return empty(EmptyBecause::NotAnswering),
            other => other?,
        }
        let s = self.state();
        let w = s.scene.window(window).ok_or(DesktopError::WindowGone(window))?;
        if s.faults.no_bus {
            return empty(EmptyBecause::NoBus);
        }
        if let Some(why) = w.empty {
            return empty(why);
        }
        Ok(walk(&s.scene, &w.root, limits))
    }

    fn read(&self, ctx: &Ctx, node: &NodeKey) -> Result<Node> {
        self.ask(ctx, "read", node)?;
        let s = self.state();
        s.scene.object(node).map(|o| s.scene.told(o)).ok_or(DesktopError::NodeGone)
    }

    fn children(&self, ctx: &Ctx, node: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        self.ask(ctx, "children", node)?;
        let s = self.state();
        let o = s.scene.object(node).ok_or(DesktopError::NodeGone)?;
        Ok(o.children.iter().take(max).cloned().collect())
    }

    fn text(&self, ctx: &Ctx, node: &NodeKey) -> Result<String> {
        self.ask(ctx, "text", node)?;
        let s = self.state();
        let o = s.scene.object(node).ok_or(DesktopError::NodeGone)?;
        let text = o.value.clone().ok_or_else(|| DesktopError::NotOffered("text".into()))?;
        Ok(if o.states.has(desktop::States::SECRET) { "\u{2022}".repeat(text.chars().count()) } else { text })
    }

    fn hit(&self, ctx: &Ctx, window: WindowId, at: Point<Local>) -> Result<Hit> {
        self.enter(ctx, "hit", nobody)?;
        let s = self.state();
        let w = s.scene.window(window).ok_or(DesktopError::WindowGone(window))?;
        let top = s.scene.top_at(at.on_screen(w.bounds.origin()));
        Ok(Hit { top: top.map(|t| t.id), top_title: top.map(|t| t.title.clone()).unwrap_or_default() })
    }

    fn focus(&self, ctx: &Ctx) -> Result<Focus> {
        self.enter(ctx, "focus", nobody)?;
        let s = self.state();
        let window = s.scene.active;
        Ok(Focus { window, node: window.and_then(|id| s.scene.window(id)).and_then(|w| w.focus.clone()) })
    }

    fn focused_node(&self, ctx: &Ctx, window: WindowId) -> Result<Option<NodeKey>> {
        self.enter(ctx, "focused_node", |s| owner_of(s, window))?;
        let s = self.state();
        if s.faults.no_bus {
            return Err(DesktopError::NoAccessibility("the fake has no bus".into()));
        }
        s.scene.window(window).map(|w| w.focus.clone()).ok_or(DesktopError::WindowGone(window))
    }

    fn pointer(&self, ctx: &Ctx) -> Result<Point<Screen>> {
        self.enter(ctx, "pointer", nobody)?;
        Ok(self.state().pointer.0)
    }

    fn capture(&self, ctx: &Ctx, source: &Source) -> Result<Picture> {
        self.enter(ctx, "capture", nobody)?;
        paint::picture(&self.state().scene, self.clock(), source)
    }

    fn events(&self, ctx: &Ctx, filter: EventFilter) -> Result<Box<dyn Events>> {
        self.enter(ctx, "events", nobody)?;
        let (to, events) = channel();
        let mut s = self.state();
        let now = self.clock().now();
        let mut alone = Vec::new();
        if let Some((id, (area, every))) = filter.painted.and_then(|id| Some((id, *s.faults.animated.get(&id)?))) {
            alone.push((Event::Painted { window: id, area }, every, now + every));
        }
        for (node, every) in filter.nodes.iter().flat_map(|_| &s.faults.ticking) {
            let _ = to.send(Event::Restless { pid: filter.nodes, node: Some(node.clone()) });
            alone.push((Event::NodeChanged { pid: filter.nodes, node: Some(node.clone()) }, *every, now + *every));
        }
        s.listeners.push((filter, to));
        Ok(Box::new(Listener { events, filter, clock: self.clock().clone(), alone }))
    }

    fn clipboard(&self, ctx: &Ctx, with_text: bool) -> Result<ClipboardOffer> {
        self.enter(ctx, "clipboard", nobody)?;
        let offer = self.state().clipboard.clone();
        Ok(ClipboardOffer { text: offer.text.filter(|_| with_text), ..offer })
    }

    fn reaches(&self, ctx: &Ctx, window: WindowId, act: &Act, route: Route) -> Result<()> {
        self.enter(ctx, "reaches", nobody)?;
        let s = self.state();
        acts::reach(&s, window, route)?;
        let why = match (act, route) {
            (Act::Text { .. } | Act::Key { .. }, Route::Global) if s.scene.active != Some(window) => "the window is not active",
            (Act::Text { .. } | Act::Key { .. }, Route::Accessibility) => "it has no keyboard",
            _ => return acts::place_of(act).map_or(Ok(()), |at| acts::aim(&s, route, at).map(|_| ())),
        };
        Err(DesktopError::CannotReach { route, why: why.into() })
    }

    fn perform(&self, ctx: &Ctx, act: &Act, route: Route) -> Result<Delivery> {
        // Events wait in the queue of a hung application; only its own interface needs an answer.
        let waits = route == Route::Accessibility || matches!(act, Act::Text { .. });
        let target = { let s = self.state(); acts::window_of(&s, act) };
        let entered = self.enter(ctx, "perform", |s| target.filter(|_| waits).and_then(|id| owner_of(s, id)));
        match entered {
            Err(DesktopError::NotAnswering(_)) if matches!(act, Act::Text { .. }) => {}
            other => other?,
        }
        acts::perform(&mut self.state(), ctx, act, route)
    }

    fn caught_up(&self, ctx: &Ctx, window: WindowId) -> Result<bool> {
        self.enter(ctx, "caught_up", nobody)?;
        let s = self.state();
        Ok(owner_of(&s.scene, window).is_some_and(|pid| !s.faults.hung.contains(&pid)))
    }

    fn place(&self, ctx: &Ctx, window: WindowId, placement: Placement) -> Result<()> {
        self.enter(ctx, "place", nobody)?;
        place(&mut self.state(), window, placement)
    }

    fn launch(&self, ctx: &Ctx, launch: &Launch) -> Result<Launched> {
        self.enter(ctx, "launch", nobody)?;
        let mut s = self.state();
        let what = launch.what.to_lowercase();
        let found = s.scene.installed.iter().position(|a| {
            a.id.to_lowercase() == what || a.name.to_lowercase() == what || a.exe.as_deref() == Some(&launch.what)
        });
        let i = found.ok_or_else(|| DesktopError::CannotLaunch(format!("nothing is called {:?}", launch.what)))?;
        s.write(format!("launch {}", launch.what), None, None);
        let app = s.scene.installed[i].clone();
        let pid = s.scene.fresh_pid();
        let mut windows = Vec::new();
        for line in &app.opens {
            let id = parse::window(&mut s.scene, line, Some((pid, &app))).map_err(|e| DesktopError::System(e.to_string()))?;
            windows.push(id);
            s.emit(&Event::WindowOpened(id));
        }
        s.scene.installed[i].running.push(pid);
        Ok(Launched { pid: Some(pid), name: app.name, id: Some(app.id), running: true, windows })
    }

    fn terminate(&self, ctx: &Ctx, pid: Pid, force: bool) -> Result<()> {
        self.enter(ctx, "terminate", nobody)?;
        let mut s = self.state();
        let owned: Vec<_> = s.scene.windows.iter().filter(|w| w.pid == Some(pid)).collect();
        let runs = !owned.is_empty() || s.scene.installed.iter().any(|a| a.running.contains(&pid));
        let stubborn = owned.iter().any(|w| w.stubborn) || s.faults.hung.contains(&pid);
        if !runs {
            return Err(DesktopError::NoProcess(pid));
        }
        s.write(format!("{} {pid}", if force { "kill" } else { "terminate" }), None, None);
        if force || !stubborn {
            s.end(pid);
        }
        Ok(())
    }

    fn set_clipboard(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()> {
        self.enter(ctx, "set_clipboard", nobody)?;
        let mut s = self.state();
        let (line, types, text) = match content {
            ClipboardContent::Text(t) => (format!("clipboard text {t:?}"), "text/plain", Some(t.clone())),
            ClipboardContent::Png(b) => (format!("clipboard png {} bytes", b.len()), "image/png", None),
            ClipboardContent::Files(f) => (format!("clipboard {} files", f.len()), "text/uri-list", None),
        };
        s.write(line, None, None);
        s.clipboard = ClipboardOffer { types: vec![types.into()], text, secret: false };
        Ok(())
    }

    fn release_held(&self, _: &Ctx, owner: Option<Owner>) -> Result<()> {
        let mut s = self.state();
        let before = s.held.len();
        s.held.retain(|(o, _)| owner.is_some_and(|wanted| wanted != *o));
        if s.held.len() < before {
            s.write("release held".into(), None, None);
            s.modifiers = desktop::Modifiers::NONE;
            s.pressed = None;
        }
        Ok(())
    }

    fn video(&self, ctx: &Ctx, request: &VideoRequest) -> Result<Box<dyn Video>> {
        self.enter(ctx, "video", nobody)?;
        let size = parse::whole(&self.state().scene).size();
        let film = Film::start(&request.path, self.clock().now() + Duration::from_millis(30), size)?;
        Ok(Box::new(film))
    }

    /// A copy with one line more for each covered part.
    fn cover_video(&self, ctx: &Ctx, from: &std::path::Path, to: &std::path::Path, covers: &[Cover]) -> Result<()> {
        self.enter(ctx, "cover_video", nobody)?;
        let failed = |e: std::io::Error| DesktopError::System(e.to_string());
        let mut film = std::fs::read(from).map_err(failed)?;
        for c in covers {
            film.extend_from_slice(format!("covered {:?} from {:?} to {:?}\n", c.region, c.from, c.to).as_bytes());
        }
        std::fs::write(to, film).map_err(failed)
    }
}

fn walk(s: &Scene, root: &NodeKey, limits: &Limits) -> Tree {
    let mut out = Tree { complete: true, ..Tree::default() };
    let mut todo = vec![(root.clone(), None, 0)];
    while let Some((key, parent, depth)) = todo.pop() {
        let Some(o) = s.objects.get(&key) else { continue };
        if out.nodes.len() >= limits.max_nodes {
            return cut(out, "max_elements", 1 + todo.len() as u64);
        }
        let mut node = cap(s.told(o), limits.max_text);
        node.parent = parent;
        let claimed = u64::from(node.child_count);
        let here = out.nodes.len();
        out.nodes.push(node);
        if depth + 1 >= limits.max_depth && !o.children.is_empty() {
            out = cut(out, "max_depth", o.children.len() as u64);
        } else {
            todo.extend(o.children.iter().rev().map(|c| (c.clone(), Some(here), depth + 1)));
            let there = o.children.len() as u64;
            if claimed > there {
                out = cut(out, "too_many_children", claimed - there);
            }
        }
    }
    out
}

fn cut(mut tree: Tree, why: &'static str, omitted: u64) -> Tree {
    (tree.complete, tree.cut) = (false, Some(why));
    tree.omitted += omitted;
    tree
}

fn cap(mut node: Node, bytes: usize) -> Node {
    let short = |text: &mut String| {
        let mut end = bytes.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    };
    short(&mut node.name);
    short(&mut node.description);
    node.value.as_mut().map(short);
    node
}

fn place(s: &mut State, id: WindowId, placement: Placement) -> Result<()> {
    let whole = parse::whole(&s.scene);
    let (no_activation, line) = (s.faults.no_activation, format!("{placement:?}").to_lowercase());
    if s.scene.window(id).is_none() {
        return Err(DesktopError::WindowGone(id));
    }
    s.write(format!("place {id} {line}"), None, None);
    let Some(w) = s.scene.window_mut(id) else { return Err(DesktopError::WindowGone(id)) };
    match placement {
        Placement::Bounds(b) => w.bounds = b,
        Placement::Minimize => w.minimized = true,
        Placement::Restore => {
            w.minimized = false;
            w.bounds = w.normal.take().unwrap_or(w.bounds);
        }
        Placement::Maximize => {
            w.normal.get_or_insert(w.bounds);
            w.bounds = whole;
        }
        Placement::Close if w.stubborn => return Ok(()),
        Placement::Close => {
            s.scene.drop_window(id);
            s.emit(&Event::WindowClosed(id));
            return Ok(());
        }
        Placement::Activate if no_activation => {
            return Err(DesktopError::NotActivated("the fake was told so".into()));
        }
        Placement::Activate | Placement::GiveBack => {
            (w.minimized, w.away) = (false, false);
            raise(&mut s.scene, id);
            s.set_active(Some(id));
        }
    }
    size_root(&mut s.scene, id);
    if matches!(placement, Placement::Minimize) && s.scene.active == Some(id) {
        let next = s.scene.windows.iter().rev().find(|w| shown(w) && w.kind == WindowKind::Normal).map(|w| w.id);
        s.set_active(next);
    }
    s.emit(&Event::WindowChanged(id));
    Ok(())
}

/// In front of all.
fn raise(s: &mut Scene, id: WindowId) {
    if let Some(i) = s.windows.iter().position(|w| w.id == id) {
        let w = s.windows.remove(i);
        s.windows.push(w);
    }
}

/// The window's own object is as large as the window.
pub(crate) fn size_root(s: &mut Scene, id: WindowId) {
    let Some((root, size)) = s.window(id).map(|w| (w.root.clone(), w.bounds.size())) else { return };
    if let Some(o) = s.objects.get_mut(&root) {
        o.frame = Some(desktop::Rect::new(0, 0, size.w, size.h));
    }
}
