//! Moving, sizing, minimising, closing and activating windows.
//!
//! Owns: saying it to the window manager, or doing it where none runs, and seeing that it came
//! about. Refuses to own: deciding when focus may be taken.

use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Pid, Placement, Rect, Screen, WindowId, WindowKind};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus, MapState, PropMode,
    StackMode,
};

use super::fault::{Alive, Fault, Outcome};
use super::focus;
use super::link::{X, lock};
use super::list::{self, Listing, Raw};
use super::prop;

/// Time that a window manager is given for one request.
const SETTLE: Duration = Duration::from_millis(350);
const POLL: Duration = Duration::from_millis(8);
/// The first looks come sooner: most managers answer at once.
const SOON: Duration = Duration::from_millis(1);
/// We speak as a pager does: on behalf of the person, so that focus is not held back.
const PAGER: u32 = 2;
const STATIC_GRAVITY: u32 = 10;

pub fn place(x: &X, ctx: &Ctx, id: u32, placement: Placement) -> Outcome<()> {
    let listing = list::list(x)?;
    let Some(window) = listing.windows.iter().find(|w| w.id == id).cloned() else {
        return Err(DesktopError::WindowGone(WindowId(id.into())).into());
    };
    let managed = listing.manager.is_some() && window.kind != WindowKind::Popup && window.top != Some(0);
    let job = Job { x, ctx, window: &window, listing: &listing, managed };
    match placement {
        Placement::Bounds(area) => job.bounds(area),
        Placement::Minimize => job.minimize(),
        Placement::Restore => job.restore(),
        Placement::Maximize => job.maximize(),
        Placement::Close => job.close(),
        Placement::Activate => job.activate(),
        Placement::GiveBack => job.give_back(),
    }
}

/// One placement of one window.
struct Job<'a> {
    x: &'a X,
    ctx: &'a Ctx,
    window: &'a Raw,
    listing: &'a Listing,
    managed: bool,
}

impl Job<'_> {
    fn id(&self) -> u32 {
        self.window.id
    }

    /// Tell the window manager something about the window.
    fn tell(&self, what: u32, data: [u32; 5]) -> Outcome<()> {
        let message = ClientMessageEvent::new(32, self.id(), what, data);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.x.conn.send_event(false, self.x.root, mask, message)?;
        Ok(self.x.conn.flush()?)
    }

    /// Wait until it has come about, at most `time`.
    fn until(&self, time: Duration, mut done: impl FnMut() -> Outcome<bool>) -> Outcome<bool> {
        let end = (Instant::now() + time).min(self.ctx.deadline);
        let mut pause = SOON;
        loop {
            if done()? {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            self.ctx.sleep(pause)?;
            pause = (2 * pause).min(POLL);
        }
    }

    fn needs_manager(&self) -> Outcome<()> {
        if self.managed {
            return Ok(());
        }
        Err(DesktopError::Unsupported("no window manager runs that could do it".into()).into())
    }

    fn state(&self) -> Outcome<Vec<u32>> {
        prop::read_numbers(self.x, self.id(), self.x.atoms._NET_WM_STATE)
    }

    fn now(&self) -> Outcome<Rect<Screen>> {
        let geometry = self.x.conn.get_geometry(self.id())?;
        let origin = self.x.conn.translate_coordinates(self.id(), self.x.root, 0, 0)?;
        match (geometry.reply().alive()?, origin.reply().alive()?) {
            (Some(g), Some(o)) => Ok(Rect::new(o.dst_x.into(), o.dst_y.into(), g.width.into(), g.height.into())),
            _ => Err(self.gone()),
        }
    }

    fn gone(&self) -> Fault {
        DesktopError::WindowGone(WindowId(self.id().into())).into()
    }

    fn viewable(&self) -> Outcome<bool> {
        match self.x.conn.get_window_attributes(self.id())?.reply().alive()? {
            Some(a) => Ok(a.map_state == MapState::VIEWABLE),
            None => Err(self.gone()),
        }
    }

    fn set_state(&self, on: bool, first: u32, second: u32) -> Outcome<()> {
        self.tell(self.x.atoms._NET_WM_STATE, [on.into(), first, second, PAGER, 0])
    }

    // Each placement.

    fn bounds(&self, want: Rect<Screen>) -> Outcome<()> {
        let a = &self.x.atoms;
        if !self.managed {
            return self.configure(want);
        }
        if self.large()? {
            self.unlarge()?;
            self.until(SETTLE, || Ok(!self.large()?))?;
        }
        // Managers differ in what they take the position for: ask, look, put the difference right.
        let (mut x, mut y) = (want.x, want.y);
        for _ in 0..4 {
            let flags = STATIC_GRAVITY | 0xf << 8 | PAGER << 12;
            self.tell(a._NET_MOVERESIZE_WINDOW, [flags, x as u32, y as u32, want.w, want.h])?;
            let now = self.settled(want)?;
            if now == want {
                return Ok(());
            }
            let (dx, dy) = (want.x - now.x, want.y - now.y);
            if dx == 0 && dy == 0 {
                // Only the size differs: the window has a least, a largest or a step.
                return Ok(());
            }
            x += dx;
            y += dy;
        }
        Ok(())
    }

    /// Where the window is once it is as wanted or has been still for a while.
    fn settled(&self, want: Rect<Screen>) -> Outcome<Rect<Screen>> {
        let mut last = self.now()?;
        let mut still = Instant::now();
        self.until(2 * SETTLE, || {
            let now = self.now()?;
            if now != last {
                last = now;
                still = Instant::now();
            }
            Ok(now == want || still.elapsed() > SETTLE / 2)
        })?;
        if last == want {
            // A manager may move once more after the client has drawn its new size.
            self.ctx.sleep(4 * POLL)?;
            last = self.now()?;
        }
        Ok(last)
    }

    /// Without a manager the window is put there directly.
    fn configure(&self, want: Rect<Screen>) -> Outcome<()> {
        let Some(g) = self.x.conn.get_geometry(self.id())?.reply().alive()? else { return Err(self.gone()) };
        let border = i32::from(g.border_width);
        let aux = ConfigureWindowAux::new().x(want.x - border).y(want.y - border).width(want.w.max(1)).height(want.h.max(1));
        self.x.conn.configure_window(self.id(), &aux)?.check().alive()?.ok_or_else(|| self.gone())?;
        self.settled(want).map(drop)
    }

    fn minimize(&self) -> Outcome<()> {
        self.needs_manager()?;
        if self.window.minimized {
            return Ok(());
        }
        self.tell(self.x.atoms.WM_CHANGE_STATE, [3, 0, 0, 0, 0])?;
        self.proved(3 * SETTLE, "the window manager did not minimise it", || Ok(!self.viewable()? || self.hidden()?))
    }

    /// Minimised, by the window manager's word: some keep such windows mapped.
    fn hidden(&self) -> Outcome<bool> {
        let a = &self.x.atoms;
        let state = self.state()?;
        Ok(state.contains(&a._NET_WM_STATE_HIDDEN) && !state.contains(&a._NET_WM_STATE_SHADED))
    }

    fn shown(&self) -> Outcome<bool> {
        Ok(self.viewable()? && !self.hidden()?)
    }

    fn restore(&self) -> Outcome<()> {
        if self.window.minimized || !self.viewable()? {
            // Mapping is how a client asks to leave the icon state, and asks for no focus.
            self.x.conn.map_window(self.id())?;
            self.x.conn.flush()?;
            if self.until(SETTLE, || self.shown())? || !self.managed {
                return Ok(());
            }
            self.ask_active()?;
            return self.proved(2 * SETTLE, "the window manager did not restore it", || self.shown());
        }
        self.needs_manager()?;
        self.unlarge()?;
        self.proved(2 * SETTLE, "the window manager did not restore it", || Ok(!self.large()?))
    }

    /// Maximised in some way, or full screen.
    fn large(&self) -> Outcome<bool> {
        let a = &self.x.atoms;
        let large = [a._NET_WM_STATE_MAXIMIZED_VERT, a._NET_WM_STATE_MAXIMIZED_HORZ, a._NET_WM_STATE_FULLSCREEN];
        Ok(self.state()?.iter().any(|s| large.contains(s)))
    }

    fn unlarge(&self) -> Outcome<()> {
        let a = &self.x.atoms;
        self.set_state(false, a._NET_WM_STATE_MAXIMIZED_VERT, a._NET_WM_STATE_MAXIMIZED_HORZ)?;
        self.set_state(false, a._NET_WM_STATE_FULLSCREEN, 0)
    }

    fn maximize(&self) -> Outcome<()> {
        self.needs_manager()?;
        let a = &self.x.atoms;
        let (vert, horz) = (a._NET_WM_STATE_MAXIMIZED_VERT, a._NET_WM_STATE_MAXIMIZED_HORZ);
        if self.window.minimized {
            self.restore()?;
        }
        self.set_state(true, vert, horz)?;
        self.proved(2 * SETTLE, "the window manager did not maximise it", || {
            let state = self.state()?;
            Ok(state.contains(&vert) && state.contains(&horz))
        })?;
        let size = self.now()?;
        self.until(SETTLE, || Ok(self.now()? != size))?;
        Ok(())
    }

    fn close(&self) -> Outcome<()> {
        let a = &self.x.atoms;
        if self.managed {
            return self.tell(a._NET_CLOSE_WINDOW, [0, PAGER, 0, 0, 0]);
        }
        close_politely(self.x, self.window)
    }

    fn activate(&self) -> Outcome<()> {
        if self.window.kind == WindowKind::Popup {
            return Err(DesktopError::NotActivated("a popup has the keyboard only by its owner".into()).into());
        }
        for _ in 0..3 {
            if self.managed {
                self.ask_active()?;
            } else {
                self.take_focus()?;
            }
            if self.until(SETTLE, || self.is_active())? {
                return Ok(());
            }
        }
        let who = focus::focused_top(self.x)?
            .and_then(|top| self.listing.windows.iter().find(|w| w.top == Some(top)))
            .map_or_else(|| "no window".to_owned(), |w| format!("{:?}", w.props.title));
        Err(DesktopError::NotActivated(format!("{who} has the keyboard")).into())
    }

    fn give_back(&self) -> Outcome<()> {
        // What is read next is to find it where it was; an application that lets it lie keeps nobody.
        // A manager that is just bringing a new window to the front may drop the first request.
        for time in [SETTLE / 8, SETTLE / 4, SETTLE / 2] {
            if self.managed { self.ask_active()? } else { self.take_focus()? }
            if self.until(time, || self.is_active())? {
                break;
            }
        }
        Ok(())
    }

    fn ask_active(&self) -> Outcome<()> {
        let time = server_time(self.x)?;
        if let (false, Some(workspace)) = (self.window.here, self.window.props.desktop) {
            // Not every manager follows a window to where it is.
            let message = ClientMessageEvent::new(32, self.x.root, self.x.atoms._NET_CURRENT_DESKTOP, [workspace, time, 0, 0, 0]);
            let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
            self.x.conn.send_event(false, self.x.root, mask, message)?;
        }
        let active = prop::read_numbers(self.x, self.x.root, self.x.atoms._NET_ACTIVE_WINDOW)?;
        let active = active.first().copied().unwrap_or(0);
        self.tell(self.x.atoms._NET_ACTIVE_WINDOW, [PAGER, time, active, 0, 0])
    }

    fn take_focus(&self) -> Outcome<()> {
        if !self.viewable()? {
            self.x.conn.map_window(self.id())?;
            self.until(SETTLE, || self.viewable())?;
        }
        self.x.conn.configure_window(self.id(), &ConfigureWindowAux::new().stack_mode(StackMode::ABOVE))?;
        // The server refuses focus for a window that is not viewable: the proof tells.
        drop(self.x.conn.set_input_focus(InputFocus::PARENT, self.id(), x11rb::CURRENT_TIME)?);
        Ok(self.x.conn.flush()?)
    }

    fn is_active(&self) -> Outcome<bool> {
        let top = focus::top_of(self.x, self.id())?;
        if top.is_none() {
            return Err(self.gone());
        }
        if focus::focused_top(self.x)? != top {
            return Ok(false);
        }
        if !self.managed {
            return Ok(true);
        }
        let active = prop::read_numbers(self.x, self.x.root, self.x.atoms._NET_ACTIVE_WINDOW)?;
        Ok(active.first() == Some(&self.id()))
    }

    fn proved(&self, time: Duration, else_say: &str, done: impl FnMut() -> Outcome<bool>) -> Outcome<()> {
        if self.until(time, done)? {
            return Ok(());
        }
        self.ctx.check()?;
        Err(DesktopError::System(else_say.into()).into())
    }
}

/// Ask a window to close itself, as its manager would. `Unsupported` where it can't be asked.
pub fn close_politely(x: &X, window: &Raw) -> Outcome<()> {
    let a = &x.atoms;
    if !window.props.protocols.contains(&a.WM_DELETE_WINDOW) {
        return Err(DesktopError::Unsupported("the window takes no request to close".into()).into());
    }
    let time = server_time(x)?;
    let message = ClientMessageEvent::new(32, window.id, a.WM_PROTOCOLS, [a.WM_DELETE_WINDOW, time, 0, 0, 0]);
    x.conn.send_event(false, window.id, EventMask::NO_EVENT, message)?;
    Ok(x.conn.flush()?)
}

/// Ask every window of a process to close. False where none can be asked.
pub fn close_all(x: &X, pid: Pid) -> Outcome<bool> {
    let listing = list::list(x)?;
    let mut asked = false;
    for window in listing.windows.iter().filter(|w| w.pid == Some(pid) && w.kind != WindowKind::Popup) {
        asked |= close_politely(x, window).is_ok();
    }
    Ok(asked)
}

/// The server's own time now.
pub fn server_time(x: &X) -> Outcome<u32> {
    x.conn.change_property(PropMode::APPEND, x.own, AtomEnum::WM_NAME, AtomEnum::STRING, 8, 0, &[])?;
    x.conn.get_input_focus()?.reply()?;
    let mut track = lock(&x.track);
    track.drain(&x.conn)?;
    Ok(track.time)
}
