//! The daemon that doctor asks: the running one, or one started for this and ending after it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::endpoint::{self, Endpoint};
use crate::exit::{Failure, Result};
use crate::link::{self, Driver};
use crate::proto::call_reply::Outcome;
use crate::proto::{CallRequest, HelloRequest, Reply};

const START: Duration = Duration::from_secs(10);
const CALL: Duration = Duration::from_secs(20);

/// One connection, which keeps the daemon there while doctor works.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    driver: Driver,
    endpoint: Endpoint,
    about: String,
    label: String,
    pid: u32,
}

impl Session {
    pub fn open(socket: Option<&str>) -> Result<Self> {
        let endpoint = endpoint::for_client(socket)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::failed(error.to_string()))?;
        let label = format!("doctor-{}", std::process::id());
        let mut how = "running";
        let mut connected = runtime.block_on(hello(&endpoint, &label));
        if connected.is_err() && !endpoint.socket.exists() {
            how = "started for this";
            start(&endpoint)?;
            let end = Instant::now() + START;
            while connected.is_err() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(50));
                connected = runtime.block_on(hello(&endpoint, &label));
            }
        }
        let (driver, reply) = connected?;
        let display = if reply.display.is_empty() { "no display" } else { &reply.display };
        let about = format!("{} (pid {}, {how}), {display}", reply.version, reply.pid);
        Ok(Self { runtime, driver, endpoint, about, label, pid: reply.pid })
    }

    pub fn about(&self) -> &str {
        &self.about
    }

    /// A program on the daemon's display, which need not be this process's own.
    pub fn on_display(&self, mut program: Command) -> Command {
        // The process table tells a user the environment of his own processes.
        if let Ok(env) = std::fs::read(format!("/proc/{}/environ", self.pid)) {
            let pairs = env.split(|byte| *byte == 0).filter_map(|pair| {
                let at = pair.iter().position(|byte| *byte == b'=')?;
                Some((OsStr::from_bytes(&pair[..at]), OsStr::from_bytes(&pair[at + 1..])))
            });
            program.env_clear().envs(pairs);
        }
        program
    }

    /// One call; a refusal is an error in words.
    pub fn call(&self, tool: &str, mut arguments: Value) -> std::result::Result<(Value, Reply), String> {
        arguments["session"] = json!(self.label);
        let request =
            CallRequest { tool: tool.to_owned(), arguments_json: arguments.to_string(), client: None, timeout_ms: 0 };
        let mut driver = self.driver.clone();
        let answer = self.runtime.block_on(link::within(&self.endpoint, CALL, driver.call(request)));
        match answer.map_err(|failure| failure.text)?.outcome {
            Some(Outcome::Reply(reply)) => {
                let structured = serde_json::from_str(&reply.structured_json).unwrap_or(Value::Null);
                Ok((structured, reply))
            }
            Some(Outcome::Refusal(refusal)) => Err(format!("{}: {}", refusal.code, refusal.message)),
            None => Err("an empty answer".into()),
        }
    }
}

async fn hello(endpoint: &Endpoint, label: &str) -> Result<(Driver, crate::proto::HelloReply)> {
    let mut driver = link::connect(endpoint).await?;
    let client = Some(link::client_info(Some(label)));
    let reply = link::within(endpoint, link::SHORT, driver.hello(HelloRequest { client })).await?;
    Ok((driver, reply))
}

fn start(endpoint: &Endpoint) -> Result<()> {
    let own = std::env::current_exe().map_err(|error| Failure::failed(error.to_string()))?;
    let mut serve = Command::new(own);
    serve.args(["serve", "--for-clients", "--socket"]).arg(&endpoint.socket);
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    serve.spawn().map(drop).map_err(|error| Failure::failed(format!("no daemon could be started: {error}")))
}
