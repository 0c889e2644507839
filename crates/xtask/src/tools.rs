//! The tool catalogue as the engine gives it, and what is printed from it for other languages.

use anyhow::{Context, Result};
use serde_json::Value;

pub fn catalogue() -> Result<Value> {
    serde_json::from_str(&engine::tools_json()).context("engine::tools_json is not JSON")
}

/// `proto/tools.json`.
pub fn json(catalogue: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(catalogue)? + "\n")
}
