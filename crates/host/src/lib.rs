//! The engine's surroundings on this machine: clock, randomness, secrets, path rules, kept
//! configuration, private directories. Used by the daemon and by the Node addon.
//!
//! Refuses to own: anything about desktops, sessions or tools.

mod config;
mod dirs;
mod file;
mod paths;
mod secrets;
mod system;

pub use config::{Config, ConfigError};
pub use dirs::{Dirs, Unsafe, private_dir};
pub use file::write_private;
pub use paths::{Roots, resolve};
pub use secrets::SecretError;
pub use system::{SystemHost, random};
