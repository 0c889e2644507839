//! What is recorded, what is kept out of it, and what becomes of it when it is done again.

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::table::World;

const LEDGER: &str = r#"
window 1 "Ledger" pid=10 at 100,80 400x400 app=ledger
  button "Add" at 10,10 80x24
  button "Remove" at 100,10 80x24
  textbox "Name" at 10,50 200x24
  checkbox "Agree" at 10,90 200x24
"#;

const SIGN_IN: &str = r#"
window 1 "Sign in" pid=10 at 0,0 300x200 app=login
  textbox "User" at 10,10 200x24
  password "Password" at 10,50 200x24
  button "Login" at 10,90 80x24
"#;

fn dir(w: &World) -> PathBuf {
    w.host.root().join("rec")
}

fn start(w: &World, extra: Value) -> engine::Answer {
    let mut a = json!({"output_dir": dir(w).display().to_string()});
    if let (Some(a), Some(e)) = (a.as_object_mut(), extra.as_object()) {
        a.extend(e.clone());
    }
    w.call("start_recording", a)
}

fn stop(w: &World) -> Value {
    w.call("stop_recording", json!({})).expect("a recording to stop").structured
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).expect("JSON")
}

fn action(w: &World, turn: u32) -> Value {
    read(&dir(w).join(format!("turn-{turn:05}/action.json")))
}

/// Record calls on a scene: `(tool, arguments)` with `@LABEL` for tokens.
fn recorded(scene: &str, calls: &[(&str, Value)]) -> World {
    let mut w = World::new(scene);
    start(&w, json!({})).expect("a recording");
    play(&mut w, calls);
    stop(&w);
    w
}

fn play(w: &mut World, calls: &[(&str, Value)]) {
    for (tool, arguments) in calls {
        w.look(1).expect("a look");
        let mut a = arguments.clone();
        if let Some(label) = a["element_token"].as_str().and_then(|t| t.strip_prefix('@')) {
            a["element_token"] = json!(w.token(label));
        }
        w.call(tool, a).unwrap_or_else(|r| panic!("{tool}: {}", r.text()));
    }
}

fn trio() -> Vec<(&'static str, Value)> {
    vec![
        ("type_text", json!({"element_token": "@Name", "text": "Ada"})),
        ("click", json!({"element_token": "@Agree"})),
        ("click", json!({"element_token": "@Add"})),
    ]
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for e in std::fs::read_dir(from).expect("a directory") {
        let e = e.expect("an entry");
        if e.path().is_dir() { copy(&e.path(), &to.join(e.file_name())) } else { std::fs::copy(e.path(), to.join(e.file_name())).map(drop).expect("a copy") }
    }
}

/// Replay what `from` recorded on another desktop.
fn replay_on(from: &World, scene: &str, extra: Value) -> (World, engine::Answer) {
    let w = World::seeded(scene, 7);
    copy(&dir(from), &dir(&w));
    let mut a = json!({"dir": dir(&w).display().to_string(), "delay_ms": 0, "wait_ms": 400});
    if let (Some(a), Some(e)) = (a.as_object_mut(), extra.as_object()) {
        a.extend(e.clone());
    }
    let answer = w.call("replay_trajectory", a);
    (w, answer)
}

/// Status, rung or code of every turn in a few words.
fn told(answer: &engine::Answer) -> String {
    match answer {
        Err(r) => r.code.word().to_owned(),
        Ok(r) => r.structured["turns"]
            .as_array()
            .expect("turns")
            .iter()
            .map(|t| {
                let detail = t["code"].as_str().or(t["rung"].as_str()).unwrap_or("-");
                format!("{} {detail}", t["status"].as_str().expect("a status"))
            })
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn bytes_under(path: &Path, out: &mut Vec<u8>) {
    if path.is_dir() {
        std::fs::read_dir(path).expect("a directory").for_each(|e| bytes_under(&e.expect("an entry").path(), out));
    } else {
        out.extend(std::fs::read(path).expect("a file"));
    }
}

#[test]
fn a_turn_tells_what_was_done_and_to_what() {
    let w = recorded(LEDGER, &trio());
    let a = action(&w, 3);
    assert_eq!(a["tool"], "click");
    assert_eq!(a["target"]["element"]["name"], "Add");
    assert_eq!(a["target"]["element"]["unique"]["role_name"], true);
    assert_eq!(a["target"]["window"]["title"], "Ledger");
    assert_eq!(a["click_point"]["space"], "window");
    assert!(a["t_end_ms"].as_u64() >= a["t_start_ms"].as_u64());
    assert_eq!(action(&w, 1)["arguments"]["text"], "Ada");
    for file in ["before.png", "screenshot.png", "click.png", "before_state.json", "app_state.json", "evidence.json"] {
        assert!(dir(&w).join("turn-00003").join(file).exists(), "{file}");
    }
    let s = read(&dir(&w).join("session.json"));
    assert_eq!((s["turns"].as_u64(), s["end_reason"].as_str()), (Some(3), Some("stopped")));
    let lines = std::fs::read_to_string(dir(&w).join("events.jsonl")).expect("events");
    let times: Vec<u64> = lines.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON")["t_ms"].as_u64().expect("a time")).collect();
    assert!(times.windows(2).all(|t| t[0] <= t[1]), "{times:?}");
    assert_eq!(lines.matches("turn_begun").count(), 3);
}

/// The window is looked at beside the calls: the next act waits for it, and so does the end.
#[test]
fn a_turn_is_seen_before_the_next_act() {
    let mut w = World::new(LEDGER);
    start(&w, json!({})).expect("a recording");
    w.look(1).expect("a look");
    let value = |turn: u32, file: &str, label: &str| {
        let state = read(&dir(&w).join(format!("turn-{turn:05}")).join(file));
        let row = state["elements"].as_array().expect("rows").iter().find(|e| e["label"] == label).expect("the element").clone();
        (row["value"].clone(), row["states"].as_array().is_some_and(|s| s.contains(&json!("checked"))))
    };
    for _ in 0..4 {
        w.call("click", json!({"element_token": w.token("Agree")})).expect("a click");
    }
    w.call("set_value", json!({"element_token": w.token("Name"), "value": "Ada"})).expect("a value");
    stop(&w);
    for turn in 1..=4 {
        let (before, after) = (value(turn, "before_state.json", "Agree").1, value(turn, "app_state.json", "Agree").1);
        assert_eq!((before, after), (turn % 2 == 0, turn % 2 == 1), "turn {turn}");
    }
    assert_ne!(value(4, "app_state.json", "Name").0, json!("Ada"), "nothing of the next act is in it");
    assert_eq!(value(5, "app_state.json", "Name").0, json!("Ada"));
}

#[test]
fn what_was_not_read_is_not_captured() {
    let w = World::new(LEDGER);
    start(&w, json!({})).expect("a recording");
    w.desktop.hang(10);
    let _ = w.call("click", json!({"window_id": 1, "x": 20, "y": 20, "delivery_mode": "foreground"}));
    stop(&w);
    let turn = dir(&w).join("turn-00001");
    let evidence = read(&turn.join("evidence.json"));
    for (part, file) in [("before_state", "before_state.json"), ("app_state", "app_state.json")] {
        assert_eq!(evidence[part]["status"], "unavailable", "{part}");
        assert!(evidence[part]["why"].as_str().is_some_and(|w| w.contains("answer")), "{evidence}");
        assert!(!turn.join(file).exists(), "{file}");
    }
}

/// The masking of a video goes on after the stop was answered.
#[test]
fn a_directory_is_free_when_the_stop_is_answered() {
    let mut w = World::new(LEDGER);
    w.host.keep_secret("token", "T0ps3cret");
    for n in 0..12 {
        start(&w, json!({"record_video": true, "overwrite": n > 0})).unwrap_or_else(|r| panic!("start {n}: {}", r.text()));
        play(&mut w, &[("type_text", json!({"element_token": "@Name", "secret": "token"}))]);
        stop(&w);
    }
}

/// Writes the sample of this version anew, into the directory that the variable names.
#[test]
fn a_sample_can_be_made() {
    let w = recorded(LEDGER, &trio());
    assert!(dir(&w).join("turn-00003/action.json").exists());
    if let Some(to) = std::env::var_os("CUA_SAMPLE_TO") {
        copy(&dir(&w), Path::new(&to));
    }
}

#[test]
fn refused_acts_are_turns_and_looks_are_not() {
    let mut w = World::new(LEDGER);
    start(&w, json!({})).expect("a recording");
    w.look(1).expect("a look");
    w.call("click", json!({"element_token": "sdeadbeef:0"})).expect_err("a stale token");
    w.call("click", json!({"window_id": 1, "x": -5, "y": 99999})).expect_err("a point outside");
    w.call("list_windows", json!({})).expect("a list");
    stop(&w);
    assert_eq!(action(&w, 1)["result"]["code"], "stale_element_token");
    assert_eq!(action(&w, 2)["outcome"], "refused");
    assert!(!dir(&w).join("turn-00003").exists());
}

#[test]
fn who_may_record_where() {
    let w = World::new(LEDGER);
    let code = |a: engine::Answer| a.map_or_else(|r| r.code.word(), |_| "ok");
    assert_eq!(code(w.call("stop_recording", json!({}))), "not_recording");
    assert_eq!(code(start(&w, json!({"resume": true, "overwrite": true}))), "invalid_arguments");
    assert_eq!(code(start(&w, json!({}))), "ok");
    assert_eq!(code(start(&w, json!({}))), "recording_active");
    let other = w.engine.connect(engine::ClientKind::Sdk, None);
    assert_eq!(code(w.call_as(other, "stop_recording", json!({}))), "not_recording");
    let named = json!({"output_dir": dir(&w).display().to_string()});
    assert_eq!(code(w.call_as(other, "stop_recording", named.clone())), "recording_not_owner");
    assert_eq!(code(w.call_as(other, "start_recording", named.clone())), "recording_locked");
    let state = w.call("get_recording_state", json!({})).expect("a state").structured;
    assert_eq!((state["recording"].as_bool(), state["next_turn"].as_u64(), state["video_active"].as_bool()), (Some(true), Some(1), Some(false)));
    assert!(state["last_error"].is_null());
    stop(&w);
    assert_eq!(code(start(&w, json!({}))), "recording_exists");
    assert_eq!(code(start(&w, json!({"resume": true}))), "ok");
    let take = json!({"output_dir": dir(&w).display().to_string(), "take_over": true});
    assert_eq!(code(w.call_as(other, "stop_recording", take)), "ok");
    assert!(std::fs::read_to_string(dir(&w).join("events.jsonl")).expect("events").contains("took_over"));
}

#[test]
fn only_own_acts_unless_all_are_asked() {
    for (sessions, turns, left_out) in [("own", 1, 1), ("all", 2, 0)] {
        let mut w = World::new(LEDGER);
        start(&w, json!({"sessions": sessions})).expect("a recording");
        play(&mut w, &[("click", json!({"element_token": "@Add"}))]);
        let other = w.engine.connect(engine::ClientKind::Sdk, None);
        w.call_as(other, "click", json!({"window_id": 1, "x": 120, "y": 20, "delivery_mode": "foreground"})).expect("a click");
        let s = stop(&w);
        assert_eq!((s["turns"].as_u64(), s["others_not_recorded"].as_u64()), (Some(turns), Some(left_out)), "{sessions}");
    }
}

#[test]
fn a_recording_without_an_end_is_told_and_resumed() {
    let mut w = World::new(LEDGER);
    start(&w, json!({})).expect("a recording");
    play(&mut w, &[("click", json!({"element_token": "@Add"}))]);
    let copied = std::env::temp_dir().join(format!("cua-interrupted-{}", std::process::id()));
    // The writer works beside the calls.
    for _ in 0..200 {
        if dir(&w).join("turn-00001").exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    copy(&dir(&w), &copied);
    stop(&w);
    let mut next = World::seeded(LEDGER, 9);
    copy(&copied, &dir(&next));
    std::fs::remove_dir_all(&copied).expect("the copy");
    let refused = start(&next, json!({})).expect_err("it holds a recording");
    assert!(refused.message.contains("interrupted"), "{}", refused.message);
    let text = start(&next, json!({"resume": true})).expect("resumed").text;
    assert!(text.contains("interrupted"), "{text}");
    play(&mut next, &[("click", json!({"element_token": "@Add"}))]);
    stop(&next);
    let s = read(&dir(&next).join("session.json"));
    assert_eq!((s["turns"].as_u64(), s["parts"][0]["end_reason"].as_str()), (Some(2), Some("interrupted")));
    assert!(action(&next, 2)["t_start_ms"].as_u64() >= action(&next, 1)["t_end_ms"].as_u64());
}

#[test]
fn a_recording_ends_with_its_session_and_at_its_limit() {
    let mut w = World::new(LEDGER);
    start(&w, json!({"max_turns": 1})).expect("a recording");
    play(&mut w, &[("click", json!({"element_token": "@Add"})), ("click", json!({"element_token": "@Add"}))]);
    let s = read(&dir(&w).join("session.json"));
    assert_eq!((s["turns"].as_u64(), s["end_reason"].as_str()), (Some(1), Some("limit")));
    start(&w, json!({"overwrite": true})).expect("a recording");
    w.engine.disconnect(w.client);
    assert_eq!(read(&dir(&w).join("session.json"))["end_reason"], "client_gone");
}

#[test]
fn a_secret_is_nowhere() {
    const CANARY: &str = "Cnry7Tq9x";
    let sign_in = |how: (&'static str, Value)| vec![("type_text", json!({"element_token": "@User", "text": "ada"})), how, ("click", json!({"element_token": "@Login"}))];
    for how in [
        ("type_text", json!({"element_token": "@Password", "text": CANARY})),
        ("set_value", json!({"element_token": "@Password", "value": CANARY})),
    ] {
        let w = recorded(SIGN_IN, &sign_in(how.clone()));
        let mut all = Vec::new();
        bytes_under(w.host.root(), &mut all);
        assert!(!all.windows(CANARY.len()).any(|b| b == CANARY.as_bytes()), "{how:?}");
        assert_eq!(action(&w, 1)["arguments"]["text"], "ada");
        let kept = action(&w, 2);
        assert_eq!(kept["secrets"], json!(["password"]));
        assert_eq!(read(&dir(&w).join("turn-00002/evidence.json"))["screenshot"]["masked_regions"], 1);
        let (_, refused) = replay_on(&w, SIGN_IN, json!({}));
        assert_eq!(told(&refused), "secret_required");
        let again = World::seeded(SIGN_IN, 3);
        again.host.keep_secret("bank", CANARY);
        copy(&dir(&w), &dir(&again));
        let answer = again.call("replay_trajectory", json!({"dir": dir(&again).display().to_string(), "delay_ms": 0, "secrets": {"password": "bank"}}));
        assert!(answer.as_ref().is_ok_and(|r| !r.failed), "{}", told(&answer));
    }
}

#[test]
fn a_secret_typed_in_plain_is_a_reference() {
    let mut w = World::new(LEDGER);
    w.host.keep_secret("token", "T0ps3cret");
    start(&w, json!({"record_video": true})).expect("a recording");
    play(&mut w, &[("type_text", json!({"element_token": "@Name", "secret": "token"})), ("type_text", json!({"element_token": "@Name", "text": "T0ps3cret"}))]);
    stop(&w);
    // The video is masked beside.
    for _ in 0..200 {
        if read(&dir(&w).join("session.json"))["video"]["masking"] == "done" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(read(&dir(&w).join("session.json"))["video"]["masking"], "done");
    let mut all = Vec::new();
    bytes_under(w.host.root(), &mut all);
    assert!(!all.windows(9).any(|b| b == b"T0ps3cret"));
    assert_eq!(action(&w, 1)["arguments"]["secret"], "token");
    assert_eq!(action(&w, 2)["arguments"]["text"]["redacted"], true);
}

#[test]
fn what_changed_does_not_break_a_replay() {
    let w = recorded(LEDGER, &trio());
    let ok = "ok path, ok path, ok path";
    let moved = LEDGER.replace("100,80 400x400", "300,20 500x450");
    let retitled = LEDGER.replace("\"Ledger\"", "\"*Ledger\"");
    let inserted = LEDGER.replace("  button \"Remove\"", "  button \"Archive\" at 200,10 80x24\n  button \"Remove\"");
    let gone = LEDGER.replace("  button \"Add\" at 10,10 80x24\n", "");
    let twice = LEDGER.replace("  button \"Remove\"", "  button \"Add\" at 200,10 80x24\n  button \"Remove\"");
    let renamed = LEDGER.replace("\"Add\"", "\"Archive\"");
    let other = LEDGER.replace("app=ledger", "app=other");
    let translated = LEDGER.replace("\"Add\"", "\"Neu\"").replace("\"Remove\"", "\"Entfernen\"");
    let most = translated.replace("\"Agree\"", "\"Ja\"");
    let alike = LEDGER.replace("\"Add\"", "\"Neu\"").replace("\"Remove\"", "\"Neu\"");
    let grown = translated.replace("  button \"Entfernen\"", "  button \"Archiv\" at 200,10 80x24\n  button \"Entfernen\"");
    let filled = LEDGER.replace("textbox \"Name\"", "textbox \"Name\" = \"Grace \"");
    for (what, scene, want) in [
        ("the same", LEDGER.to_owned(), ok),
        ("moved and larger", moved, ok),
        ("retitled", retitled, ok),
        ("a button inserted", inserted, "drifted path, drifted path, drifted path"),
        ("target gone", gone, "drifted path, drifted path, failed replay_target_missing"),
        ("two alike", twice, "drifted path, drifted path, failed replay_target_ambiguous"),
        ("renamed", renamed, "drifted path, drifted path, failed replay_target_missing"),
        ("some labels translated", translated, "drifted path, drifted path, drifted structure"),
        ("most labels others", most, "drifted path, failed replay_target_missing, skipped -"),
        ("translated to two alike", alike, "drifted path, drifted path, failed replay_target_ambiguous"),
        ("translated, and a button more", grown, "drifted path, drifted path, failed replay_target_missing"),
        ("another application", other, "failed replay_target_missing, skipped -, skipped -"),
        ("another value", filled, "drifted path, drifted path, drifted path"),
    ] {
        let (_, answer) = replay_on(&w, &scene, json!({}));
        assert_eq!(told(&answer), want, "{what}: {}", answer.as_ref().map_or_else(engine::Refusal::text, |r| r.text.clone()));
    }
}

#[test]
fn how_a_replay_is_asked() {
    let w = recorded(LEDGER, &trio());
    for (extra, want) in [
        (json!({"dry_run": true}), "ok path, ok path, ok path"),
        (json!({"from": 2, "to": 2}), "ok path"),
        (json!({"from": 3, "to": 2}), "invalid_arguments"),
        (json!({"from": 0}), "invalid_arguments"),
        (json!({"to": 99}), "invalid_arguments"),
        (json!({"mode": "litteral"}), "invalid_arguments"),
        (json!({"dryrun": true}), "invalid_arguments"),
        (json!({"delay_ms": -1}), "invalid_arguments"),
        (json!({"speed": 100.0}), "ok path, ok path, ok path"),
        (json!({"mode": "literal"}), "failed stale_element_token, skipped -, skipped -"),
    ] {
        let (desktop, answer) = replay_on(&w, LEDGER, extra.clone());
        if want.starts_with("ok") && extra.get("from").is_none() || want == "ok path" {
            assert!(answer.as_ref().is_ok_and(|r| !r.failed));
        }
        // Only from and to differ in what is compared: without turn 1 the name is empty.
        let said = told(&answer);
        assert!(said == want || (extra.get("from").is_some() && said == "drifted path"), "{extra}: {said}, not {want}");
        if extra.get("dry_run").is_some() {
            assert!(desktop.desktop.sent().is_empty(), "a dry run sends nothing");
        }
    }
}

#[test]
fn parameters_go_into_recorded_text() {
    let w = recorded(LEDGER, &[("type_text", json!({"element_token": "@Name", "text": "{{who}}"}))]);
    let (_, without) = replay_on(&w, LEDGER, json!({}));
    assert_eq!(told(&without), "invalid_arguments");
    let (desktop, with) = replay_on(&w, LEDGER, json!({"parameters": {"who": "Grace"}}));
    assert!(with.is_ok_and(|r| !r.failed));
    let state = desktop.call("get_window_state", json!({"window_id": 1, "include_screenshot": false})).expect("a look");
    assert!(state.text.contains("Grace"), "{}", state.text);
}

#[test]
fn the_older_layout_is_replayed_as_far_as_it_goes() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/older");
    let twice = LEDGER.replace("  button \"Remove\"", "  button \"Add\" at 200,10 80x24\n  button \"Remove\"");
    for (scene, want) in [(LEDGER, "ok role_name, ok role_name"), (twice.as_str(), "ok role_name, failed replay_target_ambiguous")] {
        let w = World::seeded(scene, 4);
        copy(&sample, &dir(&w));
        let answer = w.call("replay_trajectory", json!({"dir": dir(&w).display().to_string(), "delay_ms": 0, "wait_ms": 200}));
        assert_eq!(told(&answer), want);
    }
}

/// Every kept sample of this layout is still read whole.
#[test]
fn the_first_version_is_read() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/v1");
    let w = World::seeded(LEDGER, 4);
    copy(&sample, &dir(&w));
    let answer = w.call("replay_trajectory", json!({"dir": dir(&w).display().to_string(), "delay_ms": 0, "wait_ms": 200}));
    assert_eq!(told(&answer), "ok path, ok path, ok path");
}

type Hurt = fn(&Path);

#[test]
fn what_is_no_recording_is_refused_before_the_first_act() {
    let w = recorded(LEDGER, &trio());
    let hurts: [(&str, Hurt, &str); 9] = [
        ("not JSON", |d| std::fs::write(d.join("turn-00002/action.json"), "{\"tool\":").expect("written"), "turn-00002"),
        ("a hole", |d| std::fs::remove_dir_all(d.join("turn-00002")).expect("removed"), "turn-00002"),
        ("its end gone", |d| std::fs::remove_dir_all(d.join("turn-00003")).expect("removed"), "turn-00003"),
        ("an unknown tool", |d| edit(&d.join("turn-00002/action.json"), "tool", json!("format_disk")), "format_disk"),
        ("arguments that are a list", |d| edit(&d.join("turn-00002/action.json"), "arguments", json!([1, 2])), "turn-00002"),
        ("another version", |d| edit(&d.join("session.json"), "schema_version", json!(999)), "999"),
        ("a link out of it", |d| {
            std::fs::rename(d.join("turn-00002"), d.join("far")).expect("moved");
            std::os::unix::fs::symlink(d.join("far"), d.join("turn-00002")).expect("a link");
        }, "turn-00002"),
        ("two gigabytes", |d| std::fs::File::create(d.join("turn-00002/action.json")).and_then(|f| f.set_len(2 << 30)).expect("a hole of a file"), "bytes"),
        ("nesting without end", |d| std::fs::write(d.join("turn-00002/action.json"), "[".repeat(100_000)).expect("written"), "turn-00002"),
    ];
    for (what, hurt, says) in hurts {
        let other = World::seeded(LEDGER, 5);
        copy(&dir(&w), &dir(&other));
        hurt(&dir(&other));
        let answer = other.call("replay_trajectory", json!({"dir": dir(&other).display().to_string()}));
        let refused = answer.expect_err(what);
        assert_eq!(refused.code.word(), "trajectory_invalid", "{what}");
        assert!(refused.message.contains(says), "{what}: {}", refused.message);
        assert!(other.desktop.sent().is_empty(), "{what}: something was sent");
    }
}

fn edit(path: &Path, key: &str, value: Value) {
    let mut v = read(path);
    v[key] = value;
    std::fs::write(path, v.to_string()).expect("written");
}
