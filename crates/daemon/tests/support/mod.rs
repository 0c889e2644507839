//! A home, runtime and temporary directory of a test's own, and the program run in them.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub const BOUND: Duration = Duration::from_secs(20);

pub struct World {
    root: PathBuf,
    children: Vec<Child>,
}

impl World {
    pub fn new() -> Self {
        let root = std::env::temp_dir().join(format!("cua-daemon-{}-{:x}", std::process::id(), host::random()));
        for part in ["", "home", "run", "tmp"] {
            fs::DirBuilder::new().mode(0o700).create(root.join(part)).expect("a directory of the test's own");
        }
        Self { root, children: Vec::new() }
    }

    pub fn path(&self, part: &str) -> PathBuf {
        self.root.join(part)
    }

    /// Where a daemon without a display listens here.
    pub fn socket(&self) -> PathBuf {
        self.root.join("run/cua-driver/none.sock")
    }

    pub fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cua-driver"));
        command.args(args).current_dir(&self.root).stdin(Stdio::null()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, part) in [("HOME", "home"), ("XDG_RUNTIME_DIR", "run"), ("TMPDIR", "tmp")] {
            command.env(name, self.root.join(part));
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.program(args).output().expect("the program runs")
    }

    /// A daemon in the background; its number.
    pub fn spawn(&mut self, args: &[&str]) -> usize {
        let child = self.program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("serve starts");
        self.children.push(child);
        self.children.len() - 1
    }

    /// A process of this test's, ended with it.
    pub fn adopt(&mut self, child: Child) {
        self.children.push(child);
    }

    /// A daemon that answers.
    pub fn serve(&mut self, more: &[&str]) -> usize {
        let args: Vec<&str> = ["serve"].iter().chain(more).copied().collect();
        let at = self.spawn(&args);
        assert!(until(|| self.run(&["status"]).status.success()), "the daemon answers");
        at
    }

    pub fn child(&mut self, at: usize) -> &mut Child {
        &mut self.children[at]
    }

    pub fn pid(&self, at: usize) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.children[at])
    }

    pub fn ended(&mut self, at: usize) -> bool {
        let child = &mut self.children[at];
        until(|| child.try_wait().expect("a child").is_some())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Poll until it holds; false after the bound.
pub fn until(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + BOUND;
    while !holds() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
