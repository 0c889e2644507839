//! Everything the product decides, tested whole on a fake desktop.
//!
//! Owns: the call pipeline, tools, aim and guard, snapshots and tokens, the ladder of routes,
//! sessions, recording and replay. Refuses to own: operating system calls, wire formats, clocks,
//! environment; the disk only in `record`.

mod aim;
mod call;
mod choice;
mod config;
mod effect;
mod engine;
mod expect;
mod foreground;
mod host;
mod ladder;
mod lane;
mod legacy;
mod picture;
mod pointer;
mod press;
mod proof;
mod record;
mod refusal;
mod replay;
mod role;
mod run;
mod schema;
mod session;
mod snapshot;
mod time;
mod tools;
mod typing;
mod view;

pub use call::{Answer, Call, ClientId, ClientKind, Image, Progress, Reply};
pub use engine::{Engine, tools_json};
pub use host::{Host, PathRefused};
pub use record::trajectory_schema;
pub use refusal::{Code, Refusal};
