//! Arguments that are wrong, values that do not take, and settings that go back.

#[allow(dead_code)]
mod support;

use serde_json::{Value, json};
use support::table::World;

const NOTES: &str = "window 1 \"Notes\" pid=10 at 100,80 400x400 app=notes\n  button \"OK\" at 10,10 80x24";

#[test]
fn settings_go_back_to_their_defaults() {
    let world = World::new(NOTES);
    for (arguments, size, lifetime) in [
        (json!({"max_image_dimension": 100, "token_lifetime": "object"}), 100, "object"),
        (json!({"reset": true, "key": "max_image_dimension"}), 1568, "object"),
        (json!({"max_image_dimension": 7, "session": "s"}), 7, "object"),
        (json!({"reset": true}), 1568, "snapshot"),
        // The session's own stays until it is reset there.
        (json!({"token_lifetime": "object", "session": "s"}), 7, "object"),
        (json!({"reset": true, "session": "s"}), 1568, "snapshot"),
    ] {
        let reply = world.call("set_config", arguments.clone()).expect("set");
        let now: [&Value; 2] = [&reply.structured["max_image_dimension"], &reply.structured["token_lifetime"]];
        assert_eq!(now, [&json!(size), &json!(lifetime)], "{arguments}");
    }
    for (arguments, part) in [
        (json!({"reset": true, "key": "max_image_dimention"}), "max_image_dimension"),
        (json!({"reset": true, "key": "token_lifetime", "value": "object"}), "`reset`"),
        (json!({"reset": true, "token_lifetime": "object"}), "`reset`"),
    ] {
        let refusal = world.call("set_config", arguments.clone()).expect_err("refused");
        assert!(refusal.text().contains(part), "{arguments}: {}", refusal.text());
    }
}

#[test]
fn a_value_that_was_set_is_what_was_asked_or_said_not_to_be() {
    let mut world = World::new(
        r#"
window 1 "Form" pid=10 at 0,0 400x400
  textbox "Plain" = "old"
  textbox "Loud" = "old" shouts
  textbox "Deaf" = "old" noop
  password "Short" = "12"
  password "Same" = "1234" noop
"#,
    );
    world.look(1).expect("a look");
    for (field, effect) in [
        ("Plain", "confirmed"),
        ("Loud", "unverifiable"),
        ("Deaf", "suspected_noop"),
        ("Short", "confirmed"),
        // As long as before: whether it is another one cannot be seen.
        ("Same", "unverifiable"),
    ] {
        let token = world.token(field).to_owned();
        let reply = world.call("set_value", json!({"element_token": token, "value": "news"})).expect(field);
        assert_eq!(reply.structured["effect"], effect, "{field}");
    }
}

#[test]
fn a_read_only_field_is_not_written_to() {
    let mut world = World::new("window 1 \"Form\" pid=10 at 0,0 400x400\n  textbox \"Fixed\" = \"old\" readonly");
    world.look(1).expect("a look");
    for (tool, word) in [("type_text", "text"), ("set_value", "value")] {
        let token = world.token("Fixed").to_owned();
        let refusal = world.call(tool, json!({"element_token": token, word: "new"})).expect_err(tool);
        assert_eq!(refusal.code.word(), "text_undeliverable", "{tool}");
        assert!(refusal.message.contains("read-only") && world.desktop.sent().is_empty(), "{tool}: {}", refusal.message);
    }
}

#[test]
fn a_refusal_names_the_field_and_is_short_and_plain() {
    let world = World::new(NOTES);
    for (tool, arguments, field) in [
        ("list_windows", json!({"pid": 1_u64 << 53}), "pid"),
        ("click", json!({"window_id": 1, "x": 1, "y": 1, "snapshot_id": "s", "element_index": 1_u64 << 40}), "element_index"),
        ("replay_trajectory", json!({"dir": "/tmp/x", "parameters": {"a": 1}}), "parameters.a"),
        ("list_windows", json!({"pid": "\u{1b}[2J\u{202e}"}), "pid"),
        ("list_windows", json!({"session": "A".repeat(1_000_000)}), "session"),
        ("get_window_state", json!({"window_id": 1, "screenshot_out_file": "\u{9b}2J".repeat(100_000)}), ""),
        ("get_window_state", json!({"window_id": 1, "since": "s".repeat(100_000)}), ""),
        ("list_windows", json!({"\u{1b}]0;x\u{7}": 1}), ""),
    ] {
        let refusal = world.call(tool, arguments).expect_err(tool);
        assert!(refusal.message.contains(field), "{tool}: {}", refusal.message);
        assert!(refusal.envelope().to_string().len() < 20_000, "{tool} {field}");
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!refusal.text().contains(acts), "{tool}: {}", refusal.text());
    }
}
