//! The kept configuration: one JSON object in one private file.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::file;

const LARGEST: u64 = 1 << 20;

#[derive(Debug)]
pub enum ConfigError {
    /// It is there and is not a JSON object. It is left as it is.
    Broken {
        path: PathBuf,
        why: String,
    },
    /// There is no place for it (no HOME and no XDG_CONFIG_HOME).
    NoPlace,
    Io {
        path: PathBuf,
        error: io::Error,
    },
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Broken { path, why } => {
                write!(f, "{} is not a configuration ({why}); correct it or move it away", path.display())
            }
            Self::NoPlace => f.write_str("there is no place for a configuration: set HOME or XDG_CONFIG_HOME"),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ConfigError {}

/// The configuration of one user.
#[derive(Clone, Debug)]
pub struct Config {
    path: Option<PathBuf>,
}

impl Config {
    /// In this directory, as `config.json`.
    pub fn at(dir: Option<&Path>) -> Self {
        Self { path: dir.map(|dir| dir.join("config.json")) }
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is kept; `{}` where nothing is.
    pub fn read(&self) -> Result<Value, ConfigError> {
        let empty = || Ok(Value::Object(serde_json::Map::new()));
        let Some(path) = &self.path else { return empty() };
        let broken = |why: String| ConfigError::Broken { path: path.clone(), why };
        match file::read_own(path, LARGEST) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(value @ Value::Object(_)) => Ok(value),
                Ok(_) => Err(broken("not a JSON object".into())),
                Err(error) => Err(broken(error.to_string())),
            },
            Err(error) if absent(&error) => empty(),
            Err(error) => Err(ConfigError::Io { path: path.clone(), error }),
        }
    }

    /// Keep this one, unless the one that is there is broken.
    pub fn write(&self, value: &Value) -> Result<(), ConfigError> {
        let path = self.path.as_ref().ok_or(ConfigError::NoPlace)?;
        if let Err(broken @ ConfigError::Broken { .. }) = self.read() {
            return Err(broken);
        }
        let fail = |error: io::Error| ConfigError::Io { path: path.clone(), error };
        if let Some(dir) = path.parent() {
            crate::private_dir(dir).map_err(|error| fail(io::Error::other(error.to_string())))?;
        }
        crate::write_private(path, format!("{value:#}\n").as_bytes()).map_err(fail)
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
