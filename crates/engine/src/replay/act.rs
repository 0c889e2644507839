//! Doing a step again through the engine's own tools: today's addresses in recorded arguments.

use std::collections::BTreeMap;

use desktop::{Local, Point, WindowId};
use serde_json::{Map, Value, json};

use super::find::Place;
use super::reader::Step;
use crate::picture::Frame;
use crate::record::secret::referred;
use crate::record::types::{Addressed, Target};
use crate::run::Run;
use crate::{Answer, Call, Code, Refusal};

/// Arguments that say where, not what.
const WHERE: &[&str] = &[
    "pid", "window_id", "element_token", "snapshot_id", "element_index", "x", "y", "from_x", "from_y", "to_x", "to_y", "target", "scope", "from_zoom",
];

/// Put parameters into recorded text: `{{name}}`.
pub fn fill(value: &mut Value, parameters: &BTreeMap<String, String>, missing: &mut Vec<String>) {
    match value {
        Value::String(s) => {
            if let Some(filled) = filled(s, parameters, missing) {
                *s = filled;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|v| fill(v, parameters, missing)),
        Value::Object(fields) => fields.values_mut().for_each(|v| fill(v, parameters, missing)),
        _ => {}
    }
}

fn filled(text: &str, parameters: &BTreeMap<String, String>, missing: &mut Vec<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut any = false;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}").filter(|(n, _)| is_name(n.trim())) else {
            out.push_str(before);
            out.push_str("{{");
            rest = after;
            continue;
        };
        let name = name.trim();
        out.push_str(before);
        match parameters.get(name) {
            Some(v) => out.push_str(v),
            None => missing.push(name.to_owned()),
        }
        any = true;
        rest = tail;
    }
    out.push_str(rest);
    any.then_some(out)
}

fn is_name(s: &str) -> bool {
    !s.is_empty() && s.len() <= 100 && s.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.')
}

/// Names of redacted values in recorded arguments.
pub fn redacted(value: &Value, out: &mut Vec<String>) {
    if let Some(name) = referred(value) {
        if !out.iter().any(|n| n == name) {
            out.push(name.to_owned());
        }
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|v| redacted(v, out)),
        Value::Object(fields) => fields.values().for_each(|v| redacted(v, out)),
        _ => {}
    }
}

/// Put values from the secret source in place of references. They are known secrets from then on.
pub fn reveal(run: &Run<'_>, value: &mut Value, secrets: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if let Some(name) = referred(value).map(str::to_owned) {
        let source = secrets.get(&name).ok_or_else(|| required(&[name.clone()]))?;
        match run.host().secret(source) {
            Ok(Some(v)) => {
                run.engine.secrets().learn_as(&v, &name);
                *value = Value::String(v);
                return Ok(());
            }
            Ok(None) => return Err(Refusal::new(Code::SecretRequired, format!("No secret source knows {source:?}; nothing was typed.")).with("secret", source.as_str())),
            Err(why) => return Err(Refusal::new(Code::SecretRequired, format!("The secret source cannot be used: {why}. Nothing was typed.")).with("secret", source.as_str())),
        }
    }
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|v| reveal(run, v, secrets)),
        Value::Object(fields) => fields.values_mut().try_for_each(|v| reveal(run, v, secrets)),
        _ => Ok(()),
    }
}

/// The refusal that asks for secrets by name.
pub fn required(names: &[String]) -> Refusal {
    let example: Map<String, Value> = names.iter().map(|n| (n.clone(), Value::String(format!("NAME_OF_{}", n.to_uppercase())))).collect();
    Refusal::new(Code::SecretRequired, format!("The recording left out {}; nothing was sent.", names.join(", ")))
        .hint(format!("Pass secrets with the name that your secret source has for each, such as {}.", Value::Object(example)))
        .with("secrets", names.to_vec())
}

/// Act once. `place` is where the target is today; without one the arguments are sent as they are.
pub fn once(run: &Run<'_>, step: &Step, mut arguments: Map<String, Value>, place: Option<&Place>, target: Option<&Target>) -> Answer {
    match (place, target) {
        (Some(p), Some(t)) => {
            WHERE.iter().for_each(|k| {
                arguments.shift_remove(*k);
            });
            let kept = address(run, p, t, &mut arguments)?;
            let answer = call(run, step, arguments);
            kept.restore(run);
            answer
        }
        _ => call(run, step, arguments),
    }
}

/// Frames of pictures that were put aside.
#[derive(Default)]
struct Kept {
    window: Option<(WindowId, Option<Frame>)>,
    desktop: Option<Option<Frame>>,
}

impl Kept {
    fn restore(self, run: &Run<'_>) {
        let mut state = run.session.state();
        match self.window {
            Some((id, Some(f))) => {
                state.pictures.insert(id, f);
            }
            Some((id, None)) => {
                state.pictures.remove(&id);
            }
            None => {}
        }
        if let Some(f) = self.desktop {
            state.desktop_picture = f;
        }
    }
}

/// Name today's target in the arguments.
fn address(run: &Run<'_>, p: &Place, t: &Target, arguments: &mut Map<String, Value>) -> Result<Kept, Refusal> {
    let Some(w) = &p.window else {
        if let Some(pid) = p.pid {
            arguments.insert("pid".into(), json!(pid.0));
        }
        return Ok(Kept::default());
    };
    if t.addressed != Addressed::Desktop {
        if let Some(pid) = w.pid {
            arguments.insert("pid".into(), json!(pid.0));
        }
        arguments.insert("window_id".into(), json!(w.id.0));
    }
    match t.addressed {
        Addressed::Element => {
            arguments.insert("element_token".into(), Value::String(token(run, p)?));
            Ok(Kept::default())
        }
        Addressed::Point | Addressed::Desktop => Ok(points(run, p, t, arguments)),
        Addressed::Window | Addressed::App => {
            // A command key is the window's, whatever has the focus in it.
            if !crate::record::has_command(arguments)
                && let Some(element) = focused_elsewhere(run, p, t)?
            {
                arguments.insert("element_token".into(), Value::String(element));
            }
            Ok(Kept::default())
        }
    }
}

/// A fresh token of the element.
fn token(run: &Run<'_>, p: &Place) -> Result<String, Refusal> {
    let gone = || Refusal::new(Code::ReplayTargetMissing, "The element cannot be named by a token; nothing was sent.");
    let (Some(w), Some(tree), Some(i)) = (&p.window, &p.tree, p.element) else { return Err(gone()) };
    let mut state = run.session.state();
    state.listed.insert(w.id, w.birth);
    let s = state.snapshots.add(w.clone(), tree.clone());
    let row = s.rows.iter().find(|r| r.node == i && r.index.is_some()).and_then(|r| r.index).ok_or_else(gone)?;
    Ok(format!("{}:{row}", s.id))
}

/// Points in native pixels, with the session's picture of the window put aside meanwhile.
fn points(run: &Run<'_>, p: &Place, t: &Target, arguments: &mut Map<String, Value>) -> Kept {
    let (Some(w), Some(at)) = (&p.window, p.point) else { return Kept::default() };
    let mut state = run.session.state();
    let (put, kept): (Box<dyn Fn(Point<Local>) -> (i32, i32)>, Kept) = if t.addressed == Addressed::Desktop {
        arguments.insert("target".into(), json!({"kind": "desktop"}));
        let origin = w.bounds.origin();
        let kept = Kept { desktop: Some(state.desktop_picture.take()), ..Kept::default() };
        (Box::new(move |q: Point<Local>| { let s = q.on_screen(origin); (s.x, s.y) }), kept)
    } else {
        let kept = Kept { window: Some((w.id, state.pictures.remove(&w.id))), ..Kept::default() };
        (Box::new(|q: Point<Local>| (q.x, q.y)), kept)
    };
    let (x, y) = put(at);
    let names = if p.to.is_some() { ("from_x", "from_y") } else { ("x", "y") };
    arguments.insert(names.0.into(), x.into());
    arguments.insert(names.1.into(), y.into());
    if let Some(to) = p.to {
        let (x, y) = put(to);
        arguments.insert("to_x".into(), x.into());
        arguments.insert("to_y".into(), y.into());
    }
    kept
}

/// Keys went to the focused element. Where another has the focus today, text names the element
/// it was typed into; other keys go where they go.
fn focused_elsewhere(run: &Run<'_>, p: &Place, t: &Target) -> Result<Option<String>, Refusal> {
    let (Some(e), Some(w), Some(tree)) = (&t.element, &p.window, &p.tree) else { return Ok(None) };
    let focused = run.desktop().focused_node(&run.brief(), w.id).ok().flatten();
    let Some(i) = super::find::in_tree(tree, e) else { return Ok(None) };
    if focused.as_ref() == Some(&tree.nodes[i].key) {
        return Ok(None);
    }
    token(run, &Place { element: Some(i), ..p.clone() }).map(Some)
}

fn call(run: &Run<'_>, step: &Step, mut arguments: Map<String, Value>) -> Answer {
    if let Some(label) = &run.session.label {
        arguments.insert("session".into(), Value::String(label.clone()));
    }
    run.engine.call(&Call {
        tool: step.tool.clone(),
        arguments: Value::Object(arguments),
        client: run.client,
        cancel: run.ctx.cancel.clone(),
        timeout: Some(run.ctx.left().min(crate::tools::find(&step.tool).map_or(crate::tools::BOUND, |t| t.card.bound))),
        progress: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::secret::reference;

    #[test]
    fn parameters_fill_text_and_nothing_else() {
        let p: BTreeMap<String, String> = [("name".to_owned(), "Ada".to_owned())].into();
        let (mut missing, mut v) = (vec![], json!({"text": "Dear {{ name }}, {{who}}", "n": 1, "raw": "a {{b c}} {{"}));
        fill(&mut v, &p, &mut missing);
        assert_eq!(v, json!({"text": "Dear Ada, ", "n": 1, "raw": "a {{b c}} {{"}));
        assert_eq!(missing, ["who"]);
    }

    #[test]
    fn redacted_values_are_found() {
        let mut out = vec![];
        redacted(&json!({"text": reference("pw"), "keys": [reference("pin"), "Return"], "a": {"b": reference("pw")}}), &mut out);
        assert_eq!(out, ["pw", "pin"]);
    }
}
