//! What is generated and where it goes. Generators give texts; this module alone writes them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::{docs, proto, root, tools};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    /// Write nothing, fail naming every file that differs.
    Check,
}

/// One generated file: path from the root, and its text.
pub struct Output {
    pub path: PathBuf,
    pub text: String,
}

impl Output {
    pub fn new(path: &str, text: String) -> Self {
        Self { path: PathBuf::from(path), text }
    }
}

pub fn run(mode: Mode) -> Result<()> {
    let files = proto::compile()?;
    let catalogue = tools::catalogue()?;
    let mut outputs = vec![proto::rust(&files)?];
    match proto::typescript(&files)? {
        Some(output) => outputs.push(output),
        None => eprintln!("codegen: no ts-proto plugin; run `npm ci` for the TypeScript side"),
    }
    let json = tools::json(&catalogue)?;
    outputs.extend(tools::typescript(&json)?);
    outputs.push(Output::new("proto/tools.json", json));
    outputs.push(Output::new("proto/trajectory.json", engine::trajectory_schema()));
    outputs.push(docs::page(&catalogue));
    let mut stale = Vec::new();
    for output in outputs {
        let path = root().join(&output.path);
        if fs::read_to_string(&path).is_ok_and(|old| old == output.text) {
            continue;
        }
        if mode == Mode::Check {
            stale.push(output.path.display().to_string());
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, &output.text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", output.path.display());
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("not what the sources say: {}. Run `cargo xtask codegen` and commit.", stale.join(", "))
}
