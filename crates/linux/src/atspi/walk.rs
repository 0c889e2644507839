//! Walking the objects of one window.
//!
//! Owns: the order of rounds, what is cut and counted as left out. Refuses to own: which window.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use desktop::{Limits, Tree};

use super::apps::Kit;
use super::ask::{Ask, Ref, items};
use super::detail::{Survey, basics};
use super::node::{Inherited, View, node};
use super::raw::{Faces, Item, Raw, bit};
use super::wire::End;

/// A container that says it has more children is not asked for all of them.
const MANY: i32 = 2500;
/// So many of a huge container are taken.
const SOME: i32 = 200;

/// What the bulk list of an application holds, by object and by parent.
#[derive(Default)]
pub(super) struct Bulk {
    raws: HashMap<Ref, Raw>,
    below: HashMap<Ref, Vec<(i32, Ref)>>,
}

impl Bulk {
    pub fn read(m: &zbus::Message, bus: &Arc<str>) -> Self {
        let list = items(m, bus);
        let mut out = Self { raws: HashMap::with_capacity(list.len()), below: HashMap::new() };
        for Item { parent, index, raw } in list {
            out.below.entry(parent).or_default().push((index, raw.at.clone()));
            out.raws.insert(raw.at.clone(), raw);
        }
        out
    }

    pub fn take(&mut self, r: &Ref) -> Option<Raw> {
        self.raws.remove(r)
    }

    pub fn get(&self, r: &Ref) -> Option<&Raw> {
        self.raws.get(r)
    }

    pub fn all(&self) -> impl Iterator<Item = &Raw> {
        self.raws.values()
    }

    /// Children in order, only where each one that is counted is there.
    fn children(&self, raw: &Raw) -> Option<Vec<Ref>> {
        if let Some(list) = &raw.children {
            return Some(list.clone());
        }
        let mut list = self.below.get(&raw.at)?.clone();
        list.sort_by_key(|(i, _)| *i);
        let whole = list.len() == usize::try_from(raw.child_count).ok()?
            && list.iter().enumerate().all(|(n, (i, _))| usize::try_from(*i).is_ok_and(|i| i == n));
        whole.then(|| list.into_iter().map(|(_, r)| r).collect())
    }
}

pub(super) struct Walk<'a> {
    pub survey: Survey<'a>,
    pub kit: Kit,
    pub view: View,
    pub limits: &'a Limits,
    pub bulk: Bulk,
}

struct Found {
    raws: Vec<Raw>,
    parents: Vec<Option<usize>>,
    below: Vec<Vec<usize>>,
    places: HashMap<Ref, usize>,
    cut: Option<&'static str>,
    omitted: u64,
}

impl Found {
    fn cut(&mut self, why: &'static str, omitted: u64) {
        self.cut.get_or_insert(why);
        self.omitted = self.omitted.saturating_add(omitted);
    }

    fn add(&mut self, raw: Raw, parent: usize) -> usize {
        let i = self.raws.len();
        self.places.insert(raw.at.clone(), i);
        self.raws.push(raw);
        self.parents.push(Some(parent));
        self.below.push(Vec::new());
        self.below[parent].push(i);
        i
    }
}

impl Walk<'_> {
    /// The tree below an object whose basics are known. `Err` when the application stopped
    /// answering along the way.
    pub async fn tree(mut self, top: Raw, until: Instant) -> Result<Tree, End> {
        let mut found = Found {
            places: HashMap::from([(top.at.clone(), 0)]),
            raws: vec![top],
            parents: vec![None],
            below: vec![Vec::new()],
            cut: None,
            omitted: 0,
        };
        let mut level = vec![0];
        let mut depth = 0;
        while !level.is_empty() {
            if depth >= self.limits.max_depth {
                let left = level.iter().map(|i| found.raws[*i].child_count.max(0) as u64).sum();
                if left > 0 {
                    found.cut("max_depth", left);
                }
                break;
            }
            match self.descend(&mut found, &level).await {
                Ok(next) => level = next,
                Err(End::Deadline) => {
                    found.cut("deadline", 0);
                    break;
                }
                Err(end) => return Err(end),
            }
            depth += 1;
        }
        self.survey.until = until;
        match self.survey.fill(&mut found.raws, self.kit, self.limits.max_text).await {
            End::Whole => {}
            End::Deadline => found.cut("deadline", 0),
            end => return Err(end),
        }
        Ok(self.finish(found))
    }

    /// Add the children of one level; they are the next.
    async fn descend(&mut self, found: &mut Found, level: &[usize]) -> Result<Vec<usize>, End> {
        self.counts(found, level).await?;
        let mut lists: Vec<(usize, Vec<Ref>)> = Vec::new();
        let mut asks = Vec::new();
        for &i in level {
            let raw = &found.raws[i];
            if raw.child_count == 0 && raw.children.is_none() {
                continue;
            }
            if raw.child_count > MANY {
                let list = self.some(raw).await?;
                let left = (raw.child_count as u64).saturating_sub(list.len() as u64);
                found.cut("too_many_children", left);
                lists.push((i, list));
            } else if let Some(list) = self.bulk.children(raw) {
                lists.push((i, list));
            } else {
                asks.push((i, Ask::Children));
            }
        }
        whole(self.survey.ask(&mut found.raws, &asks).await)?;
        lists.extend(asks.iter().map(|(i, _)| (*i, found.raws[*i].children.take().unwrap_or_default())));
        lists.sort_by_key(|(i, _)| *i);
        self.join(found, lists).await
    }

    /// Some containers tell no count in bulk.
    async fn counts(&self, found: &mut Found, level: &[usize]) -> Result<(), End> {
        let asks: Vec<_> = level
            .iter()
            .filter(|i| found.raws[**i].child_count < 0 || found.raws[**i].is(bit::MANAGES_DESCENDANTS))
            .map(|i| (*i, Ask::ChildCount))
            .collect();
        whole(self.survey.ask(&mut found.raws, &asks).await)
    }

    async fn join(&mut self, found: &mut Found, lists: Vec<(usize, Vec<Ref>)>) -> Result<Vec<usize>, End> {
        let mut next = Vec::new();
        let mut unknown = Vec::new();
        for (parent, list) in lists {
            for (n, r) in list.into_iter().enumerate() {
                if found.places.contains_key(&r) {
                    continue;
                }
                if found.raws.len() >= self.limits.max_nodes {
                    found.cut("max_elements", 1);
                    continue;
                }
                let known = self.bulk.take(&r);
                let is_new = known.is_none();
                let mut raw = known.unwrap_or_else(|| Raw::at(r));
                raw.index = n as i32;
                let i = found.add(raw, parent);
                next.push(i);
                if is_new {
                    unknown.push(i);
                }
            }
        }
        let asks: Vec<_> = unknown.iter().flat_map(|i| basics(self.kit).iter().map(|a| (*i, *a))).collect();
        whole(self.survey.ask(&mut found.raws, &asks).await)?;
        Ok(next)
    }

    /// A bounded number of the children of a huge container: the first ones.
    async fn some(&self, raw: &Raw) -> Result<Vec<Ref>, End> {
        let asked = (0..SOME).filter_map(|i| {
            super::wire::call(&raw.at.bus, &raw.at.path, super::ask::ACCESSIBLE, "GetChildAtIndex", &(i,))
        });
        let mut round = self.survey.wire.round(asked.collect(), self.survey.until, self.survey.patience).await;
        whole(round.end)?;
        Ok((0..SOME as usize).filter_map(|i| round.take(i).and_then(|m| super::ask::one_ref(&m))).collect())
    }

    /// In document order, as nodes.
    fn finish(&self, mut found: Found) -> Tree {
        let mut tree = Tree { nodes: Vec::with_capacity(found.raws.len()), ..Tree::default() };
        let mut places: Vec<usize> = vec![0; found.raws.len()];
        let mut said: Vec<Inherited> = vec![Inherited::default(); found.raws.len()];
        let mut stack = vec![0];
        while let Some(i) = stack.pop() {
            stack.extend(found.below[i].iter().rev());
            let from = found.parents[i].map(|p| said[p]).unwrap_or_default();
            self.embedded(&mut found, i);
            let mut node = node(&found.raws[i], &self.view, from, self.limits);
            said[i] = from.below(&found.raws[i]);
            node.parent = found.parents[i].map(|p| places[p]);
            places[i] = tree.nodes.len();
            tree.nodes.push(node);
        }
        tree.complete = found.cut.is_none();
        tree.cut = found.cut;
        tree.omitted = found.omitted;
        tree
    }

    /// Put the names of embedded objects where the text only says that there is one.
    fn embedded(&self, found: &mut Found, i: usize) {
        let Some(text) = found.raws[i].text.take() else { return };
        if !text.contains('\u{fffc}') {
            found.raws[i].text = Some(text);
            return;
        }
        let mut names = found.below[i]
            .iter()
            .map(|c| &found.raws[*c])
            .filter(|c| !c.faces.has(Faces::TEXT) || c.role != 116)
            .map(|c| c.name.as_str());
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if c == '\u{fffc}' { out.push_str(names.next().unwrap_or_default()) } else { out.push(c) }
        }
        found.raws[i].text = Some(out);
    }
}

fn whole(end: End) -> Result<(), End> {
    if end == End::Whole { Ok(()) } else { Err(end) }
}
