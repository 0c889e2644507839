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
mod big;
mod bus;
mod detail;
mod events;
mod found;
mod frame;
mod hand;
mod lasting;
mod look;
mod node;
mod raw;
mod role;
mod seen;
mod shadow;
mod told;
mod walk;
mod warm;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use desktop::{
    Act, Ctx, Delivery, DesktopError, Events, Health, HealthState, Limits, Node, NodeKey, Pid, Result, Tree, Window,
    WindowId,
};

use bus::Bus;
pub use bus::Surroundings;
use frame::Bound;
use seen::Seen;
use warm::Warm;
use wire::{End, Patience};

/// An application that has not answered one small question by then is not answering.
const PATIENCE: Duration = Duration::from_millis(800);
/// One that has answered may take this long for a list of all its objects.
const BULK: Patience = Patience { first: PATIENCE, later: Duration::from_secs(4) };

/// The accessibility side of a Linux desktop.
pub struct Atspi {
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

struct Shared {
    bus: Bus,
    bound: Bound,
    seen: Seen,
    warm: Warm,
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
        let shared =
            Shared { bus: Bus::new(around), bound: Bound::default(), seen: Seen::default(), warm: Warm::default() };
        Self { shared: Arc::new(shared), runtime }
    }

    /// Run to the end, the deadline or a cancel, whichever is first.
    fn run<T, F>(&self, ctx: &Ctx, work: F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        ctx.check()?;
        let runtime =
            self.runtime.as_ref().ok_or_else(|| DesktopError::NoAccessibility("no thread to be had".into()))?;
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

    /// One object as it is now. Where its place depends on its window's and none is given, the
    /// window is taken to be where it was at its last tree (`window_of` tells which that is).
    pub fn read(&self, ctx: &Ctx, window: Option<&Window>, key: &NodeKey) -> Result<Node> {
        self.run(ctx, self.shared.read(ctx, window, key))
    }

    /// The window whose last tree had this object.
    pub fn window_of(&self, key: &NodeKey) -> Option<WindowId> {
        let (at, epoch) = ask::Ref::of(key)?;
        self.shared.seen.of(&at, epoch).map(|s| s.0)
    }

    pub fn children(&self, ctx: &Ctx, key: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        self.run(ctx, self.shared.children(ctx, key, max))
    }

    /// The whole text of a field, cut at 1 MiB. `NotOffered` without text or when it is secret.
    pub fn text(&self, ctx: &Ctx, key: &NodeKey) -> Result<String> {
        self.run(ctx, self.shared.text(ctx, key))
    }

    /// The object that has the keyboard, or would have it, inside this window.
    pub fn focused_node(&self, ctx: &Ctx, window: &Window) -> Result<Option<NodeKey>> {
        self.run(ctx, self.shared.focused(ctx, window))
    }

    /// Acts of accessibility interfaces; `CannotReach` for the others.
    pub fn perform(&self, ctx: &Ctx, act: &Act) -> Result<Delivery> {
        self.run(ctx, self.shared.perform(ctx, act))
    }

    /// Changes of objects of one process, or of all with `None`.
    pub fn events(&self, ctx: &Ctx, pid: Option<Pid>) -> Result<Box<dyn Events>> {
        let handle = self.runtime.as_ref().map(|r| r.handle().clone());
        let handle = handle.ok_or_else(|| DesktopError::NoAccessibility("no thread to be had".into()))?;
        self.run(ctx, events::listen(&self.shared.bus, handle, ctx, pid))
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

/// What the end of a round means to the caller.
fn said(end: End, pid: Pid) -> Result<()> {
    match end {
        End::Whole => Ok(()),
        End::Stalled => Err(DesktopError::NotAnswering(Some(pid))),
        End::Deadline => Err(DesktopError::Timeout),
        End::Closed => Err(DesktopError::NoAccessibility("the accessibility bus went away".into())),
    }
}
