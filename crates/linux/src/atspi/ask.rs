//! The questions of the accessibility protocol and how their answers are read.
//!
//! Owns: interface names, message bodies, reading replies. Refuses to own: when to ask.

use std::collections::HashMap;
use std::sync::Arc;

use desktop::NodeKey;
use serde::Deserialize;
use zbus::Message;
use zbus::wire::{ObjectPath, OwnedVariant, Type, Variant};

use super::raw::{Item, Raw};
use super::wire::call;

pub(super) const ROOT: &str = "/org/a11y/atspi/accessible/root";
pub(super) const NULL: &str = "/org/a11y/atspi/null";
pub(super) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(super) const APPLICATION: &str = "org.a11y.atspi.Application";
pub(super) const COMPONENT: &str = "org.a11y.atspi.Component";
pub(super) const ACTION: &str = "org.a11y.atspi.Action";
pub(super) const TEXT: &str = "org.a11y.atspi.Text";
pub(super) const EDITABLE: &str = "org.a11y.atspi.EditableText";
pub(super) const VALUE: &str = "org.a11y.atspi.Value";
pub(super) const SELECTION: &str = "org.a11y.atspi.Selection";
pub(super) const TABLE: &str = "org.a11y.atspi.Table";
pub(super) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// Relation of a field to the label that names it.
const LABELLED_BY: u32 = 2;

/// An object on the bus.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ref {
    pub bus: Arc<str>,
    pub path: Arc<str>,
}

impl Ref {
    /// `bus|path`, and `|n` for the n-th bus after the first: names begin anew on each.
    pub fn key(&self, epoch: u32) -> NodeKey {
        match epoch {
            0 => NodeKey::new(&format!("{}|{}", self.bus, self.path)),
            n => NodeKey::new(&format!("{}|{}|{n}", self.bus, self.path)),
        }
    }

    /// The object and its bus; `None` for a key that this backend never wrote.
    pub fn of(key: &NodeKey) -> Option<(Self, u32)> {
        let mut words = key.as_str().split('|');
        let (bus, path) = (words.next()?, words.next()?);
        let epoch = words.next().map_or(Some(0), |n| n.parse().ok())?;
        let good = bus.starts_with(':') && path.starts_with('/') && words.next().is_none();
        good.then(|| (Self { bus: bus.into(), path: path.into() }, epoch))
    }

    pub fn is_null(&self) -> bool {
        &*self.path == NULL || self.bus.is_empty()
    }
}

/// `(so)` as it comes.
#[derive(Deserialize, Type)]
pub(super) struct Wired<'a>(#[serde(borrow)] pub &'a str, #[serde(borrow)] pub ObjectPath<'a>);

impl Wired<'_> {
    pub fn own(&self, bus: &Arc<str>) -> Ref {
        // Nearly every reference names the application that answers: share its name.
        let bus = if self.0 == &**bus { bus.clone() } else { self.0.into() };
        Ref { bus, path: self.1.as_str().into() }
    }
}

/// A list of references, without null ones.
pub(super) fn refs(m: &Message) -> Vec<Ref> {
    let body = m.body();
    let Ok(list) = body.deserialize::<Vec<Wired<'_>>>() else { return Vec::new() };
    let mut last: Arc<str> = Arc::from("");
    list.iter()
        .map(|w| {
            let r = w.own(&last);
            last = r.bus.clone();
            r
        })
        .filter(|r| !r.is_null())
        .collect()
}

pub(super) fn one_ref(m: &Message) -> Option<Ref> {
    let body = m.body();
    let r = body.deserialize::<Wired<'_>>().ok()?.own(&Arc::from(""));
    (!r.is_null()).then_some(r)
}

/// The value of a `Properties.Get` answer.
pub(super) fn property<T>(m: &Message) -> Option<T>
where
    T: TryFrom<OwnedVariant>,
{
    T::try_from(m.body().deserialize::<OwnedVariant>().ok()?).ok()
}

/// Some toolkits answer numbers in another width than the protocol says.
pub(super) fn number(v: &Variant<'_>) -> Option<f64> {
    match v {
        Variant::F64(n) => Some(*n),
        Variant::I32(n) => Some(f64::from(*n)),
        Variant::U32(n) => Some(f64::from(*n)),
        Variant::I64(n) => Some(*n as f64),
        Variant::U64(n) => Some(*n as f64),
        Variant::I16(n) => Some(f64::from(*n)),
        Variant::Variant(inner) => number(inner),
        _ => None,
    }
}

pub(super) fn get(r: &Ref, interface: &str, name: &str) -> Option<Message> {
    call(&r.bus, &r.path, PROPERTIES, "Get", &(interface, name))
}

/// What can be asked of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Name, description, child count and id in one answer.
    All,
    Name,
    Description,
    ChildCount,
    AccessibleId,
    Parent,
    Index,
    Role,
    RoleName,
    State,
    Interfaces,
    Children,
    /// Extents in screen coordinates.
    Extents,
    /// How they are called for people; as many as there are.
    Actions,
    /// The name of one action, as programs know it.
    ActionName(i32),
    Attributes,
    CharacterCount,
    Caret,
    /// This many characters from the start.
    Text(i32),
    /// Value, bounds and step in one answer.
    Range,
    Now,
    Min,
    Max,
    Step,
    /// The selected child of this index among the selected.
    Selected(i32),
    Relations,
}

impl Ask {
    pub fn message(self, r: &Ref) -> Option<Message> {
        let acc = |member| call(&r.bus, &r.path, ACCESSIBLE, member, &());
        let all = |interface: &str| call(&r.bus, &r.path, PROPERTIES, "GetAll", &(interface,));
        match self {
            Ask::All => all(ACCESSIBLE),
            Ask::Name => get(r, ACCESSIBLE, "Name"),
            Ask::Description => get(r, ACCESSIBLE, "Description"),
            Ask::ChildCount => get(r, ACCESSIBLE, "ChildCount"),
            Ask::AccessibleId => get(r, ACCESSIBLE, "AccessibleId"),
            Ask::Parent => get(r, ACCESSIBLE, "Parent"),
            Ask::Index => acc("GetIndexInParent"),
            Ask::Role => acc("GetRole"),
            Ask::RoleName => acc("GetRoleName"),
            Ask::State => acc("GetState"),
            Ask::Interfaces => acc("GetInterfaces"),
            Ask::Children => acc("GetChildren"),
            Ask::Attributes => acc("GetAttributes"),
            Ask::Relations => acc("GetRelationSet"),
            Ask::Extents => call(&r.bus, &r.path, COMPONENT, "GetExtents", &(0u32,)),
            Ask::Actions => call(&r.bus, &r.path, ACTION, "GetActions", &()),
            Ask::ActionName(i) => call(&r.bus, &r.path, ACTION, "GetName", &(i,)),
            Ask::CharacterCount => get(r, TEXT, "CharacterCount"),
            Ask::Caret => get(r, TEXT, "CaretOffset"),
            Ask::Text(n) => call(&r.bus, &r.path, TEXT, "GetText", &(0i32, n)),
            Ask::Range => all(VALUE),
            Ask::Now => get(r, VALUE, "CurrentValue"),
            Ask::Min => get(r, VALUE, "MinimumValue"),
            Ask::Max => get(r, VALUE, "MaximumValue"),
            Ask::Step => get(r, VALUE, "MinimumIncrement"),
            Ask::Selected(i) => call(&r.bus, &r.path, SELECTION, "GetSelectedChild", &(i,)),
        }
    }

    /// Put the answer where it belongs. Answers of the wrong shape are as good as none.
    pub fn read(self, m: &Message, into: &mut Raw) {
        let body = m.body();
        match self {
            Ask::All => properties(m, |k, v| match (k, v) {
                ("Name", Variant::Str(s)) => into.name = s.as_str().into(),
                ("Description", Variant::Str(s)) => into.description = s.as_str().into(),
                ("AccessibleId", Variant::Str(s)) => into.id = some(s.as_str()),
                ("ChildCount", Variant::I32(n)) => into.child_count = *n,
                _ => {}
            }),
            Ask::Name => into.name = property(m).unwrap_or_default(),
            Ask::Description => into.description = property(m).unwrap_or_default(),
            Ask::AccessibleId => into.id = property::<String>(m).filter(|s| !s.is_empty()),
            Ask::ChildCount => into.child_count = property(m).unwrap_or_default(),
            Ask::Parent => into.parent = body.deserialize::<OwnedVariant>().ok().and_then(|v| reference(&v)),
            Ask::Index => into.index = body.deserialize().unwrap_or(-1),
            Ask::Role => into.role = body.deserialize().unwrap_or_default(),
            Ask::RoleName => into.role_name = body.deserialize().ok(),
            Ask::State => into.states = states(&body.deserialize::<Vec<u32>>().unwrap_or_default()),
            Ask::Interfaces => {
                if let Ok(list) = body.deserialize::<Vec<&str>>() {
                    into.faces = list.into_iter().collect();
                }
            }
            Ask::Children => into.children = Some(refs(m)),
            Ask::Extents => {
                into.extents = body
                    .deserialize::<((i32, i32, i32, i32),)>()
                    .map(|e| e.0)
                    .or_else(|_| body.deserialize::<(i32, i32, i32, i32)>())
                    .ok();
            }
            Ask::Actions => {
                if let Ok(list) = body.deserialize::<Vec<(&str, &str, &str)>>() {
                    into.shown = list.iter().map(|a| a.0.into()).collect();
                }
            }
            Ask::ActionName(i) => {
                let Ok(i) = usize::try_from(i) else { return };
                if into.actions.len() <= i {
                    into.actions.resize(i + 1, String::new());
                }
                into.actions[i] = body.deserialize().unwrap_or_default();
            }
            Ask::Attributes => into.attributes = body.deserialize().unwrap_or_default(),
            Ask::CharacterCount => into.characters = property(m).unwrap_or_default(),
            Ask::Caret => into.caret = property(m),
            Ask::Text(_) => into.text = body.deserialize().ok(),
            Ask::Range => properties(m, |k, v| {
                let Some(n) = number(v) else { return };
                match k {
                    "CurrentValue" => into.now = Some(n),
                    "MinimumValue" => into.min = Some(n),
                    "MaximumValue" => into.max = Some(n),
                    "MinimumIncrement" => into.step = Some(n),
                    _ => {}
                }
            }),
            Ask::Now => into.now = number_of(m),
            Ask::Min => into.min = number_of(m),
            Ask::Max => into.max = number_of(m),
            Ask::Step => into.step = number_of(m),
            Ask::Selected(_) => into.selected = one_ref(m),
            Ask::Relations => into.label = label(m),
        }
    }
}

fn some(s: &str) -> Option<String> {
    (!s.is_empty()).then(|| s.into())
}

pub(super) fn number_of(m: &Message) -> Option<f64> {
    m.body().deserialize::<OwnedVariant>().ok().and_then(|v| number(&v))
}

fn properties(m: &Message, mut each: impl FnMut(&str, &Variant<'_>)) {
    let body = m.body();
    if let Ok(all) = body.deserialize::<HashMap<&str, Variant<'_>>>() {
        for (k, v) in &all {
            each(k, v);
        }
    }
}

/// A reference inside a variant.
fn reference(v: &Variant<'_>) -> Option<Ref> {
    match v {
        Variant::Structure(s) => match s.fields() {
            [Variant::Str(bus), Variant::ObjectPath(path)] => {
                let r = Ref { bus: bus.as_str().into(), path: path.as_str().into() };
                (!r.is_null()).then_some(r)
            }
            _ => None,
        },
        Variant::Variant(inner) => reference(inner),
        _ => None,
    }
}

pub(super) fn states(words: &[u32]) -> u64 {
    u64::from(words.first().copied().unwrap_or_default()) | u64::from(words.get(1).copied().unwrap_or_default()) << 32
}

/// The label of a field, from its relations to other objects.
fn label(m: &Message) -> Option<Ref> {
    let body = m.body();
    let list = body.deserialize::<Vec<(u32, Vec<Wired<'_>>)>>().ok()?;
    let none: Arc<str> = Arc::from("");
    let labels = list.iter().find(|(kind, _)| *kind == LABELLED_BY)?;
    labels.1.first().map(|w| w.own(&none)).filter(|r| !r.is_null())
}

/// The bulk list of an application, new layout:
/// `a((so)(so)(so)iiassusau)`: object, application, parent, index, count, interfaces, name, role,
/// description, states.
#[derive(Deserialize, Type)]
#[expect(dead_code, reason = "the second field is the application, known already")]
struct New<'a>(
    #[serde(borrow)] Wired<'a>,
    #[serde(borrow)] Wired<'a>,
    #[serde(borrow)] Wired<'a>,
    i32,
    i32,
    #[serde(borrow)] Vec<&'a str>,
    &'a str,
    u32,
    &'a str,
    Vec<u32>,
);

/// The older layout, with the children themselves: `a((so)(so)(so)a(so)assusau)`.
#[derive(Deserialize, Type)]
#[expect(dead_code, reason = "the second field is the application, known already")]
struct Old<'a>(
    #[serde(borrow)] Wired<'a>,
    #[serde(borrow)] Wired<'a>,
    #[serde(borrow)] Wired<'a>,
    #[serde(borrow)] Vec<Wired<'a>>,
    #[serde(borrow)] Vec<&'a str>,
    &'a str,
    u32,
    &'a str,
    Vec<u32>,
);

/// Objects of a `Cache.GetItems` answer, in its order.
pub(super) fn items(m: &Message, bus: &Arc<str>) -> Vec<Item> {
    let body = m.body();
    if let Ok(list) = body.deserialize::<Vec<New<'_>>>() {
        return list
            .iter()
            .map(|n| Item {
                parent: n.2.own(bus),
                index: n.3,
                raw: Raw {
                    at: n.0.own(bus),
                    index: n.3,
                    child_count: n.4,
                    faces: n.5.iter().copied().collect(),
                    name: n.6.into(),
                    role: n.7,
                    description: n.8.into(),
                    states: states(&n.9),
                    ..Raw::default()
                },
            })
            .collect();
    }
    let Ok(list) = body.deserialize::<Vec<Old<'_>>>() else { return Vec::new() };
    list.iter()
        .map(|o| Item {
            parent: o.2.own(bus),
            index: -1,
            raw: Raw {
                at: o.0.own(bus),
                child_count: o.3.len() as i32,
                children: Some(o.3.iter().map(|w| w.own(bus)).filter(|r| !r.is_null()).collect()),
                faces: o.4.iter().copied().collect(),
                name: o.5.into(),
                role: o.6,
                description: o.7.into(),
                states: states(&o.8),
                ..Raw::default()
            },
        })
        .collect()
}
