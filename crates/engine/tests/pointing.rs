//! What proves a click at a spot, and which spots are not clicked.

mod support;

use expect_test::expect;
use support::table::check;

#[test]
fn what_a_hover_or_an_animation_does_is_no_proof() {
    const SCENE: &str = r#"
window 1 "Notes" pid=10 at 100,80 400x400
  button "Deaf" at 10,10 80x24 noop
  button "Box" at 10,50 80x24
  checkbox "Agree" at 10,90 80x24
  label "Status" at 10,130 80x24
  canvas "Sheet" at 10,200 200x150
window 2 "Clock" pid=11 at 600,80 300x200
  canvas "Hands" at 0,0 300x100
  canvas "Face" at 0,100 300x100 noop
"#;
    check(SCENE, r#"
        look 1
        look 2
        ! hovers Deaf Status
        click {"window_id": 1, "x": 50, "y": 22}
        right_click {"element_token": "@Deaf"}
        ! hovers Sheet Status
        click {"window_id": 1, "x": 50, "y": 250}
        click {"window_id": 1, "x": 50, "y": 102}
        click {"window_id": 2, "x": 150, "y": 50}
        click {"window_id": 2, "x": 150, "y": 150}
        ! activate 1
        ! presses_take_focus
        click {"window_id": 2, "x": 150, "y": 150}
        click {"window_id": 2, "x": 150, "y": 50}
        ! animated 2 20
        click {"window_id": 2, "x": 150, "y": 150}
        ! animated 2 33
        click {"window_id": 2, "x": 150, "y": 150}
    "#, expect![[r#"
        look: answered
        look: answered
        click: confirmed by synthetic_events (focus_change)
          > move 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        right_click: unverifiable by synthetic_events
          > press right 1 (50,22)
          > release right 1 (50,22)
        click: confirmed by synthetic_events (window_change)
          > move 1 (50,250)
          > press left 1 (50,250)
          > release left 1 (50,250)
        click: confirmed by synthetic_events (state_readback)
          > move 1 (50,102)
          > press left 1 (50,102)
          > release left 1 (50,102)
        click: confirmed by synthetic_events (window_change)
          > move 2 (150,50)
          > press left 2 (150,50)
          > release left 2 (150,50)
        click: unverifiable by synthetic_events
          > move 2 (150,150)
          > press left 2 (150,150)
          > release left 2 (150,150)
        click: unverifiable by synthetic_events
          > press left 2 (150,150)
          > release left 2 (150,150)
        click: unverifiable by synthetic_events
          > move 2 (150,50)
          > press left 2 (150,50)
          > release left 2 (150,50)
        click: unverifiable by synthetic_events
          > move 2 (150,150)
          > press left 2 (150,150)
          > release left 2 (150,150)
        click: unverifiable by synthetic_events
          > press left 2 (150,150)
          > release left 2 (150,150)
    "#]]);
}

/// A clock, a caret or a counter goes on beside the act.
#[test]
fn what_changes_by_itself_is_no_proof() {
    const SCENE: &str = r#"
window 1 "Notes" pid=10 at 100,80 400x400
  button "Deaf" at 10,10 80x24 noop
  checkbox "Box" at 10,50 80x24
  label "Status" at 10,130 80x24
window 2 "Sheets" pid=11 at 600,80 300x200
  canvas "Live" at 0,0 300x100
  canvas "Dead" at 0,100 300x100 noop
"#;
    check(SCENE, r#"
        look 1
        look 2
        ! ticks Status 50
        click {"element_token": "@Deaf"}
        click {"element_token": "@Box"}
        right_click {"element_token": "@Deaf"}
        ! ticks Deaf 30
        click {"element_token": "@Deaf"}
        ! ticks Box 30
        click {"element_token": "@Box"}
        ! animated 2 100
        click {"window_id": 2, "x": 150, "y": 150}
        scroll {"window_id": 2, "x": 150, "y": 150, "direction": "down"}
        ! animated 2 100 10 110 2 16
        click {"window_id": 2, "x": 150, "y": 150}
        click {"window_id": 2, "x": 150, "y": 50}
    "#, expect![[r#"
        look: answered
        look: answered
        click: unverifiable by accessibility
          > invoke Deaf click
        click: confirmed by accessibility (state_readback)
          > invoke Box click
        right_click: confirmed by synthetic_events (focus_change)
          > move 1 (50,22)
          > press right 1 (50,22)
          > release right 1 (50,22)
        click: unverifiable by accessibility
          > invoke Deaf click
        click: unverifiable by accessibility
          > invoke Box click
        click: unverifiable by synthetic_events
          > move 2 (150,150)
          > press left 2 (150,150)
          > release left 2 (150,150)
        scroll: unverifiable by synthetic_events
          > wheel down 2 (150,150)
          > wheel down 2 (150,150)
          > wheel down 2 (150,150)
        click: unverifiable by synthetic_events
          > press left 2 (150,150)
          > release left 2 (150,150)
        click: confirmed by synthetic_events (window_change)
          > move 2 (150,50)
          > press left 2 (150,50)
          > release left 2 (150,50)
    "#]]);
}

#[test]
fn an_element_under_another_of_its_window_is_not_clicked() {
    const SCENE: &str = r#"
window 1 "Notes" pid=10 at 100,80 400x400
  group "Page" at 0,0 400x300
    button "Under" at 10,10 80x24
    button "Beside" at 200,10 80x24
    group "Card" at 0,100 400x100
      button "Inner" at 10,110 80x24
  label "Words" at 190,0 100x50
  group "Layer" at 0,0 120x60
    button "Over" at 5,5 100x40
"#;
    check(SCENE, r#"
        look 1
        double_click {"element_token": "@Under"}
        click {"element_token": "@Under", "delivery_mode": "foreground"}
        double_click {"element_token": "@Beside"}
        double_click {"element_token": "@Inner"}
        double_click {"element_token": "@Over"}
        ! hide Over
        double_click {"element_token": "@Under"}
        ! move 1
        look 1
        double_click {"element_token": "@Under"}
    "#, expect![[r#"
        look: answered
        double_click: refused element_not_visible ({"role":"button","label":"Over"})
        click: refused element_not_visible ({"role":"button","label":"Over"})
        double_click: confirmed by synthetic_events (window_change)
          > move 1 (240,22)
          > press left 1 (240,22)
          > release left 1 (240,22)
          > press left 1 (240,22)
          > release left 1 (240,22)
        double_click: confirmed by synthetic_events (focus_change)
          > move 1 (50,122)
          > press left 1 (50,122)
          > release left 1 (50,122)
          > press left 1 (50,122)
          > release left 1 (50,122)
        double_click: confirmed by synthetic_events (focus_change)
          > move 1 (55,25)
          > press left 1 (55,25)
          > release left 1 (55,25)
          > press left 1 (55,25)
          > release left 1 (55,25)
        double_click: confirmed by synthetic_events (window_change)
          > move 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
        look: answered
        double_click: confirmed by synthetic_events (window_change)
          > move 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
          > press left 1 (50,22)
          > release left 1 (50,22)
    "#]]);
}

#[test]
fn a_list_that_is_chosen_from_has_a_number() {
    check(r#"
window 1 "Notes" pid=10 at 100,80 400x400
  list "Fruits" at 10,10 200x100
    listitem "Apple"
    listitem "Pear"
  list "Nothing" at 10,150 200x100
"#, r#"
        look 1
        select_option {"element_token": "@Fruits", "option": "Pear"}
        select_option {"element_token": "@Fruits", "option": "Plum"}
    "#, expect![[r#"
        look: answered
        select_option: confirmed by accessibility (selection_readback)
          > select Fruits Pear
        select_option: refused option_not_found
    "#]]);
}
