//! One key with modifiers, and modifiers held for what follows.

use desktop::{Ctx, Delivery, DesktopError, Key, Modifier, Modifiers, Result};

use super::fingers::Fingers;
use super::hands::Hands;
use super::keymap::{SHIFT, Spot};
use super::keysyms;
use super::ledger::Entry;
use super::pace::Pace;
use super::seat::Seat;
use super::typing::Target;

const LOCKS: &[&str] = &["Caps_Lock", "Num_Lock", "Scroll_Lock"];

impl Hands {
    pub fn key(&mut self, ctx: &Ctx, seat: &Seat, key: &Key, modifiers: Modifiers, target: &Target) -> Result<Delivery> {
        let keep_locks = matches!(key, Key::Named(n) if LOCKS.contains(n));
        let mut fingers = Fingers::start(self, seat, target, keep_locks)?;
        let pressed = self.chord(ctx, &mut fingers, key, modifiers, target);
        let finished = self.end(fingers, target);
        pressed?;
        finished?;
        Ok(Delivery::default())
    }

    fn chord(&mut self, ctx: &Ctx, fingers: &mut Fingers, key: &Key, modifiers: Modifiers, target: &Target) -> Result<()> {
        let held: Vec<u8> = modifiers.iter().map(|m| fingers.named_modifier(m)).collect::<Result<_>>()?;
        let (spot, borrowed) = self.find(fingers, key, modifiers)?;
        if borrowed {
            self.map_read(target)?;
        }
        let level = spot.mods & !held.iter().fold(fingers.down(), |m, c| m | fingers.map.mods_of(*c));
        let mut codes = fingers.modifier_codes(level);
        codes.extend(&held);
        codes.push(spot.code);
        fingers.note(self, &codes)?;
        for code in &held {
            fingers.hold_key(*code, true)?;
        }
        let all = fingers.down() | level;
        fingers.tap(Spot { mods: all, ..spot })?;
        for code in held.iter().rev() {
            fingers.hold_key(*code, false)?;
        }
        fingers.seat.sync()?;
        if borrowed {
            let bell = self.bell()?;
            let mut pace = Pace::new(bell, target)?;
            let slow = pace.step(bell, ctx)?;
            let slow = slow.or(pace.all(bell, ctx)?);
            pace.done(bell)?;
            if slow.is_some() {
                return Err(DesktopError::NotAnswering(target.pid));
            }
        }
        Ok(())
    }

    /// Where the key is; a spare key is made into it when the layout has none.
    fn find(&mut self, fingers: &mut Fingers, key: &Key, modifiers: Modifiers) -> Result<(Spot, bool)> {
        let group = fingers.group();
        let (found, sym) = match key {
            Key::Char(c) => {
                let c = if modifiers.is_empty() { *c } else { lower(*c) };
                (fingers.map.char(c, group), keysyms::of_char(c).ok_or(DesktopError::Undeliverable(c))?)
            }
            Key::Named(name) => {
                let sym = keysyms::of_name(name).ok_or_else(|| DesktopError::NotOffered(format!("no key is named {name}")))?;
                (fingers.map.sym(sym, group), sym)
            }
        };
        // With Shift asked for, a key that needs it for this very character is pressed as it is.
        if let Some(mut spot) = found {
            if modifiers.has(Modifier::Shift) {
                spot.mods &= !SHIFT;
            }
            return Ok((spot, false));
        }
        let code = fingers.map.spare().first().copied();
        let code = code.ok_or_else(|| DesktopError::NotOffered("the keyboard layout has no spare key".into()))?;
        fingers.borrow(self, &[(code, sym)])?;
        Ok((Spot { code, group: None, level: 0, mods: 0 }, true))
    }

    pub fn hold_modifiers(&mut self, ctx: &Ctx, seat: &Seat, modifiers: Modifiers) -> Result<Delivery> {
        for code in self.modifier_keys(seat, modifiers)? {
            self.hold(seat, ctx.owner, Entry::Key(seat.side, code))?;
        }
        seat.sync()?;
        Ok(Delivery::default())
    }

    pub fn release_modifiers(&mut self, seat: &Seat, modifiers: Modifiers) -> Result<Delivery> {
        for code in self.modifier_keys(seat, modifiers)?.into_iter().rev() {
            self.let_go(seat, Entry::Key(seat.side, code))?;
        }
        Ok(Delivery::default())
    }

    fn modifier_keys(&mut self, seat: &Seat, modifiers: Modifiers) -> Result<Vec<u8>> {
        let map = self.layout(seat)?;
        modifiers.iter().map(|m| super::fingers::modifier_code(&map, m, 0)).collect()
    }
}

fn lower(c: char) -> char {
    let mut low = c.to_lowercase();
    match (low.next(), low.next()) {
        (Some(l), None) => l,
        _ => c,
    }
}
