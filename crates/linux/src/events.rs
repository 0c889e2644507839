//! What happens on the desktop by itself, as one stream.
//!
//! Owns: a connection and a thread for each subscription, ended when it is dropped. Refuses to
//! own: keeping anything between two subscriptions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Event, EventFilter, Events, Point, Result, Screen, WindowId};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xinput::{self, ConnectionExt as _, Device, XIEventMask};
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask};
use x11rb::protocol::{Event as XEvent, xfixes::ConnectionExt as _};

use crate::x11::fault::{Alive, Fault, Outcome};
use crate::x11::link::{Conn, Link, connect};
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

/// Listen. `nodes` are tree changes, told by accessibility and merged into the same stream.
pub fn listen(
    ctx: &Ctx,
    link: &Arc<Link>,
    filter: EventFilter,
    nodes: Option<Box<dyn Events>>,
    own: OwnInput,
) -> Result<Box<dyn Events>> {
    let (to, events) = mpsc::sync_channel(ROOM);
    let ended = Arc::new(AtomicBool::new(false));
    let out = Out { to, lost: Arc::default(), ended: ended.clone() };
    let fail = |e: std::io::Error| DesktopError::System(e.to_string());
    if let Some(mut nodes) = nodes {
        let out = out.clone();
        let pass = move || {
            while out.wanted() {
                if let Some(event) = nodes.next(WAKE) {
                    out.send(event);
                }
            }
        };
        thread::Builder::new().name("events-nodes".into()).spawn(pass).map_err(fail)?;
    }
    if filter.windows || filter.focus || filter.painted.is_some() || filter.human || filter.pointer {
        let _bound = Bound::until(ctx.deadline);
        let watch = Watch::open(link, filter, out, own)?;
        thread::Builder::new().name("events-x11".into()).spawn(move || watch.run()).map_err(fail)?;
    }
    Ok(Box::new(Stream { events, ended }))
}

/// What a window was like when it was last looked at.
#[derive(Clone, PartialEq)]
struct Face {
    birth: u64,
    title: String,
    bounds: desktop::Rect<Screen>,
    shown: bool,
    minimized: bool,
}

struct Watch {
    link: Arc<Link>,
    conn: Conn,
    root: u32,
    filter: EventFilter,
    out: Out,
    own: OwnInput,
    faces: HashMap<u32, Face>,
    focus: Option<WindowId>,
    pointer: Option<Point<Screen>>,
    agent: Option<Point<Screen>>,
    agent_device: Option<u16>,
    agent_sought: Instant,
    motion: Instant,
}

impl Watch {
    fn open(link: &Arc<Link>, filter: EventFilter, out: Out, own: OwnInput) -> Result<Self> {
        let display = link.display().ok_or_else(|| DesktopError::NoDisplay("DISPLAY is not set".into()))?;
        let (conn, screen) = connect(display).map_err(DesktopError::from)?;
        let root = conn.setup().roots[screen].root;
        let mut watch = Self {
            link: link.clone(),
            conn,
            root,
            filter,
            out,
            own,
            faces: HashMap::new(),
            focus: None,
            pointer: None,
            agent: None,
            agent_device: None,
            agent_sought: long_ago(),
            motion: long_ago(),
        };
        watch.select().map_err(DesktopError::from)?;
        Ok(watch)
    }

    fn select(&mut self) -> Outcome<()> {
        if self.filter.windows || self.filter.focus {
            let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
            self.conn.change_window_attributes(self.root, &ChangeWindowAttributesAux::new().event_mask(mask))?;
            self.look(false)?;
        }
        if self.filter.human {
            self.conn.xinput_xi_query_version(2, 2)?.reply()?;
            let keys = XIEventMask::RAW_KEY_PRESS;
            let pointing = XIEventMask::RAW_BUTTON_PRESS | XIEventMask::RAW_MOTION;
            let masks = [(PERSON_POINTER, pointing), (PERSON_KEYBOARD, keys)].map(|(deviceid, mask)| xinput::EventMask {
                deviceid,
                mask: vec![mask],
            });
            self.conn.xinput_xi_select_events(self.root, &masks)?;
        }
        if let Some(id) = self.filter.painted {
            self.damage(id)?;
        }
        self.conn.get_input_focus()?.reply()?;
        Ok(())
    }

    fn damage(&self, id: WindowId) -> Outcome<()> {
        if self.conn.extension_information(damage::X11_EXTENSION_NAME)?.is_none() {
            return Err(DesktopError::Unsupported("the X server has no Damage extension".into()).into());
        }
        let window = u32::try_from(id.0).map_err(|_| DesktopError::WindowGone(id))?;
        self.conn.xfixes_query_version(5, 0)?.reply()?;
        self.conn.damage_query_version(1, 1)?.reply()?;
        let damage = self.conn.generate_id()?;
        let made = self.conn.damage_create(damage, window, ReportLevel::NON_EMPTY)?;
        if made.check().alive()?.is_none() {
            return Err(DesktopError::WindowGone(id).into());
        }
        // What is damaged from the start is not news.
        self.conn.damage_subtract(damage, x11rb::NONE, x11rb::NONE)?;
        Ok(())
    }

    /// Until it is not wanted, or the server is gone.
    fn run(mut self) {
        let sampled = self.filter.pointer || self.filter.focus;
        let mut next = Instant::now();
        while self.out.wanted() {
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
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, first: XEvent) -> Outcome<()> {
        let mut look = self.one(first)?;
        if look {
            thread::sleep(TOGETHER);
        }
        while let Some(event) = self.conn.poll_for_event()? {
            look |= self.one(event)?;
        }
        if look { self.look(true) } else { Ok(()) }
    }

    /// True when the windows have to be looked at again.
    fn one(&mut self, event: XEvent) -> Outcome<bool> {
        match event {
            XEvent::DamageNotify(e) => {
                self.conn.damage_subtract(e.damage, x11rb::NONE, x11rb::NONE)?;
                self.conn.flush()?;
                if let Some(id) = self.filter.painted {
                    self.out.send(Event::Painted(id));
                }
            }
            XEvent::XinputRawButtonPress(_) => self.human("button")?,
            XEvent::XinputRawKeyPress(_) => self.human("key")?,
            XEvent::XinputRawMotion(_) if self.motion.elapsed() >= MOTION => {
                self.motion = Instant::now();
                self.human("motion")?;
            }
            XEvent::CreateNotify(_)
            | XEvent::DestroyNotify(_)
            | XEvent::MapNotify(_)
            | XEvent::UnmapNotify(_)
            | XEvent::ReparentNotify(_)
            | XEvent::ConfigureNotify(_)
            | XEvent::PropertyNotify(_) => return Ok(self.filter.windows || self.filter.focus),
            _ => {}
        }
        Ok(false)
    }

    fn human(&mut self, what: &'static str) -> Outcome<()> {
        if (self.own)().is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        let at = self.conn.query_pointer(self.root)?.reply()?;
        let at = Point::new(at.root_x.into(), at.root_y.into());
        self.out.send(Event::HumanInput { at: Some(at), what });
        Ok(())
    }

    /// Compare the windows with what they were.
    fn look(&mut self, tell: bool) -> Outcome<()> {
        let ctx = Ctx::lasting(WAKE * 4);
        let listing = self.link.run(&ctx, list::list)?;
        let focus = listing.windows.iter().find(|w| w.focused).map(|w| WindowId(w.id.into()));
        let now: HashMap<u32, Face> = listing.windows.iter().map(|w| (w.id, face(w))).collect();
        for id in now.keys().filter(|id| !self.faces.contains_key(id)) {
            let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
            self.conn.change_window_attributes(*id, &ChangeWindowAttributesAux::new().event_mask(mask))?;
        }
        self.conn.flush()?;
        if tell && self.filter.windows {
            self.tell(&now);
        }
        if tell && self.filter.focus && focus != self.focus {
            self.out.send(Event::FocusMoved(focus));
        }
        self.focus = focus;
        self.faces = now;
        Ok(())
    }

    fn tell(&self, now: &HashMap<u32, Face>) {
        let id = |id: &u32| WindowId((*id).into());
        for (window, before) in &self.faces {
            if now.get(window).is_none_or(|f| f.birth != before.birth) {
                self.out.send(Event::WindowClosed(id(window)));
            }
        }
        for (window, face) in now {
            match self.faces.get(window) {
                Some(before) if before == face => {}
                Some(before) if before.birth == face.birth => self.out.send(Event::WindowChanged(id(window))),
                _ => self.out.send(Event::WindowOpened(id(window))),
            }
        }
    }

    fn sample(&mut self) -> Outcome<()> {
        if self.filter.pointer {
            let at = self.conn.query_pointer(self.root)?.reply()?;
            let at = Point::new(at.root_x.into(), at.root_y.into());
            if self.pointer.replace(at) != Some(at) {
                self.out.send(Event::PointerMoved { at, agent: false });
            }
            self.sample_agent()?;
        }
        if self.filter.focus {
            let focus = self.conn.get_input_focus()?.reply()?.focus;
            let same = self.focus.is_some_and(|f| f.0 == u64::from(focus));
            if !same {
                return self.look(true);
            }
        }
        Ok(())
    }

    /// The driver's own pointer, once it has one.
    fn sample_agent(&mut self) -> Outcome<()> {
        let Some(device) = self.agent_device else { return self.find_agent() };
        let Some(at) = self.conn.xinput_xi_query_pointer(self.root, device)?.reply().alive()? else {
            self.agent_device = None;
            return Ok(());
        };
        let at = Point::new(at.root_x >> 16, at.root_y >> 16);
        // Where it lies before it is first used is nothing that happened.
        if self.agent.replace(at).is_some_and(|before| before != at) {
            self.out.send(Event::PointerMoved { at, agent: true });
        }
        Ok(())
    }

    fn find_agent(&mut self) -> Outcome<()> {
        if self.agent_sought.elapsed() < SEEK {
            return Ok(());
        }
        self.agent_sought = Instant::now();
        let Some(devices) = self.conn.xinput_xi_query_device(Device::ALL_MASTER)?.reply().alive()? else { return Ok(()) };
        self.agent_device = devices.infos.iter().find(|d| d.name == AGENT).map(|d| d.deviceid);
        Ok(())
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
