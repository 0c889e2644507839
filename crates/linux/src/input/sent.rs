//! Events sent to one window, marked as synthetic. They move nothing and take no focus, and
//! reach only toolkits that heed them. Owns what such events say is down.

use desktop::{Button, Ctx, Delivery, Modifiers, Owner, Place, Point, Result, Screen, Wheel, Window};
use x11rb::NONE;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ButtonPressEvent, ConnectionExt as _, ENTER_NOTIFY_EVENT, EnterNotifyEvent, EventMask,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, KeyButMask, KeyPressEvent, MOTION_NOTIFY_EVENT, Motion, MotionNotifyEvent, NotifyDetail, NotifyMode,
};

use super::fingers::modifier_code;
use super::hands::Hands;
use super::reach::heeds_pointer;
use super::pointer::{Geometry, notch, number};
use super::wire::{Heard, Wire};

/// A button that a window was told is down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    owner: Owner,
    button: u8,
    spot: Spot,
}

#[derive(Default)]
pub(super) struct Synthetic {
    told: Vec<Told>,
    /// Modifiers that go with pointer events.
    mods: u8,
    inside: u32,
}

/// A place in the deepest window there.
#[derive(Clone, Copy, Debug)]
struct Spot {
    window: u32,
    x: i16,
    y: i16,
    root: Point<Screen>,
}

fn fit(v: i32) -> i16 {
    v.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

fn deepest(wire: &Wire, top: u32, x: i32, y: i32, root: Point<Screen>) -> Result<Spot> {
    let mut spot = Spot { window: top, x: fit(x), y: fit(y), root };
    for _ in 0..32 {
        let r = wire.conn.translate_coordinates(top, spot.window, fit(x), fit(y)).heard()?.reply().heard()?;
        (spot.x, spot.y) = (r.dst_x, r.dst_y);
        match r.child {
            NONE => break,
            child => spot.window = child,
        }
    }
    Ok(spot)
}

impl Hands {
    fn sent_spot(&mut self, place: Place, geometry: Geometry, wheel: bool) -> Result<(Spot, Window)> {
        let (id, at) = match place {
            Place::Window(id, at) => (id, at),
            Place::Screen(_) => return Err(desktop::DesktopError::Unsupported("events are sent to a window".into())),
        };
        let window = geometry(id)?;
        heeds_pointer(self.toolkits.of(window.pid), wheel)?;
        let top = super::xid(id)?;
        let spot = deepest(&self.person.wire, top, at.x, at.y, at.on_screen(window.bounds.origin()))?;
        Ok((spot, window))
    }

    fn sent_state(&self) -> u16 {
        let buttons = self.synthetic.told.iter().fold(0u16, |m, t| m | 0x80u16 << t.button.min(5));
        u16::from(self.synthetic.mods) | buttons
    }

    /// Tell a window that the pointer came in and is there.
    pub fn sent_move(&mut self, to: Place, geometry: Geometry) -> Result<Delivery> {
        let (spot, _) = self.sent_spot(to, geometry, false)?;
        self.tell_motion(spot)?;
        self.person.sync()?;
        Ok(Delivery::default())
    }

    fn tell_motion(&mut self, s: Spot) -> Result<()> {
        let time = self.bell()?.now()?;
        let (wire, state) = (self.person.wire.clone(), KeyButMask::from(self.sent_state()));
        let (root_x, root_y) = (fit(s.root.x), fit(s.root.y));
        if self.synthetic.inside != s.window {
            let enter = EnterNotifyEvent {
                response_type: ENTER_NOTIFY_EVENT, detail: NotifyDetail::ANCESTOR, sequence: 0, time, root: wire.root, event: s.window,
                child: NONE, root_x, root_y, event_x: s.x, event_y: s.y, state, mode: NotifyMode::NORMAL, same_screen_focus: 1,
            };
            wire.conn.send_event(true, s.window, EventMask::ENTER_WINDOW, enter).heard()?;
            self.synthetic.inside = s.window;
        }
        let motion = MotionNotifyEvent {
            response_type: MOTION_NOTIFY_EVENT, detail: Motion::NORMAL, sequence: 0, time, root: wire.root, event: s.window, child: NONE,
            root_x, root_y, event_x: s.x, event_y: s.y, state, same_screen: true,
        };
        let mut mask = EventMask::POINTER_MOTION;
        if !self.synthetic.told.is_empty() {
            mask = mask | EventMask::BUTTON_MOTION;
        }
        wire.conn.send_event(true, s.window, mask, motion).heard()?;
        Ok(())
    }

    fn tell_button(&mut self, s: Spot, button: u8, down: bool) -> Result<()> {
        let time = self.bell()?.now()?;
        let (kind, mask) = if down { (BUTTON_PRESS_EVENT, EventMask::BUTTON_PRESS) } else { (BUTTON_RELEASE_EVENT, EventMask::BUTTON_RELEASE) };
        let event = ButtonPressEvent {
            response_type: kind, detail: button, sequence: 0, time, root: self.person.wire.root, event: s.window, child: NONE,
            root_x: fit(s.root.x), root_y: fit(s.root.y), event_x: s.x, event_y: s.y, state: KeyButMask::from(self.sent_state()), same_screen: true,
        };
        self.person.wire.conn.send_event(true, s.window, mask, event).heard()?;
        Ok(())
    }

    pub fn sent_press(&mut self, ctx: &Ctx, button: Button, at: Place, geometry: Geometry) -> Result<Delivery> {
        let (spot, window) = self.sent_spot(at, geometry, false)?;
        let standing = self.standing_now()?;
        self.tell_motion(spot)?;
        self.tell_button(spot, number(button), true)?;
        self.synthetic.told.push(Told { owner: ctx.owner, button: number(button), spot });
        self.person.sync()?;
        self.settle(Some(standing), Some(&window))
    }

    pub fn sent_release(&mut self, button: Button, at: Place, geometry: Geometry) -> Result<Delivery> {
        let (mut spot, window) = self.sent_spot(at, geometry, false)?;
        let standing = self.standing_now()?;
        if let Some(told) = self.synthetic.told.iter().find(|t| t.button == number(button)).copied() {
            // A pressed pointer belongs to the window where it was pressed.
            let wire = &self.person.wire;
            let r = wire.conn.translate_coordinates(spot.window, told.spot.window, spot.x, spot.y).heard()?.reply().heard()?;
            spot = Spot { window: told.spot.window, x: r.dst_x, y: r.dst_y, root: spot.root };
        }
        self.tell_motion(spot)?;
        self.tell_button(spot, number(button), false)?;
        self.synthetic.told.retain(|t| t.button != number(button));
        self.person.sync()?;
        self.settle(Some(standing), Some(&window))
    }

    pub fn sent_click(&mut self, ctx: &Ctx, button: Button, at: Place, geometry: Geometry) -> Result<Delivery> {
        let (spot, window) = self.sent_spot(at, geometry, false)?;
        let standing = self.standing_now()?;
        let button = number(button);
        self.tell_motion(spot)?;
        self.tell_button(spot, button, true)?;
        self.synthetic.told.push(Told { owner: ctx.owner, button, spot });
        self.tell_button(spot, button, false)?;
        self.synthetic.told.retain(|t| t.button != button);
        self.person.sync()?;
        self.settle(Some(standing), Some(&window))
    }

    pub fn sent_wheel(&mut self, way: Wheel, at: Place, geometry: Geometry) -> Result<Delivery> {
        let (spot, _) = self.sent_spot(at, geometry, true)?;
        self.tell_motion(spot)?;
        self.tell_button(spot, notch(way), true)?;
        self.tell_button(spot, notch(way), false)?;
        self.person.sync()?;
        Ok(Delivery::default())
    }

    /// Modifiers that the following sent pointer events carry.
    pub fn sent_modifiers(&mut self, modifiers: Modifiers, on: bool) -> Result<Delivery> {
        let map = super::keymap::Keymap::read(&self.person.wire)?;
        for m in modifiers.iter() {
            let bits = map.mods_of(modifier_code(&map, m, 0)?);
            self.synthetic.mods = if on { self.synthetic.mods | bits } else { self.synthetic.mods & !bits };
        }
        Ok(Delivery::default())
    }

    /// Tell windows that what this owner pressed in them is up.
    pub fn sent_release_held(&mut self, owner: Option<Owner>) -> Result<()> {
        let mut worst = Ok(());
        for told in self.synthetic.told.clone() {
            if owner.is_none_or(|o| o == told.owner) {
                worst = self.tell_button(told.spot, told.button, false).and(worst);
                self.synthetic.told.retain(|t| t.button != told.button || t.owner != told.owner);
            }
        }
        if self.synthetic.told.is_empty() {
            self.synthetic.mods = 0;
        }
        self.person.sync().and(worst)
    }
}

/// Tell a window that a key went down or up with this state.
pub(super) fn tell_key(wire: &Wire, window: u32, time: u32, code: u8, state: u16, down: bool) -> Result<()> {
    let (kind, mask) = if down { (KEY_PRESS_EVENT, EventMask::KEY_PRESS) } else { (KEY_RELEASE_EVENT, EventMask::KEY_RELEASE) };
    let event = KeyPressEvent {
        response_type: kind, detail: code, sequence: 0, time, root: wire.root, event: window, child: NONE, root_x: 0, root_y: 0,
        event_x: 0, event_y: 0, state: KeyButMask::from(state), same_screen: true,
    };
    wire.conn.send_event(true, window, mask, event).heard()?;
    Ok(())
}

