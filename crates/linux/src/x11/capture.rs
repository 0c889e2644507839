//! Pixels of windows and displays.
//!
//! Owns: taking a window's own pixels whether or not it is covered, and saying honestly when
//! they can't be had. Refuses to own: scaling, encoding, deciding what to take.

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use desktop::{Ctx, DesktopError, Picture, Point, Rect, Screen, Size, WindowId};
use x11rb::connection::Connection;
use x11rb::protocol::composite::ConnectionExt as _;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, GetGeometryReply, ImageFormat, MapState};

use super::fault::{Alive, Fault, Outcome};
use super::focus;
use super::link::{X, lock};
use super::pixels;
use super::prop;
use super::screens;
use crate::sys::Shared;

/// Time until a window that was just redirected has drawn itself whole.
const FIRST_FRAME: Duration = Duration::from_millis(60);

/// Memory shared with the X server, attached once and kept.
pub struct Segment {
    id: shm::Seg,
    memory: Shared,
}

/// Pixels of one window, client area only.
pub fn window(x: &X, ctx: &Ctx, id: u32) -> Outcome<Picture> {
    if let Some(wait) = FIRST_FRAME.checked_sub(x.redirected.elapsed()) {
        ctx.sleep(wait)?;
    }
    // A window that is moved or sized in the middle is asked for again.
    for _ in 0..4 {
        if let Some(picture) = try_window(x, id)? {
            return Ok(picture);
        }
        ctx.sleep(Duration::from_millis(5))?;
    }
    Err(DesktopError::NoPicture("the window keeps changing its size".into()).into())
}

fn gone(id: u32) -> Fault {
    DesktopError::WindowGone(WindowId(id.into())).into()
}

/// `None` when the window changed while it was looked at.
fn try_window(x: &X, id: u32) -> Outcome<Option<Picture>> {
    let Some(top) = focus::top_of(x, id)? else { return Err(gone(id)) };
    let attributes = x.conn.get_window_attributes(id)?;
    let client = x.conn.get_geometry(id)?;
    let origin = x.conn.translate_coordinates(id, x.root, 0, 0)?;
    let frame = x.conn.get_geometry(top)?;
    let state = prop::ask(&x.conn, id, x.atoms._NET_WM_STATE)?;
    let Some(attributes) = attributes.reply().alive()? else { return Err(gone(id)) };
    let (Some(client), Some(origin)) = (client.reply().alive()?, origin.reply().alive()?) else { return Err(gone(id)) };
    let Some(frame) = frame.reply().alive()? else { return Ok(None) };
    let state = prop::numbers(prop::got(state)?.as_ref());
    let hidden = state.contains(&x.atoms._NET_WM_STATE_HIDDEN) && !state.contains(&x.atoms._NET_WM_STATE_SHADED);
    if hidden || attributes.map_state != MapState::VIEWABLE {
        return Err(unmapped(x, id)?);
    }
    let at = Point::new(origin.dst_x.into(), origin.dst_y.into());
    if x.has.composite {
        by_pixmap(x, top, id, &client, at, &frame)
    } else {
        by_root(x, top, id, &client, at).map(Some)
    }
}

/// Why a window that is not on the screen has no picture.
fn unmapped(x: &X, id: u32) -> Outcome<Fault> {
    let listing = super::list::list(x)?;
    Ok(match listing.windows.iter().find(|w| w.id == id) {
        Some(w) if w.minimized => DesktopError::Minimized(WindowId(id.into())),
        Some(w) if !w.here => DesktopError::NoPicture("the window is on another workspace".into()),
        Some(_) => DesktopError::NoPicture("the window is not mapped".into()),
        None => DesktopError::WindowGone(WindowId(id.into())),
    }
    .into())
}

/// From the pixmap that the window is drawn into.
fn by_pixmap(
    x: &X,
    top: u32,
    id: u32,
    client: &GetGeometryReply,
    at: Point<Screen>,
    frame: &GetGeometryReply,
) -> Outcome<Option<Picture>> {
    let pixmap = x.conn.generate_id()?;
    let named = x.conn.composite_name_window_pixmap(top, pixmap)?;
    let whole = x.conn.get_geometry(pixmap)?;
    if client.depth != frame.depth {
        // Children with an alpha channel are blended into their frame when the frame is read.
        drop(x.conn.get_image(ImageFormat::Z_PIXMAP, top, 0, 0, 1, 1, 1)?);
    }
    if named.check().alive()?.is_none() {
        return Ok(None);
    }
    let taken = read_crop(x, pixmap, client, at, frame, whole.reply().alive()?);
    drop(x.conn.free_pixmap(pixmap)?);
    let Some(picture) = taken? else { return Ok(None) };
    // What was read is only the window's if it was still there and as large afterwards.
    let Some(after) = x.conn.get_geometry(id)?.reply().alive()? else { return Err(gone(id)) };
    Ok(((after.width, after.height) == (client.width, client.height)).then_some(picture))
}

fn read_crop(
    x: &X,
    pixmap: u32,
    client: &GetGeometryReply,
    at: Point<Screen>,
    frame: &GetGeometryReply,
    whole: Option<GetGeometryReply>,
) -> Outcome<Option<Picture>> {
    let Some(whole) = whole else { return Ok(None) };
    let border = 2 * u32::from(frame.border_width);
    if u32::from(whole.width) != u32::from(frame.width) + border || u32::from(whole.height) != u32::from(frame.height) + border {
        return Ok(None);
    }
    let size = Size { w: client.width.into(), h: client.height.into() };
    let inside: Rect<desktop::Local> = Rect::new(at.x - i32::from(frame.x), at.y - i32::from(frame.y), size.w, size.h);
    let Some(part) = inside.meet(&Rect::new(0, 0, whole.width.into(), whole.height.into())) else {
        return Err(DesktopError::NoPicture("the window lies outside its frame".into()).into());
    };
    let Some(bgrx) = read(x, pixmap, whole.depth, part)? else { return Ok(None) };
    let real = Rect::new(part.x - inside.x, part.y - inside.y, part.w, part.h);
    Ok(Some(Picture { size, bgrx: pixels::pad(bgrx, real, size), origin: at, real, taken: Instant::now() }))
}

/// From the screen, where nothing covers the window.
fn by_root(x: &X, top: u32, id: u32, client: &GetGeometryReply, at: Point<Screen>) -> Outcome<Picture> {
    let area = Rect::new(at.x, at.y, client.width.into(), client.height.into());
    let whole = screens::whole(x)?;
    let Some(part) = area.meet(&whole) else {
        return Err(DesktopError::NoPicture("the window is off the screen".into()).into());
    };
    let above = x.conn.query_tree(x.root)?.reply()?.children;
    let above = above.iter().skip_while(|c| **c != top).skip(1);
    let asked = above
        .map(|c| Ok((x.conn.get_window_attributes(*c)?, x.conn.get_geometry(*c)?)))
        .collect::<Outcome<Vec<_>>>()?;
    for (attributes, geometry) in asked {
        let (Some(a), Some(g)) = (attributes.reply().alive()?, geometry.reply().alive()?) else { continue };
        let border = 2 * u32::from(g.border_width);
        let other = Rect::new(g.x.into(), g.y.into(), u32::from(g.width) + border, u32::from(g.height) + border);
        if a.map_state == MapState::VIEWABLE && a.class != x11rb::protocol::xproto::WindowClass::INPUT_ONLY && other.meet(&part).is_some() {
            return Err(DesktopError::NoPicture(
                "the window is covered, and the X server has no Composite extension".into(),
            )
            .into());
        }
    }
    let depth = x.conn.get_geometry(x.root)?.reply()?.depth;
    let on_root = Rect::new(part.x, part.y, part.w, part.h);
    let Some(bgrx) = read(x, x.root, depth, on_root)? else { return Err(gone(id)) };
    let size = Size { w: area.w, h: area.h };
    let real = part.within(area.origin());
    Ok(Picture { size, bgrx: pixels::pad(bgrx, real, size), origin: at, real, taken: Instant::now() })
}

/// Everything on a part of the screen.
pub fn screen(x: &X, area: Rect<Screen>) -> Outcome<Picture> {
    let g = x.conn.get_geometry(x.root)?.reply()?;
    let size = area.size();
    let Some(part) = area.meet(&Rect::new(0, 0, g.width.into(), g.height.into())) else {
        return Err(DesktopError::NoPicture("the display is off the screen".into()).into());
    };
    let Some(bgrx) = read(x, x.root, g.depth, Rect::new(part.x, part.y, part.w, part.h))? else {
        return Err(DesktopError::NoPicture("the screen changed its size".into()).into());
    };
    let real = part.within(area.origin());
    Ok(Picture { size, bgrx: pixels::pad(bgrx, real, size), origin: area.origin(), real, taken: Instant::now() })
}

/// Pixels of a drawable as BGRX rows; `None` where it is gone or smaller than that.
fn read(x: &X, drawable: u32, depth: u8, part: Rect<desktop::Local>) -> Outcome<Option<Vec<u8>>> {
    let format = pixels::Format::of(&x.conn, x.screen, depth)?;
    let (px, py, w, h) = (part.x as i16, part.y as i16, part.w as u16, part.h as u16);
    let bytes = format.stride(part.w) * part.h as usize;
    if x.has.shm {
        let mut kept = lock(&x.segment);
        if let Some(id) = attached(x, &mut kept, bytes)? {
            let reply = x.conn.shm_get_image(drawable, px, py, w, h, !0, ImageFormat::Z_PIXMAP.into(), id, 0)?;
            let Some(reply) = reply.reply().alive()? else { return Ok(None) };
            let Some(segment) = kept.as_ref() else { return Ok(None) };
            let raw = segment.memory.copy((reply.size as usize).min(bytes));
            return Ok(Some(format.bgrx(raw, part.size())));
        }
    }
    let reply = x.conn.get_image(ImageFormat::Z_PIXMAP, drawable, px, py, w, h, !0)?.reply().alive()?;
    Ok(reply.map(|r| format.bgrx(r.data, part.size())))
}

/// The kept segment, made larger when needed. `None` where the server takes no memory of ours.
fn attached(x: &X, kept: &mut MutexGuard<'_, Option<Segment>>, bytes: usize) -> Outcome<Option<shm::Seg>> {
    if let Some(segment) = kept.as_ref() {
        if segment.memory.len() >= bytes {
            return Ok(Some(segment.id));
        }
        drop(x.conn.shm_detach(segment.id)?);
        **kept = None;
    }
    let Ok((memory, fd)) = Shared::new(bytes.next_multiple_of(1 << 20)) else { return Ok(None) };
    let id = x.conn.generate_id()?;
    if x.conn.shm_attach_fd(id, fd, false)?.check().alive()?.is_none() {
        return Ok(None);
    }
    **kept = Some(Segment { id, memory });
    Ok(Some(id))
}

