//! Processes as /proc tells of them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// One process at one moment. `start` tells two processes of the same number apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proc {
    pub pid: u32,
    pub parent: u32,
    pub session: u32,
    pub start: u64,
    pub zombie: bool,
    pub comm: String,
}

/// A process that lives or is not yet reaped.
pub fn stat(pid: u32) -> Option<Proc> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: u32, text: &str) -> Option<Proc> {
    // The name is in brackets and may hold brackets and blanks itself.
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let rest: Vec<&str> = text.get(close + 1..)?.split_whitespace().collect();
    Some(Proc {
        pid,
        comm: text.get(open + 1..close)?.to_owned(),
        zombie: matches!(*rest.first()?, "Z" | "X"),
        parent: rest.get(1)?.parse().ok()?,
        session: rest.get(3)?.parse().ok()?,
        start: rest.get(19)?.parse().ok()?,
    })
}

/// It lives: a zombie does not.
pub fn alive(pid: u32) -> bool {
    stat(pid).is_some_and(|p| !p.zombie)
}

/// Every process there is.
pub fn all() -> Vec<Proc> {
    let Ok(dir) = fs::read_dir("/proc") else { return Vec::new() };
    dir.flatten().filter_map(|e| stat(e.file_name().to_str()?.parse().ok()?)).collect()
}

/// The program file; a deleted one by its old name.
pub fn exe(pid: u32) -> Option<PathBuf> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let text = path.to_str()?;
    Some(text.strip_suffix(" (deleted)").map_or_else(|| path.clone(), PathBuf::from))
}

/// Arguments with which it was started.
pub fn args(pid: u32) -> Vec<String> {
    let Ok(bytes) = fs::read(format!("/proc/{pid}/cmdline")) else { return Vec::new() };
    bytes.split(|b| *b == 0).filter(|a| !a.is_empty()).map(|a| String::from_utf8_lossy(a).into_owned()).collect()
}

/// Some variables of the environment with which it was started.
pub fn env(pid: u32, names: &[&str]) -> HashMap<String, String> {
    let Ok(bytes) = fs::read(format!("/proc/{pid}/environ")) else { return HashMap::new() };
    bytes
        .split(|b| *b == 0)
        .filter_map(|v| {
            let v = String::from_utf8_lossy(v);
            let (name, value) = v.split_once('=')?;
            names.contains(&name).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Whether it belongs to this user.
pub fn ours(pid: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(format!("/proc/{pid}")).is_ok_and(|m| m.uid() == rustix::process::getuid().as_raw())
}

/// Whether a library of this name is mapped.
pub fn maps(pid: u32, library: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|m| m.contains(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks() {
        let text = format!("7 (a) (b c) S 1 7 9 0 -1 4194304 {} 4242 0 0", "0 ".repeat(12));
        let p = parse(7, &text).expect("parses");
        assert_eq!((p.comm.as_str(), p.parent, p.session, p.zombie), ("a) (b c", 1, 9, false));
        assert_eq!(p.start, 4242);
    }
}
