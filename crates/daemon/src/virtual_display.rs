//! stand
use crate::exit::*;
pub fn guard(_: &[String]) -> Result<Exit> { native::guard(std::io::stdin()).map_err(|error| Failure::failed(error.to_string()))?; Ok(Exit::Done) }
pub fn keep(_: &[String]) -> Result<Exit> { Err(Failure::failed("no")) }
pub fn size(_: &str) -> Result<(u16,u16)> { Err(Failure::failed("no")) }
pub fn start(_: (u16,u16)) -> Result<Exit> { Err(Failure::failed("no")) }
pub struct Shown;
pub fn joined(_: &std::path::Path) -> Result<Shown> { Err(Failure::failed("no")) }
impl Shown { pub fn how_to_look(&self, _: &std::path::Path) -> String { String::new() } pub fn end(self) {} }
