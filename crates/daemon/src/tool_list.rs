//! The tools as the committed `proto/tools.json` says them: the command line knows them without
//! a daemon.

use serde_json::Value;

pub const TEXT: &str = include_str!("../../../proto/tools.json");

/// One tool, read without the others: the file is written in one fixed shape, where an entry
/// begins so.
pub fn one(name: &str) -> Option<Value> {
    let begin = format!("    {{\n      \"name\": \"{name}\",\n");
    let at = TEXT.find(&begin)?;
    serde_json::Deserializer::from_str(&TEXT[at..]).into_iter().next()?.ok()
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

/// First sentence of what a tool says of itself.
pub fn summary(tool: &Value) -> &str {
    let text = tool["description"].as_str().unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    match line.split_once(". ") {
        Some((first, _)) => first,
        None => line.trim_end_matches('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_found_as_in_the_list() {
        let all = all();
        assert!(all.len() > 30);
        for tool in &all {
            assert_eq!(one(name(tool)).as_ref(), Some(tool));
        }
        for stranger in ["", "clik", "gedit", "element_token"] {
            assert_eq!(one(stranger), None, "{stranger}");
        }
    }
}
