//! The person's focus, active window and stacking: how they stood before an act of the second
//! seat, and putting them back where a window manager or the application changed them.

use std::time::Duration;

use desktop::Result;
use x11rb::protocol::xproto::{
    CONFIGURE_REQUEST_EVENT, ClientMessageEvent, ConfigWindow, ConfigureRequestEvent, ConnectionExt as _, EventMask, FOCUS_IN_EVENT, FocusInEvent, InputFocus, NotifyDetail, NotifyMode, StackMode,
};
use x11rb::{CURRENT_TIME, NONE};

use super::bell::Bell;
use super::wire::{Heard, told};

/// How long a window manager may take for one answer. A new keyboard map keeps some busy.
const MANAGER: Duration = Duration::from_millis(700);

/// How long an application may take to follow its manager's word to take the focus.
const TAKING: Duration = Duration::from_millis(150);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standing {
    pub focus: u32,
    active: u32,
    stack: Vec<u32>,
}

impl Standing {
    /// How it stands before an act. Where the manager has not caught up yet, the focus tells
    /// which window is the active one.
    pub fn before(bell: &Bell) -> Result<Self> {
        let mut now = Self::read(bell)?;
        if now.focus > 1 && !now.stack.is_empty() && !bell.wire.lies_in(now.focus, now.active)? {
            for window in now.stack.iter().rev() {
                if bell.wire.lies_in(now.focus, *window)? {
                    now.active = *window;
                    break;
                }
            }
        }
        Ok(now)
    }

    fn read(bell: &Bell) -> Result<Self> {
        let (wire, a) = (&bell.wire, &bell.atoms);
        let focus = wire.conn.get_input_focus().heard()?;
        let active = wire.ask_items(wire.root, a._NET_ACTIVE_WINDOW)?;
        let stack = wire.ask_items(wire.root, a._NET_CLIENT_LIST_STACKING)?;
        Ok(Self {
            focus: focus.reply().heard()?.focus,
            active: told(active)?.first().copied().unwrap_or(NONE),
            stack: told(stack)?,
        })
    }

    /// Put back what differs now, after an act on `window`. True when something was.
    pub fn restore(&self, bell: &mut Bell, window: Option<u32>) -> Result<bool> {
        bell.manager(MANAGER)?;
        let mut now = Self::read(bell)?;
        if self.stands(&now) {
            return Ok(false);
        }
        if let Some(window) = window {
            // What a manager tells an application to take, it takes only when it comes to it.
            bell.application(window, TAKING)?;
            bell.manager(MANAGER)?;
            now = Self::read(bell)?;
        }
        if self.focus == now.focus && self.active != now.active {
            self.remind(bell)?;
            bell.manager(MANAGER)?;
            now = Self::read(bell)?;
        }
        for attempt in 0..3 {
            if self.stands(&now) {
                break;
            }
            self.restore_focus(bell, &now)?;
            bell.manager(MANAGER)?;
            now = Self::read(bell)?;
            if !self.stacked(&now) {
                self.restore_stack(bell, &now, attempt == 0)?;
                bell.manager(MANAGER)?;
                now = Self::read(bell)?;
            }
        }
        Ok(true)
    }

    fn stands(&self, now: &Self) -> bool {
        self.focus == now.focus && self.active == now.active && self.stacked(now)
    }

    /// Whether the windows that are in both stand in the same order.
    fn stacked(&self, now: &Self) -> bool {
        let was = self.stack.iter().filter(|w| now.stack.contains(w));
        was.eq(now.stack.iter().filter(|w| self.stack.contains(w)))
    }

    /// Tell a window manager that took the second keyboard's focus for the person's where the
    /// person's is. Only the manager hears it: it is sent to the frame, which is its own.
    fn remind(&self, bell: &Bell) -> Result<()> {
        let wire = &bell.wire;
        let mut frame = self.active;
        for _ in 0..16 {
            let Ok(tree) = wire.conn.query_tree(frame).heard()?.reply() else { return Ok(()) };
            if tree.parent == wire.root {
                break;
            }
            frame = tree.parent;
        }
        if frame == self.active || frame == NONE {
            return Ok(());
        }
        let event = FocusInEvent {
            response_type: FOCUS_IN_EVENT, detail: NotifyDetail::NONLINEAR_VIRTUAL, sequence: 0, event: frame, mode: NotifyMode::NORMAL,
        };
        wire.conn.send_event(false, frame, EventMask::FOCUS_CHANGE, event).heard()?;
        Ok(())
    }

    fn restore_focus(&self, bell: &Bell, now: &Self) -> Result<()> {
        let (wire, a) = (&bell.wire, &bell.atoms);
        if self.active != now.active && self.active != NONE {
            tell(bell, self.active, a._NET_ACTIVE_WINDOW, [2, CURRENT_TIME, 0, 0, 0])?;
        }
        if self.focus != now.focus {
            let revert = InputFocus::PARENT;
            // A window that closed meanwhile cannot have it back.
            let _ = wire.conn.set_input_focus(revert, self.focus, CURRENT_TIME).heard()?.check();
        }
        Ok(())
    }

    /// Ask for the old order: each window above its neighbour, or, where the manager does not
    /// heed neighbours, every one to the top in turn.
    fn restore_stack(&self, bell: &Bell, now: &Self, neighbours: bool) -> Result<()> {
        let want: Vec<u32> = self.stack.iter().copied().filter(|w| now.stack.contains(w)).collect();
        let have: Vec<u32> = now.stack.iter().copied().filter(|w| self.stack.contains(w)).collect();
        let Some(first) = want.iter().zip(&have).position(|(a, b)| a != b) else { return Ok(()) };
        let by_message = bell.supports(bell.atoms._NET_RESTACK_WINDOW)?;
        let restack = |window: u32, sibling: u32, mode: StackMode| {
            if by_message {
                return tell(bell, window, bell.atoms._NET_RESTACK_WINDOW, [2, sibling, mode.into(), 0, 0]);
            }
            // Framed windows are no siblings for the server; the manager takes it from the request.
            let ask = ConfigureRequestEvent {
                response_type: CONFIGURE_REQUEST_EVENT, stack_mode: mode, sequence: 0, parent: bell.wire.root, window, sibling,
                x: 0, y: 0, width: 0, height: 0, border_width: 0, value_mask: ConfigWindow::SIBLING | ConfigWindow::STACK_MODE,
            };
            let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
            bell.wire.conn.send_event(false, bell.wire.root, to, ask).heard().map(drop)
        };
        if !neighbours {
            return want[first..].iter().try_for_each(|w| tell(bell, *w, bell.atoms._NET_RESTACK_WINDOW, [2, NONE, 0, 0, 0]));
        }
        if let (0, [bottom, above, ..]) = (first, &want[..]) {
            restack(*bottom, *above, StackMode::BELOW)?;
        }
        for pair in want[first.saturating_sub(1)..].windows(2) {
            restack(pair[1], pair[0], StackMode::ABOVE)?;
        }
        Ok(())
    }
}

fn tell(bell: &Bell, window: u32, what: u32, data: [u32; 5]) -> Result<()> {
    let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
    bell.wire.conn.send_event(false, bell.wire.root, to, ClientMessageEvent::new(32, window, what, data)).heard()?;
    Ok(())
}
