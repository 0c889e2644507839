//! One keyboard's map as the server holds it: which key, group and modifiers make a keysym.
//! Reads and copies maps; borrowing and pressing are elsewhere.

use std::collections::HashMap;

use desktop::{DesktopError, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::xkb::{self, ConnectionExt as _, GetMapReply, KeySymMap, MapPart};
use x11rb::protocol::xproto::ModMask;
use x11rb::x11_utils::TryParse as _;

use super::keysyms;
use super::wire::{Heard, Wire};

/// One key of a map, in the server's own terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyShape {
    /// The key type of each group.
    pub kinds: [u8; 4],
    /// How many groups, and what happens to those beyond.
    pub groups: u8,
    /// Levels of the widest group.
    pub width: u8,
    pub syms: Vec<u32>,
}

impl KeyShape {
    /// A key that makes one keysym whatever is held or locked.
    pub fn plain(sym: u32) -> Self {
        Self { kinds: [0; 4], groups: 1, width: 1, syms: vec![sym] }
    }

    fn of(k: &KeySymMap) -> Self {
        Self { kinds: k.kt_index, groups: k.group_info, width: k.width, syms: k.syms.clone() }
    }

    fn wire(&self) -> KeySymMap {
        KeySymMap { kt_index: self.kinds, group_info: self.groups, width: self.width, syms: self.syms.clone() }
    }
}

/// The keyboard of a connection's own pointer: the person's, or the second one on its connection.
pub(super) const OWN: u16 = 0x100;

pub(super) const SHIFT: u8 = 1;
pub(super) const LOCK: u8 = 2;
pub(super) const CONTROL: u8 = 4;

/// A way to make a keysym.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub code: u8,
    /// `None`: the key is the same in every group.
    pub group: Option<u8>,
    pub level: u8,
    /// Real modifiers that choose the level.
    pub mods: u8,
}

pub(super) struct Keymap {
    bytes: Vec<u8>,
    reply: GetMapReply,
    spots: HashMap<u32, Vec<Spot>>,
    chars: HashMap<char, Vec<Spot>>,
    /// Real modifiers of each keycode.
    modmap: [u8; 256],
}

impl Keymap {
    /// The map of the connection's own keyboard.
    pub fn read(wire: &Wire) -> Result<Self> {
        let all = MapPart::from(0xffu16);
        let bytes = wire
            .conn
            .xkb_get_map(OWN, all, MapPart::from(0u16), 0, 0, 0, 0, 0, 0, 0, 0, xkb::VMod::from(0u16), 0, 0, 0, 0, 0, 0)
            .heard()?
            .raw_reply()
            .heard()?
            .to_vec();
        let parsed = GetMapReply::try_parse(&bytes);
        let (reply, _) = parsed.map_err(|e| DesktopError::System(format!("the keyboard map cannot be read: {e}")))?;
        Ok(Self::index(bytes, reply))
    }

    fn index(bytes: Vec<u8>, reply: GetMapReply) -> Self {
        let mut modmap = [0; 256];
        for m in reply.map.modmap_rtrn.iter().flatten() {
            modmap[usize::from(m.keycode)] = u8::try_from(u16::from(m.mods)).unwrap_or(0);
        }
        let mut map = Self { bytes, reply, spots: HashMap::new(), chars: HashMap::new(), modmap };
        let keys: Vec<(u8, Vec<(u32, Spot)>)> = map.keys().map(|(code, key)| (code, map.spots_of(code, key))).collect();
        for (sym, spot) in keys.into_iter().flat_map(|(_, spots)| spots) {
            map.spots.entry(sym).or_default().push(spot);
            if let Some(c) = keysyms::to_char(sym) {
                map.chars.entry(c).or_default().push(spot);
            }
        }
        map
    }

    fn keys(&self) -> impl Iterator<Item = (u8, &KeySymMap)> {
        let first = self.reply.first_key_sym;
        self.reply.map.syms_rtrn.iter().flatten().enumerate().map(move |(i, k)| (first.saturating_add(i as u8), k))
    }

    /// What one key is in the server's own terms.
    pub fn key(&self, code: u8) -> Option<KeyShape> {
        let at = usize::from(code.checked_sub(self.reply.first_key_sym)?);
        self.reply.map.syms_rtrn.as_ref()?.get(at).map(KeyShape::of)
    }

    fn spots_of(&self, code: u8, key: &KeySymMap) -> Vec<(u32, Spot)> {
        let groups = key.group_info & 0x0f;
        let mut out = Vec::new();
        for group in 0..groups.min(4) {
            for level in 0..key.width {
                let at = usize::from(group) * usize::from(key.width) + usize::from(level);
                let sym = key.syms.get(at).copied().unwrap_or(0);
                let mods = self.level_mods(key.kt_index[usize::from(group)], level);
                if let (true, Some(mods)) = (sym != 0, mods) {
                    out.push((sym, Spot { code, group: (groups > 1).then_some(group), level, mods }));
                }
            }
        }
        out
    }

    /// The fewest modifiers, none of them Caps Lock, that choose a level of a key type.
    fn level_mods(&self, kind: u8, level: u8) -> Option<u8> {
        let kind = self.reply.map.types_rtrn.as_ref()?.get(usize::from(kind))?;
        if level == 0 {
            return Some(0);
        }
        kind.map
            .iter()
            .filter(|e| e.active && e.level == level)
            .map(|e| u8::try_from(u16::from(e.mods_mask)).unwrap_or(0))
            .filter(|m| m & LOCK == 0 && *m != 0)
            .min_by_key(|m| (m.count_ones(), *m != SHIFT))
    }

    /// The best way to type a character, the present group first.
    pub fn char(&self, c: char, group: u8) -> Option<Spot> {
        best(self.chars.get(&c)?, group)
    }

    pub fn sym(&self, sym: u32, group: u8) -> Option<Spot> {
        best(self.spots.get(&sym)?, group)
    }

    /// A key that sets exactly this real modifier, those that make one of `syms` first.
    pub fn modifier_key(&self, bit: u8, syms: &[u32]) -> Option<u8> {
        let named = syms.iter().flat_map(|s| self.spots.get(s).into_iter().flatten());
        let named = named.filter(|s| s.level == 0).map(|s| s.code).find(|c| self.modmap[usize::from(*c)] == bit);
        named.or_else(|| (8..=255u8).find(|c| self.modmap[usize::from(*c)] == bit && self.key(*c).is_some_and(|k| k.groups & 15 > 0)))
    }

    /// Real modifiers that a key sets.
    pub fn mods_of(&self, code: u8) -> u8 {
        self.modmap[usize::from(code)]
    }

    pub fn modifier_codes(&self) -> impl Iterator<Item = u8> {
        (8..=255u8).filter(|c| self.modmap[usize::from(*c)] != 0)
    }

    /// As many spare keys as asked for, or all there are, lying as close together as they do.
    pub fn spare_run(&self, count: usize) -> Vec<u8> {
        let all = self.spare();
        let runs = all.windows(count.clamp(1, all.len().max(1)));
        runs.min_by_key(|r| r.last().zip(r.first()).map(|(l, f)| l - f)).unwrap_or_default().to_vec()
    }

    /// Keys that make nothing and set nothing.
    pub fn spare(&self) -> Vec<u8> {
        self.keys()
            .filter(|(code, key)| *code > 8 && key.syms.iter().all(|s| *s == 0) && self.modmap[usize::from(*code)] == 0)
            .map(|(code, _)| code)
            .collect()
    }

    /// Write these keys of the connection's own keyboard in one request, as every request makes
    /// every application read the map again. Keys between them are written as they are.
    pub fn write_keys(&self, wire: &Wire, keys: &[(u8, KeyShape)]) -> Result<()> {
        let codes = || keys.iter().map(|(c, _)| *c);
        let (Some(first), Some(last)) = (codes().min(), codes().max()) else { return Ok(()) };
        let shape = |code: u8| keys.iter().find(|(c, _)| *c == code).map(|(_, k)| k.clone()).or_else(|| self.key(code));
        let run: Vec<KeySymMap> = (first..=last).map(|c| shape(c).unwrap_or_default().wire()).collect();
        let ends = (self.reply.min_key_code, self.reply.max_key_code);
        write_run(wire, ends, first, &run, xkb::SetMapFlags::from(0u16), xkb::VMod::from(0u16))
    }

    /// Whether both maps are the same, whosever they are.
    pub fn same(&self, other: &Self) -> bool {
        // Device and sequence number come first.
        self.bytes.get(4..) == other.bytes.get(4..)
    }

    /// Give the connection's own keyboard this map.
    pub fn write(&self, wire: &Wire) -> Result<()> {
        let r = &self.reply;
        let explicit = r.map.explicit_rtrn.as_deref().map(even);
        let modmap = r.map.modmap_rtrn.as_deref().map(even);
        let count = |n: Option<usize>| n.and_then(|n| u8::try_from(n).ok()).unwrap_or(0);
        let (explicits, modmaps) = (count(explicit.as_ref().map(Vec::len)), count(modmap.as_ref().map(Vec::len)));
        let map = xkb::SetMapAux {
            types: r.map.types_rtrn.as_ref().map(|t| t.iter().map(set_type).collect()),
            syms: r.map.syms_rtrn.clone(),
            key_actions: r.map.key_actions.as_ref().map(|a| xkb::SetMapAuxKeyActions {
                actions_count: a.acts_rtrn_count.clone(),
                actions: a.acts_rtrn_acts.clone(),
            }),
            behaviors: r.map.behaviors_rtrn.clone(),
            vmods: r.map.vmods_rtrn.as_ref().map(|v| v.iter().map(|m| u16::from(*m) as u8).collect()),
            explicit,
            modmap,
            vmodmap: r.map.vmodmap_rtrn.clone(),
        };
        wire.conn
            .xkb_set_map(
                OWN, xkb::SetMapFlags::RESIZE_TYPES, r.min_key_code, r.max_key_code, r.first_type, r.n_types,
                r.first_key_sym, r.n_key_syms, r.total_syms, r.first_key_action, r.n_key_actions, r.total_actions,
                r.first_key_behavior, r.n_key_behaviors, r.total_key_behaviors, r.first_key_explicit, r.n_key_explicit,
                explicits, r.first_mod_map_key, r.n_mod_map_keys, modmaps, r.first_v_mod_map_key,
                r.n_v_mod_map_keys, r.total_v_mod_map_keys, r.virtual_mods, &map,
            )
            .heard()?
            .check()
            .heard()
    }
}

/// The server wants these lists of two-byte items in whole words and the binding does not fill
/// up: an odd list gets its last item twice, which says the same.
fn even<T: Copy>(list: &[T]) -> Vec<T> {
    let mut out = list.to_vec();
    if out.len() % 2 == 1 {
        out.extend(list.last());
    }
    out
}

fn best(spots: &[Spot], group: u8) -> Option<Spot> {
    spots.iter().copied().min_by_key(|s| (s.group.is_some_and(|g| g != group), s.mods.count_ones(), s.level, s.code))
}

fn set_type(t: &xkb::KeyType) -> xkb::SetKeyType {
    let def = |level, real: ModMask, virt| xkb::KTSetMapEntry { level, real_mods: real, virtual_mods: virt };
    xkb::SetKeyType {
        mask: t.mods_mask,
        real_mods: t.mods_mods,
        virtual_mods: t.mods_vmods,
        num_levels: t.num_levels,
        preserve: t.has_preserve,
        entries: t.map.iter().map(|e| def(e.level, e.mods_mods, e.mods_vmods)).collect(),
        preserve_entries: t.preserve.iter().map(|p| def(0, p.real_mods, p.vmods)).collect(),
    }
}

/// Write one key of the connection's own keyboard exactly as given.
pub(super) fn write_key(wire: &Wire, code: u8, key: &KeyShape) -> Result<()> {
    let setup = wire.conn.setup();
    let (flags, none) = (xkb::SetMapFlags::from(0u16), xkb::VMod::from(0u16));
    write_run(wire, (setup.min_keycode, setup.max_keycode), code, &[key.wire()], flags, none)
}

fn write_run(wire: &Wire, ends: (u8, u8), first: u8, keys: &[KeySymMap], flags: xkb::SetMapFlags, none: xkb::VMod) -> Result<()> {
    let total = keys.iter().map(|k| k.syms.len() as u16).sum();
    let map = xkb::SetMapAux { syms: Some(keys.to_vec()), ..Default::default() };
    wire.conn
        .xkb_set_map(
            OWN, flags, ends.0, ends.1, 0, 0, first, keys.len() as u8, total, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, none, &map,
        )
        .heard()?
        .check()
        .heard()
}
