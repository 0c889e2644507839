//! How the program ends: exit codes, and failures with the words for them.

use std::process::ExitCode;

use crate::out;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// Refused or failed.
    Failed,
    /// Wrong command line.
    Usage,
    /// No driver to talk to.
    Unreachable,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
        })
    }
}

/// An end that is not success, told on standard error.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub text: String,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub fn usage(text: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, text: text.into() }
    }

    pub fn failed(text: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, text: text.into() }
    }

    pub fn unreachable(text: impl Into<String>) -> Self {
        Self { exit: Exit::Unreachable, text: text.into() }
    }

    /// Say it; the code to end with.
    pub fn tell(self) -> Exit {
        out::error(&format!("cua-driver: {}", self.text));
        self.exit
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::failed(format!("{error:#}"))
    }
}
