//! Which paths a caller may name: where a path really lies, and whether the driver writes or
//! reads there on a caller's word.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use engine::PathRefused;

use crate::Dirs;

const LINKS: usize = 40;

/// Never, whatever root lies inside.
const NEVER: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr",
    "/System", "/Library",
];
/// Only where a root lies deeper inside.
const SYSTEM: &[&str] = &["/run", "/var", "/private/var"];

/// Where a caller's paths may lie.
#[derive(Clone, Debug)]
pub struct Roots {
    home: Option<PathBuf>,
    /// Resolved directories; a path must be strictly inside one.
    places: Vec<PathBuf>,
    /// Those of them that everybody can write to.
    shared: Vec<PathBuf>,
    uid: u32,
}

impl Roots {
    /// Home, temporary and runtime directories, and the roots named in the configuration.
    pub fn new(dirs: &Dirs, configured: &[PathBuf]) -> Self {
        let real = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.parent().is_some());
        let shared: Vec<PathBuf> =
            [dirs.tmp.as_path(), Path::new("/tmp"), Path::new("/var/tmp")].into_iter().filter_map(real).collect();
        let mut places = shared.clone();
        let own = dirs.home.iter().chain(&dirs.runtime).chain(configured);
        places.extend(own.filter_map(|path| real(path)));
        Self { home: dirs.home.clone(), places, shared, uid: dirs.uid }
    }
}

/// Where `path` really lies, when a caller may name it: absolute or `~/`; links among its
/// ancestors followed when they are root's or the user's own; never a link in the last place;
/// strictly inside a root and outside system directories. It need not exist.
pub fn resolve(path: &str, roots: &Roots) -> Result<PathBuf, PathRefused> {
    let named = absolute(path, roots)?;
    let real = walk(&named, roots)?;
    let refuse = |why: &str| Err(PathRefused { resolved: real.clone(), why: why.into() });
    let system = |list: &[&str]| list.iter().map(Path::new).find(|dir| real.starts_with(dir)).map(Path::to_owned);
    if system(NEVER).is_some() {
        return refuse("it lies in a system directory");
    }
    let inside: Vec<&PathBuf> = roots.places.iter().filter(|root| real.starts_with(root)).collect();
    if inside.is_empty() {
        return refuse("it lies outside the home, the temporary and runtime directories and the configured roots");
    }
    if inside.iter().all(|root| real == **root) {
        return refuse("it is the root directory itself; name something inside it");
    }
    if let Some(dir) = system(SYSTEM)
        && !inside.iter().any(|root| root.starts_with(&dir) && **root != dir)
    {
        return refuse("it lies in a system directory");
    }
    Ok(real)
}

fn absolute(path: &str, roots: &Roots) -> Result<PathBuf, PathRefused> {
    let refuse = |why: &str| PathRefused { resolved: PathBuf::from(path), why: why.into() };
    if path.contains('\0') {
        return Err(refuse("it holds a NUL character"));
    }
    if let Some(rest) = path.strip_prefix("~/") {
        let home = roots.home.as_ref().ok_or_else(|| refuse("there is no home directory"))?;
        return Ok(home.join(rest.trim_start_matches('/')));
    }
    if !path.starts_with('/') {
        return Err(refuse("it is relative; name it from / or ~/"));
    }
    Ok(PathBuf::from(path))
}

/// Follow a path component by component.
fn walk(named: &Path, roots: &Roots) -> Result<PathBuf, PathRefused> {
    let mut todo: VecDeque<OsString> = VecDeque::new();
    push_front(&mut todo, named);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    // Set where the rest does not exist yet.
    let mut new = false;
    while let Some(name) = todo.pop_front() {
        let refuse = |why: String| PathRefused { resolved: real.join(&name), why };
        if name == OsStr::new("..") {
            if new {
                return Err(refuse("`..` after a directory that does not exist".into()));
            }
            real.pop();
            continue;
        }
        let next = real.join(&name);
        if new {
            real = next;
            continue;
        }
        let last = todo.is_empty();
        match fs::symlink_metadata(&next) {
            Ok(meta) if meta.is_symlink() => {
                if last {
                    return Err(refuse("it is a link".into()));
                }
                if meta.uid() != 0 && meta.uid() != roots.uid {
                    return Err(refuse("a link of another user leads there".into()));
                }
                links += 1;
                let target = fs::read_link(&next).map_err(|error| refuse(error.to_string()))?;
                if links > LINKS {
                    return Err(refuse("too many links".into()));
                }
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                push_front(&mut todo, &target);
            }
            Ok(meta) if !last && !meta.is_dir() => return Err(refuse("it is not a directory".into())),
            Ok(meta) => {
                let foreign = meta.uid() != 0 && meta.uid() != roots.uid;
                if foreign && roots.shared.contains(&real) {
                    return Err(refuse("it belongs to another user".into()));
                }
                real = next;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                new = true;
                real = next;
            }
            Err(error) => return Err(refuse(error.to_string())),
        }
    }
    Ok(real)
}

fn push_front(todo: &mut VecDeque<OsString>, path: &Path) {
    for part in path.components().rev() {
        match part {
            Component::Normal(name) => todo.push_front(name.to_owned()),
            Component::ParentDir => todo.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}
