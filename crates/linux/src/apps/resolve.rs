//! From what a caller calls an application to a command line.

use std::path::{Path, PathBuf};

use desktop::{DesktopError, Launch, Result};

use super::entries::{self, Entry};

/// What is to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    pub name: String,
    pub id: Option<String>,
    pub argv: Vec<String>,
    pub dir: Option<PathBuf>,
}

/// By desktop id, by name, by the name of a command, or by absolute path.
pub fn resolve(launch: &Launch, installed: &[Entry]) -> Result<Command> {
    let what = launch.what.trim();
    if what.is_empty() {
        return Err(DesktopError::CannotLaunch("no application is named".into()));
    }
    if what.starts_with('/') {
        return by_path(launch, Path::new(what));
    }
    let id = what.strip_suffix(".desktop").unwrap_or(what);
    let shown = || installed.iter().filter(|e| !e.hidden).chain(installed.iter().filter(|e| e.hidden));
    let entry = shown()
        .find(|e| e.id == id)
        .or_else(|| shown().find(|e| e.id.eq_ignore_ascii_case(id)))
        .or_else(|| shown().find(|e| e.name == what))
        .or_else(|| shown().find(|e| e.name.to_lowercase() == what.to_lowercase()))
        // `calculator` for org.gnome.Calculator, where it is the only one.
        .or_else(|| only(shown().filter(|e| last_part(&e.id).eq_ignore_ascii_case(id))));
    if let Some(entry) = entry {
        return by_entry(launch, entry);
    }
    if !what.contains('/')
        && let Some(program) = entries::in_path(what)
    {
        let id = shown().find(|e| e.program() == Some(what)).map(|e| e.id.clone());
        let mut argv = vec![program.display().to_string()];
        argv.extend(launch.args.iter().chain(&launch.urls).cloned());
        return Ok(Command { name: what.to_owned(), id, argv, dir: None });
    }
    Err(DesktopError::CannotLaunch(format!("no application, desktop id or command is called {what:?}")))
}

fn last_part(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}

fn only<'a>(mut found: impl Iterator<Item = &'a Entry>) -> Option<&'a Entry> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn by_path(launch: &Launch, path: &Path) -> Result<Command> {
    if path.extension().is_some_and(|e| e == "desktop") {
        let id = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let entry = entries::read(path, id)
            .ok_or_else(|| DesktopError::CannotLaunch(format!("{} is no desktop entry", path.display())))?;
        return by_entry(launch, &entry);
    }
    if !path.exists() {
        return Err(DesktopError::CannotLaunch(format!("{} does not exist", path.display())));
    }
    if !entries::runs(path) {
        return Err(DesktopError::CannotLaunch(format!("{} is not an executable file", path.display())));
    }
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut argv = vec![path.display().to_string()];
    argv.extend(launch.args.iter().chain(&launch.urls).cloned());
    Ok(Command { name, id: None, argv, dir: None })
}

fn by_entry(launch: &Launch, entry: &Entry) -> Result<Command> {
    let mut argv = expand(entry, &launch.urls);
    argv.extend(launch.args.iter().cloned());
    let program = argv.first().cloned().unwrap_or_default();
    if entries::in_path(&program).is_none() {
        return Err(DesktopError::CannotLaunch(format!("{program} of {} is not installed", entry.id)));
    }
    if entry.terminal {
        let terminal = ["x-terminal-emulator", "xterm"]
            .iter()
            .find_map(|t| entries::in_path(t))
            .ok_or_else(|| DesktopError::CannotLaunch(format!("{} needs a terminal, and none is installed", entry.id)))?;
        argv.splice(0..0, [terminal.display().to_string(), "-e".to_owned()]);
    }
    Ok(Command { name: entry.name.clone(), id: Some(entry.id.clone()), argv, dir: entry.dir.clone() })
}

/// The command line with its field codes filled in.
fn expand(entry: &Entry, urls: &[String]) -> Vec<String> {
    let mut argv = Vec::new();
    let mut taken = urls.is_empty();
    for arg in &entry.exec {
        match arg.as_str() {
            "%F" | "%U" => {
                argv.extend(urls.iter().cloned());
                taken = true;
            }
            "%i" => {}
            _ => {
                if let Some(text) = codes(arg, entry, urls, &mut taken) {
                    argv.push(text);
                }
            }
        }
    }
    if !taken {
        argv.extend(urls.iter().cloned());
    }
    argv
}

/// One argument; `None` when it was a code that stands for nothing here.
fn codes(arg: &str, entry: &Entry, urls: &[String], taken: &mut bool) -> Option<String> {
    let mut out = String::new();
    let mut empty = false;
    let mut chars = arg.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('f' | 'u') => {
                out.push_str(urls.first().map_or("", String::as_str));
                empty = urls.is_empty();
                *taken = true;
            }
            Some('c') => out.push_str(&entry.name),
            Some('k') => out.push_str(&entry.file.display().to_string()),
            Some('%') => out.push('%'),
            // Deprecated and unknown codes stand for nothing.
            _ => empty = true,
        }
    }
    (!(out.is_empty() && empty)).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(exec: &str) -> Entry {
        Entry { id: "ed".into(), name: "Ed".into(), exec: entries::split(exec), ..Entry::default() }
    }

    #[test]
    fn field_codes() {
        let urls = ["a".to_owned(), "b".to_owned()];
        for (exec, urls, want) in [
            ("ed %U", &urls[..], vec!["ed", "a", "b"]),
            ("ed %f --x", &urls[..1], vec!["ed", "a", "--x"]),
            ("ed %u", &[], vec!["ed"]),
            ("ed --name=%c 100%%", &[], vec!["ed", "--name=Ed", "100%"]),
            ("ed", &urls[..1], vec!["ed", "a"]),
            ("ed %i %m -q", &[], vec!["ed", "-q"]),
        ] {
            assert_eq!(expand(&entry(exec), urls), want, "{exec}");
        }
    }

    #[test]
    fn what_does_not_exist_is_said_at_once() {
        for what in ["", "no such thing", "/nowhere/app", "/etc/passwd"] {
            let launch = Launch { what: what.into(), args: vec![], urls: vec![] };
            assert!(matches!(resolve(&launch, &[]), Err(DesktopError::CannotLaunch(_))), "{what}");
        }
    }

    #[test]
    fn ids_names_and_last_parts() {
        let sh = Entry { id: "org.x.Shell".into(), name: "The Shell".into(), ..entry("sh") };
        for what in ["org.x.Shell", "org.x.shell.desktop", "The Shell", "the shell", "shell"] {
            let launch = Launch { what: what.into(), args: vec!["-c".into()], urls: vec![] };
            let got = resolve(&launch, std::slice::from_ref(&sh)).expect(what);
            assert_eq!((got.id.as_deref(), got.argv), (Some("org.x.Shell"), vec!["sh".into(), "-c".into()]));
        }
    }
}
