//! Applications that are installed: desktop entries in the XDG directories.

use std::collections::{HashMap, HashSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// One desktop entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// File name below `applications`, without `.desktop`, `/` as `-`.
    pub id: String,
    pub name: String,
    /// The command line, with its field codes.
    pub exec: Vec<String>,
    pub class: Option<String>,
    pub dir: Option<PathBuf>,
    pub terminal: bool,
    /// Not meant to be listed to people.
    pub hidden: bool,
    pub file: PathBuf,
}

impl Entry {
    /// The file name of its program.
    pub fn program(&self) -> Option<&str> {
        let first = self.exec.iter().find(|a| *a != "env" && !a.contains('='))?;
        Path::new(first).file_name()?.to_str()
    }
}

/// Every entry; the one of an earlier directory hides those of the same id in later ones.
pub fn all() -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut seen = HashSet::new();
    for dir in dirs() {
        let mut files = Vec::new();
        walk(&dir, &dir, 0, &mut files);
        for (id, file) in files {
            if seen.insert(id.clone()) {
                found.extend(read(&file, &id));
            }
        }
    }
    found
}

fn dirs() -> Vec<PathBuf> {
    let set = |name: &str| env::var(name).ok().filter(|v| !v.is_empty());
    let home = set("XDG_DATA_HOME").map(PathBuf::from).or_else(|| Some(Path::new(&set("HOME")?).join(".local/share")));
    let system = set("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    home.into_iter().chain(system.split(':').map(PathBuf::from)).map(|d| d.join("applications")).collect()
}

fn walk(root: &Path, dir: &Path, depth: usize, files: &mut Vec<(String, PathBuf)>) {
    let Ok(listed) = fs::read_dir(dir) else { return };
    for entry in listed.flatten() {
        let path = entry.path();
        if path.is_dir() && depth < 4 {
            walk(root, &path, depth + 1, files);
        } else if path.extension().is_some_and(|e| e == "desktop")
            && let Some(id) = path.strip_prefix(root).ok().and_then(Path::to_str)
        {
            files.push((id.trim_end_matches(".desktop").replace('/', "-"), path));
        }
    }
}

/// The entry in a file. `None` where it is no application or is switched off.
pub fn read(file: &Path, id: &str) -> Option<Entry> {
    // A pipe or a device in its place would never end.
    fs::metadata(file).ok().filter(|meta| meta.is_file() && meta.len() < 1 << 20)?;
    let text = fs::read_to_string(file).ok()?;
    parse(&text, file, id)
}

fn parse(text: &str, file: &Path, id: &str) -> Option<Entry> {
    let mut keys = HashMap::new();
    let lines = text.lines().skip_while(|l| l.trim() != "[Desktop Entry]").skip(1).take_while(|l| !l.starts_with('['));
    for line in lines {
        if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            keys.insert(key.trim(), unescape(value.trim()));
        }
    }
    let on = |key| keys.get(key).is_some_and(|v| v == "true");
    let set = |key: &str| keys.get(key).filter(|v| !v.is_empty()).cloned();
    if keys.get("Type").is_some_and(|t| t != "Application") || on("Hidden") {
        return None;
    }
    if set("TryExec").is_some_and(|program| in_path(&program).is_none()) {
        return None;
    }
    Some(Entry {
        id: id.to_owned(),
        name: set("Name")?,
        exec: split(&set("Exec")?),
        class: set("StartupWMClass"),
        dir: set("Path").map(PathBuf::from),
        terminal: on("Terminal"),
        hidden: on("NoDisplay"),
        file: file.to_owned(),
    })
}

fn unescape(value: &str) -> String {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('s') => out.push(' '),
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('\\') => out.push('\\'),
                // Not an escape of values; of quoted arguments it may be one.
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

/// A command line into arguments, by the quoting of desktop entries.
pub fn split(line: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut arg: Option<String> = None;
    let mut quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                arg.get_or_insert_default();
            }
            '\\' if quoted => arg.get_or_insert_default().extend(chars.next()),
            ' ' | '\t' | '\n' if !quoted => args.extend(arg.take()),
            c => arg.get_or_insert_default().push(c),
        }
    }
    args.extend(arg);
    args
}

/// The program file that a name or path stands for.
pub fn in_path(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|p| runs(p));
    }
    env::split_paths(&env::var_os("PATH")?).map(|d| d.join(program)).find(|p| runs(p))
}

/// Whether it is a file that may be executed.
pub fn runs(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_arguments() {
        for (line, want) in [
            ("a b", vec!["a", "b"]),
            (r#""a b" c"#, vec!["a b", "c"]),
            (r#"x "q\"q" """#, vec!["x", "q\"q", ""]),
            ("  a   b ", vec!["a", "b"]),
        ] {
            assert_eq!(split(line), want, "{line}");
        }
    }

    #[test]
    fn an_entry_and_what_is_none() {
        let text = "[Desktop Entry]\nType=Application\nName=Text Editor\nExec=env A=1 /usr/bin/ed %U\nStartupWMClass=Ed\n[Desktop Action new]\nName=Other\n";
        let e = parse(text, Path::new("/x/ed.desktop"), "ed").expect("an entry");
        assert_eq!((e.name.as_str(), e.program(), e.class.as_deref()), ("Text Editor", Some("ed"), Some("Ed")));
        assert!(parse(&text.replace("Application", "Link"), Path::new("/x"), "x").is_none());
        assert!(parse("[Desktop Entry]\nName=No command\n", Path::new("/x"), "x").is_none());
    }
}
