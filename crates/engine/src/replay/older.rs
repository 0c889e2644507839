//! Recordings of the layout that keeps tokens and no targets: what the text of the tree still
//! tells of them.

use serde_json::{Map, Value};

use super::reader::Step;
use crate::record::types::{Addressed, ElementTarget, Extent, Offset, Outcome, PointTarget, Target, Unique, WindowTarget};
use crate::role;

/// A turn of that layout. The error says what is wrong with `action.json`.
pub fn step(turn: u32, action: &Value, before: Option<&Value>, size: Option<(u32, u32)>) -> Result<Step, String> {
    let tool = action.get("tool").and_then(Value::as_str).ok_or("names no tool")?.to_owned();
    let arguments = action.get("arguments").and_then(Value::as_object).ok_or("has no arguments")?.clone();
    let ms = |k: &str| action.get(k).and_then(Value::as_f64).filter(|v| v.is_finite() && *v >= 0.0).map_or(0, |v| v as u64);
    let failed = action.get("result_error").and_then(Value::as_bool).unwrap_or(false);
    let lines = before.and_then(|b| b.get("tree_markdown")).and_then(Value::as_str).map(lines).unwrap_or_default();
    let (target, remark) = target(&arguments, &lines, action.get("click_point"), size);
    Ok(Step {
        turn,
        tool,
        target,
        arguments,
        outcome: if failed { Outcome::Refused } else { Outcome::Done },
        effect: action.pointer("/action_truth/effect").and_then(Value::as_str).map(str::to_owned),
        start_ms: ms("t_start_ms_from_session_start"),
        end_ms: ms("t_ms_from_session_start"),
        remark: Some(remark),
    })
}

/// A line of the tree.
#[derive(Debug, PartialEq)]
struct Line {
    index: Option<u32>,
    role: String,
    name: String,
}

fn lines(text: &str) -> Vec<Line> {
    text.lines().filter_map(line).collect()
}

/// `- [6] push button "Add" [actions=[click]]` or `- frame = "Ledger"`.
fn line(text: &str) -> Option<Line> {
    let rest = text.trim_start().strip_prefix("- ")?;
    let (index, rest) = match rest.strip_prefix('[').and_then(|r| r.split_once("] ")) {
        Some((n, r)) => (Some(n.parse().ok()?), r),
        None => (None, rest),
    };
    let (role, name) = match rest.find('"') {
        Some(q) => (rest[..q].trim().trim_end_matches('=').trim(), quoted(&rest[q..])?),
        None => (rest.split(" [").next()?.trim(), String::new()),
    };
    Some(Line { index, role: role::named(role), name })
}

/// The JSON string that a text begins with.
fn quoted(text: &str) -> Option<String> {
    serde_json::Deserializer::from_str(text).into_iter::<String>().next()?.ok()
}

fn target(arguments: &Map<String, Value>, lines: &[Line], click: Option<&Value>, size: Option<(u32, u32)>) -> (Option<Target>, String) {
    let number = |k: &str| arguments.get(k).and_then(Value::as_f64);
    if arguments.get("window_id").is_none() && arguments.get("pid").is_none() {
        return (None, "names no window".into());
    }
    let Some(title) = lines.iter().find(|l| matches!(l.role.as_str(), "window" | "dialog" | "alert")).map(|l| l.name.clone()) else {
        return (None, "its window's title was not kept".into());
    };
    let kind = if lines.first().is_some_and(|l| l.role == "dialog" || l.role == "alert") { "dialog" } else { "normal" };
    let (width, height) = size.unwrap_or((0, 0));
    let window = WindowTarget { title, kind: kind.into(), size: Extent { width, height }, of: 1, unique: true, ..WindowTarget::default() };
    let mut t = Target { window: Some(window), ..Target::default() };
    let index = arguments.get("element_token").and_then(Value::as_str).and_then(|s| s.rsplit_once(':')?.1.parse::<u32>().ok());
    let index = index.or_else(|| number("element_index").map(|n| n as u32));
    if let Some(i) = index {
        t.addressed = Addressed::Element;
        let Some(l) = lines.iter().find(|l| l.index == Some(i)) else {
            return (Some(t), "the element is not in the tree that was kept".into());
        };
        let alike = lines.iter().filter(|o| o.index.is_some() && o.role == l.role && o.name == l.name).count();
        t.element = Some(ElementTarget {
            role: l.role.clone(),
            name: l.name.clone(),
            unique: Unique { role_name: alike == 1, ..Unique::default() },
            ..ElementTarget::default()
        });
        let remark = if alike == 1 { "found by title, role and name" } else { "its role and name were not unique" };
        return (Some(t), remark.into());
    }
    let at = |v: &Value| Some((v.get("x")?.as_f64()?, v.get("y")?.as_f64()?));
    if let Some((x, y)) = number("x").zip(number("y")).or_else(|| click.and_then(at)) {
        t.addressed = Addressed::Point;
        t.point = Some(PointTarget { window: Offset { x: x as i32, y: y as i32, width, height }, element: None });
        return (Some(t), "found by title; its point is taken as it was".into());
    }
    (Some(t), "found by title".into())
}

/// Width and height that a PNG says in its header.
pub fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |from: usize| Some(u32::from_be_bytes(bytes.get(from..from + 4)?.try_into().ok()?));
    (bytes.get(..4)? == [0x89, b'P', b'N', b'G']).then_some(())?;
    Some((side(16)?, side(20)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TREE: &str = "- frame = \"Ledger\"\n  - [6] push button \"Add\" [actions=[click]]\n  - [7] push button \"Add\" [actions=[click]]\n  - [8] text \"Name\" [actions=[activate]]\n  - [74] scroll bar \"\" value=\"0.0\" [actions=[]]\n";

    #[test]
    fn lines_of_the_tree() {
        let l = lines(TREE);
        assert_eq!(l[0], Line { index: None, role: "window".into(), name: "Ledger".into() });
        assert_eq!(l[3], Line { index: Some(8), role: "textbox".into(), name: "Name".into() });
        assert_eq!(l[4].role, "scrollbar");
    }

    #[test]
    fn how_far_a_turn_can_be_found() {
        let state = json!({"tree_markdown": TREE});
        for (token, unique) in [("s00000001:8", true), ("s00000001:6", false)] {
            let action = json!({"tool": "click", "arguments": {"pid": 1, "window_id": 2, "element_token": token}, "result_error": false});
            let s = step(1, &action, Some(&state), None).expect("a turn");
            assert_eq!(s.target.and_then(|t| t.element).map(|e| e.unique.role_name), Some(unique));
        }
        assert!(step(1, &json!({"tool": "click", "arguments": [1]}), None, None).is_err());
        assert!(step(1, &json!({"arguments": {}}), None, None).is_err());
    }
}
