//! What a session saw of a window, and tokens for it.
//!
//! A token stands for one live object, never for a place in a list. Indices stay with their
//! objects from snapshot to snapshot of a window.

use std::collections::{HashMap, VecDeque};

use desktop::{Node, NodeKey, Pid, States, Tree, Window, WindowId};

use crate::role;

/// Windows of one process whose snapshots a session keeps.
const PER_PROCESS: usize = 8;
/// Superseded snapshots whose tokens are still recognised.
const REMEMBERED: usize = 64;

/// A snapshot's id on the wire: `s` and eight hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SnapshotId(pub u32);

impl std::fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "s{:08x}", self.0)
    }
}

impl SnapshotId {
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix('s').filter(|h| h.len() == 8 && h.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))?;
        u32::from_str_radix(hex, 16).ok().map(Self)
    }
}

/// One line of a snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// In `Snapshot::tree`.
    pub node: usize,
    /// Elements have one; lines that only give context have none.
    pub index: Option<u32>,
    /// Lines above it that hold it.
    pub depth: u32,
    /// Index of the nearest numbered ancestor.
    pub parent: Option<u32>,
}

pub struct Snapshot {
    pub id: SnapshotId,
    pub window: Window,
    pub tree: Tree,
    pub rows: Vec<Row>,
}

/// What a token was minted for.
#[derive(Clone, Debug, PartialEq)]
pub struct Minted {
    pub window: WindowId,
    pub birth: u64,
    pub index: u32,
    pub key: NodeKey,
    pub role: String,
    pub name: String,
}

impl Snapshot {
    fn minted(&self, row: &Row) -> Option<Minted> {
        let n = &self.tree.nodes[row.node];
        Some(Minted {
            window: self.window.id,
            birth: self.window.birth,
            index: row.index?,
            key: n.key.clone(),
            role: role::of(n).to_owned(),
            name: n.name.clone(),
        })
    }

    /// The element with this index.
    pub fn element(&self, index: u32) -> Option<(&Row, &Node)> {
        self.rows.iter().find(|r| r.index == Some(index)).map(|r| (r, &self.tree.nodes[r.node]))
    }
}

/// What a token turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Current(Minted),
    /// Of a superseded snapshot; the token of the same object now, if it is still there.
    Superseded { minted: Minted, current: Option<String> },
    /// The snapshot is known and has no such element.
    NoElement,
    /// No snapshot of this session has that id.
    Unknown,
}

/// Snapshots of one session.
pub struct Snapshots {
    next: u32,
    newest: HashMap<WindowId, Snapshot>,
    /// Numbers given to objects, by window.
    numbers: HashMap<WindowId, Numbers>,
    /// Superseded ones, oldest first: what their tokens stood for.
    older: VecDeque<(SnapshotId, Vec<Minted>)>,
    /// Windows by use, oldest first.
    order: VecDeque<(Option<Pid>, WindowId)>,
}

#[derive(Default)]
struct Numbers {
    birth: u64,
    next: u32,
    of: HashMap<NodeKey, u32>,
}

impl Snapshots {
    pub fn new(seed: u32) -> Self {
        Self { next: seed, newest: HashMap::new(), numbers: HashMap::new(), older: VecDeque::new(), order: VecDeque::new() }
    }

    pub fn newest(&self, window: WindowId) -> Option<&Snapshot> {
        self.newest.get(&window)
    }

    /// Take in a fresh look at a window; it supersedes the one before.
    pub fn add(&mut self, window: Window, tree: Tree) -> &Snapshot {
        let (id, pid, birth) = (window.id, window.pid, window.birth);
        let numbers = self.numbers.entry(id).or_default();
        if numbers.birth != birth {
            *numbers = Numbers { birth, ..Numbers::default() };
        }
        let rows = rows(&tree, numbers);
        self.next = self.next.wrapping_add(1);
        let fresh = Snapshot { id: SnapshotId(self.next), window, tree, rows };
        if let Some(old) = self.newest.insert(id, fresh) {
            self.supersede(old);
        }
        self.order.retain(|(_, w)| *w != id);
        self.order.push_back((pid, id));
        let same: Vec<WindowId> = self.order.iter().filter(|(p, _)| *p == pid).map(|(_, w)| *w).collect();
        for w in same.iter().take(same.len().saturating_sub(PER_PROCESS)) {
            self.forget(*w);
        }
        &self.newest[&id]
    }

    fn supersede(&mut self, old: Snapshot) {
        let minted = old.rows.iter().filter_map(|r| old.minted(r)).collect();
        self.older.push_back((old.id, minted));
        while self.older.len() > REMEMBERED {
            self.older.pop_front();
        }
    }

    /// Drop what is known of a window; its tokens are stale from now on.
    pub fn forget(&mut self, window: WindowId) {
        if let Some(old) = self.newest.remove(&window) {
            self.supersede(old);
        }
        self.numbers.remove(&window);
        self.order.retain(|(_, w)| *w != window);
    }

    pub fn clear(&mut self) {
        *self = Self::new(self.next);
    }

    pub fn find(&self, id: SnapshotId, index: u32) -> Found {
        if let Some(s) = self.newest.values().find(|s| s.id == id) {
            return match s.rows.iter().find(|r| r.index == Some(index)).and_then(|r| s.minted(r)) {
                Some(m) => Found::Current(m),
                None => Found::NoElement,
            };
        }
        let Some((_, minted)) = self.older.iter().rev().find(|(i, _)| *i == id) else { return Found::Unknown };
        match minted.iter().find(|m| m.index == index) {
            Some(m) => Found::Superseded { current: self.current(m), minted: m.clone() },
            None => Found::NoElement,
        }
    }

    /// The newest token of the same object.
    pub fn current(&self, m: &Minted) -> Option<String> {
        let s = self.newest.get(&m.window).filter(|s| s.window.birth == m.birth)?;
        let row = s.rows.iter().find(|r| r.index.is_some() && s.tree.nodes[r.node].key == m.key)?;
        row.index.map(|i| format!("{}:{i}", s.id))
    }
}

/// Lines of a tree: what can be acted on is numbered, what only wraps others is left out.
fn rows(tree: &Tree, numbers: &mut Numbers) -> Vec<Row> {
    let mut out = Vec::with_capacity(tree.nodes.len() / 2);
    // For each node: depth of the lines below it, and its nearest numbered ancestor or itself.
    let mut below: Vec<(u32, Option<u32>)> = Vec::with_capacity(tree.nodes.len());
    for (i, n) in tree.nodes.iter().enumerate() {
        let (depth, parent) = n.parent.and_then(|p| below.get(p).copied()).unwrap_or((0, None));
        let line = line(tree, i);
        if line == Line::None {
            below.push((depth, parent));
            continue;
        }
        let index = (line == Line::Element).then(|| {
            *numbers.of.entry(n.key.clone()).or_insert_with(|| {
                numbers.next += 1;
                numbers.next - 1
            })
        });
        out.push(Row { node: i, index, depth, parent });
        below.push((depth + 1, index.or(parent)));
    }
    out
}

#[derive(PartialEq)]
enum Line {
    Element,
    Context,
    None,
}

fn line(tree: &Tree, i: usize) -> Line {
    let n = &tree.nodes[i];
    let r = role::of(n);
    if i == 0 {
        return Line::Context;
    }
    if !n.has(States::VISIBLE) && !matches!(r, "menu" | "menuitem" | "menuitemcheckbox" | "menuitemradio" | "option" | "listitem") {
        return Line::None;
    }
    if r == "scrollbar" && n.name.is_empty() || r == "separator" {
        return Line::None;
    }
    let interactive = role::interactive(r) && !(matches!(r, "cell" | "row" | "listitem") && n.name.is_empty() && n.value.is_none() && !n.has(States::EDITABLE));
    if interactive || n.editable_text || n.has(States::EDITABLE) {
        return Line::Element;
    }
    if n.selection && n.child_count > 0 && role::chosen_from(r) {
        return Line::Element;
    }
    // A page is called what its window is called.
    if r == "document" && n.name == tree.nodes[0].name {
        return Line::None;
    }
    let parent_name = n.parent.map(|p| tree.nodes[p].name.as_str());
    let says = (!n.name.is_empty() && parent_name != Some(&n.name)) || n.value.as_ref().is_some_and(|v| !v.is_empty() && parent_name != Some(v));
    if !says {
        return Line::None;
    }
    if role::container(r) { Line::Context } else { Line::Element }
}
