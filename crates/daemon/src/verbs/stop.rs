//! `stop`: end the running driver, and wait until it has ended.

use std::time::Duration;

use serde_json::json;

use crate::args::Parsed;
use crate::exit::{Exit, Failure, Result};
use crate::proto::ShutdownRequest;
use crate::server::lock;
use crate::{endpoint, link, out};

/// The daemon ends well within this.
const BOUND: Duration = Duration::from_secs(10);

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let endpoint = endpoint::for_client(parsed.socket())?;
    let lock = lock::path(&endpoint.socket);
    let pid = lock::holder(&lock);
    let bound = parsed.seconds("timeout", 0.001)?;
    link::run(async {
        let mut driver = link::connect(&endpoint).await?;
        let request = ShutdownRequest { reason: "stop".to_owned() };
        link::within(&endpoint, bound.unwrap_or(link::SHORT), driver.shutdown(request)).await
    })?;
    if !lock::wait_free(&lock, bound.unwrap_or(BOUND)) {
        return Err(Failure::failed("the driver was asked to end and still runs"));
    }
    let pid = pid.unwrap_or_default();
    out::line(&if parsed.json() {
        json!({"stopped": true, "pid": pid}).to_string()
    } else {
        format!("stopped (pid {pid})")
    });
    Ok(Exit::Done)
}
