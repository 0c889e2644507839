//! A snapshot as text and rows: what is left out of one is left out of both.

use desktop::{Node, States};
use serde_json::{Map, Value, json};

use crate::picture::Frame;
use crate::role;
use crate::snapshot::{Row, Snapshot};

/// Longest name or value in a line, in characters.
const SHOWN: usize = 200;
/// Characters of a title that are answered.
const TITLE: usize = 1000;

/// Not in view now.
const OFFSCREEN: &str = "offscreen";

/// What of a snapshot is asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub query: Option<String>,
    pub max_elements: Option<usize>,
    pub max_depth: Option<u32>,
    pub max_bytes: Option<usize>,
}

/// The lines that are shown, and why others are not.
pub struct View {
    pub rows: Vec<usize>,
    pub cut: Option<&'static str>,
    pub omitted: u64,
}

/// Choose lines. A query is no cut: what does not match was not asked for.
pub fn choose(s: &Snapshot, f: &Filter) -> View {
    let mut wanted: Vec<usize> = (0..s.rows.len()).collect();
    if let Some(q) = f.query.as_deref().map(str::to_lowercase).filter(|q| !q.is_empty()) {
        wanted = matching(s, &q);
    }
    let (mut rows, mut cut, mut omitted, mut elements, mut bytes) = (Vec::new(), None, 0, 0, 0);
    for i in wanted {
        let row = &s.rows[i];
        let too_deep = f.max_depth.is_some_and(|d| row.depth > d);
        let too_many = row.index.is_some() && f.max_elements.is_some_and(|m| elements >= m);
        let size = if f.max_bytes.is_some() { cost(s, row) } else { 0 };
        let too_long = f.max_bytes.is_some_and(|m| bytes + size > m);
        if too_deep || too_many || too_long {
            cut = cut.or(Some(if too_deep { "max_depth" } else if too_many { "max_elements" } else { "max_bytes" }));
            omitted += u64::from(row.index.is_some());
            continue;
        }
        elements += usize::from(row.index.is_some());
        bytes += size;
        rows.push(i);
    }
    View { rows, cut, omitted }
}

/// Lines that match, with the lines above that hold them.
fn matching(s: &Snapshot, query: &str) -> Vec<usize> {
    let mut keep = vec![false; s.rows.len()];
    let mut above: Vec<usize> = Vec::new();
    for (i, row) in s.rows.iter().enumerate() {
        above.truncate(row.depth as usize);
        if line(s, row).to_lowercase().contains(query) {
            keep[i] = true;
            above.iter().for_each(|a| keep[*a] = true);
        }
        above.push(i);
    }
    (0..s.rows.len()).filter(|i| keep[*i]).collect()
}

/// About how many bytes a row costs in an answer, as text and as a row of elements.
fn cost(s: &Snapshot, row: &Row) -> usize {
    let text = line(s, row).len() + 8;
    if row.index.is_some() { 2 * text + 110 } else { text }
}

/// The text of the chosen lines.
pub fn text(s: &Snapshot, rows: &[usize]) -> String {
    let mut out = String::with_capacity(rows.len() * 48);
    for i in rows {
        let row = &s.rows[*i];
        (0..row.depth).for_each(|_| out.push_str("  "));
        out.push_str(&line(s, row));
        out.push('\n');
    }
    out
}

/// One line: `- [12] button "Save" (disabled)`.
pub fn line(s: &Snapshot, row: &Row) -> String {
    let n = &s.tree.nodes[row.node];
    let mut out = match row.index {
        Some(i) => format!("- [{i}] {}", role::of(n)),
        None => format!("- {}", role::of(n)),
    };
    if !n.name.is_empty() {
        out.push(' ');
        out.push_str(&quoted(&n.name));
    }
    if let Some(v) = value(n).filter(|v| v != &n.name) {
        out.push_str(" = ");
        out.push_str(&quoted(&v));
    }
    // Elements scrolled away are acted on like others: their rows say so, the text need not.
    let states: Vec<_> = states(n).into_iter().filter(|s| *s != OFFSCREEN).collect();
    if !states.is_empty() {
        out.push_str(" (");
        out.push_str(&states.join(", "));
        out.push(')');
    }
    out
}

/// Text value, or the number of a range.
pub fn value(n: &Node) -> Option<String> {
    if n.has(States::SECRET) {
        return None;
    }
    n.value.clone().filter(|v| !v.is_empty()).or_else(|| n.range.map(|r| number(r.now)))
}

/// A number without a needless fraction.
pub fn number(n: f64) -> String {
    let rounded = (n * 1e6).round() / 1e6;
    format!("{rounded}")
}

/// States that tell something; what holds for most elements is left out.
pub fn states(n: &Node) -> Vec<&'static str> {
    let mut out = Vec::new();
    let mut say = |yes: bool, word| {
        if yes {
            out.push(word);
        }
    };
    say(!n.has(States::ENABLED), "disabled");
    say(n.has(States::CHECKED), "checked");
    say(n.has(States::MIXED), "mixed");
    say(n.has(States::CHECKABLE) && !n.has(States::CHECKED) && !n.has(States::MIXED), "unchecked");
    say(n.has(States::PRESSED), "pressed");
    say(n.has(States::SELECTED), "selected");
    say(n.has(States::EXPANDED), "expanded");
    say(n.has(States::EXPANDABLE) && !n.has(States::EXPANDED), "collapsed");
    say(n.has(States::FOCUSED), "focused");
    say(n.has(States::READ_ONLY), "readonly");
    say(n.has(States::REQUIRED), "required");
    say(n.has(States::INVALID), "invalid");
    say(n.has(States::BUSY), "busy");
    say(n.has(States::MODAL), "modal");
    say(n.has(States::SECRET), "secret");
    say(!n.has(States::SHOWING), OFFSCREEN);
    out
}

/// JSON-quoted, control and bidirectional characters escaped, capped: it cannot forge a line.
pub fn quoted(text: &str) -> String {
    desktop::plain(&Value::String(cut(text, SHOWN)).to_string(), &[]).into_owned()
}

/// A window's title or an application's name as it is answered: whole, unless it is no title.
pub fn title(text: &str) -> String {
    cut(text, TITLE)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Rows of `elements[]`: what is empty, false or default is left out.
pub fn elements(s: &Snapshot, rows: &[usize], frame: Option<&Frame>) -> Vec<Value> {
    rows.iter().filter_map(|i| element(s, &s.rows[*i], frame)).collect()
}

fn element(s: &Snapshot, row: &Row, frame: Option<&Frame>) -> Option<Value> {
    let index = row.index?;
    let n = &s.tree.nodes[row.node];
    let mut o = Map::new();
    o.insert("element_index".into(), index.into());
    o.insert("element_token".into(), format!("{}:{index}", s.id).into());
    describe(n, &mut o);
    // Where something out of view would be helps nobody to act on it.
    if let Some(r) = n.bounds.filter(|_| n.has(States::SHOWING)) {
        o.insert("frame".into(), json!({"x": r.x, "y": r.y, "w": r.w, "h": r.h}));
        if let Some(f) = frame {
            let [x, y, w, h] = f.image_frame(&r);
            o.insert("image_frame".into(), json!({"x": x, "y": y, "w": w, "h": h}));
        }
    }
    if let Some(p) = row.parent {
        o.insert("parent_index".into(), p.into());
    }
    Some(Value::Object(o))
}

/// Role, label, value, states and actions of a node.
pub fn describe(n: &Node, o: &mut Map<String, Value>) {
    let role = role::of(n);
    o.insert("role".into(), role.into());
    if !n.raw_role.is_empty() && !plain(&n.raw_role, role) {
        o.insert("raw_role".into(), n.raw_role.clone().into());
    }
    if !n.name.is_empty() {
        o.insert("label".into(), capped(&n.name).into());
    }
    if let Some(v) = value(n) {
        o.insert("value".into(), capped(&v).into());
    }
    let states = states(n);
    if !states.is_empty() {
        o.insert("states".into(), states.into());
    }
    let actions: Vec<&String> = n.actions.iter().filter(|a| !ordinary(a)).collect();
    if !actions.is_empty() {
        o.insert("actions".into(), json!(actions));
    }
}

/// The system's word says nothing that ours does not.
fn plain(raw: &str, role: &str) -> bool {
    raw.eq_ignore_ascii_case(role) || matches!((raw, role), ("push button", "button") | ("check box", "checkbox") | ("radio button", "radio") | ("text" | "entry", "textbox")
        | ("combo box", "combobox") | ("page tab", "tab") | ("menu item", "menuitem") | ("list item", "listitem") | ("table cell", "cell") | ("spin button", "spinbutton")
        | ("tree item", "treeitem") | ("static" | "label", "label") | ("image" | "icon", "img") | ("menu bar", "menubar"))
}

/// Actions that every element of its kind has.
fn ordinary(action: &str) -> bool {
    matches!(
        action.to_lowercase().as_str(),
        "click" | "press" | "activate" | "toggle" | "jump" | "dodefault" | "do default" | "showcontextmenu" | "show context menu" | "setfocus" | "edit" | "select" | "check" | "uncheck" | "clickancestor" | "open"
    )
}

fn capped(text: &str) -> String {
    match text.char_indices().nth(2000) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
