//! Accessible objects and trees of them.

use crate::{NodeKey, Rect, Screen};

/// State flags as every system has them in some form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct States(pub u32);

impl States {
    pub const ENABLED: States = States(1);
    /// The toolkit means it to be seen (not hidden).
    pub const VISIBLE: States = States(1 << 1);
    /// On the screen now, not scrolled away or on a hidden page.
    pub const SHOWING: States = States(1 << 2);
    pub const FOCUSABLE: States = States(1 << 3);
    pub const FOCUSED: States = States(1 << 4);
    pub const CHECKABLE: States = States(1 << 5);
    pub const CHECKED: States = States(1 << 6);
    pub const MIXED: States = States(1 << 7);
    pub const SELECTABLE: States = States(1 << 8);
    pub const SELECTED: States = States(1 << 9);
    pub const EXPANDABLE: States = States(1 << 10);
    pub const EXPANDED: States = States(1 << 11);
    pub const EDITABLE: States = States(1 << 12);
    pub const READ_ONLY: States = States(1 << 13);
    pub const MULTI_LINE: States = States(1 << 14);
    pub const MODAL: States = States(1 << 15);
    pub const REQUIRED: States = States(1 << 16);
    pub const INVALID: States = States(1 << 17);
    pub const BUSY: States = States(1 << 18);
    /// A field that hides what is typed.
    pub const SECRET: States = States(1 << 19);
    pub const PRESSED: States = States(1 << 20);
    pub const ACTIVE: States = States(1 << 21);
    pub const HAS_POPUP: States = States(1 << 22);
    /// The object itself is gone but its path still answers.
    pub const DEFUNCT: States = States(1 << 23);
    /// Inside web content.
    pub const WEB: States = States(1 << 24);

    pub const fn has(self, other: States) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub const fn with(self, other: States) -> States {
        States(self.0 | other.0)
    }

    pub fn set(&mut self, other: States, on: bool) {
        if on {
            self.0 |= other.0;
        } else {
            self.0 &= !other.0;
        }
    }
}

impl std::ops::BitOr for States {
    type Output = States;
    fn bitor(self, o: States) -> States {
        States(self.0 | o.0)
    }
}

/// A number the object holds, with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub min: f64,
    pub max: f64,
    pub now: f64,
    pub step: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub key: NodeKey,
    /// Index of the parent in `Tree::nodes`; always smaller than the node's own index.
    pub parent: Option<usize>,
    /// The system's own word for the role (`push button`, `Button`, `AXButton`).
    pub raw_role: String,
    pub name: String,
    pub description: String,
    /// Text of a field, chosen option of a combo box. `None` where the object has no text
    /// value; never the value of a `SECRET` field.
    pub value: Option<String>,
    pub range: Option<Range>,
    pub states: States,
    /// Names of what can be invoked, as the system spells them (`click`, `Press`, `toggle`).
    pub actions: Vec<String>,
    /// Text can be set by the accessibility interface.
    pub editable_text: bool,
    /// Children can be selected by the accessibility interface.
    pub selection: bool,
    /// Bounds on the screen in native pixels. `None` where the toolkit does not tell.
    pub bounds: Option<Rect<Screen>>,
    /// Widget or automation id where one exists.
    pub automation_id: Option<String>,
    /// How many children it says it has (may be huge and not listed).
    pub child_count: u32,
    /// Index among its parent's children.
    pub index_in_parent: Option<u32>,
}

impl Node {
    pub fn has(&self, s: States) -> bool {
        self.states.has(s)
    }
}

/// Why a window has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyBecause {
    /// The application could have one and was started without it.
    NotEnabled,
    NotAnswering,
    NoBus,
    /// The application is not on the bus, or has no object for this window.
    NoWindow,
}

/// Objects of one window in document order, parents before children. `nodes[0]` is the window's
/// own object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// True when nothing was left out.
    pub complete: bool,
    /// Why something was left out: `max_elements`, `max_depth`, `deadline`, `too_many_children`.
    pub cut: Option<&'static str>,
    /// How many are known to be left out.
    pub omitted: u64,
    pub empty: Option<EmptyBecause>,
}

/// Bounds of a walk. They count the asked window only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_nodes: usize,
    pub max_depth: usize,
    /// Bytes of one name, description or value; longer ones are cut at a character.
    pub max_text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_nodes: 20_000, max_depth: 400, max_text: 4096 }
    }
}
