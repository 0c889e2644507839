//! Values of secrets by name: the environment, a private file, a command of the user's. A value
//! is never part of an error.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::file;

/// How long a secret command may take.
const COMMAND_BOUND: Duration = Duration::from_secs(10);
const LARGEST: u64 = 1 << 20;

/// A source is there and may not be used.
#[derive(Debug, PartialEq, Eq)]
pub enum SecretError {
    /// Others can read or write the file, or it is another user's.
    Open(PathBuf),
    /// Not an object of strings.
    Shape(PathBuf),
    Unreadable(PathBuf, String),
    /// The command could not be run, failed, or took too long.
    Command(String),
}

impl std::fmt::Display for SecretError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open(path) => write!(f, "{} is open to others: chmod 600 it", path.display()),
            Self::Shape(path) => write!(f, "{} is not a JSON object of name and text", path.display()),
            Self::Unreadable(path, why) => write!(f, "{} can't be read: {why}", path.display()),
            Self::Command(why) => write!(f, "secrets.command {why}"),
        }
    }
}

impl std::error::Error for SecretError {}

/// The variable that holds a secret: the name in capitals, other characters `_`.
pub fn variable(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("CUA_DRIVER_SECRET_{}", name.chars().map(word).collect::<String>())
}

/// From a private file `{name: value}`; `None` when there is no file or no such name.
pub fn from_file(path: &Path, name: &str) -> Result<Option<String>, SecretError> {
    let unreadable = |error: std::io::Error| SecretError::Unreadable(path.to_owned(), error.to_string());
    let file = match file::open_own(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let meta = file.metadata().map_err(unreadable)?;
    if !meta.is_file() || meta.uid() != crate::dirs::uid() || meta.mode() & 0o077 != 0 {
        return Err(SecretError::Open(path.to_owned()));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
    let shape = || SecretError::Shape(path.to_owned());
    let all: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|_| shape())?;
    match all.as_object().ok_or_else(shape)?.get(name) {
        None => Ok(None),
        Some(Value::String(value)) => Ok(Some(value.clone())),
        Some(_) => Err(shape()),
    }
}

/// From a command: an array of words with `{name}` replaced (or the name as a last word), or one
/// text for the shell, which finds the name in `$CUA_DRIVER_SECRET_NAME`. Its output without the
/// last line end is the value; exit 0 with nothing, or exit 1 with nothing, means unknown.
pub fn from_command(spec: &Value, name: &str) -> Result<Option<String>, SecretError> {
    let mut command = words(spec, name)?;
    let fail = |why: &str| SecretError::Command(why.to_owned());
    let mut child = command
        .env("CUA_DRIVER_SECRET_NAME", name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| fail(&format!("can't be started: {error}")))?;
    let reader = child.stdout.take().map(|out| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let done = out.take(LARGEST).read_to_end(&mut bytes);
            done.map(|_| bytes)
        })
    });
    let status = bounded(&mut child)?;
    let bytes = match reader.map(std::thread::JoinHandle::join) {
        Some(Ok(Ok(bytes))) => bytes,
        _ => return Err(fail("gave no readable output")),
    };
    let text = String::from_utf8(bytes).map_err(|_| fail("gave something that is not text"))?;
    let value = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
    match status.code() {
        Some(0) if value.is_empty() => Ok(None),
        Some(0) => Ok(Some(value.to_owned())),
        Some(1) if value.is_empty() => Ok(None),
        _ => Err(fail(&format!("ended with {status}"))),
    }
}

fn words(spec: &Value, name: &str) -> Result<Command, SecretError> {
    if let Some(line) = spec.as_str() {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(line);
        return Ok(command);
    }
    let words: Option<Vec<&str>> = spec.as_array().and_then(|all| all.iter().map(Value::as_str).collect());
    let words = words.filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| SecretError::Command("is neither a text nor an array of words".into()))?;
    let mut command = Command::new(words[0]);
    command.args(words[1..].iter().map(|word| word.replace("{name}", name)));
    if !words.iter().any(|word| word.contains("{name}")) {
        command.arg(name);
    }
    Ok(command)
}

/// Wait within the bound; after it the command and its children are ended.
fn bounded(child: &mut Child) -> Result<std::process::ExitStatus, SecretError> {
    let end = Instant::now() + COMMAND_BOUND;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
            Ok(None) => {
                if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                    let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
                }
                let _ = child.wait();
                return Err(SecretError::Command(format!("took longer than {} s", COMMAND_BOUND.as_secs())));
            }
            Err(error) => return Err(SecretError::Command(error.to_string())),
        }
    }
}
