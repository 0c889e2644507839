//! What is different after a step from what it was when it was recorded.
//!
//! Owns: which differences count. Leaves out what differs by nature: ids, tokens, times, where
//! the window is, what has the focus.

use std::collections::HashMap;

use desktop::{Tree, Window};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::find::Place;
use super::reader::Step;
use crate::record::pixels::{self, Rgb};
use crate::record::target::bare_title;
use crate::record::types::{Element, State};

/// Differences that one turn lists.
const LISTED: usize = 20;
/// Share of the pixels from which on a picture counts as another, with and without a tree that agrees.
const WITH_TREE: f64 = 0.30;
const WITHOUT_TREE: f64 = 0.03;
/// States that say what an element is; focus and place on the screen come and go.
const STATES: &[&str] = &["checked", "mixed", "unchecked", "pressed", "selected", "expanded", "collapsed", "disabled", "readonly", "invalid"];

/// One thing that is not as it was.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// title, size, element, value, state, result or picture.
    pub what: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub at: String,
    pub recorded: Value,
    pub now: Value,
}

fn difference(what: &'static str, at: impl Into<String>, recorded: impl Into<Value>, now: impl Into<Value>) -> Difference {
    Difference { what, at: at.into(), recorded: recorded.into(), now: now.into() }
}

/// The target itself, where it was found by less than all that was recorded of it.
pub fn target(step: &Step, place: &Place) -> Vec<Difference> {
    let mut out = Vec::new();
    let (Some(t), Some(w)) = (&step.target, &place.window) else { return out };
    if let Some(was) = &t.window
        && bare_title(&was.title) != bare_title(&w.title)
    {
        out.push(difference("title", "", was.title.as_str(), w.title.as_str()));
    }
    if let (Some(e), Some(n)) = (&t.element, place.node())
        && matches!(place.rung, "id" | "structure")
        && e.name != n.name
    {
        out.push(difference("element", format!("{} {:?}", e.role, e.name), e.name.as_str(), n.name.as_str()));
    }
    out
}

/// How the act went.
pub fn result(step: &Step, now: &Value) -> Option<Difference> {
    let (was, is) = (step.effect.as_deref()?, now.get("effect").and_then(Value::as_str)?);
    // Whether an effect could be proven depends on timing; that nothing happened does not.
    let same = was == is || (was != "suspected_noop" && is != "suspected_noop" && was != "partial" && is != "partial");
    (!same).then(|| difference("result", "", was, is))
}

/// The window after the step.
pub fn state(was: &State, now: &State) -> Vec<Difference> {
    let mut out = Vec::new();
    if bare_title(&was.title) != bare_title(&now.title) {
        out.push(difference("title", "", was.title.as_str(), now.title.as_str()));
    }
    if was.elements.is_empty() && was.element_count > 0 {
        return out;
    }
    let (before, after) = (named(&was.elements), named(&now.elements));
    // What a look had no time for is not known: it cannot differ.
    let partial = !was.elements_complete || !now.elements_complete;
    for (key, old) in &before {
        match after.iter().find(|(k, _)| k == key) {
            Some((_, new)) if partial => known_value(old, new, &mut out),
            None if partial => {}
            None => out.push(difference("element", shown(old), "there", "missing")),
            Some((_, new)) => pair(old, new, &mut out),
        }
        if out.len() >= LISTED {
            return out;
        }
    }
    if partial {
        return out;
    }
    let known: std::collections::HashSet<_> = before.iter().map(|(k, _)| k).collect();
    for (_, new) in after.iter().filter(|(k, _)| !known.contains(k)) {
        out.push(difference("element", shown(new), "missing", "there"));
        if out.len() >= LISTED {
            break;
        }
    }
    out
}

type Name<'e> = (&'e str, &'e str, usize);

/// Elements by role, label and which of those alike.
fn named(all: &[Element]) -> Vec<(Name<'_>, &Element)> {
    let mut count: HashMap<(&str, &str), usize> = HashMap::new();
    all.iter()
        .filter(|e| !matches!(e.role.as_str(), "scrollbar" | "progressbar" | "meter" | "tooltip"))
        .map(|e| {
            let label = if own_text(e) { "" } else { e.label.as_str() };
            let n = count.entry((e.role.as_str(), label)).or_default();
            *n += 1;
            ((e.role.as_str(), label, *n), e)
        })
        .collect()
}

/// Its label is its own value.
fn own_text(e: &Element) -> bool {
    e.value.as_ref().is_some_and(|v| *v == e.label)
}

/// Two values that were both read.
fn known_value(old: &Element, new: &Element, out: &mut Vec<Difference>) {
    if let (Some(a), Some(b)) = (&old.value, &new.value)
        && a != b
    {
        out.push(difference("value", shown(old), a.as_str(), b.as_str()));
    }
}

fn pair(old: &Element, new: &Element, out: &mut Vec<Difference>) {
    if old.value != new.value {
        out.push(difference("value", shown(old), old.value.clone().unwrap_or_default(), new.value.clone().unwrap_or_default()));
    }
    let telling = |e: &Element| e.states.iter().filter(|s| STATES.contains(&s.as_str())).cloned().collect::<Vec<_>>();
    let (a, b) = (telling(old), telling(new));
    if a != b {
        out.push(difference("state", shown(old), json!(a), json!(b)));
    }
}

fn shown(e: &Element) -> String {
    let short: String = e.label.chars().take(80).collect();
    format!("{} {short:?}", e.role)
}

/// The picture after the step. Where the trees say the same, only a picture that is largely
/// another counts: carets, hover and focus rings come and go.
pub fn picture(was: &Rgb, now: &Rgb, has_tree: bool) -> Option<Difference> {
    if was.size != now.size {
        return None;
    }
    let (share, r) = pixels::difference(was, now)?;
    let limit = if has_tree { WITH_TREE } else { WITHOUT_TREE };
    (share > limit).then(|| difference("picture", format!("{}x{} at {},{}", r.w, r.h, r.x, r.y), 0, (share * 1000.0).round() / 1000.0))
}

/// The state of a window now, in the words of a recording.
pub fn now(window: &Window, tree: Tree, secrets: &crate::record::Secrets) -> State {
    crate::record::state::of(&mut crate::snapshot::Snapshots::new(0), window, tree, secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(role: &str, label: &str, value: &str, states: &[&str]) -> Element {
        Element {
            role: role.into(),
            label: label.into(),
            value: Some(value.into()).filter(|v: &String| !v.is_empty()),
            states: states.iter().map(|s| (*s).to_owned()).collect(),
            ..Element::default()
        }
    }

    fn s(title: &str, elements: Vec<Element>) -> State {
        State { title: title.into(), element_count: elements.len() as u32, elements_complete: true, elements, ..State::default() }
    }

    #[test]
    fn what_was_not_read_does_not_differ() {
        let mut was = s("notes", vec![e("textbox", "Name", "", &[]), e("combobox", "Colour", "red", &[])]);
        was.elements_complete = false;
        let now = s("notes", vec![e("textbox", "Name", "Ada", &[]), e("combobox", "Colour", "blue", &[]), e("button", "Add", "", &[])]);
        assert_eq!(state(&was, &now).iter().map(|d| d.what).collect::<Vec<_>>(), ["value"]);
    }

    #[test]
    fn what_counts() {
        let was = s("notes", vec![e("textbox", "Name", "Ada", &["focused"]), e("checkbox", "Agree", "", &["checked"]), e("button", "Add", "", &[])]);
        for (now, want) in [
            (s("*notes", vec![e("textbox", "Name", "Ada", &[]), e("checkbox", "Agree", "", &["checked"]), e("button", "Add", "", &["offscreen"])]), vec![]),
            (s("notes", vec![e("textbox", "Name", "Grace", &[]), e("checkbox", "Agree", "", &["checked"]), e("button", "Add", "", &[])]), vec!["value"]),
            (s("notes", vec![e("textbox", "Name", "Ada", &[]), e("checkbox", "Agree", "", &["unchecked"]), e("button", "Add", "", &[])]), vec!["state"]),
            (s("other", vec![e("textbox", "Name", "Ada", &[]), e("checkbox", "Agree", "", &["checked"]), e("button", "Archive", "", &[])]), vec!["title", "element", "element"]),
        ] {
            assert_eq!(state(&was, &now).iter().map(|d| d.what).collect::<Vec<_>>(), want, "{now:?}");
        }
    }
}
