//! A seat: one pointer and keyboard that the driver presses through XTEST. The person's seat is
//! what the server starts with; the second one is a master pair of the driver's own, made at
//! first need and never removed. Owns the devices; refuses to own what is held and why.

use std::fmt;
use std::sync::Arc;

use desktop::{DesktopError, Point, Result, Screen};
use x11rb::cookie::Cookie;
use x11rb::protocol::xinput::{
    self, ConnectionExt as _, DeviceType, HierarchyChange, HierarchyChangeData, HierarchyChangeDataAddMaster,
};
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{self, ConnectionExt as _, ModMask};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::{CURRENT_TIME, NONE};

use super::keymap::OWN;
use super::wire::{Heard, Wire};

/// Name of the second pair; the server adds ` pointer` and ` keyboard`.
const NAME: &str = "cua-driver";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Person,
    Agent,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Person => "person",
            Side::Agent => "agent",
        })
    }
}

#[derive(Clone)]
pub(super) struct Seat {
    pub side: Side,
    pub wire: Arc<Wire>,
    /// Master devices.
    pub pointer: u16,
    pub keyboard: u16,
    /// The keyboard under it where XTEST presses keys.
    slave: u16,
    /// The other keyboards under it: real ones.
    real: Vec<u16>,
}

impl Seat {
    /// The pair that every client starts with.
    pub fn person(wire: Arc<Wire>) -> Result<Self> {
        let devices = wire.conn.xinput_xi_query_device(0u16).heard()?.reply().heard()?.infos;
        let keyboard = devices.iter().find(|d| d.type_ == DeviceType::MASTER_KEYBOARD);
        let keyboard = keyboard.ok_or_else(|| DesktopError::Unsupported("the X server has no keyboard".into()))?;
        let (slave, real) = slaves(&devices, keyboard.deviceid);
        Ok(Self { side: Side::Person, pointer: keyboard.attachment, keyboard: keyboard.deviceid, slave, real, wire })
    }

    /// The second pair on a connection of its own, if it is there; made when `make`.
    pub fn agent(display: &str, make: bool) -> Result<Option<Self>> {
        let wire = Arc::new(Wire::open(display)?);
        if let Some(seat) = Self::find(&wire)? {
            return Ok(Some(seat));
        }
        if !make {
            return Ok(None);
        }
        let name = NAME.as_bytes().to_vec();
        // The length counts four-byte words: a header of two and the padded name.
        let len = 2 + name.len().div_ceil(4) as u16;
        let data = HierarchyChangeData::AddMaster(HierarchyChangeDataAddMaster { send_core: true, enable: true, name });
        wire.conn.xinput_xi_change_hierarchy(&[HierarchyChange { len, data }]).heard()?.check().heard()?;
        Self::find(&wire)
    }

    /// Whether the second pair is there. Changes nothing.
    pub fn has_agent(wire: &Wire) -> Result<bool> {
        let name = format!("{NAME} pointer");
        let devices = wire.conn.xinput_xi_query_device(0u16).heard()?.reply().heard()?.infos;
        Ok(devices.iter().any(|d| d.type_ == DeviceType::MASTER_POINTER && d.name == name.as_bytes()))
    }

    fn find(wire: &Arc<Wire>) -> Result<Option<Self>> {
        let devices = wire.conn.xinput_xi_query_device(0u16).heard()?.reply().heard()?.infos;
        let master = |what: &str, kind: DeviceType| {
            let name = format!("{NAME} {what}");
            devices.iter().find(|d| d.type_ == kind && d.name == name.as_bytes()).map(|d| d.deviceid)
        };
        let (Some(pointer), Some(keyboard)) =
            (master("pointer", DeviceType::MASTER_POINTER), master("keyboard", DeviceType::MASTER_KEYBOARD))
        else {
            return Ok(None);
        };
        let (slave, real) = slaves(&devices, keyboard);
        wire.conn.xinput_xi_set_client_pointer(NONE, pointer).heard()?.check().heard()?;
        Ok(Some(Self { side: Side::Agent, wire: wire.clone(), pointer, keyboard, slave, real }))
    }

    pub fn key(&self, code: u8, down: bool) -> Result<()> {
        let kind = if down { xproto::KEY_PRESS_EVENT } else { xproto::KEY_RELEASE_EVENT };
        self.fake(kind, code, NONE, 0, 0)
    }

    pub fn button(&self, button: u8, down: bool) -> Result<()> {
        let kind = if down { xproto::BUTTON_PRESS_EVENT } else { xproto::BUTTON_RELEASE_EVENT };
        self.fake(kind, button, NONE, 0, 0)
    }

    pub fn motion(&self, at: Point<Screen>) -> Result<()> {
        let fit = |v: i32| v.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        self.fake(xproto::MOTION_NOTIFY_EVENT, 0, self.wire.root, fit(at.x), fit(at.y))
    }

    fn fake(&self, kind: u8, detail: u8, root: u32, x: i16, y: i16) -> Result<()> {
        self.wire.conn.xtest_fake_input(kind, detail, CURRENT_TIME, root, x, y, 0).heard()?;
        Ok(())
    }

    /// Set the locks of `mask` to `value`.
    pub fn lock(&self, mask: u8, value: u8) -> Result<()> {
        let (mask, value) = (ModMask::from(u16::from(mask)), ModMask::from(u16::from(value)));
        let none = ModMask::from(0u16);
        self.wire.conn.xkb_latch_lock_state(OWN, mask, value, false, 0u8.into(), none, false, 0).heard()?;
        Ok(())
    }

    /// Make a layout group the lasting one.
    pub fn group(&self, group: u8) -> Result<()> {
        let none = ModMask::from(0u16);
        self.wire.conn.xkb_latch_lock_state(OWN, none, none, true, group.into(), none, false, 0).heard()?;
        Ok(())
    }

    pub fn state(&self) -> Result<KeyboardState> {
        let s = self.wire.conn.xkb_get_state(OWN).heard()?.reply().heard()?;
        let bits = |m: ModMask| u8::try_from(u16::from(m)).unwrap_or(0);
        Ok(KeyboardState {
            locked: bits(s.locked_mods),
            group: s.group.into(),
            locked_group: s.locked_group.into(),
        })
    }

    /// Where this seat's keyboard goes.
    pub fn focus(&self) -> Result<u32> {
        match self.side {
            Side::Person => Ok(self.wire.conn.get_input_focus().heard()?.reply().heard()?.focus),
            Side::Agent => Ok(self.wire.conn.xinput_xi_get_focus(self.keyboard).heard()?.reply().heard()?.focus),
        }
    }

    /// Give the second keyboard to a window, or to none. Never moves the person's focus.
    pub fn set_focus(&self, window: Option<u32>) -> Result<()> {
        let cookie = self.wire.conn.xinput_xi_set_focus(window.unwrap_or(NONE), CURRENT_TIME, self.keyboard).heard()?;
        cookie.check().heard()
    }

    pub fn position(&self) -> Result<Point<Screen>> {
        self.ask_position()?.told()
    }

    /// The same, without waiting yet.
    pub fn ask_position(&self) -> Result<Position<'_>> {
        Ok(Position(self.wire.conn.xinput_xi_query_pointer(self.wire.root, self.pointer).heard()?))
    }

    /// Buttons of this pointer that are down.
    pub fn buttons_down(&self) -> Result<Vec<u8>> {
        let p = self.wire.conn.xinput_xi_query_pointer(self.wire.root, self.pointer).heard()?.reply().heard()?;
        let down = |b: u8| p.buttons.get(usize::from(b / 32)).is_some_and(|w| w >> (b % 32) & 1 == 1);
        Ok((1..=31).filter(|b| down(*b)).collect())
    }

    /// Keys of the keyboard as a whole that are down, whoever pressed them.
    pub fn keys_down(&self) -> Result<Vec<u8>> {
        device_keys(&self.wire, self.keyboard)
    }

    /// Keys that were pressed through XTEST and not released.
    pub fn pressed_keys(&self) -> Result<Vec<u8>> {
        device_keys(&self.wire, self.slave)
    }

    /// Whether a real keyboard holds this key now.
    pub fn really_down(&self, code: u8) -> Result<bool> {
        for device in &self.real {
            if device_keys(&self.wire, *device)?.contains(&code) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Make the server serve only this connection, or everybody again.
    pub fn alone(&self, on: bool) -> Result<()> {
        if on {
            self.wire.conn.grab_server().heard()?;
        } else {
            self.wire.conn.ungrab_server().heard()?;
        }
        Ok(())
    }

    pub fn sync(&self) -> Result<()> {
        self.wire.round_trip()
    }
}

/// Where a pointer was asked to be.
pub(super) struct Position<'a>(Cookie<'a, RustConnection, xinput::XIQueryPointerReply>);

impl Position<'_> {
    pub fn told(self) -> Result<Point<Screen>> {
        let p = self.0.reply().heard()?;
        Ok(Point::new(p.root_x >> 16, p.root_y >> 16))
    }
}

/// What a keyboard's modifiers and groups are.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyboardState {
    pub locked: u8,
    /// The group that counts.
    pub group: u8,
    pub locked_group: u8,
}

/// Keys of one device that are down.
fn device_keys(wire: &Wire, device: u16) -> Result<Vec<u8>> {
    let Ok(device) = u8::try_from(device) else { return Ok(Vec::new()) };
    let reply = wire.conn.xinput_query_device_state(device).heard()?.reply().heard()?;
    let mut out = Vec::new();
    for class in reply.classes {
        if let xinput::InputStateData::Key(k) = class.data {
            out.extend((0..=255u8).filter(|c| k.keys[usize::from(c / 8)] >> (c % 8) & 1 == 1));
        }
    }
    Ok(out)
}

/// The XTEST keyboard of a master, and the others.
fn slaves(devices: &[xinput::XIDeviceInfo], master: u16) -> (u16, Vec<u16>) {
    let under = |d: &&xinput::XIDeviceInfo| d.type_ == DeviceType::SLAVE_KEYBOARD && d.attachment == master;
    let xtest = |d: &&xinput::XIDeviceInfo| d.name.windows(5).any(|w| w == b"XTEST");
    let (test, real): (Vec<_>, Vec<_>) = devices.iter().filter(under).partition(xtest);
    (test.first().map_or(master, |d| d.deviceid), real.iter().map(|d| d.deviceid).collect())
}
