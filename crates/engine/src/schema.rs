//! Schemas of arguments and results, made from Rust types, and the check of arguments against
//! them. The same schema is published and enforced.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::{Code, Refusal};

/// Schema of what a type takes: an object at the root, everything inline, no `$ref`, null only
/// where it means something.
pub fn of<T: JsonSchema>() -> Value {
    with::<T>(SchemaSettings::draft2020_12())
}

/// Schema of what a type gives.
pub fn out<T: JsonSchema>() -> Value {
    with::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn with<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|s| {
        s.meta_schema = None;
        s.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(Lean).transform(&mut schema);
    let mut value = schema.to_value();
    if let Some(o) = value.as_object_mut() {
        o.entry("type").or_insert(json!("object"));
        o.entry("properties").or_insert(json!({}));
        o.insert("additionalProperties".into(), json!(false));
    }
    value
}

/// Leaves out what tells a reader nothing: titles, number formats, null defaults, and null for what
/// may be left out.
#[derive(Clone)]
struct Lean;

impl Transform for Lean {
    fn transform(&mut self, schema: &mut Schema) {
        let Some(o) = schema.as_object_mut() else { return };
        for key in ["title", "format", "$schema"] {
            o.remove(key);
        }
        if o.get("default").is_some_and(Value::is_null) {
            o.remove("default");
        }
        one_of_words(o);
        let required: Vec<String> = o.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(|r| r.as_str().map(str::to_owned)).collect();
        for (name, property) in o.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
            // `true` is a schema too, but not one that every client reads.
            if property == &json!(true) {
                *property = json!({});
            }
            // What may be left out is left out rather than null.
            if let Some(p) = property.as_object_mut().filter(|_| !required.contains(name)) {
                without_null(p);
            }
        }
        if let Some(text) = o.get("description").and_then(Value::as_str) {
            let joined = text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
            o.insert("description".into(), joined.into());
        }
    }
}

fn without_null(o: &mut Map<String, Value>) {
    if let Some(types) = o.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            o.insert("type".into(), only);
        }
    }
    if let Some(all) = o.get_mut("enum").and_then(Value::as_array_mut) {
        all.retain(|v| !v.is_null());
    }
    if let Some(any) = o.get_mut("anyOf").and_then(Value::as_array_mut) {
        any.retain(|s| s.get("type").is_none_or(|t| t != "null"));
        if any.len() == 1 {
            let only = any.remove(0);
            o.remove("anyOf");
            if let Value::Object(inner) = only {
                for (k, v) in inner {
                    o.entry(k).or_insert(v);
                }
            }
            one_of_words(o);
        }
    }
}

/// An enum whose words carry docs comes as `oneOf` of constants: make it a plain `enum`.
fn one_of_words(o: &mut Map<String, Value>) {
    let Some(all) = o.get("oneOf").and_then(Value::as_array) else { return };
    let words: Vec<Value> = all
        .iter()
        .flat_map(|s| match (s.get("const"), s.get("enum").and_then(Value::as_array)) {
            (Some(c), _) => vec![c.clone()],
            (_, Some(e)) => e.clone(),
            _ => vec![],
        })
        .collect();
    if words.len() >= all.len() && words.iter().all(Value::is_string) {
        o.remove("oneOf");
        o.insert("type".into(), json!("string"));
        o.insert("enum".into(), Value::Array(words));
    }
}

/// Check `value` against `schema` and make numbers such as `2.0` the integers they are.
/// The refusal names the field, the value and what would do.
pub fn check(schema: &Value, value: &mut Value) -> Result<(), Refusal> {
    at("", schema, value).map_err(|(field, why)| {
        let lead = if field.is_empty() { "the arguments".to_owned() } else { format!("`{field}`") };
        Refusal::new(Code::InvalidArguments, format!("{lead}: {why}.")).with("field", field)
    })
}

type Wrong = (String, String);

fn at(path: &str, schema: &Value, value: &mut Value) -> Result<(), Wrong> {
    let wrong = |why: String| Err((path.to_owned(), why));
    if let Some(want) = schema.get("type").and_then(Value::as_str) {
        if want == "integer" && value.as_f64().is_some_and(|f| f.fract() == 0.0 && f.abs() < 9e15) && !value.is_i64() && !value.is_u64() {
            *value = json!(value.as_f64().unwrap_or_default() as i64);
        }
        let fits = match want {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            _ => true,
        };
        if !fits {
            return wrong(format!("{} is not {}", shown(value), article(want)));
        }
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        let list = words.iter().filter_map(Value::as_str).collect::<Vec<_>>();
        let nearest = value.as_str().and_then(|v| desktop::nearest(v, list.iter().copied()));
        let hint = nearest.map(|n| format!(" (did you mean {n:?}?)")).unwrap_or_default();
        return wrong(format!("{} is none of {}{hint}", shown(value), list.join(", ")));
    }
    if let Some(all) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array)
        && !all.iter().any(|s| at(path, s, &mut value.clone()).is_ok())
    {
        let first = all.iter().find_map(|s| at(path, s, &mut value.clone()).err());
        return wrong(first.map_or_else(|| "fits nothing known".into(), |(_, why)| why));
    }
    match value {
        Value::Number(n) => {
            let f = n.as_f64().unwrap_or(f64::NAN);
            for (key, bad, words) in [
                ("minimum", schema.get("minimum").and_then(Value::as_f64).is_some_and(|m| f < m), "less than"),
                ("maximum", schema.get("maximum").and_then(Value::as_f64).is_some_and(|m| f > m), "more than"),
            ] {
                if bad {
                    return wrong(format!("{n} is {words} {}", schema[key]));
                }
            }
        }
        Value::String(s) => {
            let n = s.chars().count() as u64;
            if schema.get("minLength").and_then(Value::as_u64).is_some_and(|m| n < m) {
                return wrong(format!("{} is too short", shown(&json!(s))));
            }
            if schema.get("maxLength").and_then(Value::as_u64).is_some_and(|m| n > m) {
                return wrong(format!("{n} characters are more than {}", schema["maxLength"]));
            }
        }
        Value::Array(items) => {
            let n = items.len() as u64;
            if schema.get("minItems").and_then(Value::as_u64).is_some_and(|m| n < m) {
                return wrong(format!("{n} items are fewer than {}", schema["minItems"]));
            }
            if schema.get("maxItems").and_then(Value::as_u64).is_some_and(|m| n > m) {
                return wrong(format!("{n} items are more than {}", schema["maxItems"]));
            }
            if let Some(s) = schema.get("items") {
                for (i, item) in items.iter_mut().enumerate() {
                    at(&format!("{path}[{i}]"), s, item)?;
                }
            }
        }
        Value::Object(fields) => object(path, schema, fields)?,
        _ => {}
    }
    Ok(())
}

fn object(path: &str, schema: &Value, fields: &mut Map<String, Value>) -> Result<(), Wrong> {
    let inner = |k: &str| if path.is_empty() { k.to_owned() } else { format!("{path}.{k}") };
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if schema.get("additionalProperties") == Some(&json!(false))
        && let Some(k) = fields.keys().find(|k| !known.contains_key(*k))
    {
        let hint = match desktop::nearest(k, known.keys().map(String::as_str)) {
            Some(n) => format!("; did you mean `{n}`?"),
            None if known.is_empty() => "; there are none".into(),
            None => format!("; known are {}", known.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
        };
        return Err((inner(k), format!("there is no such argument{hint}")));
    }
    for k in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(k) {
            return Err((inner(k), "is required".into()));
        }
    }
    for (k, v) in fields.iter_mut() {
        // A schema of the others, where it is one.
        let others = schema.get("additionalProperties").filter(|s| s.is_object());
        if let Some(s) = known.get(k).or(others) {
            at(&inner(k), s, v)?;
        }
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

fn article(kind: &str) -> String {
    match kind {
        "object" | "array" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}
