//! What the engine takes from its surroundings instead of reading them itself.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use desktop::Cancel;
use serde_json::Value;

/// Why a path was not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRefused {
    /// The path as it was resolved, as far as it could be.
    pub resolved: PathBuf,
    pub why: String,
}

/// Clock, randomness, secrets, path rules and kept configuration.
pub trait Host: Send + Sync {
    /// Monotonic.
    fn now(&self) -> Instant;
    fn wall(&self) -> SystemTime;
    /// Wait for `time` or until cancelled; true when cancelled.
    fn wait(&self, time: Duration, cancel: &Cancel) -> bool;
    fn random(&self) -> u64;
    /// The value of a secret by name. `Ok(None)`: no source knows it. `Err`: a source exists and
    /// may not be used (wrong mode, failing command), said in words without the value.
    fn secret(&self, name: &str) -> Result<Option<String>, String>;
    /// Judge a path that a caller gave: absolute or `~/`, links resolved, inside the allowed
    /// roots. Answers where it really lies.
    fn resolve(&self, path: &str) -> Result<PathBuf, PathRefused>;
    /// The kept configuration, `{}` where there is none.
    fn config(&self) -> Value;
    /// Keep this configuration.
    fn keep_config(&self, config: &Value) -> Result<(), String>;
    /// Write a file whole (private, under a temporary name first) at a path that `resolve` allowed.
    fn write(&self, path: &std::path::Path, bytes: &[u8]) -> Result<(), String>;
    /// Read a regular file of at most `max` bytes at a path that `resolve` allowed.
    fn read(&self, path: &std::path::Path, max: u64) -> Result<Vec<u8>, String>;
    /// Whether a path that `resolve` allowed is a regular file that can be read.
    fn regular(&self, path: &std::path::Path) -> Result<(), String>;
    /// Directory for pictures and scratch files of the driver, private to the user.
    fn scratch(&self) -> PathBuf;
}
