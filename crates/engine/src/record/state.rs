//! What a window holds, as a recording keeps it.

use desktop::{EmptyBecause, NodeKey, Rect, Screen, States, Tree, Window};

use super::look::Look;
use super::secret::Secrets;
use super::types::{Bounds, Element, Frame, State};
use crate::snapshot::{Snapshot, Snapshots};
use crate::{role, view};

/// Longest text of one element in a state, in characters.
const LONGEST: usize = 4000;

/// Give a tree the indices of this recording and write it down. Secrets are left out.
pub fn of(snapshots: &mut Snapshots, window: &Window, tree: Tree, known: &Secrets) -> State {
    let empty = tree.empty;
    let complete = tree.complete;
    let s = snapshots.add(window.clone(), tree);
    let all: Vec<usize> = (0..s.rows.len()).collect();
    let tree_markdown = known.scrub_text(&view::text(s, &all));
    let elements = elements(s, known);
    State {
        pid: window.pid.map(|p| p.0),
        window_id: Some(window.id.0),
        title: known.scrub_text(&window.title),
        bounds: Some(Bounds { x: window.bounds.x, y: window.bounds.y, width: window.bounds.w, height: window.bounds.h }),
        element_count: elements.len() as u32,
        elements_complete: complete,
        degraded_reason: empty.map(|e| because(e).to_owned()),
        tree_markdown,
        elements,
    }
}

fn elements(s: &Snapshot, known: &Secrets) -> Vec<Element> {
    let clean = |text: &str| {
        let short: String = text.chars().take(LONGEST).collect();
        known.scrub_text(&short)
    };
    s.rows
        .iter()
        .filter_map(|row| {
            let n = &s.tree.nodes[row.node];
            Some(Element {
                element_index: row.index?,
                role: role::of(n).to_owned(),
                label: clean(&n.name),
                value: view::value(n).map(|v| clean(&v)),
                states: view::states(n).into_iter().map(str::to_owned).collect(),
                actions: n.actions.clone(),
                frame: n.bounds.map(|b| Frame { x: b.x, y: b.y, w: b.w, h: b.h }),
                parent_index: row.parent,
            })
        })
        .collect()
}

const fn because(e: EmptyBecause) -> &'static str {
    match e {
        EmptyBecause::NotEnabled => "accessibility_not_enabled",
        EmptyBecause::NotAnswering => "app_not_answering",
        EmptyBecause::NoBus => "a11y_bus_unavailable",
        EmptyBecause::NoWindow => "no_accessible_window",
    }
}

/// Parts of the screen that a secret can be read in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hidden {
    /// Fields that hide what is typed.
    pub fields: Vec<Rect<Screen>>,
    /// Elements that show a known secret in plain.
    pub readable: Vec<Rect<Screen>>,
}

impl Hidden {
    pub fn all(&self) -> impl Iterator<Item = &Rect<Screen>> {
        self.fields.iter().chain(&self.readable)
    }
}

/// Where secrets stand in what was seen.
pub fn hidden(look: &Look, known: &Secrets) -> Hidden {
    let mut out = Hidden::default();
    let says = |text: &str| known.inside(text).is_some();
    for n in look.seen().flat_map(|(_, t)| t.nodes.iter().skip(1)).filter(|n| n.has(States::SHOWING)) {
        let Some(b) = n.bounds else { continue };
        if n.has(States::SECRET) {
            out.fields.push(b);
        } else if says(&n.name) || n.value.as_deref().is_some_and(says) || says(&n.description) {
            out.readable.push(b);
        }
    }
    out
}

/// The node with this key.
pub fn position(tree: &Tree, key: &NodeKey) -> Option<usize> {
    tree.nodes.iter().position(|n| n.key == *key)
}
