//! A private X desktop for one test, and windows of real toolkits on it.
//!
//! Owns: every process it starts, and ends them all.
#![allow(dead_code)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::{Ctx, Desktop, DesktopError, Picture, Window};

pub const PYTHON: &str = "/usr/bin/python3";

pub fn ctx() -> Ctx {
    Ctx::lasting(Duration::from_secs(10))
}

/// Wait until it is there; panics when it does not come in time.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(15);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// A process that is ended with its test.
pub struct App(pub Child);

impl App {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Lab {
    pub display: String,
    pub home: std::path::PathBuf,
    pub server: App,
    bus: Option<App>,
    manager: Option<App>,
}

impl Lab {
    pub fn start(manager: &str) -> Self {
        Self::with(manager, &["-screen", "0", "1000x700x24"])
    }

    pub fn with(manager: &str, server: &[&str]) -> Self {
        let (read, write) = rustix::pipe::pipe().expect("a pipe");
        // The child inherits the writing end under its own number.
        rustix::io::fcntl_setfd(&write, rustix::io::FdFlags::empty()).expect("inheritable");
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", &write.as_raw_fd().to_string(), "-nolisten", "tcp", "-noreset"]).args(server);
        let server = App(quiet(&mut command).spawn().expect("Xvfb"));
        drop(write);
        let mut number = String::new();
        BufReader::new(std::fs::File::from(read)).read_line(&mut number).expect("the number of the display");
        let display = format!(":{}", number.trim());
        assert!(display.len() > 1, "Xvfb gave no display");
        let home = std::env::temp_dir().join(format!("cua-linux-test-{}-{}", std::process::id(), number.trim()));
        std::fs::create_dir_all(&home).expect("a home");
        let mut lab = Self { display, home, server, bus: None, manager: None };
        let address = format!("--address={}", lab.bus_address());
        lab.bus = Some(lab.spawn("dbus-daemon", &["--session", "--nofork", "--nopidfile", "--nosyslog", &address]));
        until("the bus", || lab.home.join("bus").exists().then_some(()));
        if manager != "none" {
            lab.manager = Some(lab.manage(manager));
        }
        lab
    }

    fn bus_address(&self) -> String {
        format!("unix:path={}/bus", self.home.display())
    }

    fn manage(&self, manager: &str) -> App {
        let mut words = manager.split(' ');
        let app = self.spawn(words.next().expect("a name"), &words.collect::<Vec<_>>());
        until(manager, || self.tool("xprop", &["-root", "_NET_SUPPORTING_WM_CHECK"]).contains("0x").then_some(()));
        // It says that it is there before it takes windows: it is there when it has taken one.
        let mut asked = Instant::now();
        let mut probe = self.spawn("xmessage", &["probe"]);
        until(manager, || {
            let taken = self.tool("xprop", &["-root", "_NET_CLIENT_LIST"]).contains("0x");
            if !taken && asked.elapsed() > Duration::from_secs(1) {
                asked = Instant::now();
                probe = self.spawn("xmessage", &["probe"]);
            }
            taken.then_some(())
        });
        drop(probe);
        until(manager, || (!self.tool("xprop", &["-root", "_NET_CLIENT_LIST"]).contains("0x")).then_some(()));
        app
    }

    /// End what was started by others on this desktop: services of the bus, detached children.
    fn sweep(&self) {
        let mark = format!("HOME={}", self.home.display());
        let ours = |pid: &u32| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|b| *b == 0).any(|v| v == mark.as_bytes())
        };
        let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        for pid in pids.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok()).filter(ours) {
            if let Some(pid) = rustix::process::Pid::from_raw(pid as i32) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    pub fn end_manager(&mut self) {
        self.manager = None;
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut c = Command::new(program);
        c.args(args)
            .env("DISPLAY", &self.display)
            .env("HOME", &self.home)
            .env("XDG_RUNTIME_DIR", &self.home)
            .env("NO_AT_BRIDGE", "1")
            .env("GTK_A11Y", "none")
            .env("GSETTINGS_BACKEND", "memory")
            .env("GDK_BACKEND", "x11")
            .env("QT_QPA_PLATFORM", "xcb")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("GSK_RENDERER", "cairo")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env("DBUS_SESSION_BUS_ADDRESS", self.bus_address());
        c
    }

    pub fn spawn(&self, program: &str, args: &[&str]) -> App {
        App(quiet(&mut self.command(program, args)).spawn().unwrap_or_else(|e| panic!("{program}: {e}")))
    }

    /// A process whose standard output is read by the test.
    pub fn piped(&self, program: &str, args: &[&str]) -> App {
        App(quiet(&mut self.command(program, args)).stdout(Stdio::piped()).spawn().expect("starts"))
    }

    pub fn tool(&self, program: &str, args: &[&str]) -> String {
        let out = self.command(program, args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    pub fn open(&self) -> Arc<dyn Desktop> {
        linux::open(linux::Options { display: Some(self.display.clone()), guardian: None })
    }

    /// One window of a toolkit, filled with one colour.
    pub fn window(&self, kit: &str, title: &str, colour: &str, place: &str) -> App {
        self.spawn_with(kit, title, colour, place, ("CUA_TEST", "1"))
    }

    pub fn spawn_with(&self, kit: &str, title: &str, colour: &str, place: &str, env: (&str, &str)) -> App {
        let args = script(kit, title, colour, place);
        let mut command = self.command(PYTHON, &args);
        App(quiet(command.env(env.0, env.1)).spawn().expect("python3"))
    }
}

/// What `PYTHON` runs to show one window.
pub fn script<'a>(kit: &str, title: &'a str, colour: &'a str, place: &'a str) -> [&'a str; 5] {
    let script = match kit {
        "gtk3" => GTK3,
        "tk" => TK,
        "qt5" => QT5,
        other => panic!("no toolkit {other}"),
    };
    ["-c", script, title, colour, place]
}

impl Drop for Lab {
    fn drop(&mut self) {
        // Whoever still runs would write there again.
        self.manager = None;
        self.bus = None;
        self.sweep();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// The listed window of this title, once it is shown.
pub fn titled(d: &dyn Desktop, title: &str) -> Window {
    until(title, || d.windows(&ctx()).expect("a list").into_iter().find(|w| w.title == title && w.on_screen))
}

/// The colour of one pixel, as rgb.
pub fn pixel(p: &Picture, x: u32, y: u32) -> u32 {
    let at = (y * p.size.w + x) as usize * 4;
    let [b, g, r] = [p.bgrx[at], p.bgrx[at + 1], p.bgrx[at + 2]];
    u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b)
}

/// Whether every pixel has this colour.
pub fn all(p: &Picture, rgb: u32) -> bool {
    let want = [rgb as u8, (rgb >> 8) as u8, (rgb >> 16) as u8];
    p.bgrx.chunks_exact(4).all(|c| c[..3] == want)
}

pub fn no_display<T: std::fmt::Debug>(r: desktop::Result<T>) {
    assert!(matches!(r, Err(DesktopError::NoDisplay(_))), "{r:?}");
}

pub fn read_all(app: &mut App) -> String {
    let mut out = String::new();
    app.0.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    out
}

pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

const GTK3: &str = r#"
import sys, gi
gi.require_version('Gtk', '3.0')
from gi.repository import Gtk
title, colour, place = sys.argv[1:4]
w, h, x, y = map(int, place.split(','))
win = Gtk.Window(title=title)
area = Gtk.EventBox()
css = Gtk.CssProvider(); css.load_from_data(f'* {{ background: {colour}; }}'.encode())
area.get_style_context().add_provider(css, 800)
menu = Gtk.Menu()
for label in ('One', 'Two'):
    menu.append(Gtk.MenuItem(label=label))
menu.show_all()
area.connect('button-press-event', lambda a, e: menu.popup_at_pointer(e) or True)
win.add(area); win.set_default_size(w, h); win.move(x, y); win.show_all()
win.connect('destroy', Gtk.main_quit)
Gtk.main()
"#;

const TK: &str = r#"
import sys, tkinter as tk
title, colour, place = sys.argv[1:4]
w, h, x, y = place.split(',')
root = tk.Tk(); root.title(title); root.geometry(f'{w}x{h}+{x}+{y}')
f = tk.Frame(root, bg=colour); f.pack(fill='both', expand=True)
m = tk.Menu(root, tearoff=0)
for label in ('One', 'Two'): m.add_command(label=label)
f.bind('<Button-1>', lambda e: m.tk_popup(e.x_root, e.y_root))
root.mainloop()
"#;

const QT5: &str = r#"
import sys
from PyQt5 import QtWidgets, QtGui
title, colour, place = sys.argv[1:4]
w, h, x, y = map(int, place.split(','))
app = QtWidgets.QApplication(sys.argv[:1])
class Win(QtWidgets.QWidget):
    def paintEvent(self, e):
        QtGui.QPainter(self).fillRect(self.rect(), QtGui.QColor(colour))
    def mousePressEvent(self, e):
        self.menu = QtWidgets.QMenu(self); self.menu.addAction('One'); self.menu.addAction('Two')
        self.menu.popup(e.globalPos())
win = Win(); win.setWindowTitle(title); win.setGeometry(x, y, w, h); win.show()
sys.exit(app.exec_())
"#;
