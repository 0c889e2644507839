//! Starting an application and finding the window that comes of it.
//!
//! Owns: the process, its session, its end; following it through launchers that leave. Refuses
//! to own: focus (it asks that none be taken).

use std::collections::HashSet;
use std::process::{self, Stdio};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Launch, Launched, Pid, Result, Window, WindowId, WindowKind};

use super::ident::Idents;
use super::procs::{self, Proc};
use super::resolve::{self, Command};
use crate::sys;

/// How long a window is waited for.
const WAIT: Duration = Duration::from_secs(3);
/// The same once the process is gone and nothing of it runs: another instance may have taken over.
const HANDED_OVER: Duration = Duration::from_millis(1200);
/// Windows that come with the first one are waited for this long.
const TOGETHER: Duration = Duration::from_millis(60);
const POLL: Duration = Duration::from_millis(10);
/// Between two looks at windows that have come.
const STEP: Duration = Duration::from_millis(5);
const MARK: &str = "CUA_DRIVER_LAUNCH";

/// Start it and wait for its window. `windows` tells the windows there are; `calm` gives the
/// keyboard back where one of the given windows took it.
pub fn launch(
    ctx: &Ctx,
    launch: &Launch,
    idents: &Idents,
    display: &str,
    mut windows: impl FnMut() -> Result<Vec<Window>>,
    mut calm: impl FnMut(&[WindowId]) -> Result<()>,
) -> Result<Launched> {
    let command = resolve::resolve(launch, &idents.installed_now())?;
    let before: HashSet<(WindowId, u64)> = windows()?.iter().map(|w| (w.id, w.birth)).collect();
    let mut run = Run::start(command, display)?;
    let end = (Instant::now() + WAIT).min(ctx.deadline);
    let mut gone: Option<Instant> = None;
    let mut first: Option<(Pid, Instant)> = None;
    loop {
        let now = windows()?;
        let new: Vec<&Window> =
            now.iter().filter(|w| !before.contains(&(w.id, w.birth)) && w.kind != WindowKind::Popup).collect();
        let kin = run.kin();
        let mine: Vec<WindowId> = new.iter().filter(|w| run.owns(w, &kin)).map(|w| w.id).collect();
        calm(&mine)?;
        if first.is_none() {
            first = new.iter().filter(|w| mine.contains(&w.id)).find_map(|w| w.pid).map(|pid| (pid, Instant::now()));
        }
        if let Some((pid, since)) = first {
            if since.elapsed() >= TOGETHER {
                return Ok(run.launched(Some(pid.0), mine));
            }
            ctx.sleep(STEP)?;
            continue;
        }
        if run.ended() && kin.is_empty() {
            if let Some(status) = run.failed() {
                return Err(DesktopError::CannotLaunch(format!("{} ended at once ({status})", run.command.name)));
            }
            if gone.get_or_insert_with(Instant::now).elapsed() >= HANDED_OVER {
                break;
            }
        }
        if Instant::now() >= end {
            break;
        }
        ctx.sleep(POLL)?;
    }
    if let Some(left) = run.kin().first().copied() {
        return Ok(run.launched(Some(left), Vec::new()));
    }
    // A running instance that only showed what it had already, or an application that was started
    // by somebody else on its behalf, with nothing of it left but the time.
    let all: Vec<Window> = windows()?.into_iter().filter(|w| w.kind != WindowKind::Popup).collect();
    let shown: Vec<&Window> = match all.iter().filter(|w| run.owns(w, &[])).collect::<Vec<_>>() {
        none if none.is_empty() => {
            let new: Vec<_> = all.iter().filter(|w| !before.contains(&(w.id, w.birth)) && run.precedes(w)).collect();
            // Two applications at once: nobody can say which it is.
            if new.iter().all(|w| w.pid == new[0].pid) { new } else { Vec::new() }
        }
        shown => shown,
    };
    let pid = shown.iter().find_map(|w| w.pid).map(|p| p.0);
    Ok(run.launched(pid, shown.iter().map(|w| w.id).collect()))
}

/// A started process and what is known of its end.
struct Run {
    command: Command,
    pid: u32,
    mark: String,
    end: Receiver<process::ExitStatus>,
    status: Option<process::ExitStatus>,
    /// When it was started, as processes count.
    start: u64,
    /// Processes that were looked at and are none of ours.
    others: HashSet<(u32, u64)>,
}

impl Run {
    fn start(command: Command, display: &str) -> Result<Self> {
        let mark = mark();
        let (program, args) = command
            .argv
            .split_first()
            .ok_or_else(|| DesktopError::CannotLaunch(format!("{} has no command", command.name)))?;
        let mut started = process::Command::new(program);
        started
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env(MARK, &mark)
            .env("DISPLAY", display)
            // A start at time 0 asks window managers to leave the focus where it is.
            .env("DESKTOP_STARTUP_ID", format!("cua-driver-{mark}_TIME0"))
            .env_remove("WAYLAND_DISPLAY");
        if let Some(dir) = command.dir.as_deref().filter(|d| d.is_dir()) {
            started.current_dir(dir);
        }
        sys::own_session(&mut started);
        let mut child =
            started.spawn().map_err(|e| DesktopError::CannotLaunch(format!("{}: {e}", command.name)))?;
        let pid = child.id();
        let start = procs::stat(pid).map_or(u64::MAX, |p| p.start);
        let (tell, end) = mpsc::channel();
        // Waiting for it is what keeps it from staying a zombie.
        thread::Builder::new()
            .name("launched".into())
            .stack_size(64 * 1024)
            .spawn(move || {
                if let Ok(status) = child.wait() {
                    let _ = tell.send(status);
                }
            })
            .map_err(|e| DesktopError::System(e.to_string()))?;
        Ok(Self { command, pid, mark, end, status: None, start, others: HashSet::new() })
    }

    fn ended(&mut self) -> bool {
        if self.status.is_none() {
            match self.end.try_recv() {
                Ok(status) => self.status = Some(status),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
        }
        self.status.is_some()
    }

    fn failed(&self) -> Option<process::ExitStatus> {
        self.status.filter(|s| !s.success())
    }

    /// Living processes that come of it: by descent, by session, by the mark in their environment.
    fn kin(&mut self) -> Vec<u32> {
        let all = procs::all();
        let mut kin: HashSet<u32> = HashSet::from([self.pid]);
        // Parents have smaller numbers but for wrap-around: a few passes follow any order.
        for _ in 0..4 {
            let size = kin.len();
            for p in &all {
                if kin.contains(&p.parent) || p.session == self.pid || self.marked(p, &kin) {
                    kin.insert(p.pid);
                }
            }
            if kin.len() == size {
                break;
            }
        }
        let mut living: Vec<u32> = all.iter().filter(|p| !p.zombie && kin.contains(&p.pid)).map(|p| p.pid).collect();
        living.sort_unstable();
        living
    }

    fn marked(&mut self, p: &Proc, kin: &HashSet<u32>) -> bool {
        // Only what was started after it can carry its mark.
        if kin.contains(&p.pid) || self.others.contains(&(p.pid, p.start)) {
            return false;
        }
        let marked = procs::env(p.pid, &[MARK]).get(MARK).is_some_and(|m| *m == self.mark);
        if !marked {
            self.others.insert((p.pid, p.start));
        }
        marked
    }

    /// Whether a new window comes of this start.
    fn owns(&self, w: &Window, kin: &[u32]) -> bool {
        let by_process = w.pid.is_some_and(|pid| kin.contains(&pid.0));
        // A running instance that was told to open another window.
        by_process || (self.command.id.is_some() && w.app_id == self.command.id)
    }

    /// Whether the process of a window was started after it.
    fn precedes(&self, w: &Window) -> bool {
        w.pid.and_then(|pid| procs::stat(pid.0)).is_some_and(|p| p.start >= self.start)
    }

    fn launched(&self, pid: Option<u32>, windows: Vec<WindowId>) -> Launched {
        Launched {
            pid: Some(Pid(pid.unwrap_or(self.pid))),
            name: self.command.name.clone(),
            id: self.command.id.clone(),
            running: pid.is_some_and(procs::alive),
            windows,
        }
    }
}

fn mark() -> String {
    let mut bytes = [0u8; 8];
    let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    format!("{}-{:016x}", process::id(), u64::from_le_bytes(bytes))
}
