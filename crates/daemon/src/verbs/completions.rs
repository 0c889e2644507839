//! `completions SHELL`: what a shell offers, from the command table.

use serde_json::{Value, json};

use crate::args::Parsed;
use crate::exit::{Exit, Failure, Result};
use crate::table::{Command, Table, Values};
use crate::{out, tool_args, tool_list};

pub fn run(table: &Table, parsed: &Parsed) -> Result<Exit> {
    let text = match parsed.words[0].as_str() {
        "bash" => bash(table),
        "zsh" => zsh(table),
        "fish" => fish(table),
        other => return Err(Failure::usage(format!("no completions for {other:?}; there are bash, zsh and fish"))),
    };
    let text = text.trim_end();
    if parsed.json() {
        out::line(&json!({"shell": parsed.words[0], "script": text}).to_string());
    } else {
        out::line(text);
    }
    Ok(Exit::Done)
}

/// What may follow a command: subcommands, values of its words, flags.
struct Offer<'a> {
    command: &'a Command,
    words: Vec<String>,
    flags: Vec<String>,
}

fn offers(table: &Table) -> Vec<Offer<'_>> {
    let tools: Vec<String> = tool_list::all().iter().map(|tool| tool_list::name(tool).to_owned()).collect();
    let visible = table.commands.iter().filter(|command| !command.hidden);
    visible
        .map(|command| {
            let mut words: Vec<String> =
                table.below(&command.name).filter_map(|c| c.name.split(' ').nth(1)).map(str::to_owned).collect();
            for word in &command.args {
                match &word.values {
                    Some(Values::OneOf(all)) => words.extend(all.iter().cloned()),
                    Some(Values::Kind(kind)) if kind == "tools" => words.extend(tools.iter().cloned()),
                    _ => {}
                }
            }
            if command.name == "help" {
                words.extend(table.names().map(str::to_owned).chain(tools.iter().cloned()));
            }
            let flags =
                table.flags(command).filter(|flag| !flag.hidden).map(|flag| format!("--{}", flag.name)).collect();
            Offer { command, words, flags }
        })
        .collect()
}

/// Each tool, and as flags its arguments, then what `call` takes beside them.
fn tool_flags(table: &Table) -> Vec<(String, Vec<String>)> {
    let beside: Vec<String> = table
        .get("call")
        .into_iter()
        .flat_map(|call| table.flags(call))
        .filter(|flag| !flag.hidden)
        .map(|flag| format!("--{}", flag.name))
        .collect();
    let of = |tool: &Value| {
        let mut flags: Vec<String> =
            tool_args::names(tool).map(|name| format!("--{}", name.replace('_', "-"))).collect();
        let more: Vec<String> = beside.iter().filter(|flag| !flags.contains(flag)).cloned().collect();
        flags.extend(more);
        (tool_list::name(tool).to_owned(), flags)
    };
    tool_list::all().iter().map(of).collect()
}

fn first_words(table: &Table) -> String {
    let tools = tool_list::all();
    let names: Vec<&str> = table.names().chain(tools.iter().map(tool_list::name)).collect();
    names.join(" ")
}

fn bash(table: &Table) -> String {
    let mut cases = String::new();
    for offer in offers(table) {
        let all = [offer.words.join(" "), offer.flags.join(" ")].join(" ");
        cases += &format!("    '{}') words='{}' ;;\n", offer.command.name, all.trim());
    }
    for (tool, flags) in tool_flags(table) {
        cases += &format!("    '{tool}') words='{}' ;;\n", flags.join(" "));
    }
    format!(
        r#"# cua-driver completions for bash
_cua_driver() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} one=${{COMP_WORDS[1]-}} two=${{COMP_WORDS[2]-}} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{first} --help --version' -- "$cur"))
    return
  fi
  case "$one $two" in
    'recording start'|'recording stop'|'recording status'|'recording render'|'trajectory '?*) one="$one $two" ;;
    'call '?*) [ "$COMP_CWORD" -gt 2 ] && one=$two ;;
  esac
  case "$one" in
{cases}    *) words='--socket --json --timeout --help' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
}}
complete -o filenames -F _cua_driver cua-driver
"#,
        first = first_words(table)
    )
}

fn zsh(table: &Table) -> String {
    let mut cases = String::new();
    for offer in offers(table) {
        let all: Vec<&str> = offer.words.iter().chain(&offer.flags).map(String::as_str).collect();
        cases += &format!("    '{}') offered=({}) ;;\n", offer.command.name, all.join(" "));
    }
    for (tool, flags) in tool_flags(table) {
        cases += &format!("    '{tool}') offered=({}) ;;\n", flags.join(" "));
    }
    let mut named = String::new();
    for command in table.commands.iter().filter(|c| !c.hidden && !c.name.contains(' ')) {
        named += &format!("    '{}:{}'\n", command.name, command.summary.replace('\'', "").replace(':', "\\:"));
    }
    format!(
        r#"#compdef cua-driver
# cua-driver completions for zsh
_cua_driver() {{
  local -a commands offered
  local one=$words[2] two=$words[3]
  commands=(
{named}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    compadd -- {tools}
    return
  fi
  case "$one $two" in
    'recording start'|'recording stop'|'recording status'|'recording render'|'trajectory '?*) one="$one $two" ;;
    'call '?*) (( CURRENT > 3 )) && one=$two ;;
  esac
  case "$one" in
{cases}    *) offered=(--socket --json --timeout --help) ;;
  esac
  compadd -- $offered
  _files
}}
compdef _cua_driver cua-driver
"#,
        tools = tool_list::all().iter().map(tool_list::name).collect::<Vec<_>>().join(" ")
    )
}

fn fish(table: &Table) -> String {
    let quote = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut text = String::from("# cua-driver completions for fish\n");
    for command in table.commands.iter().filter(|c| !c.hidden && !c.name.contains(' ')) {
        text += &format!(
            "complete -c cua-driver -n __fish_use_subcommand -a {} -d '{}'\n",
            command.name,
            quote(&command.summary)
        );
    }
    for tool in tool_list::all() {
        text += &format!(
            "complete -c cua-driver -n __fish_use_subcommand -a {} -d '{}'\n",
            tool_list::name(&tool),
            quote(tool_list::summary(&tool))
        );
    }
    for offer in offers(table) {
        let seen: Vec<String> =
            offer.command.name.split(' ').map(|word| format!("__fish_seen_subcommand_from {word}")).collect();
        let seen = seen.join("; and ");
        if !offer.words.is_empty() {
            text += &format!("complete -c cua-driver -n '{seen}' -a '{}'\n", offer.words.join(" "));
        }
        for flag in table.flags(offer.command).filter(|flag| !flag.hidden) {
            let value = if flag.value.is_some() { " -r" } else { "" };
            text += &format!("complete -c cua-driver -n '{seen}' -l {}{value} -d '{}'\n", flag.name, quote(&flag.text));
        }
    }
    for (tool, flags) in tool_flags(table) {
        for flag in flags {
            let flag = flag.trim_start_matches('-');
            text += &format!("complete -c cua-driver -n '__fish_seen_subcommand_from {tool}' -l {flag} -r\n");
        }
    }
    text
}
