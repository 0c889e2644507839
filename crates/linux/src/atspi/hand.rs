//! Straight connections to an application, past the bus: one for questions, one for acts.
//!
//! Owns: opening them where they are offered, and giving up those that are blocked. Refuses to
//! own: what is sent.
//!
//! An act can open a dialog that runs its own main loop inside the request. An application of
//! the ATK bridge then answers nothing more on the connection it came by until the dialog ends.
//! Acts therefore go by a connection of their own: it may block, and everything else goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use zbus::connection::Builder;

use super::apps::App;
use super::ask::{APPLICATION, Ask, Ref};
use super::raw::Raw;
use super::wire::{End, Wire, call};
use super::{PATIENCE, bus::Link, detail::Survey};

/// A connection kept from an earlier act that has not answered by then is blocked by it.
const QUICK: Duration = Duration::from_millis(150);

#[derive(Default)]
pub(super) struct Hand {
    /// Asked once; empty where none is offered.
    address: Mutex<Option<String>>,
    free: Mutex<Option<Arc<Wire>>>,
    /// For questions; no act goes by it, so that none ever blocks it.
    eyes: Mutex<Option<Arc<Wire>>>,
}

impl std::fmt::Debug for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hand")
    }
}

/// A connection in use by one act, given back afterwards.
pub(super) struct Held {
    pub wire: Arc<Wire>,
    app: Arc<App>,
    own: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.own && !self.wire.is_closed() {
            *lock(&self.app.hand.free) = Some(self.wire.clone());
        }
    }
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ask these of one object on the connection that the act will then be sent on.
pub(super) async fn prepare(
    link: &Link,
    app: &Arc<App>,
    raw: &mut Raw,
    asks: &[Ask],
    until: Instant,
) -> Result<Held, End> {
    let kept = lock(&app.hand.free).take();
    if let Some(wire) = kept.filter(|w| !w.is_closed()) {
        let quick = until.min(Instant::now() + QUICK);
        // Where it does not answer it is blocked by a dialog that an earlier act opened, and
        // left to that.
        if ask(&wire, raw, asks, quick, QUICK).await == End::Whole {
            return Ok(Held { wire, app: app.clone(), own: true });
        }
    }
    let own = open(link, app, until, PATIENCE).await;
    let held = Held { own: own.is_some(), wire: own.unwrap_or_else(|| link.wire.clone()), app: app.clone() };
    match ask(&held.wire, raw, asks, until, PATIENCE).await {
        End::Whole => Ok(held),
        end => Err(end),
    }
}

async fn ask(wire: &Wire, raw: &mut Raw, asks: &[Ask], until: Instant, patience: Duration) -> End {
    let mut raws = [std::mem::take(raw)];
    let asks: Vec<_> = asks.iter().map(|a| (0, *a)).collect();
    let end = Survey::by(wire, until, patience).ask(&mut raws, &asks).await;
    let [back] = raws;
    *raw = back;
    end
}

/// The straight connection for questions, where the application offers one.
pub(super) async fn eyes(link: &Link, app: &App, until: Instant) -> Option<(Arc<str>, Arc<Wire>)> {
    let open_now = lock(&app.hand.eyes).clone().filter(|w| !w.is_closed());
    let wire = match open_now {
        Some(wire) => wire,
        None => {
            let wire = open(link, app, until, QUICK * 2).await?;
            *lock(&app.hand.eyes) = Some(wire.clone());
            wire
        }
    };
    Some((app.bus.clone(), wire))
}

async fn open(link: &Link, app: &App, until: Instant, patience: Duration) -> Option<Arc<Wire>> {
    let address = address(link, app, until).await?;
    let conn = timeout(patience, Builder::address(address.as_str()).p2p().build()).await.ok()?.ok()?;
    Some(Wire::new(conn, link.wire.counter()))
}

async fn address(link: &Link, app: &App, until: Instant) -> Option<String> {
    if let Some(known) = lock(&app.hand.address).clone() {
        return Some(known).filter(|a| !a.is_empty());
    }
    let root = Ref { bus: app.bus.clone(), path: app.root.clone() };
    let m = call(&root.bus, &root.path, APPLICATION, "GetApplicationBusAddress", &())?;
    let (answer, _) = link.wire.one(m, until, PATIENCE).await;
    let found = match answer? {
        Ok(m) => m.body().deserialize::<String>().unwrap_or_default(),
        Err(_) => String::new(),
    };
    *lock(&app.hand.address) = Some(found.clone());
    Some(found).filter(|a| !a.is_empty())
}
