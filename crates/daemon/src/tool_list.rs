//! The tools as the committed `proto/tools.json` says them: the command line knows them without
//! a daemon.

use serde_json::Value;

pub const TEXT: &str = include_str!("../../../proto/tools.json");

/// Whether a tool could be called so, told without reading the list: false is certain.
pub fn may_be(name: &str) -> bool {
    TEXT.contains(&format!("\"name\": \"{name}\""))
}

/// Every tool, in the order of the file.
pub fn all() -> Vec<Value> {
    let file: Value = serde_json::from_str(TEXT).unwrap_or(Value::Null);
    match file.get("tools") {
        Some(Value::Array(tools)) => tools.clone(),
        _ => Vec::new(),
    }
}

pub fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

pub fn find<'a>(tools: &'a [Value], wanted: &str) -> Option<&'a Value> {
    tools.iter().find(|tool| name(tool) == wanted)
}

/// First sentence of what a tool says of itself.
pub fn summary(tool: &Value) -> &str {
    let text = tool["description"].as_str().unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    match line.split_once(". ") {
        Some((first, _)) => first,
        None => line.trim_end_matches('.'),
    }
}
