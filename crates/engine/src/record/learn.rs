//! What an act tells of secrets before it happens: text and keys that go where typing is hidden.

use std::str::FromStr;
use std::time::Duration;

use desktop::{Key, Node, States};
use serde_json::{Map, Value};

use super::secret::{Secrets, name_of, reference};
use crate::aim::Aim;
use crate::run::Run;

/// The field that typing goes to: the one that was named, or the focused one of the window.
pub fn field(run: &Run<'_>, aim: &Aim) -> Option<Node> {
    if let Some(e) = &aim.element {
        return Some(e.node.clone());
    }
    let typing = ["text", "key", "keys", "secret"].iter().any(|k| run.arguments.get(k).is_some());
    let window = aim.window.as_ref().filter(|_| typing && aim.point.is_none())?;
    let ctx = run.ctx.at_most(Duration::from_millis(250));
    let key = run.desktop().focused_node(&ctx, window.id).ok()??;
    run.desktop().read(&ctx, &key).ok()
}

/// Remember what is about to be typed into a field that hides it.
pub fn from_act(run: &Run<'_>, field: Option<&Node>, secrets: &Secrets) {
    let Some(node) = field.filter(|n| n.has(States::SECRET)) else { return };
    let name = name_of(&node.name);
    for (argument, replaces) in [("text", false), ("value", true)] {
        if let Some(text) = run.arguments.get(argument).and_then(Value::as_str) {
            secrets.typed(&node.key, text, replaces, &name);
        }
    }
    for key in keys(&run.arguments).filter_map(|k| character(k)) {
        secrets.typed(&node.key, &key.to_string(), false, &name);
    }
}

/// Arguments as they may be kept, and the names of secrets in them.
pub fn redacted(arguments: &Value, field: Option<&Node>, secrets: &Secrets) -> (Map<String, Value>, Vec<String>) {
    let mut kept = arguments.as_object().cloned().unwrap_or_default();
    let mut names = secrets.references(&mut kept);
    if let Some(node) = field.filter(|n| n.has(States::SECRET)) {
        let name = name_of(&node.name);
        let mut hide = |v: &mut Value| {
            if v.is_string() {
                *v = reference(&name);
                if !names.contains(&name) {
                    names.push(name.clone());
                }
            }
        };
        ["text", "value"].iter().for_each(|k| if let Some(v) = kept.get_mut(*k) { hide(v) });
        if keys(arguments).any(|k| character(k).is_some()) && !arguments.as_object().is_some_and(has_command) {
            match kept.get_mut("keys").and_then(Value::as_array_mut) {
                Some(all) => all.iter_mut().filter(|k| k.as_str().and_then(character).is_some()).for_each(&mut hide),
                None => if let Some(v) = kept.get_mut("key") { hide(v) },
            }
        }
    }
    if let Some(name) = arguments.get("secret").and_then(Value::as_str)
        && !names.iter().any(|n| n == name)
    {
        names.push(name.to_owned());
    }
    (kept, names)
}

fn keys(arguments: &Value) -> impl Iterator<Item = &str> {
    let one = arguments.get("key").into_iter();
    let many = arguments.get("keys").and_then(Value::as_array).into_iter().flatten();
    one.chain(many).filter_map(Value::as_str)
}

/// Keys held that make a command of a character.
pub fn has_command(arguments: &Map<String, Value>) -> bool {
    let words = ["modifiers", "modifier", "keys"].iter().filter_map(|k| arguments.get(*k)?.as_array()).flatten();
    words.filter_map(Value::as_str).any(|k| matches!(Key::from_str(k).ok().and_then(|k| k.modifier()), Some(desktop::Modifier::Control | desktop::Modifier::Alt | desktop::Modifier::Super)))
}

/// The character that a key makes, if it makes one.
fn character(word: &str) -> Option<char> {
    match Key::from_str(word).ok()? {
        Key::Char(c) => Some(c),
        Key::Named("space") => Some(' '),
        Key::Named(name) => {
            let digit = name.strip_prefix("KP_").filter(|d| d.len() == 1).and_then(|d| d.chars().next());
            digit.or_else(|| SIGNS.iter().find(|(n, _)| *n == name).map(|(_, c)| *c))
        }
    }
}

/// Signs that have names.
const SIGNS: &[(&str, char)] = &[
    ("plus", '+'), ("minus", '-'), ("comma", ','), ("period", '.'), ("slash", '/'), ("backslash", '\\'), ("semicolon", ';'),
    ("apostrophe", '\''), ("grave", '`'), ("equal", '='), ("bracketleft", '['), ("bracketright", ']'), ("underscore", '_'),
    ("asterisk", '*'), ("at", '@'), ("numbersign", '#'), ("dollar", '$'), ("percent", '%'), ("ampersand", '&'), ("exclam", '!'),
    ("question", '?'), ("colon", ':'), ("less", '<'), ("greater", '>'), ("parenleft", '('), ("parenright", ')'), ("braceleft", '{'),
    ("braceright", '}'), ("bar", '|'), ("asciitilde", '~'), ("quotedbl", '"'), ("asciicircum", '^'), ("KP_Add", '+'),
    ("KP_Subtract", '-'), ("KP_Multiply", '*'), ("KP_Divide", '/'), ("KP_Decimal", '.'),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_that_make_characters() {
        for (word, want) in [("a", Some('a')), ("Return", None), ("space", Some(' ')), ("KP_7", Some('7')), ("at", Some('@')), ("F5", None), ("shift", None)] {
            assert_eq!(character(word), want, "{word}");
        }
        for (arguments, want) in [(json!({"keys": ["ctrl", "a"]}), true), (json!({"keys": ["shift", "a"]}), false), (json!({"key": "a", "modifiers": ["alt"]}), true)] {
            assert_eq!(arguments.as_object().is_some_and(has_command), want, "{arguments}");
        }
    }
}
