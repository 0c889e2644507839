//! The connection that everything but events and the clipboard shares.
//!
//! Owns: connecting, noticing that the server is gone, connecting again (at most once a second).
//! Refuses to own: any request beyond those that set the connection up.

use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::composite::{self, ConnectionExt as _};
use x11rb::protocol::randr::{self, ConnectionExt as _};
use x11rb::protocol::res::{self, ConnectionExt as _};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, WindowClass};
use x11rb::reexports::x11rb_protocol::{parse_display, xauth};
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::atoms::Atoms;
use super::capture::Segment;
use super::fault::{Fault, Outcome};
use super::list;
use super::stream::{Bound, Bounded};
use super::track::Track;

pub type Conn = RustConnection<Bounded>;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_millis(900);
/// Time between two attempts after one that failed.
const AGAIN: Duration = Duration::from_secs(1);

/// What this server can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extensions {
    pub composite: bool,
    /// MIT-SHM that takes file descriptors.
    pub shm: bool,
    pub randr: bool,
    /// X-Resource that names the pids of clients.
    pub res: bool,
}

/// A live connection and what is known over it.
pub struct X {
    /// Tells this connection from earlier and later ones.
    pub number: u64,
    pub conn: Conn,
    pub screen: usize,
    pub root: u32,
    /// A window of ours that is never shown.
    pub own: u32,
    pub atoms: Atoms,
    pub has: Extensions,
    /// When windows began to be drawn off-screen; older pictures of covered windows are not true.
    pub redirected: Instant,
    pub track: Mutex<Track>,
    pub segment: Mutex<Option<Segment>>,
}

struct State {
    x: Option<Arc<X>>,
    tried: Option<Instant>,
    why: String,
    made: u64,
}

/// The way to the X server, which may be up or down.
pub struct Link {
    display: Option<String>,
    state: Mutex<State>,
}

impl Link {
    pub fn new(display: Option<String>) -> Self {
        Self { display, state: Mutex::new(State { x: None, tried: None, why: String::new(), made: 0 }) }
    }

    pub fn display(&self) -> Option<&str> {
        self.display.as_deref()
    }

    /// The live connection, made when needed. `NoDisplay` with the reason where there is none.
    pub fn x(&self) -> desktop::Result<Arc<X>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(x) = &state.x {
            // Reading what is there is the cheapest way to notice that the server hung up.
            let dead = x.track.try_lock().is_ok_and(|mut t| t.drain(&x.conn).is_err());
            if !dead && !x.conn.stream().broken() {
                return Ok(x.clone());
            }
            state.x = None;
        }
        if state.tried.is_some_and(|at| at.elapsed() < AGAIN) && !state.why.is_empty() {
            return Err(DesktopError::NoDisplay(state.why.clone()));
        }
        let Some(display) = &self.display else {
            return Err(DesktopError::NoDisplay("DISPLAY is not set".into()));
        };
        let made = set_up(display);
        state.tried = Some(Instant::now());
        match made {
            Ok(x) => {
                state.why.clear();
                state.made += 1;
                let x = Arc::new(X { number: state.made, ..x });
                state.x = Some(x.clone());
                Ok(x)
            }
            Err(fault) => {
                state.why = format!("{display}: {}", reason(&fault).trim());
                Err(DesktopError::NoDisplay(state.why.clone()))
            }
        }
    }

    /// Take events off the wire when nobody else does.
    pub fn idle(&self) {
        let x = lock(&self.state).x.clone();
        if let Some(x) = x
            && let Ok(mut track) = x.track.try_lock()
        {
            // A dead wire is found out, and said, by the next call.
            let _ = track.drain(&x.conn);
        }
    }

    /// Run requests within the bound of the call.
    pub fn run<T>(&self, ctx: &Ctx, work: impl FnOnce(&X) -> Outcome<T>) -> desktop::Result<T> {
        ctx.check()?;
        let _bound = Bound::until(ctx.deadline);
        let x = self.x()?;
        work(&x).map_err(|fault| match fault {
            Fault::Late if ctx.left().is_zero() => DesktopError::Timeout,
            fault => fault.into(),
        })
    }
}

/// A lock that a panic elsewhere does not poison for good.
pub fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reason(fault: &Fault) -> String {
    match fault {
        Fault::Lost(why) => why.clone(),
        Fault::Late => "the X server does not answer".into(),
        Fault::Refused(kind) => format!("the X server refused: {kind:?}"),
        Fault::Said(e) => e.to_string(),
    }
}

/// A new connection to the server, or why not, within a second.
pub fn connect(display: &str) -> Outcome<(Conn, usize)> {
    let (tell, told) = mpsc::sync_channel(1);
    let name = display.to_owned();
    // A name that resolves slowly or a host that drops packets would block past any bound.
    std::thread::Builder::new()
        .name("x11-connect".into())
        .spawn(move || {
            let _bound = Bound::until(Instant::now() + CONNECT);
            let _ = tell.send(dial(&name));
        })
        .map_err(|e| Fault::Lost(e.to_string()))?;
    match told.recv_timeout(CONNECT) {
        Ok(made) => made,
        Err(_) => Err(Fault::Late),
    }
}

fn dial(display: &str) -> Outcome<(Conn, usize)> {
    let parsed = parse_display::parse_display(Some(display))
        .map_err(|_| Fault::Lost(format!("{display:?} is not the name of a display")))?;
    let mut last = Fault::Lost("no such display".into());
    for address in parsed.connect_instruction() {
        let (stream, (family, peer)) = match DefaultStream::connect(&address) {
            Ok(made) => made,
            Err(e) => {
                last = Fault::Lost(format!("cannot connect ({e})"));
                continue;
            }
        };
        let (name, data) = xauth::get_auth(family, &peer, parsed.display).unwrap_or(None).unwrap_or_default();
        let screen = usize::from(parsed.screen);
        let conn = RustConnection::connect_to_stream_with_auth_info(Bounded::new(stream), screen, name, data)?;
        return Ok((conn, screen));
    }
    Err(last)
}

fn set_up(display: &str) -> Outcome<X> {
    let _bound = Bound::until(Instant::now() + CONNECT);
    let (conn, screen) = connect(display)?;
    let root = conn.setup().roots[screen].root;
    let atoms = Atoms::new(&conn)?;
    let has = extensions(&conn, is_local(display))?;
    let atoms = atoms.reply()?;
    conn.change_window_attributes(
        root,
        &ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE),
    )?;
    if has.composite {
        // Windows are drawn into pixmaps of their own from now on, so that covered ones have pixels.
        composite::redirect_subwindows(&conn, root, composite::Redirect::AUTOMATIC)?;
    }
    let own = conn.generate_id()?;
    conn.create_window(
        0,
        own,
        root,
        -10,
        -10,
        1,
        1,
        0,
        WindowClass::INPUT_ONLY,
        x11rb::COPY_FROM_PARENT,
        &CreateWindowAux::new().override_redirect(1).event_mask(EventMask::PROPERTY_CHANGE),
    )?;
    conn.get_input_focus()?.reply()?;
    Ok(X {
        number: 0,
        conn,
        screen,
        root,
        own,
        atoms,
        has,
        redirected: Instant::now(),
        track: Mutex::new(Track::new(list::read(&atoms))),
        segment: Mutex::new(None),
    })
}

/// Whether descriptors can be passed to the server.
fn is_local(display: &str) -> bool {
    display.starts_with([':', '/']) || display.starts_with("unix")
}

fn extensions(conn: &Conn, local: bool) -> Outcome<Extensions> {
    for name in [composite::X11_EXTENSION_NAME, shm::X11_EXTENSION_NAME, randr::X11_EXTENSION_NAME, res::X11_EXTENSION_NAME] {
        conn.prefetch_extension_information(name)?;
    }
    let there = |name| Ok::<_, Fault>(conn.extension_information(name)?.is_some());
    let mut has = Extensions::default();
    if there(composite::X11_EXTENSION_NAME)? {
        let v = conn.composite_query_version(0, 4)?.reply()?;
        has.composite = (v.major_version, v.minor_version) >= (0, 2);
    }
    if local && there(shm::X11_EXTENSION_NAME)? {
        let v = conn.shm_query_version()?.reply()?;
        has.shm = (v.major_version, v.minor_version) >= (1, 2);
    }
    if there(randr::X11_EXTENSION_NAME)? {
        let v = conn.randr_query_version(1, 5)?.reply()?;
        has.randr = (v.major_version, v.minor_version) >= (1, 5);
    }
    if there(res::X11_EXTENSION_NAME)? {
        let v = conn.res_query_version(1, 2)?.reply()?;
        has.res = (v.server_major, v.server_minor) >= (1, 2);
    }
    Ok(has)
}
