//! The reference page of the tools and of the refusal codes.

use serde_json::Value;

use crate::codegen::Output;

pub fn page(catalogue: &Value) -> Output {
    let mut text = String::from(
        "# Tools\n\nGenerated from the engine by `cargo xtask codegen`. The same over MCP, the command line, the SDK and the \
         addon; `cua-driver help TOOL` shows one without a daemon.\n",
    );
    let tools = catalogue["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let mut family = "";
    for tool in tools {
        let this = word(tool, "family");
        if this != family {
            family = this;
            text += &format!("\n## {family}\n");
        }
        text += &section(tool);
    }
    text += &refusals(catalogue);
    Output::new("docs/tools.md", text)
}

fn section(tool: &Value) -> String {
    let name = word(tool, "name");
    let mut text = format!("\n### {name}\n\n{}\n\n", word(tool, "description"));
    let hints = tool["annotations"].as_object();
    let hints: Vec<&str> =
        hints.into_iter().flatten().filter(|(_, v)| **v == true).map(|(k, _)| k.trim_end_matches("Hint")).collect();
    text += &format!(
        "Effect: {}.{}\n",
        word(tool, "effect"),
        if hints.is_empty() { String::new() } else { format!(" {}.", hints.join(", ")) }
    );
    let required: Vec<&str> = list(&tool["input_schema"]["required"]).filter_map(Value::as_str).collect();
    let arguments = tool["input_schema"]["properties"].as_object();
    if arguments.is_some_and(|all| !all.is_empty()) {
        text += "\n| argument | type | |\n|---|---|---|\n";
        for (name, schema) in arguments.into_iter().flatten() {
            let needed = if required.contains(&name.as_str()) { "Required. " } else { "" };
            let default = schema.get("default").filter(|d| !d.is_null() && *d != &Value::Array(Vec::new()));
            let default = default.map_or_else(String::new, |d| format!(" Default {d}."));
            text +=
                &format!("| `{name}` | {} | {needed}{}{default} |\n", kind(schema), cell(word(schema, "description")));
        }
    }
    if let Some(result) = tool["output_schema"]["properties"].as_object().filter(|all| !all.is_empty()) {
        let names: Vec<String> = result.keys().map(|name| format!("`{name}`")).collect();
        text += &format!("\nAnswers {}.\n", names.join(", "));
    }
    text + &format!("\n```sh\ncua-driver {name} '{}'\n```\n", tool["example"])
}

/// A type in a few words.
fn kind(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(|w| format!("`{}`", w.as_str().unwrap_or("null"))).collect::<Vec<_>>().join(", ");
    }
    let base = match &schema["type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        other => other.as_str().unwrap_or("any").to_owned(),
    };
    let range = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => format!(", {low} to {high}"),
        (Some(low), None) => format!(", from {low}"),
        (None, Some(high)) => format!(", to {high}"),
        (None, None) => String::new(),
    };
    if base == "array" { format!("list of {}", kind(&schema["items"])) } else { base + &range }
}

fn refusals(catalogue: &Value) -> String {
    let mut text = String::from(
        "\n## Refusals\n\nEverywhere the same envelope: `code`, `message`, `hint`, `details`. The hint is what to do next \
         unless the refusal says it better.\n\n| code | hint |\n|---|---|\n",
    );
    for refusal in list(&catalogue["refusals"]) {
        text += &format!("| `{}` | {} |\n", word(refusal, "code"), cell(word(refusal, "hint")));
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
