//! Top-level windows and popups, in one round trip when nothing has changed.
//!
//! Owns: which X windows are windows of people, their place, kind, process and order.
//! Refuses to own: names of applications, pictures, changing anything.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use desktop::{Pid, Rect, Screen, WindowKind};
use x11rb::connection::Connection;
use x11rb::cookie::Cookie;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, GetGeometryReply, GetWindowAttributesReply,
    MapState, TranslateCoordinatesReply, WindowClass,
};

use super::atoms::Atoms;
use super::fault::{Alive, Outcome};
use super::link::{Conn, X, lock};
use super::prop::{self, Asked};
use super::track::{Child, Kept, Known, Props, Read, Track};

/// A window as the server tells of it; the process and the application are joined to it later.
#[derive(Clone, Debug)]
pub struct Raw {
    pub id: u32,
    pub birth: u64,
    /// The child of the root that it is or lies in.
    pub top: Option<u32>,
    pub pid: Option<Pid>,
    pub props: Arc<Props>,
    pub bounds: Rect<Screen>,
    pub kind: WindowKind,
    pub owner: Option<u32>,
    pub viewable: bool,
    pub minimized: bool,
    pub here: bool,
    pub focused: bool,
    pub modal: bool,
    pub z: Option<u32>,
}

/// Everything of one look.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub windows: Vec<Raw>,
    /// The window manager's own window, where one runs.
    pub manager: Option<u32>,
}

/// What the root says of the desktop.
struct Desk {
    clients: Vec<u32>,
    children: Vec<u32>,
    workspace: Option<u32>,
    manager: Option<u32>,
    focus: u32,
    tells_hidden: bool,
}

/// A window with its fresh place, before it is judged.
struct Seen {
    id: u32,
    x: i32,
    y: i32,
    w: u32,
    h: u32,
    viewable: bool,
    unmanaged: bool,
}

/// All windows as they are.
pub fn list(x: &X) -> Outcome<Listing> {
    let mut track = lock(&x.track);
    if let Some(kept) = again(x, &mut track, None)? {
        return Ok(Arc::unwrap_or_clone(kept));
    }
    whole(x, &mut track)
}

/// One window as it is, and the listing that it is in: another window of that may have moved since.
pub fn one(x: &X, id: u32) -> Outcome<Option<(Raw, Arc<Listing>)>> {
    let mut track = lock(&x.track);
    let listing = match again(x, &mut track, Some(id))? {
        Some(kept) => kept,
        None => Arc::new(whole(x, &mut track)?),
    };
    let raw = listing.windows.iter().find(|w| w.id == id).cloned();
    Ok(raw.map(|raw| (raw, listing)))
}

fn whole(x: &X, track: &mut Track) -> Outcome<Listing> {
    track.kept = None;
    track.drain(&x.conn)?;
    // What changed while it was looked at may be half of this and half of that: look again.
    for _ in 0..4 {
        let before = track.moves;
        let listing = once(x, track)?;
        if track.moves == before {
            return Ok(listing);
        }
    }
    once(x, track)
}

/// The listing that was made last, where the server tells in one answer that nothing of it has
/// changed. `None`: it is made again.
fn again(x: &X, track: &mut Track, only: Option<u32>) -> Outcome<Option<Arc<Listing>>> {
    track.drain(&x.conn)?;
    let Some(kept) = track.kept.take().filter(|k| k.changes == track.changes) else { return Ok(None) };
    if only.is_some_and(|id| !kept.listing.windows.iter().any(|w| w.id == id)) {
        return Ok(None);
    }
    let ids = kept.deep.iter().copied().filter(|id| only.is_none_or(|o| o == *id));
    let mut asked = Vec::with_capacity(kept.deep.len());
    for id in ids {
        let place = (x.conn.get_geometry(id)?, x.conn.translate_coordinates(id, x.root, 0, 0)?);
        asked.push((id, place.0, place.1, x.conn.get_window_attributes(id)?));
    }
    let chain = kept.chain.iter().map(|(id, up)| Ok((*up, x.conn.query_tree(*id)?))).collect::<Outcome<Vec<_>>>()?;
    let focus = x.conn.get_input_focus()?;

    let mut places = HashMap::with_capacity(asked.len());
    for (id, geometry, origin, attributes) in asked {
        let (g, o, a) = (geometry.reply().alive()?, origin.reply().alive()?, attributes.reply().alive()?);
        let (Some(g), Some(o), Some(a)) = (g, o, a) else { return Ok(None) };
        let bounds = Rect::new(o.dst_x.into(), o.dst_y.into(), g.width.into(), g.height.into());
        places.insert(id, (bounds, a.map_state == MapState::VIEWABLE));
    }
    let mut same = true;
    for (up, tree) in chain {
        same &= tree.reply().alive()?.is_some_and(|t| t.parent == up);
    }
    same &= focus.reply()?.focus == kept.focus;
    track.drain(&x.conn)?;
    let mut listing = kept.listing.clone();
    let moved = |w: &Raw| places.get(&w.id).is_some_and(|(bounds, _)| *bounds != w.bounds);
    let seen = |w: &Raw| places.get(&w.id).is_none_or(|(_, viewable)| *viewable == w.viewable);
    if !same || kept.changes != track.changes || !listing.windows.iter().all(seen) {
        return Ok(None);
    }
    if listing.windows.iter().any(moved) {
        for w in &mut Arc::make_mut(&mut listing).windows {
            w.bounds = places.get(&w.id).map_or(w.bounds, |(bounds, _)| *bounds);
        }
    }
    track.kept = Some(Kept { listing: listing.clone(), ..kept });
    Ok(Some(listing))
}

/// Properties whose change makes another listing.
pub fn read(a: &Atoms) -> Read {
    Read {
        of_root: vec![
            a._NET_CLIENT_LIST,
            a._NET_CLIENT_LIST_STACKING,
            a._NET_CURRENT_DESKTOP,
            a._NET_SUPPORTING_WM_CHECK,
            a._NET_SUPPORTED,
        ],
        of_windows: props(a).to_vec(),
    }
}

fn once(x: &X, track: &mut Track) -> Outcome<Listing> {
    let changes = track.changes;
    let mut desk = desk(x)?;
    track.drain(&x.conn)?;
    let between = between(track, &desk);
    desk.clients.extend(&between);

    let clients = look(x, track, &desk)?;
    let strays = strays(x, track, &desk, &clients)?;
    tops(x, track, clients.iter().chain(&strays))?;
    let strays = apart(x, track, &clients, strays);
    let (focus, chain) = top_of_focus(x, track, desk.focus)?;
    let ids: Vec<u32> = clients.iter().chain(&strays).map(|s| s.id).collect();
    let pids = pids(x, ids.iter().copied().chain(desk.manager))?;
    track.drain(&x.conn)?;

    let order: HashMap<u32, u32> = desk.children.iter().zip(0..).map(|(id, z)| (*id, z)).collect();
    let mut windows = Vec::with_capacity(ids.len());
    for seen in clients.into_iter().chain(strays) {
        let Some(Known { birth, props: Some(props), top, .. }) = track.known.get(&seen.id).cloned() else { continue };
        if between.contains(&seen.id) && (props.embedded || top.is_none()) {
            continue;
        }
        let raw = judge(x, &desk, &seen, birth, props, top, &pids);
        if raw.kind == WindowKind::Popup && foreign(x, &desk, &raw, &pids) {
            continue;
        }
        windows.push(raw);
    }
    windows.sort_by_key(|w| w.top.and_then(|t| order.get(&t)).copied());
    for (w, z) in windows.iter_mut().zip(0..) {
        w.z = w.top.and_then(|t| order.get(&t)).map(|_| z);
        w.focused = focus == Some(w.id) || (focus.is_some() && focus == w.top);
    }
    own(&mut windows);
    let listing = Listing { windows, manager: desk.manager };
    if changes == track.changes && between.is_empty() {
        let direct = |id: &u32| track.known.get(id).is_some_and(|k| k.direct);
        let deep = listing.windows.iter().map(|w| w.id).filter(|id| !direct(id)).collect();
        track.kept = Some(Kept { changes, focus: desk.focus, chain, deep, listing: Arc::new(listing.clone()) });
    }
    Ok(listing)
}

/// Windows that were listed once and are neither managed nor children of the root: just being
/// put into their frame, or into another application.
fn between(track: &Track, desk: &Desk) -> HashSet<u32> {
    let placed: HashSet<u32> = desk.clients.iter().chain(&desk.children).copied().collect();
    track.known.keys().filter(|id| !placed.contains(id)).copied().collect()
}

fn desk(x: &X) -> Outcome<Desk> {
    let a = &x.atoms;
    let ask = |name| prop::ask(&x.conn, x.root, name);
    let stacking = ask(a._NET_CLIENT_LIST_STACKING)?;
    let plain = ask(a._NET_CLIENT_LIST)?;
    let workspace = ask(a._NET_CURRENT_DESKTOP)?;
    let check = ask(a._NET_SUPPORTING_WM_CHECK)?;
    let supported = ask(a._NET_SUPPORTED)?;
    let tree = x.conn.query_tree(x.root)?;
    let focus = x.conn.get_input_focus()?;

    let mut clients = prop::numbers(prop::got(stacking)?.as_ref());
    let plain = prop::numbers(prop::got(plain)?.as_ref());
    let workspace = prop::number(prop::got(workspace)?.as_ref());
    let check = prop::number(prop::got(check)?.as_ref());
    let supported = prop::numbers(prop::got(supported)?.as_ref());
    let children = tree.reply()?.children;
    let focus = focus.reply()?.focus;
    // The manager's window outlives nothing: a manager that died leaves its properties on the root.
    let manager = check.filter(|id| children.contains(id));
    if manager.is_none() {
        clients.clear();
    } else {
        clients.extend(plain.iter().filter(|id| !clients.contains(id)).copied().collect::<Vec<_>>());
    }
    Ok(Desk {
        clients,
        children,
        workspace: workspace.filter(|_| manager.is_some()),
        manager,
        focus,
        tells_hidden: supported.contains(&a._NET_WM_STATE_HIDDEN),
    })
}

type Look<'a> = (
    u32,
    Cookie<'a, Conn, GetGeometryReply>,
    Cookie<'a, Conn, TranslateCoordinatesReply>,
    Cookie<'a, Conn, GetWindowAttributesReply>,
    Option<AskedProps<'a>>,
);

/// Fresh places of the clients, and of children of the root whose place is not known.
fn look(x: &X, track: &mut Track, desk: &Desk) -> Outcome<Vec<Seen>> {
    let mut asked: Vec<Look<'_>> = Vec::with_capacity(desk.clients.len());
    for &id in &desk.clients {
        let props = want_props(x, track, id)?;
        asked.push((
            id,
            x.conn.get_geometry(id)?,
            x.conn.translate_coordinates(id, x.root, 0, 0)?,
            x.conn.get_window_attributes(id)?,
            props,
        ));
    }
    let fresh: Vec<u32> = desk.children.iter().filter(|id| !track.children.contains_key(id)).copied().collect();
    let fresh = fresh
        .into_iter()
        .map(|id| Ok((id, x.conn.get_geometry(id)?, x.conn.get_window_attributes(id)?)))
        .collect::<Outcome<Vec<_>>>()?;

    let mut seen = Vec::with_capacity(asked.len());
    for (id, geometry, origin, attributes, props) in asked {
        let (geometry, origin) = (geometry.reply().alive()?, origin.reply().alive()?);
        let attributes = attributes.reply().alive()?;
        take_props(x, track, id, props)?;
        let (Some(g), Some(o), Some(a)) = (geometry, origin, attributes) else { continue };
        seen.push(Seen {
            id,
            x: o.dst_x.into(),
            y: o.dst_y.into(),
            w: g.width.into(),
            h: g.height.into(),
            viewable: a.map_state == MapState::VIEWABLE,
            unmanaged: a.override_redirect,
        });
    }
    for (id, geometry, attributes) in fresh {
        let (Some(g), Some(a)) = (geometry.reply().alive()?, attributes.reply().alive()?) else { continue };
        track.children.insert(
            id,
            Child {
                x: g.x.into(),
                y: g.y.into(),
                w: g.width.into(),
                h: g.height.into(),
                border: g.border_width.into(),
                viewable: a.map_state == MapState::VIEWABLE,
                input_only: a.class == WindowClass::INPUT_ONLY,
                unmanaged: a.override_redirect,
            },
        );
    }
    Ok(seen)
}

/// Find the child of the root that each client lies in, all clients a step at a time.
fn tops<'a>(x: &X, track: &mut Track, seen: impl Iterator<Item = &'a Seen>) -> Outcome<()> {
    let mut open: Vec<(u32, u32)> =
        seen.filter(|s| track.known.get(&s.id).is_some_and(|k| k.top.is_none())).map(|s| (s.id, s.id)).collect();
    for steps in 0..32 {
        if open.is_empty() {
            break;
        }
        let asked = open.iter().map(|(_, at)| Ok(x.conn.query_tree(*at)?)).collect::<Outcome<Vec<_>>>()?;
        let mut next = Vec::new();
        for ((id, at), cookie) in open.into_iter().zip(asked) {
            let Some(tree) = cookie.reply().alive()? else { continue };
            if tree.parent == tree.root {
                if let Some(known) = track.known.get_mut(&id) {
                    known.top = Some(at);
                    known.direct = steps <= 1;
                }
            } else if tree.parent != 0 {
                next.push((id, tree.parent));
            }
        }
        open = next;
    }
    Ok(())
}

/// Mapped children of the root that are no clients.
fn strays(x: &X, track: &mut Track, desk: &Desk, clients: &[Seen]) -> Outcome<Vec<Seen>> {
    let taken: HashSet<u32> =
        clients.iter().flat_map(|s| [Some(s.id), track.known.get(&s.id).and_then(|k| k.top)]).flatten().collect();
    let mut seen = Vec::new();
    for &id in &desk.children {
        let Some(c) = track.children.get(&id) else { continue };
        if !c.viewable || c.input_only || c.w <= 1 || c.h <= 1 || taken.contains(&id) || Some(id) == desk.manager {
            continue;
        }
        let border = c.border as i32;
        seen.push(Seen {
            id,
            x: c.x + border,
            y: c.y + border,
            w: c.w,
            h: c.h,
            viewable: true,
            unmanaged: c.unmanaged,
        });
    }
    let asked = seen.iter().map(|s| Ok((s.id, want_props(x, track, s.id)?))).collect::<Outcome<Vec<_>>>()?;
    for (id, props) in asked {
        take_props(x, track, id, props)?;
    }
    Ok(seen)
}

/// Strays without those that are the frame of a client or lie in another window by now.
fn apart(x: &X, track: &Track, clients: &[Seen], strays: Vec<Seen>) -> Vec<Seen> {
    let frames: HashSet<u32> = clients.iter().filter_map(|s| track.known.get(&s.id)?.top).collect();
    let whole = |s: &Seen| track.known.get(&s.id).and_then(|k| k.top) == Some(s.id);
    strays.into_iter().filter(|s| s.id != x.own && whole(s) && !frames.contains(&s.id)).collect()
}

/// The window that has the keyboard, as a listed id or a child of the root, and the parents on the
/// way to it.
fn top_of_focus(x: &X, track: &Track, focus: u32) -> Outcome<(Option<u32>, Vec<(u32, u32)>)> {
    let (mut at, mut chain) = (focus, Vec::new());
    for _ in 0..32 {
        if at <= 1 || at == x.root {
            return Ok((None, chain));
        }
        if track.known.contains_key(&at) {
            return Ok((Some(at), chain));
        }
        let Some(tree) = x.conn.query_tree(at)?.reply().alive()? else { return Ok((None, chain)) };
        chain.push((at, tree.parent));
        if tree.parent == tree.root {
            return Ok((Some(at), chain));
        }
        at = tree.parent;
    }
    Ok((None, chain))
}

type AskedProps<'a> = [Asked<'a>; 15];

/// Ask for the properties of a window unless they are known; watch it from now on.
fn want_props<'a>(x: &'a X, track: &mut Track, id: u32) -> Outcome<Option<AskedProps<'a>>> {
    let new = !track.known.contains_key(&id);
    let known = track.born(id);
    if !std::mem::replace(&mut known.stale, false) {
        return Ok(None);
    }
    if new {
        let watch = EventMask::STRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
        // Where the window is gone, the replies that follow say so.
        drop(x.conn.change_window_attributes(id, &ChangeWindowAttributesAux::new().event_mask(watch))?);
    }
    let asked = props(&x.atoms).into_iter().map(|name| prop::ask(&x.conn, id, name)).collect::<Outcome<Vec<_>>>()?;
    Ok(asked.try_into().ok())
}

/// What is asked of a window, in the order in which `take_props` reads it.
fn props(a: &Atoms) -> [u32; 15] {
    [
        a._NET_WM_NAME,
        AtomEnum::WM_NAME.into(),
        AtomEnum::WM_CLASS.into(),
        a.WM_WINDOW_ROLE,
        a._NET_WM_WINDOW_TYPE,
        AtomEnum::WM_TRANSIENT_FOR.into(),
        a._NET_WM_STATE,
        a.WM_STATE,
        a._NET_WM_DESKTOP,
        a._NET_WM_PID,
        a._GTK_APPLICATION_ID,
        a._KDE_NET_WM_DESKTOP_FILE,
        a.WM_PROTOCOLS,
        a.WM_CLIENT_MACHINE,
        a._XEMBED_INFO,
    ]
}

fn take_props(x: &X, track: &mut Track, id: u32, asked: Option<AskedProps<'_>>) -> Outcome<()> {
    let Some(asked) = asked else { return Ok(()) };
    let mut replies = Vec::with_capacity(asked.len());
    for cookie in asked {
        replies.push(cookie.reply().alive()?);
    }
    if replies.iter().any(Option::is_none) {
        track.known.remove(&id);
        return Ok(());
    }
    let at = |i: usize| replies[i].as_ref().filter(|r| r.type_ != 0);
    let text = |i: usize| prop::text(x, at(i)).filter(|t| !t.is_empty());
    // A pid property of a client on another machine is a number of that machine.
    let near = text(13).is_none_or(|machine| machine == hostname());
    let props = Props {
        title: text(0).or_else(|| text(1)).unwrap_or_default(),
        class: prop::class(at(2)).1,
        instance: prop::class(at(2)).0,
        role: text(3),
        types: prop::numbers(at(4)),
        transient: prop::number(at(5)).filter(|id| *id != 0),
        state: prop::numbers(at(6)),
        wm_state: prop::number(at(7)),
        desktop: prop::number(at(8)),
        pid: prop::number(at(9)).filter(|_| near),
        app_id: text(10).or_else(|| text(11)),
        protocols: prop::numbers(at(12)),
        embedded: at(14).is_some(),
    };
    if let Some(known) = track.known.get_mut(&id) {
        known.props = Some(Arc::new(props));
    }
    Ok(())
}

fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Processes behind windows, by who connected to the server.
fn pids(x: &X, ids: impl Iterator<Item = u32>) -> Outcome<HashMap<u32, u32>> {
    if !x.has.res {
        return Ok(HashMap::new());
    }
    let mask = !x.conn.setup().resource_id_mask;
    let clients: HashSet<u32> = ids.map(|id| id & mask).collect();
    let specs: Vec<_> =
        clients.iter().map(|c| ClientIdSpec { client: *c, mask: ClientIdMask::LOCAL_CLIENT_PID }).collect();
    if specs.is_empty() {
        return Ok(HashMap::new());
    }
    let reply = x.conn.res_query_client_ids(&specs)?.reply()?;
    Ok(reply.ids.iter().filter_map(|v| Some((v.spec.client & mask, *v.value.first()?))).collect())
}

fn judge(
    x: &X,
    desk: &Desk,
    seen: &Seen,
    birth: u64,
    props: Arc<Props>,
    top: Option<u32>,
    pids: &HashMap<u32, u32>,
) -> Raw {
    let client = seen.id & !x.conn.setup().resource_id_mask;
    // The server knows who is connected; the property is only what the window says.
    let pid = pids.get(&client).copied().or(props.pid).filter(|p| *p != 0).map(Pid);
    let hidden = props.state.contains(&x.atoms._NET_WM_STATE_HIDDEN);
    let iconic = props.wm_state == Some(3);
    let shaded = props.state.contains(&x.atoms._NET_WM_STATE_SHADED);
    let minimized = match desk.manager {
        None => false,
        Some(_) if desk.tells_hidden => hidden && !shaded,
        Some(_) => iconic && !seen.viewable,
    };
    let here = match (props.desktop, desk.workspace) {
        (Some(theirs), Some(now)) => theirs == now || theirs == u32::MAX,
        _ => true,
    };
    Raw {
        id: seen.id,
        birth,
        top,
        pid,
        kind: kind(x, seen, &props),
        bounds: Rect::new(seen.x, seen.y, seen.w, seen.h),
        owner: None,
        viewable: seen.viewable,
        minimized,
        here,
        focused: false,
        modal: props.state.contains(&x.atoms._NET_WM_STATE_MODAL),
        z: None,
        props,
    }
}

fn kind(x: &X, seen: &Seen, props: &Props) -> WindowKind {
    let a = &x.atoms;
    let is = |t: u32| props.types.contains(&t);
    if is(a._NET_WM_WINDOW_TYPE_DOCK)
        || is(a._NET_WM_WINDOW_TYPE_DESKTOP)
        || is(a._NET_WM_WINDOW_TYPE_SPLASH)
        || is(a._NET_WM_WINDOW_TYPE_NOTIFICATION)
        || is(a._NET_WM_WINDOW_TYPE_DND)
    {
        WindowKind::Chrome
    } else if seen.unmanaged {
        WindowKind::Popup
    } else if is(a._NET_WM_WINDOW_TYPE_DIALOG) || (props.types.is_empty() && props.transient.is_some()) {
        WindowKind::Dialog
    } else if is(a._NET_WM_WINDOW_TYPE_UTILITY) || is(a._NET_WM_WINDOW_TYPE_TOOLBAR) || is(a._NET_WM_WINDOW_TYPE_MENU) {
        WindowKind::Utility
    } else {
        WindowKind::Normal
    }
}

/// A popup of the window manager, the server or this driver itself, or one that lies off the screen.
fn foreign(x: &X, desk: &Desk, raw: &Raw, pids: &HashMap<u32, u32>) -> bool {
    let setup = x.conn.setup();
    let client = |id: u32| id & !setup.resource_id_mask;
    let screen = &setup.roots[x.screen];
    let root = Rect::new(0, 0, screen.width_in_pixels.into(), screen.height_in_pixels.into());
    let manager = desk.manager.map(client);
    client(raw.id) == 0
        || Some(client(raw.id)) == manager
        || client(raw.id) == setup.resource_id_base
        || manager.and_then(|m| pids.get(&m)).is_some_and(|pid| Some(Pid(*pid)) == raw.pid)
        || raw.bounds.meet(&root).is_none()
}

/// Find the window each dialog and popup belongs to.
fn own(windows: &mut [Raw]) {
    let owners: Vec<Option<u32>> = windows.iter().map(|w| owner(w, windows)).collect();
    for (w, owner) in windows.iter_mut().zip(owners) {
        w.owner = owner;
        // An unmanaged window without any other window of its process is the application itself.
        if w.kind == WindowKind::Popup && owner.is_none() {
            w.kind = WindowKind::Normal;
        }
    }
}

fn owner(of: &Raw, windows: &[Raw]) -> Option<u32> {
    let by_id = |id: u32| windows.iter().find(|w| w.id == id && w.id != of.id);
    // A submenu is transient for its menu: the owner is the window at the root of them.
    let mut at = of;
    for _ in 0..16 {
        match at.props.transient.and_then(by_id) {
            Some(next) if next.kind == WindowKind::Popup => at = next,
            Some(next) => return Some(next.id),
            None => break,
        }
    }
    if of.kind != WindowKind::Popup || of.pid.is_none() {
        return None;
    }
    let mut mates = windows.iter().filter(|w| {
        w.pid == of.pid && w.id != of.id && !matches!(w.kind, WindowKind::Popup | WindowKind::Chrome) && w.viewable
    });
    mates.clone().find(|w| w.focused).or_else(|| mates.next_back()).map(|w| w.id)
}
