//! The engine: one desktop, its sessions, its tools.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use desktop::Desktop;
use serde_json::{Value, json};

use crate::{Answer, Call, ClientId, ClientKind, Code, Host, Refusal};

pub struct Engine {
    desktop: Arc<dyn Desktop>,
    host: Arc<dyn Host>,
}

impl Engine {
    pub fn new(desktop: Arc<dyn Desktop>, host: Arc<dyn Host>) -> Arc<Self> {
        Arc::new(Self { desktop, host })
    }

    /// A connection came. `label` names the session that its unlabelled calls belong to; without
    /// one they belong to an implicit session that ends with the connection.
    pub fn connect(&self, _kind: ClientKind, _label: Option<&str>) -> ClientId {
        ClientId(self.host.random())
    }

    pub fn disconnect(&self, _client: ClientId) {}

    /// Run one tool. Blocks until it is answered; every call has a bound.
    pub fn call(&self, call: &Call) -> Answer {
        Err(Refusal::new(Code::InvalidArguments, format!("there is no tool {:?}", call.tool)))
    }

    pub fn status(&self) -> Value {
        json!({"sessions": [], "recording": null, "clients": 0, "busy": 0, "display": self.desktop.info().display})
    }

    pub fn shutdown(&self, _reason: &str) {}

    pub fn watch(&self) -> Receiver<Value> {
        channel().1
    }
}

/// The text of `proto/tools.json`.
pub fn tools_json() -> String {
    "{}".into()
}
