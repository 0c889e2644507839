//! Pressing keys one after another with the modifiers and the group each of them needs, on a
//! keyboard whose locks and held modifiers were first put out of the way and are put back after.

use desktop::{DesktopError, Modifier, Result};

use super::hands::Hands;
use super::keymap::{CONTROL, KeyShape, Keymap, SHIFT, Spot};
use super::keysyms;
use super::ledger::Entry;
use super::seat::{KeyboardState, Seat, Side};
use super::sent::tell_key;
use super::typing::Target;

pub(super) struct Fingers {
    pub seat: Seat,
    pub map: Keymap,
    before: KeyboardState,
    /// The window that is told of keys, and when, instead of pressing them.
    told: Option<(u32, u32)>,
    /// Modifier keys of the person that were let go for the time being, and whether it was
    /// through XTEST that they were held.
    lifted: Vec<(u8, bool)>,
    /// Real modifiers that are down now by our keys, and by our locks.
    down: u8,
    locked: u8,
    group: u8,
    /// Codes that were borrowed, as they were.
    borrowed: Vec<(u8, KeyShape)>,
    noted: Vec<Entry>,
}

impl Fingers {
    /// Put locks and foreign modifiers out of the way. `keep_locks` for keys that are locks.
    pub fn start(hands: &mut Hands, seat: &Seat, target: &Target, keep_locks: bool) -> Result<Self> {
        let map = hands.layout(seat)?;
        let before = seat.state()?;
        if let (true, Some(window)) = (target.sent, target.window) {
            let told = Some((window, hands.bell()?.now()?));
            let (seat, group) = (seat.clone(), before.group);
            return Ok(Self { seat, map, before, told, lifted: vec![], down: 0, locked: 0, group, borrowed: vec![], noted: vec![] });
        }
        let ours = hands.held.keys(seat.side);
        let modifiers: Vec<u8> = map.modifier_codes().collect();
        let foreign = |c: &u8| modifiers.contains(c) && !ours.contains(c);
        let (all, pressed) = (seat.keys_down()?, seat.pressed_keys()?);
        let lifted: Vec<u8> = all.iter().copied().filter(foreign).collect();
        let down = ours.iter().fold(0, |m, c| m | map.mods_of(*c));
        let mut noted = vec![Entry::Group(seat.side, before.locked_group)];
        if before.locked != 0 && !keep_locks {
            noted.push(Entry::Locks(seat.side, 0xff, before.locked));
        }
        hands.ledger.begin(&noted)?;
        hands.felt(seat);
        for code in &lifted {
            seat.key(*code, false)?;
        }
        // A key that counts as pressed here and is up for the keyboard as a whole could not be
        // pressed again.
        for code in pressed.iter().filter(|c| !all.contains(c)) {
            seat.key(*code, false)?;
        }
        let lifted = lifted.into_iter().map(|c| (c, pressed.contains(&c))).collect();
        if before.locked != 0 && !keep_locks {
            seat.lock(before.locked, 0)?;
        }
        let group = before.group;
        Ok(Self { seat: seat.clone(), map, before, told: None, lifted, down, locked: 0, group, borrowed: Vec::new(), noted })
    }

    /// The group that the layout is in now.
    pub fn group(&self) -> u8 {
        self.group
    }

    /// Note keys that are going to be pressed.
    pub fn note(&mut self, hands: &mut Hands, codes: &[u8]) -> Result<()> {
        if self.told.is_some() {
            return Ok(());
        }
        let mut fresh: Vec<Entry> = codes.iter().map(|c| Entry::Key(self.seat.side, *c)).collect();
        fresh.retain(|e| !self.noted.contains(e));
        fresh.dedup();
        hands.ledger.begin(&fresh)?;
        self.noted.append(&mut fresh);
        Ok(())
    }

    /// Keys that `mods` may need.
    pub fn modifier_codes(&self, mods: u8) -> Vec<u8> {
        (0..8).map(|b| 1 << b).filter(|b| mods & b != 0).filter_map(|b| self.key_for(b)).collect()
    }

    /// The key that holds one real modifier down; `None` where only a lock sets it.
    fn key_for(&self, bit: u8) -> Option<u8> {
        match bit {
            SHIFT => self.map.modifier_key(SHIFT, &[0xffe1, 0xffe2]),
            CONTROL => self.map.modifier_key(CONTROL, &[0xffe3, 0xffe4]),
            bit => self.map.sym(keysyms::LEVEL3, self.group).map(|s| s.code).filter(|c| self.map.mods_of(*c) == bit),
        }
    }

    /// The key of a modifier that was asked for by name.
    pub fn named_modifier(&self, m: Modifier) -> Result<u8> {
        modifier_code(&self.map, m, self.group)
    }

    /// Press and release one key with exactly these modifiers, on top of `held` ones.
    pub fn tap(&mut self, spot: Spot) -> Result<()> {
        self.go_group(spot.group)?;
        self.go_mods(spot.mods)?;
        self.key(spot.code, true)?;
        self.key(spot.code, false)
    }

    fn key(&self, code: u8, down: bool) -> Result<()> {
        match self.told {
            Some((window, time)) => {
                let state = u16::from(self.down | self.locked) | u16::from(self.group) << 13;
                tell_key(&self.seat.wire, window, time, code, state, down)
            }
            None => self.seat.key(code, down),
        }
    }

    fn lock(&self, mask: u8, value: u8) -> Result<()> {
        if self.told.is_none() { self.seat.lock(mask, value) } else { Ok(()) }
    }

    fn go_group(&mut self, group: Option<u8>) -> Result<()> {
        if let Some(group) = group.filter(|g| *g != self.group) {
            if self.told.is_none() {
                self.seat.group(group)?;
            }
            self.group = group;
        }
        Ok(())
    }

    /// Hold down exactly these real modifiers.
    pub fn go_mods(&mut self, want: u8) -> Result<()> {
        for bit in (0..8).map(|b| 1u8 << b) {
            let (have, wanted) = ((self.down | self.locked) & bit != 0, want & bit != 0);
            if have == wanted {
                continue;
            }
            match self.key_for(bit).filter(|_| self.locked & bit == 0) {
                Some(code) => {
                    self.key(code, wanted)?;
                    self.down ^= bit;
                }
                None => {
                    self.lock(bit, if wanted { bit } else { 0 })?;
                    self.locked ^= bit;
                }
            }
        }
        Ok(())
    }

    /// Hold nothing but what owners hold.
    pub fn rest(&mut self, hands: &Hands) -> Result<()> {
        let held = if self.told.is_some() { 0 } else { hands.held.keys(self.seat.side).iter().fold(0, |m, c| m | self.map.mods_of(*c)) };
        self.go_mods(held)?;
        self.seat.sync()
    }

    pub fn has_borrowed(&self) -> bool {
        !self.borrowed.is_empty()
    }

    /// Hold a modifier key by its code, as part of a chord.
    pub fn hold_key(&mut self, code: u8, down: bool) -> Result<()> {
        self.key(code, down)?;
        let bits = self.map.mods_of(code);
        self.down = if down { self.down | bits } else { self.down & !bits };
        Ok(())
    }

    pub fn down(&self) -> u8 {
        self.down | self.locked
    }

    /// Give spare keys these keysyms in the layout that applications read.
    pub fn borrow(&mut self, hands: &mut Hands, keys: &[(u8, u32)]) -> Result<()> {
        let fresh = keys.iter().map(|(c, _)| *c).filter(|c| !self.borrowed.iter().any(|(b, _)| b == c));
        let fresh: Vec<(u8, KeyShape)> = fresh.filter_map(|c| Some((c, self.map.key(c)?))).collect();
        let entries: Vec<Entry> = fresh.iter().map(|(c, old)| Entry::Code(*c, old.clone())).collect();
        hands.ledger.begin(&entries)?;
        self.noted.extend(entries);
        self.borrowed.extend(fresh);
        let new: Vec<_> = keys.iter().map(|(c, sym)| (*c, KeyShape::plain(*sym))).collect();
        self.map.write_keys(&hands.person.wire, &new)
    }

    /// Let go of everything and put locks, group, keys and the person's modifiers back.
    pub fn finish(mut self, hands: &mut Hands) -> Result<()> {
        if self.told.is_some() {
            self.rest(hands)?;
            return self.give_codes_back(hands);
        }
        hands.felt(&self.seat);
        self.rest(hands)?;
        if self.group != self.before.group {
            self.seat.group(self.before.locked_group)?;
        }
        if self.noted.iter().any(|e| matches!(e, Entry::Locks(..))) {
            self.seat.lock(self.before.locked, self.before.locked)?;
        }
        for (code, by_xtest) in &self.lifted {
            // What was let go on the real keyboard meanwhile stays up, as does a key of the second
            // keyboard that nobody holds.
            if self.seat.side == Side::Person && (*by_xtest || self.seat.really_down(*code)?) {
                self.seat.key(*code, true)?;
            }
        }
        self.seat.sync()?;
        self.give_codes_back(hands)
    }

    fn give_codes_back(self, hands: &mut Hands) -> Result<()> {
        self.map.write_keys(&hands.person.wire, &self.borrowed)?;
        hands.ledger.end(&self.noted);
        Ok(())
    }
}

/// The key of a modifier in a layout.
pub(super) fn modifier_code(map: &Keymap, m: Modifier, group: u8) -> Result<u8> {
    let syms: &[u32] = match m {
        Modifier::Shift => &[0xffe1, 0xffe2],
        Modifier::Control => &[0xffe3, 0xffe4],
        Modifier::Alt => &[0xffe9, 0xffea],
        Modifier::Super => &[0xffeb, 0xffec],
        Modifier::Level3 => &[keysyms::LEVEL3, 0xff7e],
    };
    let code = syms.iter().filter_map(|s| map.sym(*s, group)).map(|s| s.code).find(|c| map.mods_of(*c) != 0);
    code.ok_or_else(|| DesktopError::NotOffered(format!("the keyboard layout has no {m:?} key")))
}
