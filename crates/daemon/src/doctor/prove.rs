//! The things that doctor does: a window, a picture, a click, a key, a tree, a recorded turn.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::driver::Session;
use super::{Check, State};

const SOON: Duration = Duration::from_secs(5);
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub fn all(session: &Session) -> Vec<Check> {
    let mut checks = health(session);
    if let Some(display) = checks.iter().find(|check| check.name == "display" && check.state == State::Fail) {
        let hint = display.hint.clone();
        checks.push(Check::skip("acts", "nothing can be tried without a display", hint));
        return checks;
    }
    match Target::open(session) {
        Ok(target) => {
            checks.push(Check::pass("window", format!("a window of its own, {}", target.window)));
            checks.push(Check::of("picture", picture(session, &target), "see screen_capture above"));
            checks.push(Check::of("click", click(session, &target), "see second_seat above"));
            checks.push(Check::of("key", key(session, &target), "see second_seat above"));
            checks.push(Check::of("turn", turn(session, &target), "see the driver's log"));
        }
        Err(why) => checks.push(Check::fail("window", why, "cua-driver serve --display virtual")),
    }
    checks.push(tree(session));
    let _ = session.call("end_session", json!({}));
    checks
}

/// What the driver says of its surroundings.
fn health(session: &Session) -> Vec<Check> {
    let report = match session.call("health_report", json!({})) {
        Ok((report, _)) => report,
        Err(why) => return vec![Check::fail("health", why, "see the driver's log")],
    };
    let rows = report["checks"].as_array().cloned().unwrap_or_default();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let known = ["display", "accessibility", "second_seat", "screen_capture", "window_manager", "video"];
    rows.iter()
        .filter_map(|row| {
            let name = known.into_iter().find(|name| row["name"] == *name)?;
            let state = match row["state"].as_str().or_else(|| row["status"].as_str()) {
                Some("pass" | "ok") => State::Pass,
                Some("fail") if name == "display" || name == "screen_capture" => State::Fail,
                _ => State::Skip,
            };
            Some(Check { name, state, message: text(row, "message"), hint: text(row, "hint") })
        })
        .collect()
}

/// The window that is acted on, and what it says it received.
struct Target {
    child: Child,
    lines: Receiver<String>,
    pid: u32,
    window: u64,
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Target {
    fn open(session: &Session) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = session.on_display(Command::new(own));
        command.arg("doctor-window").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (mut child, lines) = listen(&mut command)?;
        let Some(ready) = heard(&lines, "READY") else {
            let _ = child.kill();
            let _ = child.wait();
            return Err("no window could be opened on this display".into());
        };
        let window = ready.trim().parse().map_err(|_| "the window has no id".to_owned())?;
        let target = Self { pid: child.id(), child, lines, window };
        let end = Instant::now() + SOON;
        while Instant::now() < end {
            let (list, _) = session.call("list_windows", json!({"pid": target.pid}))?;
            if list["windows"].as_array().is_some_and(|all| all.iter().any(|w| w["window_id"] == target.window)) {
                return Ok(target);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("the driver does not list the window".into())
    }

    fn named(&self, more: Value) -> Value {
        let mut arguments = json!({"pid": self.pid, "window_id": self.window});
        if let (Some(all), Value::Object(more)) = (arguments.as_object_mut(), more) {
            all.extend(more);
        }
        arguments
    }
}

fn listen(command: &mut Command) -> Result<(Child, Receiver<String>), String> {
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (send, lines) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    Ok((child, lines))
}

/// What follows the word in the first line that begins with it, soon.
fn heard(lines: &Receiver<String>, word: &str) -> Option<String> {
    let end = Instant::now() + SOON;
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if let Some(rest) = line.strip_prefix(word) {
            return Some(rest.to_owned());
        }
    }
    None
}

fn picture(session: &Session, target: &Target) -> Result<String, String> {
    let asked = target.named(json!({"include_accessibility_tree": false}));
    let (_, reply) = session.call("get_window_state", asked)?;
    match reply.pictures.first() {
        Some(picture) if picture.data.starts_with(PNG) => Ok(format!("{} bytes of PNG", picture.data.len())),
        Some(_) => Err("the picture is no PNG".into()),
        None => Err("no picture came".into()),
    }
}

fn click(session: &Session, target: &Target) -> Result<String, String> {
    let (answer, _) = session.call("click", target.named(json!({"x": 120, "y": 90})))?;
    let press = heard(&target.lines, "PRESS").ok_or("the window received no press")?;
    Ok(format!("the window received button and place{press}; the driver says {}", answer["effect"]))
}

fn key(session: &Session, target: &Target) -> Result<String, String> {
    let (answer, _) = session.call("press_key", target.named(json!({"key": "a"})))?;
    let key = heard(&target.lines, "KEY").ok_or("the window received no key")?;
    Ok(format!("the window received key{key}; the driver says {}", answer["effect"]))
}

fn turn(session: &Session, target: &Target) -> Result<String, String> {
    let dir =
        std::env::temp_dir().join(format!("cua-driver-doctor-{}-{:08x}", std::process::id(), host::random() as u32));
    let recorded = record(session, target, &dir);
    let _ = std::fs::remove_dir_all(&dir);
    recorded
}

fn record(session: &Session, target: &Target, dir: &PathBuf) -> Result<String, String> {
    session.call("start_recording", json!({"output_dir": dir}))?;
    let clicked = session.call("click", target.named(json!({"x": 60, "y": 60})));
    session.call("stop_recording", json!({}))?;
    clicked?;
    let action = dir.join("turn-00001/action.json");
    match std::fs::read(&action).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok()) {
        Some(action) if action["tool"] == "click" => Ok("one click recorded, turn-00001".into()),
        _ => Err("no turn-00001 was written".into()),
    }
}

/// A tree needs an application of a toolkit.
fn tree(session: &Session) -> Check {
    let hint = "install zenity to have one to try, or look at one of your own: cua-driver call get_window_state";
    let mut command = session.on_display(Command::new("zenity"));
    command.args(["--question", "--no-wrap", "--title=cua-driver doctor", "--text=tree"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return Check::skip("tree", "no toolkit application to try it on", hint);
    };
    let seen = see_buttons(session, child.id());
    let _ = child.kill();
    let _ = child.wait();
    Check::of("tree", seen, "see accessibility above")
}

fn see_buttons(session: &Session, pid: u32) -> Result<String, String> {
    let end = Instant::now() + SOON * 2;
    let mut last = "its window did not appear".to_owned();
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(100));
        let (list, _) = session.call("list_windows", json!({"pid": pid}))?;
        let Some(window) = list["windows"].as_array().and_then(|all| all.first()).map(|w| w["window_id"].clone())
        else {
            continue;
        };
        let asked = json!({"pid": pid, "window_id": window, "include_screenshot": false});
        match session.call("get_window_state", asked) {
            Ok((state, _)) => {
                let elements = state["elements"].as_array().map_or(0, Vec::len);
                let buttons =
                    state["elements"].as_array().into_iter().flatten().filter(|e| e["role"] == "button").count();
                if buttons >= 2 {
                    return Ok(format!("{elements} elements, {buttons} buttons"));
                }
                last = format!("{elements} elements and {buttons} buttons: {}", state["degraded_reason"]);
            }
            Err(why) => last = why,
        }
    }
    Err(last)
}
