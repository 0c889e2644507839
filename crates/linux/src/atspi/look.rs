//! Looking: trees of windows, single objects, texts, the focused object.
//!
//! Owns: finding the application and the object of a window, and why there is none. Refuses to
//! own: how a round is sent and what a node is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, EmptyBecause, Limits, Node, NodeKey, Rect, Result, Tree, Window, WindowKind};

use super::apps::{App, Kit, Seat};
use super::ask::{ACCESSIBLE, Ask, ROOT, Ref, refs};
use super::bus::Link;
use super::detail::{Depth, Survey, basics, has_text};
use super::events::attend;
use super::found::{Found, nameless};
use super::frame;
use super::hand::eyes;
use super::node::{Inherited, View, folds, node, secret};
use super::raw::{Faces, Raw, bit};
use super::role;
use super::told::Mark;
use super::walk::{Bulk, Walk, whole};
use super::wire::{End, call};
use super::{BULK, PATIENCE, Shared, said, shadow, warm};

/// Kept back from a deadline so that what was found can be handed over: a tenth, within these.
const RESERVE: (Duration, Duration) = (Duration::from_millis(30), Duration::from_millis(250));
/// What only which window is active tells is asked again after this.
const MOMENT: Duration = Duration::from_millis(120);
/// Bytes of a text that is read whole.
const TEXT: usize = 1 << 20;
/// A Chromium window of no more objects than this has no page in it.
const HANDFUL: usize = 8;

/// What was found of a window in one application.
struct Place<'a> {
    walk: Walk<'a>,
    found: Found,
    view: View,
    /// Until when what the application tells of changes is in it; only of a window that is surely this one.
    mark: Option<Mark>,
}

fn empty(why: EmptyBecause) -> Tree {
    Tree { complete: false, empty: Some(why), ..Tree::default() }
}

/// The tree of an application that did not answer.
fn silent(end: End) -> Result<Tree> {
    match end {
        End::Closed => Ok(empty(EmptyBecause::NoBus)),
        End::Deadline => Err(DesktopError::Timeout),
        End::Stalled | End::Whole => Ok(empty(EmptyBecause::NotAnswering)),
    }
}

impl Shared {
    pub(super) async fn survey<'a>(&self, link: &'a Link, app: &App, until: Instant) -> Survey<'a> {
        Survey { near: eyes(link, app, until).await, ..Survey::by(&link.wire, until, PATIENCE) }
    }

    pub(super) async fn tree(&self, ctx: &Ctx, window: &Window, limits: &Limits) -> Result<Tree> {
        let reserve = ctx.left().mul_f32(0.1).clamp(RESERVE.0, RESERVE.1);
        let until = ctx.deadline.checked_sub(reserve).unwrap_or(ctx.deadline);
        let link = match self.bus.link().await {
            Ok(link) => link,
            Err(DesktopError::NoAccessibility(_)) => return Ok(empty(EmptyBecause::NoBus)),
            Err(e) => return Err(e),
        };
        match self.warm(&link, window, limits, until).await {
            Ok(Some(tree)) => return Ok(tree),
            Ok(None) => {}
            Err(end) => return silent(end),
        }
        // Half of the time for the places, the rest for what the objects are like.
        let now = Instant::now();
        let half = now + until.saturating_duration_since(now).mul_f32(0.6);
        let found = match self.place(&link, window, limits, half).await {
            Err(DesktopError::NoAccessibility(_)) => return Ok(empty(EmptyBecause::NoBus)),
            found => found?,
        };
        let (app, Place { mut walk, mut found, view, mark }) = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(empty(EmptyBecause::NoWindow)),
            Err(end) => return silent(end),
        };
        walk.survey.until = until;
        match walk.survey.fill(&mut found.raws, &app, Depth::Tree, limits.max_text).await {
            End::Whole => {}
            End::Deadline => found.cut("deadline", 0),
            End::Closed => return Ok(empty(EmptyBecause::NoBus)),
            End::Stalled => return Ok(empty(EmptyBecause::NotAnswering)),
        }
        let page = found.raws.iter().any(|r| matches!(r.role, role::DOCUMENT_WEB | role::DOCUMENT_FRAME));
        if app.kit() == Kit::Chromium && !page && found.raws.len() <= HANDFUL && window.kind != WindowKind::Popup {
            return Ok(empty(EmptyBecause::NotEnabled));
        }
        let view = found.page(view);
        let kept = mark.filter(|_| warm::keeps(&found, &app)).map(|mark| (mark, found.clone()));
        let (tree, said) = found.tree(&view, limits);
        self.seen.keep(window.id, view, said);
        if let Some((mark, found)) = kept {
            self.warm.keep(window, limits, view, app, found, mark, &tree);
        }
        Ok(tree)
    }

    /// The objects of a window, by place alone.
    async fn place<'a>(
        &self,
        link: &'a Link,
        window: &Window,
        limits: &'a Limits,
        until: Instant,
    ) -> Result<std::result::Result<Option<(Arc<App>, Place<'a>)>, End>> {
        let Some(pid) = window.pid else { return Ok(Ok(None)) };
        let met = link.apps.met(pid);
        for app in &met {
            match self.in_app(link, app, window, limits, until).await {
                Ok(Some(place)) => return Ok(Ok(Some((app.clone(), place)))),
                Ok(None) => {}
                Err(end) => return Ok(Err(end)),
            }
        }
        for app in link.apps.of(&link.wire, pid, until).await? {
            if met.iter().any(|m| m.bus == app.bus) {
                continue;
            }
            match self.in_app(link, &app, window, limits, until).await {
                Ok(Some(place)) => return Ok(Ok(Some((app, place)))),
                Ok(None) => {}
                Err(end) => return Ok(Err(end)),
            }
        }
        Ok(Ok(None))
    }

    async fn in_app<'a>(
        &self,
        link: &'a Link,
        app: &Arc<App>,
        window: &Window,
        limits: &'a Limits,
        until: Instant,
    ) -> std::result::Result<Option<Place<'a>>, End> {
        let Ok(_seat) = app.enter() else { return Err(End::Stalled) };
        let kit = app.learn(&link.wire, until).await?;
        // What changes by itself is to be known also where the tree is read anew each time.
        let mark = attend(link, app, until).await.filter(|_| kit.tells());
        let survey = self.survey(link, app, until).await;
        let (mut all, mut bulk) = tops(&survey, app, kit).await?;
        let view = View::of(window, kit, link.epoch);
        let first = frame::choose(&all, window, &view, &self.bound).filter(|c| !c.sure).map(|c| c.top.at.clone());
        if first.is_some() {
            tokio::time::sleep(MOMENT).await;
            (all, bulk) = tops(&survey, app, kit).await?;
        }
        let mut walk = Walk { survey, app: app.clone(), limits, bulk, shown_only: false };
        if let Some(choice) = frame::choose(&all, window, &view, &self.bound) {
            let top = choice.top;
            let sure = choice.sure;
            if !choice.sure {
                if first.as_ref() != Some(&top.at) {
                    return Ok(None);
                }
                self.bound.suppose(window, link.epoch, &top.at);
            }
            let view = self.shifted(view.fitted(top, choice.scale), top, window).await;
            let found = walk.from(top.clone()).await?;
            return Ok(Some(Place { walk, found, view, mark: mark.filter(|_| sure) }));
        }
        if window.kind == WindowKind::Normal {
            return Ok(None);
        }
        // Menus and lists of combo boxes lie somewhere below the object they belong to.
        walk.shown_only = true;
        let root = Ref { bus: app.bus.clone(), path: app.root.clone() };
        let list = all.iter().map(|t| t.at.clone()).collect();
        let mut found = walk.from(Raw { child_count: all.len() as i32, children: Some(list), ..Raw::at(root) }).await?;
        let asks: Vec<_> = frame::popups(&found, kit).into_iter().map(|i| (i, Ask::Extents)).collect();
        whole(walk.survey.ask(&mut found.raws, &asks).await)?;
        let Some(top) = frame::popup(&found, window, &view) else { return Ok(None) };
        let view = view.fitted(&found.raws[top], window.scale);
        let mut found = found.part(top);
        let own = found.raws[0].extents.and_then(|e| view.place(e));
        if own.is_some_and(|r| r.meet(&window.bounds).is_none()) {
            // A menu tells the place of its item in the menu bar.
            found.raws[0].extents = None;
            found.raws[0].faces = found.raws[0].faces.without(Faces::COMPONENT);
        }
        Ok(Some(Place { walk, found, view, mark: None }))
    }

    async fn shifted(&self, view: View, top: &Raw, window: &Window) -> View {
        let (w, h) = view.border(top);
        // A plain border is the same all round; a shadow is longer below.
        let shift = match (w, h) {
            (0, 0) => (0, 0),
            (w, h) if w == h && w <= 16 => (w / 2, h / 2),
            (w, h) => shadow::of(self.bus.display(), window.id).await.unwrap_or((w / 2, h / 2)),
        };
        View { shift, ..view }
    }

    /// The application of a key, with a place among those that wait for it.
    pub(super) async fn reach(&self, key: &NodeKey, until: Instant) -> Result<(Arc<Link>, Arc<App>, Ref, Seat)> {
        let (at, epoch) = Ref::of(key).ok_or(DesktopError::NodeGone)?;
        let link = self.bus.link().await?;
        if epoch != link.epoch {
            return Err(DesktopError::NodeGone);
        }
        let app = link.apps.by_name(&link.wire, &at.bus, until).await?;
        let seat = app.enter()?;
        if let Err(end) = app.learn(&link.wire, until).await {
            said(end, app.pid)?;
        }
        Ok((link, app, at, seat))
    }

    pub(super) async fn read(&self, ctx: &Ctx, window: Option<&Window>, key: &NodeKey) -> Result<Node> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, &app, ctx.deadline).await;
        let seen = self.seen.of(&at, link.epoch);
        let mut raws = [Raw { role: u32::MAX, ..Raw::at(at) }];
        let asks: Vec<_> = basics(app.kit()).iter().chain([&Ask::Index]).map(|a| (0, *a)).collect();
        said(survey.ask(&mut raws, &asks).await, app.pid)?;
        if raws[0].role == u32::MAX || raws[0].is(bit::DEFUNCT) {
            return Err(DesktopError::NodeGone);
        }
        said(survey.fill(&mut raws, &app, Depth::One, Limits::default().max_text).await, app.pid)?;
        let [mut raw] = raws;
        let unchosen = raw.role == role::COMBO_BOX && raw.chosen.is_none() && !has_text(&raw);
        if unchosen || nameless(&raw, app.kit()) {
            raw = self.below(&survey, &app, raw).await?;
        }
        let nowhere = View {
            kit: app.kit(),
            area: Rect::new(0, 0, 0, 0),
            scale: 1.0,
            web: 1.0,
            shift: (0, 0),
            epoch: link.epoch,
        };
        let (view, from) = seen.map_or((nowhere, Inherited::default()), |(_, view, from)| (view, from));
        let view = window.map_or(view, |w| View { area: w.bounds, ..view });
        let from = Inherited { folded: from.folded && self.folded(&survey, &app, &raw).await?, ..from };
        Ok(node(&raw, &view, from, &Limits::default()))
    }

    /// Its parent still has no size.
    async fn folded(&self, survey: &Survey<'_>, app: &App, raw: &Raw) -> Result<bool> {
        let mut own = [Raw::at(raw.at.clone())];
        said(survey.ask(&mut own, &[(0, Ask::Parent)]).await, app.pid)?;
        let Some(parent) = own[0].parent.take() else { return Ok(false) };
        let mut parent = [Raw::at(parent)];
        said(survey.ask(&mut parent, &[(0, Ask::Extents)]).await, app.pid)?;
        Ok(folds(&parent[0], app.kit()))
    }

    /// What lies in the objects below it: what is chosen in a combo box, the name of a row.
    async fn below(&self, survey: &Survey<'_>, app: &Arc<App>, raw: Raw) -> Result<Raw> {
        let limits = Limits { max_nodes: 400, max_depth: 12, max_text: 4096 };
        let mut walk = Walk {
            survey: survey.clone(),
            app: app.clone(),
            limits: &limits,
            bulk: Bulk::default(),
            shown_only: false,
        };
        let mut found =
            walk.from(raw).await.map_err(|end| said(end, app.pid).err().unwrap_or(DesktopError::Timeout))?;
        if app.kit() == Kit::Gtk4 {
            let asks: Vec<_> = (0..found.raws.len())
                .filter(|i| found.raws[*i].role == role::LABEL)
                .map(|i| (i, Ask::Extents))
                .collect();
            said(walk.survey.ask(&mut found.raws, &asks).await, app.pid)?;
        }
        found.chosen(0, app.kit());
        found.named(0, app.kit());
        Ok(found.raws.swap_remove(0))
    }

    pub(super) async fn children(&self, ctx: &Ctx, key: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, &app, ctx.deadline).await;
        let mut raws = [Raw { child_count: -1, role: u32::MAX, ..Raw::at(at.clone()) }];
        said(survey.ask(&mut raws, &[(0, Ask::Role), (0, Ask::ChildCount)]).await, app.pid)?;
        if raws[0].role == u32::MAX {
            return Err(DesktopError::NodeGone);
        }
        let count = usize::try_from(raws[0].child_count).unwrap_or_default();
        if count > max.max(2000) {
            // More than anybody can list: one by one, as many as are wanted.
            let asked =
                (0..max.min(2000)).filter_map(|i| call(&at.bus, &at.path, ACCESSIBLE, "GetChildAtIndex", &(i as i32,)));
            let mut round = survey.way(&at.bus).round(asked.collect(), ctx.deadline, PATIENCE).await;
            said(round.end, app.pid)?;
            let n = round.answers.len();
            return Ok((0..n)
                .filter_map(|i| round.take(i).and_then(|m| super::ask::one_ref(&m)))
                .map(|r| r.key(link.epoch))
                .collect());
        }
        said(survey.ask(&mut raws, &[(0, Ask::Children)]).await, app.pid)?;
        let list = raws[0].children.take().ok_or(DesktopError::NodeGone)?;
        Ok(list.into_iter().take(max).map(|r| r.key(link.epoch)).collect())
    }

    pub(super) async fn text(&self, ctx: &Ctx, key: &NodeKey) -> Result<String> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, &app, ctx.deadline).await;
        let hidden = self.seen.of(&at, link.epoch).is_some_and(|s| s.2.secret);
        let mut raws = [Raw { role: u32::MAX, characters: -1, ..Raw::at(at) }];
        let attributes = (app.kit() == Kit::Chromium).then_some((0, Ask::Attributes));
        let asks: Vec<_> = [(0, Ask::Role), (0, Ask::CharacterCount)].into_iter().chain(attributes).collect();
        said(survey.ask(&mut raws, &asks).await, app.pid)?;
        if raws[0].role == u32::MAX {
            return Err(DesktopError::NodeGone);
        }
        if hidden || secret(&raws[0]) {
            return Err(DesktopError::NotOffered("the text of a secret field".into()));
        }
        if raws[0].characters < 0 {
            return Err(DesktopError::NotOffered("text".into()));
        }
        let most = raws[0].characters.min(TEXT as i32);
        if most > 0 {
            said(survey.ask(&mut raws, &[(0, Ask::Text(most))]).await, app.pid)?;
        }
        let text = raws[0].text.take().unwrap_or_default();
        Ok(super::node::clean(&text, TEXT))
    }

    pub(super) async fn focused(&self, ctx: &Ctx, window: &Window) -> Result<Option<NodeKey>> {
        let link = self.bus.link().await?;
        let limits = Limits::default();
        let found = match self.place(&link, window, &limits, ctx.deadline).await? {
            Ok(Some((_, place))) => place.found,
            Ok(None) => return Ok(None),
            Err(end) => {
                let pid = window.pid.unwrap_or(desktop::Pid(0));
                return Err(said(end, pid).err().unwrap_or(DesktopError::Timeout));
            }
        };
        // A document and the field in it both say that they have it: the inner one is meant.
        let order = found.order(0);
        let last = order.into_iter().rev().find(|i| found.raws[*i].is(bit::FOCUSED));
        Ok(last.filter(|i| *i != 0 || found.raws.len() == 1).map(|i| found.raws[i].at.key(link.epoch)))
    }
}

/// The top-level objects of an application with basics and extents, and its bulk list where it
/// has one.
async fn tops(survey: &Survey<'_>, app: &App, kit: Kit) -> std::result::Result<(Vec<Raw>, Bulk), End> {
    let list = call(&app.bus, &app.root, ACCESSIBLE, "GetChildren", &());
    let all = call(&app.bus, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", &()).filter(|_| kit.bulk());
    let mut round = survey.way(&app.bus).round(list.into_iter().chain(all).collect(), survey.until, BULK).await;
    whole(round.end)?;
    let list = round.take(0).map(|m| refs(&m)).unwrap_or_default();
    let bulk = round.take(1).map(|m| Bulk::read(&m, &app.bus)).unwrap_or_default();
    let mut raws: Vec<Raw> = list
        .into_iter()
        .filter(|r| &*r.path != ROOT)
        .map(|r| bulk.get(&r).cloned().unwrap_or_else(|| Raw::at(r)))
        .collect();
    let mut asks = Vec::new();
    for (i, raw) in raws.iter().enumerate() {
        if bulk.get(&raw.at).is_none() {
            asks.extend(basics(kit).iter().map(|a| (i, *a)));
        }
        asks.push((i, Ask::Extents));
    }
    whole(survey.ask(&mut raws, &asks).await)?;
    Ok((raws, bulk))
}
