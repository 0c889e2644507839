//! What is held or changed, told to the guardian before it is done. The guardian is a child
//! process that undoes all of it when this end of the pipe closes. Owns the child; refuses to
//! own what the driver itself lets go of.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use desktop::{DesktopError, Result};

use super::keymap::KeyShape;
use super::seat::Side;

/// One thing that must be undone.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    Key(Side, u8),
    Button(Side, u8),
    /// Locks of `mask` were `value` before.
    Locks(Side, u8, u8),
    /// The lasting layout group was this before.
    Group(Side, u8),
    /// This key was so before it was borrowed.
    Code(u8, KeyShape),
    /// The second keyboard is given to a window.
    Focus,
}

impl Entry {
    /// Whether the end of `other` is the end of this one.
    pub fn matches(&self, other: &Entry) -> bool {
        match (self, other) {
            (Entry::Locks(a, ..), Entry::Locks(b, ..)) | (Entry::Group(a, _), Entry::Group(b, _)) => a == b,
            (Entry::Code(a, _), Entry::Code(b, _)) => a == b,
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Key(side, code) => write!(f, "key {side} {code}"),
            Entry::Button(side, button) => write!(f, "button {side} {button}"),
            Entry::Locks(side, mask, value) => write!(f, "locks {side} {mask} {value}"),
            Entry::Group(side, group) => write!(f, "group {side} {group}"),
            Entry::Code(code, key) => {
                let [a, b, c, d] = key.kinds;
                write!(f, "code {code} {a} {b} {c} {d} {} {}", key.groups, key.width)?;
                key.syms.iter().try_for_each(|s| write!(f, " {s}"))
            }
            Entry::Focus => f.write_str("focus"),
        }
    }
}

impl FromStr for Side {
    type Err = ();

    fn from_str(word: &str) -> std::result::Result<Self, ()> {
        match word {
            "person" => Ok(Side::Person),
            "agent" => Ok(Side::Agent),
            _ => Err(()),
        }
    }
}

impl FromStr for Entry {
    type Err = ();

    fn from_str(line: &str) -> std::result::Result<Self, ()> {
        let mut words = line.split(' ');
        let kind = words.next().ok_or(())?;
        let mut side = None;
        if matches!(kind, "key" | "button" | "locks" | "group") {
            side = Some(words.next().ok_or(())?.parse::<Side>()?);
        }
        let numbers = words.map(|w| w.parse::<u32>().map_err(drop)).collect::<std::result::Result<Vec<_>, ()>>()?;
        let byte = |i: usize| numbers.get(i).and_then(|n| u8::try_from(*n).ok()).ok_or(());
        Ok(match (kind, side) {
            ("key", Some(side)) => Entry::Key(side, byte(0)?),
            ("button", Some(side)) => Entry::Button(side, byte(0)?),
            ("locks", Some(side)) => Entry::Locks(side, byte(0)?, byte(1)?),
            ("group", Some(side)) => Entry::Group(side, byte(0)?),
            ("code", None) => Entry::Code(
                byte(0)?,
                KeyShape {
                    kinds: [byte(1)?, byte(2)?, byte(3)?, byte(4)?],
                    groups: byte(5)?,
                    width: byte(6)?,
                    syms: numbers.get(7..).unwrap_or_default().to_vec(),
                },
            ),
            ("focus", None) => Entry::Focus,
            _ => return Err(()),
        })
    }
}

/// How long a guardian may take to come up.
const START: Duration = Duration::from_secs(3);

pub(super) struct Ledger {
    command: Option<Vec<OsString>>,
    display: String,
    guardian: Option<(Child, Option<ChildStdin>)>,
}

impl Ledger {
    pub fn new(command: Option<Vec<OsString>>, display: &str) -> Self {
        Self { command, display: display.into(), guardian: None }
    }

    /// Note what is about to be done. Nothing may be done when this fails.
    pub fn begin(&mut self, entries: &[Entry]) -> Result<()> {
        let text: String = entries.iter().map(|e| format!("+ {e}\n")).collect();
        if self.write(&text).is_ok() {
            return Ok(());
        }
        self.start()?;
        self.write(&text).map_err(|e| refused(&e.to_string()))
    }

    /// Note what is undone.
    pub fn end(&mut self, entries: &[Entry]) {
        let text: String = entries.iter().map(|e| format!("- {e}\n")).collect();
        // A guardian that is gone has undone it already.
        let _ = self.write(&text);
    }

    fn write(&mut self, text: &str) -> std::io::Result<()> {
        match &mut self.guardian {
            Some((_, Some(pipe))) => pipe.write_all(text.as_bytes()),
            _ => Err(std::io::ErrorKind::NotConnected.into()),
        }
    }

    fn start(&mut self) -> Result<()> {
        self.stop();
        let words = self.command.clone().filter(|w| !w.is_empty()).ok_or_else(|| refused("no command for it is known"))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("DISPLAY", &self.display);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A terminal's interrupt must not reach it before it has let go.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|e| refused(&format!("{}: {e}", words[0].to_string_lossy())))?;
        let pipe = child.stdin.take();
        let said = child.stdout.take().map(first_line);
        self.guardian = Some((child, pipe));
        match said.and_then(|s| s.recv_timeout(START).ok()).as_deref() {
            Some(super::guard::READY) => Ok(()),
            Some(other) if !other.is_empty() => Err(self.failed(other)),
            _ => Err(self.failed("it did not come up")),
        }
    }

    fn failed(&mut self, why: &str) -> DesktopError {
        self.stop();
        refused(why)
    }

    /// Close the pipe and see the child off.
    fn stop(&mut self) {
        let Some((mut child, pipe)) = self.guardian.take() else { return };
        drop(pipe);
        let until = Instant::now() + Duration::from_millis(1500);
        while Instant::now() < until {
            if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The first line that comes out of a pipe, read on a thread so that the wait has a bound.
fn first_line(pipe: std::process::ChildStdout) -> mpsc::Receiver<String> {
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(pipe).read_line(&mut line);
        let _ = tell.send(line.trim_end().to_owned());
    });
    hear
}

fn refused(why: &str) -> DesktopError {
    DesktopError::System(format!("the guardian that lets go of held keys cannot be started: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_survives_the_pipe() {
        let key = KeyShape { kinds: [1, 0, 2, 0], groups: 0x42, width: 2, syms: vec![0x61, 0x41, 0x6c6, 0] };
        for entry in [
            Entry::Key(Side::Person, 38),
            Entry::Button(Side::Agent, 1),
            Entry::Locks(Side::Person, 0x13, 2),
            Entry::Group(Side::Agent, 1),
            Entry::Code(97, key),
            Entry::Code(97, KeyShape { kinds: [0; 4], groups: 0, width: 0, syms: vec![] }),
            Entry::Focus,
        ] {
            assert_eq!(entry.to_string().parse(), Ok(entry));
        }
        for bad in ["", "key", "key nobody 3", "key person 300", "focus x"] {
            assert_eq!(bad.parse::<Entry>(), Err(()), "{bad:?}");
        }
    }
}
