//! `serve`: the daemon in the foreground.

use std::time::Duration;

use tracing::level_filters::LevelFilter;

use crate::args::Parsed;
use crate::exit::{Exit, Failure, Result};
use crate::server::{self, End, LogShape};
use crate::{endpoint, version, virtual_display};

/// A daemon that was started for clients ends this long after the last one.
const AFTER_LAST_CLIENT: Duration = Duration::from_secs(2);

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let log = match parsed.value("log") {
        None | Some("text") => LogShape::Text,
        Some("json") => LogShape::Json,
        Some(other) => return Err(Failure::usage(format!("--log is text or json, got {other:?}"))),
    };
    let level = parsed.value("log-level").unwrap_or("info").parse::<LevelFilter>();
    let level = level.map_err(|_| Failure::usage("--log-level is error, warn, info, debug or trace"))?;
    let end = match parsed.seconds("idle-exit", 0.1)? {
        Some(time) => End::Idle(time),
        None if parsed.has("for-clients") => End::NoClients(AFTER_LAST_CLIENT),
        None => End::Never,
    };
    if let Some(wanted) = parsed.value("display") {
        let size = virtual_display::size(wanted)?;
        return virtual_display::start(size);
    }
    let shown = match parsed.value("in-virtual-display") {
        Some(dir) => Some(virtual_display::joined(std::path::Path::new(dir))?),
        None => None,
    };
    let display = endpoint::display();
    let endpoint = endpoint::for_daemon(parsed.socket(), &display)?;
    let on = if display.is_empty() { "without a display".to_owned() } else { format!("on display {display}") };
    let mut greeting = format!(
        "cua-driver {} serves {on} at {} (pid {})",
        version::version(),
        endpoint.socket.display(),
        std::process::id()
    );
    if let Some(shown) = &shown {
        greeting += &format!("\n{}", shown.how_to_look(&endpoint));
    }
    let last = shown.map(|shown| Box::new(move || shown.end()) as Box<dyn FnOnce()>);
    server::run(server::Options { endpoint, display, end, log, level, greeting, last })
}
