//! Surroundings of an engine under test: fake time, counted randomness, secrets from a map,
//! paths inside one temporary directory, configuration in memory.

pub mod table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use desktop::Cancel;
use engine::{Host, PathRefused};
use fake::{Clock, FakeDesktop};
use serde_json::{Value, json};

static NEXT: AtomicU64 = AtomicU64::new(0);

pub struct FakeHost {
    clock: Clock,
    random: AtomicU64,
    secrets: Mutex<HashMap<String, String>>,
    config: Mutex<Value>,
    root: PathBuf,
}

impl FakeHost {
    /// Surroundings that share the desktop's clock.
    pub fn of(desktop: &FakeDesktop) -> Arc<Self> {
        Self::seeded(desktop, 1)
    }

    pub fn seeded(desktop: &FakeDesktop, seed: u64) -> Arc<Self> {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("cua-engine-test-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&root).expect("a temporary directory");
        Arc::new(Self {
            clock: desktop.clock().clone(),
            random: AtomicU64::new(seed),
            secrets: Mutex::default(),
            config: Mutex::new(json!({})),
            root: root.canonicalize().expect("the directory just made"),
        })
    }

    pub fn keep_secret(&self, name: &str, value: &str) {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), value.into());
    }

    /// The one directory that callers may name.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

impl Host for FakeHost {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn wall(&self) -> SystemTime {
        self.clock.wall()
    }

    fn wait(&self, time: Duration, cancel: &Cancel) -> bool {
        self.clock.advance(time);
        cancel.is_cancelled()
    }

    /// splitmix64.
    fn random(&self) -> u64 {
        let mut z = self.random.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn secret(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.secrets.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
    }

    fn resolve(&self, path: &str) -> Result<PathBuf, PathRefused> {
        let given = PathBuf::from(path);
        let outside = given.components().any(|c| c == std::path::Component::ParentDir) || !given.starts_with(&self.root);
        if outside {
            return Err(PathRefused { resolved: given, why: "outside the directory of the test".into() });
        }
        Ok(given)
    }

    fn config(&self) -> Value {
        self.config.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_config(&self, config: &Value) -> Result<(), String> {
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = config.clone();
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(path, bytes).map_err(|e| e.to_string())
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, String> {
        self.regular(path)?;
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        if bytes.len() as u64 > max { Err(format!("larger than {max} bytes")) } else { Ok(bytes) }
    }

    fn regular(&self, path: &Path) -> Result<(), String> {
        let about = std::fs::symlink_metadata(path).map_err(|e| e.to_string())?;
        if about.is_file() { Ok(()) } else { Err("not a regular file".into()) }
    }

    fn scratch(&self) -> PathBuf {
        self.root.clone()
    }
}
