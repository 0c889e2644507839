//! `tools`: the list of tools, without a daemon.

use serde_json::{Map, Value, json};

use crate::args::Parsed;
use crate::exit::{Exit, Result};
use crate::{out, tool_list};

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let tools = tool_list::all();
    if parsed.json() {
        let list: Vec<Value> = tools.iter().map(as_mcp).collect();
        out::line(&json!({"tools": list}).to_string());
        return Ok(Exit::Done);
    }
    let width = tools.iter().map(|tool| tool_list::name(tool).len()).max().unwrap_or(0);
    let lines: Vec<String> =
        tools.iter().map(|tool| format!("{:width$}  {}", tool_list::name(tool), tool_list::summary(tool))).collect();
    out::line(&lines.join("\n"));
    Ok(Exit::Done)
}

/// As an MCP client gets it.
fn as_mcp(tool: &Value) -> Value {
    let mut entry = json!({
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": tool["input_schema"],
    });
    if !tool["output_schema"].is_null() {
        entry["outputSchema"] = slim(&tool["output_schema"], true);
    }
    entry["annotations"] = tool["annotations"].clone();
    entry
}

/// What a client needs of an output schema to check an answer: what only a reader of the
/// reference needs is left out, because a model reads the whole list.
fn slim(schema: &Value, root: bool) -> Value {
    match schema {
        Value::Array(all) => all.iter().map(|part| slim(part, false)).collect(),
        Value::Object(all) => {
            let kept = all.iter().filter(|(word, value)| match word.as_str() {
                "description" => !value.is_string(),
                "minimum" | "maximum" | "default" => value.is_object() || value.is_array() || value.is_null(),
                "additionalProperties" if **value == false => root,
                "type" => !(value.is_string() && all.get("enum").is_some_and(Value::is_array)),
                _ => true,
            });
            let part = |word: &str, value: &Value| if word == "enum" { value.clone() } else { slim(value, false) };
            kept.map(|(word, value)| (word.clone(), part(word, value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_one_of_mcp() {
        let text = include_str!("../../../../ts/mcp/src/gen/list.ts");
        let literal = text.lines().map(str::trim).find(|line| line.starts_with('"')).expect("a list");
        let inner: String = serde_json::from_str(literal.trim_end_matches(';')).expect("a string");
        let theirs: Value = serde_json::from_str(&inner).expect("JSON");
        let ours: Vec<Value> = tool_list::all().iter().map(as_mcp).collect();
        assert_eq!(Value::Array(ours), theirs);
    }
}
