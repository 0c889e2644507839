//! Applications: naming, listing, launching and ending processes.
//!
//! Refuses to own: windows, beyond asking which there are.

pub mod entries;
pub mod ident;
pub mod procs;
