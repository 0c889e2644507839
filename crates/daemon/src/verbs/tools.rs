//! `tools`: the list of tools, without a daemon.

use crate::args::Parsed;
use crate::exit::{Exit, Result};
use crate::{out, tool_list};

/// The list that MCP clients get.
const AS_MCP: &str = include_str!("../../../../proto/list.json");

pub fn run(parsed: &Parsed) -> Result<Exit> {
    if parsed.json() {
        out::line(&format!("{{\"tools\":{}}}", AS_MCP.trim_end()));
        return Ok(Exit::Done);
    }
    let tools = tool_list::all();
    let width = tools.iter().map(|tool| tool_list::name(tool).len()).max().unwrap_or(0);
    let lines: Vec<String> =
        tools.iter().map(|tool| format!("{:width$}  {}", tool_list::name(tool), tool_list::summary(tool))).collect();
    out::line(&lines.join("\n"));
    Ok(Exit::Done)
}
