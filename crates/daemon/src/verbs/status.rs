//! `status`: whether a driver runs, and what it does.

use serde_json::{Value, json};

use crate::args::Parsed;
use crate::exit::{Exit, Result};
use crate::proto::{StatusReply, StatusRequest};
use crate::version::{mismatch, version};
use crate::{endpoint, link, out};

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let endpoint = endpoint::for_client(parsed.socket())?;
    let bound = parsed.seconds("timeout", 0.001)?.unwrap_or(link::SHORT);
    let status = link::run(async {
        let mut driver = link::connect(&endpoint).await?;
        link::within(&endpoint, bound, driver.status(StatusRequest {})).await
    })?;
    if parsed.json() {
        out::line(&as_json(&status).to_string());
    } else {
        out::line(&as_text(&status));
    }
    if status.version != version() {
        out::error(&format!("cua-driver: {}", mismatch(version(), &status.version)));
    }
    Ok(Exit::Done)
}

fn part(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

fn as_json(status: &StatusReply) -> Value {
    json!({
        "version": status.version,
        "pid": status.pid,
        "socket": status.socket,
        "display": status.display,
        "uptime_ms": status.uptime_ms,
        "sessions": part(&status.sessions_json),
        "recording": part(&status.recording_json),
    })
}

fn as_text(status: &StatusReply) -> String {
    let sessions = part(&status.sessions_json).as_array().map_or(0, Vec::len);
    let display = if status.display.is_empty() { "none" } else { &status.display };
    let recording = match part(&status.recording_json) {
        Value::Null => "no".to_owned(),
        Value::Array(all) if all.is_empty() => "no".to_owned(),
        other => other.to_string(),
    };
    format!(
        "cua-driver {} runs (pid {}, {})\nsocket     {}\ndisplay    {display}\nsessions   {sessions}\nrecording  {recording}",
        status.version,
        status.pid,
        uptime(status.uptime_ms),
        status.socket,
    )
}

fn uptime(ms: u64) -> String {
    let seconds = ms / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("up {s} s"),
        (0, m, s) => format!("up {m} min {s} s"),
        (h, m, _) => format!("up {h} h {m} min"),
    }
}
