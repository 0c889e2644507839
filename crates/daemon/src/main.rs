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
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match verbs::run(&words) {
        Ok(code) => code.into(),
        Err(failure) => failure.tell(args::wants_json(&words)).into(),
    }
}
