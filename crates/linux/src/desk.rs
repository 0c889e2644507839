//! `trait Desktop` over X11 and AT-SPI: each method handed to the module that does it.
//!
//! Owns: joining windows with the applications behind them. Refuses to own: any request itself.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use desktop::{
    Act, App, ClipboardContent, ClipboardOffer, Ctx, Delivery, Desktop, DesktopError, Display, EventFilter, Events,
    Focus, Health, Hit, Info, Launch, Launched, Limits, Local, Node, NodeKey, Owner, Picture, Pid, Placement, Point,
    Result, Route, Screen, Source, Tree, Video, VideoRequest, Window, WindowId,
};

use crate::Options;
use crate::apps::ident::Idents;
use crate::x11::link::{Link, X, lock};
use crate::x11::{capture, focus, join, list, place, screens};

/// Events nobody asks for are taken off the wire this often, so that the server never keeps many.
const IDLE: Duration = Duration::from_secs(2);

pub struct X11Desktop {
    link: Arc<Link>,
    idents: Arc<Idents>,
}

impl X11Desktop {
    pub fn open(options: Options) -> Self {
        let link = Arc::new(Link::new(options.display.filter(|d| !d.is_empty())));
        let weak = Arc::downgrade(&link);
        // Without the thread nothing breaks: the server's queue for us grows.
        let _ = thread::Builder::new().name("x11-idle".into()).stack_size(128 * 1024).spawn(move || {
            while let Some(link) = weak.upgrade() {
                link.idle();
                drop(link);
                thread::sleep(IDLE);
            }
        });
        Self { link, idents: Arc::default() }
    }

    fn listed(&self, ctx: &Ctx) -> Result<Vec<Window>> {
        let listing = self.link.run(ctx, list::list)?;
        Ok(join::windows(&listing, &self.idents))
    }

    fn find(&self, ctx: &Ctx, id: WindowId) -> Result<Window> {
        self.listed(ctx)?.into_iter().find(|w| w.id == id).ok_or(DesktopError::WindowGone(id))
    }
}

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
        Vec::new()
    }

    fn displays(&self, ctx: &Ctx) -> Result<Vec<Display>> {
        self.link.run(ctx, screens::displays)
    }

    fn apps(&self, ctx: &Ctx, installed: bool) -> Result<Vec<App>> {
        Err(todo(installed, ctx))
    }

    fn windows(&self, ctx: &Ctx) -> Result<Vec<Window>> {
        self.listed(ctx)
    }

    fn window(&self, ctx: &Ctx, id: WindowId) -> Result<Window> {
        self.find(ctx, id)
    }

    fn tree(&self, ctx: &Ctx, window: WindowId, limits: &Limits) -> Result<Tree> {
        Err(todo(window, (ctx, limits)))
    }

    fn read(&self, ctx: &Ctx, node: &NodeKey) -> Result<Node> {
        Err(todo(node, ctx))
    }

    fn children(&self, ctx: &Ctx, node: &NodeKey, max: usize) -> Result<Vec<NodeKey>> {
        Err(todo(node, (ctx, max)))
    }

    fn text(&self, ctx: &Ctx, node: &NodeKey) -> Result<String> {
        Err(todo(node, ctx))
    }

    fn hit(&self, ctx: &Ctx, window: WindowId, at: Point<Local>) -> Result<Hit> {
        let id = xid(window)?;
        self.link.run(ctx, |x: &X| {
            let listing = list::list(x)?;
            let raw = listing.windows.iter().find(|w| w.id == id).ok_or(DesktopError::WindowGone(window))?;
            focus::hit(x, &listing, at.on_screen(raw.bounds.origin()))
        })
    }

    fn focus(&self, ctx: &Ctx) -> Result<Focus> {
        Ok(focus::focus(&self.link.run(ctx, list::list)?))
    }

    fn focused_node(&self, ctx: &Ctx, window: WindowId) -> Result<Option<NodeKey>> {
        Err(todo(window, ctx))
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
        Err(todo(filter, ctx))
    }

    fn clipboard(&self, ctx: &Ctx, with_text: bool) -> Result<ClipboardOffer> {
        Err(todo(with_text, ctx))
    }

    fn reaches(&self, ctx: &Ctx, window: WindowId, act: &Act, route: Route) -> Result<()> {
        Err(todo(window, (ctx, act, route)))
    }

    fn perform(&self, ctx: &Ctx, act: &Act, route: Route) -> Result<Delivery> {
        Err(todo(act, (ctx, route)))
    }

    fn place(&self, ctx: &Ctx, window: WindowId, placement: Placement) -> Result<()> {
        let id = xid(window)?;
        self.link.run(ctx, |x| place::place(x, ctx, id, placement))
    }

    fn launch(&self, ctx: &Ctx, launch: &Launch) -> Result<Launched> {
        Err(todo(launch, ctx))
    }

    fn terminate(&self, ctx: &Ctx, pid: Pid, force: bool) -> Result<()> {
        Err(todo(pid, (ctx, force)))
    }

    fn set_clipboard(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()> {
        Err(todo(content, ctx))
    }

    fn release_held(&self, ctx: &Ctx, owner: Option<Owner>) -> Result<()> {
        Err(todo(owner, ctx))
    }

    fn video(&self, ctx: &Ctx, request: &VideoRequest) -> Result<Box<dyn Video>> {
        Err(todo(request, ctx))
    }
}

fn todo<A, B>(_: A, _: B) -> DesktopError {
    DesktopError::Unsupported("not yet".into())
}
