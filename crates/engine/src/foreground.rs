//! Taking the foreground because the call asked for it, and giving back what was taken.

use std::sync::atomic::Ordering;
use std::time::Duration;

use desktop::{Act, Ctx, Focus, Place, Placement, Point, Route, Screen, Window, WindowId};

use crate::Refusal;
use crate::run::Run;

/// The foreground while it is taken. Given back when dropped.
pub struct Foreground<'a> {
    run: &'a Run<'a>,
    window: Option<WindowId>,
    focus: Option<Focus>,
    pointer: Option<Point<Screen>>,
}

impl<'a> Foreground<'a> {
    /// Make the window active and prove it; `None` is the desktop itself, which needs no focus.
    /// `pointer`: the act moves the person's pointer.
    pub fn take(run: &'a Run<'a>, window: Option<&Window>, pointer: bool) -> Result<Self, Refusal> {
        let ctx = run.brief();
        let focus = run.desktop().focus(&ctx).ok();
        let at = if pointer { run.desktop().pointer(&ctx).ok() } else { None };
        let taken = Self { run, window: window.map(|w| w.id), focus, pointer: at };
        if let Some(w) = window {
            let active = taken.focus.as_ref().and_then(|f| f.window) == Some(w.id);
            let popup = w.kind == desktop::WindowKind::Popup;
            if !active && !popup {
                run.desktop().place(&run.ctx.at_most(Duration::from_secs(2)), w.id, Placement::Activate).map_err(|e| run.no_window(e, w))?;
            }
        }
        Ok(taken)
    }
}

impl Drop for Foreground<'_> {
    fn drop(&mut self) {
        // The call may be cancelled or over: giving back has a bound of its own.
        let mut ctx = Ctx::lasting(Duration::from_millis(800));
        ctx.owner = self.run.ctx.owner;
        let d = self.run.desktop();
        // What a refused act left alone is not touched either.
        if let Some(p) = self.pointer.filter(|_| self.run.moved.load(Ordering::Relaxed)) {
            let _ = d.perform(&ctx, &Act::Move { to: Place::Screen(p) }, Route::Global);
        }
        let before = self.focus.as_ref().and_then(|f| f.window);
        let Some(before) = before.filter(|w| Some(*w) != self.window) else { return };
        // A dialog that the act opened keeps the keyboard: the person has to see it.
        let now = d.focus(&ctx).ok().and_then(|f| f.window);
        if (now.is_none() || now == self.window) && self.window.is_some() {
            let _ = d.place(&ctx, before, Placement::GiveBack);
        }
    }
}
