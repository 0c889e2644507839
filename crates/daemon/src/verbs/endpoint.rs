//! `endpoint`, hidden: where a client of this environment finds its daemon.

use serde_json::json;

use crate::args::Parsed;
use crate::endpoint;
use crate::exit::{Exit, Result};
use crate::out;
use crate::server::lock;

pub fn run(parsed: &Parsed) -> Result<Exit> {
    match endpoint::for_client(parsed.socket()) {
        Ok(endpoint) => {
            let running = lock::holder(&lock::path(&endpoint.socket)).is_some();
            out::line(&json!({"socket": endpoint.socket, "running": running}).to_string());
            Ok(Exit::Done)
        }
        Err(failure) => {
            let envelope = json!({"code": "invalid_arguments", "message": failure.text,
                "hint": "Pass --socket PATH, or set CUA_DRIVER_SOCKET.", "details": null});
            out::line(&envelope.to_string());
            Ok(failure.exit)
        }
    }
}
