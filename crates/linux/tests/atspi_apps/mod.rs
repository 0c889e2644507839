//! Applications with accessibility on a desktop of their own.
//!
//! Owns: the accessibility bus of that desktop and the applications on it.
#![allow(dead_code)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desktop::{Act, Ctx, Desktop, Limits, Node, NodeKey, Tree, Window};
use linux::atspi::{Atspi, Surroundings};

use crate::common::{App, Lab, ctx, titled, until};

pub struct Stage {
    launcher: Option<App>,
    pub a11y: Atspi,
    pub desk: Arc<dyn Desktop>,
    pub lab: Lab,
}

/// An application that prints what happens to it.
pub struct Shown {
    pub app: App,
    lines: Mutex<(Receiver<String>, Vec<String>)>,
}

impl Stage {
    pub fn start() -> Self {
        let mut stage = Self::without_bus();
        stage.launch();
        stage
    }

    /// The session bus is there, the accessibility bus is not.
    pub fn without_bus() -> Self {
        let lab = Lab::start("openbox --sm-disable");
        let desk = lab.open();
        let bus = format!("unix:path={}/bus", lab.home.display());
        let a11y = Atspi::start_in(Surroundings { session_bus: Some(bus), ..Surroundings::default() });
        Self { launcher: None, a11y, desk, lab }
    }

    pub fn launch(&mut self) {
        let args = ["--launch-immediately", "--a11y=1", "--screen-reader=0"];
        self.launcher = Some(self.lab.spawn("/usr/libexec/at-spi-bus-launcher", &args));
        until("the accessibility bus", || {
            let said = self.lab.tool(
                "dbus-send",
                &[
                    "--session",
                    "--print-reply",
                    "--dest=org.freedesktop.DBus",
                    "/",
                    "org.freedesktop.DBus.NameHasOwner",
                    "string:org.a11y.Bus",
                ],
            );
            said.contains("true").then_some(())
        });
    }

    pub fn app(&self, program: &str, args: &[&str]) -> Shown {
        let mut command = Command::new(program);
        command
            .args(args)
            .env("DISPLAY", &self.lab.display)
            .env("HOME", &self.lab.home)
            .env("XDG_RUNTIME_DIR", &self.lab.home)
            .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}/bus", self.lab.home.display()))
            .env("GTK_A11Y", "atspi")
            .env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
            .env("GSETTINGS_BACKEND", "memory")
            .env("GDK_BACKEND", "x11")
            .env("QT_QPA_PLATFORM", "xcb")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("GSK_RENDERER", "cairo");
        for v in ["WAYLAND_DISPLAY", "XAUTHORITY", "NO_AT_BRIDGE", "AT_SPI_BUS_ADDRESS", "GTK_MODULES"] {
            command.env_remove(v);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut app = App(command.spawn().unwrap_or_else(|e| panic!("{program}: {e}")));
        let out = BufReader::new(app.0.stdout.take().expect("piped"));
        let (tell, lines) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).for_each(|l| drop(tell.send(l))));
        Shown { app, lines: Mutex::new((lines, Vec::new())) }
    }

    /// The form of `forms.py` in one toolkit.
    pub fn form(&self, kit: &str, what: &str) -> Shown {
        let script = match kit {
            "gtk3" => include_str!("gtk3.py"),
            "gtk4" => include_str!("gtk4.py"),
            "qt5" => include_str!("qt5.py"),
            other => panic!("no toolkit {other}"),
        };
        self.app("/usr/bin/python3", &["-u", "-c", script, what])
    }

    /// Chromium with this page and nothing else.
    pub fn browser(&self, page: &str, flags: &[&str]) -> Shown {
        let file = self.lab.home.join("page.html");
        std::fs::write(&file, page).expect("a page");
        let data = format!("--user-data-dir={}", self.lab.home.join("profile").display());
        let app = format!("--app=file://{}", file.display());
        let common = [
            "--no-sandbox",
            "--test-type",
            "--no-first-run",
            "--disable-gpu",
            "--password-store=basic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=700,500",
            &data,
            &app,
        ];
        self.app("chromium", &[flags, &common].concat())
    }

    pub fn window(&self, title: &str) -> Window {
        titled(&*self.desk, title)
    }

    /// The tree of the window of this title, once its object is there.
    pub fn tree(&self, title: &str) -> Tree {
        let w = self.window(title);
        until(&format!("a tree of {title}"), || {
            let tree = self.a11y.tree(&ctx(), &w, &Limits::default()).expect("a tree");
            tree.empty.is_none().then_some(tree)
        })
    }

    pub fn node(&self, title: &str, name: &str) -> Node {
        let tree = self.tree(title);
        find(&tree, name).clone()
    }

    pub fn act(&self, act: &Act) {
        let done = self.a11y.perform(&Ctx::lasting(Duration::from_secs(4)), act);
        assert!(done.is_ok(), "{act:?}: {done:?}");
    }

    /// Do an action by the first of these names that the object has.
    pub fn invoke(&self, node: &Node, names: &[&str]) {
        let action = node.actions.iter().find(|a| names.contains(&a.as_str()));
        let action = action.unwrap_or_else(|| panic!("none of {names:?} in {:?}", node.actions)).clone();
        self.act(&Act::Invoke { node: node.key.clone(), action });
    }

    pub fn read(&self, key: &NodeKey) -> Node {
        self.a11y.read(&ctx(), None, key).expect("it is there")
    }
}

pub fn find<'a>(tree: &'a Tree, name: &str) -> &'a Node {
    let named: Vec<&Node> = tree.nodes.iter().filter(|n| n.name == name).collect();
    // A GTK 4 button has a label of the same name inside.
    named
        .first()
        .copied()
        .unwrap_or_else(|| panic!("no {name:?} among {:?}", tree.nodes.iter().map(|n| &n.name).collect::<Vec<_>>()))
}

impl Shown {
    /// Hand it a line.
    pub fn hears(&self, line: &str) {
        let mut to = self.app.0.stdin.as_ref().expect("piped");
        writeln!(to, "{line}").and_then(|()| to.flush()).expect("it reads");
    }

    /// Forget what it said so far.
    pub fn forget(&self) {
        let mut lines = self.lines.lock().expect("lines");
        lines.0.try_iter().for_each(drop);
        lines.1.clear();
    }

    /// Wait for a line that the application prints.
    pub fn says(&self, line: &str) {
        until(&format!("{line:?}"), || {
            let mut lines = self.lines.lock().expect("lines");
            let new: Vec<String> = lines.0.try_iter().collect();
            lines.1.extend(new);
            lines.1.iter().any(|l| l == line).then_some(())
        });
    }

    /// Wait for a line that begins like this; what follows.
    pub fn tells(&self, start: &str) -> String {
        until(&format!("{start:?}"), || {
            let mut lines = self.lines.lock().expect("lines");
            let new: Vec<String> = lines.0.try_iter().collect();
            lines.1.extend(new);
            lines.1.iter().find_map(|l| l.strip_prefix(start).map(str::to_owned))
        })
    }

    pub fn said(&self, line: &str) -> bool {
        let mut lines = self.lines.lock().expect("lines");
        let new: Vec<String> = lines.0.try_iter().collect();
        lines.1.extend(new);
        lines.1.iter().any(|l| l == line)
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.app.0);
        rustix::process::kill_process(pid, signal).expect("it lives");
    }
}
