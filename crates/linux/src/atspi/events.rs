//! Changes of objects, as applications tell of them.
//!
//! Owns: registering for events while somebody listens. Refuses to own: what a change means.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Event, Events, Pid, Result};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use zbus::Message;

use super::PATIENCE;
use super::ask::Ref;
use super::bus::{Bus, DBUS, DBUS_PATH, Link, register};
use super::wire::{call, order};

/// Events that are kept for a listener who does not come for them.
const KEPT: usize = 1024;
const EVENTS: [&str; 10] = [
    "object:state-changed",
    "object:text-changed",
    "object:property-change",
    "object:selection-changed",
    "object:visible-data-changed",
    "object:text-caret-moved",
    "object:active-descendant-changed",
    "window:create",
    "window:destroy",
    "document:load-complete",
];
const RULES: [&str; 3] = [
    "type='signal',interface='org.a11y.atspi.Event.Object'",
    "type='signal',interface='org.a11y.atspi.Event.Window'",
    "type='signal',interface='org.a11y.atspi.Event.Document'",
];

/// Who listens on one connection.
#[derive(Default)]
pub(super) struct Ears(AtomicUsize);

struct Listening {
    link: Arc<Link>,
    handle: Handle,
    id: u64,
    lost: Arc<AtomicBool>,
    events: Receiver<Event>,
}

pub(super) async fn listen(bus: &Bus, handle: Handle, ctx: &Ctx, pid: Option<Pid>) -> Result<Box<dyn Events>> {
    let pid = pid.filter(|p| p.0 != 0);
    let link = bus.link().await?;
    let (to, from) = unbounded_channel();
    let id = link.wire.listen(to);
    if link.ears.0.fetch_add(1, Ordering::AcqRel) == 0 {
        let asked = RULES.iter().filter_map(|r| call(DBUS, DBUS_PATH, DBUS, "AddMatch", &(*r,)));
        let asked = asked.chain(EVENTS.iter().filter_map(|e| register("RegisterEvent", e)));
        let round = link.wire.round(asked.collect(), ctx.deadline, PATIENCE).await;
        if round.answers.iter().any(Option::is_none) {
            close(&link, id).await;
            return Err(DesktopError::NoAccessibility("the accessibility registry does not answer".into()));
        }
    }
    let (tell, events) = sync_channel(KEPT);
    let lost = Arc::new(AtomicBool::new(false));
    handle.spawn(sort(from, tell, lost.clone(), pid, link.clone()));
    Ok(Box::new(Listening { link, handle, id, lost, events }))
}

async fn sort(
    mut from: UnboundedReceiver<Message>,
    tell: SyncSender<Event>,
    lost: Arc<AtomicBool>,
    pid: Option<Pid>,
    link: Arc<Link>,
) {
    let mut wanted: HashMap<String, bool> = HashMap::new();
    while let Some(m) = from.recv().await {
        let header = m.header();
        if !header.interface().is_some_and(|i| i.as_str().starts_with("org.a11y.atspi.Event.")) {
            continue;
        }
        let (Some(sender), Some(path)) = (header.sender(), header.path()) else { continue };
        if let Some(pid) = pid {
            if !wanted.contains_key(sender.as_str()) {
                let app = link.apps.by_name(&link.wire, sender.as_str(), Instant::now() + PATIENCE).await;
                wanted.insert(sender.as_str().into(), app.is_ok_and(|a| a.pid == pid));
            }
            if wanted.get(sender.as_str()) != Some(&true) {
                continue;
            }
        }
        let key = Ref { bus: sender.as_str().into(), path: path.as_str().into() }.key(link.epoch);
        if tell.try_send(Event::NodeChanged { pid, node: Some(key) }).is_err() {
            lost.store(true, Ordering::Release);
        }
    }
}

/// The last listener takes back what the first one asked for.
async fn close(link: &Link, id: u64) {
    link.wire.unlisten(id);
    if link.ears.0.fetch_sub(1, Ordering::AcqRel) == 1 {
        let rules = RULES.iter().filter_map(|r| order(DBUS, DBUS_PATH, DBUS, "RemoveMatch", &(*r,)));
        for m in rules.chain(EVENTS.iter().filter_map(|e| register("DeregisterEvent", e))) {
            link.wire.post(&m).await;
        }
    }
}

impl Events for Listening {
    fn next(&mut self, time: Duration) -> Option<Event> {
        if self.lost.swap(false, Ordering::AcqRel) {
            return Some(Event::Lost);
        }
        let until = Instant::now() + time;
        let event = self.events.recv_timeout(time).ok();
        if event.is_none() && self.link.wire.is_closed() {
            // Nothing will come any more: do not let the caller spin.
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
        event
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let (link, id) = (self.link.clone(), self.id);
        self.handle.spawn(async move { close(&link, id).await });
    }
}
