//! stand
use crate::exit::*;
pub fn run(_: &crate::args::Parsed) -> Result<Exit> { Err(Failure::failed("no")) }
pub fn window() -> Result<Exit> { Err(Failure::failed("no")) }
