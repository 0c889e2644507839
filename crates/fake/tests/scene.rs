//! The fake itself: what a scene text makes, and what acts do to it.

use std::time::Duration;

use desktop::{
    Act, Button, Ctx, Desktop, DesktopError, Event, EventFilter, Launch, Limits, Local, Modifiers, NodeKey, Pid, Place,
    Placement, Point, Route, Source, States, Stopped, WindowId,
};
use fake::FakeDesktop;

const NOTES: &str = r#"
window 1 "Notes" pid=10 at 100,80 400x300 app=notes
  button "OK" at 10,10 80x24 #ok
  textbox "Name" = "Ada" focused
  checkbox "Agree" checked
  combobox "Colour" = "red" options red,green,blue
  slider "Volume" = 30 range 0..50
  password "Secret" = "hunter2"
  menubar
    menu "File"
      menuitem "Save"
  button "More" opens=2
window 2 "Dialog" pid=10 kind=dialog owner=1 closed modal
  button "Close" closes
window 3 "Other" pid=11 at 600,80 300x200
  textbox "Note"
app calc "Calculator" exe=/usr/bin/calc
  window 9 "Calculator"
    button "1"
"#;

fn ctx() -> Ctx {
    Ctx::lasting(Duration::from_secs(5))
}

fn click(f: &FakeDesktop, route: Route, id: u64, x: i32, y: i32) {
    let at = Place::Window(WindowId(id), Point::<Local>::new(x, y));
    for act in [Act::Press { button: Button::Left, at }, Act::Release { button: Button::Left, at }] {
        f.perform(&ctx(), &act, route).expect("the act is sent");
    }
}

fn invoke(f: &FakeDesktop, node: &NodeKey, action: &str) -> desktop::Result<desktop::Delivery> {
    f.perform(&ctx(), &Act::Invoke { node: node.clone(), action: action.into() }, Route::Accessibility)
}

fn text(f: &FakeDesktop, route: Route, id: u64, text: &str) -> desktop::Result<desktop::Delivery> {
    f.perform(&ctx(), &Act::Text { text: text.into(), window: Some(WindowId(id)) }, route)
}

#[test]
fn a_scene_is_windows_objects_and_values() {
    let f = FakeDesktop::scene(NOTES);
    let windows = f.windows(&ctx()).expect("windows");
    assert_eq!(windows.iter().map(|w| w.id.0).collect::<Vec<_>>(), [1, 3], "a closed window is in no list");
    let tree = f.tree(&ctx(), WindowId(1), &Limits::default()).expect("a tree");
    let says: Vec<String> = tree.nodes.iter().map(|n| format!("{} {:?} {:?}", n.raw_role, n.name, n.value)).collect();
    assert_eq!(says[1], r#"push button "OK" None"#);
    assert_eq!(says[2], r#"text "Name" Some("Ada")"#);
    assert!(tree.complete && tree.nodes.iter().enumerate().all(|(i, n)| n.parent.is_none_or(|p| p < i)));
    let secret = tree.nodes.iter().find(|n| n.name == "Secret").expect("the field");
    assert_eq!(secret.value, None);
    assert_eq!(f.text(&ctx(), &secret.key).expect("bullets"), "•••••••");
}

#[test]
fn a_wrong_line_is_named() {
    let e = FakeDesktop::parse("window 1 \"A\"\n  button \"OK\" blue\n").err().expect("an error");
    assert_eq!(e.to_string(), "scene line 2: an object has no \"blue\"");
}

#[test]
fn acts_have_their_effect_and_are_written_down() {
    let f = FakeDesktop::scene(NOTES);
    click(&f, Route::SecondSeat, 1, 50, 22);
    invoke(&f, &f.node("Agree"), "click").expect("toggled");
    text(&f, Route::SecondSeat, 3, "hi").expect("typed");
    let node = f.node("Volume");
    f.perform(&ctx(), &Act::SetNumber { node, value: 80.0 }, Route::Accessibility).expect("set");
    let (container, child) = (f.node("Colour"), f.node("blue"));
    f.perform(&ctx(), &Act::Select { container, child, on: true }, Route::Accessibility).expect("selected");
    assert_eq!(
        f.log(),
        ["press left 1 (50,22)", "release left 1 (50,22)", "invoke Agree click", "text 3 \"hi\"", "set number Volume 80", "select Colour blue"]
    );
    assert!(!f.is("Agree", States::CHECKED));
    assert_eq!((f.value("Volume"), f.value("Colour")), ("50".into(), "blue".into()));
    assert!(f.felt().contains(&"OK clicked".to_owned()));
    assert_eq!(f.pointer_at(), Point::new(640, 400), "the person's pointer stays");
}

#[test]
fn a_pointer_reaches_what_is_on_top() {
    let f = FakeDesktop::scene(NOTES);
    f.cover(1);
    let at = Place::Window(WindowId(1), Point::new(50, 22));
    let press = Act::Press { button: Button::Left, at };
    let refused = |r| matches!(r, Err(DesktopError::CannotReach { .. }));
    assert!(refused(f.reaches(&ctx(), WindowId(1), &press, Route::SecondSeat)));
    assert!(refused(f.perform(&ctx(), &press, Route::SecondSeat).map(|_| ())));
    click(&f, Route::Global, 1, 50, 22);
    assert_eq!(f.felt(), ["Cover clicked"]);
    f.clear();
    click(&f, Route::SentEvents, 1, 50, 22);
    assert_eq!(f.felt(), ["OK clicked"]);
}

#[test]
fn what_cannot_be_done_sends_nothing() {
    let f = FakeDesktop::scene(NOTES);
    f.untypable("☃");
    f.activate(1);
    assert_eq!(text(&f, Route::SecondSeat, 3, "a☃"), Err(DesktopError::Undeliverable('☃')));
    assert!(matches!(text(&f, Route::Global, 3, "a"), Err(DesktopError::CannotReach { .. })));
    assert!(matches!(invoke(&f, &f.node("OK"), "press"), Err(DesktopError::NotOffered(_))));
    let gone = f.node("OK");
    f.remove(&gone);
    assert_eq!(invoke(&f, &gone, "click"), Err(DesktopError::NodeGone));
    assert_eq!(f.log(), Vec::<String>::new());
}

#[test]
fn menus_and_dialogs_open() {
    let f = FakeDesktop::scene(NOTES);
    let save = f.node("Save");
    let showing = |f: &FakeDesktop| f.read(&ctx(), &save).expect("there").has(States::SHOWING);
    assert!(!showing(&f));
    invoke(&f, &f.node("File"), "click").expect("opened");
    assert!(showing(&f));
    invoke(&f, &save, "click").expect("chosen");
    assert!(!showing(&f), "a chosen item closes its menu");
    invoke(&f, &f.node("More"), "click").expect("opened");
    assert!(f.open(2));
    invoke(&f, &f.node("Close"), "click").expect("closed");
    assert!(!f.open(2));
}

#[test]
fn a_twin_is_another_object() {
    let f = FakeDesktop::scene(NOTES);
    let ok = f.node("OK");
    let twin = f.replace_by_twin(&ok).expect("a twin");
    assert_ne!(ok, twin);
    assert_eq!(f.read(&ctx(), &ok), Err(DesktopError::NodeGone));
    assert_eq!(f.read(&ctx(), &twin).expect("there").name, "OK");
}

#[test]
fn a_hung_application_costs_the_deadline_in_fake_time() {
    let f = FakeDesktop::scene(NOTES);
    f.hang(10);
    let c = Ctx::lasting(Duration::from_secs(3));
    assert_eq!(f.read(&c, &f.node("OK")), Err(DesktopError::NotAnswering(Some(Pid(10)))));
    assert!(f.clock().now() >= c.deadline);
    assert!(f.read(&ctx(), &f.node("Note")).is_ok(), "others answer");
    f.wake(10);
    f.die_in("read", 10);
    let ok = f.node("OK");
    assert_eq!(f.read(&ctx(), &ok), Err(DesktopError::NotAnswering(Some(Pid(10)))));
    assert!(!f.open(1));
}

#[test]
fn text_stops_where_the_focus_leaves() {
    let f = FakeDesktop::scene(NOTES);
    f.focus_leaves_after(2, Some(3));
    let d = text(&f, Route::Global, 1, "wxyz").expect("begun");
    assert_eq!((d.sent, d.stopped), (2, Some(Stopped::FocusLost)));
    assert_eq!((f.value("Name"), f.active()), ("Adawx".into(), Some(WindowId(3))));
}

#[test]
fn what_is_held_is_let_go() {
    let f = FakeDesktop::scene(NOTES);
    let at = Place::Window(WindowId(1), Point::new(50, 22));
    let modifiers: Modifiers = [desktop::Modifier::Shift].into_iter().collect();
    f.perform(&ctx(), &Act::HoldModifiers { modifiers, window: None }, Route::SecondSeat).expect("held");
    f.perform(&ctx(), &Act::Press { button: Button::Left, at }, Route::SecondSeat).expect("pressed");
    assert_eq!(f.held(), ["shift", "left"]);
    f.release_held(&ctx(), None).expect("let go");
    assert_eq!(f.held(), Vec::<String>::new());
}

#[test]
fn pictures_show_the_window_asked_for_and_its_changes() {
    let f = FakeDesktop::scene(NOTES);
    let shot = || f.capture(&ctx(), &Source::Window(WindowId(1))).expect("a picture");
    let first = shot();
    f.cover(1);
    assert!(shot().bgrx == first.bgrx, "a cover is not in the picture");
    f.set_value(&f.node("Name"), "Bob");
    assert!(shot().bgrx != first.bgrx);
    f.minimize(1);
    assert!(matches!(f.capture(&ctx(), &Source::Window(WindowId(1))), Err(DesktopError::Minimized(_))));
}

#[test]
fn time_passes_by_waiting_and_brings_changes() {
    let f = FakeDesktop::scene(NOTES);
    let mut events = f.events(&ctx(), EventFilter { windows: true, ..EventFilter::default() }).expect("events");
    f.later(Duration::from_secs(3), |f| f.show(2));
    assert_eq!(events.next(Duration::from_secs(1)), None);
    assert!(!f.open(2));
    assert_eq!(events.next(Duration::from_secs(2)), None);
    f.windows(&ctx()).expect("windows");
    assert_eq!(events.next(Duration::from_secs(1)), Some(Event::WindowOpened(WindowId(2))));
}

#[test]
fn applications_start_and_end() {
    let f = FakeDesktop::scene(NOTES);
    let l = f.launch(&ctx(), &Launch { what: "Calculator".into(), args: vec![], urls: vec![] }).expect("launched");
    let (pid, window) = (l.pid.expect("a pid"), l.windows[0]);
    assert_eq!(f.window(&ctx(), window).expect("open").pid, Some(pid));
    f.terminate(&ctx(), pid, false).expect("ended");
    assert_eq!(f.terminate(&ctx(), pid, false), Err(DesktopError::NoProcess(pid)));
    f.place(&ctx(), WindowId(3), Placement::Activate).expect("active");
    assert_eq!(f.active(), Some(WindowId(3)));
}
