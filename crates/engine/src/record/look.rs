//! One look at a window: its picture and its tree, and a look once it has settled.
//!
//! Owns: how long a window is waited for. Refuses to own: what is written of it.

use std::time::{Duration, Instant};

use desktop::{Ctx, Desktop, DesktopError, Limits, Picture, Source, Tree, Window, WindowId, WindowKind};

use super::pixels;

/// The bound of one look. Most take a few milliseconds; an application that does not answer is
/// given up long before by the desktop itself.
const LOOK: Duration = Duration::from_millis(2000);
/// How long a window may go on changing.
const SETTLE: Duration = Duration::from_millis(400);
/// Between two pictures that must agree.
const PAUSE: Duration = Duration::from_millis(16);
/// An act that shows nothing yet is given this long to begin.
const SLOW_START: Duration = Duration::from_millis(34);
/// Windows of a desktop whose trees are read, from the front.
const SHOWN: usize = 8;
const LIMITS: Limits = Limits { max_nodes: 5000, max_depth: 200, max_text: 4096 };

/// What was seen. Each part says why it is missing.
pub struct Look {
    pub window: Option<Window>,
    pub picture: Result<Picture, String>,
    pub tree: Result<Tree, String>,
    /// Windows that a picture of the desktop shows as well.
    pub others: Vec<(Window, Tree)>,
    /// It was still changing at the bound.
    pub unsettled: bool,
}

impl Look {
    pub fn nothing(why: &str) -> Self {
        Self { window: None, picture: Err(why.into()), tree: Err(why.into()), others: Vec::new(), unsettled: false }
    }

    /// Every window of the picture with its tree.
    pub fn seen(&self) -> impl Iterator<Item = (&Window, &Tree)> {
        let own = self.window.as_ref().zip(self.tree.as_ref().ok());
        own.into_iter().chain(self.others.iter().map(|(w, t)| (w, t)))
    }
}

fn why(e: &DesktopError) -> String {
    e.to_string()
}

fn bound() -> Ctx {
    Ctx::lasting(LOOK)
}

/// Picture and tree of a window as it is now.
pub fn at(desktop: &dyn Desktop, id: WindowId) -> Look {
    let ctx = bound();
    let window = match desktop.window(&ctx, id) {
        Ok(w) => w,
        Err(e) => return Look::nothing(&why(&e)),
    };
    let (picture, tree) = std::thread::scope(|s| {
        let picture = s.spawn(|| capture(desktop, &ctx, &window));
        let tree = desktop.tree(&ctx, id, &LIMITS).map_err(|e| why(&e));
        (picture.join().unwrap_or_else(|_| Err("the picture failed".into())), tree)
    });
    Look { window: Some(window), picture, tree, others: Vec::new(), unsettled: false }
}

/// A picture of all of the desktop, with the trees of what it shows: secrets are found by them.
pub fn desktop(desktop: &dyn Desktop) -> Look {
    let ctx = bound();
    let picture = desktop.capture(&ctx, &Source::Display(None)).map_err(|e| why(&e));
    let shown = desktop.windows(&ctx).unwrap_or_default().into_iter().rev().filter(|w| w.on_screen && w.kind != WindowKind::Chrome).take(SHOWN);
    let others = shown.filter_map(|w| desktop.tree(&ctx, w.id, &LIMITS).ok().map(|t| (w, t))).collect();
    Look { window: None, picture, tree: Err("the desktop itself has no tree".into()), others, unsettled: false }
}

fn capture(desktop: &dyn Desktop, ctx: &Ctx, window: &Window) -> Result<Picture, String> {
    if window.minimized {
        return Err("the window is minimised".into());
    }
    desktop.capture(ctx, &Source::Window(window.id)).map_err(|e| why(&e))
}

/// The window once two pictures of it agree, or at the bound. `before` is its picture from
/// before the act: as long as nothing shows, the act is given time to begin, unless it `began`:
/// its effect was seen, or it had its time already.
pub fn settled(desktop: &dyn Desktop, id: WindowId, before: Option<&Picture>, began: bool) -> Look {
    let start = Instant::now();
    let mut last = match desktop.window(&bound(), id) {
        Ok(w) => capture(desktop, &bound(), &w),
        Err(e) => return Look::nothing(&why(&e)),
    };
    loop {
        let _ = bound().sleep(PAUSE);
        // The tree is read with the second picture: where the two pictures agree, it is of both.
        let look = at(desktop, id);
        let over = start.elapsed() >= SETTLE;
        let agree = match (&last, &look.picture) {
            (Ok(a), Ok(b)) => pixels::same(a, b),
            // Without pictures the time in which most effects begin has to do.
            _ => start.elapsed() >= SLOW_START,
        };
        let shows = began || start.elapsed() >= SLOW_START || matches!((before, &look.picture), (Some(b), Ok(now)) if !pixels::same(b, now));
        if look.window.is_none() || (agree && shows) {
            return look;
        }
        if over {
            return Look { unsettled: !agree, ..look };
        }
        last = look.picture;
    }
}
