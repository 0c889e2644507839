//! Properties of windows: asked for together, decoded one by one.

use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, GetPropertyReply};

use super::fault::{Alive, Outcome};
use super::link::{Conn, X};

/// Longest property that is read, in four-byte units: a title of 1 MiB is cut, not refused.
const MOST: u32 = 64 * 1024;

pub type Asked<'a> = Cookie<'a, Conn, GetPropertyReply>;

pub fn ask<'a>(conn: &'a Conn, window: u32, name: u32) -> Outcome<Asked<'a>> {
    Ok(conn.get_property(false, window, name, AtomEnum::ANY, 0, MOST)?)
}

/// The reply, where the window lives and has the property.
pub fn got(asked: Asked<'_>) -> Outcome<Option<GetPropertyReply>> {
    Ok(asked.reply().alive()?.filter(|r| r.type_ != 0))
}

pub fn numbers(reply: Option<&GetPropertyReply>) -> Vec<u32> {
    reply.and_then(|r| r.value32()).map(Iterator::collect).unwrap_or_default()
}

pub fn number(reply: Option<&GetPropertyReply>) -> Option<u32> {
    reply.and_then(|r| r.value32()?.next())
}

/// Text of a property by its own encoding: UTF-8 where it says so, else Latin-1.
pub fn text(x: &X, reply: Option<&GetPropertyReply>) -> Option<String> {
    let reply = reply.filter(|r| r.format == 8)?;
    let bytes = reply.value.split(|b| *b == 0).next().unwrap_or_default();
    Some(if reply.type_ == x.atoms.UTF8_STRING {
        String::from_utf8_lossy(bytes).into_owned()
    } else if let Ok(utf8) = std::str::from_utf8(bytes) {
        // COMPOUND_TEXT and STRING in practice carry UTF-8 or plain ASCII where they decode as such.
        utf8.to_owned()
    } else {
        bytes.iter().map(|b| char::from(*b)).collect()
    })
}

/// Instance and class of WM_CLASS.
pub fn class(reply: Option<&GetPropertyReply>) -> (Option<String>, Option<String>) {
    let Some(reply) = reply.filter(|r| r.format == 8) else { return (None, None) };
    let mut parts = reply.value.split(|b| *b == 0).map(|p| String::from_utf8_lossy(p).into_owned());
    (parts.next(), parts.next().filter(|c| !c.is_empty()))
}

/// Every number of a property of one window, in one round trip.
pub fn read_numbers(x: &X, window: u32, name: u32) -> Outcome<Vec<u32>> {
    Ok(numbers(got(ask(&x.conn, window, name)?)?.as_ref()))
}
