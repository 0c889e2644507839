//! What tests ask a scene and change in it.

use std::time::Duration;

use desktop::{ClipboardOffer, DesktopError, Event, Local, NodeKey, Pid, Point, Rect, Route, Screen, States, WindowId, WindowKind};

use crate::scene::Obj;
use crate::text::lines;
use crate::{FakeDesktop, Happened, Sent, acts, desktop as seam, parse};

/// Questions.
impl FakeDesktop {
    /// One line for each thing that was sent: `invoke OK click`, `press left 1 (50,22)`,
    /// `text 1 "abc"`, `set text Name "Bob"`, `place 1 minimize`, `launch calc`.
    pub fn log(&self) -> Vec<String> {
        self.state().sent.iter().map(|s| s.line.clone()).collect()
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.state().sent.clone()
    }

    /// What objects of applications felt, one line each: `OK clicked`, `Name typed "abc"`.
    pub fn felt(&self) -> Vec<String> {
        self.state().happened.iter().map(|h| format!("{} {}", h.name, h.what)).collect()
    }

    pub fn happened(&self) -> Vec<Happened> {
        self.state().happened.clone()
    }

    /// Forget what was sent and felt.
    pub fn clear(&self) {
        let mut s = self.state();
        s.sent.clear();
        s.happened.clear();
        s.calls.clear();
    }

    /// How often a method of the seam was called.
    pub fn calls(&self, method: &str) -> u32 {
        self.state().calls.get(method).copied().unwrap_or_default()
    }

    /// What is down, in the order it was pressed.
    pub fn held(&self) -> Vec<String> {
        self.state().held.iter().map(|(_, what)| what.clone()).collect()
    }

    /// The first object of this name.
    ///
    /// # Panics
    /// When the scene has none: the test is wrong.
    pub fn node(&self, name: &str) -> NodeKey {
        match self.state().scene.named(name) {
            Some(key) => key,
            None => panic!("the scene has no object {name:?}"),
        }
    }

    /// The objects of a window, its own object left out, parents first.
    pub fn keys(&self, window: u64) -> Vec<NodeKey> {
        let s = self.state();
        let root = s.scene.window(WindowId(window)).map(|w| w.root.clone());
        root.map(|r| s.scene.walk(&r).split_off(1)).unwrap_or_default()
    }

    /// What an object is called now; empty when it is gone.
    pub fn name_of(&self, node: &NodeKey) -> String {
        self.state().scene.objects.get(node).map(|o| o.name.clone()).unwrap_or_default()
    }

    pub fn has(&self, name: &str) -> bool {
        self.state().scene.named(name).is_some()
    }

    /// What a field really holds (also a secret one), or a number as text.
    pub fn value(&self, name: &str) -> String {
        self.peek(name, |o| o.value.clone().or(o.range.map(|r| r.now.to_string())).unwrap_or_default())
    }

    pub fn is(&self, name: &str, states: States) -> bool {
        self.peek(name, |o| o.states.has(states))
    }

    pub fn active(&self) -> Option<WindowId> {
        self.state().scene.active
    }

    /// The window is there and open.
    pub fn open(&self, id: u64) -> bool {
        self.state().scene.window(WindowId(id)).is_some()
    }

    pub fn pointer_at(&self) -> Point<Screen> {
        self.state().pointer.0
    }

    fn peek<T>(&self, name: &str, f: impl FnOnce(&Obj) -> T) -> T {
        let key = self.node(name);
        f(&self.state().scene.objects[&key])
    }
}

/// Changes of objects. An object is named by its key.
impl FakeDesktop {
    /// Put objects, given as scene text, before a sibling.
    pub fn insert_before(&self, sibling: &NodeKey, text: &str) -> Option<NodeKey> {
        let parent = self.state().scene.objects.get(sibling)?.parent.clone()?;
        self.put(&parent, Some(sibling), text)
    }

    /// Put objects, given as scene text, at the end of a container.
    pub fn append(&self, container: &NodeKey, text: &str) -> Option<NodeKey> {
        self.put(container, None, text)
    }

    fn put(&self, parent: &NodeKey, before: Option<&NodeKey>, text: &str) -> Option<NodeKey> {
        let mut s = self.state();
        let mut last = None;
        for line in lines(text).unwrap_or_else(|e| panic!("{e}")) {
            last = parse::object(&mut s.scene, &line, parent, before).ok();
        }
        let window = s.scene.objects.get(parent)?.window;
        s.changed(window, Some(parent));
        last
    }

    pub fn remove(&self, node: &NodeKey) {
        let mut s = self.state();
        let Some(window) = s.scene.objects.get(node).map(|o| o.window) else { return };
        s.scene.drop_object(node);
        s.changed(window, None);
    }

    pub fn rename(&self, node: &NodeKey, name: &str) {
        self.change(node, |o| o.name = name.into());
    }

    pub fn set_role(&self, node: &NodeKey, raw_role: &str) {
        self.change(node, |o| o.role = raw_role.into());
    }

    pub fn set_value(&self, node: &NodeKey, value: &str) {
        self.change(node, |o| o.value = Some(value.into()));
    }

    /// Switch states on or off: `set(&key, States::ENABLED, false)` disables.
    pub fn set(&self, node: &NodeKey, states: States, on: bool) {
        self.change(node, |o| o.states.set(states, on));
    }

    pub fn disable(&self, node: &NodeKey) {
        self.set(node, States::ENABLED, false);
    }

    pub fn hide(&self, node: &NodeKey) {
        self.set(node, States::VISIBLE, false);
    }

    /// Acts on it are taken and do nothing from now on.
    pub fn deafen(&self, node: &NodeKey) {
        self.change(node, |o| o.noop = true);
    }

    /// Another place in its window.
    pub fn shift(&self, node: &NodeKey, x: i32, y: i32) {
        self.change(node, |o| o.frame = o.frame.map(|f| Rect::new(x, y, f.w, f.h)));
    }

    /// Another place among its siblings.
    pub fn reorder(&self, node: &NodeKey, to: usize) {
        let mut s = self.state();
        let Some(parent) = s.scene.objects.get(node).and_then(|o| o.parent.clone()) else { return };
        if let Some(p) = s.scene.objects.get_mut(&parent) {
            p.children.retain(|k| k != node);
            let at = to.min(p.children.len());
            p.children.insert(at, node.clone());
            let window = p.window;
            s.changed(window, Some(&parent));
        }
    }

    /// Take it away and put another object there that looks the same.
    pub fn replace_by_twin(&self, node: &NodeKey) -> Option<NodeKey> {
        let mut s = self.state();
        let mut twin = s.scene.objects.get(node)?.clone();
        let parent = twin.parent.clone()?;
        let at = s.scene.objects.get(&parent)?.children.iter().position(|k| k == node)?;
        s.scene.drop_object(node);
        twin.key = s.scene.fresh_key();
        twin.children.clear();
        let (key, window) = (twin.key.clone(), twin.window);
        s.scene.objects.get_mut(&parent)?.children.insert(at, key.clone());
        s.scene.objects.insert(key.clone(), twin);
        s.changed(window, Some(&parent));
        Some(key)
    }

    fn change(&self, node: &NodeKey, f: impl FnOnce(&mut Obj)) {
        let mut s = self.state();
        let Some(o) = s.scene.objects.get_mut(node) else { return };
        f(o);
        let window = o.window;
        s.changed(window, Some(node));
    }
}

/// Changes of windows.
impl FakeDesktop {
    /// Add windows given as scene text, in front.
    pub fn add(&self, text: &str) {
        let mut s = self.state();
        for line in lines(text).unwrap_or_else(|e| panic!("{e}")) {
            let id = parse::window(&mut s.scene, &line, None).unwrap_or_else(|e| panic!("{e}"));
            s.emit(&Event::WindowOpened(id));
        }
    }

    pub fn close(&self, id: u64) {
        let mut s = self.state();
        s.scene.drop_window(WindowId(id));
        s.emit(&Event::WindowClosed(WindowId(id)));
    }

    /// Close it and open another one, given as scene text, under the same id.
    pub fn reuse(&self, id: u64, text: &str) {
        self.close(id);
        self.add(text);
    }

    /// Open a window that the scene has as `closed`.
    pub fn show(&self, id: u64) {
        acts::open(&mut self.state(), WindowId(id));
    }

    /// Put a window of somebody else over it.
    pub fn cover(&self, id: u64) -> WindowId {
        let mut s = self.state();
        let cover = s.scene.fresh_window();
        let Some(mut over) = s.scene.window(WindowId(id)).cloned() else { return cover };
        over.id = cover;
        over.birth = s.scene.fresh_birth();
        (over.pid, over.title, over.kind, over.focus) = (Some(Pid(9999)), "Cover".into(), WindowKind::Normal, None);
        over.root = s.scene.fresh_key();
        let mut root = Obj::new(over.root.clone(), cover, "frame");
        (root.name, root.frame) = ("Cover".into(), Some(Rect::new(0, 0, over.bounds.w, over.bounds.h)));
        s.scene.objects.insert(over.root.clone(), root);
        s.scene.windows.push(over);
        s.emit(&Event::WindowOpened(cover));
        cover
    }

    pub fn move_window(&self, id: u64, x: i32, y: i32) {
        self.window_change(id, |w| (w.bounds.x, w.bounds.y) = (x, y));
    }

    pub fn resize(&self, id: u64, w: u32, h: u32) {
        self.window_change(id, |win| (win.bounds.w, win.bounds.h) = (w, h));
        seam::size_root(&mut self.state().scene, WindowId(id));
    }

    pub fn retitle(&self, id: u64, title: &str) {
        self.window_change(id, |w| w.title = title.into());
    }

    pub fn minimize(&self, id: u64) {
        self.window_change(id, |w| w.minimized = true);
    }

    /// To another workspace.
    pub fn send_away(&self, id: u64) {
        self.window_change(id, |w| w.away = true);
    }

    /// Give the person's keyboard to a window.
    pub fn activate(&self, id: u64) {
        self.state().set_active(Some(WindowId(id)));
    }

    fn window_change(&self, id: u64, f: impl FnOnce(&mut crate::scene::Win)) {
        let mut s = self.state();
        if let Some(w) = s.scene.window_mut(WindowId(id)) {
            f(w);
            s.emit(&Event::WindowChanged(WindowId(id)));
        }
    }
}

/// Faults.
impl FakeDesktop {
    /// The application takes no more requests: its callers wait until their deadline.
    pub fn hang(&self, pid: u32) {
        self.state().faults.hung.insert(Pid(pid));
    }

    pub fn wake(&self, pid: u32) {
        self.state().faults.hung.remove(&Pid(pid));
    }

    /// End a process now.
    pub fn die(&self, pid: u32) {
        self.state().end(Pid(pid));
    }

    /// End a process when this method is next called on it.
    pub fn die_in(&self, method: &'static str, pid: u32) {
        self.state().faults.dies.push((method, Pid(pid)));
    }

    /// The next call of this method fails.
    pub fn fail(&self, method: &'static str, error: DesktopError) {
        self.state().faults.fails.push((method, error, Some(1)));
    }

    /// Every call of this method fails until `mend`.
    pub fn fail_always(&self, method: &'static str, error: DesktopError) {
        self.state().faults.fails.push((method, error, None));
    }

    pub fn mend(&self, method: &'static str) {
        self.state().faults.fails.retain(|(m, ..)| *m != method);
    }

    pub fn without_display(&self, gone: bool) {
        self.state().faults.no_display = gone;
    }

    pub fn without_bus(&self, gone: bool) {
        self.state().faults.no_bus = gone;
    }

    /// These characters can be typed by no key.
    pub fn untypable(&self, chars: &str) {
        self.state().faults.untypable = chars.chars().collect();
    }

    /// After `n` characters of the next text the keyboard goes to another window, or to none.
    pub fn focus_leaves_after(&self, n: usize, to: Option<u64>) {
        self.state().faults.focus_leaves = Some((n, to.map(WindowId)));
    }

    /// No window can be made active.
    pub fn without_activation(&self, gone: bool) {
        self.state().faults.no_activation = gone;
    }

    /// When the pointer comes to `over`, `other` changes.
    pub fn hovers(&self, over: &NodeKey, other: &NodeKey) {
        self.state().faults.hovers.push((over.clone(), other.clone()));
    }

    /// This part of the window is painted every so often by itself.
    pub fn animated(&self, id: u64, area: Rect<Local>, every: Duration) {
        self.state().faults.animated.insert(WindowId(id), (area, every));
    }

    /// The object changes every so often by itself.
    pub fn ticks(&self, node: &NodeKey, every: Duration) {
        self.state().faults.ticking.push((node.clone(), every));
    }

    /// A press of the second pointer takes the focus, and it is given back.
    pub fn presses_take_focus(&self, they_do: bool) {
        self.state().faults.presses_take_focus = they_do;
    }

    /// This route does not reach this window.
    pub fn unreached(&self, id: u64, route: Route, why: &str) {
        self.state().faults.unreached.push((WindowId(id), route, why.into()));
    }

    /// What somebody else copied.
    pub fn copied(&self, text: &str, secret: bool) {
        self.state().clipboard = ClipboardOffer { types: vec!["text/plain".into()], text: Some(text.into()), secret };
    }

    /// The person pressed something.
    pub fn person(&self, what: &'static str) {
        let mut s = self.state();
        let at = Some(s.pointer.0);
        s.emit(&Event::HumanInput { at, what });
    }

    /// Change the scene once this much fake time has passed since now.
    pub fn later(&self, after: Duration, change: impl FnOnce(&FakeDesktop) + Send + 'static) {
        let at = self.clock().passed() + after;
        self.state().changes.push((at, Box::new(change)));
    }

    pub(crate) fn run_due(&self) {
        let now = self.clock().passed();
        loop {
            let due = {
                let mut s = self.state();
                let at = s.changes.iter().position(|(at, _)| *at <= now);
                at.map(|i| s.changes.remove(i).1)
            };
            match due {
                Some(change) => change(self),
                None => return,
            }
        }
    }
}
