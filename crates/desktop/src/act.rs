//! What can be done to a desktop, in short primitives. A drag, a text, a double click are
//! composed of these by the engine.

use std::time::Duration;

use crate::{Key, Local, Modifiers, NodeKey, Point, Screen, WindowId};

/// One way of doing an act. Which comes next after a proven miss is the engine's ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The accessibility interface of the application.
    Accessibility,
    /// Real input events of a second pointer and keyboard; the person's are left alone.
    SecondSeat,
    /// Events sent to one window and marked as synthetic.
    SentEvents,
    /// The person's own pointer and keyboard.
    Global,
    /// The window manager or another service of the system.
    System,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wheel {
    Up,
    Down,
    Left,
    Right,
}

/// Where a pointer act goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Window(WindowId, Point<Local>),
    Screen(Point<Screen>),
}

/// Who holds what is held: a session. 0 is nobody in particular.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Owner(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Move { to: Place },
    Press { button: Button, at: Place },
    Release { button: Button, at: Place },
    /// Press and release at once.
    Click { button: Button, at: Place },
    /// One notch.
    Wheel { way: Wheel, at: Place },
    /// Hold these modifiers for the pointer acts and keys that follow.
    HoldModifiers { modifiers: Modifiers, window: Option<WindowId> },
    ReleaseModifiers { modifiers: Modifiers, window: Option<WindowId> },
    /// Press and release one key with modifiers, in this window (`None`: where the keyboard is).
    /// Layout groups are looked through; locks do not change what arrives.
    Key { key: Key, modifiers: Modifiers, window: Option<WindowId> },
    /// Type characters by keys into the focused element of the window. Stops early, and says so,
    /// when cancelled or when the focus leaves the window. A newline is Return, a tab is Tab.
    Text { text: String, window: Option<WindowId> },
    /// Do the action of this name.
    Invoke { node: NodeKey, action: String },
    /// Replace the whole text.
    SetText { node: NodeKey, text: String },
    /// Put text in at the caret (`at: None`) or before the character `at`.
    InsertText { node: NodeKey, text: String, at: Option<u32> },
    SetNumber { node: NodeKey, value: f64 },
    /// Select the child of a container, or unselect it.
    Select { container: NodeKey, child: NodeKey, on: bool },
    /// Give it the keyboard inside its window, without raising the window where that can be told.
    Focus { node: NodeKey },
    ScrollIntoView { node: NodeKey },
}

/// Why a `Text` stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    Deadline,
    FocusLost,
    /// The application does not take its events.
    NotAnswering,
}

/// What is known of an act that was performed. No optimism: `Err` means nothing was sent,
/// except `NotAnswering`, where it is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivery {
    /// Characters of a `Text` that were sent; 0 for other acts.
    pub sent: usize,
    pub stopped: Option<Stopped>,
    /// The system took the focus along the way and the backend gave it back.
    pub focus_given_back: bool,
    /// Of a `Move`: the pointer was at that spot of the screen already.
    pub at_rest: bool,
    /// How long the application keeps the act back before it does it.
    pub late: Duration,
}
