//! Settings: defaults, what is kept, and what one session overrides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a token acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenLifetime {
    /// Until the next snapshot of its window.
    #[default]
    Snapshot,
    /// As long as its object lives with the same role and name.
    Object,
}

/// A change of settings; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Longest side of pictures in pixels; 0 is native size. Default 1568.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 16384))]
    pub max_image_dimension: Option<u32>,
    /// snapshot (default): a new snapshot ends older tokens; object: they act while their object lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_lifetime: Option<TokenLifetime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub max_image_dimension: u32,
    pub token_lifetime: TokenLifetime,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_image_dimension: 1568, token_lifetime: TokenLifetime::Snapshot }
    }
}

impl Settings {
    /// The kept settings; a key of the wrong type is passed over.
    pub fn kept(config: &Value) -> Self {
        let pick = |key: &str| config.get(key).cloned().unwrap_or(Value::Null);
        Self::default().with(&Change {
            max_image_dimension: serde_json::from_value(pick("max_image_dimension")).ok(),
            token_lifetime: serde_json::from_value(pick("token_lifetime")).ok(),
        })
    }

    #[must_use]
    pub fn with(self, change: &Change) -> Self {
        Self {
            max_image_dimension: change.max_image_dimension.unwrap_or(self.max_image_dimension),
            token_lifetime: change.token_lifetime.unwrap_or(self.token_lifetime),
        }
    }
}
