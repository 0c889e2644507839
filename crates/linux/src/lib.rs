//! The desktop of Linux: X11 windows, pictures and input, AT-SPI trees.
//!
//! Owns: everything that talks to the X server, the accessibility bus, /proc and ffmpeg.
//! Refuses to own: tools, sessions, tokens, recording, wording for callers.
#![cfg(target_os = "linux")]

mod apps;
pub mod atspi;
mod clipboard;
mod cover;
mod desk;
mod events;
mod health;
pub mod input;
mod sys;
mod video;
mod x11;

use std::ffi::OsString;
use std::sync::Arc;

use desktop::Desktop;

/// How to open the desktop.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The X display, as in `DISPLAY`.
    pub display: Option<String>,
    /// The command line of the child that lets go of held input when this process is killed.
    pub guardian: Option<Vec<OsString>>,
}

/// The desktop of this display. Never fails: without a display every method that needs one says
/// so, and looks for it again when called again.
pub fn open(options: Options) -> Arc<dyn Desktop> {
    Arc::new(desk::X11Desktop::open(options))
}
