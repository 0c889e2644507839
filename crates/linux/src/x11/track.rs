//! What is remembered of windows between two looks, and when it stops being true.
//!
//! Events and replies share one ordered wire: once a reply is read, every event before it has
//! been read too. So what is remembered here is exact as of the last reply, never merely recent.
//! Owns: births of windows, cached properties and places. Refuses to own: asking the server.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use x11rb::connection::Connection;
use x11rb::protocol::Event;

use super::fault::Outcome;
use super::link::Conn;
use super::list::Listing;

/// What a window says of itself.
#[derive(Clone, Debug, Default)]
pub struct Props {
    pub title: String,
    pub class: Option<String>,
    pub instance: Option<String>,
    pub role: Option<String>,
    pub types: Vec<u32>,
    pub transient: Option<u32>,
    pub state: Vec<u32>,
    pub wm_state: Option<u32>,
    pub desktop: Option<u32>,
    pub pid: Option<u32>,
    /// Desktop id that the toolkit told.
    pub app_id: Option<String>,
    pub protocols: Vec<u32>,
    /// It lives inside a window of another application.
    pub embedded: bool,
}

/// A window that was listed once and lives.
#[derive(Clone, Debug)]
pub struct Known {
    pub birth: u64,
    pub props: Option<Arc<Props>>,
    /// A property changed after they were asked for.
    pub stale: bool,
    /// The child of the root that it is or lies in.
    pub top: Option<u32>,
    /// Nothing lies between it and that child: every change of its place is told.
    pub direct: bool,
}

/// A child of the root, as it was when last asked.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub x: i32,
    pub y: i32,
    pub w: u32,
    pub h: u32,
    pub border: u32,
    pub viewable: bool,
    pub input_only: bool,
    pub unmanaged: bool,
}

/// A whole listing, exact until something it tells of changes.
pub struct Kept {
    /// `Track::changes` when it was made.
    pub changes: u64,
    /// What had the focus, and its ancestors up to a window that is listed or a child of the root.
    pub focus: u32,
    pub chain: Vec<(u32, u32)>,
    /// Windows of whose place events do not tell: windows that are not heard of lie between them
    /// and the root.
    pub deep: HashSet<u32>,
    pub listing: Arc<Listing>,
}

/// The properties that listings are made of.
pub struct Read {
    pub of_root: Vec<u32>,
    pub of_windows: Vec<u32>,
}

pub struct Track {
    next: u64,
    /// The server's time of the last property that changed.
    pub time: u32,
    read: Read,
    /// Counts windows that came, went, were shown, hidden, managed or put into another.
    pub moves: u64,
    /// Counts everything that makes a listing another one.
    pub changes: u64,
    pub kept: Option<Kept>,
    pub known: HashMap<u32, Known>,
    pub children: HashMap<u32, Child>,
}

impl Track {
    pub fn new(read: Read) -> Self {
        let mut seed = [0; 8];
        let seed = match rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty()) {
            Ok(_) => u64::from_le_bytes(seed) >> 16,
            Err(_) => u64::from(std::process::id()) << 20,
        };
        Self { next: seed, time: 0, read, moves: 0, changes: 0, kept: None, known: HashMap::new(), children: HashMap::new() }
    }

    /// A window seen for the first time since it was created.
    pub fn born(&mut self, id: u32) -> &mut Known {
        let next = &mut self.next;
        self.known.entry(id).or_insert_with(|| {
            *next += 1;
            Known { birth: *next, props: None, stale: true, top: None, direct: false }
        })
    }

    /// Take in every event that has arrived.
    pub fn drain(&mut self, conn: &Conn) -> Outcome<()> {
        while let Some(event) = conn.poll_for_event()? {
            self.take(&event);
        }
        Ok(())
    }

    fn matters(&self, event: &Event) -> bool {
        match event {
            Event::PropertyNotify(e) if self.known.contains_key(&e.window) => self.read.of_windows.contains(&e.atom),
            Event::PropertyNotify(e) => self.read.of_root.contains(&e.atom),
            _ => true,
        }
    }

    fn take(&mut self, event: &Event) {
        if matches!(
            event,
            Event::CreateNotify(_)
                | Event::DestroyNotify(_)
                | Event::ReparentNotify(_)
                | Event::MapNotify(_)
                | Event::UnmapNotify(_)
        ) {
            self.moves += 1;
        }
        self.changes += u64::from(self.matters(event));
        match event {
            Event::DestroyNotify(e) => {
                self.known.remove(&e.window);
                self.children.remove(&e.window);
            }
            Event::CreateNotify(e) => {
                // A new window: whatever had this id before is gone, also where its end was not seen.
                self.known.remove(&e.window);
                self.children.remove(&e.window);
            }
            Event::PropertyNotify(e) => {
                self.time = e.time;
                if let Some(k) = self.known.get_mut(&e.window) {
                    k.stale |= self.read.of_windows.contains(&e.atom);
                } else if self.read.of_root.contains(&e.atom) {
                    self.moves += 1;
                }
            }
            Event::ReparentNotify(e) => {
                if let Some(k) = self.known.get_mut(&e.window) {
                    k.top = None;
                }
                self.children.remove(&e.window);
            }
            Event::ConfigureNotify(e) => drop(self.children.remove(&e.window)),
            Event::MapNotify(e) => drop(self.children.remove(&e.window)),
            Event::UnmapNotify(e) => drop(self.children.remove(&e.window)),
            Event::GravityNotify(e) => drop(self.children.remove(&e.window)),
            _ => {}
        }
    }
}

