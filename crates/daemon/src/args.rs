//! The words of a command line against the flags of one command.

use crate::exit::{Failure, Result};
use crate::near::{hint, nearest};
use crate::table::{Command, Flag, Table};
use crate::{tool_args, tool_list};

/// What stood on the line, in order.
#[derive(Debug, Default)]
pub struct Parsed {
    flags: Vec<(String, Option<String>)>,
    pub words: Vec<String>,
    /// Flags that the table does not know, where the command allows them.
    pub extra: Vec<Extra>,
}

/// A flag of a tool: `--name=value`, or `--name` and perhaps the word after it.
#[derive(Debug)]
pub struct Extra {
    pub name: String,
    pub value: Option<String>,
}

impl Parsed {
    pub fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(flag, _)| flag == name)
    }

    /// The last value given.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(flag, _)| flag == name).and_then(|(_, value)| value.as_deref())
    }

    pub fn socket(&self) -> Option<&str> {
        self.value("socket")
    }

    pub fn json(&self) -> bool {
        self.has("json")
    }

    /// A number of seconds, at least `least`.
    pub fn seconds(&self, name: &str, least: f64) -> Result<Option<std::time::Duration>> {
        let Some(text) = self.value(name) else { return Ok(None) };
        let seconds = text.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= least && *s <= 1e7);
        let seconds =
            seconds.ok_or_else(|| Failure::usage(format!("--{name} takes a number of seconds, got {text:?}")))?;
        Ok(Some(std::time::Duration::from_secs_f64(seconds)))
    }
}

/// Whether a line asks for JSON, though it may be too wrong to be sorted.
pub fn wants_json(words: &[String]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// How flags that the table does not know are taken.
#[derive(Clone, Copy)]
pub enum Unknown {
    Refuse,
    /// Kept for the tool; the names that take no value.
    Keep(fn(tool: &str, name: &str) -> Takes),
}

/// What a tool's flag takes after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Value,
    /// `true`, `false`, or nothing.
    Switch,
    Unknown,
}

/// Sort the words after the command.
pub fn parse(table: &Table, command: &Command, words: &[String], unknown: Unknown) -> Result<Parsed> {
    let mut parsed = Parsed::default();
    let mut words = words.iter().peekable();
    let mut only_words = false;
    while let Some(word) = words.next() {
        if only_words || word == "-" || !word.starts_with('-') || is_number(word) {
            parsed.words.push(word.clone());
            continue;
        }
        if word == "--" {
            only_words = true;
            continue;
        }
        let (name, mut value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        // An argument of the tool goes before a switch of the same name.
        let tools_own = |flag: &Flag| {
            let tool = parsed.words.first().map_or("", String::as_str);
            matches!(unknown, Unknown::Keep(_)) && flag.value.is_none() && tool_args::owns(tool, &flag.name)
        };
        if let Some(flag) = table.flags(command).find(|flag| is(flag, name) && !tools_own(flag)) {
            match (&flag.value, &value) {
                (Some(_), None) => value = Some(words.next().cloned().ok_or_else(|| missing(flag))?),
                (None, Some(_)) => return Err(Failure::usage(format!("--{} takes no value", flag.name))),
                _ => {}
            }
            parsed.flags.push((flag.name.clone(), value));
            continue;
        }
        let Unknown::Keep(takes) = unknown else { return Err(no_such_flag(table, command, name, "")) };
        let tool = parsed.words.first().map_or("", String::as_str);
        let Some(long) = name.strip_prefix("--").filter(|long| !long.is_empty()) else {
            return Err(no_such_flag(table, command, name, tool));
        };
        match takes(tool, long) {
            Takes::Unknown => return Err(no_such_flag(table, command, name, tool)),
            Takes::Value if value.is_none() => {
                value = Some(words.next().cloned().ok_or_else(|| Failure::usage(format!("{name} takes a value")))?);
            }
            Takes::Switch if value.is_none() => {
                value = words.next_if(|word| matches!(word.as_str(), "true" | "false")).cloned();
            }
            _ => {}
        }
        parsed.extra.push(Extra { name: long.to_owned(), value });
    }
    Ok(parsed)
}

fn is(flag: &Flag, name: &str) -> bool {
    name.strip_prefix("--").is_some_and(|long| long == flag.name)
        || name.strip_prefix('-').is_some_and(|short| flag.short.as_deref() == Some(short))
        || (name == "-h" && flag.name == "help")
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

fn missing(flag: &Flag) -> Failure {
    Failure::usage(format!("--{} takes a value: {}", flag.name, flag.value.as_deref().unwrap_or_default()))
}

/// The arguments of a tool are flags too.
fn no_such_flag(table: &Table, command: &Command, name: &str, tool: &str) -> Failure {
    let tool = tool_list::one(tool);
    let arguments: Vec<String> = tool.iter().flat_map(tool_args::names).map(|name| name.replace('_', "-")).collect();
    let known = table.flags(command).filter(|flag| !flag.hidden).map(|flag| flag.name.as_str());
    let plain = name.trim_start_matches('-').replace('_', "-");
    let near = hint(nearest(&plain, known.chain(arguments.iter().map(String::as_str))), "--");
    Failure::usage(format!("`{}` has no flag {name}{near} See `cua-driver {} --help`.", command.name, command.name))
}
