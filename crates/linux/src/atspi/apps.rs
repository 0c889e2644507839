//! Applications on the accessibility bus: which name belongs to which process.
//!
//! Owns: the list of applications, their toolkits, who waits for them. Refuses to own: windows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use desktop::{DesktopError, Pid, Result};
use zbus::Message;

use super::ask::{APPLICATION, ROOT, Ref, get, property, refs};
use super::bus::{DBUS, DBUS_PATH, REGISTRY};
use super::hand::Hand;
use super::lasting::Lasting;
use super::told::Told;
use super::wire::{End, Wire, call};

/// Calls that may wait for an application that has stopped answering.
const WAITERS: usize = 2;
/// A call that waits longer than this marks its application as slow.
const SLOW: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kit {
    Gtk3,
    Gtk4,
    Qt,
    Chromium,
    Office,
    Other,
}

impl Kit {
    fn of(name: &str, version: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "gtk" if version.starts_with('4') => Kit::Gtk4,
            "gtk" => Kit::Gtk3,
            "qt" => Kit::Qt,
            "chromium" => Kit::Chromium,
            "vcl" => Kit::Office,
            _ => Kit::Other,
        }
    }

    /// All properties of an interface can be had in one call. Elsewhere `GetAll` must not be
    /// sent: the ATK bridge aborts its application when one of them cannot be read, and some
    /// Qt versions crash.
    pub fn get_all(self) -> bool {
        self == Kit::Gtk4
    }

    /// It tells of every change of a name, a state or a child, before it answers anything else.
    pub fn tells(self) -> bool {
        matches!(self, Kit::Gtk3 | Kit::Gtk4 | Kit::Chromium)
    }

    /// Its bulk list tells children as it does when asked for them. GTK 4 puts objects into the list
    /// that it names nowhere else, once they were seen.
    pub fn lists_children(self) -> bool {
        self != Kit::Gtk4
    }

    /// For so long it shows a button pressed before it does what that is for.
    pub fn late(self) -> Duration {
        match self {
            Kit::Gtk4 => Duration::from_millis(250),
            Kit::Qt => Duration::from_millis(100),
            _ => Duration::ZERO,
        }
    }

    /// Its bulk list is worth asking for.
    pub fn bulk(self) -> bool {
        self != Kit::Qt
    }
}

/// One application on the bus.
#[derive(Debug)]
pub(super) struct App {
    pub bus: Arc<str>,
    /// Path of its root object.
    pub root: Arc<str>,
    pub pid: Pid,
    kit: OnceLock<Kit>,
    pub lasting: Lasting,
    pub hand: Hand,
    pub told: Told,
    waiting: Mutex<Vec<Instant>>,
}

/// A place among those that wait for one application.
pub(super) struct Seat {
    app: Arc<App>,
    since: Instant,
}

impl App {
    /// What it is built with; `Other` until it has said so.
    pub fn kit(&self) -> Kit {
        self.kit.get().copied().unwrap_or(Kit::Other)
    }

    /// Ask it once for its toolkit. Fails when it does not answer.
    pub async fn learn(&self, wire: &Wire, until: Instant) -> std::result::Result<Kit, End> {
        if let Some(kit) = self.kit.get() {
            return Ok(*kit);
        }
        let root = Ref { bus: self.bus.clone(), path: self.root.clone() };
        let asked = ["ToolkitName", "Version"].map(|n| get(&root, APPLICATION, n));
        let mut round = wire.round(asked.into_iter().flatten().collect(), until, PATIENCE).await;
        if round.answers.iter().all(Option::is_none) {
            return Err(round.end);
        }
        let mut text = |i| round.take(i).and_then(|m| property::<String>(&m)).unwrap_or_default();
        let kit = Kit::of(&text(0), &text(1));
        Ok(*self.kit.get_or_init(|| kit))
    }

    /// Take a place; refused at once when as many as may are already waiting in vain.
    pub fn enter(self: &Arc<Self>) -> Result<Seat> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.iter().filter(|t| t.elapsed() > SLOW).count() >= WAITERS {
            return Err(DesktopError::NotAnswering(Some(self.pid)));
        }
        let since = Instant::now();
        waiting.push(since);
        Ok(Seat { app: self.clone(), since })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut waiting = self.app.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(i) = waiting.iter().position(|t| *t == self.since) {
            waiting.swap_remove(i);
        }
    }
}

/// What was learnt of the names on this connection. A unique name is never given out twice,
/// so what is known of it stays true.
#[derive(Default)]
pub(super) struct Apps {
    pids: Mutex<HashMap<Arc<str>, Pid>>,
    known: Mutex<HashMap<Arc<str>, Arc<App>>>,
}

const PATIENCE: Duration = Duration::from_millis(900);

impl Apps {
    /// Applications of this process, asked afresh.
    pub async fn of(&self, wire: &Wire, pid: Pid, until: Instant) -> Result<Vec<Arc<App>>> {
        let all = self.listed(wire, until).await?;
        let mine: Vec<Ref> = {
            let pids = self.pids.lock().unwrap_or_else(PoisonError::into_inner);
            all.into_iter().filter(|r| pids.get(&r.bus) == Some(&pid)).collect()
        };
        Ok(mine.into_iter().map(|r| self.app(r, pid)).collect())
    }

    /// Applications of this process that were met before.
    pub fn met(&self, pid: Pid) -> Vec<Arc<App>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().filter(|a| a.pid == pid).cloned().collect()
    }

    /// Take note of a signal. The answer is its sender where that need not tell any more.
    pub fn note(&self, m: &Message) -> Option<Arc<str>> {
        let header = m.header();
        let app = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(header.sender()?.as_str()).cloned()?;
        app.told.note(m).then(|| app.bus.clone())
    }

    /// The application behind a bus name.
    pub async fn by_name(&self, wire: &Wire, bus: &str, until: Instant) -> Result<Arc<App>> {
        if let Some(app) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(bus) {
            return Ok(app.clone());
        }
        let Some(m) = call(DBUS, DBUS_PATH, DBUS, "GetConnectionUnixProcessID", &(bus,)) else {
            return Err(DesktopError::NodeGone);
        };
        let pid = match wire.one(m, until, PATIENCE).await.0 {
            Some(Ok(m)) => Pid(m.body().deserialize::<u32>().unwrap_or_default()),
            Some(Err(_)) => return Err(DesktopError::NodeGone),
            None => return Err(DesktopError::NoAccessibility("the bus does not answer".into())),
        };
        Ok(self.app(Ref { bus: bus.into(), path: ROOT.into() }, pid))
    }

    /// Every application that is registered; processes of new ones are asked for.
    async fn listed(&self, wire: &Wire, until: Instant) -> Result<Vec<Ref>> {
        let silent = || DesktopError::NoAccessibility("the accessibility registry does not answer".into());
        let m = call(REGISTRY, ROOT, super::ask::ACCESSIBLE, "GetChildren", &()).ok_or_else(silent)?;
        let (answer, _) = wire.one(m, until, PATIENCE).await;
        let all = answer.and_then(|a| a.ok()).map(|m| refs(&m)).ok_or_else(silent)?;
        let new: Vec<Arc<str>> = {
            let mut pids = self.pids.lock().unwrap_or_else(PoisonError::into_inner);
            pids.retain(|bus, _| all.iter().any(|r| r.bus == *bus));
            self.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|bus, _| pids.contains_key(bus));
            all.iter().map(|r| r.bus.clone()).filter(|b| !pids.contains_key(b)).collect()
        };
        if !new.is_empty() {
            let asked = new.iter().filter_map(|b| call(DBUS, DBUS_PATH, DBUS, "GetConnectionUnixProcessID", &(&**b,)));
            let mut round = wire.round(asked.collect(), until, PATIENCE).await;
            let mut pids = self.pids.lock().unwrap_or_else(PoisonError::into_inner);
            for (i, bus) in new.into_iter().enumerate() {
                if let Some(pid) = round.take(i).and_then(|m| m.body().deserialize::<u32>().ok()) {
                    pids.insert(bus, Pid(pid));
                }
            }
        }
        Ok(all)
    }

    fn app(&self, r: Ref, pid: Pid) -> Arc<App> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(r.bus.clone())
            .or_insert_with(|| {
                Arc::new(App {
                    bus: r.bus,
                    root: r.path,
                    pid,
                    kit: OnceLock::new(),
                    lasting: Lasting::default(),
                    hand: Hand::default(),
                    told: Told::default(),
                    waiting: Mutex::default(),
                })
            })
            .clone()
    }
}
