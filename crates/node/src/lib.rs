//! The engine inside Node: open, call, close.
//!
//! Owns: threads for calls, promises, and what crosses between Rust and JavaScript.
//! Refuses to own: tools, sessions, wording; a call means here what it means over the socket.

mod answer;
mod driver;
mod pool;

pub use driver::{Driver, OpenOptions, open};
