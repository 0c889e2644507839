//! The X11 half: windows, pictures, focus and placement over x11rb.
//!
//! Refuses to own: input, trees, processes.

pub mod atoms;
pub mod capture;
pub mod fault;
pub mod focus;
pub mod join;
pub mod link;
pub mod list;
pub mod pixels;
pub mod place;
pub mod prop;
pub mod screens;
pub mod stream;
pub mod track;
