
#[cfg(target_os = "linux")]
pub mod atspi;
