//! Finding the accessibility bus and keeping a connection to it.
//!
//! Owns: where the bus is, connecting, reconnecting. Refuses to own: starting a bus, and any
//! session-wide switch: they stay as they were found.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use desktop::{DesktopError, Result};
use tokio::time::timeout;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};
use zbus::connection::Builder;
use zbus::{Connection, Message};

use super::apps::Apps;
use super::events::{Ears, dismiss};
use super::wire::{Wire, call};

/// A bus that has not answered by then is taken for not there.
const PATIENCE: Duration = Duration::from_millis(900);
/// After a failure the next attempt is not made sooner.
const PAUSE: Duration = Duration::from_millis(400);
/// The main queue of the connection; a large one lets a burst of replies be read at once.
const QUEUE: std::num::NonZeroUsize = std::num::NonZeroUsize::new(2048).expect("not zero");

pub(super) const DBUS: &str = "org.freedesktop.DBus";
pub(super) const DBUS_PATH: &str = "/org/freedesktop/DBus";
pub(super) const REGISTRY: &str = "org.a11y.atspi.Registry";
pub(super) const REGISTRY_PATH: &str = "/org/a11y/atspi/registry";

/// Where to look for the accessibility bus.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Address of the session bus.
    pub session_bus: Option<String>,
    /// Address of the accessibility bus itself; asked before the session bus.
    pub a11y_bus: Option<String>,
    /// The X display whose root may carry the address.
    pub display: Option<String>,
}

impl Surroundings {
    /// What the environment of this process says.
    pub fn of_process() -> Self {
        let var = |n: &str| std::env::var(n).ok().filter(|v| !v.is_empty());
        let run = || {
            let path = format!("{}/bus", var("XDG_RUNTIME_DIR")?);
            std::path::Path::new(&path).exists().then(|| format!("unix:path={path}"))
        };
        Self {
            session_bus: var("DBUS_SESSION_BUS_ADDRESS").or_else(run),
            a11y_bus: var("AT_SPI_BUS_ADDRESS"),
            display: var("DISPLAY"),
        }
    }
}

/// A connection and what is known of the applications on it.
pub(super) struct Link {
    pub wire: Arc<Wire>,
    pub apps: Apps,
    pub ears: Ears,
    /// How many buses there were before this one.
    pub epoch: u32,
}

enum State {
    Down,
    Up(Arc<Link>),
    Failed(Instant, String),
}

pub(super) struct Bus {
    around: Surroundings,
    state: tokio::sync::Mutex<State>,
    calls: Arc<AtomicU64>,
    /// Connections made so far.
    made: AtomicU32,
}

impl Bus {
    pub fn new(around: Surroundings) -> Self {
        Self { around, state: tokio::sync::Mutex::new(State::Down), calls: Arc::default(), made: AtomicU32::new(0) }
    }

    /// The display that the windows are on.
    pub fn display(&self) -> Option<&str> {
        self.around.display.as_deref()
    }

    /// Calls sent so far, on all connections.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The live connection, made now if there is none.
    pub async fn link(&self) -> Result<Arc<Link>> {
        let mut state = self.state.lock().await;
        match &*state {
            State::Up(link) if !link.wire.is_closed() => return Ok(link.clone()),
            State::Failed(at, why) if at.elapsed() < PAUSE => {
                return Err(DesktopError::NoAccessibility(why.clone()));
            }
            _ => {}
        }
        let made = match timeout(PATIENCE, self.connect()).await {
            Ok(made) => made,
            Err(_) => Err("the bus does not answer".into()),
        };
        match made {
            Ok(link) => {
                *state = State::Up(link.clone());
                Ok(link)
            }
            Err(why) => {
                *state = State::Failed(Instant::now(), why.clone());
                Err(DesktopError::NoAccessibility(why))
            }
        }
    }

    async fn connect(&self) -> std::result::Result<Arc<Link>, String> {
        let address = self.address().await?;
        let conn = open(&address).await?;
        let wire = Wire::new(conn, self.calls.clone());
        // GTK 3 answers Cache.GetItems only once somebody listens to changes of children.
        if let Some(m) = register("object:children-changed") {
            wire.post(&m).await;
        }
        let link = Arc::new(Link {
            wire,
            apps: Apps::default(),
            ears: Ears::default(),
            epoch: self.made.fetch_add(1, Ordering::Relaxed),
        });
        let weak = Arc::downgrade(&link);
        link.wire.tap(move |m| {
            let Some(link) = weak.upgrade() else { return };
            if let Some(bus) = link.apps.note(m) {
                tokio::spawn(async move { dismiss(&link, &bus).await });
            }
        });
        Ok(link)
    }

    async fn address(&self) -> std::result::Result<String, String> {
        if let Some(a) = &self.around.a11y_bus {
            return Ok(a.clone());
        }
        if let Some(session) = &self.around.session_bus {
            return ask_session(session).await;
        }
        match &self.around.display {
            Some(display) => {
                let display = display.clone();
                tokio::task::spawn_blocking(move || root_property(&display))
                    .await
                    .ok()
                    .flatten()
                    .ok_or_else(|| "no session bus, and the display names no accessibility bus".to_string())
            }
            None => Err("DBUS_SESSION_BUS_ADDRESS is not set".into()),
        }
    }
}

/// Have all applications tell of an event.
pub(super) fn register(event: &str) -> Option<Message> {
    call(REGISTRY, REGISTRY_PATH, REGISTRY, "RegisterEvent", &(event, Vec::<&str>::new(), ""))
}

async fn open(address: &str) -> std::result::Result<Connection, String> {
    Builder::address(address).max_queued(QUEUE).build().await.map_err(|e| e.to_string())
}

/// The session bus is asked whether the accessibility bus is there before that is spoken to:
/// a message to its name would start a second launcher.
async fn ask_session(address: &str) -> std::result::Result<String, String> {
    let conn = open(address).await.map_err(|e| format!("session bus: {e}"))?;
    let wire = Wire::new(conn, Arc::default());
    let until = Instant::now() + PATIENCE;
    let ask = |m: Option<Message>| async {
        let (answer, _) = wire.one(m?, until, PATIENCE).await;
        answer?.ok()
    };
    let owned = ask(call(DBUS, DBUS_PATH, DBUS, "NameHasOwner", &("org.a11y.Bus",)))
        .await
        .and_then(|m| m.body().deserialize::<bool>().ok());
    match owned {
        Some(true) => {}
        Some(false) => return Err("org.a11y.Bus is not on the session bus".into()),
        None => return Err("the session bus does not answer".into()),
    }
    ask(call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", &()))
        .await
        .and_then(|m| m.body().deserialize::<String>().ok())
        .filter(|a| !a.is_empty())
        .ok_or_else(|| "org.a11y.Bus gave no address".into())
}

/// `AT_SPI_BUS` of the root window.
fn root_property(display: &str) -> Option<String> {
    let (conn, screen) = x11rb::connect(Some(display)).ok()?;
    let root = conn.setup().roots.get(screen)?.root;
    let atom = conn.intern_atom(true, b"AT_SPI_BUS").ok()?.reply().ok()?.atom;
    let value = conn.get_property(false, root, atom, AtomEnum::STRING, 0, 1024).ok()?.reply().ok()?.value;
    String::from_utf8(value).ok().filter(|a| !a.is_empty())
}
