//! An object as the application tells of it, before it becomes a node of the seam.

use std::collections::HashMap;
use std::sync::Arc;

use super::ask::Ref;

/// Interfaces an object has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faces(u8);

impl Faces {
    pub const COMPONENT: Faces = Faces(1);
    pub const ACTION: Faces = Faces(2);
    pub const TEXT: Faces = Faces(4);
    pub const EDITABLE: Faces = Faces(8);
    pub const VALUE: Faces = Faces(16);
    pub const SELECTION: Faces = Faces(32);
    pub const TABLE: Faces = Faces(64);
    pub const DOCUMENT: Faces = Faces(128);

    pub const fn without(self, f: Faces) -> Faces {
        Faces(self.0 & !f.0)
    }

    pub const fn has(self, f: Faces) -> bool {
        self.0 & f.0 != 0
    }
}

impl<'a> FromIterator<&'a str> for Faces {
    fn from_iter<T: IntoIterator<Item = &'a str>>(list: T) -> Self {
        let mut out = 0;
        for name in list {
            out |= match name.rsplit('.').next().unwrap_or_default() {
                "Component" => 1,
                "Action" => 2,
                "Text" => 4,
                "EditableText" => 8,
                "Value" => 16,
                "Selection" => 32,
                "Table" => 64,
                "Document" => 128,
                _ => 0,
            };
        }
        Faces(out)
    }
}

/// State bits as the protocol numbers them.
pub(super) mod bit {
    pub const ACTIVE: u32 = 1;
    pub const BUSY: u32 = 3;
    pub const CHECKED: u32 = 4;
    pub const DEFUNCT: u32 = 6;
    pub const EDITABLE: u32 = 7;
    pub const ENABLED: u32 = 8;
    pub const EXPANDABLE: u32 = 9;
    pub const EXPANDED: u32 = 10;
    pub const FOCUSABLE: u32 = 11;
    pub const FOCUSED: u32 = 12;
    pub const MODAL: u32 = 16;
    pub const MULTI_LINE: u32 = 17;
    pub const PRESSED: u32 = 20;
    pub const SELECTABLE: u32 = 22;
    pub const SELECTED: u32 = 23;
    pub const SENSITIVE: u32 = 24;
    pub const SHOWING: u32 = 25;
    pub const VISIBLE: u32 = 30;
    pub const MANAGES_DESCENDANTS: u32 = 31;
    pub const INDETERMINATE: u32 = 32;
    pub const REQUIRED: u32 = 33;
    pub const INVALID_ENTRY: u32 = 36;
    pub const CHECKABLE: u32 = 41;
    pub const HAS_POPUP: u32 = 42;
    pub const READ_ONLY: u32 = 43;
}

#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub at: Ref,
    pub parent: Option<Ref>,
    pub role: u32,
    pub role_name: Option<String>,
    pub name: String,
    pub description: String,
    pub id: Option<String>,
    pub states: u64,
    pub faces: Faces,
    pub child_count: i32,
    pub index: i32,
    pub children: Option<Vec<Ref>>,
    pub extents: Option<(i32, i32, i32, i32)>,
    /// Names of actions as programs know them.
    pub actions: Vec<String>,
    /// The same as people are shown them.
    pub shown: Vec<String>,
    pub attributes: HashMap<String, String>,
    /// The label that names it.
    pub label: Option<Ref>,
    pub characters: i32,
    pub caret: Option<i32>,
    pub text: Option<String>,
    pub selected: Option<Ref>,
    pub chosen: Option<String>,
    pub now: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub step: Option<f64>,
}

impl Raw {
    pub fn at(at: Ref) -> Self {
        Self { at, ..Self::default() }
    }

    pub fn is(&self, state: u32) -> bool {
        self.states >> state & 1 == 1
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self {
            at: Ref { bus: Arc::from(""), path: Arc::from("") },
            parent: None,
            role: 0,
            role_name: None,
            name: String::new(),
            description: String::new(),
            id: None,
            states: 0,
            faces: Faces::default(),
            child_count: 0,
            index: -1,
            children: None,
            extents: None,
            actions: Vec::new(),
            shown: Vec::new(),
            attributes: HashMap::new(),
            label: None,
            characters: 0,
            caret: None,
            text: None,
            selected: None,
            chosen: None,
            now: None,
            min: None,
            max: None,
            step: None,
        }
    }
}

/// One object of a bulk list.
pub(super) struct Item {
    pub parent: Ref,
    pub index: i32,
    pub raw: Raw,
}
