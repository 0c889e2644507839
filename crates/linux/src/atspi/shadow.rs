//! Where a window that draws its own border begins inside its X window.
//!
//! Owns: this one property of one window. Refuses to own: every other talk with the X server.

use std::time::Duration;

use desktop::WindowId;
use tokio::time::timeout;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

const PATIENCE: Duration = Duration::from_millis(200);

/// Left and top of `_GTK_FRAME_EXTENTS`, in native pixels.
pub(super) async fn of(display: Option<&str>, window: WindowId) -> Option<(i32, i32)> {
    let display = display?.to_owned();
    let window = u32::try_from(window.0).ok()?;
    let asked = tokio::task::spawn_blocking(move || ask(&display, window));
    timeout(PATIENCE, asked).await.ok()?.ok()?
}

fn ask(display: &str, window: u32) -> Option<(i32, i32)> {
    let (conn, _) = x11rb::connect(Some(display)).ok()?;
    let atom = conn.intern_atom(true, b"_GTK_FRAME_EXTENTS").ok()?.reply().ok()?.atom;
    let reply = conn.get_property(false, window, atom, AtomEnum::CARDINAL, 0, 4).ok()?.reply().ok()?;
    let sides: Vec<u32> = reply.value32()?.collect();
    match sides[..] {
        [left, _, top, _] => Some((i32::try_from(left).ok()?, i32::try_from(top).ok()?)),
        _ => None,
    }
}
