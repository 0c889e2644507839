//! `check(scene, calls, expectation)`: calls in a few words, and what came of them.
//!
//! A line of calls is one of
//! - `TOOL {json}`: a call. In the JSON `"@OK"` is the newest token of the element labelled OK.
//! - `look WINDOW`: a snapshot of that window, whose elements `@` then knows.
//! - `! CHANGE …`: a change of the scene, see `change`.
//! - `as LABEL`: the calls that follow are of this session.
//!
//! The answer has a line for each call (`click: confirmed by accessibility (state_readback)`, or
//! the code of its refusal), and under it, with `>`, what was sent to the desktop.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use desktop::{Cancel, NodeKey, Rect, Route};
use engine::{Answer, Call, ClientId, ClientKind, Engine, Reply};
use expect_test::Expect;
use fake::FakeDesktop;
use serde_json::{Value, json};

use super::FakeHost;

pub struct World {
    pub desktop: Arc<FakeDesktop>,
    pub host: Arc<FakeHost>,
    pub engine: Arc<Engine>,
    pub client: ClientId,
    session: Option<String>,
    tokens: HashMap<String, String>,
}

impl World {
    pub fn new(scene: &str) -> Self {
        Self::seeded(scene, 1)
    }

    pub fn seeded(scene: &str, seed: u64) -> Self {
        let desktop = FakeDesktop::scene(scene);
        let host = FakeHost::seeded(&desktop, seed);
        let engine = Engine::new(desktop.clone(), host.clone());
        let client = engine.connect(ClientKind::Sdk, None);
        Self { desktop, host, engine, client, session: None, tokens: HashMap::new() }
    }

    pub fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.call_as(self.client, tool, arguments)
    }

    pub fn call_as(&self, client: ClientId, tool: &str, mut arguments: Value) -> Answer {
        if let Some(s) = &self.session {
            arguments["session"] = json!(s);
        }
        self.engine.call(&Call { tool: tool.into(), arguments, client, cancel: Cancel::default(), timeout: None, progress: None })
    }

    /// A snapshot; its elements by label.
    pub fn look(&mut self, window: u64) -> Answer {
        let answer = self.call("get_window_state", json!({"window_id": window, "include_screenshot": false}));
        if let Ok(reply) = &answer {
            for e in elements(reply) {
                if let (Some(label), Some(token)) = (e["label"].as_str(), e["element_token"].as_str()) {
                    self.tokens.insert(label.into(), token.into());
                }
            }
        }
        answer
    }

    /// The newest token of the element of this label.
    pub fn token(&self, label: &str) -> &str {
        self.tokens.get(label).map_or_else(|| panic!("no element {label:?} was seen"), String::as_str)
    }

    fn filled(&self, value: &mut Value) {
        match value {
            Value::String(s) if s.starts_with('@') => *s = self.token(&s[1..]).to_owned(),
            Value::Array(a) => a.iter_mut().for_each(|v| self.filled(v)),
            Value::Object(o) => o.values_mut().for_each(|v| self.filled(v)),
            _ => {}
        }
    }

    fn line(&mut self, line: &str) -> Option<String> {
        let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
        if head == "!" {
            change(&self.desktop, rest);
            return None;
        }
        if head == "as" {
            self.session = Some(rest.into());
            return None;
        }
        let from = self.desktop.sent().len();
        let answer = if head == "look" {
            self.look(rest.parse().expect("look takes the number of a window"))
        } else {
            let mut arguments: Value = if rest.is_empty() { json!({}) } else { serde_json::from_str(rest).expect("arguments are JSON") };
            self.filled(&mut arguments);
            self.call(head, arguments)
        };
        let mut out = format!("{head}: {}\n", told(&answer));
        for s in &self.desktop.sent()[from..] {
            out.push_str(&format!("  > {}{}\n", s.line, by(s.route)));
        }
        Some(out)
    }
}

pub fn check(scene: &str, calls: &str, expectation: Expect) {
    let mut world = World::new(scene);
    expectation.assert_eq(&run(&mut world, calls));
}

pub fn run(world: &mut World, calls: &str) -> String {
    calls.lines().map(str::trim).filter(|l| !l.is_empty()).filter_map(|l| world.line(l)).collect()
}

pub fn elements(reply: &Reply) -> impl Iterator<Item = &Value> {
    reply.structured["elements"].as_array().into_iter().flatten()
}

/// One line about an answer.
fn told(answer: &Answer) -> String {
    match answer {
        Err(r) => {
            let details = ["reason", "character", "current_token", "occluded_by"].iter().find_map(|k| r.details.get(k));
            let more = match details {
                Some(Value::String(s)) if s.starts_with('s') && s.contains(':') => " (current_token)".into(),
                Some(d) => format!(" ({d})"),
                None => String::new(),
            };
            format!("refused {}{more}", r.code.word())
        }
        Ok(r) => match r.structured["effect"].as_str() {
            Some(effect) => acted(effect, &r.structured),
            None => match r.structured["status"].as_str() {
                Some(status) => status.into(),
                None => "answered".into(),
            },
        },
    }
}

fn acted(effect: &str, s: &Value) -> String {
    let mut out = effect.to_owned();
    if let Some(route) = s["route"].as_str() {
        out.push_str(&format!(" by {route}"));
    }
    if let Some(n) = s["delivery"]["delivered_count"].as_u64() {
        out.push_str(&format!(", {n} characters"));
    }
    let kinds: Vec<&str> = s["evidence"].as_array().into_iter().flatten().filter_map(|e| e["kind"].as_str()).collect();
    if !kinds.is_empty() {
        out.push_str(&format!(" ({})", kinds.join(", ")));
    }
    if let Some(to) = s["escalation"]["target"].as_str() {
        out.push_str(&format!(", try {to}"));
    }
    out
}

fn by(route: Option<Route>) -> &'static str {
    match route {
        Some(Route::Global) => " (the person's own)",
        Some(Route::SentEvents) => " (sent)",
        _ => "",
    }
}

/// `insert OK button "New"`, `remove OK`, `rename OK Yes`, `twin OK`, `disable OK`, `hide OK`,
/// `deafen OK`, `value Name Bob`, `last OK` (among its siblings), `close 1`, `reuse 1`, `cover 1`,
/// `minimize 1`, `move 1`, `resize 1`, `activate 1`, `hang 10`, `wake 10`, `die_in perform 10`,
/// `focus_leaves 3`, `untypable ☃`, `unreached 1`, `no_display`, `no_bus`, `no_activation`,
/// `presses_take_focus` (and it is given back), `hovers OK Name` (the pointer coming to one changes the other), `animated 1 MILLISECONDS`
/// (all of it) or `animated 1 MILLISECONDS X Y W H`, `ticks Clock MILLISECONDS`,
/// `copied TEXT`, `passes SECONDS`, `later SECONDS CHANGE`.
fn change(d: &Arc<FakeDesktop>, text: &str) {
    let (what, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (name, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let node = |name: &str| -> NodeKey { d.node(name) };
    let number = |text: &str| -> u64 { text.parse().expect("a number") };
    match what {
        "insert" => drop(d.insert_before(&node(name), more)),
        "remove" => d.remove(&node(name)),
        "rename" => d.rename(&node(name), more),
        "twin" => drop(d.replace_by_twin(&node(name))),
        "disable" => d.disable(&node(name)),
        "hide" => d.hide(&node(name)),
        "deafen" => d.deafen(&node(name)),
        "value" => d.set_value(&node(name), more),
        "last" => d.reorder(&node(name), usize::MAX),
        "close" => d.close(number(name)),
        "reuse" => d.reuse(number(name), &format!("window {name} \"Reused\" pid=77 at 0,0 400x300\n  button \"OK\"\n")),
        "cover" => drop(d.cover(number(name))),
        "minimize" => d.minimize(number(name)),
        "move" => d.move_window(number(name), 300, 200),
        "resize" => d.resize(number(name), 500, 350),
        "activate" => d.activate(number(name)),
        "hang" => d.hang(number(name) as u32),
        "wake" => d.wake(number(name) as u32),
        "die_in" => d.die_in(if name == "read" { "read" } else { "perform" }, number(more) as u32),
        "focus_leaves" => d.focus_leaves_after(number(name) as usize, None),
        "untypable" => d.untypable(name),
        "unreached" => [Route::SecondSeat, Route::SentEvents].iter().for_each(|r| d.unreached(number(name), *r, "the test says so")),
        "no_display" => d.without_display(true),
        "no_bus" => d.without_bus(true),
        "no_activation" => d.without_activation(true),
        "copied" => d.copied(rest, false),
        "presses_take_focus" => d.presses_take_focus(true),
        "hovers" => d.hovers(&node(name), &node(more)),
        "animated" => {
            let n: Vec<u64> = more.split(' ').map(number).collect();
            let area = match n[1..] {
                [x, y, w, h] => Rect::new(x as i32, y as i32, w as u32, h as u32),
                _ => Rect::new(0, 0, 10_000, 10_000),
            };
            d.animated(number(name), area, Duration::from_millis(n[0]));
        }
        "ticks" => d.ticks(&node(name), Duration::from_millis(number(more))),
        "passes" => d.clock().advance(Duration::from_secs(number(name))),
        "later" => {
            let change_then = more.to_owned();
            let desktop = Arc::downgrade(d);
            d.later(Duration::from_secs(number(name)), move |_| {
                if let Some(d) = desktop.upgrade() {
                    change(&d, &change_then);
                }
            });
        }
        other => panic!("no change is called {other:?}"),
    }
}
