//! Asks others whether they have come as far as now: the window manager by a question that it
//! must answer, an application by the ping of its window. Both answer in the order of their
//! events, so an answer means that everything before it was taken.

use std::time::{Duration, Instant};

use desktop::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass,
};

use super::wire::{Heard, Wire, told};

x11rb::atom_manager! {
    pub(super) Atoms: AtomsCookie {
        WM_PROTOCOLS,
        WM_S0,
        TIMESTAMP,
        _NET_WM_PING,
        _NET_SUPPORTED,
        _NET_REQUEST_FRAME_EXTENTS,
        _NET_FRAME_EXTENTS,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST_STACKING,
        _NET_RESTACK_WINDOW,
    }
}

pub(super) struct Bell {
    pub wire: Wire,
    pub atoms: Atoms,
    window: Window,
    serial: u32,
    /// The window manager let a question pass unanswered.
    sulks: bool,
}

impl Bell {
    pub fn open(display: &str) -> Result<Self> {
        let wire = Wire::open(display)?;
        let atoms = Atoms::new(&wire.conn).heard()?.reply().heard()?;
        let window = wire.conn.generate_id().heard()?;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        wire.conn.create_window(0, window, wire.root, -5, -5, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &aux).heard()?;
        let hear = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
        wire.conn.change_window_attributes(wire.root, &hear).heard()?;
        Ok(Self { wire, atoms, window, serial: std::process::id().wrapping_mul(7919) | 1, sulks: false })
    }

    /// The server's time, for events that carry one.
    pub fn now(&mut self) -> Result<u32> {
        self.drain()?;
        let (window, what) = (self.window, self.atoms.WM_PROTOCOLS);
        let mode = x11rb::protocol::xproto::PropMode::APPEND;
        self.wire.conn.change_property(mode, window, what, AtomEnum::ATOM, 32, 0, &[]).heard()?;
        let mut time = x11rb::CURRENT_TIME;
        self.until(Duration::from_millis(500), |e| match e {
            Event::PropertyNotify(p) if p.window == window && p.atom == what => {
                time = p.time;
                true
            }
            _ => false,
        })?;
        Ok(time)
    }

    /// Wait until the window manager has taken all that was sent before. False when it did not
    /// answer within the bound, or cannot be asked.
    pub fn manager(&mut self, bound: Duration) -> Result<bool> {
        let a = self.atoms;
        let bound = if self.sulks { bound.min(Duration::from_millis(60)) } else { bound };
        self.drain()?;
        // Asked at once with what it can be asked: who does not know the question passes it over.
        let supported = self.wire.ask_items(self.wire.root, a._NET_SUPPORTED)?;
        self.wire.conn.delete_property(self.window, a._NET_FRAME_EXTENTS).heard()?;
        let ask = ClientMessageEvent::new(32, self.window, a._NET_REQUEST_FRAME_EXTENTS, [0u32; 5]);
        let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.wire.conn.send_event(false, self.wire.root, to, ask).heard()?;
        let supported = told(supported)?;
        if supported.is_empty() {
            return Ok(false);
        }
        if !supported.contains(&a._NET_REQUEST_FRAME_EXTENTS) {
            return self.selection(bound);
        }
        let (window, want) = (self.window, a._NET_FRAME_EXTENTS);
        let new = x11rb::protocol::xproto::Property::NEW_VALUE;
        let answered = self.until(bound, |e| matches!(e, Event::PropertyNotify(p) if p.window == window && p.atom == want && p.state == new))?;
        self.sulks = !answered;
        Ok(answered)
    }

    /// The manager's own selection, which it must convert for anyone who asks.
    fn selection(&mut self, bound: Duration) -> Result<bool> {
        let a = self.atoms;
        if self.wire.conn.get_selection_owner(a.WM_S0).heard()?.reply().heard()?.owner == x11rb::NONE {
            return Ok(false);
        }
        self.wire.conn.convert_selection(self.window, a.WM_S0, a.TIMESTAMP, a.TIMESTAMP, x11rb::CURRENT_TIME).heard()?;
        let window = self.window;
        let answered = self.until(bound, |e| matches!(e, Event::SelectionNotify(s) if s.requestor == window))?;
        self.sulks = !answered;
        Ok(answered)
    }

    /// Whether the window manager says it knows this.
    pub fn supports(&self, what: u32) -> Result<bool> {
        Ok(self.wire.items(self.wire.root, self.atoms._NET_SUPPORTED)?.contains(&what))
    }

    /// Ask an application whether it has come as far as now; false when it does not say within
    /// the bound, or never does.
    pub fn application(&mut self, window: Window, bound: Duration) -> Result<bool> {
        if !self.answers(window)? {
            return Ok(false);
        }
        self.listen(true)?;
        let serial = self.ping(window)?;
        let answered = self.pong(serial, bound);
        self.listen(false)?;
        answered
    }

    /// Whether the window answers pings.
    pub fn answers(&self, window: Window) -> Result<bool> {
        let got = self.wire.conn.get_property(false, window, self.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 64).heard()?.reply();
        let listed = |r: x11rb::protocol::xproto::GetPropertyReply| r.value32().is_some_and(|mut v| v.any(|a| a == self.atoms._NET_WM_PING));
        Ok(got.is_ok_and(listed))
    }

    /// Hear answers to pings, or stop hearing them.
    pub fn listen(&mut self, on: bool) -> Result<()> {
        // Qt addresses its answers to those who hear of the root's own structure.
        let mask = if on { EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY } else { EventMask::NO_EVENT };
        let hear = ChangeWindowAttributesAux::new().event_mask(mask);
        self.wire.conn.change_window_attributes(self.wire.root, &hear).heard()?;
        self.wire.conn.flush().heard()?;
        if !on {
            self.drain()?;
        }
        Ok(())
    }

    /// Send a ping; the number is for `pong`.
    pub fn ping(&mut self, window: Window) -> Result<u32> {
        self.serial = self.serial.wrapping_add(1).max(1);
        let data = [self.atoms._NET_WM_PING, self.serial, window, 0, 0];
        let message = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data);
        self.wire.conn.send_event(false, window, EventMask::NO_EVENT, message).heard()?;
        self.wire.conn.flush().heard()?;
        Ok(self.serial)
    }

    /// Wait for the answer to that ping.
    pub fn pong(&mut self, serial: u32, bound: Duration) -> Result<bool> {
        let (ping, kind) = (self.atoms._NET_WM_PING, self.atoms.WM_PROTOCOLS);
        self.until(bound, |e| match e {
            Event::ClientMessage(m) if m.type_ == kind => {
                let data = m.data.as_data32();
                data[0] == ping && data[1] == serial
            }
            _ => false,
        })
    }

    fn drain(&self) -> Result<()> {
        while self.wire.conn.poll_for_event().heard()?.is_some() {}
        Ok(())
    }

    fn until(&mut self, bound: Duration, mut found: impl FnMut(&Event) -> bool) -> Result<bool> {
        let end = Instant::now() + bound;
        self.wire.conn.flush().heard()?;
        loop {
            while let Some(event) = self.wire.conn.poll_for_event().heard()? {
                if found(&event) {
                    return Ok(true);
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            let stream = self.wire.conn.stream();
            let mut fds = [PollFd::new(stream, PollFlags::IN)];
            let _ = poll(&mut fds, Some(&time));
        }
    }
}
