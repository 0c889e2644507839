//! Who is meant: from the ways an action names its target to one window, element or point.
//! Everything is settled here before any input is sent.

use desktop::{DesktopError, Local, Node, NodeKey, Pid, Place, Point, Screen, States, Window, WindowId, WindowKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::config::TokenLifetime;
use crate::run::Run;
use crate::snapshot::{Found, Minted, SnapshotId};
use crate::{Code, Refusal, role};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    Window,
    Desktop,
}

/// The whole target in one argument.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Target {
    pub kind: TargetKind,
    #[schemars(range(min = 1))]
    pub pid: Option<u32>,
    #[schemars(range(min = 1))]
    pub window_id: Option<u64>,
    /// primary
    pub display_id: Option<String>,
}

/// Arguments that name a window.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct WindowArgs {
    #[schemars(range(min = 1))]
    pub pid: Option<u32>,
    #[schemars(range(min = 1))]
    pub window_id: Option<u64>,
}

/// Arguments that name an element.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ElementArgs {
    /// Token from get_window_state; enough by itself.
    pub element_token: Option<String>,
    pub snapshot_id: Option<String>,
    /// With snapshot_id.
    #[schemars(range(min = 0))]
    pub element_index: Option<u32>,
}

/// Arguments that name a point.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct PointArgs {
    /// Pixels of the last picture of the target.
    pub x: Option<f64>,
    pub y: Option<f64>,
}

/// An element as it is now, proven to be the one that was meant.
#[derive(Clone, Debug)]
pub struct Element {
    pub key: NodeKey,
    pub node: Node,
    /// As its token: `s0123abcd:7`.
    pub token: String,
}

/// A point as it was chosen and where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// In the picture it was chosen in.
    pub picture: (f64, f64),
    /// `None` for a point of the desktop.
    pub local: Option<Point<Local>>,
    pub screen: Point<Screen>,
}

/// What an action was found to mean.
#[derive(Clone, Debug, Default)]
pub struct Aim {
    pub window: Option<Window>,
    pub element: Option<Element>,
    pub point: Option<Spot>,
    /// End of a drag.
    pub to: Option<Spot>,
    /// The desktop itself was named.
    pub desktop: bool,
}

impl Aim {
    /// The window, for tools that cannot do without one.
    pub fn window(&self) -> Result<&Window, Refusal> {
        self.window.as_ref().ok_or_else(|| {
            Refusal::new(Code::InvalidArguments, "No window is named: pass window_id, pid, or element_token.").with("field", "window_id")
        })
    }

    pub fn pid(&self) -> Option<Pid> {
        self.window.as_ref().and_then(|w| w.pid)
    }

    /// The place of a spot for pointer acts.
    pub fn place(&self, spot: &Spot) -> Place {
        match (&self.window, spot.local) {
            (Some(w), Some(p)) => Place::Window(w.id, p),
            _ => Place::Screen(spot.screen),
        }
    }
}

/// Flat and tagged ways of naming the target brought together.
#[derive(Clone, Debug, Default)]
pub struct Ways<'a> {
    pub window: WindowArgs,
    pub element: ElementArgs,
    pub point: PointArgs,
    pub target: Option<&'a Target>,
}

/// Refused because the object is not any more what its token says: no token of it can be named.
fn gone(m: &Minted, why: &str) -> Refusal {
    Refusal::new(Code::StaleElementToken, format!("The token of {} {:?} is stale: {why}. Nothing was sent.", m.role, m.name))
}

impl Run<'_> {
    /// Settle what is meant. At most one of element and point; a window always, unless the
    /// desktop is named.
    pub fn aim(&self, ways: &Ways<'_>) -> Result<Aim, Refusal> {
        let mut window = ways.window.clone();
        let has_element = ways.element.element_token.is_some() || ways.element.element_index.is_some() || ways.element.snapshot_id.is_some();
        let has_point = ways.point.x.is_some() || ways.point.y.is_some();
        if has_element && has_point {
            return Err(Refusal::new(Code::ConflictingElementTarget, "An element and a point are both named; nothing was sent."));
        }
        if let Some(t) = ways.target {
            match t.kind {
                TargetKind::Desktop => return self.aim_desktop(ways, t, has_element),
                TargetKind::Window => {
                    if window.pid.is_some_and(|p| t.pid.is_some_and(|q| p != q)) || window.window_id.is_some_and(|p| t.window_id.is_some_and(|q| p != q)) {
                        return Err(Refusal::new(Code::ConflictingElementTarget, "`target` and the flat arguments name different windows; nothing was sent."));
                    }
                    window.pid = window.pid.or(t.pid);
                    window.window_id = window.window_id.or(t.window_id);
                }
            }
        }
        if has_element {
            return self.aim_element(&ways.element, &window);
        }
        let window = self.aim_window(&window)?;
        let point = match (ways.point.x, ways.point.y) {
            (Some(x), Some(y)) => Some(self.spot(&window, x, y, "x, y")?),
            (None, None) => None,
            (x, _) => return Err(missing(if x.is_some() { "y" } else { "x" }, "a point needs both x and y")),
        };
        Ok(Aim { window: Some(window), point, ..Aim::default() })
    }

    fn aim_desktop(&self, ways: &Ways<'_>, t: &Target, has_element: bool) -> Result<Aim, Refusal> {
        if has_element || ways.window.window_id.is_some() || ways.window.pid.is_some() || t.window_id.is_some() || t.pid.is_some() {
            return Err(Refusal::new(Code::ConflictingElementTarget, "The desktop and a window or element are both named; nothing was sent."));
        }
        if t.display_id.as_deref().is_some_and(|d| d != "primary") {
            return Err(Refusal::new(Code::InvalidArguments, "`target.display_id`: only \"primary\" is known.").with("field", "target.display_id"));
        }
        let point = match (ways.point.x, ways.point.y) {
            (Some(x), Some(y)) => Some(self.desktop_spot(x, y)?),
            (None, None) => None,
            (x, _) => return Err(missing(if x.is_some() { "y" } else { "x" }, "a point needs both x and y")),
        };
        Ok(Aim { desktop: true, point, ..Aim::default() })
    }

    /// The window that pid and window_id mean.
    pub fn aim_window(&self, args: &WindowArgs) -> Result<Window, Refusal> {
        let pid = args.pid.map(Pid);
        let Some(id) = args.window_id.map(WindowId) else {
            let Some(pid) = pid else {
                return Err(missing("window_id", "no target is named: pass window_id, pid, element_token, or target"));
            };
            return self.only_window(pid);
        };
        let window = self.desktop().window(&self.brief(), id).map_err(|e| self.no(e))?;
        let listed = self.session.state().listed.get(&id).copied();
        if listed.is_some_and(|b| b != window.birth) {
            return Err(Refusal::new(Code::WindowTargetNotFound, format!("Window {id} was closed; another window has its id now. Nothing was sent.")));
        }
        if let (Some(asked), Some(owner)) = (pid, window.pid)
            && asked != owner
        {
            return Err(Refusal::new(Code::WindowOwnerPidMismatch, format!("Window {id} belongs to process {owner}, not to {asked}; nothing was sent."))
                .with("owner_pid", owner.0));
        }
        Ok(window)
    }

    /// The one eligible window of a process, or a refusal with candidates.
    fn only_window(&self, pid: Pid) -> Result<Window, Refusal> {
        let all = self.desktop().windows(&self.brief()).map_err(|e| self.no(e))?;
        let mut mine: Vec<Window> = all.into_iter().filter(|w| w.pid == Some(pid) && matches!(w.kind, WindowKind::Normal | WindowKind::Dialog)).collect();
        match mine.len() {
            0 => Err(Refusal::new(Code::WindowTargetNotFound, format!("Process {pid} has no window."))),
            1 => Ok(mine.remove(0)),
            n => {
                let candidates: Vec<_> = mine
                    .iter()
                    .map(|w| json!({"window_id": w.id.0, "title": crate::view::title(&w.title), "app_name": crate::view::title(&w.app_name), "is_on_screen": w.on_screen}))
                    .collect();
                Err(Refusal::new(Code::AmbiguousWindowTarget, format!("Process {pid} has {n} windows; nothing was sent.")).with("candidates", candidates))
            }
        }
    }

    /// The live object of a token, proven to be the same with the same role and name.
    fn aim_element(&self, e: &ElementArgs, w: &WindowArgs) -> Result<Aim, Refusal> {
        let (id, index) = parse(e)?;
        let minted = self.minted(id, index)?;
        let clash = |what: &str| Refusal::new(Code::ConflictingElementTarget, format!("The element belongs to another {what} than the one named; nothing was sent."));
        if w.window_id.is_some_and(|x| WindowId(x) != minted.window) {
            return Err(clash("window"));
        }
        let window = match self.desktop().window(&self.brief(), minted.window) {
            Ok(w) if w.birth == minted.birth => w,
            Ok(_) | Err(DesktopError::WindowGone(_)) => return Err(gone(&minted, "its window is closed")),
            Err(e) => return Err(self.no(e)),
        };
        if w.pid.is_some_and(|p| window.pid.is_some_and(|q| q != Pid(p))) {
            return Err(clash("process"));
        }
        let element = self.alive(&minted, &format!("{id}:{index}"), &window)?;
        Ok(Aim { window: Some(window), element: Some(element), ..Aim::default() })
    }

    fn minted(&self, id: SnapshotId, index: u32) -> Result<Minted, Refusal> {
        let found = self.session.state().snapshots.find(id, index);
        match found {
            Found::Current(m) => Ok(m),
            Found::Superseded { minted, .. } if self.settings.token_lifetime == TokenLifetime::Object => Ok(minted),
            Found::Superseded { minted, .. } => Err(self.stale(&minted, "a newer snapshot of its window was taken")),
            Found::NoElement => Err(Refusal::new(Code::InvalidElementToken, format!("Snapshot {id} has no element {index}; nothing was sent."))),
            Found::Unknown => Err(Refusal::new(Code::StaleElementToken, format!("Snapshot {id} is not known in this session (any more); nothing was sent."))
                .with("snapshot_id", id.to_string())),
        }
    }

    /// Refused because a newer snapshot was taken: the same object may have a token in that one.
    fn stale(&self, m: &Minted, why: &str) -> Refusal {
        let r = gone(m, why);
        match self.session.state().snapshots.current(m) {
            Some(token) => r.hint(format!("The same element is now {token}.")).with("current_token", token),
            None => r,
        }
    }

    /// Read the object again; refuse where it is gone or is another than the token says.
    fn alive(&self, m: &Minted, token: &str, window: &Window) -> Result<Element, Refusal> {
        let node = match self.desktop().read(&self.brief(), &m.key) {
            Ok(n) if n.has(States::DEFUNCT) => return Err(gone(m, "the element is gone")),
            Ok(n) => n,
            Err(DesktopError::NodeGone) => return Err(gone(m, "the element is gone")),
            Err(e) => return Err(self.no_window(e, window)),
        };
        let now = role::of(&node);
        if now != m.role || node.name != m.name {
            let was = format!("it is now {now} {}", crate::view::quoted(&node.name));
            return Err(gone(m, &was));
        }
        Ok(Element { key: m.key.clone(), node, token: token.to_owned() })
    }

    /// The live object behind a row of a snapshot that was just taken.
    pub fn element_at(&self, window: &Window, key: &NodeKey) -> Result<Element, Refusal> {
        let node = self.desktop().read(&self.brief(), key).map_err(|e| self.no_window(e, window))?;
        Ok(Element { key: key.clone(), node, token: String::new() })
    }

    /// A point of the last picture of a window, as a pixel of the window.
    pub fn spot(&self, window: &Window, x: f64, y: f64, field: &str) -> Result<Spot, Refusal> {
        if window.minimized {
            return Err(self.no(DesktopError::Minimized(window.id)));
        }
        let frame = self.session.state().pictures.get(&window.id).copied();
        let size = window.bounds.size();
        let native = match frame {
            Some(f) => {
                inside(f.contains(x, y), x, y, f.size.w, f.size.h, field)?;
                if f.native != size {
                    return Err(Refusal::new(Code::PxFrameMismatch, format!(
                        "The window was {}x{} in the picture and is {}x{} now; nothing was sent.", f.native.w, f.native.h, size.w, size.h)));
                }
                f.native(x, y)
            }
            None => {
                inside(x >= 0.0 && y >= 0.0 && x < f64::from(size.w) && y < f64::from(size.h), x, y, size.w, size.h, field)?;
                Point::new(x as i32, y as i32)
            }
        };
        Ok(Spot { picture: (x, y), local: Some(native), screen: native.on_screen(window.bounds.origin()) })
    }

    /// A point of the last picture of the desktop, as a pixel of the screen.
    pub fn desktop_spot(&self, x: f64, y: f64) -> Result<Spot, Refusal> {
        let frame = self.session.state().desktop_picture;
        let (w, h, screen) = match frame {
            Some(f) => (f.size.w, f.size.h, f.native(x, y).on_screen(f.origin)),
            None => {
                let displays = self.desktop().displays(&self.brief()).map_err(|e| self.no(e))?;
                let right = displays.iter().map(|d| d.bounds.right()).max().unwrap_or(0);
                let bottom = displays.iter().map(|d| d.bounds.bottom()).max().unwrap_or(0);
                (right.max(0) as u32, bottom.max(0) as u32, Point::new(x as i32, y as i32))
            }
        };
        inside(x >= 0.0 && y >= 0.0 && x < f64::from(w) && y < f64::from(h), x, y, w, h, "x, y")?;
        Ok(Spot { picture: (x, y), local: None, screen })
    }
}

fn inside(yes: bool, x: f64, y: f64, w: u32, h: u32, field: &str) -> Result<(), Refusal> {
    if yes {
        return Ok(());
    }
    Err(Refusal::new(Code::OutOfBounds, format!("`{field}`: ({x}, {y}) lies outside the picture of {w}x{h}; nothing was sent."))
        .with("width", w)
        .with("height", h))
}

fn missing(field: &str, why: &str) -> Refusal {
    Refusal::new(Code::InvalidArguments, format!("`{field}`: {why}.")).with("field", field)
}

/// Snapshot and index of a token, or of snapshot_id and element_index.
fn parse(e: &ElementArgs) -> Result<(SnapshotId, u32), Refusal> {
    let bad = |what: &str| Refusal::new(Code::InvalidElementToken, format!("{what:?} is no element token (s and eight hex digits, a colon, a number); nothing was sent."));
    let from_token = match &e.element_token {
        Some(t) => {
            let (id, index) = t.split_once(':').ok_or_else(|| bad(t))?;
            let plain = index == "0" || (!index.starts_with('0') && !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()));
            let index = Some(index).filter(|_| plain).and_then(|i| i.parse().ok()).ok_or_else(|| bad(t))?;
            Some((SnapshotId::parse(id).ok_or_else(|| bad(t))?, index))
        }
        None => None,
    };
    let from_pair = match (&e.snapshot_id, e.element_index) {
        (Some(id), Some(i)) => Some((SnapshotId::parse(id).ok_or_else(|| bad(id))?, i)),
        (None, Some(i)) if from_token.is_none_or(|(_, t)| t != i) => {
            return Err(Refusal::new(Code::SnapshotIdRequired, format!("element_index {i} means nothing without its snapshot_id; nothing was sent.")));
        }
        (Some(id), None) if from_token.is_none() => {
            return Err(missing("element_index", &format!("snapshot_id {id:?} needs an element_index")));
        }
        (Some(id), None) => {
            let id = SnapshotId::parse(id).ok_or_else(|| bad(id))?;
            from_token.map(|(_, i)| (id, i))
        }
        _ => None,
    };
    match (from_token, from_pair) {
        (Some(a), Some(b)) if a != b => Err(Refusal::new(Code::ConflictingElementTarget, "element_token and snapshot_id with element_index name different elements; nothing was sent.")),
        (Some(a), _) | (None, Some(a)) => Ok(a),
        (None, None) => Err(missing("element_token", "no element is named")),
    }
}
