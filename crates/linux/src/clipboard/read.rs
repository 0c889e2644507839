//! Reading what the owner of the clipboard offers.

use std::time::{Duration, Instant};

use desktop::{ClipboardOffer, Ctx, DesktopError};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, Property, WindowClass,
};

use super::offer::{self, SECRET, TEXTS};
use crate::x11::atoms::Atoms;
use crate::x11::fault::{Alive, Fault, Outcome};
use crate::x11::link::{Conn, connect};
use crate::x11::stream::Bound;

/// The longest silence of the owner.
const SILENCE: Duration = Duration::from_millis(1000);
/// Content beyond this is not read.
const MOST: usize = 256 << 20;

pub fn read(ctx: &Ctx, display: &str, with_text: bool) -> desktop::Result<ClipboardOffer> {
    ctx.check()?;
    let _bound = Bound::until(ctx.deadline);
    let answer = || -> Outcome<ClipboardOffer> { Reader::open(ctx, display)?.offer(with_text) };
    answer().map_err(|fault| match fault {
        Fault::Late if ctx.left().is_zero() => DesktopError::Timeout,
        fault => fault.into(),
    })
}

/// A connection of its own, so that its events are nobody else's.
struct Reader<'a> {
    ctx: &'a Ctx,
    conn: Conn,
    atoms: Atoms,
    window: u32,
}

struct Answer {
    kind: u32,
    bytes: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn open(ctx: &'a Ctx, display: &str) -> Outcome<Self> {
        let (conn, screen) = connect(display)?;
        let atoms = Atoms::new(&conn)?.reply()?;
        let window = conn.generate_id()?;
        conn.create_window(
            0,
            window,
            conn.setup().roots[screen].root,
            -10,
            -10,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            x11rb::COPY_FROM_PARENT,
            &CreateWindowAux::new().override_redirect(1).event_mask(EventMask::PROPERTY_CHANGE),
        )?;
        Ok(Self { ctx, conn, atoms, window })
    }

    fn offer(&self, with_text: bool) -> Outcome<ClipboardOffer> {
        if self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner == 0 {
            return Ok(ClipboardOffer::default());
        }
        let targets = self.targets()?;
        let types = offer::mime(&targets);
        let secret = targets.iter().any(|t| t == SECRET) && self.is_secret()?;
        let text = if with_text { self.text(&targets)? } else { None };
        Ok(ClipboardOffer { types, text, secret })
    }

    fn targets(&self) -> Outcome<Vec<String>> {
        let Some(answer) = self.convert(self.atoms.TARGETS)? else {
            // An owner too plain to say what it has is asked for the plainest thing.
            return Ok(vec!["STRING".into()]);
        };
        let ids: Vec<u32> =
            answer.bytes.as_chunks::<4>().0.iter().take(512).map(|b| u32::from_ne_bytes(*b)).collect();
        let names = ids.iter().map(|id| Ok(self.conn.get_atom_name(*id)?)).collect::<Outcome<Vec<_>>>()?;
        let mut targets = Vec::new();
        for name in names {
            if let Some(name) = name.reply().alive()? {
                targets.push(String::from_utf8_lossy(&name.name).into_owned());
            }
        }
        Ok(targets)
    }

    fn is_secret(&self) -> Outcome<bool> {
        let hint = self.conn.intern_atom(false, SECRET.as_bytes())?.reply()?.atom;
        Ok(self.convert(hint)?.is_some_and(|a| a.bytes.starts_with(b"secret")))
    }

    fn text(&self, targets: &[String]) -> Outcome<Option<String>> {
        let Some(best) = TEXTS.iter().find(|t| targets.iter().any(|o| o == *t)) else { return Ok(None) };
        let target = self.conn.intern_atom(false, best.as_bytes())?.reply()?.atom;
        let Some(answer) = self.convert(target)? else { return Ok(None) };
        Ok(Some(if answer.kind == u32::from(AtomEnum::STRING) {
            String::from_utf8(answer.bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect())
        } else {
            String::from_utf8_lossy(&answer.bytes).into_owned()
        }))
    }

    /// The content in one form; `None` where the owner refuses it.
    fn convert(&self, target: u32) -> Outcome<Option<Answer>> {
        let a = &self.atoms;
        self.conn.delete_property(self.window, a.CUA_DRIVER_DATA)?;
        self.conn.convert_selection(self.window, a.CLIPBOARD, target, a.CUA_DRIVER_DATA, x11rb::CURRENT_TIME)?;
        self.conn.flush()?;
        let told = self.wait(|e| match e {
            Event::SelectionNotify(e) if e.target == target => Some(e.property),
            _ => None,
        })?;
        if told == 0 {
            return Ok(None);
        }
        let first = self.take()?;
        if first.kind != a.INCR {
            return Ok(Some(first));
        }
        // Large content comes in pieces: each one is asked for by deleting the one before.
        let mut whole = Answer { kind: 0, bytes: Vec::new() };
        loop {
            self.wait(|e| match e {
                Event::PropertyNotify(e) if e.atom == a.CUA_DRIVER_DATA && e.state == Property::NEW_VALUE => Some(()),
                _ => None,
            })?;
            let piece = self.take()?;
            if piece.bytes.is_empty() {
                return Ok(Some(whole));
            }
            whole.kind = piece.kind;
            whole.bytes.extend(piece.bytes);
            if whole.bytes.len() > MOST {
                return Err(DesktopError::System("the clipboard holds more than 256 MiB".into()).into());
            }
        }
    }

    /// Read the property and delete it.
    fn take(&self) -> Outcome<Answer> {
        let data = self.conn.get_property(true, self.window, self.atoms.CUA_DRIVER_DATA, AtomEnum::ANY, 0, (MOST / 4) as u32)?;
        let data = data.reply()?;
        Ok(Answer { kind: data.type_, bytes: data.value })
    }

    /// The next event that is wanted. `NotAnswering` when nothing comes for too long.
    fn wait<T>(&self, mut want: impl FnMut(&Event) -> Option<T>) -> Outcome<T> {
        let end = (Instant::now() + SILENCE).min(self.ctx.deadline);
        let _bound = Bound::until(end);
        loop {
            self.ctx.check()?;
            match self.conn.wait_for_event().map_err(Fault::from) {
                Ok(event) => {
                    if let Some(found) = want(&event) {
                        return Ok(found);
                    }
                }
                Err(Fault::Late) if self.ctx.left().is_zero() => return Err(DesktopError::Timeout.into()),
                Err(Fault::Late) => return Err(DesktopError::NotAnswering(None).into()),
                Err(fault) => return Err(fault),
            }
            if Instant::now() >= end {
                return Err(DesktopError::NotAnswering(None).into());
            }
        }
    }
}
