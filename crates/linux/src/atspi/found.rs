//! The objects a walk found, and how they become a tree of the seam.
//!
//! Owns: document order, what ancestors say of an object, values that lie in descendants.
//! Refuses to own: asking.

use std::collections::HashMap;

use desktop::{Limits, Tree};

use super::apps::Kit;
use super::ask::Ref;
use super::node::{Inherited, View, class_name, document, node};
use super::raw::{Raw, bit};
use super::role;

#[derive(Clone)]
pub(super) struct Found {
    pub raws: Vec<Raw>,
    pub parents: Vec<Option<usize>>,
    pub below: Vec<Vec<usize>>,
    pub places: HashMap<Ref, usize>,
    cut: Option<&'static str>,
    omitted: u64,
}

impl Found {
    pub fn from(top: Raw) -> Self {
        Self {
            places: HashMap::from([(top.at.clone(), 0)]),
            raws: vec![top],
            parents: vec![None],
            below: vec![Vec::new()],
            cut: None,
            omitted: 0,
        }
    }

    pub fn cut(&mut self, why: &'static str, omitted: u64) {
        self.cut.get_or_insert(why);
        self.omitted = self.omitted.saturating_add(omitted);
    }

    /// Nothing was left out.
    pub fn is_whole(&self) -> bool {
        self.cut.is_none()
    }

    pub fn add(&mut self, raw: Raw, parent: usize) -> usize {
        let i = self.raws.len();
        self.places.insert(raw.at.clone(), i);
        self.raws.push(raw);
        self.parents.push(Some(parent));
        self.below.push(Vec::new());
        self.below[parent].push(i);
        i
    }

    /// Objects from here down, in document order.
    pub fn order(&self, from: usize) -> Vec<usize> {
        let mut out = Vec::new();
        let mut stack = vec![from];
        while let Some(i) = stack.pop() {
            out.push(i);
            stack.extend(self.below[i].iter().rev());
        }
        out
    }

    /// Only what lies below this object.
    pub fn part(mut self, top: usize) -> Self {
        let order = self.order(top);
        let mut out = Found::from(std::mem::take(&mut self.raws[top]));
        let mut places = HashMap::from([(top, 0)]);
        for i in order.into_iter().skip(1) {
            let Some(parent) = self.parents[i].and_then(|p| places.get(&p)).copied() else { continue };
            let new = out.add(std::mem::take(&mut self.raws[i]), parent);
            places.insert(i, new);
        }
        (out.cut, out.omitted) = (self.cut, self.omitted);
        out
    }

    /// The view with what the first page and what it lies in tell of the page's scale.
    pub fn page(&self, view: View) -> View {
        if view.kit != Kit::Chromium {
            return view;
        }
        let found = (0..self.raws.len()).find_map(|i| {
            let page = Some(&self.raws[i]).filter(|r| document(r))?.extents?;
            Some((page, self.raws[self.parents[i]?].extents?))
        });
        found.map_or(view, |(page, around)| view.with_page(page, around))
    }

    /// As nodes in document order, with what was inherited by each.
    pub fn tree(mut self, view: &View, limits: &Limits) -> (Tree, HashMap<Ref, Inherited>) {
        let mut tree = Tree { nodes: Vec::with_capacity(self.raws.len()), ..Tree::default() };
        let mut said = HashMap::with_capacity(self.raws.len());
        let mut places: Vec<usize> = vec![0; self.raws.len()];
        let mut from: Vec<Inherited> = vec![Inherited::default(); self.raws.len()];
        for i in self.order(0) {
            let parent = self.parents[i];
            let own = parent.map(|p| from[p]).unwrap_or_default();
            self.embedded(i);
            self.chosen(i, view.kit);
            self.named(i, view.kit);
            let mut n = node(&self.raws[i], view, own, limits);
            n.parent = parent.map(|p| places[p]);
            from[i] = own.below(&self.raws[i], parent.is_some(), view.kit);
            places[i] = tree.nodes.len();
            tree.nodes.push(n);
            said.insert(self.raws[i].at.clone(), own);
        }
        tree.complete = self.cut.is_none();
        tree.cut = self.cut;
        tree.omitted = self.omitted;
        (tree, said)
    }

    /// Put the names of embedded objects where the text only says that there is one.
    fn embedded(&mut self, i: usize) {
        let Some(text) = self.raws[i].text.take() else { return };
        if !text.contains('\u{fffc}') {
            self.raws[i].text = Some(text);
            return;
        }
        let mut names =
            self.below[i].iter().map(|c| &self.raws[*c]).filter(|c| c.role != role::STATIC).map(|c| c.name.as_str());
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if c == '\u{fffc}' { out.push_str(names.next().unwrap_or_default()) } else { out.push(c) }
        }
        self.raws[i].text = Some(out);
    }

    /// A row of GTK 4 has no name; it is called by the texts in it.
    pub fn named(&mut self, i: usize, kit: Kit) {
        if !nameless(&self.raws[i], kit) {
            return;
        }
        let labels = self.order(i).into_iter().map(|c| &self.raws[c]).filter(|c| c.role == role::LABEL);
        let names: Vec<&str> =
            labels.map(|c| c.name.as_str()).filter(|n| !n.is_empty() && !class_name(n)).take(4).collect();
        self.raws[i].name = names.join(" ");
    }

    /// What is chosen in a combo box that does not say it itself: the selected one of the
    /// options below it, or the one text that it shows.
    pub fn chosen(&mut self, i: usize, kit: Kit) {
        let raw = &self.raws[i];
        if raw.role != role::COMBO_BOX || raw.chosen.is_some() || raw.text.is_some() {
            return;
        }
        let below = self.order(i);
        let option = [role::MENU_ITEM, role::LIST_ITEM];
        let selected = below
            .iter()
            .map(|c| &self.raws[*c])
            .find(|c| option.contains(&c.role) && c.is(bit::SELECTED) && !c.name.is_empty());
        let shown = || {
            below.iter().map(|c| &self.raws[*c]).find(|c| {
                kit == Kit::Gtk4
                    && c.role == role::LABEL
                    && c.extents.is_some_and(|e| e.2 > 0 && e.3 > 0)
                    && !class_name(&c.name)
            })
        };
        let name = if kit == Kit::Gtk4 { shown() } else { selected }.map(|c| c.name.clone());
        self.raws[i].chosen = name;
    }
}

/// Its name is that of the labels below it.
pub(super) fn nameless(raw: &Raw, kit: Kit) -> bool {
    kit == Kit::Gtk4
        && [role::LIST_ITEM, role::TREE_ITEM, role::TABLE_ROW].contains(&raw.role)
        && (raw.name.is_empty() || class_name(&raw.name))
}
