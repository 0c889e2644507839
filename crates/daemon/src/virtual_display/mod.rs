//! `serve --display virtual`: a private X server, window manager, session bus and accessibility
//! bus for one daemon, ended with it however it ends.
//!
//! The keeper is a child of the daemon: it starts the parts, then waits for the daemon's end.
//! The daemon's process starts the keeper first and then becomes the daemon proper, in the
//! environment that the keeper made. So the parts never outlive the daemon, and the daemon's pid
//! is the one that was started.

mod auth;
mod keep;
mod parts;
mod sweep;
mod sys;

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use host::Dirs;
use serde::{Deserialize, Serialize};

pub use keep::keep;

use crate::endpoint::{Endpoint, Named};
use crate::exit::{Exit, Failure, Result};

/// Width and height of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(u16, u16);

/// What the keeper made, told to the daemon and kept in the display's directory.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// Variables of everything that runs in the display.
    set: Vec<(String, String)>,
    unset: Vec<String>,
    /// What is missing there, with what brings it.
    notes: Vec<String>,
    keeper: u32,
}

const SMALLEST: u16 = 200;
const LARGEST: u16 = 16384;
const END: Duration = Duration::from_millis(1500);

/// `virtual` or `virtual:WxH`.
pub fn size(word: &str) -> Result<Size> {
    let wrong =
        || Failure::usage(format!("--display is virtual or virtual:WxH ({SMALLEST} to {LARGEST}), got {word:?}"));
    let rest = word.strip_prefix("virtual").ok_or_else(wrong)?;
    if rest.is_empty() {
        return Ok(Size(1280, 800));
    }
    let (width, height) = rest.strip_prefix(':').and_then(|size| size.split_once('x')).ok_or_else(wrong)?;
    let side = |text: &str| text.parse().ok().filter(|side| (SMALLEST..=LARGEST).contains(side));
    Ok(Size(side(width).ok_or_else(wrong)?, side(height).ok_or_else(wrong)?))
}

/// Start the keeper, wait until the display is up, and become the daemon in it.
pub fn start(size: Size) -> Result<Exit> {
    let own = std::env::current_exe().map_err(|error| Failure::failed(format!("where am I: {error}")))?;
    let base = Dirs::from_env().driver();
    host::private_dir(&base).map_err(|error| Failure::failed(error.to_string()))?;
    sweep::leftovers(&base);
    let dir = base.join(format!("virtual-{}", std::process::id()));
    host::private_dir(&dir).map_err(|error| Failure::failed(error.to_string()))?;
    let mut keeper = Command::new(&own)
        .arg("keep-display")
        .arg(&dir)
        .arg(format!("{}x{}", size.0, size.1))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| Failure::failed(format!("the keeper of the display can't be started: {error}")))?;
    // The keeper bounds each of its steps and then speaks or ends.
    let mut line = String::new();
    let read = keeper.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    if !matches!(read, Some(Ok(count)) if count > 0) {
        let _ = keeper.wait();
        return Err(Failure::failed("no virtual display (the reason is above)"));
    }
    let made: Made =
        serde_json::from_str(&line).map_err(|error| Failure::failed(format!("the keeper said {error}")))?;
    let mut daemon = Command::new(&own);
    daemon.args(arguments(std::env::args_os().skip(1))).arg("--in-virtual-display").arg(&dir);
    for name in &made.unset {
        daemon.env_remove(name);
    }
    // Comes back only when it could not; the keeper then sees this process end.
    let error = daemon.envs(made.set).exec();
    Err(Failure::failed(format!("the daemon can't be started: {error}")))
}

/// The arguments without `--display`.
fn arguments(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut all = all.peekable();
    while let Some(word) = all.next() {
        if word == "--display" {
            all.next();
        } else if !word.to_string_lossy().starts_with("--display=") {
            kept.push(word);
        }
    }
    kept
}

/// The display that this daemon runs in.
pub struct Shown {
    made: Made,
}

/// The daemon's side, once it is in the display of `dir`.
pub fn joined(dir: &Path) -> Result<Shown> {
    let text =
        std::fs::read(dir.join("made.json")).map_err(|error| Failure::failed(format!("{}: {error}", dir.display())))?;
    let made = serde_json::from_slice(&text).map_err(|error| Failure::failed(format!("{}: {error}", dir.display())))?;
    Ok(Shown { made })
}

impl Shown {
    /// Lines for a person.
    pub fn how_to_look(&self, endpoint: &Endpoint) -> String {
        let value = |name: &str| {
            let found = self.made.set.iter().find(|(key, _)| key == name);
            found.map_or("", |(_, value)| value.as_str())
        };
        let (display, cookie) = (value("DISPLAY"), value("XAUTHORITY"));
        let socket = match endpoint.named {
            Named::ByRule => String::new(),
            Named::ByCaller => format!(" --socket {}", endpoint.socket.display()),
        };
        let mut text = format!(
            "see it:        DISPLAY={display} cua-driver call get_desktop_state{socket} --image-out screen.png\n\
             watch it:      x11vnc -display {display} -auth {cookie} -localhost   (then any VNC viewer)\n\
             work in it:    export DISPLAY={display} XAUTHORITY={cookie} DBUS_SESSION_BUS_ADDRESS={}",
            value("DBUS_SESSION_BUS_ADDRESS"),
        );
        for note in &self.made.notes {
            text += &format!("\nmissing:       {note}");
        }
        text
    }

    /// End the display and wait for it.
    pub fn end(self) {
        let Some(pid) = i32::try_from(self.made.keeper).ok().and_then(rustix::process::Pid::from_raw) else { return };
        if rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_err() {
            return;
        }
        let until = Instant::now() + END;
        while Instant::now() < until {
            match rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG) {
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                _ => return,
            }
        }
    }
}

/// The first of these programs that is installed.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    names.iter().find_map(|name| {
        if name.starts_with('/') {
            return Some(PathBuf::from(name)).filter(|path| path.is_file());
        }
        std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_or_refused() {
        for (word, wanted) in [
            ("virtual", Some(Size(1280, 800))),
            ("virtual:1920x1080", Some(Size(1920, 1080))),
            ("virtual:10x10", None),
            ("virtual:1920", None),
            ("virtually", None),
            (":0", None),
        ] {
            assert_eq!(size(word).ok(), wanted, "{word}");
        }
    }
}
