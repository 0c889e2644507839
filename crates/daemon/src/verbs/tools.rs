//! `tools`: the list of tools, without a daemon.

use serde_json::{Value, json};

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
        entry["outputSchema"] = tool["output_schema"].clone();
    }
    entry["annotations"] = tool["annotations"].clone();
    entry
}
