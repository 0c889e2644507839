//! Identities as the operating system gives them.

use std::fmt;
use std::sync::Arc;

/// A process id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pid(pub u32);

/// A top-level window: an X11 window id, an HWND, a CGWindowID, a surface id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(pub u64);

/// A display (monitor or X screen) by its system name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisplayId(pub String);

/// The system's own identity of an accessible object: bus name and path, runtime id or AX
/// reference, spelled by the backend. Never a position in a walk. Two keys are equal exactly
/// when they name the same live object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeKey(Arc<str>);

impl NodeKey {
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for WindowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
