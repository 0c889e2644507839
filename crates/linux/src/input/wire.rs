//! X connections of the input side and what their errors mean. Owns nothing of seats or keys.

use std::sync::Mutex;

use desktop::{DesktopError, Result};
use x11rb::connection::Connection;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xinput::ConnectionExt as _;
use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, Window};
use x11rb::rust_connection::RustConnection;

use crate::x11::link::lock;

pub(super) struct Wire {
    pub conn: RustConnection,
    pub root: Window,
    /// The windows from a child of the root down to the one that was last found on top.
    way: Mutex<Vec<Window>>,
}

impl Wire {
    /// A connection that has agreed on XInput 2 and XKB.
    pub fn open(display: &str) -> Result<Self> {
        let (conn, screen) = x11rb::connect(Some(display)).heard()?;
        let root = conn.setup().roots[screen].root;
        let xi = conn.xinput_xi_query_version(2, 3).heard()?;
        let xkb = conn.xkb_use_extension(1, 0).heard()?;
        xi.reply().heard()?;
        if !xkb.reply().heard()?.supported {
            return Err(DesktopError::Unsupported("this X server has no XKB".into()));
        }
        Ok(Self { conn, root, way: Mutex::default() })
    }

    /// Wait until the server has done all that was asked before.
    pub fn round_trip(&self) -> Result<()> {
        self.conn.get_input_focus().heard()?.reply().heard()?;
        Ok(())
    }

    pub fn atom(&self, name: &str) -> Result<Atom> {
        Ok(self.conn.intern_atom(false, name.as_bytes()).heard()?.reply().heard()?.atom)
    }

    /// The 32-bit items of a property; empty where there is none.
    pub fn items(&self, window: Window, property: Atom) -> Result<Vec<u32>> {
        told(self.ask_items(window, property)?)
    }

    /// The same, without waiting yet.
    pub fn ask_items(&self, window: Window, property: Atom) -> Result<Items<'_>> {
        self.conn.get_property(false, window, property, AtomEnum::ANY, 0, 4096).heard()
    }

    /// Whether the windows at a spot of the screen are, from the root down, those of the known way to
    /// this window. All of them are asked at once; false says only that it has to be looked for.
    pub fn leads(&self, window: Window, x: i16, y: i16) -> Result<bool> {
        let way = lock(&self.way).clone();
        if way.last() != Some(&window) {
            return Ok(false);
        }
        let asked = std::iter::once(&self.root).chain(&way).zip(&way);
        let asked = asked.map(|(over, next)| Ok((self.conn.translate_coordinates(self.root, *over, x, y).heard()?, *next)));
        let mut same = true;
        for (at, next) in asked.collect::<Result<Vec<_>>>()? {
            same &= match at.reply() {
                Ok(r) => r.child == next,
                Err(ReplyError::X11Error(_)) => false,
                Err(e) => return Err(e).heard(),
            };
        }
        Ok(same)
    }

    pub fn remember(&self, way: Vec<Window>) {
        *lock(&self.way) = way;
    }

    /// Whether `window` is `top` or lies in it.
    pub fn lies_in(&self, window: Window, top: Window) -> Result<bool> {
        let mut at = window;
        for _ in 0..64 {
            if at == top {
                return Ok(true);
            }
            if at <= 1 || at == self.root {
                return Ok(false);
            }
            match self.conn.query_tree(at).heard()?.reply() {
                Ok(t) => at = t.parent,
                Err(ReplyError::X11Error(_)) => return Ok(false),
                Err(e) => return Err(e).heard(),
            }
        }
        Ok(false)
    }
}

pub(super) type Items<'a> = Cookie<'a, RustConnection, GetPropertyReply>;

/// What was asked for: nothing where the window or its property is not there.
pub(super) fn told(items: Items<'_>) -> Result<Vec<u32>> {
    match items.reply() {
        Ok(r) => Ok(r.value32().map(Iterator::collect).unwrap_or_default()),
        Err(ReplyError::X11Error(_)) => Ok(Vec::new()),
        Err(e) => Err(e).heard(),
    }
}

/// What an X error means for the caller.
pub(super) trait Heard<T> {
    fn heard(self) -> Result<T>;
}

impl<T> Heard<T> for std::result::Result<T, ConnectError> {
    fn heard(self) -> Result<T> {
        self.map_err(|e| DesktopError::NoDisplay(e.to_string()))
    }
}

impl<T> Heard<T> for std::result::Result<T, ConnectionError> {
    fn heard(self) -> Result<T> {
        self.map_err(|e| match e {
            ConnectionError::UnsupportedExtension => DesktopError::Unsupported("this X server lacks XInput, XKB or XTEST".into()),
            e => DesktopError::NoDisplay(e.to_string()),
        })
    }
}

impl<T> Heard<T> for std::result::Result<T, ReplyError> {
    fn heard(self) -> Result<T> {
        self.map_err(|e| match e {
            ReplyError::ConnectionError(e) => DesktopError::NoDisplay(e.to_string()),
            ReplyError::X11Error(e) => DesktopError::System(format!(
                "the X server refused {}: {:?} ({:#x})",
                e.request_name.unwrap_or("a request"),
                e.error_kind,
                e.bad_value
            )),
        })
    }
}

impl<T> Heard<T> for std::result::Result<T, ReplyOrIdError> {
    fn heard(self) -> Result<T> {
        self.map_err(|e| match e {
            ReplyOrIdError::X11Error(e) => DesktopError::System(format!("the X server refused: {:?}", e.error_kind)),
            e => DesktopError::NoDisplay(e.to_string()),
        })
    }
}
