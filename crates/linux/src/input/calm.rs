//! The person's focus, active window and stacking: how they stood before an act of the second
//! seat, and putting them back where a window manager or the application changed them.

use std::time::Duration;

use desktop::Result;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt as _, EventMask, FOCUS_IN_EVENT, FocusInEvent, InputFocus, NotifyDetail, NotifyMode,
};
use x11rb::{CURRENT_TIME, NONE};

use super::bell::Bell;
use super::wire::Heard;

/// How long a window manager may take for one answer. A new keyboard map keeps some busy.
const MANAGER: Duration = Duration::from_millis(700);

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
        Ok(Self {
            focus: wire.conn.get_input_focus().heard()?.reply().heard()?.focus,
            active: wire.items(wire.root, a._NET_ACTIVE_WINDOW)?.first().copied().unwrap_or(NONE),
            stack: wire.items(wire.root, a._NET_CLIENT_LIST_STACKING)?,
        })
    }

    /// Put back what differs now. True when something was.
    pub fn restore(&self, bell: &mut Bell) -> Result<bool> {
        bell.manager(MANAGER)?;
        let mut now = Self::read(bell)?;
        if self.stands(&now) {
            return Ok(false);
        }
        if self.focus == now.focus && self.active != now.active {
            self.remind(bell)?;
            bell.manager(MANAGER)?;
            now = Self::read(bell)?;
        }
        for _ in 0..3 {
            if self.stands(&now) {
                break;
            }
            self.restore_focus(bell, &now)?;
            bell.manager(MANAGER)?;
            now = Self::read(bell)?;
            if !self.stacked(&now) {
                self.restore_stack(bell, &now)?;
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

    fn restore_stack(&self, bell: &Bell, now: &Self) -> Result<()> {
        let want: Vec<u32> = self.stack.iter().copied().filter(|w| now.stack.contains(w)).collect();
        let have: Vec<u32> = now.stack.iter().copied().filter(|w| self.stack.contains(w)).collect();
        let Some(first) = want.iter().zip(&have).position(|(a, b)| a != b) else { return Ok(()) };
        if let (0, [bottom, above, ..]) = (first, &want[..]) {
            tell(bell, *bottom, bell.atoms._NET_RESTACK_WINDOW, [2, *above, 1, 0, 0])?;
        }
        for pair in want[first.saturating_sub(1)..].windows(2) {
            tell(bell, pair[1], bell.atoms._NET_RESTACK_WINDOW, [2, pair[0], 0, 0, 0])?;
        }
        Ok(())
    }
}

fn tell(bell: &Bell, window: u32, what: u32, data: [u32; 5]) -> Result<()> {
    let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
    bell.wire.conn.send_event(false, bell.wire.root, to, ClientMessageEvent::new(32, window, what, data)).heard()?;
    Ok(())
}
