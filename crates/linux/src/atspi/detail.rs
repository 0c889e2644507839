//! What is asked of an object beyond its place in the tree: extents, actions, values, labels.
//!
//! Owns: which questions an object is worth. Refuses to own: walking.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::apps::Kit;
use super::ask::{Ask, Ref};
use super::node::{role, secret, unnamed_role};
use super::raw::{Faces, Raw, bit};
use super::wire::{End, Wire};

/// Relation of a field to the label that names it.
const LABELLED_BY: u32 = 2;

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
        role::PASSWORD_TEXT, role::DATE_EDITOR, role::SPIN_BUTTON, role::TERMINAL, role::TEXT, role::AUTOCOMPLETE,
        role::EDITBAR, role::ENTRY, role::DOCUMENT_TEXT,
    ];
    raw.faces.has(Faces::TEXT) && !secret(raw) && (fields.contains(&raw.role) || raw.is(bit::EDITABLE) || raw.is(bit::MULTI_LINE))
}

/// The first round of questions about a known object.
fn first(raw: &Raw, kit: Kit, out: &mut Vec<Ask>) {
    if raw.faces.has(Faces::COMPONENT) {
        out.push(Ask::Extents);
    }
    if raw.faces.has(Faces::ACTION) {
        out.push(Ask::Actions);
    }
    if unnamed_role(raw) {
        out.push(Ask::RoleName);
    }
    if has_text(raw) {
        out.push(Ask::CharacterCount);
    }
    if raw.faces.has(Faces::VALUE) {
        out.extend_from_slice(if kit.get_all() { &[Ask::Range] } else { &[Ask::Now, Ask::Min, Ask::Max, Ask::Step] });
    }
    if raw.role == role::COMBO_BOX && raw.faces.has(Faces::SELECTION) {
        out.push(Ask::Selected(0));
    }
    if kit == Kit::Chromium && (raw.is(bit::FOCUSABLE) || raw.is(bit::EDITABLE)) {
        out.push(Ask::Attributes);
    }
    let field = has_text(raw) || secret(raw) || [role::COMBO_BOX, role::SLIDER, role::SPIN_BUTTON].contains(&raw.role);
    if field && raw.name.is_empty() {
        out.push(Ask::Relations);
    }
}

/// Questions about several objects at once, each answer put into its object.
pub(super) struct Survey<'a> {
    pub wire: &'a Wire,
    pub until: Instant,
    pub patience: Duration,
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
        let mut round = self.wire.round(messages, self.until, self.patience).await;
        for (n, (i, ask)) in kept.into_iter().enumerate() {
            if let Some(m) = round.take(n) {
                ask.read(&m, &mut raws[i]);
            }
        }
        round.end
    }

    /// Extents, actions, values and labels of all of them, in three rounds.
    pub async fn fill(&self, raws: &mut [Raw], kit: Kit, max_text: usize) -> End {
        let mut asks = Vec::new();
        let mut one = Vec::new();
        for (i, raw) in raws.iter().enumerate() {
            one.clear();
            first(raw, kit, &mut one);
            asks.extend(one.iter().map(|a| (i, *a)));
        }
        let end = self.ask(raws, &asks).await;
        if end != End::Whole {
            return end;
        }
        self.texts(raws, max_text).await
    }

    async fn texts(&self, raws: &mut [Raw], max_text: usize) -> End {
        let max = i32::try_from(max_text).unwrap_or(i32::MAX);
        let mut asks = Vec::new();
        for (i, raw) in raws.iter_mut().enumerate() {
            if !has_text(raw) || secret(raw) {
                continue;
            }
            if raw.characters > 0 {
                asks.push((i, Ask::Text(raw.characters.min(max))));
            } else {
                raw.text = Some(String::new());
            }
        }
        let end = self.ask(raws, &asks).await;
        if end != End::Whole {
            return end;
        }
        self.names(raws).await
    }

    /// Names of chosen options and of labels, looked up among the objects themselves first.
    async fn names(&self, raws: &mut [Raw]) -> End {
        let mut wanted: Vec<Ref> = Vec::new();
        for raw in raws.iter() {
            wanted.extend(raw.selected.clone());
            wanted.extend(label(raw).cloned());
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
            if let Some(name) = label(raw).and_then(|r| names.get(r)) {
                raw.name.clone_from(name);
            }
            raw.chosen = raw.selected.as_ref().and_then(|r| names.get(r)).cloned();
        }
        end
    }
}

fn label(raw: &Raw) -> Option<&Ref> {
    raw.relations.iter().find(|(kind, _)| *kind == LABELLED_BY).and_then(|(_, to)| to.first())
}
