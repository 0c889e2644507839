//! What each tool does on a fake desktop: what it answers, and what it sent.

mod support;

use expect_test::expect;
use serde_json::json;
use support::table::{World, check};

const NOTES: &str = r#"
window 1 "Notes" pid=10 at 100,80 400x400 app=notes
  button "OK" at 10,10 80x24 #ok
  button "Delete" at 100,10 80x24
  textbox "Name" = "Ada" focused
  textbox "Page" multiline
  checkbox "Agree"
  combobox "Colour" = "red" options red,green,blue
  slider "Volume" = 30 range 0..50
  password "Secret"
  textbox "Keys" keysonly
  menubar
    menu "File"
      menuitem "Save"
      menuitem "Export"
  list "Fruits"
    listitem "Apple"
    listitem "Pear"
  button "Grey" disabled
  button "Below" offscreen
  button "Far" offscreen fixed
  button "Deaf" noop
window 2 "Other" pid=11 at 600,80 300x200
  textbox "Note" focused
"#;

#[test]
fn a_title_without_end_is_answered_short() {
    let world = World::new(NOTES);
    world.desktop.retitle(2, &"x".repeat(200_000));
    for (tool, arguments) in [
        ("list_windows", json!({})),
        ("get_window_state", json!({"window_id": 2, "include_screenshot": false})),
        ("click", json!({"window_id": 9, "x": 1, "y": 1})),
        ("click", json!({"window_id": 2, "x": 9000, "y": 1})),
    ] {
        let size = match world.call(tool, arguments) {
            Ok(reply) => reply.text.len() + reply.structured.to_string().len(),
            Err(refusal) => format!("{refusal:?}").len(),
        };
        assert!(size < 20_000, "{tool}: {size}");
    }
}

#[test]
fn click_by_token() {
    check(NOTES, r#"
        look 1
        click {"element_token": "@OK"}
        click {"element_token": "@Agree"}
        click {"element_token": "@Apple"}
        click {"element_token": "@Grey"}
        click {"element_token": "@Below"}
        click {"element_token": "@Far"}
        click {"element_token": "@Deaf"}
        right_click {"element_token": "@OK"}
        double_click {"element_token": "@OK"}
        click {"element_token": "@OK", "modifier": ["shift"]}
    "#, expect![[r#"
        look: answered
        click: unverifiable by accessibility
          > invoke OK click
        click: confirmed by accessibility (state_readback)
          > invoke Agree click
        click: confirmed by accessibility (selection_readback)
          > select Fruits Apple
        click: refused element_disabled
        click: unverifiable by accessibility
          > invoke Below click
        click: unverifiable by accessibility
          > invoke Far click
        click: unverifiable by accessibility
          > invoke Deaf click
        right_click: confirmed by synthetic_events (focus_change)
          > move 1 (50,22)
          > press right 1 (50,22)
          > release right 1 (50,22)
        double_click: unverifiable by synthetic_events
          > press left 1 (50,22)
          > release left 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        click: unverifiable by synthetic_events
          > hold shift
          > press left 1 (50,22)
          > release left 1 (50,22)
          > let go shift
    "#]]);
}

#[test]
fn a_token_acts_on_its_object_or_not_at_all() {
    check(NOTES, r#"
        look 1
        ! insert OK button "First"
        click {"element_token": "@OK"}
        ! rename OK Yes
        click {"element_token": "@OK"}
        look 1
        ! twin Delete
        click {"element_token": "@Delete"}
        ! remove Yes
        click {"element_token": "@Yes"}
        click {"element_token": "s00000000:1"}
        click {"element_token": "nonsense"}
        click {"window_id": 1, "element_index": 2}
        click {"element_token": "@Agree", "x": 3, "y": 3}
        click {"window_id": 2, "element_token": "@Agree"}
        ! close 1
        click {"element_token": "@Agree"}
        ! reuse 1
        click {"element_token": "@Agree"}
    "#, expect![[r#"
        look: answered
        click: unverifiable by accessibility
          > invoke OK click
        click: refused stale_element_token
        look: answered
        click: refused stale_element_token
        click: refused stale_element_token
        click: refused stale_element_token
        click: refused invalid_element_token
        click: refused snapshot_id_required
        click: refused conflicting_element_target
        click: refused conflicting_element_target
        click: refused stale_element_token
        click: refused stale_element_token
    "#]]);
}

#[test]
fn click_at_a_point() {
    check(NOTES, r#"
        click {"window_id": 1, "x": 50, "y": 22}
        click {"window_id": 1, "x": 50, "y": 22, "count": 2}
        click {"window_id": 1, "x": 50, "y": 22, "button": "right", "modifier": ["ctrl"]}
        click {"window_id": 1, "x": -1, "y": 22}
        click {"window_id": 1, "x": 50, "y": 4000}
        click {"window_id": 1, "x": 50}
        click {"pid": 10, "x": 50, "y": 22}
        click {"pid": 11, "window_id": 1, "x": 50, "y": 22}
        click {"pid": 99, "x": 50, "y": 22}
        click {"window_id": 77, "x": 50, "y": 22}
        ! cover 1
        click {"window_id": 1, "x": 50, "y": 22}
        ! unreached 1
        click {"window_id": 1, "x": 50, "y": 22}
        ! minimize 1
        click {"window_id": 1, "x": 50, "y": 22}
    "#, expect![[r#"
        click: confirmed by synthetic_events (window_change)
          > move 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        click: confirmed by synthetic_events (window_change)
          > press left 1 (50,22)
          > release left 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        click: confirmed by synthetic_events (window_change)
          > hold ctrl
          > press right 1 (50,22)
          > release right 1 (50,22)
          > let go ctrl
        click: refused out_of_bounds
        click: refused out_of_bounds
        click: refused invalid_arguments
        click: confirmed by synthetic_events (window_change)
          > press left 1 (50,22)
          > release left 1 (50,22)
        click: refused window_owner_pid_mismatch
        click: refused window_target_not_found
        click: refused window_target_not_found
        click: confirmed by synthetic_events (window_change)
          > move 1 (50,22) (sent)
          > press left 1 (50,22) (sent)
          > release left 1 (50,22) (sent)
        click: refused background_unavailable
        click: refused window_minimized
    "#]]);
}

#[test]
fn a_point_belongs_to_the_last_picture() {
    check(NOTES, r#"
        get_window_state {"window_id": 1}
        ! move 1
        click {"window_id": 1, "x": 50, "y": 22}
        ! resize 1
        click {"window_id": 1, "x": 50, "y": 22}
        get_window_state {"window_id": 1}
        click {"window_id": 1, "x": 50, "y": 22}
        get_desktop_state {}
        click {"target": {"kind": "desktop"}, "x": 650, "y": 95}
    "#, expect![[r#"
        get_window_state: answered
        click: confirmed by synthetic_events (focus_change)
          > move 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        click: refused px_frame_mismatch
        get_window_state: answered
        click: unverifiable by synthetic_events
          > press left 1 (50,22)
          > release left 1 (50,22)
        get_desktop_state: answered
        click: unverifiable by synthetic_events
          > move screen (650,95)
          > press left screen (650,95)
          > release left screen (650,95)
    "#]]);
}

#[test]
fn foreground_is_taken_when_asked_and_given_back() {
    check(NOTES, r#"
        ! activate 1
        click {"window_id": 2, "x": 20, "y": 20, "delivery_mode": "foreground"}
        type_text {"window_id": 2, "text": "hi", "delivery_mode": "foreground"}
        click {"window_id": 2, "x": 20, "y": 20, "delivery_mode": "sideways"}
        ! no_activation
        click {"window_id": 2, "x": 20, "y": 20, "delivery_mode": "foreground"}
    "#, expect![[r#"
        click: confirmed by global_input (window_change)
          > place 2 activate
          > move 2 (20,20) (the person's own)
          > press left 2 (20,20) (the person's own)
          > release left 2 (20,20) (the person's own)
          > move screen (640,400) (the person's own)
          > place 1 giveback
        type_text: confirmed by global_input, 2 characters (value_readback)
          > place 2 activate
          > text 2 "hi" (the person's own)
          > place 1 giveback
        click: refused invalid_arguments
        click: refused foreground_unavailable
          > place 2 activate
    "#]]);
}

#[test]
fn text() {
    check(NOTES, r#"
        look 1
        type_text {"element_token": "@Name", "text": "bc"}
        type_text {"element_token": "@Page", "text": "one\ntwo"}
        type_text {"window_id": 2, "text": "into its focus"}
        type_text {"pid": 10, "text": "x"}
        type_text {"window_id": 1, "text": ""}
        type_text {"window_id": 1}
        type_text {"element_token": "@OK", "text": "x"}
        type_text {"element_token": "@Keys", "text": "by keys"}
        ! untypable ☃
        type_text {"element_token": "@Keys", "text": "a☃"}
        ! focus_leaves 3
        type_text {"element_token": "@Keys", "text": "abcdef"}
        type_text {"window_id": 1, "secret": "nobody"}
    "#, expect![[r#"
        look: answered
        type_text: confirmed by accessibility, 2 characters (value_readback)
          > insert text Name "bc" at caret
        type_text: confirmed by accessibility, 7 characters (value_readback)
          > insert text Page "one\ntwo" at caret
        type_text: confirmed by accessibility, 14 characters (value_readback)
          > insert text Note "into its focus" at caret
        type_text: confirmed by accessibility, 1 characters (value_readback)
          > insert text Name "x" at caret
        type_text: confirmed by accessibility, 0 characters (value_readback)
        type_text: refused invalid_arguments
        type_text: unverifiable by synthetic_events, 1 characters
          > focus OK
          > text 1 "x"
        type_text: confirmed by synthetic_events, 7 characters (value_readback)
          > focus Keys
          > text 1 "by keys"
        type_text: refused text_undeliverable ("☃")
        type_text: partial by synthetic_events, 3 characters, try foreground
          > text 1 "abc"
        type_text: refused secret_required
    "#]]);
}

#[test]
fn keys() {
    check(NOTES, r#"
        press_key {"window_id": 1, "key": "Return"}
        press_key {"window_id": 1, "key": "a", "modifiers": ["ctrl"]}
        hotkey {"window_id": 1, "keys": ["ctrl", "shift", "s"]}
        press_key {"window_id": 1, "key": "Retrun"}
        hotkey {"window_id": 1, "keys": ["ctrl"]}
        hotkey {"window_id": 1, "keys": ["a", "b"]}
        press_key {"target": {"kind": "desktop"}, "key": "a"}
    "#, expect![[r#"
        press_key: confirmed by synthetic_events (window_change)
          > key 1 Return
        press_key: confirmed by synthetic_events (window_change)
          > key 1 ctrl+a
        hotkey: confirmed by synthetic_events (window_change)
          > key 1 shift+ctrl+s
        press_key: refused invalid_arguments
        hotkey: refused invalid_arguments
        hotkey: refused invalid_arguments
        press_key: refused background_unavailable
    "#]]);
}

#[test]
fn values() {
    check(NOTES, r#"
        look 1
        set_value {"element_token": "@Name", "value": "Bob"}
        set_value {"element_token": "@Volume", "value": "40"}
        set_value {"element_token": "@Volume", "value": "80"}
        set_value {"element_token": "@Volume", "value": "loud"}
        set_value {"element_token": "@OK", "value": "x"}
        set_value {"element_token": "@Colour", "value": "green"}
        select_option {"element_token": "@Colour", "option": "blue"}
        select_option {"element_token": "@Colour", "option": "mauve"}
        select_option {"element_token": "@Colour", "index": 0}
        click {"element_token": "@Pear"}
        select_option {"element_token": "@OK", "option": "x"}
    "#, expect![[r#"
        look: answered
        set_value: confirmed by accessibility (value_readback)
          > set text Name "Bob"
        set_value: confirmed by accessibility (value_readback)
          > set number Volume 40
        set_value: refused invalid_arguments
        set_value: refused invalid_arguments
        set_value: refused unsupported_on_platform
        set_value: confirmed by accessibility (selection_readback)
          > select Colour green
        select_option: confirmed by accessibility (selection_readback)
          > select Colour blue
        select_option: refused option_not_found
        select_option: confirmed by accessibility (selection_readback)
          > select Colour red
        click: confirmed by accessibility (selection_readback)
          > select Fruits Pear
        select_option: refused option_not_found
    "#]]);
}

#[test]
fn menus() {
    check(NOTES, r#"
        invoke_menu {"window_id": 1, "path": ["File", "Save"]}
        invoke_menu {"window_id": 1, "path": ["File", "Burn"]}
        invoke_menu {"window_id": 1, "path": []}
        invoke_menu {"window_id": 2, "path": ["File"]}
    "#, expect![[r#"
        invoke_menu: unverifiable by accessibility
          > invoke Save click
        invoke_menu: refused menu_path_unavailable
        invoke_menu: refused invalid_arguments
        invoke_menu: refused menu_path_unavailable
    "#]]);
}

#[test]
fn drag_scroll_move() {
    check(NOTES, r#"
        drag {"window_id": 1, "from_x": 20, "from_y": 20, "to_x": 120, "to_y": 20, "steps": 2}
        drag {"window_id": 1, "from_x": 20, "from_y": 20, "to_x": 5000, "to_y": 20}
        scroll {"window_id": 1, "direction": "down", "amount": 2, "x": 50, "y": 22}
        scroll {"window_id": 1, "direction": "diagonal"}
        move_cursor {"window_id": 1, "x": 50, "y": 22}
    "#, expect![[r#"
        drag: confirmed by synthetic_events (window_change)
          > move 1 (20,20)
          > press left 1 (20,20)
          > move 1 (70,20)
          > move 1 (120,20)
          > release left 1 (120,20)
        drag: refused out_of_bounds
        scroll: confirmed by synthetic_events (window_change)
          > move 1 (50,22)
          > wheel down 1 (50,22)
          > wheel down 1 (50,22)
        scroll: refused invalid_arguments
        move_cursor: unverifiable by synthetic_events
    "#]]);
}

#[test]
fn windows_and_applications() {
    let scene = format!("{NOTES}\napp calc \"Calculator\" exe=/usr/bin/calc\n  window 9 \"Calculator\"\n    button \"1\"\n");
    check(&scene, r#"
        set_window_frame {"pid": 10, "window_id": 1, "x": 5, "y": 6, "width": 300, "height": 200}
        set_window_state {"window_id": 1, "state": "minimized"}
        set_window_state {"window_id": 1, "state": "restored"}
        set_window_state {"window_id": 1, "state": "folded"}
        bring_to_front {"pid": 11}
        launch_app {"name": "Calculator"}
        launch_app {"name": "nothing at all"}
        kill_app {"pid": 11}
        kill_app {"pid": 11}
        set_window_state {"window_id": 1, "state": "closed"}
    "#, expect![[r#"
        set_window_frame: confirmed by system_api (window_change)
          > place 1 bounds(300x200 at (5, 6))
        set_window_state: confirmed by system_api (window_change)
          > place 1 minimize
        set_window_state: confirmed by system_api (window_change)
          > place 1 restore
        set_window_state: refused invalid_arguments
        bring_to_front: confirmed by system_api (window_change)
          > place 2 activate
        launch_app: answered
          > launch Calculator
        launch_app: refused invalid_arguments
        kill_app: confirmed by system_api (window_change)
          > terminate 11
        kill_app: refused window_target_not_found
        set_window_state: confirmed by system_api (window_change)
          > place 1 close
    "#]]);
}

#[test]
fn what_does_not_answer() {
    check(NOTES, r#"
        look 1
        ! hang 10
        click {"element_token": "@OK"}
        look 1
        look 2
        ! wake 10
        ! die_in perform 10
        click {"element_token": "@OK"}
        click {"element_token": "@OK"}
        ! no_bus
        look 2
        click {"window_id": 2, "x": 20, "y": 20}
        ! no_display
        list_windows {}
        health_report {}
    "#, expect![[r#"
        look: answered
        click: refused app_not_answering
        look: answered
        look: answered
        click: refused stale_element_token
        click: refused stale_element_token
        look: answered
        click: confirmed by synthetic_events (window_change)
          > move 2 (20,20)
          > press left 2 (20,20)
          > release left 2 (20,20)
        list_windows: refused no_display
        health_report: answered
    "#]]);
}

#[test]
fn predicates() {
    check(NOTES, r#"
        verify_state {"window_id": 1, "expect": [{"element": {"selector": {"label": "Name"}, "value_equals": "Ada"}}]}
        verify_state {"window_id": 1, "expect": [{"element": {"selector": {"label": "Name"}, "value_equals": "Bob"}}]}
        verify_state {"window_id": 1, "expect": [{"element": {"selector": {"role": "button"}, "exists": true, "enabled": true}}]}
        verify_state {"window_id": 1, "expect": [{"element": {"selector": {"label": "Nowhere"}, "exists": false}}]}
        verify_state {"window_id": 1, "expect": [{"window": {"exists": true}}, {"text": "Ada"}]}
        verify_state {"window_id": 1, "expect": []}
        ! later 3 insert OK button "Late"
        wait_for {"window_id": 1, "expect": [{"element": {"selector": {"label": "Late"}, "exists": true}}]}
        wait_for {"window_id": 1, "timeout_ms": 500, "expect": [{"element": {"selector": {"label": "Never"}, "exists": true}}]}
    "#, expect![[r#"
        verify_state: satisfied
        verify_state: unsatisfied
        verify_state: unknown
        verify_state: satisfied
        verify_state: satisfied
        verify_state: refused invalid_arguments
        wait_for: satisfied
        wait_for: unsatisfied
    "#]]);
}

#[test]
fn arguments() {
    check(NOTES, r#"
        clikc {}
        list_windows {"pdi": 10}
        list_windows {"_meta": 1}
        click {"window_id": "one", "x": 1, "y": 1}
        click {"window_id": 1, "x": 1, "y": 1, "count": 0}
        click {"window_id": 1, "x": 1, "y": 1, "count": 4}
        click {}
        get_window_state {"window_id": 1, "include_accessibility_tree": false, "include_screenshot": false}
    "#, expect![[r#"
        clikc: refused invalid_arguments
        list_windows: refused invalid_arguments
        list_windows: answered
        click: refused invalid_arguments
        click: refused invalid_arguments
        click: refused invalid_arguments
        click: refused invalid_arguments
        get_window_state: refused invalid_arguments
    "#]]);
}

#[test]
fn sessions() {
    check(NOTES, r#"
        look 1
        as other
        click {"element_token": "@OK"}
        look 1
        click {"element_token": "@OK"}
        end_session {}
        click {"element_token": "@OK"}
        get_session {}
        start_session {}
        click {"element_token": "@OK"}
        look 1
        click {"element_token": "@OK"}
    "#, expect![[r#"
        look: answered
        click: refused stale_element_token
        look: answered
        click: unverifiable by accessibility
          > invoke OK click
        end_session: answered
        click: refused session_ended
        get_session: answered
        start_session: answered
        click: refused stale_element_token
        look: answered
        click: unverifiable by accessibility
          > invoke OK click
    "#]]);
}

#[test]
fn clipboard() {
    check(NOTES, r#"
        clipboard_write {"text": "hello"}
        clipboard_read {"include_text": true}
        clipboard_write {}
        clipboard_write {"text": "a", "file_path": "/tmp/x"}
    "#, expect![[r#"
        clipboard_write: answered
          > clipboard text "hello"
        clipboard_read: answered
        clipboard_write: refused invalid_arguments
        clipboard_write: refused invalid_arguments
    "#]]);
}
