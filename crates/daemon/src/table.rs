//! The committed command table: names, help, flags, and who runs a command.

use serde::{Deserialize, Serialize};

const TEXT: &str = include_str!("../../../proto/commands.json");

#[derive(Deserialize)]
pub struct Table {
    /// Flags of every command.
    pub global: Vec<Flag>,
    pub commands: Vec<Command>,
}

#[derive(Deserialize)]
pub struct Command {
    /// One word, or two for a subcommand.
    pub name: String,
    #[serde(rename = "where")]
    pub place: Place,
    pub summary: String,
    pub usage: String,
    pub example: String,
    #[serde(default)]
    pub text: String,
    #[serde(default)]
    pub hidden: bool,
    pub args: Vec<Word>,
    pub flags: Vec<Flag>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Native,
    Ts,
}

#[derive(Clone, Deserialize, Serialize)]
pub struct Flag {
    /// Without dashes.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// What follows it; none for a switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub text: String,
    #[serde(default, skip_serializing)]
    pub hidden: bool,
}

/// A word after the command.
#[derive(Deserialize)]
pub struct Word {
    pub name: String,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub many: bool,
    pub values: Option<Values>,
}

/// What may stand there, for completions.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// `tools`, `directory`.
    Kind(String),
    OneOf(Vec<String>),
}

impl Table {
    pub fn read() -> Self {
        match serde_json::from_str(TEXT) {
            Ok(table) => table,
            // The table is part of the binary and a test reads it.
            Err(error) => unreachable!("proto/commands.json: {error}"),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// Names that a person may type first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(|c| !c.hidden && !c.name.contains(' ')).map(|c| c.name.as_str())
    }

    /// Second words of a command.
    pub fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Command> {
        self.commands.iter().filter(move |c| c.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
    }

    /// Flags of a command and those of all.
    pub fn flags<'a>(&'a self, command: &'a Command) -> impl Iterator<Item = &'a Flag> {
        command.flags.iter().chain(&self.global)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_whole() {
        let table = Table::read();
        for command in &table.commands {
            assert!(!command.summary.is_empty() && command.example.contains("cua-driver"), "{}", command.name);
            if let Some((first, _)) = command.name.split_once(' ') {
                assert!(table.get(first).is_some(), "{}", command.name);
            }
            for flag in &command.flags {
                assert!(!flag.name.starts_with('-') && !flag.text.is_empty(), "{} {}", command.name, flag.name);
            }
        }
    }
}
