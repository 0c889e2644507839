//! Windows that print what reaches them, a person at the same desktop, and what the server says.

use std::io::{BufRead as _, BufReader};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desktop::{Act, Button, Ctx, Desktop, Modifier, Place, Placement, Point, Route, Window, WindowId};

use crate::common::{App, Lab, ctx, titled, until};

/// A desktop whose guardian is this very program.
pub fn guarded(lab: &Lab) -> Arc<dyn Desktop> {
    let own = std::env::current_exe().expect("own path");
    linux::open(linux::Options { display: Some(lab.display.clone()), guardian: Some(vec![own.into(), "guard".into()]) })
}

/// A field (and, but for the terminal, a canvas above it) that prints what it receives.
pub struct Kit {
    pub kit: String,
    pub window: Window,
    app: App,
    heard: Arc<Mutex<Vec<String>>>,
    /// Where a terminal writes what is typed into it.
    typed: Option<std::path::PathBuf>,
}

impl Kit {
    pub fn start(lab: &Lab, d: &dyn Desktop, kit: &str, title: &str) -> Self {
        Self::at(lab, d, kit, title, "60,60")
    }

    fn at(lab: &Lab, d: &dyn Desktop, kit: &str, title: &str, place: &str) -> Self {
        let file = lab.home.join(format!("typed-{title}"));
        for old in [file.clone(), file.with_extension("up")] {
            let _ = std::fs::remove_file(old);
        }
        let mut app = match kit {
            "xterm" => {
                let run = "stty -ixon -icanon -echo; echo ready > \"$0.up\"; exec cat > \"$0\"";
                let file = file.to_string_lossy();
                lab.piped("env", &["LC_ALL=C.UTF-8", "xterm", "-u8", "-T", title, "-geometry", "60x10+60+60", "-e", "sh", "-c", run, &file])
            }
            kit => {
                let script = match kit {
                    "gtk3" => include_str!("gtk3.py"),
                    "tk" => include_str!("tk.py"),
                    "qt5" => include_str!("qt5.py"),
                    other => panic!("no kit {other}"),
                };
                lab.piped("/usr/bin/python3", &["-u", "-c", script, title, place])
            }
        };
        let out = app.0.stdout.take().expect("piped");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let tell = heard.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                tell.lock().expect("whole").push(line);
            }
        });
        let window = titled(d, title);
        let typed = (kit == "xterm").then(|| file.clone());
        let me = Self { kit: kit.into(), window, app, heard, typed };
        until(&format!("{kit} to be ready"), || (me.lines("ready") > 0 || file.with_extension("up").exists()).then_some(()));
        let window = d.window(&ctx(), me.window.id).expect("it lives");
        Self { window, ..me }
    }

    pub fn signal(&self, name: &str) {
        let signal = if name == "STOP" { rustix::process::Signal::STOP } else { rustix::process::Signal::CONT };
        let pid = rustix::process::Pid::from_raw(self.app.pid() as i32).expect("a pid");
        rustix::process::kill_process(pid, signal).expect("signalled");
    }

    fn with<T>(&self, look: impl FnOnce(&[String]) -> T) -> T {
        look(&self.heard.lock().expect("whole"))
    }

    /// What the field holds.
    pub fn text(&self) -> String {
        if let Some(file) = &self.typed {
            return String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned();
        }
        self.with(|l| l.iter().rev().find_map(|l| l.strip_prefix("text ")).unwrap_or_default().to_owned())
    }

    pub fn until_text(&self, want: &str) {
        let end = std::time::Instant::now() + Duration::from_secs(15);
        while self.text() != want && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(15));
        }
        assert_eq!(self.text(), want, "{}", self.kit);
    }

    pub fn lines(&self, start: &str) -> usize {
        self.with(|l| l.iter().filter(|l| l.starts_with(start)).count())
    }

    pub fn count(&self, line: &str) -> usize {
        self.with(|l| l.iter().filter(|l| *l == line).count())
    }

    pub fn until_line(&self, start: &str) {
        until(&format!("{:?} in {}", start, self.kit), || (self.lines(start) > 0).then_some(()));
    }
}

/// Somebody's own window with the keyboard in it, and the pointer at rest.
pub fn person(lab: &Lab, d: &dyn Desktop) -> Kit {
    let kit = Kit::at(lab, d, "gtk3", "Person", "560,420");
    d.place(&ctx(), kit.window.id, Placement::Activate).unwrap_or_else(|e| panic!("the person: {e}"));
    lab.tool("xdotool", &["mousemove", "620", "520"]);
    std::thread::sleep(Duration::from_millis(200));
    kit
}

/// What must be as it was.
#[derive(Debug, PartialEq)]
pub struct State {
    pub pointer: String,
    pub focus: String,
    pub active: String,
    pub stack: String,
    /// Modifiers that are down or locked.
    pub modifiers: u16,
    pub keys: Vec<u8>,
}

pub fn state(lab: &Lab) -> State {
    use x11rb::connection::Connection as _;
    use x11rb::protocol::xproto::ConnectionExt as _;
    let (conn, screen) = x11rb::connect(Some(&lab.display)).expect("the display");
    let root = conn.setup().roots[screen].root;
    let p = conn.query_pointer(root).expect("asked").reply().expect("told");
    let focus = conn.get_input_focus().expect("asked").reply().expect("told").focus;
    let keys = conn.query_keymap().expect("asked").reply().expect("told").keys;
    let down = (0..=255u8).filter(|c| keys[usize::from(c / 8)] >> (c % 8) & 1 == 1).collect();
    State {
        pointer: format!("{},{}", p.root_x, p.root_y),
        focus: focus.to_string(),
        active: lab.tool("xprop", &["-root", "_NET_ACTIVE_WINDOW"]),
        stack: lab.tool("xprop", &["-root", "_NET_CLIENT_LIST_STACKING"]),
        modifiers: u16::from(p.mask) & 0xff,
        keys: down,
    }
}

/// The whole keyboard map of the server, as text.
pub fn keymap(lab: &Lab) -> String {
    let compiled = lab.tool("xkbcomp", &["-w0", &lab.display, "-"]);
    assert!(compiled.len() > 1000, "no keymap");
    compiled + &lab.tool("xmodmap", &["-pke"])
}

/// Keys and buttons of any device that are down.
pub fn held(lab: &Lab) -> Vec<String> {
    let ids = lab.tool("xinput", &["list", "--id-only"]);
    let ids = ids.split_whitespace().map(|w| w.chars().filter(char::is_ascii_digit).collect::<String>());
    let states = ids.map(|id| (lab.tool("xinput", &["query-state", &id]), id));
    states.flat_map(|(s, id)| s.lines().filter(|l| l.contains("=down")).map(|l| format!("{id} {}", l.trim())).collect::<Vec<_>>()).collect()
}

/// A driver of its own process, to be killed: `hold|type seat|global WINDOW`.
pub fn drive(args: &[String]) {
    let [what, route, window] = args else { panic!("hold|type seat|global WINDOW") };
    let own = std::env::current_exe().expect("own path");
    let display = std::env::var("DISPLAY").expect("a display");
    let d = linux::open(linux::Options { display: Some(display), guardian: Some(vec![own.into(), "guard".into()]) });
    let route = if route == "seat" { Route::SecondSeat } else { Route::Global };
    let window = WindowId(window.parse().expect("a number"));
    let long = Ctx::lasting(Duration::from_secs(60));
    if what == "hold" {
        let at = Place::Window(window, Point::new(40, 30));
        d.perform(&long, &Act::Press { button: Button::Left, at }, route).expect("pressed");
        let modifiers = [Modifier::Shift, Modifier::Control].into_iter().collect();
        d.perform(&long, &Act::HoldModifiers { modifiers, window: Some(window) }, route).expect("held");
    } else {
        d.perform(&long, &Act::Text { text: "QWERTY日本語".repeat(2000), window: Some(window) }, route).expect("typed");
    }
    std::thread::sleep(Duration::from_secs(60));
}
