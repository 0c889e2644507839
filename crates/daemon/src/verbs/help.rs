//! Help of everything, from the command table and the tools' schemas; needs no daemon.

use serde_json::{Value, json};

use crate::args::Parsed;
use crate::exit::{Exit, Failure, Result};
use crate::near::{hint, nearest};
use crate::table::{Command, Flag, Table};
use crate::{out, tool_list, version};

/// `help`, `help COMMAND`, `help TOOL`.
pub fn run(table: &Table, parsed: &Parsed) -> Result<Exit> {
    let Some(word) = parsed.words.first() else {
        general(table, parsed.json());
        return Ok(Exit::Done);
    };
    let name = parsed.words.join(" ");
    if let Some(command) = table.get(&name).or_else(|| table.get(word)) {
        self::command(table, command, parsed.json());
        return Ok(Exit::Done);
    }
    match tool_list::one(word) {
        Some(tool) => {
            self::tool(&tool, parsed.json());
            Ok(Exit::Done)
        }
        None => {
            let tools = tool_list::all();
            let near = nearest(word, table.names().chain(tools.iter().map(tool_list::name)));
            Err(Failure::usage(format!("no command or tool is called `{word}`{}", hint(near, "cua-driver help "))))
        }
    }
}

/// `COMMAND … --help`.
pub fn of(table: &Table, command: &Command, rest: &[String], json: bool) -> Result<Exit> {
    if command.name == "call"
        && let Some(word) = rest.iter().find(|word| !word.starts_with('-'))
    {
        return match tool_list::one(word) {
            Some(tool) => {
                self::tool(&tool, json);
                Ok(Exit::Done)
            }
            None => {
                let tools = tool_list::all();
                let near = hint(nearest(word, tools.iter().map(tool_list::name)), "");
                Err(Failure::usage(format!("there is no tool `{word}`{near} `cua-driver tools` lists them.")))
            }
        };
    }
    self::command(table, command, json);
    Ok(Exit::Done)
}

pub fn general(table: &Table, as_json: bool) {
    let shown: Vec<&Command> = table.commands.iter().filter(|c| !c.hidden && !c.name.contains(' ')).collect();
    if as_json {
        let rows: Vec<Value> = shown.iter().map(|c| json!({"name": c.name, "summary": c.summary})).collect();
        out::line(&json!({"version": version::version(), "commands": rows, "flags": table.global}).to_string());
        return;
    }
    let mut text = format!(
        "cua-driver {} operates desktop applications for agents, scripts and people\n\nUsage: cua-driver COMMAND [ARGUMENTS]\n\nCommands:\n",
        version::version()
    );
    let width = shown.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for command in shown {
        text += &format!("  {:width$}  {}\n", command.name, command.summary);
    }
    text += "  TOOL         A bare tool name is short for `call TOOL`\n\nFlags of every command:\n";
    text += &flags(table.global.iter());
    text += "\nExamples:\n  cua-driver serve --display virtual &\n  cua-driver call list_windows\n  cua-driver click --pid 4242 --x 100 --y 40\n\n\
             Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 no driver to talk to.\n\
             `cua-driver help COMMAND` and `cua-driver help TOOL` say more.";
    out::line(&text);
}

fn command(table: &Table, command: &Command, as_json: bool) {
    let below: Vec<&Command> = table.below(&command.name).filter(|c| !c.hidden).collect();
    if as_json {
        out::line(&as_row(table, command, &below).to_string());
        return;
    }
    let mut text = format!("{}\n\nUsage: {}\n", command.summary, command.usage);
    if !command.text.is_empty() {
        text += &format!("\n{}\n", command.text);
    }
    if !below.is_empty() {
        let width = below.iter().map(|c| c.name.len()).max().unwrap_or(0);
        text += "\nCommands:\n";
        for command in below {
            text += &format!("  {:width$}  {}\n", command.name, command.summary);
        }
    }
    text += &format!("\nFlags:\n{}\nExample:\n  {}", flags(table.flags(command)), command.example);
    out::line(&text);
}

/// A command's row of the table, with the flags of all.
fn as_row(table: &Table, command: &Command, below: &[&Command]) -> Value {
    let flags: Vec<&Flag> = table.flags(command).filter(|flag| !flag.hidden).collect();
    let below: Vec<Value> = below.iter().map(|c| json!({"name": c.name, "summary": c.summary})).collect();
    json!({
        "name": command.name, "summary": command.summary, "usage": command.usage, "text": command.text,
        "example": command.example, "flags": flags, "commands": below,
    })
}

fn flags<'a>(all: impl Iterator<Item = &'a Flag>) -> String {
    let rows: Vec<(String, &str)> = all
        .filter(|flag| !flag.hidden)
        .map(|flag| {
            let short = flag.short.as_ref().map_or(String::new(), |short| format!("-{short}, "));
            let value = flag.value.as_ref().map_or(String::new(), |value| format!(" {value}"));
            (format!("{short}--{}{value}", flag.name), flag.text.as_str())
        })
        .collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    rows.iter().map(|(left, right)| format!("  {left:width$}  {right}\n")).collect()
}

fn tool(tool: &Value, as_json: bool) {
    out::line(&if as_json { tool.to_string() } else { page(tool) });
}

/// A tool's page: what it does, its arguments, an example.
fn page(tool: &Value) -> String {
    let name = tool_list::name(tool);
    let mut text =
        format!("{}\n\nUsage: cua-driver {name} [arguments]\n", tool["description"].as_str().unwrap_or_default());
    let required: Vec<&str> =
        tool["input_schema"]["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let rows: Vec<(String, String)> = tool["input_schema"]["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.clone(), argument(schema, required.contains(&name.as_str()))))
        .collect();
    if !rows.is_empty() {
        text += "\nArguments (as --name value, name=value, or in one JSON object):\n";
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, about) in &rows {
            text += &format!("  {name:width$}  {about}\n");
        }
    }
    text + &format!("\nExample:\n  cua-driver {name} '{}'", tool["example"])
}

fn argument(schema: &Value, required: bool) -> String {
    let mut parts = Vec::new();
    if required {
        parts.push("required".to_owned());
    }
    match (&schema["type"], schema["enum"].as_array()) {
        (_, Some(words)) => parts.push(words.iter().map(plain).collect::<Vec<_>>().join("|")),
        (Value::String(kind), None) => parts.push(kind.clone()),
        (Value::Array(kinds), None) => parts.push(kinds.iter().map(plain).collect::<Vec<_>>().join("|")),
        _ => {}
    }
    let range = (schema.get("minimum").map(plain), schema.get("maximum").map(plain));
    match range {
        (Some(low), Some(high)) => parts.push(format!("{low} to {high}")),
        (Some(low), None) => parts.push(format!("from {low}")),
        (None, Some(high)) => parts.push(format!("to {high}")),
        (None, None) => {}
    }
    if let Some(default) = schema.get("default").filter(|value| !value.is_null()) {
        parts.push(format!("default {}", plain(default)));
    }
    let text = schema["description"].as_str().unwrap_or_default();
    format!("{text}{}({})", if text.is_empty() { "" } else { " " }, parts.join(", "))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
