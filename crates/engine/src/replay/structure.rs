//! An element whose label is another one today, found by its place in a window that is otherwise
//! as it was: a translation changes several labels and nothing else.
//!
//! Owns: when two states are of one structure. A single label that changed is another button, not
//! a translated one, and so is a window most of whose labels are others.

use std::collections::HashMap;

use desktop::{Rect, Tree, Window};

use crate::record::Secrets;
use crate::record::types::{Element, ElementTarget, PointTarget, State};
use crate::role;
use crate::snapshot::{Row, Snapshots};

/// What stands at the element's place.
#[derive(Debug, PartialEq, Eq)]
pub enum Stands {
    Nothing,
    /// One element, in today's tree.
    One(usize),
    /// One that others of its window cannot be told from.
    Alike(Vec<usize>),
}

/// Role, label, and where in the list what holds it stands.
type Line<'e> = (&'e str, String, Option<usize>);

/// The element of today's tree at the place of `e` in `was`.
pub fn find(was: &State, window: &Window, tree: &Tree, e: &ElementTarget, p: Option<&PointTarget>, secrets: &Secrets) -> Stands {
    if !was.elements_complete || !tree.complete {
        return Stands::Nothing;
    }
    let mut all = Snapshots::new(0);
    let s = all.add(window.clone(), tree.clone());
    let rows: Vec<&Row> = s.rows.iter().filter(|r| r.index.is_some()).collect();
    let today = lines(rows.iter().map(|r| (r.index.unwrap_or_default(), r.parent, role::of(&tree.nodes[r.node]), secrets.scrub_text(&tree.nodes[r.node].name))));
    let then = lines(was.elements.iter().map(|o| (o.element_index, o.parent_index, o.role.as_str(), o.label.clone())));
    let same_shape = then.len() == today.len() && then.iter().zip(&today).all(|(a, b)| a.0 == b.0 && a.2 == b.2);
    let Some(place) = recorded(was, e, p).filter(|_| same_shape) else { return Stands::Nothing };
    let labelled = |l: &Line<'_>| !l.1.is_empty();
    let other = then.iter().zip(&today).filter(|(a, b)| labelled(a) && a.1 != b.1).count();
    let kept = then.iter().zip(&today).filter(|(a, b)| labelled(a) && a.1 == b.1).count();
    if then[place].1 == today[place].1 || other < 2 || other > kept {
        return Stands::Nothing;
    }
    let alike: Vec<usize> = (0..today.len()).filter(|i| today[*i].0 == today[place].0 && today[*i].1 == today[place].1).map(|i| rows[i].node).collect();
    if alike.len() == 1 { Stands::One(rows[place].node) } else { Stands::Alike(alike) }
}

fn lines<'e>(all: impl Iterator<Item = (u32, Option<u32>, &'e str, String)>) -> Vec<Line<'e>> {
    let mut places = HashMap::new();
    all.enumerate()
        .map(|(i, (index, parent, role, label))| {
            places.insert(index, i);
            (role, label, parent.and_then(|p| places.get(&p).copied()))
        })
        .collect()
}

/// Which of the recorded elements was meant.
fn recorded(was: &State, e: &ElementTarget, p: Option<&PointTarget>) -> Option<usize> {
    let fits: Vec<usize> = (0..was.elements.len()).filter(|i| was.elements[*i].role == e.role && was.elements[*i].label == e.name).collect();
    if let [one] = fits.as_slice() {
        return Some(*one);
    }
    let (at, origin) = (p?.window, was.bounds?);
    let point = desktop::Point::new(at.x + origin.x, at.y + origin.y);
    let shows = |o: &Element| o.frame.is_some_and(|f| Rect::<desktop::Screen>::new(f.x, f.y, f.w, f.h).contains(point));
    let mut there = fits.into_iter().filter(|i| shows(&was.elements[*i]));
    there.next().filter(|_| there.next().is_none())
}
