//! The daemon: one engine behind one private socket.

mod calls;
mod conn;
mod idle;
pub mod lock;
mod log;
mod pool;
mod serve;
mod service;
pub mod socket;
mod watch;
mod wire;

pub use serve::{End, LogShape, Options, run};
pub use wire::LARGEST_MESSAGE;
