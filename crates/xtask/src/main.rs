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
       cargo xtask dist [--out DIR] [--profile NAME] [--no-build]
                                       build and pack a release folder and its archive with checksums";

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
        ["dist", rest @ ..] => dist::run(&dist_options(rest)?),
        _ => bail!("{USAGE}"),
    }
}

fn dist_options(words: &[&str]) -> Result<dist::Options> {
    let mut options = dist::Options { out: root().join("out/dist"), profile: "dist".into(), build: true };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, words.as_slice().first()) {
            ("--no-build", _) => options.build = false,
            ("--out", Some(out)) => options.out = std::path::absolute(out)?,
            ("--profile", Some(profile)) => options.profile = (*profile).to_owned(),
            _ => bail!("{USAGE}"),
        }
        if *word != "--no-build" {
            words.next();
        }
    }
    Ok(options)
}

/// The checkout, found from where this program's source lies.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}
