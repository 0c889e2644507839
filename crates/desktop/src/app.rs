//! Applications and the clipboard.

use std::path::PathBuf;

use crate::{Pid, WindowId};

#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// `None` when installed and not running.
    pub pid: Option<Pid>,
    pub name: String,
    /// Desktop id or bundle id.
    pub id: Option<String>,
    pub exe: Option<PathBuf>,
    /// It owns the active window.
    pub active: bool,
    pub launch_path: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// A desktop id, a name, or an absolute path.
    pub what: String,
    pub args: Vec<String>,
    /// Files or addresses to open with it.
    pub urls: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launched {
    /// The process that owns the windows, or the one started when none came in time.
    pub pid: Option<Pid>,
    pub name: String,
    pub id: Option<String>,
    pub running: bool,
    /// Windows that came, found also when a launcher started the application and left.
    pub windows: Vec<WindowId>,
}

/// What the clipboard offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipboardOffer {
    /// MIME types, text first.
    pub types: Vec<String>,
    /// The text, where it was asked for and is offered.
    pub text: Option<String>,
    /// The owner marked it as secret (password managers).
    pub secret: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ClipboardContent {
    Text(String),
    /// PNG bytes.
    Png(Vec<u8>),
    /// Absolute files.
    Files(Vec<PathBuf>),
}
