//! Where this user's files lie: home, configuration, runtime and scratch directories. Environment
//! is read here and nowhere else in this crate.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A directory that can't be trusted with private files.
#[derive(Debug)]
pub struct Unsafe {
    pub path: PathBuf,
    pub why: String,
}

impl std::fmt::Display for Unsafe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Unsafe {}

/// The directories of one user, from an environment.
#[derive(Clone, Debug)]
pub struct Dirs {
    pub home: Option<PathBuf>,
    /// Of this product; may not exist.
    pub config: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR` where it is the user's own.
    pub runtime: Option<PathBuf>,
    pub tmp: PathBuf,
    pub uid: u32,
}

impl Dirs {
    pub fn from_env() -> Self {
        Self::read(&|name| std::env::var_os(name).map(PathBuf::from), uid(), &owned_dir)
    }

    /// From any environment; `owned` says whether a directory is there and the user's own.
    pub fn read(var: &dyn Fn(&str) -> Option<PathBuf>, uid: u32, owned: &dyn Fn(&Path, u32) -> bool) -> Self {
        let absolute = |name: &str| var(name).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let config = absolute("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self {
            config: config.map(|dir| dir.join("cua-driver")),
            runtime: absolute("XDG_RUNTIME_DIR").filter(|dir| owned(dir, uid)),
            tmp: absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")),
            home,
            uid,
        }
    }

    /// The directory of sockets and scratch files. It may not exist; `private_dir` makes it.
    pub fn driver(&self) -> PathBuf {
        match &self.runtime {
            Some(runtime) => runtime.join("cua-driver"),
            None => self.tmp.components().collect::<PathBuf>().join(format!("cua-driver-{}", self.uid)),
        }
    }
}

pub fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn owned_dir(path: &Path, uid: u32) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir() && meta.uid() == uid)
}

/// Make a directory that only this user can enter, or prove that the one there is such. Its
/// parents are made too. Never follows a link in the last place.
pub fn private_dir(path: &Path) -> Result<(), Unsafe> {
    let bad = |why: String| Unsafe { path: path.to_owned(), why };
    let made = fs::DirBuilder::new().recursive(false).mode(0o700).create(path);
    let made = match made {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
        }
        other => other,
    };
    if let Err(error) = made
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(bad(format!("can't be made: {error}")));
    }
    let meta = fs::symlink_metadata(path).map_err(|error| bad(error.to_string()))?;
    if !meta.is_dir() {
        return Err(bad("is not a directory".into()));
    }
    if meta.uid() != uid() {
        return Err(bad(format!("belongs to user {}", meta.uid())));
    }
    if meta.mode() & 0o777 != 0o700 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(|error| bad(error.to_string()))?;
    }
    Ok(())
}
