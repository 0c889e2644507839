//! `trait Desktop` over X11 and AT-SPI: each method handed to the module that does it.
//!
//! Owns: joining windows with the applications behind them, and which part is asked. Refuses to
//! own: any request itself.

use std::ffi::OsString;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use desktop::{
    Act, App, ClipboardContent, ClipboardOffer, Ctx, Delivery, Desktop, DesktopError, Display, EventFilter, Events,
    Focus, Health, HealthState, Hit, Info, Launch, Launched, Limits, Local, Node, NodeKey, Owner, Picture, Pid,
    Placement, Point, Result, Route, Screen, Source, Tree, Video, VideoRequest, Window, WindowId,
};

use crate::Options;
use crate::apps::ident::Idents;
use crate::apps::{self, end, launch};
use crate::atspi::Atspi;
use crate::clipboard::Clipboard;
use crate::events::Ear;
use crate::input::Input;
use crate::x11::link::{Link, lock};
use crate::x11::{capture, focus, join, list, place, screens};
use crate::{cover, health, video};

/// Events nobody asks for are taken off the wire this often, so that the server never keeps many.
const IDLE: Duration = Duration::from_secs(2);

/// The desktop of one X display.
pub struct X11Desktop {
    link: Arc<Link>,
    idents: Idents,
    atspi: Atspi,
    hands: Arc<Hands>,
    clipboard: Clipboard,
    ear: Ear,
}

/// Input, opened with the display and again when that came back.
struct Hands {
    guardian: Option<Vec<OsString>>,
    open: Mutex<Option<(u64, Arc<Input>)>>,
}

impl Hands {
    fn input(&self, link: &Link) -> Result<Arc<Input>> {
        let x = link.x()?;
        let mut open = lock(&self.open);
        if let Some((of, input)) = open.as_ref()
            && *of == x.number
        {
            return Ok(input.clone());
        }
        // Let the old one go first: two of them would fight over the second pair.
        *open = None;
        let display = link.display().unwrap_or_default();
        let input = Arc::new(Input::open(display, self.guardian.clone())?);
        *open = Some((x.number, input.clone()));
        Ok(input)
    }

    /// Input that was used already; none is opened for this.
    fn opened(&self) -> Option<Arc<Input>> {
        lock(&self.open).as_ref().map(|(_, input)| input.clone())
    }
}

impl X11Desktop {
    pub fn open(options: Options) -> Self {
        let display = options.display.filter(|d| !d.is_empty());
        let clipboard = Clipboard::new(display.as_deref().unwrap_or_default());
        let link = Arc::new(Link::new(display));
        let weak = Arc::downgrade(&link);
        // Without the thread nothing breaks: the server's queue for us grows.
        let _ = thread::Builder::new().name("x11-idle".into()).stack_size(128 * 1024).spawn(move || {
            while let Some(link) = weak.upgrade() {
                link.idle();
                drop(link);
                thread::sleep(IDLE);
            }
        });
        let hands = Arc::new(Hands { guardian: options.guardian, open: Mutex::new(None) });
        let weak = Arc::downgrade(&hands);
        let ear = Ear::new(link.clone(), Arc::new(move || weak.upgrade()?.opened()?.own_core_input_until()));
        Self { link, idents: Idents::default(), atspi: Atspi::start(), hands, clipboard, ear }
    }

    fn listed(&self, ctx: &Ctx) -> Result<Vec<Window>> {
        let listing = self.link.run(ctx, list::list)?;
        Ok(join::windows(&listing, &self.idents))
    }

    fn find(&self, ctx: &Ctx, id: WindowId) -> Result<Window> {
        let raw = xid(id)?;
        let (raw, listing) = self.link.run(ctx, |x| list::one(x, raw))?.ok_or(DesktopError::WindowGone(id))?;
        Ok(join::one(&raw, &listing, &self.idents))
    }
}

/// Whether an act is done to an accessible object, and not by pointer or keyboard.
fn is_of_objects(act: &Act) -> bool {
    match act {
        Act::Invoke { .. }
        | Act::SetText { .. }
        | Act::InsertText { .. }
        | Act::SetNumber { .. }
        | Act::Select { .. }
        | Act::Focus { .. }
        | Act::ScrollIntoView { .. } => true,
        Act::Move { .. }
        | Act::Press { .. }
        | Act::Release { .. }
        | Act::Click { .. }
        | Act::Wheel { .. }
        | Act::HoldModifiers { .. }
        | Act::ReleaseModifiers { .. }
        | Act::Key { .. }
        | Act::Text { .. } => false,
    }
}

/// X ids have 29 bits: another number was never a window.
fn xid(id: WindowId) -> Result<u32> {
    u32::try_from(id.0).map_err(|_| DesktopError::WindowGone(id))
}

impl Desktop for X11Desktop {
    fn info(&self) -> Info {
        Info {
            platform: "linux",
            backend: "x11",
            display: self.link.display().unwrap_or_default().to_owned(),
            routes: vec![Route::Accessibility, Route::SecondSeat, Route::SentEvents, Route::Global, Route::System],
        }
    }

    fn health(&self, ctx: &Ctx) -> Vec<Health> {
        let mut parts = health::health(ctx, &self.link);
        parts.push(match self.hands.input(&self.link) {
            Ok(input) => input.health(),
            Err(DesktopError::NoDisplay(_)) => health::skip("second_seat", "there is no display"),
            Err(e) => Health {
                name: "second_seat",
                state: HealthState::Fail,
                message: e.to_string(),
                hint: "start the X server with XInput 2 and XTEST".into(),
            },
        });
        parts.extend(self.atspi.health(ctx));
        parts
    }

    fn displays(&self, ctx: &Ctx) -> Result<Vec<Display>> {
        self.link.run(ctx, screens::displays)
    }

    fn apps(&self, ctx: &Ctx, installed: bool) -> Result<Vec<App>> {
        let listing = self.link.run(ctx, list::list)?;
        let active = listing.windows.iter().find(|w| w.focused).and_then(|w| w.pid);
        let mut found = apps::running(&self.idents, &join::hints(&listing), active, self.link.display());
        if installed {
            let more = apps::installed(&self.idents, &found);
            found.extend(more);
        }
        Ok(found)
    }

    fn windows(&self, ctx: &Ctx) -> Result<Vec<Window>> {
        self.listed(ctx)
    }

    fn window(&self, ctx: &Ctx, id: WindowId) -> Result<Window> {
        self.find(ctx, id)
    }

    fn tree(&self, ctx: &Ctx, window: WindowId, limits: &Limits) -> Result<Tree> {
        self.atspi.tree(ctx, &self.find(ctx, window)?, limits)
    }

    fn read(&self, ctx: &Ctx, node: &NodeKey) -> Result<Node> {
        // Places of some toolkits count from their window: it is looked at again, as it may have moved.
        let window = match self.atspi.window_of(node) {
            Some(id) => self.find(ctx, id).ok(),
            None => None,
        };
        self.atspi.read(ctx, window.as_ref(), node)
    }

    fn children(&self, ctx: &Ctx, node: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        self.atspi.children(ctx, node, max)
    }

    fn text(&self, ctx: &Ctx, node: &NodeKey) -> Result<String> {
        self.atspi.text(ctx, node)
    }

    fn hit(&self, ctx: &Ctx, window: WindowId, at: Point<Local>) -> Result<Hit> {
        let id = xid(window)?;
        self.link.run(ctx, |x| {
            let (raw, listing) = list::one(x, id)?.ok_or(DesktopError::WindowGone(window))?;
            focus::hit(x, &listing, at.on_screen(raw.bounds.origin()))
        })
    }

    fn focus(&self, ctx: &Ctx) -> Result<Focus> {
        Ok(focus::focus(&self.link.run(ctx, list::list)?))
    }

    fn focused_node(&self, ctx: &Ctx, window: WindowId) -> Result<Option<NodeKey>> {
        self.atspi.focused_node(ctx, &self.find(ctx, window)?)
    }

    fn pointer(&self, ctx: &Ctx) -> Result<Point<Screen>> {
        self.link.run(ctx, focus::pointer)
    }

    fn capture(&self, ctx: &Ctx, source: &Source) -> Result<Picture> {
        match source {
            Source::Window(id) => {
                let xid = xid(*id)?;
                self.link.run(ctx, |x| capture::window(x, ctx, xid))
            }
            Source::Display(which) => self.link.run(ctx, |x| {
                let area = match which {
                    None => screens::whole(x)?,
                    Some(id) => screens::displays(x)?
                        .into_iter()
                        .find(|d| d.id == *id)
                        .ok_or_else(|| DesktopError::NoPicture(format!("no display {:?}", id.0)))?
                        .bounds,
                };
                capture::screen(x, area)
            }),
        }
    }

    fn events(&self, ctx: &Ctx, filter: EventFilter) -> Result<Box<dyn Events>> {
        let nodes = match filter.nodes {
            Some(pid) => match self.atspi.events(ctx, Some(pid).filter(|p| p.0 != 0)) {
                Ok(nodes) => Some(nodes),
                // The rest of the stream does without the bus.
                Err(_) if (EventFilter { nodes: None, ..filter }) != EventFilter::default() => None,
                Err(e) => return Err(e),
            },
            None => None,
        };
        self.ear.listen(ctx, filter, nodes)
    }

    fn clipboard(&self, ctx: &Ctx, with_text: bool) -> Result<ClipboardOffer> {
        self.link.x()?;
        self.clipboard.read(ctx, with_text)
    }

    fn reaches(&self, ctx: &Ctx, window: WindowId, act: &Act, route: Route) -> Result<()> {
        let window = self.find(ctx, window)?;
        let cannot = |why: &str| Err(DesktopError::CannotReach { route, why: why.into() });
        match (route, is_of_objects(act)) {
            (Route::Accessibility, true) => Ok(()),
            (Route::Accessibility, false) => cannot("it has no pointer and no keyboard"),
            (Route::System, _) => cannot("windows are placed, not acted on, by the window manager"),
            (_, true) => cannot("objects are reached by accessibility"),
            (_, false) => self.hands.input(&self.link)?.reaches(ctx, &window, act, route),
        }
    }

    fn perform(&self, ctx: &Ctx, act: &Act, route: Route) -> Result<Delivery> {
        match route {
            Route::Accessibility => match act {
                // Some toolkits bring the whole window to the front for it.
                Act::Focus { node }
                    if let Some(window) = self.atspi.window_of(node)
                        && let Ok(input) = self.hands.input(&self.link) =>
                {
                    input.calmly(ctx, window, || self.atspi.perform(ctx, act))
                }
                _ => self.atspi.perform(ctx, act),
            },
            Route::System => Err(DesktopError::CannotReach {
                route,
                why: "windows are placed, not acted on, by the window manager".into(),
            }),
            Route::SecondSeat | Route::SentEvents | Route::Global => {
                self.hands.input(&self.link)?.perform(ctx, act, route, &|id| self.find(ctx, id))
            }
        }
    }

    fn caught_up(&self, ctx: &Ctx, window: WindowId) -> Result<bool> {
        self.hands.input(&self.link)?.caught_up(ctx, window)
    }

    fn place(&self, ctx: &Ctx, window: WindowId, placement: Placement) -> Result<()> {
        let id = xid(window)?;
        self.link.run(ctx, |x| place::place(x, ctx, id, placement))
    }

    fn launch(&self, ctx: &Ctx, launch: &Launch) -> Result<Launched> {
        self.link.x()?;
        let display = self.link.display().unwrap_or_default();
        let person = self.focus(ctx)?.window;
        // Window managers like to give new windows the keyboard, which nobody asked for.
        let calm = |mine: &[WindowId]| {
            if let (Some(person), Some(now)) = (person, self.focus(ctx)?.window)
                && mine.contains(&now)
            {
                // A window that closed meanwhile cannot have it back, and the application runs.
                let _ = self.place(ctx, person, Placement::GiveBack);
            }
            Ok(())
        };
        launch::launch(ctx, launch, &self.idents, display, || self.listed(ctx), calm)
    }

    fn terminate(&self, ctx: &Ctx, pid: Pid, force: bool) -> Result<()> {
        end::terminate(ctx, pid, force, || {
            // Without a display there are no windows to close first.
            let asked = self.link.run(ctx, |x| place::close_all(x, pid));
            asked.unwrap_or(false)
        })
    }

    fn set_clipboard(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()> {
        self.link.x()?;
        self.clipboard.set(ctx, content)
    }

    fn release_held(&self, ctx: &Ctx, owner: Option<Owner>) -> Result<()> {
        // What was never opened holds nothing.
        self.hands.opened().map_or(Ok(()), |input| input.release_held(ctx, owner))
    }

    fn video(&self, ctx: &Ctx, request: &VideoRequest) -> Result<Box<dyn Video>> {
        let area = self.link.run(ctx, screens::whole)?;
        video::start(ctx, request, self.link.display().unwrap_or_default(), area.size())
    }

    fn cover_video(&self, ctx: &Ctx, from: &std::path::Path, to: &std::path::Path, covers: &[desktop::Cover]) -> Result<()> {
        cover::write(ctx, from, to, covers)
    }
}
