//! `get_config`, `set_config`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Card, Tool};
use crate::config::{Change, Settings, TokenLifetime};
use crate::run::Run;
use crate::{Answer, Code, Refusal, Reply, schema};

/// The settings in force for this session.
#[derive(Deserialize, JsonSchema)]
pub struct GetConfig {}

#[derive(Serialize, JsonSchema)]
pub struct ConfigOut {
    version: &'static str,
    platform: &'static str,
    max_image_dimension: u32,
    token_lifetime: TokenLifetime,
}

fn out(run: &Run<'_>, s: Settings) -> Answer {
    let o = ConfigOut {
        version: env!("CARGO_PKG_VERSION"),
        platform: run.desktop().info().platform,
        max_image_dimension: s.max_image_dimension,
        token_lifetime: s.token_lifetime,
    };
    let structured = json!(o);
    Ok(Reply { text: format!("{structured}"), structured, ..Reply::default() })
}

impl Tool for GetConfig {
    const CARD: Card = Card::look("get_config", "config", "{}");
    type Out = ConfigOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        out(run, run.settings)
    }
}

/// Changes settings, or takes them back to their defaults (reset): for the session that is named
/// (session), else kept for all.
#[derive(Deserialize, JsonSchema)]
pub struct SetConfig {
    #[serde(flatten)]
    change: Change,
    /// With value: another way to name one setting.
    #[schemars(length(max = 100))]
    key: Option<String>,
    value: Option<Value>,
    /// Back to the default: the setting that key names, or without key every one.
    #[serde(default)]
    reset: bool,
}

/// The rules of one setting each.
fn rules() -> Value {
    schema::of::<Change>()
}

/// A name that is a setting's.
fn known(rules: &Value, key: &str) -> Result<(), Refusal> {
    if rules["properties"].get(key).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = rules["properties"].as_object().map(|o| o.keys().map(String::as_str).collect()).unwrap_or_default();
    let hint = desktop::nearest(key, known.iter().copied()).map_or_else(|| format!("Known are {}.", known.join(", ")), |n| format!("Did you mean {n}?"));
    Err(Refusal::new(Code::InvalidArguments, format!("`key`: there is no setting {key:?}.")).hint(hint).with("field", "key"))
}

fn keep(run: &Run<'_>, config: &Value) -> Result<(), Refusal> {
    run.host()
        .keep_config(config)
        .map_err(|why| Refusal::new(Code::PathNotAllowed, format!("The setting cannot be kept: {why}.")).hint("Pass session to set it for one session."))
}

impl SetConfig {
    /// Settings of this session, or kept ones, are as if never set.
    fn reset(&self, run: &Run<'_>) -> Answer {
        if self.value.is_some() || self.change != Change::default() {
            return Err(Refusal::new(Code::InvalidArguments, "`reset`: goes with key alone, not with a new value.").with("field", "reset"));
        }
        let rules = rules();
        if let Some(key) = &self.key {
            known(&rules, key)?;
        }
        let gone = |key: &str| self.key.as_deref().is_none_or(|only| only == key);
        let without = |all: &mut Value| {
            if let Some(o) = all.as_object_mut() {
                // What is no setting of these (paths, secrets) is the user's own.
                o.retain(|key, _| rules["properties"].get(key).is_none() || !gone(key));
            }
        };
        if run.session_named {
            let mut state = run.session.state();
            let mut change = json!(state.change);
            without(&mut change);
            state.change = serde_json::from_value(change).unwrap_or_default();
        } else {
            let mut kept = run.host().config();
            without(&mut kept);
            keep(run, &kept)?;
        }
        let change = run.session.state().change.clone();
        out(run, Settings::kept(&run.host().config()).with(&change))
    }
}

impl Tool for SetConfig {
    const CARD: Card = Card::control("set_config", "config", r#"{"max_image_dimension":0}"#);
    type Out = ConfigOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        if self.reset {
            return self.reset(run);
        }
        let mut change = json!(self.change);
        match (&self.key, &self.value) {
            (None, None) => {}
            (Some(k), Some(v)) => {
                change[k] = v.clone();
            }
            (Some(_), None) => return Err(Refusal::new(Code::InvalidArguments, "`value`: is required with key.").hint("null is none; reset: true takes the setting back to its default.").with("field", "value")),
            (None, Some(_)) => return Err(Refusal::new(Code::InvalidArguments, "`key`: is required with value.").with("field", "key")),
        }
        let rules = rules();
        if let Some(key) = &self.key {
            known(&rules, key)?;
        }
        if change.as_object().is_none_or(|o| o.is_empty()) {
            return Err(Refusal::new(Code::InvalidArguments, "`max_image_dimension`: no setting is given.").hint("Pass max_image_dimension or token_lifetime, or reset."));
        }
        schema::check(&rules, &mut change)?;
        let parsed: Change = serde_json::from_value(change.clone()).map_err(|e| Refusal::new(Code::InvalidArguments, format!("The setting does not fit: {e}.")))?;
        if run.session_named {
            let mut state = run.session.state();
            if parsed.max_image_dimension.is_some() {
                state.change.max_image_dimension = parsed.max_image_dimension;
            }
            if parsed.token_lifetime.is_some() {
                state.change.token_lifetime = parsed.token_lifetime;
            }
        } else {
            let mut kept = run.host().config();
            for (k, v) in change.as_object().into_iter().flatten() {
                kept[k] = v.clone();
            }
            keep(run, &kept)?;
        }
        out(run, run.settings.with(&parsed))
    }
}
