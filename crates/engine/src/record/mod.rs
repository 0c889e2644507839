//! Recording: what an agent did, on disk, so that it can be looked at, compared and done again.

mod disk;
mod example;
pub mod store;
pub mod types;

pub use types::trajectory_schema;
