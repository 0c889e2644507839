//! Roles by number and by name.
//!
//! Owns: the protocol's own list. Refuses to own: what a role means to a caller.

use super::raw::Raw;

pub(super) const CHECK_BOX: u32 = 7;
pub(super) const ICON: u32 = 26;
pub(super) const IMAGE: u32 = 27;
pub(super) const PUSH_BUTTON: u32 = 43;
pub(super) const SCROLL_BAR: u32 = 48;
pub(super) const SEPARATOR: u32 = 50;
pub(super) const CHECK_MENU_ITEM: u32 = 8;
pub(super) const COMBO_BOX: u32 = 11;
pub(super) const DATE_EDITOR: u32 = 12;
pub(super) const DIAL: u32 = 15;
pub(super) const ALERT: u32 = 2;
pub(super) const DIALOG: u32 = 16;
pub(super) const PANEL: u32 = 39;
pub(super) const TABLE: u32 = 55;
pub(super) const TREE: u32 = 65;
pub(super) const TREE_TABLE: u32 = 66;
pub(super) const LABEL: u32 = 29;
pub(super) const LIST: u32 = 31;
pub(super) const LIST_ITEM: u32 = 32;
pub(super) const MENU: u32 = 33;
pub(super) const MENU_ITEM: u32 = 35;
pub(super) const PASSWORD_TEXT: u32 = 40;
pub(super) const POPUP_MENU: u32 = 41;
pub(super) const PROGRESS_BAR: u32 = 42;
pub(super) const RADIO_BUTTON: u32 = 44;
pub(super) const RADIO_MENU_ITEM: u32 = 45;
pub(super) const SLIDER: u32 = 51;
pub(super) const SPIN_BUTTON: u32 = 52;
pub(super) const TERMINAL: u32 = 60;
pub(super) const TEXT: u32 = 61;
pub(super) const TOGGLE_BUTTON: u32 = 62;
pub(super) const TOOL_TIP: u32 = 64;
pub(super) const WINDOW: u32 = 69;
pub(super) const AUTOCOMPLETE: u32 = 76;
pub(super) const EDITBAR: u32 = 77;
pub(super) const ENTRY: u32 = 79;
pub(super) const DOCUMENT_FRAME: u32 = 82;
pub(super) const TABLE_CELL: u32 = 56;
pub(super) const TABLE_ROW: u32 = 90;
pub(super) const TREE_ITEM: u32 = 91;
pub(super) const DOCUMENT_TEXT: u32 = 94;
pub(super) const DOCUMENT_WEB: u32 = 95;
pub(super) const LEVEL_BAR: u32 = 103;
pub(super) const RATING: u32 = 114;
pub(super) const STATIC: u32 = 116;
pub(super) const LIST_BOX: u32 = 98;
pub(super) const SWITCH: u32 = 130;

/// Names of roles by number, as the protocol's own library spells them.
const ROLES: [&str; 131] = [
    "invalid",
    "accelerator label",
    "alert",
    "animation",
    "arrow",
    "calendar",
    "canvas",
    "check box",
    "check menu item",
    "color chooser",
    "column header",
    "combo box",
    "date editor",
    "desktop icon",
    "desktop frame",
    "dial",
    "dialog",
    "directory pane",
    "drawing area",
    "file chooser",
    "filler",
    "focus traversable",
    "font chooser",
    "frame",
    "glass pane",
    "html container",
    "icon",
    "image",
    "internal frame",
    "label",
    "layered pane",
    "list",
    "list item",
    "menu",
    "menu bar",
    "menu item",
    "option pane",
    "page tab",
    "page tab list",
    "panel",
    "password text",
    "popup menu",
    "progress bar",
    "push button",
    "radio button",
    "radio menu item",
    "root pane",
    "row header",
    "scroll bar",
    "scroll pane",
    "separator",
    "slider",
    "spin button",
    "split pane",
    "status bar",
    "table",
    "table cell",
    "table column header",
    "table row header",
    "tearoff menu item",
    "terminal",
    "text",
    "toggle button",
    "tool bar",
    "tool tip",
    "tree",
    "tree table",
    "unknown",
    "viewport",
    "window",
    "extended",
    "header",
    "footer",
    "paragraph",
    "ruler",
    "application",
    "autocomplete",
    "editbar",
    "embedded",
    "entry",
    "chart",
    "caption",
    "document frame",
    "heading",
    "page",
    "section",
    "redundant object",
    "form",
    "link",
    "input method window",
    "table row",
    "tree item",
    "document spreadsheet",
    "document presentation",
    "document text",
    "document web",
    "document email",
    "comment",
    "list box",
    "grouping",
    "image map",
    "notification",
    "info bar",
    "level bar",
    "title bar",
    "block quote",
    "audio",
    "video",
    "definition",
    "article",
    "landmark",
    "log",
    "marquee",
    "math",
    "rating",
    "timer",
    "static",
    "math fraction",
    "math root",
    "subscript",
    "superscript",
    "description list",
    "description term",
    "description value",
    "footnote",
    "content deletion",
    "content insertion",
    "mark",
    "suggestion",
    "push button menu",
    "switch",
];

pub(super) fn name(raw: &Raw) -> String {
    match (&raw.role_name, ROLES.get(raw.role as usize)) {
        (Some(name), _) if !name.is_empty() => name.clone(),
        (_, Some(name)) => (*name).into(),
        _ => "unknown".into(),
    }
}

/// The role's name has to be asked for.
pub(super) fn unnamed(raw: &Raw) -> bool {
    raw.role == 70 || raw.role as usize >= ROLES.len()
}
