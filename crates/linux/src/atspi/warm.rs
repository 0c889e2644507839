//! Trees kept warm: one round of questions makes a tree of earlier one of now.
//!
//! Owns: what is asked again, and when a kept tree is of no use. Refuses to own: what
//! applications told.
//!
//! Names, states and children are taken from earlier unless the application told of a change:
//! it tells before it answers anything that is asked later, and one question is asked by the way
//! that it tells on. What is not reliably told is asked again each time: places, texts, numbers,
//! what is chosen.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use desktop::{Limits, Pid, Tree, Window, WindowId};

use super::apps::{App, Kit};
use super::ask::{Ask, Ref};
use super::bus::Link;
use super::detail::{Depth, Survey, basics, chooses, has_text, numbered, placed};
use super::found::Found;
use super::node::{View, document};
use super::raw::{Faces, Raw, bit};
use super::role;
use super::told::Mark;
use super::walk::whole;
use super::wire::End;
use super::{PATIENCE, Shared};

/// Objects of all kept trees together.
const MOST: usize = 24_000;
/// With more changes than this the whole is read again.
const FEW: usize = 64;
/// Changes that come while earlier ones are looked at are followed this often.
const TURNS: usize = 3;
/// A window whose kept tree was of no use is read whole this often before that is tried again.
const TIRED: u32 = 8;

/// Newest last.
#[derive(Default)]
pub(super) struct Warm(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    kept: Vec<Kept>,
    /// Windows whose trees were kept in vain: how often in a row, and how many whole looks are left.
    vain: HashMap<WindowId, (u32, u32)>,
}

struct Kept {
    window: (WindowId, u64, Option<Pid>),
    area: desktop::Rect<desktop::Screen>,
    title: String,
    scale: f64,
    limits: Limits,
    view: View,
    app: Arc<App>,
    /// As the application told, before names and values that lie elsewhere were derived.
    found: Found,
    mark: Mark,
    tree: Tree,
}

impl Kept {
    fn is_of(&self, window: &Window, limits: &Limits, epoch: u32) -> bool {
        self.window == (window.id, window.birth, window.pid)
            && self.area == window.bounds
            && self.title == window.title
            && self.scale.to_bits() == window.scale.to_bits()
            && self.limits == *limits
            && self.view.epoch == epoch
    }
}

/// All of it is known, and told of by one application.
pub(super) fn keeps(found: &Found, app: &App) -> bool {
    let told = |r: &Raw| r.at.bus == app.bus && !untold(r, app.kit());
    found.is_whole() && found.raws.len() <= MOST / 2 && found.raws.iter().all(told)
}

/// Nobody is told of changes inside it.
fn untold(raw: &Raw, kit: Kit) -> bool {
    let cells = raw.is(bit::MANAGES_DESCENDANTS) || raw.faces.has(Faces::TABLE) || raw.role == role::TABLE_CELL;
    kit == Kit::Gtk3 && cells
}

impl Warm {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[allow(clippy::too_many_arguments)]
    pub fn keep(
        &self,
        window: &Window,
        limits: &Limits,
        view: View,
        app: Arc<App>,
        found: Found,
        mark: Mark,
        tree: &Tree,
    ) {
        let mut shelf = self.shelf();
        if shelf.vain.get(&window.id).is_some_and(|v| v.1 > 0) {
            return;
        }
        let kept = Kept {
            window: (window.id, window.birth, window.pid),
            area: window.bounds,
            title: window.title.clone(),
            scale: window.scale,
            limits: *limits,
            view,
            app,
            found,
            mark,
            tree: tree.clone(),
        };
        shelf.put(kept);
    }

    /// Take a kept tree to work on; meanwhile others read for themselves.
    fn take(&self, window: &Window, limits: &Limits, epoch: u32) -> Option<Kept> {
        let mut shelf = self.shelf();
        if let Some((_, left)) = shelf.vain.get_mut(&window.id).filter(|v| v.1 > 0) {
            *left -= 1;
            return None;
        }
        let i = shelf.kept.iter().position(|k| k.window.0 == window.id)?;
        Some(shelf.kept.remove(i)).filter(|k| k.is_of(window, limits, epoch))
    }

    /// It was of use, or it was not.
    fn give_back(&self, window: WindowId, kept: Option<Kept>) {
        let mut shelf = self.shelf();
        match kept {
            Some(kept) => {
                shelf.vain.remove(&window);
                shelf.put(kept);
            }
            None => {
                if shelf.vain.len() > 512 {
                    shelf.vain.clear();
                }
                let (times, left) = shelf.vain.entry(window).or_default();
                *times = (*times + 1).min(TIRED);
                *left = *times - 1;
            }
        }
    }
}

impl Shelf {
    fn put(&mut self, kept: Kept) {
        self.kept.retain(|k| k.window.0 != kept.window.0);
        self.kept.push(kept);
        let mut all: usize = self.kept.iter().map(|k| k.found.raws.len()).sum();
        while all > MOST && self.kept.len() > 1 {
            all -= self.kept.remove(0).found.raws.len();
        }
    }
}

impl Shared {
    /// The tree of a window that was read before, in one round where nothing changed. `None`
    /// where it has to be read whole; an end where the application said nothing.
    pub(super) async fn warm(
        &self,
        link: &Link,
        window: &Window,
        limits: &Limits,
        until: Instant,
    ) -> Result<Option<Tree>, End> {
        let Some(mut kept) = self.warm.take(window, limits, link.epoch) else { return Ok(None) };
        let app = kept.app.clone();
        let Ok(_seat) = app.enter() else { return Err(End::Stalled) };
        let near = self.survey(link, &app, until).await;
        let kept = match renew(link, &near, &mut kept).await {
            Ok(false) => Some(kept),
            Ok(true) => {
                let (tree, said) = kept.found.clone().tree(&kept.view, limits);
                self.seen.keep(window.id, kept.view, said);
                kept.tree = tree;
                Some(kept)
            }
            Err(Useless::Other) => None,
            Err(Useless::Silent(end)) => return Err(end),
        };
        let tree = kept.as_ref().map(|k| k.tree.clone());
        self.warm.give_back(window.id, kept);
        Ok(tree)
    }
}

/// Why a kept tree is dropped.
enum Useless {
    /// More is different than can be told object by object.
    Other,
    Silent(End),
}

impl From<End> for Useless {
    fn from(end: End) -> Self {
        Self::Silent(end)
    }
}

/// Make a kept tree one of now. True when something was different.
async fn renew(link: &Link, near: &Survey<'_>, kept: &mut Kept) -> Result<bool, Useless> {
    let mut told = told(kept).ok_or(Useless::Other)?;
    let mut changed = false;
    for turn in 0..TURNS {
        // Before the questions: what is told while they are answered is looked at once more.
        let mark = kept.app.told.mark().ok_or(Useless::Other)?;
        if turn == 0 {
            let app = kept.app.clone();
            let (heard, asked) = tokio::join!(fence(link, &app, near.until), ask_again(near, kept));
            heard?;
            let (other, more) = asked?;
            changed |= other;
            told.extend(more);
        }
        if told.len() > FEW {
            return Err(Useless::Other);
        }
        if !told.is_empty() {
            look_again(near, kept, &told).await?;
            changed = true;
        }
        kept.mark = mark;
        told = self::told(kept).ok_or(Useless::Other)?;
        if told.is_empty() {
            return Ok(changed);
        }
    }
    Err(Useless::Other)
}

/// Objects it told of, and those that are called by them.
fn told(kept: &Kept) -> Option<BTreeSet<usize>> {
    let bus = &kept.app.bus;
    let place = |path: &Arc<str>| kept.found.places.get(&Ref { bus: bus.clone(), path: path.clone() }).copied();
    let mut all: BTreeSet<usize> = kept.app.told.since(kept.mark, place)?.into_iter().collect();
    if all.is_empty() {
        return Some(all);
    }
    let raws = &kept.found.raws;
    let named = |r: &Option<Ref>| r.as_ref().and_then(|r| kept.found.places.get(r)).is_some_and(|i| all.contains(i));
    let called: Vec<usize> = (0..raws.len()).filter(|i| named(&raws[*i].label) || named(&raws[*i].selected)).collect();
    let around: Vec<usize> = all.iter().filter_map(|i| kept.found.parents[*i]).filter(|p| closed(&raws[*p])).collect();
    all.extend(called.into_iter().chain(around));
    Some(all)
}

/// One question by the way that changes are told on: all that were told before its answer have
/// been heard.
async fn fence(link: &Link, app: &App, until: Instant) -> Result<(), Useless> {
    let root = Ref { bus: app.bus.clone(), path: app.root.clone() };
    let message = Ask::State.message(&root).ok_or(Useless::Other)?;
    let (answer, end) = link.wire.one(message, until, PATIENCE).await;
    whole(end)?;
    answer.and_then(Result::ok).map(drop).ok_or(Useless::Other)
}

/// What is not reliably told: whether something was different, and what else has to be looked at.
async fn ask_again(near: &Survey<'_>, kept: &mut Kept) -> Result<(bool, BTreeSet<usize>), Useless> {
    let kit = kept.app.kit();
    let found = &mut kept.found;
    let mut fresh: Vec<Raw> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    let mut asks: Vec<(usize, Ask)> = Vec::new();
    for (i, raw) in found.raws.iter().enumerate() {
        let first = asks.len();
        if kit == Kit::Gtk4 && found.parents[i].is_some_and(|p| closed(&found.raws[p])) {
            continue;
        }
        volatile(raw, kit, kept.limits.max_text, |ask| asks.push((fresh.len(), ask)));
        if asks.len() > first {
            fresh.push(Raw { characters: -1, ..Raw::at(raw.at.clone()) });
            of.push(i);
        }
    }
    whole(near.ask(&mut fresh, &asks).await)?;
    let (mut placed_anew, mut counted, mut more) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (i, new) in of.into_iter().zip(fresh) {
        let raw = &found.raws[i];
        if quiet(raw, kit) && new.states != raw.states {
            more.insert(i);
        }
        if in_view(raw, kit) && new.extents != raw.extents {
            // Elsewhere things show and hide by place alone, and nobody is told.
            if kit != Kit::Gtk4 || new.extents.is_none() {
                return Err(Useless::Other);
            }
            placed_anew.push((i, new.extents));
        }
        if has_text(raw) {
            let text = if raw.characters > 0 { new.text } else { Some(String::new()) };
            if new.characters != raw.characters || text != raw.text {
                more.insert(i);
            }
        }
        if numbered(raw) && new.now != raw.now {
            counted.push((i, new.now));
        }
        if chooses(raw) && new.selected != raw.selected {
            more.insert(i);
        }
        if let Some(list) = &new.children {
            if !list.iter().eq(found.below[i].iter().map(|c| &found.raws[*c].at)) {
                return Err(Useless::Other);
            }
        } else if grows(raw, kit) && new.child_count != raw.child_count {
            return Err(Useless::Other);
        }
        if labelled(raw, kit) && new.name != raw.name && (raw.label.is_none() || !new.name.is_empty()) {
            more.insert(i);
        }
    }
    // What is inside lies elsewhere then, too.
    let inside = placed_anew.iter().filter(|(i, _)| closed(&found.raws[*i])).flat_map(|(i, _)| found.order(*i));
    more.extend(inside);
    let changed = !(placed_anew.is_empty() && counted.is_empty());
    placed_anew.into_iter().for_each(|(i, extents)| found.raws[i].extents = extents);
    counted.into_iter().for_each(|(i, now)| found.raws[i].now = now);
    Ok((changed, more))
}

fn volatile(raw: &Raw, kit: Kit, max_text: usize, mut ask: impl FnMut(Ask)) {
    if in_view(raw, kit) {
        ask(Ask::Extents);
    }
    if quiet(raw, kit) {
        ask(Ask::State);
    }
    if has_text(raw) {
        ask(Ask::CharacterCount);
        if raw.characters > 0 {
            ask(Ask::Text(raw.characters.min(i32::try_from(max_text).unwrap_or(i32::MAX))));
        }
    }
    if numbered(raw) {
        ask(Ask::Now);
    }
    if chooses(raw) {
        ask(Ask::Selected(0));
    }
    if grows(raw, kit) {
        // GTK 4 also puts others in their place, and changes their order.
        ask(if kit == Kit::Gtk4 && raw.child_count > 0 { Ask::Children } else { Ask::ChildCount });
    }
    if labelled(raw, kit) {
        ask(Ask::Name);
    }
}

/// Its place matters. Of a web page most lies out of view, where nothing is done by place.
fn in_view(raw: &Raw, kit: Kit) -> bool {
    placed(raw, kit) && (kit != Kit::Chromium || raw.is(bit::SHOWING))
}

/// Chromium tells of some states only: not that a field is invalid or a page lost the focus.
fn quiet(raw: &Raw, kit: Kit) -> bool {
    kit == Kit::Chromium && (has_text(raw) || document(raw) || (raw.is(bit::SHOWING) && raw.is(bit::FOCUSABLE)))
}

/// GTK 4 names it by a label elsewhere, and tells of no change of that.
fn labelled(raw: &Raw, kit: Kit) -> bool {
    kit == Kit::Gtk4 && raw.is(bit::FOCUSABLE) && !pressed(raw)
}

/// GTK tells of children that go, but not of all that come.
fn grows(raw: &Raw, kit: Kit) -> bool {
    match kit {
        Kit::Gtk3 => raw.child_count != 0 || !closed(raw),
        Kit::Gtk4 => !closed(raw),
        _ => false,
    }
}

fn pressed(raw: &Raw) -> bool {
    [role::CHECK_BOX, role::PUSH_BUTTON, role::RADIO_BUTTON, role::TOGGLE_BUTTON].contains(&raw.role)
}

/// One thing for a person: what is inside, if anything, is its label and lies where it lies.
fn closed(raw: &Raw) -> bool {
    let others = [
        role::ENTRY,
        role::ICON,
        role::IMAGE,
        role::LABEL,
        role::PASSWORD_TEXT,
        role::PROGRESS_BAR,
        role::SCROLL_BAR,
        role::SEPARATOR,
        role::SLIDER,
        role::SPIN_BUTTON,
        role::TEXT,
    ];
    pressed(raw) || others.contains(&raw.role)
}

/// Look at these objects as at new ones; of no use where more than they themselves may be different.
async fn look_again(near: &Survey<'_>, kept: &mut Kept, which: &BTreeSet<usize>) -> Result<(), Useless> {
    let kit = kept.app.kit();
    let found = &mut kept.found;
    let mut raws: Vec<Raw> =
        which.iter().map(|i| Raw { role: u32::MAX, ..Raw::at(found.raws[*i].at.clone()) }).collect();
    let asks: Vec<_> = (0..raws.len()).flat_map(|n| basics(kit).iter().map(move |a| (n, *a))).collect();
    whole(near.ask(&mut raws, &asks).await)?;
    let same = |i: usize, new: &Raw| {
        let old = &found.raws[i];
        let inherited = [bit::SHOWING, bit::VISIBLE, bit::ENABLED, bit::SENSITIVE];
        // What shows and what is enabled decides that of all below it.
        (old.role, old.faces, old.child_count) == (new.role, new.faces, new.child_count)
            && inherited.iter().all(|b| old.is(*b) == new.is(*b))
            && !new.is(bit::DEFUNCT)
    };
    if !which.iter().zip(&raws).all(|(i, new)| same(*i, new)) {
        return Err(Useless::Other);
    }
    whole(near.fill(&mut raws, &kept.app, Depth::Tree, kept.limits.max_text).await)?;
    for (i, new) in which.iter().zip(raws) {
        let old = &mut found.raws[*i];
        if new.extents != old.extents && kit != Kit::Gtk4 {
            return Err(Useless::Other);
        }
        *old = Raw { index: old.index, ..new };
    }
    Ok(())
}
