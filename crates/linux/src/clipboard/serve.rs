//! Offering content: answering whoever asks for it, in pieces where it is large.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use desktop::{ClipboardContent, Ctx, DesktopError, Result};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Property,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::offer::{self, Forms};
use crate::x11::atoms::Atoms;
use crate::x11::fault::{Fault, Outcome};
use crate::x11::link::{Conn, connect, lock};
use crate::x11::stream::Bound;

/// Largest piece that is sent at once.
const PIECE: usize = 256 * 1024;
/// A transfer whose other side has said nothing for this long is forgotten.
const STALE: Duration = Duration::from_secs(30);
/// How often the thread looks whether it is still wanted.
const WAKE: Duration = Duration::from_secs(4);

/// A window that owns the selection, and the thread that answers for it.
pub struct Server {
    conn: Conn,
    atoms: Atoms,
    window: u32,
    forms: Mutex<Vec<(u32, Arc<[u8]>)>>,
    lives: AtomicBool,
}

/// Content on its way in pieces.
struct Transfer {
    kind: u32,
    data: Arc<[u8]>,
    at: usize,
    moved: Instant,
}

impl Server {
    pub fn start(display: &str) -> Result<Arc<Self>> {
        let server = Arc::new(Self::open(display)?);
        let weak = Arc::downgrade(&server);
        thread::Builder::new()
            .name("clipboard".into())
            .spawn(move || serve(&weak))
            .map_err(|e| DesktopError::System(e.to_string()))?;
        Ok(server)
    }

    fn open(display: &str) -> Outcome<Self> {
        let (conn, screen) = connect(display)?;
        let atoms = Atoms::new(&conn)?.reply()?;
        let window = conn.generate_id()?;
        let aux = CreateWindowAux::new().override_redirect(1);
        let root = conn.setup().roots[screen].root;
        conn.create_window(0, window, root, -10, -10, 1, 1, 0, WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT, &aux)?;
        Ok(Self { conn, atoms, window, forms: Mutex::default(), lives: AtomicBool::new(true) })
    }

    pub fn lives(&self) -> bool {
        self.lives.load(Ordering::Relaxed) && !self.conn.stream().broken()
    }

    pub fn offer(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()> {
        let _bound = Bound::until(ctx.deadline);
        let owned = || -> Outcome<bool> {
            *lock(&self.forms) = self.named(offer::forms(content))?;
            self.conn.set_selection_owner(self.window, self.atoms.CLIPBOARD, x11rb::CURRENT_TIME)?;
            Ok(self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner == self.window)
        };
        match owned() {
            Ok(true) => Ok(()),
            Ok(false) => Err(DesktopError::System("another application took the clipboard".into())),
            Err(Fault::Late) if ctx.left().is_zero() => Err(DesktopError::Timeout),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Someone else offers something, unless this is an old message and we do again.
    fn lost(&self) -> Outcome<()> {
        if self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner != self.window {
            lock(&self.forms).clear();
        }
        Ok(())
    }

    fn named(&self, forms: Forms) -> Outcome<Vec<(u32, Arc<[u8]>)>> {
        let asked = forms
            .into_iter()
            .map(|(name, data)| Ok((self.conn.intern_atom(false, name.as_bytes())?, data)))
            .collect::<Outcome<Vec<_>>>()?;
        asked.into_iter().map(|(atom, data)| Ok((atom.reply()?.atom, data))).collect()
    }

    /// Answer one request; large content begins a transfer.
    fn answer(&self, e: &SelectionRequestEvent, moving: &mut HashMap<(u32, u32), Transfer>) -> Outcome<()> {
        let a = &self.atoms;
        // Old clients name no property: the target's name is used then.
        let property = if e.property == 0 { e.target } else { e.property };
        let given = if e.target == a.MULTIPLE {
            self.several(e, property, moving)?
        } else {
            self.give(e.requestor, property, e.target, moving)?
        };
        let told = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: e.time,
            requestor: e.requestor,
            selection: e.selection,
            target: e.target,
            property: if given { property } else { 0 },
        };
        self.conn.send_event(false, e.requestor, EventMask::NO_EVENT, told)?;
        Ok(self.conn.flush()?)
    }

    /// Pairs of target and property, each answered; what is refused is crossed out.
    fn several(&self, e: &SelectionRequestEvent, property: u32, moving: &mut HashMap<(u32, u32), Transfer>) -> Outcome<bool> {
        let pairs = self.conn.get_property(false, e.requestor, property, AtomEnum::ANY, 0, 1024)?.reply()?;
        let mut pairs: Vec<u32> = pairs.value32().map(Iterator::collect).unwrap_or_default();
        for pair in pairs.chunks_exact_mut(2) {
            if !self.give(e.requestor, pair[1], pair[0], moving)? {
                pair[1] = 0;
            }
        }
        self.conn.change_property32(PropMode::REPLACE, e.requestor, property, self.atoms.ATOM_PAIR, &pairs)?;
        Ok(true)
    }

    /// Put one form into a property of the one who asks. False where there is no such form.
    fn give(&self, to: u32, property: u32, target: u32, moving: &mut HashMap<(u32, u32), Transfer>) -> Outcome<bool> {
        let a = &self.atoms;
        let forms = lock(&self.forms);
        if target == a.TARGETS {
            let all: Vec<u32> = forms.iter().map(|(t, _)| *t).chain([a.TARGETS, a.MULTIPLE]).collect();
            self.conn.change_property32(PropMode::REPLACE, to, property, AtomEnum::ATOM, &all)?;
            return Ok(true);
        }
        let Some((_, data)) = forms.iter().find(|(t, _)| *t == target) else { return Ok(false) };
        // TEXT is answered in an encoding that is named.
        let kind = if target == a.TEXT { a.UTF8_STRING } else { target };
        if data.len() <= PIECE.min(self.conn.maximum_request_bytes() / 2) {
            self.conn.change_property8(PropMode::REPLACE, to, property, kind, data)?;
            return Ok(true);
        }
        let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        self.conn.change_window_attributes(to, &watch)?;
        self.conn.change_property32(PropMode::REPLACE, to, property, a.INCR, &[data.len() as u32])?;
        moving.insert((to, property), Transfer { kind, data: data.clone(), at: 0, moved: Instant::now() });
        Ok(true)
    }

    /// The other side took a piece: send the next one. An empty one is the end.
    fn next(&self, to: u32, property: u32, moving: &mut HashMap<(u32, u32), Transfer>) -> Outcome<()> {
        let Some(t) = moving.get_mut(&(to, property)) else { return Ok(()) };
        let end = (t.at + PIECE.min(self.conn.maximum_request_bytes() / 2)).min(t.data.len());
        let done = t.at == t.data.len();
        self.conn.change_property8(PropMode::REPLACE, to, property, t.kind, &t.data[t.at..end])?;
        t.at = end;
        t.moved = Instant::now();
        if done {
            moving.remove(&(to, property));
        }
        Ok(self.conn.flush()?)
    }
}

/// Answer until the server is gone or nobody holds it any more.
fn serve(weak: &Weak<Server>) {
    let mut moving = HashMap::new();
    while let Some(server) = weak.upgrade() {
        let _bound = Bound::until(Instant::now() + WAKE);
        let outcome = match server.conn.wait_for_event().map_err(Fault::from) {
            Ok(Event::SelectionRequest(e)) => server.answer(&e, &mut moving),
            Ok(Event::PropertyNotify(e)) if e.state == Property::DELETE => server.next(e.window, e.atom, &mut moving),
            Ok(Event::SelectionClear(_)) => server.lost(),
            Ok(_) => Ok(()),
            Err(fault) => Err(fault),
        };
        moving.retain(|_, t: &mut Transfer| t.moved.elapsed() < STALE);
        match outcome {
            // Whoever asked is gone, or nothing happened for a while.
            Ok(()) | Err(Fault::Late | Fault::Refused(_)) => {}
            Err(_) => {
                server.lives.store(false, Ordering::Relaxed);
                return;
            }
        }
    }
}
