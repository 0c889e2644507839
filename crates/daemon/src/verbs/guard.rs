//! `guard`, hidden: the child that lets go of held input when the daemon is killed.

use crate::exit::{Exit, Failure, Result};

pub fn run() -> Result<Exit> {
    native::guard(std::io::stdin()).map_err(|error| Failure::failed(error.to_string()))?;
    Ok(Exit::Done)
}
