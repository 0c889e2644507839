//! What the first word of the command line asks for.

mod call;
mod completions;
mod endpoint;
mod guard;
mod hand_over;
mod help;
mod recording;
mod serve;
mod status;
mod stop;
mod tools;

pub use hand_over::bundle;

use serde_json::json;

use crate::args::{self, Parsed, Unknown};
use crate::exit::{Exit, Failure, Result};
use crate::near::{hint, nearest};
use crate::table::{Command, Place, Table};
use crate::{doctor, out, tool_args, tool_list, version, virtual_display};

/// Do what the words say.
pub fn run(words: &[String]) -> Result<Exit> {
    let table = Table::read();
    let at = first_word(&table, words);
    let Some(at) = at else {
        return bare(&table, words);
    };
    let first = words[at].as_str();
    let mut rest: Vec<String> = words[..at].iter().chain(&words[at + 1..]).cloned().collect();
    let Some(command) = table.get(first) else {
        if tool_list::one(first).is_some() {
            rest.insert(0, first.to_owned());
            return command_named(&table, "call", &rest);
        }
        return Err(no_such_command(&table, first));
    };
    // A subcommand is the next word.
    if table.below(first).next().is_some() {
        return sub(&table, command, &rest);
    }
    dispatch(&table, command, &rest)
}

fn sub(table: &Table, command: &Command, rest: &[String]) -> Result<Exit> {
    let word = rest.iter().position(|word| !word.starts_with('-'));
    let asks_help = rest.iter().any(|word| word == "--help" || word == "-h");
    let Some(at) = word else {
        if asks_help {
            return dispatch(table, command, rest);
        }
        let known: Vec<&str> = table.below(&command.name).filter_map(|c| c.name.split(' ').nth(1)).collect();
        return Err(Failure::usage(format!("`{}` takes one of: {}", command.name, known.join(", "))));
    };
    let name = format!("{} {}", command.name, rest[at]);
    let Some(found) = table.get(&name) else {
        let known = table.below(&command.name).filter_map(|c| c.name.split(' ').nth(1));
        let near = hint(nearest(&rest[at], known), &format!("{} ", command.name));
        return Err(Failure::usage(format!(
            "unknown command `{name}`{near} See `cua-driver {} --help`.",
            command.name
        )));
    };
    let rest: Vec<String> = rest[..at].iter().chain(&rest[at + 1..]).cloned().collect();
    dispatch(table, found, &rest)
}

fn command_named(table: &Table, name: &str, rest: &[String]) -> Result<Exit> {
    match table.get(name) {
        Some(command) => dispatch(table, command, rest),
        None => Err(no_such_command(table, name)),
    }
}

fn dispatch(table: &Table, command: &Command, rest: &[String]) -> Result<Exit> {
    let before_dashes = || rest.iter().take_while(|word| *word != "--");
    if before_dashes().any(|word| word == "--help" || word == "-h") {
        return help::of(table, command, rest, args::wants_json(rest));
    }
    if command.place == Place::Ts {
        return hand_over::run(command, rest);
    }
    match command.name.as_str() {
        "guard" => return guard::run(),
        "keep-display" => return virtual_display::keep(rest),
        _ => {}
    }
    let unknown = if command.name == "call" { Unknown::Keep(tool_args::takes) } else { Unknown::Refuse };
    let parsed = args::parse(table, command, rest, unknown)?;
    check_words(command, &parsed)?;
    match command.name.as_str() {
        "serve" => serve::run(&parsed),
        "call" => call::run(&parsed),
        "status" => status::run(&parsed),
        "stop" => stop::run(&parsed),
        "tools" => tools::run(&parsed),
        "recording start" => recording::start(&parsed),
        "recording stop" => recording::stop(&parsed),
        "recording status" => recording::status(&parsed),
        "doctor" => doctor::run(&parsed),
        "doctor-window" => doctor::window(),
        "completions" => completions::run(table, &parsed),
        "endpoint" => endpoint::run(&parsed),
        "help" => help::run(table, &parsed),
        "version" => {
            print_version(parsed.json());
            Ok(Exit::Done)
        }
        other => Err(Failure::failed(format!("`{other}` is in the command table and nobody runs it"))),
    }
}

/// No command at all.
fn bare(table: &Table, words: &[String]) -> Result<Exit> {
    let is = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let json = args::wants_json(words);
    if is(&["--help", "-h"]) {
        help::general(table, json);
        return Ok(Exit::Done);
    }
    if is(&["--version", "-V"]) {
        print_version(json);
        return Ok(Exit::Done);
    }
    match words.first() {
        None => {
            help::general(table, false);
            Err(Failure::usage("name a command"))
        }
        Some(flag) => {
            let known = ["help", "version", "socket", "json", "timeout"];
            if known.contains(&flag.trim_start_matches('-')) {
                return Err(Failure::usage(format!("name a command beside {flag}; `cua-driver --help` lists them")));
            }
            let near = hint(nearest(flag.trim_start_matches('-'), known), "--");
            Err(Failure::usage(format!("unknown flag {flag}{near} See `cua-driver --help`.")))
        }
    }
}

fn print_version(as_json: bool) {
    let version = version::version();
    out::line(&if as_json { json!({"version": version}).to_string() } else { format!("cua-driver {version}") });
}

/// Index of the command: the first word that is no flag and no flag's value.
fn first_word(table: &Table, words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') {
            return Some(at);
        }
        let takes = |flag: &crate::table::Flag| flag.value.is_some() && word.strip_prefix("--") == Some(&flag.name);
        at += if table.global.iter().any(takes) { 2 } else { 1 };
    }
    None
}

fn check_words(command: &Command, parsed: &Parsed) -> Result<()> {
    let needed = command.args.iter().filter(|word| word.required).count();
    if let Some(missing) = command.args.get(parsed.words.len()).filter(|_| parsed.words.len() < needed) {
        return Err(Failure::usage(format!("{} is missing: {}", missing.name, command.usage)));
    }
    let most = if command.args.iter().any(|word| word.many) { usize::MAX } else { command.args.len() };
    match parsed.words.get(most) {
        Some(extra) => Err(Failure::usage(format!("`{}` takes no {extra:?}: {}", command.name, command.usage))),
        None => Ok(()),
    }
}

fn no_such_command(table: &Table, word: &str) -> Failure {
    let tools = tool_list::all();
    let known = table.names().chain(tools.iter().map(tool_list::name));
    let near = hint(nearest(word, known), "cua-driver ");
    Failure::usage(format!("unknown command `{word}`{near} See `cua-driver --help`."))
}
