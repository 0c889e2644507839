//! A child that the kernel ends with its parent.

use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, set_parent_process_death_signal};

/// The child is sent SIGTERM when the thread that starts it ends.
pub fn die_with_parent(command: &mut Command) -> &mut Command {
    // SAFETY: the closure runs between fork and exec; it makes one system call and allocates
    // nothing.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?)) }
}
