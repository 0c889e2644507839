//! What is on the fake desktop: windows, objects, applications. Plain data and questions
//! about it; what acts do to it is in `acts`.

use std::collections::HashMap;

use desktop::{
    Display, DisplayId, EmptyBecause, Local, Node, NodeKey, Pid, Point, Range, Rect, Screen, Size, States, Window,
    WindowId, WindowKind,
};

use crate::text::Line;

#[derive(Clone, Debug)]
pub(crate) struct Win {
    pub id: WindowId,
    pub birth: u64,
    pub pid: Option<Pid>,
    pub app_name: String,
    pub app_id: Option<String>,
    pub class: Option<String>,
    pub title: String,
    pub bounds: Rect<Screen>,
    /// Bounds to go back to from maximised.
    pub normal: Option<Rect<Screen>>,
    pub kind: WindowKind,
    pub owner: Option<WindowId>,
    pub minimized: bool,
    /// There, but on another workspace.
    pub away: bool,
    /// Waiting to be opened by an action; in no list.
    pub closed: bool,
    pub modal: bool,
    pub scale: f64,
    pub root: NodeKey,
    pub focus: Option<NodeKey>,
    /// Does not close when asked.
    pub stubborn: bool,
    pub empty: Option<EmptyBecause>,
}

/// One accessible object.
#[derive(Clone, Debug)]
pub(crate) struct Obj {
    pub key: NodeKey,
    pub window: WindowId,
    pub parent: Option<NodeKey>,
    pub children: Vec<NodeKey>,
    pub role: String,
    pub name: String,
    pub description: String,
    pub value: Option<String>,
    pub range: Option<Range>,
    pub states: States,
    pub actions: Vec<String>,
    pub editable: bool,
    pub selection: bool,
    pub frame: Option<Rect<Local>>,
    pub id: Option<String>,
    /// Shown when this is activated.
    pub opens: Option<WindowId>,
    /// Hides its window when activated.
    pub closes: bool,
    /// Takes acts and does nothing.
    pub noop: bool,
    /// Makes capitals of what is put into it.
    pub shouts: bool,
    /// Characters it keeps at most.
    pub longest: Option<usize>,
    /// Cannot be scrolled to.
    pub fixed: bool,
    /// An option of a combo box: it takes no room in the window.
    pub folded: bool,
    /// How many children it says it has, where that is more than is there.
    pub claims: Option<u32>,
    /// In characters.
    pub caret: usize,
    pub all_selected: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Installed {
    pub id: String,
    pub name: String,
    pub exe: Option<String>,
    /// Windows it opens when launched.
    pub opens: Vec<Line>,
    /// The process of the last launch.
    pub running: Vec<Pid>,
}

#[derive(Default)]
pub(crate) struct Scene {
    pub displays: Vec<Display>,
    /// Back to front.
    pub windows: Vec<Win>,
    pub objects: HashMap<NodeKey, Obj>,
    pub installed: Vec<Installed>,
    pub active: Option<WindowId>,
    keys: u64,
    births: u64,
}

impl Scene {
    pub fn fresh_key(&mut self) -> NodeKey {
        self.keys += 1;
        NodeKey::new(&format!("fake:{}", self.keys))
    }

    pub fn fresh_birth(&mut self) -> u64 {
        self.births += 1;
        self.births
    }

    pub fn fresh_window(&self) -> WindowId {
        WindowId(self.windows.iter().map(|w| w.id.0).max().unwrap_or(0) + 1)
    }

    pub fn fresh_pid(&self) -> Pid {
        Pid(self.windows.iter().filter_map(|w| w.pid).map(|p| p.0).max().unwrap_or(1000) + 1)
    }

    /// An open window.
    pub fn window(&self, id: WindowId) -> Option<&Win> {
        self.windows.iter().find(|w| w.id == id && !w.closed)
    }

    pub fn window_mut(&mut self, id: WindowId) -> Option<&mut Win> {
        self.windows.iter_mut().find(|w| w.id == id)
    }

    /// An object of an open window.
    pub fn object(&self, key: &NodeKey) -> Option<&Obj> {
        self.objects.get(key).filter(|o| self.window(o.window).is_some())
    }

    pub fn named(&self, name: &str) -> Option<NodeKey> {
        self.windows.iter().flat_map(|w| self.walk(&w.root)).find(|k| self.objects[k].name == name)
    }

    /// A key and all below it, parents first.
    pub fn walk(&self, key: &NodeKey) -> Vec<NodeKey> {
        let mut out = Vec::new();
        let mut todo = vec![key.clone()];
        while let Some(k) = todo.pop() {
            if let Some(o) = self.objects.get(&k) {
                todo.extend(o.children.iter().rev().cloned());
                out.push(k);
            }
        }
        out
    }

    pub fn drop_object(&mut self, key: &NodeKey) {
        for k in self.walk(key) {
            if let Some(o) = self.objects.remove(&k)
                && let Some(p) = o.parent.and_then(|p| self.objects.get_mut(&p))
            {
                p.children.retain(|c| *c != k);
            }
        }
    }

    pub fn drop_window(&mut self, id: WindowId) {
        if let Some(i) = self.windows.iter().position(|w| w.id == id) {
            let w = self.windows.remove(i);
            self.drop_object(&w.root);
        }
        if self.active == Some(id) {
            self.active = self.windows.iter().rev().find(|w| shown(w) && w.kind != WindowKind::Popup).map(|w| w.id);
        }
    }

    /// On the screen: it and everything above it is showing, and no closed menu or list is
    /// among them.
    pub fn showing(&self, key: &NodeKey) -> bool {
        let Some(mut o) = self.objects.get(key) else { return false };
        loop {
            if !o.states.has(States::SHOWING | States::VISIBLE) {
                return false;
            }
            let Some(parent) = o.parent.as_ref() else { return true };
            let Some(p) = self.objects.get(parent) else { return false };
            if p.folds() && !p.states.has(States::EXPANDED) {
                return false;
            }
            o = p;
        }
    }

    pub fn top_at(&self, at: Point<Screen>) -> Option<&Win> {
        self.windows.iter().rev().find(|w| shown(w) && w.bounds.contains(at))
    }

    /// The deepest, last drawn object that shows at a spot of a window.
    pub fn object_at(&self, window: &Win, at: Point<Local>) -> Option<NodeKey> {
        self.walk(&window.root).into_iter().rev().find(|k| {
            self.objects[k].frame.is_some_and(|f| f.contains(at)) && self.showing(k)
        })
    }

    pub fn seen(&self, w: &Win) -> Window {
        Window {
            id: w.id,
            birth: w.birth,
            pid: w.pid,
            app_name: w.app_name.clone(),
            app_id: w.app_id.clone(),
            class: w.class.clone(),
            instance: None,
            title: w.title.clone(),
            role: None,
            bounds: w.bounds,
            kind: w.kind,
            owner: w.owner,
            on_screen: shown(w),
            minimized: w.minimized,
            active: self.active == Some(w.id),
            modal: w.modal,
            z: self.windows.iter().position(|o| o.id == w.id).map(|z| z as u32),
            scale: w.scale,
            workspace: Some(u32::from(w.away)),
        }
    }

    /// The object as a backend tells it. `parent` is not filled.
    pub fn told(&self, o: &Obj) -> Node {
        let window = self.windows.iter().find(|w| w.id == o.window);
        let mut states = o.states;
        states.set(States::SHOWING, self.showing(&o.key));
        states.set(States::FOCUSED, window.is_some_and(|w| w.focus.as_ref() == Some(&o.key)));
        let secret = states.has(States::SECRET);
        Node {
            key: o.key.clone(),
            parent: None,
            raw_role: o.role.clone(),
            name: o.name.clone(),
            description: o.description.clone(),
            value: if secret { None } else { o.value.clone() },
            range: o.range,
            states,
            actions: o.actions.clone(),
            editable_text: o.editable,
            selection: o.selection,
            bounds: o.frame.zip(window).map(|(f, w)| f.on_screen(w.bounds.origin())),
            automation_id: o.id.clone(),
            child_count: o.claims.unwrap_or(o.children.len() as u32),
            index_in_parent: o
                .parent
                .as_ref()
                .and_then(|p| self.objects.get(p))
                .and_then(|p| p.children.iter().position(|c| *c == o.key))
                .map(|i| i as u32),
        }
    }
}

impl Obj {
    /// Its children show only while it is open.
    pub fn folds(&self) -> bool {
        matches!(self.role.as_str(), "menu" | "combo box")
    }

    /// What a log line calls it.
    pub fn label(&self) -> String {
        if self.name.is_empty() { self.key.to_string() } else { self.name.clone() }
    }
}

/// Mapped, here and not minimised.
pub(crate) fn shown(w: &Win) -> bool {
    !w.closed && !w.minimized && !w.away
}

pub(crate) fn display(bounds: Rect<Screen>, number: usize) -> Display {
    Display { id: DisplayId(format!("fake-{number}")), bounds, primary: number == 0, scale: 1.0 }
}

/// Where an object lies that the scene text gives no place: below what is there.
pub(crate) fn stacked(below: i32, size: Size) -> Rect<Local> {
    Rect::new(10, below + 6, size.w.saturating_sub(20).clamp(1, 200), 24)
}
