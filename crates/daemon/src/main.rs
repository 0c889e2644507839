//! The `cua-driver` program: the daemon, the client verbs that must be quick, and the door to the
//! commands written in TypeScript.
//!
//! Owns: the socket, the lock, processes and their ends, the command line. Refuses to own: what
//! a tool does.

mod args;
mod doctor;
mod endpoint;
mod exit;
mod link;
mod near;
mod out;
mod server;
mod table;
mod tool_args;
mod tool_list;
mod verbs;
mod version;
mod virtual_display;

/// Generated from `proto/driver.proto`.
#[rustfmt::skip]
#[path = "gen/driver.rs"]
#[allow(clippy::all, clippy::pedantic)]
pub mod proto;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = Vec::new();
    let mut strange = None;
    for word in std::env::args_os().skip(1) {
        // What another would be typed or opened in its place.
        strange = strange.or_else(|| word.to_str().is_none().then(|| format!("{word:?}")));
        words.push(word.to_string_lossy().into_owned());
    }
    let done = match strange {
        Some(word) => Err(exit::Failure::usage(format!("the word {word} is not UTF-8"))),
        None => verbs::run(&words),
    };
    match done {
        Ok(code) => code.into(),
        Err(failure) => failure.tell(args::wants_json(&words)).into(),
    }
}
