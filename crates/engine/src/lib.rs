//! Everything the product decides, tested whole on a fake desktop.
//!
//! Owns: the call pipeline, tools, aim and guard, snapshots and tokens, the ladder of routes,
//! sessions, recording and replay. Refuses to own: operating system calls, wire formats, clocks,
//! environment; the disk only in `record`.

mod call;
mod engine;
mod host;
mod refusal;

pub use engine::{Engine, tools_json};
pub use call::{Answer, Call, ClientId, ClientKind, Image, Progress, Reply};
pub use host::{Host, PathRefused};
pub use refusal::{Code, Refusal};
