//! Walking the objects of one window, level by level.
//!
//! Owns: the order of rounds, what is cut and counted as left out. Refuses to own: which window,
//! and what the objects are like beyond their place.

use std::collections::HashMap;
use std::sync::Arc;

use desktop::Limits;

use super::apps::{App, Kit};
use super::ask::{Ask, Ref, items};
use super::detail::{Survey, basics};
use super::found::Found;
use super::raw::{Faces, Item, Raw, bit};
use super::role;
use super::wire::End;

/// A table that says it has more children is not asked for all of them.
const MANY: i32 = 2000;

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

    pub fn get(&self, r: &Ref) -> Option<&Raw> {
        self.raws.get(r)
    }

    /// Objects that the list puts below this one.
    fn under(&self, top: &Ref) -> Vec<Ref> {
        let mut out = vec![top.clone()];
        let mut next = 0;
        while let Some(r) = out.get(next) {
            let more: Vec<Ref> = self.below.get(r).into_iter().flatten().map(|(_, r)| r.clone()).collect();
            out.extend(more);
            next += 1;
            if out.len() > self.raws.len() {
                break;
            }
        }
        out
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
    pub app: Arc<App>,
    pub limits: &'a Limits,
    pub bulk: Bulk,
    /// Nothing below hidden objects is wanted.
    pub shown_only: bool,
}

impl Walk<'_> {
    /// All objects below one whose basics are known. Left whole when the deadline comes, with
    /// the cut noted; `Err` when the application stopped answering along the way.
    pub async fn from(&mut self, top: Raw) -> Result<Found, End> {
        if !self.app.kit().lists_children() {
            self.presume(&top).await?;
        }
        let mut found = Found::from(top);
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
                    let left = level.iter().filter(|i| found.below[**i].is_empty());
                    let left = left.map(|i| found.raws[*i].child_count.max(0) as u64).sum();
                    found.cut("deadline", left);
                    break;
                }
                Err(end) => return Err(end),
            }
            depth += 1;
        }
        Ok(found)
    }

    /// Ask everything that is probably below for its children at once, so that the levels need not
    /// be asked one after the other.
    async fn presume(&mut self, top: &Raw) -> Result<(), End> {
        let under = self.bulk.under(&top.at);
        let mut raws: Vec<Raw> =
            under.iter().filter_map(|r| self.bulk.raws.get(r)).filter(|r| r.child_count > 0).cloned().collect();
        let asks: Vec<_> = (0..raws.len()).map(|i| (i, Ask::Children)).collect();
        whole(self.survey.ask(&mut raws, &asks).await)?;
        for raw in raws {
            self.bulk.raws.insert(raw.at.clone(), raw);
        }
        Ok(())
    }

    /// Add the children of one level; they are the next.
    async fn descend(&mut self, found: &mut Found, level: &[usize]) -> Result<Vec<usize>, End> {
        self.counts(found, level).await?;
        let mut lists: Vec<(usize, Vec<Ref>)> = Vec::new();
        let mut asks = Vec::new();
        for &i in level {
            let raw = &found.raws[i];
            let hidden = self.shown_only && i != 0 && !raw.is(bit::SHOWING) && !raw.is(bit::VISIBLE);
            if hidden || (raw.child_count == 0 && raw.children.is_none()) {
                continue;
            }
            if raw.child_count > self.most(raw) {
                let list = self.survey.visible(raw).await?;
                let left = (raw.child_count as u64).saturating_sub(list.len() as u64);
                found.cut("too_many_children", left);
                lists.push((i, list));
            } else if let Some(list) = self.listed(raw) {
                lists.push((i, list));
            } else {
                asks.push((i, Ask::Children));
            }
        }
        whole(self.survey.ask(&mut found.raws, &asks).await)?;
        self.recount(found, &asks).await?;
        lists.extend(asks.iter().map(|(i, _)| (*i, found.raws[*i].children.take().unwrap_or_default())));
        lists.sort_by_key(|(i, _)| *i);
        self.join(found, lists).await
    }

    fn listed(&self, raw: &Raw) -> Option<Vec<Ref>> {
        if self.app.kit().lists_children() { self.bulk.children(raw) } else { raw.children.clone() }
    }

    /// What is to be asked of an object that no list told of. Cells of GTK 3 tables are in none;
    /// what they are stays the same while they live.
    fn unsaid(&self, raw: &mut Raw) -> &'static [Ask] {
        let cell = (self.app.kit() == Kit::Gtk3).then(|| self.app.lasting.kind(&raw.at.path)).flatten();
        match cell.filter(|(role, _)| *role == role::TABLE_CELL) {
            Some((role, faces)) => {
                (raw.role, raw.faces) = (role, faces);
                &[Ask::Name, Ask::Description, Ask::ChildCount, Ask::State]
            }
            None => basics(self.app.kit()),
        }
    }

    fn most(&self, raw: &Raw) -> i32 {
        if raw.faces.has(Faces::TABLE) || raw.is(bit::MANAGES_DESCENDANTS) {
            MANY
        } else {
            i32::try_from(self.limits.max_nodes).unwrap_or(i32::MAX).max(MANY)
        }
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

    /// A list shorter than its count is asked for its count again: it may have changed in
    /// between. What is still missing is left out and said so.
    async fn recount(&self, found: &mut Found, asked: &[(usize, Ask)]) -> Result<(), End> {
        let short = |found: &Found, i: usize| {
            let raw = &found.raws[i];
            (raw.child_count.max(0) as usize).saturating_sub(raw.children.as_ref().map_or(0, Vec::len)) as u64
        };
        let again: Vec<_> =
            asked.iter().filter(|(i, _)| short(found, *i) > 0).map(|(i, _)| (*i, Ask::ChildCount)).collect();
        whole(self.survey.ask(&mut found.raws, &again).await)?;
        for (i, _) in again {
            let left = short(found, i);
            if left > 0 {
                found.cut("unlisted", left);
            }
        }
        Ok(())
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
                let known = self.bulk.raws.remove(&r);
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
        let asks: Vec<_> = unknown
            .iter()
            .flat_map(|i| self.unsaid(&mut found.raws[*i]).iter().map(|a| (*i, *a)).collect::<Vec<_>>())
            .collect();
        whole(self.survey.ask(&mut found.raws, &asks).await)?;
        Ok(next)
    }
}

pub(super) fn whole(end: End) -> Result<(), End> {
    if end == End::Whole { Ok(()) } else { Err(end) }
}
