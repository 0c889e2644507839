//! How the program ends: exit codes, and failures with the words for them.

use std::process::ExitCode;

use serde_json::{Value, json};

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

/// An end that is not success, told on standard error; on standard output where JSON is asked for.
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

    /// In the shape of a refusal.
    fn envelope(&self) -> Value {
        let code = match self.exit {
            Exit::Usage => "invalid_arguments",
            Exit::Unreachable => "driver_unreachable",
            Exit::Done | Exit::Failed => "failed",
        };
        json!({"code": code, "message": self.text, "hint": "", "details": null})
    }

    /// Say it; the code to end with.
    pub fn tell(self, json: bool) -> Exit {
        if json {
            out::line(&self.envelope().to_string());
        } else {
            out::error(&format!("cua-driver: {}", self.text));
        }
        self.exit
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::failed(format!("{error:#}"))
    }
}
