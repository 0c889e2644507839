//! One look at a window: its picture and its tree, and a look once it has settled.
//!
//! Owns: how long a window is waited for. Refuses to own: what is written of it.

use std::time::Duration;

use desktop::{Cancel, Ctx, Desktop, DesktopError, EmptyBecause, Limits, Picture, Source, Tree, Window, WindowId, WindowKind};

use super::pixels;
use crate::Host;

/// The bound of one look. Most take a few milliseconds; an application that does not answer is
/// given up long before by the desktop itself.
const LOOK: Duration = Duration::from_millis(2000);
/// How long a window may go on changing.
const SETTLE: Duration = Duration::from_millis(400);
/// Between two pictures that must agree; longer each time while they do not.
const PAUSE: Duration = Duration::from_millis(16);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// An application that is too busy to show its tree is asked again until then.
const BUSY: Duration = Duration::from_millis(2500);
const BUSY_PAUSE: Duration = Duration::from_millis(100);
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

    /// A still picture of a window and its tree.
    pub fn is_whole(&self) -> bool {
        self.window.is_some() && self.picture.is_ok() && self.tree.as_ref().is_ok_and(|t| t.empty.is_none()) && !self.unsettled
    }

    /// The application did not show its tree, and may do so later.
    fn is_unread(&self) -> bool {
        self.window.is_some() && matches!(&self.tree, Ok(t) if t.empty == Some(EmptyBecause::NotAnswering))
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
pub fn settled(desktop: &dyn Desktop, host: &dyn Host, id: WindowId, before: Option<&Picture>, began: bool) -> Look {
    let mut look = still(desktop, host, id, before, began);
    let start = host.now();
    while look.is_unread() && passed(host, start) < BUSY {
        host.wait(BUSY_PAUSE, &Cancel::default());
        let unsettled = look.unsettled;
        look = Look { unsettled, ..at(desktop, id) };
    }
    look
}

fn passed(host: &dyn Host, since: std::time::Instant) -> Duration {
    host.now().saturating_duration_since(since)
}

fn still(desktop: &dyn Desktop, host: &dyn Host, id: WindowId, before: Option<&Picture>, began: bool) -> Look {
    let start = host.now();
    let again = || match desktop.window(&bound(), id) {
        Ok(w) => capture(desktop, &bound(), &w),
        Err(e) => Err(why(&e)),
    };
    let agree = |a: &Result<Picture, String>, b: &Result<Picture, String>| match (a, b) {
        (Ok(a), Ok(b)) => pixels::same(a, b),
        // Without pictures the time in which most effects begin has to do.
        _ => passed(host, start) >= SLOW_START,
    };
    let shows = |now: &Result<Picture, String>| began || passed(host, start) >= SLOW_START || matches!((before, now), (Some(b), Ok(now)) if !pixels::same(b, now));
    let mut pause = PAUSE;
    loop {
        let begun = host.now();
        let look = at(desktop, id);
        if look.window.is_none() {
            return look;
        }
        // The tree lies between two pictures: where they agree it is of both.
        host.wait(PAUSE.saturating_sub(passed(host, begun)), &Cancel::default());
        let mut last = again();
        let still = agree(&look.picture, &last);
        if still && shows(&last) {
            return look;
        }
        if passed(host, start) >= SETTLE {
            return Look { unsettled: !still, ..look };
        }
        // While it moves, pictures are enough.
        let mut moves = !still;
        while moves && passed(host, start) < SETTLE {
            host.wait(pause, &Cancel::default());
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            let now = again();
            moves = !agree(&last, &now);
            last = now;
        }
    }
}
