//! Accessible objects over AT-SPI.
//!
//! Owns: the accessibility bus, trees, reading and acting through the applications' own
//! accessibility interfaces. Refuses to own: windows, input events, focus of the desktop, and
//! every session-wide switch.
//!
//! Callers are blocking threads; requests run on a runtime of its own, many at once, so that
//! nobody waits for an application that somebody else waits for.

mod act;
mod apps;
mod ask;
mod bus;
mod detail;
mod frame;
mod node;
mod raw;
mod walk;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::{
    Act, Ctx, Delivery, DesktopError, EmptyBecause, Health, HealthState, Limits, Node, NodeKey, Pid, Result, Tree, Window,
};

use apps::App;
use ask::{Ask, Ref};
use bus::{Bus, Link};
pub use bus::Surroundings;
use detail::{Survey, basics};
use frame::Bound;
use node::View;
use raw::Raw;
use walk::{Bulk, Walk};
use wire::End;

/// An application that has not answered one small question by then is not answering.
const PATIENCE: Duration = Duration::from_millis(800);
/// A bulk list of a busy application may take this long.
const BULK_PATIENCE: Duration = Duration::from_secs(3);
/// Kept back from a deadline so that what was found can be handed over.
const RESERVE: Duration = Duration::from_millis(30);

/// The accessibility side of a Linux desktop.
pub struct Atspi {
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

struct Shared {
    bus: Bus,
    bound: Bound,
}

impl Atspi {
    /// As the environment of this process says. Nothing is connected yet.
    pub fn start() -> Self {
        Self::start_in(Surroundings::of_process())
    }

    pub fn start_in(around: Surroundings) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(2)
            .thread_name("atspi")
            .enable_all()
            .build()
            .ok();
        Self { shared: Arc::new(Shared { bus: Bus::new(around), bound: Bound::default() }), runtime }
    }

    /// Run to the end, the deadline or a cancel, whichever is first.
    fn run<T, F>(&self, ctx: &Ctx, work: F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        ctx.check()?;
        let runtime = self.runtime.as_ref().ok_or_else(|| DesktopError::NoAccessibility("no thread to be had".into()))?;
        runtime.handle().block_on(async {
            tokio::select! {
                biased;
                done = work => done,
                why = over(ctx) => Err(why),
            }
        })
    }

    /// D-Bus calls sent so far.
    pub fn calls(&self) -> u64 {
        self.shared.bus.calls()
    }

    /// The objects of one window and of no other. `Tree::empty` says why there are none.
    pub fn tree(&self, ctx: &Ctx, window: &Window, limits: &Limits) -> Result<Tree> {
        self.run(ctx, self.shared.tree(ctx, window, limits))
    }

    /// One object as it is now.
    pub fn read(&self, ctx: &Ctx, window: Option<&Window>, key: &NodeKey) -> Result<Node> {
        self.run(ctx, self.shared.read(ctx, window, key))
    }

    pub fn children(&self, ctx: &Ctx, key: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        self.run(ctx, self.shared.children(ctx, key, max))
    }

    pub fn perform(&self, ctx: &Ctx, act: &Act) -> Result<Delivery> {
        self.run(ctx, self.shared.perform(ctx, act))
    }

    pub fn health(&self, ctx: &Ctx) -> Vec<Health> {
        let (state, message, hint) = match self.run(ctx, async { self.shared.bus.link().await }) {
            Ok(_) => (HealthState::Pass, "the accessibility bus answers".to_string(), String::new()),
            Err(e) => (
                HealthState::Fail,
                e.to_string(),
                "start a session bus and /usr/libexec/at-spi-bus-launcher (package at-spi2-core)".to_string(),
            ),
        };
        vec![Health { name: "accessibility", state, message, hint }]
    }
}

impl Drop for Atspi {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn over(ctx: &Ctx) -> DesktopError {
    loop {
        if let Err(e) = ctx.check() {
            return e;
        }
        tokio::time::sleep(ctx.left().min(Duration::from_millis(20))).await;
    }
}

fn empty(why: EmptyBecause) -> Tree {
    Tree { complete: false, empty: Some(why), ..Tree::default() }
}

impl Shared {
    fn survey<'a>(&self, link: &'a Link, until: Instant) -> Survey<'a> {
        Survey { wire: &link.wire, until, patience: PATIENCE }
    }

    async fn tree(&self, ctx: &Ctx, window: &Window, limits: &Limits) -> Result<Tree> {
        let link = match self.bus.link().await {
            Ok(link) => link,
            Err(DesktopError::NoAccessibility(_)) => return Ok(empty(EmptyBecause::NoBus)),
            Err(e) => return Err(e),
        };
        let until = ctx.deadline.checked_sub(RESERVE).unwrap_or(ctx.deadline);
        let Some(pid) = window.pid else { return Ok(empty(EmptyBecause::NoWindow)) };
        let apps = link.apps.of(&link.wire, pid, until).await?;
        for app in &apps {
            match self.in_app(&link, app, window, limits, until).await {
                Ok(Some(tree)) => return Ok(tree),
                Ok(None) => {}
                Err(End::Closed) => return Ok(empty(EmptyBecause::NoBus)),
                Err(_) => return Ok(empty(EmptyBecause::NotAnswering)),
            }
        }
        Ok(empty(EmptyBecause::NoWindow))
    }

    async fn in_app(
        &self,
        link: &Link,
        app: &Arc<App>,
        window: &Window,
        limits: &Limits,
        until: Instant,
    ) -> std::result::Result<Option<Tree>, End> {
        let Ok(_seat) = app.enter() else { return Err(End::Stalled) };
        let kit = app.learn(&link.wire, until).await.map_err(|_| End::Stalled)?;
        let view = View::of(window, kit);
        let mut survey = self.survey(link, until);
        let tops = frame::tops(&survey, app).await?;
        let Some(top) = frame::choose(&tops, window, &view, &self.bound) else { return Ok(None) };
        let mut bulk = Bulk::default();
        if kit.bulk() {
            let asked = wire::call(&app.bus, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", &());
            if let Some(m) = asked {
                match link.wire.one(m, until, BULK_PATIENCE).await {
                    (Some(Ok(m)), _) => bulk = Bulk::read(&m, &app.bus),
                    (Some(Err(_)), _) => {}
                    (None, end) => return Err(end),
                }
            }
        }
        let now = Instant::now();
        let structure = now + until.saturating_duration_since(now).mul_f32(0.7);
        survey.until = structure;
        let walk = Walk { survey, kit, view, limits, bulk };
        walk.tree(top.clone(), until).await.map(Some)
    }

    /// The application of a key, with a place among those that wait for it.
    async fn reach(&self, key: &NodeKey, until: Instant) -> Result<(Arc<Link>, Arc<App>, Ref, apps::Seat)> {
        let at = Ref::of(key).ok_or(DesktopError::NodeGone)?;
        let link = self.bus.link().await?;
        let app = link.apps.by_name(&link.wire, &at.bus, until).await?;
        let seat = app.enter()?;
        app.learn(&link.wire, until).await?;
        Ok((link, app, at, seat))
    }

    async fn read(&self, ctx: &Ctx, window: Option<&Window>, key: &NodeKey) -> Result<Node> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, ctx.deadline);
        let raw = fresh(&survey, &app, at).await?;
        let view = match window {
            Some(w) => View::of(w, app.kit()),
            None => View { kit: app.kit(), origin: desktop::Point::new(0, 0), scale: 1.0 },
        };
        Ok(node::node(&raw, &view, node::Inherited::default(), &Limits::default()))
    }

    async fn children(&self, ctx: &Ctx, key: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, ctx.deadline);
        let mut raws = [Raw::at(at.clone())];
        said(survey.ask(&mut raws, &[(0, Ask::Children)]).await, app.pid)?;
        let list = raws[0].children.take().ok_or(DesktopError::NodeGone)?;
        Ok(list.into_iter().take(max).map(|r| r.key()).collect())
    }
}

/// Everything about one object, in three rounds at most.
async fn fresh(survey: &Survey<'_>, app: &App, at: Ref) -> Result<Raw> {
    let mut raws = [Raw { role: u32::MAX, ..Raw::at(at) }];
    let asks: Vec<_> = basics(app.kit()).iter().map(|a| (0, *a)).collect();
    said(survey.ask(&mut raws, &asks).await, app.pid)?;
    if raws[0].role == u32::MAX || raws[0].is(raw::bit::DEFUNCT) {
        return Err(DesktopError::NodeGone);
    }
    said(survey.fill(&mut raws, app.kit(), Limits::default().max_text).await, app.pid)?;
    let [raw] = raws;
    Ok(raw)
}

/// What the end of a round means to the caller.
fn said(end: End, pid: Pid) -> Result<()> {
    match end {
        End::Whole => Ok(()),
        End::Stalled => Err(DesktopError::NotAnswering(Some(pid))),
        End::Deadline => Err(DesktopError::Timeout),
        End::Closed => Err(DesktopError::NoAccessibility("the accessibility bus went away".into())),
    }
}
