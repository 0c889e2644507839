//! Windows joined with the applications behind them.

use std::collections::HashMap;
use std::sync::Arc;

use desktop::{Pid, Window, WindowId};

use super::list::{Listing, Raw};
use crate::apps::ident::{Hint, Ident, Idents};

/// The windows of one look as the seam tells them, back to front.
pub fn windows(listing: &Listing, idents: &Idents) -> Vec<Window> {
    let known = idents.all(&hints(listing));
    listing.windows.iter().map(|raw| window(raw, raw.pid.and_then(|pid| known.get(&pid)))).collect()
}

/// One window of a listing as the seam tells it.
pub fn one(raw: &Raw, listing: &Listing, idents: &Idents) -> Window {
    let ident = raw.pid.and_then(|pid| Some(idents.of(pid.0, hints(listing).get(&pid)?)));
    window(raw, ident.as_ref())
}

/// What each process is called by its windows: the word of its oldest one.
pub fn hints(listing: &Listing) -> HashMap<Pid, Hint> {
    let mut first: HashMap<Pid, &Raw> = HashMap::new();
    for raw in &listing.windows {
        if let Some(pid) = raw.pid {
            let kept = first.entry(pid).or_insert(raw);
            if raw.props.class.is_some() && (kept.props.class.is_none() || raw.id < kept.id) {
                *kept = raw;
            }
        }
    }
    let hint = |raw: &Raw| Hint { class: raw.props.class.clone(), app_id: raw.props.app_id.clone() };
    first.into_iter().map(|(pid, raw)| (pid, hint(raw))).collect()
}

fn window(raw: &Raw, ident: Option<&Arc<Ident>>) -> Window {
    let id = |id: u32| WindowId(id.into());
    Window {
        id: id(raw.id),
        birth: raw.birth,
        pid: raw.pid,
        app_name: match ident {
            Some(i) => i.name.clone(),
            None => raw.props.class.clone().unwrap_or_default(),
        },
        app_id: ident.and_then(|i| i.id.clone()),
        class: raw.props.class.clone(),
        instance: raw.props.instance.clone(),
        title: raw.props.title.clone(),
        role: raw.props.role.clone(),
        bounds: raw.bounds,
        kind: raw.kind,
        owner: raw.owner.map(id),
        on_screen: raw.viewable && raw.here && !raw.minimized,
        minimized: raw.minimized,
        active: raw.focused,
        modal: raw.modal,
        z: raw.z,
        scale: ident.map_or(1.0, |i| i.scale),
        workspace: raw.props.desktop.filter(|d| *d != u32::MAX),
    }
}
