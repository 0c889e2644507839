//! The seam between what the product decides and what an operating system does.

use std::path::PathBuf;

use crate::{
    Act, App, ClipboardContent, ClipboardOffer, Ctx, Delivery, Display, EventFilter, Events, Focus, Hit,
    Launch, Launched, Limits, Local, Node, NodeKey, Owner, Picture, Pid, Placement, Point, Result, Route, Screen,
    Source, Tree, Window, WindowId,
};

/// What this desktop is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// `linux`, `windows`, `macos`, `fake`.
    pub platform: &'static str,
    /// `x11`, `wayland`, …
    pub backend: &'static str,
    /// The display's name (`:1`), empty without one.
    pub display: String,
    /// Routes this desktop has at all.
    pub routes: Vec<Route>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthState {
    Pass,
    Fail,
    /// Does not apply here.
    Skip,
}

/// One part of the surroundings: there or not, and what brings it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// `display`, `accessibility`, `second_seat`, `screen_capture`, `window_manager`, `video`.
    pub name: &'static str,
    pub state: HealthState,
    pub message: String,
    /// The command or setting that brings it; empty when it is there.
    pub hint: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VideoRequest {
    /// A file that does not exist yet.
    pub path: PathBuf,
    pub fps: u32,
}

/// A running video recording; dropping it ends it.
pub trait Video: Send + Sync {
    /// Time between the request and the first frame, once that was measured.
    fn first_frame(&self) -> Option<std::time::Instant>;
    /// Why it is no longer recording, or `None` while it is.
    fn failed(&self) -> Option<String>;
    /// Stretches without new frames that were noticed since this was asked last.
    fn gaps(&self) -> Vec<Gap> {
        Vec::new()
    }
    /// Width and height of the frames.
    fn size(&self) -> crate::Size;
    /// End it and wait until the file is whole, within the bound.
    fn stop(&self, ctx: &Ctx) -> Result<()>;
}

/// A stretch of a video, in its own time, in which frames repeat the one before because none was
/// taken in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub from: std::time::Duration,
    pub to: std::time::Duration,
    pub frames: u32,
}

/// A part of the screen that a video must not show from one of its times to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cover {
    pub region: crate::Rect<Screen>,
    pub from: std::time::Duration,
    pub to: std::time::Duration,
}

/// A desktop. Every method is short and blocking, keeps to `ctx` and says what it knows:
///
/// 1. `perform` does the act by exactly that route, or does nothing and says why. It never picks
///    another route, takes focus on its own, or retries.
/// 2. A `NodeKey` is the system's own identity of the object.
/// 3. `Delivery` says what was sent, not what came of it.
/// 4. A hung application costs its caller the deadline and nobody else anything.
/// 5. It knows nothing of tools, sessions, tokens, recording or wording.
pub trait Desktop: Send + Sync {
    fn info(&self) -> Info;

    // Look.

    fn health(&self, ctx: &Ctx) -> Vec<Health>;
    fn displays(&self, ctx: &Ctx) -> Result<Vec<Display>>;
    /// Running applications, and installed ones when `installed`.
    fn apps(&self, ctx: &Ctx, installed: bool) -> Result<Vec<App>>;
    /// Top-level windows and popups, in stacking order where that is known, back to front.
    fn windows(&self, ctx: &Ctx) -> Result<Vec<Window>>;
    /// One window as it is now.
    fn window(&self, ctx: &Ctx, id: WindowId) -> Result<Window>;
    /// The objects of one window.
    fn tree(&self, ctx: &Ctx, window: WindowId, limits: &Limits) -> Result<Tree>;
    /// One object as it is now: role, name, value, states, actions, bounds. `NodeGone` when it
    /// is not there any more. `parent` is not filled.
    fn read(&self, ctx: &Ctx, node: &NodeKey) -> Result<Node>;
    /// Keys of the children of an object, at most `max`.
    fn children(&self, ctx: &Ctx, node: &NodeKey, max: usize) -> Result<Vec<NodeKey>>;
    /// Up to date text of a field, however long (cut at 1 MiB). `NotOffered` without text.
    fn text(&self, ctx: &Ctx, node: &NodeKey) -> Result<String>;
    fn hit(&self, ctx: &Ctx, window: WindowId, at: Point<Local>) -> Result<Hit>;
    fn focus(&self, ctx: &Ctx) -> Result<Focus>;
    /// The focused object inside a window, whether or not the window has the keyboard.
    fn focused_node(&self, ctx: &Ctx, window: WindowId) -> Result<Option<NodeKey>>;
    fn pointer(&self, ctx: &Ctx) -> Result<Point<Screen>>;
    fn capture(&self, ctx: &Ctx, source: &Source) -> Result<Picture>;
    fn events(&self, ctx: &Ctx, filter: EventFilter) -> Result<Box<dyn Events>>;
    fn clipboard(&self, ctx: &Ctx, with_text: bool) -> Result<ClipboardOffer>;

    // Do.

    /// Whether the route could reach this window at all, before anything is sent: `CannotReach`
    /// with the reason where it can not.
    fn reaches(&self, ctx: &Ctx, window: WindowId, act: &Act, route: Route) -> Result<()>;
    fn perform(&self, ctx: &Ctx, act: &Act, route: Route) -> Result<Delivery>;
    /// Wait until the application has taken what was sent to this window so far. False where it
    /// cannot be asked, or did not say so within the bound.
    fn caught_up(&self, _ctx: &Ctx, _window: WindowId) -> Result<bool> {
        Ok(false)
    }
    fn place(&self, ctx: &Ctx, window: WindowId, placement: Placement) -> Result<()>;
    fn launch(&self, ctx: &Ctx, launch: &Launch) -> Result<Launched>;
    /// Ask a process to end, or end it.
    fn terminate(&self, ctx: &Ctx, pid: Pid, force: bool) -> Result<()>;
    fn set_clipboard(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()>;
    /// Let go of everything an owner holds down; `None` is everybody.
    fn release_held(&self, ctx: &Ctx, owner: Option<Owner>) -> Result<()>;
    fn video(&self, ctx: &Ctx, request: &VideoRequest) -> Result<Box<dyn Video>>;
    /// Write the ended video `from` to the new file `to` with these parts covered.
    fn cover_video(&self, _ctx: &Ctx, _from: &std::path::Path, _to: &std::path::Path, _covers: &[Cover]) -> Result<()> {
        Err(crate::DesktopError::Unsupported("covering parts of a video".into()))
    }
}

