//! The keeper: starts the parts, says what they are, waits for the daemon's end, ends them.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, getppid, pidfd_open};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use super::parts::{Parts, UNSET};
use super::{Made, Size, sweep};
use crate::exit::{Exit, Failure};
use crate::server::lock;

/// `keep-display DIR WxH`, started by `serve` alone.
pub fn keep(words: &[String]) -> Result<Exit, Failure> {
    let [dir, size] = words else { return Err(Failure::usage("keep-display DIR WxH")) };
    let size = super::size(&format!("virtual:{size}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(error.to_string()))?;
    runtime.block_on(hold(Path::new(dir), size))?;
    Ok(Exit::Done)
}

/// Everything happens on this one thread: the parts are tied to it.
async fn hold(dir: &Path, size: Size) -> Result<()> {
    let parent = getppid().context("no parent")?;
    let daemon = pidfd_open(parent, PidfdFlags::empty()).context("the daemon can't be watched")?;
    let gone = Arc::new(Notify::new());
    let seen = gone.clone();
    std::thread::spawn(move || {
        // Readable once the process has ended; a signal may interrupt the wait.
        while poll(&mut [PollFd::new(&daemon, PollFlags::IN)], None).is_err() {}
        seen.notify_one();
    });
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let lock = lock::take(&dir.join("keeper.lock")).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let mark = format!("{}-{:016x}", std::process::id(), host::random());
    host::write_private(&dir.join("mark"), mark.as_bytes())?;
    let mut parts = Parts::new(dir, (sweep::MARK, &mark));
    let started = parts.start(size);
    let told = started.and_then(|()| tell(dir, &parts));
    if told.is_ok() {
        tokio::select! {
            () = gone.notified() => {}
            _ = term.recv() => {}
            // A key in the terminal is the daemon's to answer.
            _ = async { loop { int.recv().await; } } => {}
            _ = async { loop { hangup.recv().await; } } => {}
        }
    }
    sweep::end(&mark, &[std::process::id(), parent.as_raw_nonzero().get() as u32]);
    for child in &mut parts.children {
        let _ = child.kill();
        let _ = child.wait();
    }
    let _ = std::fs::remove_dir_all(dir);
    drop(lock);
    told
}

fn tell(dir: &Path, parts: &Parts) -> Result<()> {
    let made = Made {
        set: parts.set.clone(),
        unset: UNSET.iter().map(|name| (*name).to_owned()).collect(),
        notes: parts.notes.clone(),
        keeper: std::process::id(),
    };
    let text = serde_json::to_string(&made)?;
    host::write_private(&dir.join("made.json"), text.as_bytes())?;
    crate::out::line(&text);
    Ok(())
}
