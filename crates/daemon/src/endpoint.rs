//! Where a daemon listens: one socket for each user and display.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use host::Dirs;

use crate::exit::{Failure, Result};
use crate::server::lock;

/// A socket's path and what made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub socket: PathBuf,
    pub named: Named,
}

/// Who chose the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// `--socket` or `CUA_DRIVER_SOCKET`.
    ByCaller,
    /// User and display.
    ByRule,
}

/// The display of an environment: `DISPLAY`, else `WAYLAND_DISPLAY`, else empty.
pub fn display() -> String {
    display_of(&|name| std::env::var(name).ok())
}

fn display_of(var: &dyn Fn(&str) -> Option<String>) -> String {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).unwrap_or_default()
}

/// A display without the parts that name the same one: screen, `unix`, directories.
pub fn plain(display: &str) -> String {
    let display = display.rsplit('/').next().unwrap_or_default();
    let Some((host, number)) = display.rsplit_once(':') else { return display.to_owned() };
    let number = number.split('.').next().unwrap_or_default();
    format!("{}:{number}", if host == "unix" { "" } else { host })
}

/// File name of the socket of a display.
fn file_name(display: &str) -> String {
    let plain = plain(display);
    let name = match plain.split_once(':') {
        _ if plain.is_empty() => "none".to_owned(),
        Some(("", number)) => format!("x11-{number}"),
        Some((host, number)) => format!("x11-{host}_{number}"),
        None => plain,
    };
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{}.sock", name.chars().map(safe).collect::<String>())
}

/// How to reach a daemon that serves another display: by that display where its socket names one.
pub fn reach(socket: &Path) -> String {
    let name = socket.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    match name.strip_prefix("x11-").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(number) => format!("DISPLAY=:{number} cua-driver …"),
        None => format!("cua-driver … --socket {}", socket.display()),
    }
}

/// Where the daemon of `display` listens.
fn by_rule(dirs: &Dirs, display: &str) -> PathBuf {
    dirs.driver().join(file_name(display))
}

/// For `serve`: the named socket, or the one of this display.
pub fn for_daemon(named: Option<&str>, display: &str) -> Result<Endpoint> {
    match chosen(named)? {
        Some(endpoint) => Ok(endpoint),
        None => Ok(Endpoint { socket: by_rule(&Dirs::from_env(), display), named: Named::ByRule }),
    }
}

/// For a client: the named socket; the one of its display; without a display the only daemon of
/// this user. Several: an error that lists them.
pub fn for_client(named: Option<&str>) -> Result<Endpoint> {
    if let Some(endpoint) = chosen(named)? {
        return Ok(endpoint);
    }
    let dirs = Dirs::from_env();
    let display = display();
    let own = by_rule(&dirs, &display);
    if display.is_empty() {
        let mut living = living(&dirs);
        if living.len() > 1 {
            let row = |path: &PathBuf| format!("  {}   (--socket {})", reach(path), path.display());
            let list: Vec<String> = living.iter().map(row).collect();
            return Err(Failure::failed(format!(
                "this process has no display and {} drivers run; name one:\n{}",
                living.len(),
                list.join("\n")
            )));
        }
        if let Some(socket) = living.pop() {
            return Ok(Endpoint { socket, named: Named::ByRule });
        }
    }
    Ok(Endpoint { socket: own, named: Named::ByRule })
}

/// Sockets of this user whose daemon lives.
pub fn living(dirs: &Dirs) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dirs.driver()) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .filter(|path| lock::holder(&lock::path(path)).is_some())
        .collect();
    found.sort();
    found
}

fn chosen(named: Option<&str>) -> Result<Option<Endpoint>> {
    let named = named.map(PathBuf::from).or_else(|| std::env::var_os("CUA_DRIVER_SOCKET").map(PathBuf::from));
    let Some(path) = named.filter(|path| !path.as_os_str().is_empty()) else { return Ok(None) };
    let socket = absolute(&path)?;
    Ok(Some(Endpoint { socket, named: Named::ByCaller }))
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn sockets_are_where_the_shared_vectors_say() {
        let text = include_str!("../../../proto/endpoint.json");
        let all: Value = serde_json::from_str(text).expect("endpoint.json");
        for vector in all["vectors"].as_array().expect("vectors") {
            let var = |name: &str| vector["env"][name].as_str().map(str::to_owned);
            let uid = u32::try_from(vector["uid"].as_u64().expect("uid")).expect("uid");
            let owned = vector["private_runtime_dir"].as_bool().expect("private_runtime_dir");
            let dirs = Dirs::read(&|name| var(name).map(PathBuf::from), uid, &|_, _| owned);
            assert_eq!(by_rule(&dirs, &display_of(&var)), Path::new(vector["socket"].as_str().expect("socket")));
        }
    }
}
