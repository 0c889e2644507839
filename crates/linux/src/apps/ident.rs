//! What people call the application of a process: one answer for windows and for applications.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::entries::{self, Entry};
use super::procs;
use crate::x11::link::lock;

/// How long the list of installed applications is taken for true when naming processes.
const FRESH: Duration = Duration::from_secs(10);
/// Processes whose names are kept at most.
const MOST: usize = 256;
/// Programs that run other programs: their own name says nothing.
const RUNNERS: [&str; 14] = [
    "python", "python2", "python3", "perl", "ruby", "node", "java", "sh", "bash", "dash", "gjs", "lua", "wish", "mono",
];

#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    pub name: String,
    /// Desktop id.
    pub id: Option<String>,
    pub exe: Option<PathBuf>,
    /// Native pixels per logical unit.
    pub scale: f64,
}

/// What the windows of a process say of it.
#[derive(Clone, Debug, Default)]
pub struct Hint {
    pub class: Option<String>,
    pub app_id: Option<String>,
}

/// What tells that a process is still the one that was named.
enum Life {
    /// Readable once it has ended: no other process has its number before.
    Handle(OwnedFd),
    /// When it started, where no handle is to be had.
    Start(u64),
}

impl Life {
    fn of(pid: u32) -> Self {
        let handle = i32::try_from(pid).ok().and_then(Pid::from_raw).map(|p| pidfd_open(p, PidfdFlags::empty()));
        match handle {
            Some(Ok(fd)) => Self::Handle(fd),
            _ => Self::Start(start(pid)),
        }
    }
}

fn start(pid: u32) -> u64 {
    procs::stat(pid).map_or(0, |p| p.start)
}

#[derive(Default)]
pub struct Idents {
    known: Mutex<HashMap<u32, (Life, Arc<Ident>)>>,
    installed: Mutex<Option<(Instant, Arc<Vec<Entry>>)>>,
}

impl Idents {
    /// The application of a process. What was answered once for a process stays.
    pub fn of(&self, pid: u32, hint: &Hint) -> Arc<Ident> {
        let mut known = lock(&self.known);
        forget_ended(&mut known, &[pid]);
        self.named(&mut known, pid, hint)
    }

    /// The applications of many processes.
    pub fn all(&self, hints: &HashMap<desktop::Pid, Hint>) -> HashMap<desktop::Pid, Arc<Ident>> {
        let mut known = lock(&self.known);
        forget_ended(&mut known, &hints.keys().map(|p| p.0).collect::<Vec<_>>());
        hints.iter().map(|(pid, hint)| (*pid, self.named(&mut known, pid.0, hint))).collect()
    }

    fn named(&self, known: &mut HashMap<u32, (Life, Arc<Ident>)>, pid: u32, hint: &Hint) -> Arc<Ident> {
        if let Some((_, ident)) = known.get(&pid) {
            return ident.clone();
        }
        if known.len() > MOST {
            forget_ended(known, &known.keys().copied().collect::<Vec<_>>());
        }
        if known.len() > MOST {
            known.clear();
        }
        // Taken first: what is read afterwards is of this process or of none.
        let life = Life::of(pid);
        let ident = Arc::new(name(pid, hint, &self.installed()));
        known.insert(pid, (life, ident.clone()));
        forget_ended(known, &[pid]);
        ident
    }

    /// Installed applications, at most some seconds old.
    pub fn installed(&self) -> Arc<Vec<Entry>> {
        let mut kept = lock(&self.installed);
        match kept.as_ref() {
            Some((at, list)) if at.elapsed() < FRESH => list.clone(),
            _ => kept.insert((Instant::now(), Arc::new(entries::all()))).1.clone(),
        }
    }

    /// Installed applications as they are now.
    pub fn installed_now(&self) -> Arc<Vec<Entry>> {
        let list = Arc::new(entries::all());
        *lock(&self.installed) = Some((Instant::now(), list.clone()));
        list
    }
}

/// Take out those of these processes that have ended, by one question for all of them.
fn forget_ended(known: &mut HashMap<u32, (Life, Arc<Ident>)>, pids: &[u32]) {
    let mut gone: Vec<u32> = Vec::new();
    {
        let mut fds = Vec::with_capacity(pids.len());
        let mut of = Vec::with_capacity(pids.len());
        for pid in pids {
            match known.get(pid) {
                Some((Life::Handle(fd), _)) => {
                    fds.push(PollFd::new(fd, PollFlags::IN));
                    of.push(*pid);
                }
                Some((Life::Start(at), _)) if *at != start(*pid) => gone.push(*pid),
                _ => {}
            }
        }
        if !fds.is_empty() {
            let asked = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
            // Where nothing could be asked, all are named anew.
            gone.extend(of.iter().zip(&fds).filter(|(_, fd)| asked.is_err() || !fd.revents().is_empty()).map(|(pid, _)| *pid));
        }
    }
    for pid in gone {
        known.remove(&pid);
    }
}

fn name(pid: u32, hint: &Hint, installed: &[Entry]) -> Ident {
    let exe = procs::exe(pid);
    let args = procs::args(pid);
    let program = exe.as_deref().and_then(Path::file_name).and_then(|n| n.to_str()).map(str::to_owned);
    let runner = program.as_deref().is_some_and(runs_others);
    let script = script(&args).filter(|_| runner);
    let script = script.and_then(|s| Path::new(s).file_name()).and_then(|n| n.to_str()).map(str::to_owned);
    let entry = entry(pid, hint, script.as_deref().or(program.as_deref()), installed);
    let name = match entry {
        Some(e) => e.name.clone(),
        None if runner => script
            .map(|s| s.rsplit_once('.').map_or(s.clone(), |(stem, _)| stem.to_owned()))
            .filter(|s| !s.is_empty())
            .or_else(|| hint.class.clone())
            .or(program)
            .unwrap_or_default(),
        None => program
            .or_else(|| procs::stat(pid).map(|p| p.comm))
            .or_else(|| hint.class.clone())
            .unwrap_or_default(),
    };
    Ident { name, id: entry.map(|e| e.id.clone()), exe, scale: scale(pid) }
}

/// The word of a runner's line that names what it runs; none where that is the program's text
/// itself (`-c`, `-lc`, `-e`, `--eval`), which is no name and may hold anything.
fn script(args: &[String]) -> Option<&str> {
    let mut before = "";
    for word in args.iter().skip(1).map(String::as_str) {
        if !word.starts_with('-') {
            let letters = before.strip_prefix('-').filter(|l| l.len() <= 3 && l.bytes().all(|b| b.is_ascii_alphabetic()));
            let text = letters.is_some_and(|l| l.ends_with(['c', 'e', 'E'])) || matches!(before, "--eval" | "--print" | "-p");
            return (!text).then_some(word);
        }
        before = word;
    }
    None
}

/// `python3.11` runs others as `python3` does.
fn runs_others(program: &str) -> bool {
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    RUNNERS.iter().any(|r| r.trim_end_matches(|c: char| c.is_ascii_digit()) == stem)
}

fn entry<'a>(pid: u32, hint: &Hint, program: Option<&str>, installed: &'a [Entry]) -> Option<&'a Entry> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let by_id = |id: &str| installed.iter().find(|e| same(&e.id, id.trim_end_matches(".desktop")));
    if let Some(found) = hint.app_id.as_deref().and_then(by_id) {
        return Some(found);
    }
    let env = procs::env(pid, &["GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID"]);
    if env.get("GIO_LAUNCHED_DESKTOP_FILE_PID").is_some_and(|p| *p == pid.to_string())
        && let Some(file) = env.get("GIO_LAUNCHED_DESKTOP_FILE")
        && let Some(found) = installed.iter().find(|e| e.file == Path::new(file))
    {
        return Some(found);
    }
    let listed = || installed.iter().filter(|e| !e.hidden).chain(installed.iter().filter(|e| e.hidden));
    if let Some(class) = hint.class.as_deref()
        && let Some(found) = listed().find(|e| e.class.as_deref().is_some_and(|c| same(c, class)) || same(&e.id, class))
    {
        return Some(found);
    }
    let program = program.filter(|p| !runs_others(p))?;
    listed().find(|e| e.program() == Some(program))
}

/// Integer scale that the toolkit was told to draw with.
fn scale(pid: u32) -> f64 {
    let env = procs::env(pid, &["GDK_SCALE", "QT_SCALE_FACTOR"]);
    let told = |name: &str| env.get(name).and_then(|v| v.trim().parse::<f64>().ok()).filter(|s| *s > 1.0 && *s <= 16.0);
    if let Some(scale) = told("GDK_SCALE")
        && (procs::maps(pid, "/libgdk-3.") || procs::maps(pid, "/libgtk-4.") || procs::maps(pid, "/libgdk-x11-2."))
    {
        return scale.floor();
    }
    match told("QT_SCALE_FACTOR") {
        Some(scale) if procs::maps(pid, "/libQt5Gui.") || procs::maps(pid, "/libQt6Gui.") => scale,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_program_is_not_its_name() {
        for (line, name) in [
            ("python3 /opt/notes.py --fast", Some("/opt/notes.py")),
            ("python3 -u notes.py", Some("notes.py")),
            ("java -jar notes.jar", Some("notes.jar")),
            ("python3 -c password", None),
            ("bash -lc password", None),
            ("node --eval password", None),
            ("perl -e password", None),
            ("python3", None),
        ] {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(script(&args), name, "{line}");
        }
    }

    #[test]
    fn versions_of_runners_are_runners() {
        for (program, want) in [("python3.11", true), ("bash", true), ("node", true), ("mousepad", false), ("sh2", true)] {
            assert_eq!(runs_others(program), want, "{program}");
        }
    }

    #[test]
    fn an_ended_process_is_forgotten() {
        let idents = Idents::default();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let pid = child.id();
        assert_eq!(idents.of(pid, &Hint::default()).name, "sleep");
        assert!(lock(&idents.known).contains_key(&pid));
        child.kill().expect("killed");
        child.wait().expect("reaped");
        forget_ended(&mut lock(&idents.known), &[pid]);
        assert!(!lock(&idents.known).contains_key(&pid));
    }

    #[test]
    fn this_process_has_a_name() {
        let ident = name(std::process::id(), &Hint::default(), &[]);
        assert!(!ident.name.is_empty());
        assert_eq!(ident.scale, 1.0);
    }
}
