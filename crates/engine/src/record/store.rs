//! The directory of one recording: who may write it, what is in it, what a crash left.
//!
//! Owns: names, numbering, the lock, the order of writing. Refuses to own: what goes into a turn.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::disk::{self, Dir, Disk, DiskError, Kind};
use super::types::{Line, SCHEMA, SCHEMA_VERSION, Session};

pub const SESSION: &str = "session.json";
pub const EVENTS: &str = "events.jsonl";
const MAX_SESSION: u64 = 16 << 20;
const MAX_ENTRIES: usize = 200_000;
/// Every file that a turn can hold, of this layout and the older one.
const TURN_FILES: &[&str] = &[
    "action.json", "before.png", "before_state.json", "screenshot.png", "app_state.json", "click.png", "evidence.json", "after.png",
    "after_state.json",
];

/// What to do with a directory that holds a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    Refuse,
    Resume,
    Overwrite,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path} holds a recording of {turns} turns{}", if *.interrupted { " that was interrupted" } else { "" })]
    HoldsRecording { path: PathBuf, turns: u32, interrupted: bool },
    #[error("{path} holds other files ({example})")]
    HoldsOther { path: PathBuf, example: String },
    #[error("another recording writes to {path}")]
    Locked { path: PathBuf },
    #[error("{path} cannot be resumed: {why}")]
    Foreign { path: PathBuf, why: String },
    #[error("{0}")]
    Disk(#[from] DiskError),
}

/// The number of a turn's directory name.
pub fn turn_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("turn-")?;
    (digits.len() >= 5 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

pub fn turn_name(n: u32) -> String {
    format!("turn-{n:05}")
}

/// Where a turn is made before it is whole. `again` tells it from what crashes left.
fn unfinished(n: u32, again: u32) -> String {
    if again == 0 { format!("unfinished-{n:05}") } else { format!("unfinished-{n:05}-{again}") }
}

fn is_unfinished(name: &str) -> bool {
    name.strip_prefix("unfinished-").is_some_and(|d| d.len() >= 5 && d.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// Name of the n-th video, from 1.
pub fn video_name(n: usize) -> String {
    if n <= 1 { "recording.mp4".into() } else { format!("recording-{n}.mp4") }
}

/// Where a video is masked before it takes the place of the first.
pub fn masked_name(video: &str) -> String {
    format!(".{video}.masked.mp4")
}

fn is_video(name: &str) -> bool {
    let bare = name.strip_prefix('.').and_then(|n| n.strip_suffix(".masked.mp4")).unwrap_or(name);
    bare == "recording.mp4"
        || bare.strip_prefix("recording-").and_then(|n| n.strip_suffix(".mp4")).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_ours(name: &str, kind: Kind) -> bool {
    match kind {
        Kind::Dir => turn_number(name).is_some() || is_unfinished(name),
        Kind::File => matches!(name, SESSION | EVENTS | ".session.json.new") || is_video(name),
        Kind::Other => false,
    }
}

/// An open recording directory that nobody else writes to.
#[derive(Debug)]
pub struct Store {
    pub path: PathBuf,
    dir: Dir,
    events: File,
    /// Room for what has to be said when the disk is full.
    reserve: Mutex<Option<File>>,
}

const RESERVE: u64 = 64 << 10;

/// What was there when it was opened.
#[derive(Debug, Default)]
pub struct Found {
    /// The session of a recording that is resumed.
    pub earlier: Option<Session>,
    /// The last turn that is whole.
    pub last_turn: u32,
    /// The clock of the last event.
    pub last_ms: u64,
    /// The driver that wrote it did not end it.
    pub interrupted: bool,
    pub leftovers: Vec<String>,
    pub videos: usize,
}

impl Store {
    /// Open or make the directory. `path` is absolute and resolved.
    pub fn open(path: &Path, onto: Onto) -> Result<(Self, Found), StoreError> {
        let dir = Dir::make(path)?;
        dir.lock().map_err(|e| match e {
            DiskError::Locked { .. } => StoreError::Locked { path: path.into() },
            e => e.into(),
        })?;
        let names = dir.list(MAX_ENTRIES)?;
        let recording = names.iter().any(|(n, k)| (n == SESSION && *k == Kind::File) || (*k == Kind::Dir && turn_number(n).is_some()));
        let mut found = Found::default();
        if recording {
            found = look(&dir, &names);
            match onto {
                Onto::Refuse => {
                    return Err(StoreError::HoldsRecording { path: path.into(), turns: found.last_turn, interrupted: found.interrupted });
                }
                Onto::Resume if found.earlier.is_none() => {
                    return Err(StoreError::Foreign { path: path.into(), why: "its session.json is not one of this driver and version".into() });
                }
                Onto::Resume => {}
                Onto::Overwrite => {
                    clear(&dir, &names)?;
                    found = Found::default();
                }
            }
        } else if let Some((example, _)) = names.first() {
            return Err(StoreError::HoldsOther { path: path.into(), example: example.clone() });
        }
        dir.close_to_others()?;
        let mut events = dir.append(EVENTS)?;
        let last = cut_torn_line(&mut events);
        found.last_ms = last.unwrap_or_default();
        let reserve = Mutex::new(dir.reserve(RESERVE).ok());
        Ok((Self { path: path.into(), dir, events, reserve }, found))
    }

    /// A name still leads to the directory.
    pub fn is_there(&self) -> bool {
        self.dir.is_linked()
    }

    pub fn log(&self, line: &Line) -> Disk<()> {
        let mut text = serde_json::to_vec(line).unwrap_or_default();
        text.push(b'\n');
        self.with_reserve(|| self.append(&text))
    }

    /// A line, or nothing of it.
    fn append(&self, text: &[u8]) -> Disk<()> {
        let wrong = |e: std::io::Error| disk::io(&e, EVENTS);
        let before = self.events.metadata().map_err(wrong)?.len();
        (&self.events).write_all(text).map_err(|e| {
            let _ = self.events.set_len(before);
            wrong(e)
        })
    }

    /// Where the disk is full the kept room is given for it, and kept anew from what is left.
    fn with_reserve(&self, f: impl Fn() -> Disk<()>) -> Disk<()> {
        match f() {
            Err(DiskError::Full { .. }) => {
                let mut reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
                drop(reserve.take());
                let done = f();
                *reserve = [RESERVE, RESERVE / 2, RESERVE / 4, RESERVE / 8].into_iter().find_map(|n| self.dir.reserve(n).ok());
                done
            }
            other => other,
        }
    }

    pub fn keep_session(&self, session: &Session) -> Disk<()> {
        let mut text = serde_json::to_vec_pretty(session).unwrap_or_default();
        text.push(b'\n');
        self.with_reserve(|| self.dir.replace(SESSION, &text))
    }

    /// Write a turn whole, or nothing that looks like one.
    pub fn keep_turn(&self, n: u32, files: &[(&'static str, Vec<u8>)]) -> Disk<u64> {
        let mut temp = unfinished(n, 0);
        for again in 1..100 {
            if self.dir.kind(&temp)?.is_none() {
                break;
            }
            temp = unfinished(n, again);
        }
        let done = self.fill(&temp, files).and_then(|bytes| self.dir.rename(&temp, &turn_name(n)).map(|()| bytes));
        if done.is_err() {
            let _ = empty(&self.dir, &temp);
        }
        done
    }

    fn fill(&self, temp: &str, files: &[(&'static str, Vec<u8>)]) -> Disk<u64> {
        let dir = self.dir.make_sub(temp)?;
        let mut bytes = 0;
        for (name, content) in files {
            dir.write(name, content)?;
            bytes += content.len() as u64;
        }
        Ok(bytes)
    }

    pub fn dir(&self) -> &Dir {
        &self.dir
    }
}

/// What a directory with a recording in it tells.
fn look(dir: &Dir, names: &[(String, Kind)]) -> Found {
    let earlier = dir
        .read(SESSION, MAX_SESSION)
        .ok()
        .and_then(|b| serde_json::from_slice::<Session>(&b).ok())
        .filter(|s| s.schema == SCHEMA && s.schema_version == SCHEMA_VERSION);
    Found {
        interrupted: earlier.as_ref().is_some_and(|s| s.ended_at.is_none()),
        earlier,
        last_turn: names.iter().filter_map(|(n, _)| turn_number(n)).max().unwrap_or(0),
        last_ms: 0,
        leftovers: names.iter().filter(|(n, _)| is_unfinished(n) || n.starts_with('.')).map(|(n, _)| n.clone()).collect(),
        videos: names.iter().filter(|(n, k)| *k == Kind::File && is_video(n) && !n.starts_with('.')).count(),
    }
}

/// Remove the files of a recording and nothing else.
fn clear(dir: &Dir, names: &[(String, Kind)]) -> Disk<()> {
    for (name, kind) in names.iter().filter(|(n, k)| is_ours(n, *k)) {
        match kind {
            Kind::Dir => empty(dir, name)?,
            _ => dir.remove_file(name)?,
        }
    }
    Ok(())
}

/// Remove a turn's directory with the files that belong to one; others keep it.
fn empty(dir: &Dir, name: &str) -> Disk<()> {
    if dir.kind(name)? != Some(Kind::Dir) {
        return Ok(());
    }
    let sub = dir.sub(name)?;
    for file in TURN_FILES {
        sub.remove_file(file)?;
    }
    dir.remove_dir(name)
}

/// A line that a crash cut is taken away. Answers the clock of the last whole line.
fn cut_torn_line(events: &mut File) -> Option<u64> {
    let len = events.metadata().ok()?.len();
    let from = len.saturating_sub(64 << 10);
    let mut tail = vec![0; (len - from) as usize];
    events.read_exact_at(&mut tail, from).ok()?;
    let whole = tail.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    if whole < tail.len() {
        events.set_len(from + whole as u64).ok()?;
    }
    let last = tail.get(..whole.checked_sub(1)?)?.rsplit(|b| *b == b'\n').next()?;
    serde_json::from_slice::<serde_json::Value>(last).ok()?.get("t_ms")?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::super::types::*;
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("cua-store-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Self(path.canonicalize().unwrap())
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn session(ended: bool) -> Session {
        let mut s: Session = serde_json::from_value(example::files()["session"].clone()).unwrap();
        if !ended {
            s.ended_at = None;
        }
        s
    }

    fn recorded(path: &Path, turns: u32, ended: bool) {
        let (store, _) = Store::open(path, Onto::Refuse).unwrap();
        for n in 1..=turns {
            store.log(&Line::TurnBegun { turn: n, t_ms: u64::from(n) * 10, tool: "click".into() }).unwrap();
            store.keep_turn(n, &[("action.json", b"{}".to_vec()), ("before.png", vec![1, 2, 3])]).unwrap();
        }
        store.keep_session(&session(ended)).unwrap();
    }

    fn modes(path: &Path) -> Vec<u32> {
        let mut out = vec![path.metadata().unwrap().permissions().mode() & 0o777];
        if path.is_dir() {
            for e in std::fs::read_dir(path).unwrap() {
                out.extend(modes(&e.unwrap().path()));
            }
        }
        out
    }

    #[test]
    fn what_is_written_is_private_and_whole() {
        let t = Temp::new("private");
        let dir = t.0.join("deep/er/rec");
        recorded(&dir, 2, true);
        assert!(modes(&t.0.join("deep")).iter().all(|m| m & 0o077 == 0));
        assert_eq!(std::fs::read(dir.join("turn-00002/before.png")).unwrap(), [1, 2, 3]);
    }

    #[test]
    fn a_directory_is_taken_refused_resumed_or_overwritten() {
        let t = Temp::new("onto");
        let dir = t.0.join("rec");
        recorded(&dir, 3, false);
        let err = Store::open(&dir, Onto::Refuse).unwrap_err();
        assert!(matches!(&err, StoreError::HoldsRecording { turns: 3, interrupted: true, .. }), "{err}");
        assert!(err.to_string().contains("interrupted"));
        let (_store, found) = Store::open(&dir, Onto::Resume).unwrap();
        assert_eq!((found.last_turn, found.last_ms, found.interrupted), (3, 30, true));
        assert!(matches!(Store::open(&dir, Onto::Resume).unwrap_err(), StoreError::Locked { .. }));
        drop(_store);
        std::fs::write(dir.join("turn-00002/mine.txt"), "keep").unwrap();
        std::fs::write(dir.join("notes.txt"), "keep").unwrap();
        let (store, found) = Store::open(&dir, Onto::Overwrite).unwrap();
        assert_eq!(found.last_turn, 0);
        assert!(!dir.join("turn-00001").exists() && !dir.join(SESSION).exists());
        assert!(dir.join("turn-00002/mine.txt").exists() && dir.join("notes.txt").exists());
        drop(store);
    }

    #[test]
    fn other_things_are_left_alone() {
        let t = Temp::new("other");
        std::fs::write(t.0.join("letter.txt"), "mine").unwrap();
        for onto in [Onto::Refuse, Onto::Resume, Onto::Overwrite] {
            assert!(matches!(Store::open(&t.0, onto).unwrap_err(), StoreError::HoldsOther { .. }));
        }
        let file = t.0.join("letter.txt");
        assert!(matches!(Store::open(&file, Onto::Refuse).unwrap_err(), StoreError::Disk(DiskError::Kind { .. })));
        assert!(Store::open(&file.join("x"), Onto::Refuse).is_err());
        let link = t.0.join("link");
        std::fs::create_dir(t.0.join("real")).unwrap();
        symlink(t.0.join("real"), &link).unwrap();
        assert!(Store::open(&link, Onto::Refuse).is_err());
        assert!(Store::open(&link.join("sub"), Onto::Refuse).is_err());
        assert_eq!(std::fs::read_dir(t.0.join("real")).unwrap().count(), 0);
        assert_eq!(std::fs::read_to_string(t.0.join("letter.txt")).unwrap(), "mine");
    }

    #[test]
    fn what_a_crash_left_is_recognised() {
        let t = Temp::new("crash");
        let dir = t.0.join("rec");
        recorded(&dir, 1, false);
        std::fs::create_dir(dir.join("unfinished-00002")).unwrap();
        std::fs::write(dir.join("unfinished-00002/before.png"), "half").unwrap();
        let events = dir.join(EVENTS);
        let mut text = std::fs::read_to_string(&events).unwrap();
        text.push_str("{\"event\":\"turn_be");
        std::fs::write(&events, text).unwrap();
        let (store, found) = Store::open(&dir, Onto::Resume).unwrap();
        assert_eq!((found.last_turn, found.leftovers.as_slice()), (1, ["unfinished-00002".to_owned()].as_slice()));
        assert_eq!(found.last_ms, 10);
        store.log(&Line::TurnEnded { turn: 1, t_ms: 11, outcome: "confirmed".into() }).unwrap();
        let lines = std::fs::read_to_string(&events).unwrap();
        assert!(lines.lines().all(|l| serde_json::from_str::<Line>(l).is_ok()), "{lines}");
        store.keep_turn(2, &[("action.json", b"{}".to_vec())]).unwrap();
        assert_eq!(std::fs::read_to_string(dir.join("unfinished-00002/before.png")).unwrap(), "half");
    }

    #[test]
    fn a_link_put_there_later_is_not_followed() {
        let t = Temp::new("link");
        let dir = t.0.join("rec");
        let (store, _) = Store::open(&dir, Onto::Refuse).unwrap();
        let far = t.0.join("far");
        std::fs::create_dir(&far).unwrap();
        symlink(&far, dir.join("unfinished-00001")).unwrap();
        store.keep_turn(1, &[("action.json", b"{}".to_vec())]).unwrap();
        assert_eq!(std::fs::read_dir(&far).unwrap().count(), 0);
        symlink(far.join("s"), dir.join(SESSION)).unwrap();
        store.keep_session(&session(true)).unwrap();
        assert!(!far.join("s").exists());
        std::fs::rename(&dir, t.0.join("moved")).unwrap();
        assert!(store.is_there());
        std::fs::remove_dir_all(t.0.join("moved")).unwrap();
        assert!(!store.is_there());
    }

    #[test]
    fn names() {
        for (name, want) in [("turn-00001", Some(1)), ("turn-123456", Some(123_456)), ("turn-1", None), ("turn-0000a", None), ("unfinished-00001", None)] {
            assert_eq!(turn_number(name), want, "{name}");
        }
        assert!(is_video("recording.mp4") && is_video("recording-12.mp4") && is_video(".recording.mp4.masked.mp4"));
        assert!(!is_video("recording-x.mp4") && !is_video("holiday.mp4"));
    }
}
