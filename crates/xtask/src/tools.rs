//! The tool catalogue as the engine gives it, and what is printed from it for TypeScript.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::codegen::Output;
use crate::root;

pub fn catalogue() -> Result<Value> {
    serde_json::from_str(&engine::tools_json()).context("engine::tools_json is not JSON")
}

/// `proto/tools.json`.
pub fn json(catalogue: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(catalogue)? + "\n")
}

/// Types for the SDK and the list that MCP clients get, by the generator that lies beside the SDK.
pub fn typescript(json: &str) -> Result<Vec<Output>> {
    let generator = root().join("ts/sdk/generate.mjs");
    let print = |what: &str| -> Result<String> {
        let mut child = Command::new("node")
            .arg(&generator)
            .arg(what)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("node can't be started")?;
        let mut stdin = child.stdin.take().context("no stdin of node")?;
        let text = json.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output()?;
        if !output.status.success() || !matches!(writer.join(), Ok(Ok(()))) {
            bail!("generate.mjs {what} ended with {}", output.status);
        }
        Ok(String::from_utf8(output.stdout)?)
    };
    let list = print("list")?;
    Ok(vec![
        Output::new("proto/list.json", plain_list(&list)? + "\n"),
        Output::new("ts/sdk/src/gen/tools.ts", print("types")?),
        Output::new("ts/mcp/src/gen/list.ts", list),
    ])
}

/// The list itself, which the module for MCP holds as one string: the native program prints it.
fn plain_list(module: &str) -> Result<String> {
    let literal =
        module.lines().map(str::trim).find(|line| line.starts_with('"')).context("list.ts holds no string")?;
    serde_json::from_str(literal.trim_end_matches(';')).context("list.ts")
}
