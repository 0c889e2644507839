//! The `Host` of a real machine.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use desktop::Cancel;
use engine::{Host, PathRefused};
use serde_json::Value;

use crate::{Config, Dirs, Roots, file, paths, private_dir, secrets};

pub struct SystemHost {
    dirs: Dirs,
    config: Config,
}

impl SystemHost {
    pub fn from_env() -> Self {
        Self::new(Dirs::from_env())
    }

    pub fn new(dirs: Dirs) -> Self {
        let config = Config::at(dirs.config.as_deref());
        if let Err(error) = config.read() {
            tracing::warn!(%error, "the configuration is not used");
        }
        Self { dirs, config }
    }

    pub fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    fn configured_roots(&self) -> Vec<PathBuf> {
        let config = self.config();
        let roots = config.get("roots").or_else(|| config.pointer("/paths/roots")).and_then(Value::as_array);
        let home = |text: &str| match text.strip_prefix("~/") {
            Some(rest) => self.dirs.home.as_ref().map(|home| home.join(rest)),
            None => Some(PathBuf::from(text)),
        };
        let roots = roots.into_iter().flatten().filter_map(Value::as_str).filter_map(home);
        roots.filter(|root| root.is_absolute()).collect()
    }

    fn secrets_file(&self) -> Option<PathBuf> {
        std::env::var_os("CUA_DRIVER_SECRETS_FILE")
            .map(PathBuf::from)
            .or_else(|| self.dirs.config.as_ref().map(|dir| dir.join("secrets.json")))
    }
}

impl Host for SystemHost {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn wait(&self, time: Duration, cancel: &Cancel) -> bool {
        cancel.wait(time)
    }

    fn random(&self) -> u64 {
        random()
    }

    fn secret(&self, name: &str) -> Result<Option<String>, String> {
        if let Ok(value) = std::env::var(secrets::variable(name))
            && !value.is_empty()
        {
            return Ok(Some(value));
        }
        if let Some(path) = self.secrets_file()
            && let Some(value) = secrets::from_file(&path, name).map_err(|error| error.to_string())?
        {
            return Ok(Some(value));
        }
        match self.config().pointer("/secrets/command") {
            Some(spec) if !spec.is_null() => secrets::from_command(spec, name).map_err(|error| error.to_string()),
            _ => Ok(None),
        }
    }

    fn resolve(&self, path: &str) -> Result<PathBuf, PathRefused> {
        paths::resolve(path, &Roots::new(&self.dirs, &self.configured_roots()))
    }

    fn config(&self) -> Value {
        self.config.read().unwrap_or_else(|error| {
            tracing::debug!(%error, "the configuration is not used");
            Value::Object(serde_json::Map::new())
        })
    }

    fn keep_config(&self, config: &Value) -> Result<(), String> {
        self.config.write(config).map_err(|error| error.to_string())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        file::write_private(path, bytes).map_err(|error| error.to_string())
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, String> {
        file::read_regular(path, max).map_err(|error| error.to_string())
    }

    fn regular(&self, path: &Path) -> Result<(), String> {
        file::open_regular(path).map(drop).map_err(|error| error.to_string())
    }

    fn scratch(&self) -> PathBuf {
        let dir = self.dirs.driver();
        if let Err(error) = private_dir(&dir).and_then(|()| private_dir(&dir.join("scratch"))) {
            tracing::warn!(%error, "no scratch directory");
        }
        dir.join("scratch")
    }
}

/// A number from the system's generator.
pub fn random() -> u64 {
    let mut bytes = [0u8; 8];
    let got = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty());
    if got != Ok(bytes.len()) {
        // The generator answers any small request at once; a kernel without it still gives a
        // number that no other start has.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        return now.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(40);
    }
    u64::from_ne_bytes(bytes)
}
