//! Nothing is left over: every process of a virtual display carries its mark in the environment.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::server::lock;

/// The variable that every process of the display inherits.
pub const MARK: &str = "CUA_DRIVER_VIRTUAL_DISPLAY";
const POLITE: Duration = Duration::from_millis(600);
const LAST: Duration = Duration::from_millis(400);

/// End what carries the mark: asked first, then made to.
pub fn end(mark: &str, except: &[u32]) {
    let wanted = format!("{MARK}={mark}");
    for (signal, bound) in [(Signal::TERM, POLITE), (Signal::KILL, LAST)] {
        let until = Instant::now() + bound;
        let found = marked(&wanted, except);
        if found.is_empty() {
            return;
        }
        for pid in found {
            let _ = kill_process(pid, signal);
        }
        while Instant::now() < until && !marked(&wanted, except).is_empty() {
            std::thread::sleep(Duration::from_millis(15));
        }
    }
}

/// Displays whose keeper was killed: their processes and directories.
pub fn leftovers(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = entry.file_name().to_string_lossy().starts_with("virtual-");
        // Without a lock it is being made at this moment, by the process in its name.
        if !ours || !path.join("keeper.lock").exists() || lock::holder(&path.join("keeper.lock")).is_some() {
            continue;
        }
        if let Ok(mark) = fs::read_to_string(path.join("mark"))
            && !mark.is_empty()
        {
            end(&mark, &[std::process::id()]);
        }
        let _ = fs::remove_dir_all(&path);
    }
}

fn marked(wanted: &str, except: &[u32]) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| !except.contains(pid) && carries(*pid, wanted))
        .filter_map(|pid| i32::try_from(pid).ok().and_then(Pid::from_raw))
        .collect()
}

/// A living process with the mark; a dead one that was not collected has no environment.
fn carries(pid: u32, wanted: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|env| env.split(|byte| *byte == 0).any(|var| var == wanted.as_bytes()))
}
