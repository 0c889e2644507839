//! Why a desktop could not do what was asked. No wording for callers: the engine does that.

use crate::{Pid, Route, WindowId};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DesktopError {
    /// No display to talk to, or the one there was is gone.
    #[error("no display: {0}")]
    NoDisplay(String),
    /// The accessibility bus is not there or does not answer.
    #[error("no accessibility: {0}")]
    NoAccessibility(String),
    /// The application did not answer within the bound. Whether it got the request is unknown.
    #[error("the application does not answer (pid {0:?})")]
    NotAnswering(Option<Pid>),
    #[error("window {0} is gone")]
    WindowGone(WindowId),
    /// The accessible object is gone.
    #[error("the element is gone")]
    NodeGone,
    /// The accessible object was disabled just before the act came to it, which did nothing.
    #[error("the element was disabled as the act came to it")]
    NodeDisabled,
    /// The same for one that was hidden.
    #[error("the element was hidden as the act came to it")]
    NodeHidden,
    #[error("window {0} is minimised")]
    Minimized(WindowId),
    /// This route cannot reach this target; nothing was sent.
    #[error("{route:?} cannot reach it: {why}")]
    CannotReach { route: Route, why: String },
    /// The object offers no such action, value, option or text.
    #[error("not offered: {0}")]
    NotOffered(String),
    /// A character that no key of this desktop can make; nothing of it was sent.
    #[error("{0:?} cannot be typed")]
    Undeliverable(char),
    #[error("permission required: {0}")]
    PermissionRequired(String),
    #[error("not supported here: {0}")]
    Unsupported(String),
    /// Focus could not be brought to, or proved on, the window.
    #[error("the window did not become active: {0}")]
    NotActivated(String),
    /// The picture could not be made.
    #[error("no picture: {0}")]
    NoPicture(String),
    /// Nothing to launch by that name, or it ended at once.
    #[error("cannot launch: {0}")]
    CannotLaunch(String),
    #[error("no such process: {0}")]
    NoProcess(Pid),
    #[error("deadline passed")]
    Timeout,
    #[error("cancelled")]
    Cancelled,
    /// Anything else the system said.
    #[error("{0}")]
    System(String),
}
