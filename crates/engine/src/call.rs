//! A call as it comes in and what goes out.

use std::sync::Arc;
use std::time::Duration;

use desktop::Cancel;
use serde_json::Value;

use crate::Refusal;

/// One connection of one client. Made by `Engine::connect`, ended by `Engine::disconnect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientId(pub u64);

/// Which way in a client came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientKind {
    Cli,
    Mcp,
    Sdk,
    Addon,
}

impl ClientKind {
    pub const fn word(self) -> &'static str {
        match self {
            ClientKind::Cli => "cli",
            ClientKind::Mcp => "mcp",
            ClientKind::Sdk => "sdk",
            ClientKind::Addon => "addon",
        }
    }
}

/// Told of how far a long call is.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps (`total` 0: unknown), with a short message.
    fn report(&self, done: u64, total: u64, message: &str);
}

pub struct Call {
    pub tool: String,
    /// An object, as the client sent it. `session` is lifted out of it, keys that start with `_`
    /// are dropped.
    pub arguments: Value,
    pub client: ClientId,
    pub cancel: Cancel,
    /// The client's own bound; the tool's bound where it is shorter.
    pub timeout: Option<Duration>,
    pub progress: Option<Arc<dyn Progress>>,
}

/// A picture as it goes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    pub mime: &'static str,
    pub bytes: Arc<[u8]>,
}

/// What a call that ran answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// For people and models.
    pub text: String,
    /// Valid against the tool's output schema.
    pub structured: Value,
    pub images: Vec<Image>,
    /// It ran and did not come through (a replay that stopped): an error, not a refusal.
    pub failed: bool,
}

pub type Answer = Result<Reply, Refusal>;
