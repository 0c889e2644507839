//! The log, on standard error.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Text,
    Json,
}

/// Lines of libraries are warnings only, whatever the level of our own.
pub fn start(shape: Shape, level: LevelFilter) {
    let ours = ["cua_driver", "engine", "host", "linux", "windows", "macos", "native", "desktop"];
    let filter = Targets::new().with_targets(ours.map(|name| (name, level))).with_default(level.min(LevelFilter::WARN));
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match shape {
        Shape::Json => tracing_subscriber::registry().with(filter).with(layer.json().flatten_event(true)).init(),
        Shape::Text => {
            let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            tracing_subscriber::registry().with(filter).with(layer.with_ansi(colour)).init();
        }
    }
}
