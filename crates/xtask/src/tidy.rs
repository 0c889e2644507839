//! Rules of `ARCHITECTURE.md` that a machine can hold: directions of the crate graph, where the
//! operating system is named, where unsafe code lies, how long a file is, words that have no
//! place in the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::root;

const LONGEST: usize = 600;

/// Crate, and the crates of this workspace that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("cua-desktop", &[]),
    ("cua-engine", &["cua-desktop", "cua-fake"]),
    ("cua-fake", &["cua-desktop"]),
    ("cua-linux", &["cua-desktop"]),
    ("cua-windows", &["cua-desktop"]),
    ("cua-macos", &["cua-desktop"]),
    ("cua-native", &["cua-desktop", "cua-linux", "cua-windows", "cua-macos"]),
    ("cua-host", &["cua-desktop", "cua-engine"]),
    ("cua-driver", &["cua-desktop", "cua-engine", "cua-host", "cua-native", "cua-fake"]),
    ("cua-node", &["cua-desktop", "cua-engine", "cua-host", "cua-native", "cua-fake"]),
    ("cua-xtask", &["cua-engine"]),
];
/// Libraries that only one crate may use.
const ONLY_IN: &[(&str, &[&str])] = &[("tonic", &["cua-driver"]), ("napi", &["cua-node"]), ("zbus", &["cua-linux"])];
/// Crates that may name an operating system.
const OS: &[&str] = &["linux", "windows", "macos", "native"];
const EXTENSIONS: &[&str] = &["rs", "ts", "tsx", "mjs", "sh", "ps1", "py", "md", "toml", "json", "yml"];

pub fn run() -> Result<()> {
    let mut wrong = graph()?;
    for path in files()? {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        wrong.extend(source(&path, &text));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{} found:\n  {}", wrong.len(), wrong.join("\n  "))
}

fn graph() -> Result<Vec<String>> {
    let output =
        Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root()).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = MAY_USE.iter().find(|(of, _)| *of == name) else {
            wrong.push(format!("{name}: tidy knows no direction for this crate"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            if MAY_USE.iter().any(|(of, _)| *of == used) && !allowed.contains(&used) {
                wrong.push(format!("{name} uses {used}"));
            }
            if ONLY_IN.iter().any(|(library, only)| *library == used && !only.contains(&name)) {
                wrong.push(format!("{name} uses {used}"));
            }
        }
    }
    Ok(wrong)
}

/// Tracked files, from the root.
fn files() -> Result<Vec<PathBuf>> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().context("git ls-files")?;
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| PathBuf::from(String::from_utf8_lossy(name).into_owned())).collect())
}

fn source(path: &Path, text: &str) -> Vec<String> {
    let shown = path.display();
    let extension = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    if !EXTENSIONS.contains(&extension) || generated(path, text) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let code = matches!(extension, "rs" | "ts" | "tsx" | "mjs");
    let lines = text.lines().count();
    if code && lines > LONGEST {
        wrong.push(format!("{shown}: {lines} lines, at most {LONGEST}"));
    }
    let krate = path.strip_prefix("crates").ok().and_then(|rest| rest.iter().next()).and_then(|name| name.to_str());
    let sys = path.file_name().is_some_and(|name| name == "sys.rs");
    for (at, line) in text.lines().enumerate() {
        let mut found = |what: &str| wrong.push(format!("{shown}:{}: {what}", at + 1));
        if extension == "rs" && krate != Some("xtask") {
            let bare = line.split("//").next().unwrap_or_default();
            if bare.contains("target_os") && !krate.is_some_and(|krate| OS.contains(&krate)) {
                found("names an operating system");
            }
            if bare.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == concat!("un", "safe")) && !sys
            {
                found("unsafe code outside sys.rs");
            }
        }
        if code && forbidden().iter().any(|word| line.contains(word.as_str())) {
            found("a word that marks unfinished work");
        }
    }
    wrong
}

fn forbidden() -> [String; 4] {
    [["TO", "DO"], ["FIX", "ME"], ["XX", "X:"], ["HA", "CK:"]].map(|parts| parts.concat())
}

fn generated(path: &Path, text: &str) -> bool {
    path.iter().any(|part| part == "gen" || part == "fixtures")
        || matches!(
            path.file_name().and_then(|name| name.to_str()),
            Some("package-lock.json" | "tools.json" | "list.json")
        )
        || text.starts_with("// Generated")
}
