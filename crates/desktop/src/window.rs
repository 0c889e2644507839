//! Windows, displays, focus.

use crate::{DisplayId, NodeKey, Pid, Rect, Screen, WindowId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowKind {
    Normal,
    Dialog,
    /// Menu, combo list, tooltip: placed by its application, unknown to the window manager.
    Popup,
    Utility,
    /// Panels, docks, desktops, splash screens: never an eligible target by pid alone.
    Chrome,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub id: WindowId,
    /// Differs between two windows that had the same id one after the other.
    pub birth: u64,
    pub pid: Option<Pid>,
    /// What people call the application, the same as `App::name` of its process.
    pub app_name: String,
    /// Desktop id of the application where it is known.
    pub app_id: Option<String>,
    /// WM class (class part) or bundle id: what the window says of its application.
    pub class: Option<String>,
    /// WM class (instance part): tells programs of one interpreter apart.
    pub instance: Option<String>,
    pub title: String,
    pub role: Option<String>,
    /// Client area, without the window manager's frame.
    pub bounds: Rect<Screen>,
    pub kind: WindowKind,
    /// The window this one belongs to (dialog, menu, combo list, tooltip).
    pub owner: Option<WindowId>,
    /// Mapped, on the current workspace, not minimised.
    pub on_screen: bool,
    pub minimized: bool,
    pub active: bool,
    pub modal: bool,
    /// Larger is nearer to the front. `None` where the system does not tell.
    pub z: Option<u32>,
    /// Native pixels per logical unit of the application (GDK_SCALE and the like).
    pub scale: f64,
    /// Desktop or workspace number where there are several.
    pub workspace: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Display {
    pub id: DisplayId,
    pub bounds: Rect<Screen>,
    pub primary: bool,
    pub scale: f64,
}

/// Where the person's keyboard goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Focus {
    /// The top-level window that has it.
    pub window: Option<WindowId>,
    /// The accessible object that has it, where that was asked for and is known.
    pub node: Option<NodeKey>,
}

/// What lies at a point of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hit {
    /// The top-level window on top at that spot of the screen: the window itself, one that
    /// covers it, or none when the spot is off the screen.
    pub top: Option<WindowId>,
    pub top_title: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// Client area to be at this place.
    Bounds(Rect<Screen>),
    Minimize,
    Restore,
    Maximize,
    /// Ask it to close, as its close button does.
    Close,
    /// Make it the active window, in front. Proven before it is answered.
    Activate,
    /// Give the keyboard back to a window (end of a foreground act). Waited for, without an error
    /// where the window does not take it.
    GiveBack,
}

