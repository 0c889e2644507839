//! Who has the keyboard, and what lies on top at a point.

use desktop::{Focus, Hit, Point, Screen, WindowId};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

use super::fault::{Alive, Outcome};
use super::link::{X, lock};
use super::list::Listing;
use super::prop;

/// The listed window that has the person's keyboard.
pub fn focus(listing: &Listing) -> Focus {
    let window = listing.windows.iter().find(|w| w.focused).map(|w| WindowId(w.id.into()));
    Focus { window, node: None }
}

/// The child of the root on top at a point, by shapes for input, or none off the screen.
pub fn top_at(x: &X, at: Point<Screen>) -> Outcome<Option<u32>> {
    let (Ok(px), Ok(py)) = (i16::try_from(at.x), i16::try_from(at.y)) else { return Ok(None) };
    let child = x.conn.translate_coordinates(x.root, x.root, px, py)?.reply()?.child;
    Ok((child != 0).then_some(child))
}

/// The top-level window at a point of the screen.
pub fn hit(x: &X, listing: &Listing, at: Point<Screen>) -> Outcome<Hit> {
    let Some(child) = top_at(x, at)? else { return Ok(Hit::default()) };
    if let Some(w) = listing.windows.iter().find(|w| w.top == Some(child)) {
        return Ok(Hit { top: Some(WindowId(w.id.into())), top_title: w.props.title.clone() });
    }
    // Something on top that is nobody's window: a screen locker, a window manager's own menu.
    let title = prop::got(prop::ask(&x.conn, child, AtomEnum::WM_NAME.into())?)?;
    Ok(Hit { top: Some(WindowId(child.into())), top_title: prop::text(x, title.as_ref()).unwrap_or_default() })
}

/// The child of the root that holds the keyboard's focus right now.
pub fn focused_top(x: &X) -> Outcome<Option<u32>> {
    let mut at = x.conn.get_input_focus()?.reply()?.focus;
    for _ in 0..32 {
        if at <= 1 || at == x.root {
            return Ok(None);
        }
        match x.conn.query_tree(at)?.reply().alive()? {
            Some(tree) if tree.parent == tree.root => return Ok(Some(at)),
            Some(tree) => at = tree.parent,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The child of the root a live window is or lies in. `None` when the window is gone.
pub fn top_of(x: &X, id: u32) -> Outcome<Option<u32>> {
    if let Some(top) = {
        let mut track = lock(&x.track);
        track.drain(&x.conn)?;
        track.known.get(&id).and_then(|k| k.top)
    } {
        return Ok(Some(top));
    }
    let mut at = id;
    for _ in 0..32 {
        match x.conn.query_tree(at)?.reply().alive()? {
            Some(tree) if tree.parent == tree.root => return Ok(Some(at)),
            Some(tree) if tree.parent != 0 => at = tree.parent,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Where the person's pointer is.
pub fn pointer(x: &X) -> Outcome<Point<Screen>> {
    let at = x.conn.query_pointer(x.root)?.reply()?;
    Ok(Point::new(at.root_x.into(), at.root_y.into()))
}
