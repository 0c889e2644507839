//! Secrets that this engine has met, and what must not be said because of them.
//!
//! Owns: which values are known, and taking them out of text, JSON and arguments. Refuses to own:
//! where secrets come from, pictures.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use desktop::NodeKey;
use serde_json::{Map, Value, json};

use crate::Answer;

/// Shorter values are not looked for: they stand everywhere.
const SHORTEST: usize = 4;
/// Lines of a secret of several lines that are known by themselves.
const SHORTEST_LINE: usize = 8;
/// Fields whose typed text is kept together.
const FIELDS: usize = 64;

/// Values known for the life of the engine; copies share them.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Inner>>);

#[derive(Default)]
struct Inner {
    /// Longest first, so that one inside another does not spoil it.
    values: Vec<(String, String)>,
    /// What was typed so far into fields that hide it.
    fields: HashMap<NodeKey, String>,
}

impl Secrets {
    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing is known yet.
    pub fn is_empty(&self) -> bool {
        self.read().values.is_empty()
    }

    /// Know this value from now on.
    pub fn learn(&self, value: &str) {
        self.learn_as(value, "value");
    }

    /// From now on this value is said nowhere. `name` stands in its place.
    pub fn learn_as(&self, value: &str, name: &str) {
        let mut inner = self.write();
        add(&mut inner.values, value, name);
        if value.contains('\n') {
            value.lines().map(str::trim).filter(|l| l.chars().count() >= SHORTEST_LINE).for_each(|l| add(&mut inner.values, l, name));
        }
    }

    /// Text that goes into a field that hides it. Pieces typed one after the other are one secret.
    pub fn typed(&self, field: &NodeKey, text: &str, replaces: bool, name: &str) {
        let whole = {
            let mut inner = self.write();
            if inner.fields.len() >= FIELDS && !inner.fields.contains_key(field) {
                inner.fields.clear();
            }
            let so_far = inner.fields.entry(field.clone()).or_default();
            if replaces {
                so_far.clear();
            }
            so_far.push_str(text);
            so_far.clone()
        };
        self.learn_as(text, name);
        self.learn_as(&whole, name);
    }

    /// The name of a known secret inside a text.
    pub fn inside(&self, text: &str) -> Option<String> {
        self.read().values.iter().find(|(v, _)| text.contains(v.as_str())).map(|(_, n)| n.clone())
    }

    /// An answer without secrets.
    pub fn scrub(&self, answer: &mut Answer) {
        if self.is_empty() {
            return;
        }
        match answer {
            Ok(reply) => {
                reply.text = self.scrub_text(&reply.text);
                self.scrub_value(&mut reply.structured);
            }
            Err(refusal) => {
                refusal.message = self.scrub_text(&refusal.message);
                refusal.hint = self.scrub_text(&refusal.hint);
                self.scrub_value(&mut refusal.details);
            }
        }
    }

    /// The text without secrets.
    pub fn scrub_text(&self, text: &str) -> String {
        self.clean(text).into_owned()
    }

    fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let inner = self.read();
        let mut out = Cow::Borrowed(text);
        for (value, name) in &inner.values {
            if out.contains(value.as_str()) {
                out = Cow::Owned(out.replace(value.as_str(), &shown(name)));
            }
        }
        out
    }

    /// Take secrets out of every string and key of a value.
    pub fn scrub_value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(s) => {
                if let Cow::Owned(clean) = self.clean(s) {
                    *s = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|v| self.scrub_value(v)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|v| self.scrub_value(v));
                if fields.keys().any(|k| self.inside(k).is_some()) {
                    *fields = std::mem::take(fields).into_iter().map(|(k, v)| (self.scrub_text(&k), v)).collect();
                }
            }
            _ => {}
        }
    }

    /// Arguments as they may be kept: a string that holds a secret becomes a reference, since
    /// half of it could be neither read nor typed. Answers the names.
    pub fn references(&self, arguments: &mut Map<String, Value>) -> Vec<String> {
        let mut names = Vec::new();
        if !self.is_empty() {
            arguments.values_mut().for_each(|v| self.refer(v, &mut names));
        }
        names
    }

    fn refer(&self, value: &mut Value, names: &mut Vec<String>) {
        match value {
            Value::String(s) => {
                if let Some(name) = self.inside(s) {
                    *value = reference(&name);
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|v| self.refer(v, names)),
            Value::Object(fields) => fields.values_mut().for_each(|v| self.refer(v, names)),
            _ => {}
        }
    }
}

fn add(values: &mut Vec<(String, String)>, value: &str, name: &str) {
    if value.chars().count() < SHORTEST || values.iter().any(|(v, _)| v == value) {
        return;
    }
    let at = values.partition_point(|(v, _)| v.len() >= value.len());
    values.insert(at, (value.to_owned(), name.to_owned()));
}

/// What stands in place of a secret in text.
pub fn shown(name: &str) -> String {
    format!("[secret {name}]")
}

/// What stands in place of a secret in arguments.
pub fn reference(name: &str) -> Value {
    json!({"redacted": true, "name": name})
}

/// The name of a reference.
pub fn referred(value: &Value) -> Option<&str> {
    value.get("redacted").filter(|r| **r == Value::Bool(true)).and(value.get("name")).and_then(Value::as_str)
}

/// A name for the secret of a field: its label in plain letters.
pub fn name_of(label: &str) -> String {
    let mut out = String::new();
    for c in label.trim().chars().take(40) {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    let out = out.trim_end_matches('_');
    if out.is_empty() { "password".into() } else { out.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_said_nowhere() {
        let k = Secrets::default();
        assert_eq!(k.scrub_text("hunter22"), "hunter22");
        k.learn_as("hunter22", "pw");
        k.learn_as("hunter22-long", "other");
        k.learn_as("abc", "short");
        assert_eq!(k.scrub_text("x hunter22-long, hunter22 abc"), "x [secret other], [secret pw] abc");
        let mut v = json!({"a": ["say hunter22"], "hunter22": 1, "n": 4});
        k.scrub_value(&mut v);
        assert_eq!(v, json!({"a": ["say [secret pw]"], "[secret pw]": 1, "n": 4}));
    }

    #[test]
    fn arguments_become_references() {
        let k = Secrets::default();
        k.learn_as("hunter22", "pw");
        let Value::Object(mut a) = json!({"text": "login hunter22", "pid": 7, "path": ["hunter22"]}) else { panic!("an object") };
        assert_eq!(k.references(&mut a), ["pw"]);
        assert_eq!(Value::Object(a.clone()), json!({"text": reference("pw"), "pid": 7, "path": [reference("pw")]}));
        assert_eq!(referred(&a["text"]), Some("pw"));
        assert_eq!(referred(&json!("[secret pw]")), None);
    }

    #[test]
    fn pieces_make_one_secret() {
        let k = Secrets::default();
        let field = NodeKey::new("f");
        for piece in ["cor", "rect", " horse"] {
            k.typed(&field, piece, false, "pw");
        }
        assert_eq!(k.scrub_text("<correct horse>"), "<[secret pw]>");
        k.learn_as("-----BEGIN\nMIIEpAIBAAKC\n-----END", "key");
        assert_eq!(k.scrub_text("line MIIEpAIBAAKC"), "line [secret key]");
    }

    #[test]
    fn names_of_fields() {
        for (label, want) in [("Password", "password"), ("  Your PIN: ", "your_pin"), ("", "password"), ("Пароль", "пароль")] {
            assert_eq!(name_of(label), want);
        }
    }
}
