//! Picks the desktop of this operating system.
//!
//! Owns: nothing else.

#[cfg(target_os = "linux")]
pub use linux::{Options, input::guard, open};

#[cfg(not(target_os = "linux"))]
compile_error!("cua-driver has a desktop for Linux so far; Windows and macOS are not written yet");
