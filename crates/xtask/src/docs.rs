//! The reference page of the tools.
