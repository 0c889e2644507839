//! Which toolkit draws a window, told by what its process has mapped. Decides nothing.

use std::collections::HashMap;
use std::fs;

use desktop::Pid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Toolkit {
    Gtk,
    Qt,
    Tk,
    /// Xt and Athena widgets.
    Xt,
    /// A terminal that ignores synthetic events.
    Xterm,
    Chromium,
    /// Firefox and its kin.
    Gecko,
    /// LibreOffice.
    Vcl,
    Java,
    Sdl,
    /// No toolkit that is known, or the process cannot be looked at.
    Other,
}

#[derive(Default)]
pub(super) struct Toolkits {
    /// By process and its start, as pids come again.
    known: HashMap<(Pid, u64), Toolkit>,
}

impl Toolkits {
    pub fn of(&mut self, pid: Option<Pid>) -> Toolkit {
        let Some((pid, birth)) = pid.and_then(|p| Some((p, birth(p)?))) else { return Toolkit::Other };
        if let Some(t) = self.known.get(&(pid, birth)) {
            return *t;
        }
        let exe = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let name = exe.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let toolkit = tell(&name, &fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default());
        if self.known.len() > 256 {
            self.known.clear();
        }
        self.known.insert((pid, birth), toolkit);
        toolkit
    }
}

/// When a process started, in clock ticks of the system.
fn birth(pid: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(19)?.parse().ok()
}

/// What a process with this program and these mappings draws with. What embeds others comes
/// before what it embeds: LibreOffice maps GTK or Qt for its looks, Chromium maps GTK.
fn tell(exe: &str, maps: &str) -> Toolkit {
    const MARKS: &[(&str, Toolkit)] = &[
        ("libvcllo.so", Toolkit::Vcl),
        ("v8_context_snapshot", Toolkit::Chromium),
        ("icudtl.dat", Toolkit::Chromium),
        ("libxul.so", Toolkit::Gecko),
        ("libawt_xawt.so", Toolkit::Java),
        ("libQt5Gui.so", Toolkit::Qt),
        ("libQt6Gui.so", Toolkit::Qt),
        ("libgtk-4.so", Toolkit::Gtk),
        ("libgtk-3.so", Toolkit::Gtk),
        ("libgtk-x11-2", Toolkit::Gtk),
        ("libtk8.", Toolkit::Tk),
        ("libtk9.", Toolkit::Tk),
        ("libtcl9tk", Toolkit::Tk),
        ("libSDL", Toolkit::Sdl),
        ("libXaw", Toolkit::Xt),
        ("libXt.so", Toolkit::Xt),
    ];
    if matches!(exe, "xterm" | "uxterm" | "rxvt" | "urxvt") {
        return Toolkit::Xterm;
    }
    if exe.contains("chrom") || exe.contains("electron") {
        return Toolkit::Chromium;
    }
    MARKS.iter().find(|(mark, _)| maps.contains(mark)).map_or(Toolkit::Other, |(_, t)| *t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_toolkit_counts() {
        for (exe, maps, want) in [
            ("python3.11", "/usr/lib/libgtk-3.so.0.2406.32", Toolkit::Gtk),
            ("soffice.bin", "/usr/lib/libgtk-3.so.0\n/usr/lib/libreoffice/program/libvcllo.so", Toolkit::Vcl),
            ("chromium", "/usr/lib/libgtk-3.so.0", Toolkit::Chromium),
            ("xterm", "/usr/lib/libXaw7.so", Toolkit::Xterm),
            ("xcalc", "/usr/lib/libXaw7.so", Toolkit::Xt),
            ("python3", "/usr/lib/libtk8.6.so", Toolkit::Tk),
            ("python3", "", Toolkit::Other),
        ] {
            assert_eq!(tell(exe, maps), want, "{exe} {maps}");
        }
    }
}
