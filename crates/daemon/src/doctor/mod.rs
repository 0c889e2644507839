//! `doctor`: proves that the driver works here by doing, on a window of its own.

mod driver;
mod prove;
mod window;

use serde_json::{Value, json};

pub use window::run as window;

use crate::args::Parsed;
use crate::exit::{Exit, Result};
use crate::out;
use driver::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Pass,
    Fail,
    /// Could not be tried, or does not matter here.
    Skip,
}

/// One thing that was tried.
struct Check {
    name: &'static str,
    state: State,
    message: String,
    /// What brings it.
    hint: String,
}

impl Check {
    fn pass(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, state: State::Pass, message: message.into(), hint: String::new() }
    }

    fn fail(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: State::Fail, message: message.into(), hint: hint.into() }
    }

    fn skip(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: State::Skip, message: message.into(), hint: hint.into() }
    }

    /// `Ok` says what was seen; `Err` what was not.
    fn of(name: &'static str, tried: std::result::Result<String, String>, hint: &str) -> Self {
        match tried {
            Ok(seen) => Self::pass(name, seen),
            Err(why) => Self::fail(name, why, hint),
        }
    }

    fn word(&self) -> &'static str {
        match self.state {
            State::Pass => "pass",
            State::Fail => "fail",
            State::Skip => "skip",
        }
    }
}

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let mut checks = vec![typescript()];
    match Session::open(parsed.socket()) {
        Ok(session) => {
            checks.push(Check::pass("driver", session.about()));
            checks.extend(prove::all(&session));
        }
        Err(failure) => checks.push(Check::fail("driver", failure.text, "cua-driver serve --display virtual")),
    }
    show(&checks, parsed.json());
    let failed = checks.iter().any(|check| check.state == State::Fail);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn show(checks: &[Check], as_json: bool) {
    let ok = checks.iter().all(|check| check.state != State::Fail);
    if as_json {
        let rows: Vec<Value> = checks
            .iter()
            .map(|check| json!({"name": check.name, "state": check.word(), "message": check.message, "hint": check.hint}))
            .collect();
        out::line(&json!({"ok": ok, "checks": rows}).to_string());
        return;
    }
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        text += &format!("{}  {:width$}  {}\n", check.word(), check.name, check.message.replace('\n', " "));
        if !check.hint.is_empty() && check.state != State::Pass {
            text += &format!("      {:width$}  -> {}\n", "", check.hint);
        }
    }
    text += if ok { "The driver works here." } else { "Something is missing; what failed says what brings it." };
    out::line(&text);
}

/// Node and the bundle, for the commands that need them.
fn typescript() -> Check {
    let bundle = crate::verbs::bundle();
    let node = std::process::Command::new("node").arg("--version").output();
    let version =
        node.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    match (bundle, version) {
        (Some(path), Some(version)) => Check::pass("typescript", format!("node {version}, {}", path.display())),
        (_, None) => {
            Check::skip("typescript", "no node: mcp, render and trajectory can't run", "install Node.js 20 or newer")
        }
        (None, _) => Check::skip(
            "typescript",
            "the bundle is not beside the program",
            "install with install.sh, or npm run build",
        ),
    }
}
