//! One vocabulary of roles on every system and toolkit: the ARIA names.

use desktop::{Node, States};

/// The system's word (lower case, without `AX`) and ours. Words that are not here stay as they are.
const ROLES: &[(&str, &str)] = &[
    ("push button", "button"), ("button", "button"), ("toggle button", "button"), ("push button menu", "button"), ("menu button", "button"),
    ("check box", "checkbox"), ("switch", "switch"), ("radio button", "radio"),
    ("text", "textbox"), ("entry", "textbox"), ("password text", "textbox"), ("edit bar", "textbox"), ("editbar", "textbox"),
    ("autocomplete", "textbox"), ("terminal", "textbox"), ("edit", "textbox"), ("textfield", "textbox"), ("textarea", "textbox"), ("search box", "searchbox"),
    ("combo box", "combobox"), ("combobox", "combobox"), ("popupbutton", "combobox"), ("spin button", "spinbutton"), ("spinner", "spinbutton"),
    ("slider", "slider"), ("dial", "slider"), ("scroll bar", "scrollbar"), ("scrollbar", "scrollbar"), ("progress bar", "progressbar"), ("level bar", "meter"),
    ("menu bar", "menubar"), ("menubar", "menubar"), ("menu", "menu"), ("popup menu", "menu"), ("menu item", "menuitem"), ("menuitem", "menuitem"),
    ("check menu item", "menuitemcheckbox"), ("radio menu item", "menuitemradio"), ("tearoff menu item", "menuitem"),
    ("page tab", "tab"), ("tab item", "tab"), ("page tab list", "tablist"), ("tab", "tab"),
    ("list", "list"), ("list box", "listbox"), ("list item", "listitem"), ("option", "option"),
    ("table", "table"), ("tree table", "treegrid"), ("tree", "tree"), ("tree item", "treeitem"), ("table cell", "cell"), ("cell", "cell"), ("data item", "cell"),
    ("table row", "row"), ("row header", "rowheader"), ("table row header", "rowheader"), ("table column header", "columnheader"), ("column header", "columnheader"),
    ("link", "link"), ("hyperlink", "link"), ("image", "img"), ("icon", "img"), ("desktop icon", "img"), ("drawing area", "img"), ("canvas", "canvas"),
    ("label", "label"), ("static", "label"), ("statictext", "label"), ("static text", "label"), ("caption", "label"), ("text leaf", "label"),
    ("heading", "heading"), ("paragraph", "paragraph"), ("document web", "document"), ("document frame", "document"), ("document text", "document"),
    ("document spreadsheet", "document"), ("document presentation", "document"), ("document", "document"), ("embedded", "document"), ("article", "article"),
    ("frame", "window"), ("window", "window"), ("dialog", "dialog"), ("file chooser", "dialog"), ("color chooser", "dialog"), ("font chooser", "dialog"),
    ("alert", "alert"), ("notification", "alert"), ("tool bar", "toolbar"), ("toolbar", "toolbar"), ("tool tip", "tooltip"), ("status bar", "status"),
    ("separator", "separator"), ("split pane", "separator"), ("landmark", "region"), ("form", "form"), ("grouping", "group"), ("group", "group"),
    ("panel", "group"), ("filler", "generic"), ("section", "generic"), ("redundant object", "generic"), ("unknown", "generic"), ("invalid", "generic"),
    ("scroll pane", "group"), ("viewport", "generic"), ("layered pane", "generic"), ("root pane", "generic"), ("glass pane", "generic"), ("box", "generic"),
    ("internal frame", "group"), ("html container", "generic"), ("block quote", "blockquote"), ("application", "application"), ("calendar", "grid"),
    ("header", "banner"), ("footer", "contentinfo"), ("description list", "list"), ("description term", "term"), ("description value", "definition"),
    ("info bar", "status"), ("math", "math"), ("video", "video"), ("audio", "audio"), ("color well", "button"), ("date editor", "textbox"), ("rating", "slider"),
];

/// The role of a node in our words.
pub fn of(node: &Node) -> &str {
    let raw = node.raw_role.strip_prefix("AX").unwrap_or(&node.raw_role);
    if raw.eq_ignore_ascii_case("text") && !node.has(States::EDITABLE) && !node.editable_text && !node.has(States::FOCUSABLE) {
        return "label";
    }
    find(raw)
}

/// A role that a caller wrote, in any of the spellings, in our words.
pub fn named(word: &str) -> String {
    let bare = word.strip_prefix("AX").unwrap_or(word);
    let spaced: String = bare.replace(['_', '-'], " ");
    for w in [bare, &spaced] {
        let found = find(w);
        if found != w {
            return found.to_owned();
        }
    }
    let joined = spaced.to_lowercase().replace(' ', "");
    match joined.as_str() {
        "pushbutton" => "button".into(),
        "pagetab" | "tabitem" => "tab".into(),
        "textfield" | "entry" => "textbox".into(),
        "radiobutton" => "radio".into(),
        _ => joined,
    }
}

fn find(raw: &str) -> &str {
    ROLES.iter().find(|(w, _)| w.eq_ignore_ascii_case(raw)).map_or(raw, |(_, ours)| ours)
}

/// Roles that a person acts on.
pub fn interactive(role: &str) -> bool {
    matches!(
        role,
        "button" | "checkbox" | "switch" | "radio" | "textbox" | "searchbox" | "combobox" | "spinbutton" | "slider" | "menuitem" | "menuitemcheckbox"
            | "menuitemradio" | "menu" | "tab" | "listitem" | "option" | "treeitem" | "cell" | "link" | "columnheader" | "rowheader" | "row" | "scrollbar"
    )
}

/// Roles of containers whose children are chosen from, where the toolkit lets them be selected.
pub fn chosen_from(role: &str) -> bool {
    matches!(role, "list" | "listbox" | "table" | "treegrid" | "tree" | "grid")
}

/// Roles that only hold others.
pub fn container(role: &str) -> bool {
    matches!(
        role,
        "generic" | "group" | "window" | "document" | "list" | "listbox" | "table" | "treegrid" | "tree" | "tablist" | "menubar" | "toolbar" | "form" | "region"
            | "dialog" | "alert" | "article" | "application" | "status" | "separator" | "grid" | "banner" | "contentinfo" | "blockquote" | "paragraph"
    )
}
