//! Changes of objects, as applications tell of them.
//!
//! Owns: having applications tell of changes, and who hears of them. Refuses to own: what a change
//! means.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Event, Events, Pid, Result};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use zbus::Message;

use super::PATIENCE;
use super::apps::App;
use super::ask::{Ask, Ref};
use super::bus::{Bus, DBUS, DBUS_PATH, Link, REGISTRY, REGISTRY_PATH, register};
use super::told::{Mark, Passing, passing};
use super::wire::call;

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
/// Kinds of signals that tell of changes.
const FACES: [&str; 3] =
    ["org.a11y.atspi.Event.Object", "org.a11y.atspi.Event.Window", "org.a11y.atspi.Event.Document"];

/// Who listens on one connection.
#[derive(Default)]
pub(super) struct Ears {
    wide: AtomicUsize,
    /// Applications were asked to tell of changes; they do so as long as the connection lives.
    asked: OnceCell<()>,
    /// One application at a time.
    attending: tokio::sync::Mutex<()>,
}

struct Listening {
    link: Arc<Link>,
    handle: Handle,
    id: u64,
    /// The bus was asked for the signals of all applications.
    wide: bool,
    pid: Option<Pid>,
    lost: Arc<AtomicBool>,
    events: Receiver<Event>,
}

fn rule(face: &str, sender: Option<&str>) -> String {
    let from = sender.map(|s| format!(",sender='{s}'")).unwrap_or_default();
    format!("type='signal',interface='{face}'{from}")
}

fn rules(member: &str, sender: Option<&str>) -> Vec<Message> {
    FACES.iter().filter_map(|f| call(DBUS, DBUS_PATH, DBUS, member, &(rule(f, sender),))).collect()
}

async fn silent(link: &Link, messages: Vec<Message>, until: Instant) -> bool {
    link.wire.round(messages, until, PATIENCE).await.answers.iter().any(Option::is_none)
}

/// Have applications tell of changes. When this is done they were told so: whatever is sent to
/// them from now on comes later.
async fn ask(link: &Link, until: Instant) -> Result<()> {
    let asked = || async {
        // The last question makes sure that the ones before were taken and passed on.
        let last = call(REGISTRY, REGISTRY_PATH, REGISTRY, "GetRegisteredEvents", &());
        let all = EVENTS.iter().filter_map(|e| register(e)).chain(last).collect();
        if silent(link, all, until).await {
            return Err(DesktopError::NoAccessibility("the accessibility registry does not answer".into()));
        }
        Ok(())
    };
    link.ears.asked.get_or_try_init(asked).await.map(drop)
}

/// Listen to one application, so that `App::told` misses nothing. The mark is of now, or there
/// is none where it cannot be listened to.
pub(super) async fn attend(link: &Link, app: &App, until: Instant) -> Option<Mark> {
    if let Some(mark) = app.told.mark() {
        return Some(mark);
    }
    let _one = link.ears.attending.lock().await;
    if let Some(mark) = app.told.mark() {
        return Some(mark);
    }
    ask(link, until).await.ok()?;
    if silent(link, rules("AddMatch", Some(&app.bus)), until).await {
        return None;
    }
    // Only what it answers after it was asked to tell makes it known that it does.
    let root = Ref { bus: app.bus.clone(), path: app.root.clone() };
    let (answer, _) = link.wire.one(Ask::State.message(&root)?, until, PATIENCE).await;
    answer?.ok()?;
    app.told.begin();
    app.told.mark()
}

/// Attend the applications of a process that no tree was asked of.
async fn meet(link: &Link, pid: Pid) {
    let until = Instant::now() + PATIENCE;
    let mut apps = link.apps.met(pid);
    if apps.is_empty() {
        apps = link.apps.of(&link.wire, pid, until).await.unwrap_or_default();
    }
    for app in apps.iter().filter(|a| a.told.mark().is_none()) {
        if app.learn(&link.wire, until).await.is_ok() {
            attend(link, app, until).await;
        }
    }
}

/// Signals of one application are of no use any more.
pub(super) async fn dismiss(link: &Link, bus: &str) {
    for m in rules("RemoveMatch", Some(bus)) {
        link.wire.post(&m).await;
    }
}

pub(super) async fn listen(bus: &Bus, handle: Handle, ctx: &Ctx, pid: Option<Pid>) -> Result<Box<dyn Events>> {
    let pid = pid.filter(|p| p.0 != 0);
    let link = bus.link().await?;
    ask(&link, ctx.deadline).await?;
    let (to, from) = unbounded_channel();
    let id = link.wire.listen(to);
    // Signals of an application that is attended come already.
    let met = pid.map(|p| link.apps.met(p)).unwrap_or_default();
    let wide = met.is_empty() || met.iter().any(|a| a.told.mark().is_none());
    if wide
        && link.ears.wide.fetch_add(1, Ordering::AcqRel) == 0
        && silent(&link, rules("AddMatch", None), ctx.deadline).await
    {
        close(&link, id, wide).await;
        return Err(DesktopError::NoAccessibility("the bus does not answer".into()));
    }
    let (tell, events) = sync_channel(KEPT);
    let lost = Arc::new(AtomicBool::new(false));
    if met.is_empty() {
        let _ = tell.try_send(Event::Unwatched { pid });
    }
    for app in &met {
        let restless = app.told.restless();
        if !restless.known {
            let _ = tell.try_send(Event::Unwatched { pid });
        }
        app.told.act_begins(app.kit().late());
        let named = restless.objects.into_iter().map(|path| Some(Ref { bus: app.bus.clone(), path }.key(link.epoch)));
        for node in named.chain(restless.others.then_some(None)) {
            let _ = tell.try_send(Event::Restless { pid, node });
        }
    }
    handle.spawn(sort(from, tell, lost.clone(), pid, link.clone()));
    Ok(Box::new(Listening { link, handle, id, wide, pid, lost, events }))
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
        let passing = passing(&m);
        if passing == Some(Passing::Element) {
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
        let event = match passing {
            Some(_) => Event::Activated { pid },
            None => Event::NodeChanged { pid, node: Some(key) },
        };
        if tell.try_send(event).is_err() {
            lost.store(true, Ordering::Release);
        }
    }
}

/// The last listener takes back what the first one asked the bus for.
async fn close(link: &Link, id: u64, wide: bool) {
    link.wire.unlisten(id);
    if wide && link.ears.wide.fetch_sub(1, Ordering::AcqRel) == 1 {
        for m in rules("RemoveMatch", None) {
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
        let (link, id, wide, pid) = (self.link.clone(), self.id, self.wide, self.pid);
        self.handle.spawn(async move {
            close(&link, id, wide).await;
            // What is acted on is acted on again: by then it is known what changes by itself.
            if let Some(pid) = pid {
                meet(&link, pid).await;
            }
        });
    }
}
