//! The parts of a virtual display, each started and waited for within a bound.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::sys::die_with_parent;
use super::{Size, auth, program};

const BOUND: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(15);

/// What is being brought up.
pub struct Parts {
    dir: PathBuf,
    pub set: Vec<(String, String)>,
    pub notes: Vec<String>,
    pub children: Vec<Child>,
    cookie: [u8; 16],
}

/// Variables that would lead out of the display, or switch accessibility off.
pub const UNSET: &[&str] = &[
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "SWAYSOCK",
    "AT_SPI_BUS_ADDRESS",
    "NO_AT_BRIDGE",
    "GTK_MODULES",
    "DESKTOP_SESSION",
];

/// Variables of everything in the display: X11 only, drawn by software, accessible.
const FIXED: &[(&str, &str)] = &[
    ("XDG_SESSION_TYPE", "x11"),
    ("GDK_BACKEND", "x11"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("GSETTINGS_BACKEND", "memory"),
    ("GTK_A11Y", "atspi"),
    ("QT_ACCESSIBILITY", "1"),
    ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
    ("ACCESSIBILITY_ENABLED", "1"),
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    ("GSK_RENDERER", "cairo"),
];

impl Parts {
    pub fn new(dir: &Path, mark: (&str, &str)) -> Self {
        let mut set: Vec<(String, String)> = FIXED.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        set.push((mark.0.into(), mark.1.into()));
        Self { dir: dir.to_owned(), set, notes: Vec::new(), children: Vec::new(), cookie: auth::cookie() }
    }

    /// All of them. Without an X server there is nothing; what else is missing becomes a note.
    pub fn start(&mut self, size: Size) -> Result<()> {
        self.x_server(size)?;
        match self.session_bus() {
            Ok(()) => {
                if let Err(error) = self.accessibility() {
                    self.notes.push(format!("{error:#}"));
                }
            }
            Err(error) => self.notes.push(format!("{error:#}")),
        }
        if let Err(error) = self.window_manager() {
            self.notes.push(format!("{error:#}"));
        }
        Ok(())
    }

    fn spawn(&mut self, command: &mut Command, name: &str) -> Result<()> {
        let child = self.quiet(command).spawn().with_context(|| format!("{name} can't be started"))?;
        self.children.push(child);
        Ok(())
    }

    fn quiet<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for name in UNSET {
            command.env_remove(name);
        }
        command
            .envs(self.set.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        die_with_parent(command)
    }

    fn x_server(&mut self, size: Size) -> Result<()> {
        let server = program(&["Xvfb"]).context(
            "Xvfb is not installed: apt-get install -y xvfb openbox dbus at-spi2-core (or your system's packages)",
        )?;
        let cookies = self.dir.join("Xauthority");
        auth::write(&cookies, &self.cookie, "")?;
        let mut command = Command::new(server);
        command.args([
            "-displayfd",
            "1",
            "-nolisten",
            "tcp",
            "-noreset",
            "+extension",
            "RANDR",
            "+extension",
            "Composite",
        ]);
        command.args(["-screen", "0", &format!("{}x{}x24", size.0, size.1), "-auth"]).arg(&cookies);
        let mut child = self.quiet(&mut command).stdout(Stdio::piped()).spawn().context("Xvfb can't be started")?;
        let number = child.stdout.take().context("Xvfb without output").and_then(number);
        self.children.push(child);
        let number = number.context("Xvfb gave no display")?;
        auth::write(&cookies, &self.cookie, &number)?;
        self.set.push(("DISPLAY".into(), format!(":{number}")));
        self.set.push(("XAUTHORITY".into(), cookies.display().to_string()));
        Ok(())
    }

    fn session_bus(&mut self) -> Result<()> {
        let bus = program(&["dbus-daemon"]).context("no session bus: install dbus")?;
        let path = self.dir.join("bus");
        let address = format!("unix:path={}", path.display());
        let mut command = Command::new(bus);
        command.args(["--session", "--nofork", "--nopidfile", "--nosyslog"]).arg(format!("--address={address}"));
        self.spawn(&mut command, "dbus-daemon")?;
        wait(|| UnixStream::connect(&path).is_ok()).context("the session bus did not come up")?;
        self.set.push(("DBUS_SESSION_BUS_ADDRESS".into(), address));
        Ok(())
    }

    fn accessibility(&mut self) -> Result<()> {
        const PLACES: &[&str] = &[
            "/usr/libexec/at-spi-bus-launcher",
            "/usr/lib/at-spi2-core/at-spi-bus-launcher",
            "/usr/lib/at-spi-bus-launcher",
            "/usr/lib/at-spi2/at-spi-bus-launcher",
        ];
        let launcher = program(PLACES).context("no accessibility bus: install at-spi2-core")?;
        let mut command = Command::new(launcher);
        command.args(["--launch-immediately", "--a11y=1", "--screen-reader=0"]);
        self.spawn(&mut command, "at-spi-bus-launcher")?;
        // The bus itself is asked who owns the name: a message to the name would start a second launcher.
        let Some(send) = program(&["dbus-send"]) else { return Ok(()) };
        wait(|| {
            let mut ask = Command::new(&send);
            ask.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]);
            ask.args(["org.freedesktop.DBus.NameHasOwner", "string:org.a11y.Bus"]);
            let answer = self.quiet(&mut ask).stdout(Stdio::piped()).output();
            answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains("boolean true"))
        })
        .context("the accessibility bus did not come up")
    }

    fn window_manager(&mut self) -> Result<()> {
        let names = ["openbox", "metacity", "xfwm4", "marco", "icewm", "fluxbox", "twm"];
        let manager = program(&names).context("no window manager: install openbox")?;
        let openbox = manager.file_name().is_some_and(|name| name == "openbox");
        let mut command = Command::new(manager);
        if openbox {
            command.arg("--sm-disable");
        }
        // Its log stays in the display's own directory.
        command.env("XDG_CACHE_HOME", &self.dir);
        self.spawn(&mut command, "the window manager")?;
        let (x, root) = self.connect()?;
        let check = x.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom;
        wait(|| {
            let asked = x.get_property(false, root, check, AtomEnum::WINDOW, 0, 1);
            asked.is_ok_and(|asked| asked.reply().is_ok_and(|reply| reply.value_len > 0))
        })
        .context("the window manager did not come up")
    }

    fn connect(&self) -> Result<(RustConnection, u32)> {
        let display =
            self.set.iter().find(|(name, _)| name == "DISPLAY").map_or("", |(_, value)| value.trim_start_matches(':'));
        let (stream, _) = DefaultStream::from_unix_stream(UnixStream::connect(format!("/tmp/.X11-unix/X{display}"))?)?;
        let name = b"MIT-MAGIC-COOKIE-1".to_vec();
        let x = RustConnection::connect_to_stream_with_auth_info(stream, 0, name, self.cookie.to_vec())?;
        let root = x.setup().roots.first().context("an X server without a screen")?.root;
        Ok((x, root))
    }
}

/// The display number that the server writes once it is ready.
fn number(mut out: std::process::ChildStdout) -> Result<String> {
    let end = Instant::now() + BOUND;
    let mut text = String::new();
    while !text.ends_with('\n') {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            bail!("it took longer than {} s", BOUND.as_secs());
        }
        let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        if poll(&mut [PollFd::new(&out, PollFlags::IN)], Some(&time))? == 0 {
            continue;
        }
        let mut bytes = [0; 32];
        let count = out.read(&mut bytes)?;
        if count == 0 {
            bail!("it ended at once");
        }
        text.push_str(std::str::from_utf8(&bytes[..count])?);
    }
    Ok(text.trim().to_owned())
}

fn wait(mut ready: impl FnMut() -> bool) -> Result<()> {
    let end = Instant::now() + BOUND;
    while !ready() {
        if Instant::now() >= end {
            bail!("waited {} s", BOUND.as_secs());
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}
