//! `cargo xtask`: everything that is generated, checked or packed by this repository's own code.
//!
//! Owns: `codegen`, `tidy`, `dist`. Refuses to own: tests and builds, which cargo and npm run.

mod codegen;
mod dist;
mod docs;
mod proto;
mod tidy;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask codegen [--check]   write what is generated, or say what differs
       cargo xtask tidy                hold the sources against the rules of ARCHITECTURE.md
       cargo xtask dist [--out DIR]    pack a release folder and its archive with checksums";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["codegen"] => codegen::run(codegen::Mode::Write),
        ["codegen", "--check"] => codegen::run(codegen::Mode::Check),
        ["tidy"] => tidy::run(),
        ["dist"] => dist::run(&root().join("target/dist-out")),
        ["dist", "--out", out] => dist::run(Path::new(out)),
        _ => bail!("{USAGE}"),
    }
}

/// The checkout, found from where this program's source lies.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}
