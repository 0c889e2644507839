//! What happens on the desktop by itself, as one stream.
//!
//! Owns: one connection and one thread for all subscriptions, and what the server is asked to
//! tell: nothing while nobody listens. Refuses to own: what an event means.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Event, EventFilter, Events, Point, Rect, Result, Screen, WindowId};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::cookie::VoidCookie;
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xinput::{self, ConnectionExt as _, Device, XIEventMask};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, WindowClass,
};
use x11rb::protocol::{Event as XEvent, xfixes::ConnectionExt as _};

use crate::x11::fault::{Alive, Fault, Outcome};
use crate::x11::link::{Conn, Link, connect, lock};
use crate::x11::list::{self, Raw};
use crate::x11::stream::Bound;

/// Events that wait to be taken; further ones are told as `Lost`.
const ROOM: usize = 1024;
/// How often pointer and focus are looked at where the server tells of no change.
const SAMPLE: Duration = Duration::from_millis(33);
/// How often a subscription without samples looks whether it is still wanted.
const WAKE: Duration = Duration::from_millis(250);
/// Changes of windows that come together are looked at once.
const TOGETHER: Duration = Duration::from_millis(8);
/// A moving pointer is told this often.
const MOTION: Duration = Duration::from_millis(100);
/// How often the driver's own pointer is looked for while it has none.
const SEEK: Duration = Duration::from_millis(500);
/// Master devices of the person: the server numbers them so, always.
const PERSON_POINTER: u16 = 2;
const PERSON_KEYBOARD: u16 = 3;
/// What the driver's own second pointer is called.
const AGENT: &[u8] = b"cua-driver pointer";

/// Until when input of the person's devices may be the driver's own.
pub type OwnInput = Arc<dyn Fn() -> Option<Instant> + Send + Sync>;

/// A running subscription.
pub struct Stream {
    events: Receiver<Event>,
    ended: Arc<AtomicBool>,
}

impl Events for Stream {
    fn next(&mut self, time: Duration) -> Option<Event> {
        self.events.recv_timeout(time).ok()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Where events go; knows when some were lost.
#[derive(Clone)]
struct Out {
    to: SyncSender<Event>,
    lost: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Out {
    fn send(&self, event: Event) {
        if self.lost.load(Ordering::Relaxed) && self.to.try_send(Event::Lost).is_ok() {
            self.lost.store(false, Ordering::Relaxed);
        }
        match self.to.try_send(event) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.lost.store(true, Ordering::Relaxed),
            Err(TrySendError::Disconnected(_)) => self.ended.store(true, Ordering::Relaxed),
        }
    }

    fn wanted(&self) -> bool {
        !self.ended.load(Ordering::Relaxed)
    }
}

/// Where listeners are heard from: one connection and one thread for all of them, at rest while
/// there are none.
pub struct Ear {
    link: Arc<Link>,
    own: OwnInput,
    live: Mutex<Option<Arc<Live>>>,
}

impl Ear {
    pub fn new(link: Arc<Link>, own: OwnInput) -> Self {
        Self { link, own, live: Mutex::new(None) }
    }

    /// Listen. `nodes` are tree changes, told by accessibility and merged into the same stream.
    pub fn listen(&self, ctx: &Ctx, filter: EventFilter, nodes: Option<Box<dyn Events>>) -> Result<Box<dyn Events>> {
        let (to, events) = mpsc::sync_channel(ROOM);
        let ended = Arc::new(AtomicBool::new(false));
        let out = Out { to, lost: Arc::default(), ended: ended.clone() };
        if filter.windows || filter.focus || filter.painted.is_some() || filter.human || filter.pointer {
            let _bound = Bound::until(ctx.deadline);
            self.live()?.add(filter, out.clone()).map_err(DesktopError::from)?;
        }
        if let Some(mut nodes) = nodes {
            let pass = move || {
                while out.wanted() {
                    if let Some(event) = nodes.next(WAKE) {
                        out.send(event);
                    }
                }
            };
            thread::Builder::new().name("events-nodes".into()).spawn(pass).map_err(failed)?;
        }
        Ok(Box::new(Stream { events, ended }))
    }

    fn live(&self) -> Result<Arc<Live>> {
        let mut kept = lock(&self.live);
        if let Some(live) = kept.as_ref().filter(|l| l.sound()) {
            return Ok(live.clone());
        }
        let live = Arc::new(Live::open(&self.link, self.own.clone())?);
        let run = live.clone();
        thread::Builder::new().name("events-x11".into()).spawn(move || run.run()).map_err(failed)?;
        Ok(kept.insert(live).clone())
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        if let Some(live) = lock(&self.live).take() {
            live.end();
        }
    }
}

fn failed(e: std::io::Error) -> DesktopError {
    DesktopError::System(e.to_string())
}

/// What a window was like when it was last looked at.
#[derive(Clone, PartialEq)]
struct Face {
    birth: u64,
    title: String,
    bounds: Rect<Screen>,
    shown: bool,
    minimized: bool,
}

type Faces = HashMap<u32, Face>;

struct Listener {
    filter: EventFilter,
    out: Out,
    faces: Arc<Faces>,
    focus: Option<WindowId>,
    pointer: Option<Point<Screen>>,
    agent: Option<Point<Screen>>,
    damage: Option<u32>,
}

impl Listener {
    fn looks(&self) -> bool {
        self.filter.windows || self.filter.focus
    }

    fn sampled(&self) -> bool {
        self.filter.pointer || self.filter.focus
    }
}

/// What is asked of the server, and for whom.
struct Heard {
    listeners: Vec<Listener>,
    /// Windows whose changes this connection is told.
    selected: HashSet<u32>,
    human: bool,
    ended: bool,
    agent_device: Option<u16>,
    agent_sought: Instant,
    motion: Instant,
}

struct Live {
    link: Arc<Link>,
    conn: Conn,
    root: u32,
    /// A window of its own, to wake the thread by.
    bell: u32,
    own: OwnInput,
    heard: Mutex<Heard>,
    came: Condvar,
}

impl Live {
    fn open(link: &Arc<Link>, own: OwnInput) -> Result<Self> {
        let display = link.display().ok_or_else(|| DesktopError::NoDisplay("DISPLAY is not set".into()))?;
        let (conn, screen) = connect(display).map_err(DesktopError::from)?;
        let root = conn.setup().roots[screen].root;
        let bell = Self::prepare(&conn, root).map_err(DesktopError::from)?;
        let heard = Heard {
            listeners: Vec::new(),
            selected: HashSet::new(),
            human: false,
            ended: false,
            agent_device: None,
            agent_sought: long_ago(),
            motion: long_ago(),
        };
        Ok(Self { link: link.clone(), conn, root, bell, own, heard: Mutex::new(heard), came: Condvar::new() })
    }

    fn prepare(conn: &Conn, root: u32) -> Outcome<u32> {
        conn.xinput_xi_query_version(2, 2)?.reply()?;
        if conn.extension_information(damage::X11_EXTENSION_NAME)?.is_some() {
            conn.xfixes_query_version(5, 0)?.reply()?;
            conn.damage_query_version(1, 1)?.reply()?;
        }
        let bell = conn.generate_id()?;
        let aux = CreateWindowAux::new().override_redirect(1);
        conn.create_window(0, bell, root, -10, -10, 1, 1, 0, WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT, &aux)?;
        conn.get_input_focus()?.reply()?;
        Ok(bell)
    }

    fn sound(&self) -> bool {
        !self.conn.stream().broken() && !lock(&self.heard).ended
    }

    fn end(&self) {
        lock(&self.heard).ended = true;
        self.came.notify_all();
        let _ = self.wake();
    }

    fn wake(&self) -> Outcome<()> {
        let event = ClientMessageEvent::new(32, self.bell, AtomEnum::INTEGER, [0u32; 5]);
        self.conn.send_event(false, self.bell, EventMask::NO_EVENT, event)?;
        self.conn.flush()?;
        Ok(())
    }

    /// From now on, this listener too.
    fn add(&self, filter: EventFilter, out: Out) -> Outcome<()> {
        let mut heard = lock(&self.heard);
        let mut new = Listener { filter, out, faces: Arc::default(), focus: None, pointer: None, agent: None, damage: None };
        let first = heard.listeners.is_empty();
        if new.looks() {
            let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
            self.conn.change_window_attributes(self.root, &ChangeWindowAttributesAux::new().event_mask(mask))?;
            let (faces, focus) = self.see(&mut heard)?;
            (new.faces, new.focus) = (Arc::new(faces), focus);
        }
        if filter.human && !heard.human {
            self.hear_people(true)?;
            heard.human = true;
        }
        let damage = filter.painted.map(|id| self.damage(id)).transpose()?;
        self.conn.get_input_focus()?.reply()?;
        if let Some((id, damage, made)) = damage {
            if made.check().alive()?.is_none() {
                return Err(DesktopError::WindowGone(id).into());
            }
            new.damage = Some(damage);
        }
        if first {
            // What was heard of before anybody listened is not news.
            while self.conn.poll_for_event()?.is_some() {}
        }
        if new.sampled() {
            self.wake()?;
        }
        heard.listeners.push(new);
        self.came.notify_all();
        Ok(())
    }

    fn hear_people(&self, on: bool) -> Outcome<()> {
        let pointing = XIEventMask::RAW_BUTTON_PRESS | XIEventMask::RAW_MOTION;
        let none = XIEventMask::from(0u32);
        let masks = [(PERSON_POINTER, pointing), (PERSON_KEYBOARD, XIEventMask::RAW_KEY_PRESS)]
            .map(|(deviceid, mask)| xinput::EventMask { deviceid, mask: vec![if on { mask } else { none }] });
        self.conn.xinput_xi_select_events(self.root, &masks)?;
        Ok(())
    }

    fn damage(&self, id: WindowId) -> Outcome<(WindowId, u32, VoidCookie<'_, Conn>)> {
        if self.conn.extension_information(damage::X11_EXTENSION_NAME)?.is_none() {
            return Err(DesktopError::Unsupported("the X server has no Damage extension".into()).into());
        }
        let window = u32::try_from(id.0).map_err(|_| DesktopError::WindowGone(id))?;
        let damage = self.conn.generate_id()?;
        let made = self.conn.damage_create(damage, window, ReportLevel::BOUNDING_BOX)?;
        // What is damaged from the start is not news.
        self.conn.damage_subtract(damage, x11rb::NONE, x11rb::NONE)?;
        Ok((id, damage, made))
    }

    /// Until it is ended, or the server is gone.
    fn run(&self) {
        let mut next = Instant::now();
        while let Some(sampled) = self.wanted() {
            let wait = if sampled { next } else { Instant::now() + WAKE };
            let event = {
                let _bound = Bound::until(wait);
                self.conn.wait_for_event().map_err(Fault::from)
            };
            let _bound = Bound::until(Instant::now() + WAKE * 4);
            let done = match event {
                Ok(event) => self.take(event),
                Err(Fault::Late) => Ok(()),
                Err(fault) => Err(fault),
            };
            let sampled = if sampled && Instant::now() >= next {
                next = Instant::now() + SAMPLE;
                self.sample()
            } else {
                Ok(())
            };
            match done.and(sampled) {
                Ok(()) | Err(Fault::Late | Fault::Refused(_)) => {}
                Err(_) => break,
            }
        }
        lock(&self.heard).ended = true;
    }

    /// Waits at rest until somebody listens; whether anybody needs samples. `None` at the end.
    fn wanted(&self) -> Option<bool> {
        let mut heard = lock(&self.heard);
        let (kept, gone) = std::mem::take(&mut heard.listeners).into_iter().partition(|l| l.out.wanted());
        heard.listeners = kept;
        let left: Vec<Listener> = gone;
        let quiet = self.let_go(&mut heard, &left);
        if quiet.is_err() {
            return None;
        }
        while heard.listeners.is_empty() && !heard.ended {
            heard = self.came.wait(heard).unwrap_or_else(PoisonError::into_inner);
        }
        (!heard.ended).then(|| heard.listeners.iter().any(Listener::sampled))
    }

    /// Take back what was asked of the server for those who left.
    fn let_go(&self, heard: &mut Heard, left: &[Listener]) -> Outcome<()> {
        if left.is_empty() {
            return Ok(());
        }
        for damage in left.iter().filter_map(|l| l.damage) {
            self.conn.damage_destroy(damage)?;
        }
        let none = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
        if !heard.listeners.iter().any(Listener::looks) {
            for id in heard.selected.drain().chain([self.root]) {
                self.conn.change_window_attributes(id, &none)?;
            }
        }
        if heard.human && !heard.listeners.iter().any(|l| l.filter.human) {
            heard.human = false;
            self.hear_people(false)?;
        }
        self.conn.flush()?;
        Ok(())
    }

    fn take(&self, first: XEvent) -> Outcome<()> {
        let mut look = self.one(first)?;
        if look {
            thread::sleep(TOGETHER);
        }
        while let Some(event) = self.conn.poll_for_event()? {
            look |= self.one(event)?;
        }
        if look { self.look() } else { Ok(()) }
    }

    /// True when the windows have to be looked at again.
    fn one(&self, event: XEvent) -> Outcome<bool> {
        match event {
            XEvent::DamageNotify(e) => {
                let heard = lock(&self.heard);
                let Some(listener) = heard.listeners.iter().find(|l| l.damage == Some(e.damage)) else { return Ok(false) };
                self.conn.damage_subtract(e.damage, x11rb::NONE, x11rb::NONE)?;
                self.conn.flush()?;
                if let Some(window) = listener.filter.painted {
                    let (x, y, w, h) = (e.area.x, e.area.y, e.area.width, e.area.height);
                    let area = Rect::new(x.into(), y.into(), w.into(), h.into());
                    listener.out.send(Event::Painted { window, area });
                }
            }
            XEvent::XinputRawButtonPress(_) => self.human("button")?,
            XEvent::XinputRawKeyPress(_) => self.human("key")?,
            XEvent::XinputRawMotion(_) => {
                let due = {
                    let mut heard = lock(&self.heard);
                    let due = heard.motion.elapsed() >= MOTION;
                    if due {
                        heard.motion = Instant::now();
                    }
                    due
                };
                if due {
                    self.human("motion")?;
                }
            }
            XEvent::CreateNotify(_)
            | XEvent::DestroyNotify(_)
            | XEvent::MapNotify(_)
            | XEvent::UnmapNotify(_)
            | XEvent::ReparentNotify(_)
            | XEvent::ConfigureNotify(_)
            | XEvent::PropertyNotify(_) => return Ok(lock(&self.heard).listeners.iter().any(Listener::looks)),
            _ => {}
        }
        Ok(false)
    }

    fn human(&self, what: &'static str) -> Outcome<()> {
        if (self.own)().is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        let at = self.conn.query_pointer(self.root)?.reply()?;
        let at = Point::new(at.root_x.into(), at.root_y.into());
        for l in lock(&self.heard).listeners.iter().filter(|l| l.filter.human) {
            l.out.send(Event::HumanInput { at: Some(at), what });
        }
        Ok(())
    }

    /// The windows as they are; changes of all of them are told from now on.
    fn see(&self, heard: &mut Heard) -> Outcome<(Faces, Option<WindowId>)> {
        let ctx = Ctx::lasting(WAKE * 4);
        let listing = self.link.run(&ctx, list::list)?;
        let focus = listing.windows.iter().find(|w| w.focused).map(|w| WindowId(w.id.into()));
        let faces: Faces = listing.windows.iter().map(|w| (w.id, face(w))).collect();
        heard.selected.retain(|id| faces.contains_key(id));
        let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
        for id in faces.keys() {
            if heard.selected.insert(*id) {
                self.conn.change_window_attributes(*id, &ChangeWindowAttributesAux::new().event_mask(mask))?;
            }
        }
        self.conn.flush()?;
        Ok((faces, focus))
    }

    /// Compare the windows with what they were.
    fn look(&self) -> Outcome<()> {
        let mut heard = lock(&self.heard);
        let (faces, focus) = self.see(&mut heard)?;
        let faces = Arc::new(faces);
        for l in heard.listeners.iter_mut().filter(|l| l.looks()) {
            if l.filter.windows {
                tell(&l.out, &l.faces, &faces);
            }
            if l.filter.focus && focus != l.focus {
                l.out.send(Event::FocusMoved(focus));
            }
            (l.faces, l.focus) = (faces.clone(), focus);
        }
        Ok(())
    }

    fn sample(&self) -> Outcome<()> {
        let (pointer, focus) = {
            let heard = lock(&self.heard);
            (heard.listeners.iter().any(|l| l.filter.pointer), heard.listeners.iter().any(|l| l.filter.focus))
        };
        if pointer {
            let at = self.conn.query_pointer(self.root)?.reply()?;
            let at = Point::new(at.root_x.into(), at.root_y.into());
            let agent = self.agent()?;
            for l in lock(&self.heard).listeners.iter_mut().filter(|l| l.filter.pointer) {
                if l.pointer.replace(at) != Some(at) {
                    l.out.send(Event::PointerMoved { at, agent: false });
                }
                let Some(agent) = agent else { continue };
                // Where it lies before it is first used is nothing that happened.
                if l.agent.replace(agent).is_some_and(|before| before != agent) {
                    l.out.send(Event::PointerMoved { at: agent, agent: true });
                }
            }
        }
        if focus {
            let focus = self.conn.get_input_focus()?.reply()?.focus;
            let other = |l: &Listener| l.filter.focus && l.focus.is_none_or(|f| f.0 != u64::from(focus));
            let moved = lock(&self.heard).listeners.iter().any(other);
            if moved {
                return self.look();
            }
        }
        Ok(())
    }

    /// The driver's own pointer, once it has one.
    fn agent(&self) -> Outcome<Option<Point<Screen>>> {
        let device = {
            let mut heard = lock(&self.heard);
            if heard.agent_device.is_none() && heard.agent_sought.elapsed() >= SEEK {
                heard.agent_sought = Instant::now();
                drop(heard);
                let devices = self.conn.xinput_xi_query_device(Device::ALL_MASTER)?.reply().alive()?;
                let found = devices.and_then(|d| d.infos.iter().find(|d| d.name == AGENT).map(|d| d.deviceid));
                heard = lock(&self.heard);
                heard.agent_device = found;
            }
            heard.agent_device
        };
        let Some(device) = device else { return Ok(None) };
        let Some(at) = self.conn.xinput_xi_query_pointer(self.root, device)?.reply().alive()? else {
            lock(&self.heard).agent_device = None;
            return Ok(None);
        };
        Ok(Some(Point::new(at.root_x >> 16, at.root_y >> 16)))
    }
}

/// What differs between two looks at the windows.
fn tell(out: &Out, before: &Faces, now: &Faces) {
    let id = |id: &u32| WindowId((*id).into());
    for (window, face) in before {
        if now.get(window).is_none_or(|f| f.birth != face.birth) {
            out.send(Event::WindowClosed(id(window)));
        }
    }
    for (window, face) in now {
        match before.get(window) {
            Some(was) if was == face => {}
            Some(was) if was.birth == face.birth => out.send(Event::WindowChanged(id(window))),
            _ => out.send(Event::WindowOpened(id(window))),
        }
    }
}

fn long_ago() -> Instant {
    Instant::now().checked_sub(Duration::from_secs(60)).unwrap_or_else(Instant::now)
}

fn face(w: &Raw) -> Face {
    Face {
        birth: w.birth,
        title: w.props.title.clone(),
        bounds: w.bounds,
        shown: w.viewable && w.here,
        minimized: w.minimized,
    }
}
