//! Recording: what an agent did, on disk, so that it can be looked at, compared and done again.

mod after;
pub mod disk;
mod example;
mod film;
mod follow;
mod learn;
mod log;
mod look;
pub mod pixels;
pub mod recording;
mod records;
pub mod secret;
pub mod state;
pub mod store;
mod subject;
pub mod target;
mod turn;
pub mod types;
mod wall;
mod writer;

pub use learn::has_command;
pub use records::Records;
pub use secret::Secrets;
pub use types::trajectory_schema;
