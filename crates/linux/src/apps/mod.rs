//! Applications: naming, listing, launching and ending processes.
//!
//! Refuses to own: windows, beyond asking which there are.

pub mod end;
pub mod entries;
pub mod ident;
pub mod launch;
pub mod procs;
mod resolve;

use std::collections::{HashMap, HashSet};

use desktop::{App, Pid};

use ident::{Hint, Ident, Idents};

/// Running applications: whatever has a window, and what is known to be one by its program.
/// `hints` are what the windows say, `active` is the process that has the keyboard.
pub fn running(idents: &Idents, hints: &HashMap<Pid, Hint>, active: Option<Pid>, display: Option<&str>) -> Vec<App> {
    let mut found: Vec<App> = hints
        .iter()
        .map(|(pid, hint)| app(*pid, &idents.of(pid.0, hint), active == Some(*pid)))
        .collect();
    let installed = idents.installed();
    let programs: HashSet<&str> = installed.iter().filter(|e| !e.hidden).filter_map(|e| e.program()).collect();
    for p in procs::all() {
        let pid = Pid(p.pid);
        // The name is cut at fifteen bytes: enough to pass over most processes unread.
        let known = programs.iter().any(|program| program.as_bytes().starts_with(p.comm.as_bytes()));
        if !known || p.zombie || hints.contains_key(&pid) || !procs::ours(p.pid) || !on(p.pid, display) {
            continue;
        }
        let ident = idents.of(p.pid, &Hint::default());
        // One line for an application: its helpers are not applications of their own.
        if ident.id.is_some() && !found.iter().any(|a| a.id == ident.id) {
            found.push(app(pid, &ident, false));
        }
    }
    found.sort_by(|a, b| (a.name.to_lowercase(), a.pid).cmp(&(b.name.to_lowercase(), b.pid)));
    found
}

/// Whether a process was started for this display.
fn on(pid: u32, display: Option<&str>) -> bool {
    fn plain(name: &str) -> &str {
        name.strip_suffix(".0").unwrap_or(name)
    }
    let theirs = procs::env(pid, &["DISPLAY"]);
    matches!((theirs.get("DISPLAY"), display), (Some(a), Some(b)) if plain(a) == plain(b))
}

fn app(pid: Pid, ident: &Ident, active: bool) -> App {
    App {
        pid: Some(pid),
        name: ident.name.clone(),
        id: ident.id.clone(),
        exe: ident.exe.clone(),
        active,
        launch_path: ident.exe.as_ref().map(|p| p.display().to_string()),
    }
}

/// Installed applications that are not among the running ones.
pub fn installed(idents: &Idents, running: &[App]) -> Vec<App> {
    let up: HashSet<&str> = running.iter().filter_map(|a| a.id.as_deref()).collect();
    let mut found: Vec<App> = idents
        .installed_now()
        .iter()
        .filter(|e| !e.hidden && !up.contains(e.id.as_str()))
        .map(|e| App {
            pid: None,
            name: e.name.clone(),
            id: Some(e.id.clone()),
            exe: e.exec.first().and_then(|p| entries::in_path(p)),
            active: false,
            launch_path: Some(e.file.display().to_string()),
        })
        .collect();
    found.sort_by_key(|a| a.name.to_lowercase());
    found
}
