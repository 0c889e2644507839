//! What is asked of an object beyond its place in the tree: extents, actions, values, labels.
//!
//! Owns: which questions an object is worth. Refuses to own: walking.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use super::apps::{App, Kit};
use super::ask::{Ask, Ref};
use super::node::secret;
use super::raw::{Faces, Raw, bit};
use super::role;
use super::wire::{End, Patience, Wire};

/// An object has no more actions than this, whatever it says.
const MOST_ACTIONS: usize = 32;
/// Objects whose number is of interest in a tree; many others carry one without meaning.
const NUMBERS: [u32; 6] =
    [role::DIAL, role::PROGRESS_BAR, role::SLIDER, role::SPIN_BUTTON, role::LEVEL_BAR, role::RATING];

/// What makes an object known: enough for its role, name, states and children.
pub(super) fn basics(kit: Kit) -> &'static [Ask] {
    if kit.get_all() {
        &[Ask::All, Ask::Role, Ask::State, Ask::Interfaces]
    } else {
        &[Ask::Name, Ask::Description, Ask::ChildCount, Ask::Role, Ask::State, Ask::Interfaces]
    }
}

/// Fields whose text is their value.
pub(super) fn has_text(raw: &Raw) -> bool {
    let fields = [
        role::PASSWORD_TEXT,
        role::DATE_EDITOR,
        role::SPIN_BUTTON,
        role::TERMINAL,
        role::TEXT,
        role::AUTOCOMPLETE,
        role::EDITBAR,
        role::ENTRY,
        role::DOCUMENT_TEXT,
    ];
    // Labels are called by their text already; some toolkits say that they have many lines.
    let leaf = raw.role == role::STATIC || (raw.role == role::LABEL && !raw.is(bit::EDITABLE));
    raw.faces.has(Faces::TEXT)
        && !secret(raw)
        && !leaf
        && (fields.contains(&raw.role) || raw.is(bit::EDITABLE) || raw.is(bit::MULTI_LINE))
}

/// Whose number is its value.
pub(super) fn numbered(raw: &Raw) -> bool {
    raw.faces.has(Faces::VALUE) && NUMBERS.contains(&raw.role)
}

/// Something in it is chosen, which it may tell.
pub(super) fn chooses(raw: &Raw) -> bool {
    raw.role == role::COMBO_BOX && raw.faces.has(Faces::SELECTION)
}

/// It has a place now. Hidden objects have none; GTK 4 marks nothing as showing.
pub(super) fn placed(raw: &Raw, kit: Kit) -> bool {
    let hidden = kit != Kit::Gtk4 && !raw.is(bit::VISIBLE) && !raw.is(bit::SHOWING);
    raw.faces.has(Faces::COMPONENT) && !hidden
}

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// What a list of many needs; what lasts is taken from earlier.
    Tree,
    /// Everything, afresh.
    One,
}

/// The first round of questions about a known object.
fn first(raw: &Raw, kit: Kit, depth: Depth, known: bool, out: &mut Vec<Ask>) {
    let one = depth == Depth::One;
    if placed(raw, kit) || (one && raw.faces.has(Faces::COMPONENT)) {
        out.push(Ask::Extents);
    }
    // Labels of GTK 4 offer what is in their menus, whether or not anybody can open one.
    let label = kit == Kit::Gtk4 && raw.role == role::LABEL && !raw.is(bit::FOCUSABLE);
    if raw.faces.has(Faces::ACTION) && !known && !label {
        // All objects of Chromium have the same second action, and no name for people.
        out.push(if kit == Kit::Chromium && !one { Ask::ActionName(0) } else { Ask::Actions });
    }
    if role::unnamed(raw) {
        out.push(Ask::RoleName);
    }
    if has_text(raw) {
        out.push(Ask::CharacterCount);
    }
    if numbered(raw) || (one && raw.faces.has(Faces::VALUE)) {
        out.extend_from_slice(if kit.get_all() { &[Ask::Range] } else { &[Ask::Now, Ask::Min, Ask::Max, Ask::Step] });
    }
    if chooses(raw) {
        out.push(Ask::Selected(0));
    }
    if one || (!known && (raw.is(bit::FOCUSABLE) || raw.is(bit::EDITABLE))) {
        out.push(if kit == Kit::Chromium { Ask::Attributes } else { Ask::AccessibleId });
    }
    let field = has_text(raw) || secret(raw) || [role::COMBO_BOX, role::SLIDER, role::SPIN_BUTTON].contains(&raw.role);
    if field && !known && (raw.name.is_empty() || (kit == Kit::Qt && raw.role == role::COMBO_BOX)) {
        out.push(Ask::Relations);
    }
}

/// Questions about several objects at once, each answer put into its object.
#[derive(Clone)]
pub(super) struct Survey<'a> {
    pub wire: &'a Wire,
    /// A straight connection to one application, by its name on the bus.
    pub near: Option<(Arc<str>, Arc<Wire>)>,
    pub until: Instant,
    pub patience: Patience,
}

impl<'a> Survey<'a> {
    pub fn by(wire: &'a Wire, until: Instant, patience: impl Into<Patience>) -> Self {
        Self { wire, near: None, until, patience: patience.into() }
    }

    /// The shortest way to this application.
    pub fn way(&self, bus: &str) -> &Wire {
        self.near.as_ref().filter(|(b, w)| **b == *bus && !w.is_closed()).map_or(self.wire, |(_, w)| w)
    }
}

impl Survey<'_> {
    /// Ask these of these. The end tells whether all was answered.
    pub async fn ask(&self, raws: &mut [Raw], asks: &[(usize, Ask)]) -> End {
        let mut messages = Vec::with_capacity(asks.len());
        let mut kept = Vec::with_capacity(asks.len());
        for (i, ask) in asks {
            if let Some(m) = ask.message(&raws[*i].at) {
                messages.push(m);
                kept.push((*i, *ask));
            }
        }
        // A window can hold objects of another application, which only the bus reaches.
        let one = asks.first().map(|(i, _)| raws[*i].at.bus.clone());
        let wire = match one {
            Some(bus) if asks.iter().all(|(i, _)| raws[*i].at.bus == bus) => self.way(&bus),
            _ => self.wire,
        };
        let mut round = wire.round(messages, self.until, self.patience).await;
        for (n, (i, ask)) in kept.into_iter().enumerate() {
            if let Some(m) = round.take(n) {
                ask.read(&m, &mut raws[i]);
            }
        }
        round.end
    }

    /// Extents, actions, values and labels of all of them, in three rounds.
    pub async fn fill(&self, raws: &mut [Raw], app: &App, depth: Depth, max_text: usize) -> End {
        let kit = app.kit();
        let known = if depth == Depth::Tree { app.lasting.fill(raws) } else { vec![false; raws.len()] };
        let mut asks = Vec::new();
        let mut some = Vec::new();
        for (i, raw) in raws.iter().enumerate() {
            some.clear();
            first(raw, kit, depth, known[i], &mut some);
            asks.extend(some.iter().map(|a| (i, *a)));
        }
        let end = self.ask(raws, &asks).await;
        if end != End::Whole {
            return end;
        }
        let mut asks = texts(raws, max_text);
        let learning = action_names(raws, app, depth, &mut asks);
        let end = self.ask(raws, &asks).await;
        if end != End::Whole {
            return end;
        }
        for i in learning {
            app.lasting.learn(raws[i].role, &raws[i].shown, &raws[i].actions);
        }
        for raw in raws.iter_mut() {
            if raw.actions.len() < raw.shown.len()
                && let Some(names) = app.lasting.names(raw.role, &raw.shown)
            {
                raw.actions = names.to_vec();
            }
            if raw.id.is_none() {
                raw.id = raw.attributes.get("id").cloned();
            }
        }
        app.lasting.keep(raws);
        self.names(raws, kit).await
    }

    /// Names of chosen options and of labels, looked up among the objects themselves first.
    async fn names(&self, raws: &mut [Raw], kit: Kit) -> End {
        for raw in raws.iter_mut().filter(|r| kit == Kit::Qt && r.role == role::COMBO_BOX) {
            // Qt names a combo box by what is chosen in it.
            raw.chosen = Some(std::mem::take(&mut raw.name));
        }
        let mut wanted: Vec<Ref> = Vec::new();
        for raw in raws.iter() {
            wanted.extend(raw.selected.clone());
            wanted.extend(raw.label.clone());
        }
        if wanted.is_empty() {
            return End::Whole;
        }
        let known: HashMap<&Ref, &str> = raws.iter().map(|r| (&r.at, &*r.name)).collect();
        let mut names: HashMap<Ref, String> = HashMap::new();
        let mut foreign: Vec<Raw> = Vec::new();
        for r in wanted {
            match known.get(&r) {
                Some(name) => drop(names.insert(r, (*name).into())),
                None => foreign.push(Raw::at(r)),
            }
        }
        let asks: Vec<_> = (0..foreign.len()).map(|i| (i, Ask::Name)).collect();
        let end = self.ask(&mut foreign, &asks).await;
        names.extend(foreign.into_iter().map(|r| (r.at, r.name)));
        for raw in raws {
            if let Some(name) = raw.label.as_ref().and_then(|r| names.get(r)) {
                raw.name.clone_from(name);
            }
            if let Some(name) = raw.selected.as_ref().and_then(|r| names.get(r)) {
                raw.chosen = Some(name.clone());
            }
        }
        end
    }
}

/// Texts of fields; empty ones need not be asked for.
fn texts(raws: &mut [Raw], max_text: usize) -> Vec<(usize, Ask)> {
    let max = i32::try_from(max_text).unwrap_or(i32::MAX);
    let mut asks = Vec::new();
    for (i, raw) in raws.iter_mut().enumerate().filter(|(_, r)| has_text(r)) {
        if raw.characters > 0 {
            asks.push((i, Ask::Text(raw.characters.min(max))));
        } else {
            raw.text = Some(String::new());
        }
    }
    asks
}

/// Names of actions that are not known yet. Of objects that show the same to people, one is
/// asked; the answer tells which.
fn action_names(raws: &[Raw], app: &App, depth: Depth, asks: &mut Vec<(usize, Ask)>) -> Vec<usize> {
    let mut asked: HashSet<(u32, &[String])> = HashSet::new();
    let mut out = Vec::new();
    for (i, raw) in raws.iter().enumerate().filter(|(_, r)| !r.shown.is_empty()) {
        let new = depth == Depth::One
            || (app.lasting.names(raw.role, &raw.shown).is_none() && asked.insert((raw.role, &raw.shown)));
        if new {
            let n = i32::try_from(raw.shown.len().min(MOST_ACTIONS)).unwrap_or_default();
            asks.extend((0..n).map(|n| (i, Ask::ActionName(n))));
            out.push(i);
        }
    }
    out
}
