//! A scene with what is held, copied, broken and written down about it.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::Sender;
use std::time::Duration;

use desktop::{
    Button, ClipboardOffer, DesktopError, Event, EventFilter, Local, Modifiers, NodeKey, Owner, Pid, Point, Rect, Route,
    Screen, WindowId,
};

use crate::FakeDesktop;
use crate::scene::Scene;

/// One thing that was sent to the desktop.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// As in `FakeDesktop::log`.
    pub line: String,
    /// By which way; `None` for what has no route (windows, applications, clipboard).
    pub route: Option<Route>,
    /// The object that was meant, for acts on objects.
    pub node: Option<NodeKey>,
}

/// One thing that happened to an object of an application.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    pub node: NodeKey,
    /// Its name at that time.
    pub name: String,
    /// `clicked`, `typed "abc"`, `toggled`, …
    pub what: String,
}

/// What does not work.
#[derive(Default)]
pub(crate) struct Faults {
    pub hung: HashSet<Pid>,
    pub no_display: bool,
    pub no_bus: bool,
    /// Method, error, how many times (`None`: always).
    pub fails: Vec<(&'static str, DesktopError, Option<u32>)>,
    /// The process that ends when this method is next called on it.
    pub dies: Vec<(&'static str, Pid)>,
    pub untypable: HashSet<char>,
    /// After so many characters the focus goes there.
    pub focus_leaves: Option<(usize, Option<WindowId>)>,
    pub no_activation: bool,
    pub presses_take_focus: bool,
    pub unreached: Vec<(WindowId, Route, String)>,
    /// Objects that change another one when the pointer comes to them.
    pub hovers: Vec<(NodeKey, NodeKey)>,
    /// Windows of which a part is painted again and again by itself, and how often.
    pub animated: HashMap<WindowId, (Rect<Local>, Duration)>,
    /// Objects that change again and again by themselves.
    pub ticking: Vec<(NodeKey, Duration)>,
}

type Change = Box<dyn FnOnce(&FakeDesktop) + Send>;

#[derive(Default)]
pub(crate) struct State {
    pub scene: Scene,
    pub faults: Faults,
    pub sent: Vec<Sent>,
    pub happened: Vec<Happened>,
    pub held: Vec<(Owner, String)>,
    pub modifiers: Modifiers,
    pub clipboard: ClipboardOffer,
    pub pointer: Pointer,
    /// The driver's own pointer, once it was used.
    pub agent: Option<Point<Screen>>,
    pub pressed: Option<(NodeKey, Button)>,
    pub listeners: Vec<(EventFilter, Sender<Event>)>,
    pub calls: HashMap<&'static str, u32>,
    pub changes: Vec<(Duration, Change)>,
}

/// The person's pointer.
#[derive(Clone, Copy)]
pub(crate) struct Pointer(pub Point<Screen>);

impl Default for Pointer {
    fn default() -> Self {
        Self(Point::new(640, 400))
    }
}

impl State {
    pub fn write(&mut self, line: String, route: Option<Route>, node: Option<&NodeKey>) {
        self.sent.push(Sent { line, route, node: node.cloned() });
    }

    /// An object felt something; its window is painted again.
    pub fn felt(&mut self, node: &NodeKey, what: impl Into<String>) {
        if let Some(o) = self.scene.objects.get(node) {
            let (name, window) = (o.label(), o.window);
            let told = o.role != "canvas";
            let area = o.frame;
            self.happened.push(Happened { node: node.clone(), name, what: what.into() });
            if told {
                self.changed(window, Some(node));
            } else {
                self.paint(window, area);
            }
        }
    }

    /// Tell listeners that something in a window's tree changed.
    pub fn changed(&mut self, window: WindowId, node: Option<&NodeKey>) {
        let pid = self.scene.windows.iter().find(|w| w.id == window).and_then(|w| w.pid);
        self.emit(&Event::NodeChanged { pid, node: node.cloned() });
        let area = node.and_then(|n| self.scene.objects.get(n)).and_then(|o| o.frame);
        self.paint(window, area);
    }

    /// Part of a window is painted, or all of it.
    fn paint(&mut self, window: WindowId, area: Option<Rect<Local>>) {
        if let Some(whole) = self.scene.window(window).map(|w| Rect::new(0, 0, w.bounds.w, w.bounds.h)) {
            self.emit(&Event::Painted { window, area: area.unwrap_or(whole) });
        }
    }

    pub fn emit(&mut self, event: &Event) {
        self.listeners.retain(|(filter, to)| !wanted(filter, event) || to.send(event.clone()).is_ok());
    }

    pub fn set_active(&mut self, window: Option<WindowId>) {
        if self.scene.active != window {
            let both = [std::mem::replace(&mut self.scene.active, window), window];
            self.emit(&Event::FocusMoved(window));
            // Windows look different in front, and their applications say so.
            for id in both.into_iter().flatten() {
                let pid = self.scene.window(id).and_then(|w| w.pid);
                self.paint(id, None);
                self.emit(&Event::Activated { pid });
            }
        }
    }

    /// End a process: its windows go.
    pub fn end(&mut self, pid: Pid) {
        let gone: Vec<WindowId> = self.scene.windows.iter().filter(|w| w.pid == Some(pid)).map(|w| w.id).collect();
        for id in gone {
            self.scene.drop_window(id);
            self.emit(&Event::WindowClosed(id));
        }
        self.faults.hung.remove(&pid);
        self.scene.installed.iter_mut().for_each(|a| a.running.retain(|p| *p != pid));
    }
}

fn wanted(filter: &EventFilter, event: &Event) -> bool {
    match event {
        Event::WindowOpened(_) | Event::WindowClosed(_) | Event::WindowChanged(_) => filter.windows,
        Event::FocusMoved(_) => filter.focus,
        Event::NodeChanged { pid, .. } | Event::Activated { pid } | Event::Restless { pid, .. } | Event::Unwatched { pid } => filter.nodes.is_some_and(|want| want == Pid(0) || Some(want) == *pid),
        Event::Painted { window, .. } => filter.painted == Some(*window),
        Event::HumanInput { .. } => filter.human,
        Event::PointerMoved { .. } => filter.pointer,
        Event::Lost => true,
    }
}
