//! From what an application tells to a node of the seam.
//!
//! Owns: states, places on the screen, what counts as secret. Refuses to own: asking.

use desktop::{Limits, Node, Range, Rect, Screen, States, Window};

use super::apps::Kit;
use super::raw::{Faces, Raw, bit};
use super::role;

/// How an application's coordinates become native pixels of the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub kit: Kit,
    /// The window's client area.
    pub area: Rect<Screen>,
    /// Native pixels per unit of the application's coordinates.
    pub scale: f64,
    /// The same inside web pages, which may differ from the rest of the window.
    pub web: f64,
    /// Where the toolkit's own surface begins inside the window.
    pub shift: (i32, i32),
    /// Which bus the objects are on.
    pub epoch: u32,
}

impl View {
    /// Units are native pixels until `fitted`.
    pub fn of(window: &Window, kit: Kit, epoch: u32) -> Self {
        Self { kit, area: window.bounds, scale: 1.0, web: 1.0, shift: (0, 0), epoch }
    }

    /// Whether this toolkit counts in logical units is seen by the window's own object: the
    /// scale under which it lies best on the window.
    #[must_use]
    pub fn fitted(self, top: &Raw, scale: f64) -> Self {
        let off = |view: &Self| {
            top.extents
                .and_then(|e| view.place(e))
                .map_or(u64::MAX, |r| u64::from(r.w.abs_diff(self.area.w)) + u64::from(r.h.abs_diff(self.area.h)))
        };
        let told = Some(scale).filter(|s| s.is_finite() && *s > 0.0);
        let best = told.into_iter().chain(self.seen_scale(top)).map(|scale| Self { scale, ..self }).min_by_key(off);
        best.filter(|b| off(b) < off(&self)).unwrap_or(self)
    }

    /// How much larger the window is than its own object: a border or shadow that the toolkit
    /// draws itself. GTK 4 counts places from inside it.
    pub fn border(&self, top: &Raw) -> (i32, i32) {
        let own = top.extents.and_then(|e| self.place(e)).filter(|r| self.kit == Kit::Gtk4 && !r.is_empty());
        own.map_or((0, 0), |r| ((self.area.w as i32 - r.w as i32).max(0), (self.area.h as i32 - r.h as i32).max(0)))
    }

    /// A scale nobody told of, where place and size both say it: a multiple of a quarter.
    fn seen_scale(&self, top: &Raw) -> Option<f64> {
        let (x, y, w, h) = top.extents.filter(|e| e.2 > 0 && e.3 > 0)?;
        let factor = (f64::from(self.area.w) / f64::from(w) * 4.0).round() / 4.0;
        let near = |units: i32, native: i32| (f64::from(units) * factor - f64::from(native)).abs() <= factor + 1.0;
        let size = near(w, self.area.w as i32) && near(h, self.area.h as i32);
        let place = near(x, self.area.x) && near(y, self.area.y);
        (self.kit != Kit::Gtk4 && (1.2..=4.0).contains(&factor) && size && place).then_some(factor)
    }

    /// `None` where the toolkit does not tell.
    pub fn place(&self, (x, y, w, h): (i32, i32, i32, i32)) -> Option<Rect<Screen>> {
        if w < 0 || h < 0 || x == i32::MIN || y == i32::MIN || (x, y, w.min(1), h.min(1)) == (-1, -1, 0, 0) {
            return None;
        }
        let px = |n: i32| (f64::from(n) * self.scale).round().clamp(-1e9, 1e9) as i32;
        let (dx, dy) = match self.kit {
            Kit::Gtk4 => (self.area.x + self.shift.0, self.area.y + self.shift.1),
            _ => (self.odd(self.area.x), self.odd(self.area.y)),
        };
        Some(Rect::new(px(x) + dx, px(y) + dy, px(w) as u32, px(h) as u32))
    }

    /// What the toolkit lost of its window's place when it put that into its own units.
    fn odd(&self, n: i32) -> i32 {
        let units = f64::from(n) / self.scale;
        let kept = if self.kit == Kit::Qt { units.round() } else { units.trunc() };
        n - (kept * self.scale).round() as i32
    }

    /// The same view of what lies inside a web page.
    pub fn inside_page(&self) -> Self {
        Self { scale: self.scale * self.web, web: 1.0, ..*self }
    }

    /// Chromium counts a scale factor twice inside pages: seen by the page and what it fills.
    #[must_use]
    pub fn with_page(self, page: (i32, i32, i32, i32), around: (i32, i32, i32, i32)) -> Self {
        if around.2 <= 0 || around.3 <= 0 {
            return self;
        }
        let factor = f64::from(page.2) / f64::from(around.2);
        let same = |p: i32, a: i32| (f64::from(p) - f64::from(a) * factor).abs() <= 2.0 + factor;
        let all = same(page.0, around.0) && same(page.1, around.1) && same(page.3, around.3);
        if factor > 1.05 && all { Self { web: 1.0 / factor, ..self } } else { self }
    }

    /// A part of it lies inside the window.
    fn meets(&self, r: &Rect<Screen>) -> bool {
        self.area.is_empty() || self.area.meet(r).is_some()
    }
}

/// What its ancestors say of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inherited {
    pub web: bool,
    pub secret: bool,
    /// Drawn in a surface of its own whose place on the screen is not known here.
    pub apart: bool,
    /// Inside something of no size: what it says of its place is not so.
    pub folded: bool,
}

impl Inherited {
    pub fn below(self, raw: &Raw, inner: bool, kit: Kit) -> Self {
        Self {
            web: self.web || document(raw),
            secret: self.secret || secret(raw),
            apart: self.apart || (inner && popover(raw)),
            folded: self.folded || folds(raw, kit),
        }
    }
}

/// The top of a web page.
pub(super) fn document(raw: &Raw) -> bool {
    raw.role == role::DOCUMENT_WEB || (raw.role == role::DOCUMENT_FRAME && raw.faces.has(Faces::DOCUMENT))
}

/// Qt keeps the list of a closed combo box showing, at no size.
pub(super) fn folds(raw: &Raw, kit: Kit) -> bool {
    kit == Kit::Qt && raw.extents.is_some_and(|e| e.2 <= 0 || e.3 <= 0)
}

/// GTK 4 names objects without a name by their class.
pub(super) fn class_name(name: &str) -> bool {
    name.strip_prefix("Gtk").or_else(|| name.strip_prefix("Adw")).is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// A popover of GTK 4: its descendants tell places relative to its own surface.
pub(super) fn popover(raw: &Raw) -> bool {
    matches!(raw.name.as_str(), "GtkPopover" | "GtkPopoverMenu" | "GtkPopoverMenuBar" | "GtkEmojiChooser")
}

pub(super) fn secret(raw: &Raw) -> bool {
    raw.role == role::PASSWORD_TEXT || raw.attributes.get("text-input-type").is_some_and(|t| t == "password")
}

fn states(raw: &Raw, view: &View, from: Inherited, bounds: Option<&Rect<Screen>>) -> States {
    let mut out = States::default();
    let pairs = [
        (bit::VISIBLE, States::VISIBLE),
        (bit::SHOWING, States::SHOWING),
        (bit::FOCUSABLE, States::FOCUSABLE),
        (bit::FOCUSED, States::FOCUSED),
        (bit::CHECKABLE, States::CHECKABLE),
        (bit::CHECKED, States::CHECKED),
        (bit::SELECTABLE, States::SELECTABLE),
        (bit::SELECTED, States::SELECTED),
        (bit::EXPANDABLE, States::EXPANDABLE),
        (bit::EXPANDED, States::EXPANDED),
        (bit::EDITABLE, States::EDITABLE),
        (bit::READ_ONLY, States::READ_ONLY),
        (bit::MULTI_LINE, States::MULTI_LINE),
        (bit::MODAL, States::MODAL),
        (bit::REQUIRED, States::REQUIRED),
        (bit::INVALID_ENTRY, States::INVALID),
        (bit::BUSY, States::BUSY),
        (bit::PRESSED, States::PRESSED),
        (bit::ACTIVE, States::ACTIVE),
        (bit::HAS_POPUP, States::HAS_POPUP),
        (bit::DEFUNCT, States::DEFUNCT),
    ];
    for (from, to) in pairs {
        out.set(to, raw.is(from) || out.has(to));
    }
    if view.kit == Kit::Gtk4 {
        // It marks nothing as showing: what has a place inside the window shows.
        let placed = bounds.is_some_and(|b| !b.is_empty() && view.meets(b));
        out.set(
            States::SHOWING,
            out.has(States::VISIBLE) && (placed || (from.apart && raw.extents.is_some_and(|e| e.2 > 0))),
        );
    }
    if from.folded || folds(raw, view.kit) {
        out.set(States::SHOWING, false);
    }
    out.set(States::ENABLED, raw.is(bit::ENABLED) || raw.is(bit::SENSITIVE));
    let checks = [
        role::CHECK_BOX,
        role::CHECK_MENU_ITEM,
        role::RADIO_BUTTON,
        role::RADIO_MENU_ITEM,
        role::TOGGLE_BUTTON,
        role::SWITCH,
    ];
    if checks.contains(&raw.role) {
        out.set(States::CHECKABLE, true);
        out.set(States::CHECKED, raw.is(bit::CHECKED) || (raw.role == role::TOGGLE_BUTTON && raw.is(bit::PRESSED)));
    }
    out.set(States::MIXED, raw.is(bit::INDETERMINATE) && out.has(States::CHECKABLE));
    out.set(States::SECRET, from.secret || secret(raw));
    out.set(States::WEB, from.web || document(raw) || raw.attributes.contains_key("tag"));
    out
}

/// At most `max` bytes, cut at a character; characters that stand for embedded objects left out.
pub(super) fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    for c in text.chars() {
        if out.len() + c.len_utf8() > max {
            break;
        }
        if c != '\u{fffc}' {
            out.push(c);
        }
    }
    out
}

fn range(raw: &Raw) -> Option<Range> {
    let now = raw.now?;
    let (min, max) = (raw.min.unwrap_or(0.0), raw.max.unwrap_or(0.0));
    // Buttons and cells of some toolkits have the interface and no bounds: no number is meant.
    (max > min && now.is_finite() && (max - min).is_finite()).then(|| Range {
        min,
        max,
        now,
        step: raw.step.unwrap_or(0.0),
    })
}

pub(super) fn node(raw: &Raw, view: &View, from: Inherited, limits: &Limits) -> Node {
    let page = (from.web || document(raw)) && view.web != 1.0;
    let own = if page { view.inside_page() } else { *view };
    let bounds = raw.extents.and_then(|e| own.place(e)).filter(|_| !from.apart && !from.folded);
    let states = states(raw, view, from, bounds.as_ref());
    let value = raw.chosen.as_ref().or(raw.text.as_ref()).filter(|_| !states.has(States::SECRET));
    let id = raw.id.as_ref().or_else(|| raw.attributes.get("id")).filter(|s| !s.is_empty());
    Node {
        key: raw.at.key(view.epoch),
        parent: None,
        raw_role: role::name(raw),
        name: if view.kit == Kit::Gtk4 && class_name(&raw.name) {
            String::new()
        } else {
            clean(&raw.name, limits.max_text)
        },
        description: clean(&raw.description, limits.max_text),
        value: value.map(|v| clean(v, limits.max_text)),
        range: range(raw),
        states,
        actions: raw.actions.clone(),
        editable_text: raw.faces.has(Faces::EDITABLE),
        selection: raw.faces.has(Faces::SELECTION),
        bounds,
        automation_id: id.map(|s| clean(s, limits.max_text)),
        child_count: raw.child_count.max(0) as u32,
        index_in_parent: u32::try_from(raw.index).ok(),
    }
}
