//! Monitors.

use desktop::{Display, DisplayId, Rect};
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xproto::ConnectionExt as _;

use super::fault::{Alive, Outcome};
use super::link::X;

/// Every monitor, the primary one first; the whole screen where monitors are not told.
pub fn displays(x: &X) -> Outcome<Vec<Display>> {
    let whole = x.conn.get_geometry(x.root)?;
    let monitors = if x.has.randr { Some(x.conn.randr_get_monitors(x.root, true)?) } else { None };
    let whole = whole.reply()?;
    let whole = Rect::new(0, 0, whole.width.into(), whole.height.into());
    let mut found = Vec::new();
    if let Some(reply) = monitors.and_then(|m| m.reply().alive().transpose()).transpose()? {
        let names = reply.monitors.iter().map(|m| Ok(x.conn.get_atom_name(m.name)?)).collect::<Outcome<Vec<_>>>()?;
        for (m, name) in reply.monitors.iter().zip(names) {
            let name = name.reply().alive()?.map(|n| String::from_utf8_lossy(&n.name).into_owned());
            found.push(Display {
                id: DisplayId(name.unwrap_or_else(|| format!("monitor-{}", found.len()))),
                bounds: Rect::new(m.x.into(), m.y.into(), m.width.into(), m.height.into()),
                primary: m.primary,
                scale: 1.0,
            });
        }
    }
    if found.is_empty() {
        found.push(Display { id: DisplayId("screen".into()), bounds: whole, primary: true, scale: 1.0 });
    }
    if !found.iter().any(|d| d.primary) {
        found[0].primary = true;
    }
    found.sort_by_key(|d| !d.primary);
    Ok(found)
}

/// All of the desktop, in one rectangle.
pub fn whole(x: &X) -> Outcome<Rect<desktop::Screen>> {
    let g = x.conn.get_geometry(x.root)?.reply()?;
    Ok(Rect::new(0, 0, g.width.into(), g.height.into()))
}
