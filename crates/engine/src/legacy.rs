//! Arguments of older hosts, brought to today's before anything is checked.

use serde_json::{Map, Value, json};

use crate::{Code, Refusal};

/// Ignored where a tool does not have them.
const IGNORED: &[&str] = &["dispatch", "capture_mode", "cursor_id"];

/// By the schema of the tool's arguments: `scope` becomes `target`; `modifier` and `modifiers` stand for each other; `null` is absent.
pub fn translate(schema: &Value, mut args: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    args.retain(|_, v| !v.is_null());
    let has = |k: &str| schema["properties"].get(k).is_some();
    if !has("from_zoom") && args.contains_key("from_zoom") {
        if args["from_zoom"] == json!(false) {
            args.remove("from_zoom");
        } else {
            return Err(Refusal::new(Code::InvalidArguments, "`from_zoom`: points are pixels of the last picture of the window.")
                .hint("Add the zoomed region's x1, y1 to the point, divided by its scale, and leave from_zoom out.")
                .with("field", "from_zoom"));
        }
    }
    for k in IGNORED {
        if !has(k) && args.contains_key(*k) && has("pid") {
            args.remove(*k);
        }
    }
    for (one, other) in [("modifier", "modifiers"), ("modifiers", "modifier")] {
        if !has(one) && has(other) && !args.contains_key(other) {
            if let Some(v) = args.remove(one) {
                args.insert(other.into(), v);
            }
        }
    }
    if has("target") && !has("scope") {
        match args.remove("scope").as_ref().and_then(Value::as_str) {
            None | Some("window") => {}
            Some("desktop") => {
                args.entry("target").or_insert(json!({"kind": "desktop"}));
            }
            Some(other) => {
                return Err(Refusal::new(Code::InvalidArguments, format!("`scope`: {other:?} is none of window, desktop.")).with("field", "scope"));
            }
        }
    }
    Ok(args)
}
