//! Tool arguments from the words of a command line: one JSON object, `@FILE`, `-`, key=value
//! words and flags, typed by the tool's schema.

use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use crate::args::{Extra, Takes};
use crate::exit::{Failure, Result};
use crate::near::{hint, nearest};
use crate::tool_list;

/// Arguments that hold a path; the driver takes only absolute ones.
const PATHS: &[&str] = &["output_dir", "screenshot_out_file", "dir", "image_path", "file_path"];
/// Accepted by the driver from older hosts though no schema lists them.
const UNLISTED: &[&str] =
    &["scope", "dispatch", "capture_mode", "cursor_id", "from_zoom", "modifier", "modifiers", "session"];
const LARGEST: u64 = 32 << 20;

/// What `--name` of a tool takes after it.
pub fn takes(tool: &str, name: &str) -> Takes {
    match tool_list::one(tool) {
        Some(tool) => match property(&tool, name) {
            Some((_, schema)) if kind(schema) == Kind::Boolean => Takes::Switch,
            Some(_) => Takes::Value,
            None => Takes::Unknown,
        },
        // The tool itself is unknown, which is said later and better.
        None => Takes::Value,
    }
}

/// Whether this tool has an argument of that name.
pub fn owns(tool: &str, name: &str) -> bool {
    tool_list::one(tool).is_some_and(|tool| property(&tool, name).is_some())
}

/// The names that a tool's schema lists.
pub fn names(tool: &Value) -> impl Iterator<Item = &str> {
    tool["input_schema"]["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The first argument that the tool does not know, with the nearest that it does.
pub fn stranger<'a>(tool: &'a Value, arguments: &'a Map<String, Value>) -> Option<(&'a str, Option<&'a str>)> {
    let known = |name: &str| name.starts_with('_') || UNLISTED.contains(&name) || names(tool).any(|n| n == name);
    let name = arguments.keys().map(String::as_str).find(|name| !known(name))?;
    Some((name, nearest(name, names(tool))))
}

/// Put the arguments together; later words win.
pub fn gather(tool: Option<&Value>, words: &[String], extra: &[Extra]) -> Result<Map<String, Value>> {
    let mut all = Map::new();
    for word in words {
        let text = match word.as_str() {
            "-" => stdin()?,
            _ if word.starts_with('@') => file(&word[1..])?,
            _ => {
                if let Some((name, value)) = pair(word) {
                    insert(&mut all, tool, name, Some(value))?;
                    continue;
                }
                word.clone()
            }
        };
        all.extend(object(&text)?);
    }
    for flag in extra {
        insert(&mut all, tool, &flag.name, flag.value.as_deref())?;
    }
    for name in PATHS {
        if let Some(Value::String(path)) = all.get_mut(*name) {
            *path = absolute(path);
        }
    }
    Ok(all)
}

/// A path as the driver takes it: from the root, or from the home directory.
pub fn absolute(path: &str) -> String {
    // `~` and `~NAME` are no names of files here: the driver says so.
    if path.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    match std::env::current_dir() {
        Ok(dir) => dir.join(Path::new(path)).display().to_string(),
        Err(_) => path.to_owned(),
    }
}

/// `key=value`, where the key could be an argument's name.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!name.is_empty() && name.chars().all(fits)).then_some((name, value))
}

fn object(text: &str) -> Result<Map<String, Value>> {
    let shown: String = text.chars().take(400).collect();
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::usage(format!("arguments are one JSON object; received: {shown}"))),
        Err(error) => Err(Failure::usage(format!("not valid JSON ({error}); received: {shown}"))),
    }
}

fn stdin() -> Result<String> {
    whole(std::io::stdin(), "standard input")
}

fn file(path: &str) -> Result<String> {
    whole(std::fs::File::open(path).map_err(|error| Failure::usage(format!("{path}: {error}")))?, path)
}

/// All of it, within the bound.
fn whole(from: impl Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    let read = from.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!("{name}: more than {} MiB, the most that a call takes", LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| Failure::usage(format!("{name}: not UTF-8 ({error})")))
}

fn property<'a>(tool: &'a Value, name: &str) -> Option<(&'a str, &'a Value)> {
    let name = name.replace('-', "_");
    let properties = tool["input_schema"]["properties"].as_object()?;
    properties.get_key_value(&name).map(|(name, schema)| (name.as_str(), schema))
}

fn insert(all: &mut Map<String, Value>, tool: Option<&Value>, name: &str, text: Option<&str>) -> Result<()> {
    let plain = name.replace('-', "_");
    let Some((known, schema)) = tool.and_then(|tool| property(tool, name)) else {
        if UNLISTED.contains(&plain.as_str()) || tool.is_none() {
            all.insert(plain, text.map_or(Value::Bool(true), loose));
            return Ok(());
        }
        let near = tool.and_then(|tool| nearest(&plain, names(tool)));
        let tool = tool.map_or("", tool_list::name);
        return Err(Failure::usage(format!(
            "{tool} has no argument `{name}`{} See `cua-driver help {tool}`.",
            hint(near, "")
        )));
    };
    let value = match text {
        None => Value::Bool(true),
        Some(text) => typed(known, schema, text)?,
    };
    match (all.get_mut(known), value, kind(schema)) {
        // A list may be given word by word.
        (Some(Value::Array(list)), Value::Array(more), Kind::Array) => list.extend(more),
        (_, value, _) => {
            all.insert(known.to_owned(), value);
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Boolean,
    Text,
    Array,
    Object,
    Any,
}

fn kind(schema: &Value) -> Kind {
    let word = match &schema["type"] {
        Value::String(word) => Some(word.as_str()),
        Value::Array(words) => words.iter().filter_map(Value::as_str).find(|word| *word != "null"),
        _ => None,
    };
    match word {
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        Some("string") => Kind::Text,
        Some("array") => Kind::Array,
        Some("object") => Kind::Object,
        _ if schema["enum"].as_array().is_some_and(|all| all.iter().all(Value::is_string)) => Kind::Text,
        _ => Kind::Any,
    }
}

fn typed(name: &str, schema: &Value, text: &str) -> Result<Value> {
    let json = || serde_json::from_str::<Value>(text).ok();
    let value = match kind(schema) {
        Kind::Text => Some(Value::String(text.to_owned())),
        Kind::Integer => json().filter(|value| value.is_i64() || value.is_u64()),
        Kind::Number => json().filter(Value::is_number),
        Kind::Boolean => json().filter(Value::is_boolean),
        Kind::Object => json().filter(Value::is_object),
        Kind::Array => match json() {
            Some(list @ Value::Array(_)) => Some(list),
            // Words between commas; a lone comma is a key of its own.
            _ if text.len() > 1 => {
                let parts: Result<Vec<Value>> =
                    text.split(',').map(|part| typed(name, &schema["items"], part)).collect();
                Some(Value::Array(parts?))
            }
            _ => Some(Value::Array(vec![typed(name, &schema["items"], text)?])),
        },
        Kind::Any => Some(loose(text)),
    };
    let wanted = match kind(schema) {
        Kind::Integer => "a whole number",
        Kind::Number => "a number",
        Kind::Boolean => "true or false",
        _ => "a JSON object",
    };
    value.ok_or_else(|| Failure::usage(format!("{name} takes {wanted}, got {text:?}")))
}

/// JSON where it is JSON, else text.
fn loose(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool() -> Value {
        json!({"name": "click", "input_schema": {"type": "object", "properties": {
            "pid": {"type": "integer"}, "x": {"type": "number"}, "window_id": {"type": "integer"},
            "force": {"type": "boolean"}, "text": {"type": "string"},
            "modifier": {"type": "array", "items": {"type": "string"}},
            "expect": {"type": "array", "items": {"type": "object"}}, "output_dir": {"type": "string"}}}})
    }

    fn check(words: &[&str], flags: &[(&str, Option<&str>)], expectation: Result<Value, &str>) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let extra: Vec<Extra> = flags
            .iter()
            .map(|(name, value)| Extra { name: (*name).to_owned(), value: value.map(str::to_owned) })
            .collect();
        match (gather(Some(&tool()), &words, &extra), expectation) {
            (Ok(got), Ok(wanted)) => assert_eq!(Value::Object(got), wanted),
            (Err(failure), Err(part)) => assert!(failure.text.contains(part), "{}", failure.text),
            (got, wanted) => panic!("{words:?} {flags:?}: {got:?}, not {wanted:?}"),
        }
    }

    #[test]
    fn arguments_take_their_type_from_the_schema() {
        check(&[r#"{"pid": 3}"#, "x=1.5"], &[], Ok(json!({"pid": 3, "x": 1.5})));
        check(&["text=12"], &[("window-id", Some("7"))], Ok(json!({"text": "12", "window_id": 7})));
        check(&[], &[("force", None)], Ok(json!({"force": true})));
        check(&[], &[("modifier", Some("ctrl,shift"))], Ok(json!({"modifier": ["ctrl", "shift"]})));
        check(&[], &[("modifier", Some("ctrl")), ("modifier", Some("alt"))], Ok(json!({"modifier": ["ctrl", "alt"]})));
        check(&[r#"expect=[{"window":{"exists":true}}]"#], &[], Ok(json!({"expect": [{"window": {"exists": true}}]})));
        for kept in ["~/r", "~", "~root/r", "/r"] {
            check(&[&format!("output_dir={kept}")], &[], Ok(json!({"output_dir": kept})));
        }
    }

    #[test]
    fn what_cannot_be_meant_is_told() {
        check(&["{pid: 12,}"], &[], Err("{pid: 12,}"));
        check(&["[1]"], &[], Err("one JSON object"));
        check(&["windw_id=1"], &[], Err("`window_id`"));
        check(&["pid=x"], &[], Err("a whole number"));
        check(&["@/nonexistent.json"], &[], Err("/nonexistent.json"));
    }
}
