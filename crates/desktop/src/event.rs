//! What happens on the desktop by itself.

use std::time::Duration;

use crate::{Local, NodeKey, Pid, Point, Rect, Screen, WindowId};

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    WindowOpened(WindowId),
    WindowClosed(WindowId),
    /// Title, place, size or state.
    WindowChanged(WindowId),
    FocusMoved(Option<WindowId>),
    /// Something in an application's tree changed: state, text, value, children, selection.
    NodeChanged { pid: Option<Pid>, node: Option<NodeKey> },
    /// A window of an application came to the front, or no longer is there.
    Activated { pid: Option<Pid> },
    /// Told first, of what changed by itself in the seconds before the subscription: this object,
    /// or more of them than can be named.
    Restless { pid: Option<Pid>, node: Option<NodeKey> },
    /// Told first: what changed by itself before the subscription was not looked at for long enough
    /// to be known.
    Unwatched { pid: Option<Pid> },
    /// Pixels of this window changed, all of them inside this area.
    Painted { window: WindowId, area: Rect<Local> },
    /// The person moved or pressed something (not the driver's own input).
    HumanInput { at: Option<Point<Screen>>, what: &'static str },
    /// Where the person's or the driver's pointer is, for a recording.
    PointerMoved { at: Point<Screen>, agent: bool },
    /// More happened than could be kept.
    Lost,
}

/// What to listen for. Everything off costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub windows: bool,
    pub focus: bool,
    /// Tree changes of this process, or of all with `Pid(0)`.
    pub nodes: Option<Pid>,
    pub painted: Option<WindowId>,
    pub human: bool,
    pub pointer: bool,
}

/// A running subscription; dropping it ends it.
pub trait Events: Send {
    /// The next event within `time`; `None` when nothing came.
    fn next(&mut self, time: Duration) -> Option<Event>;
}
