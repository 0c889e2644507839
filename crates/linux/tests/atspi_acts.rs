//! What acts by accessibility do to real windows, as those tell it.

mod atspi_apps;
mod common;

use std::time::{Duration, Instant};

use atspi_apps::{Stage, find};
use common::{ctx, until};
use desktop::{Act, Ctx, DesktopError, EmptyBecause, Event, Limits, States};
use rustix::process::Signal;

const KITS: [&str; 3] = ["gtk3", "gtk4", "qt5"];

#[test]
fn acts_arrive_in_a_window_without_focus() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        let name = stage.node("Form", "Name").key;
        stage.act(&Act::SetText { node: name.clone(), text: "Zoë 日本 🤖".into() });
        app.says("text Name Zoë 日本 🤖");
        stage.act(&Act::InsertText { node: name.clone(), text: "é🤖".into(), at: Some(7) });
        app.says("text Name Zoë 日本 é🤖🤖");
        assert_eq!(stage.a11y.text(&ctx(), &name).as_deref(), Ok("Zoë 日本 é🤖🤖"), "{kit}");
        stage.act(&Act::SetText { node: name.clone(), text: String::new() });
        app.says("text Name ");
        stage.act(&Act::SetNumber { node: stage.node("Form", "Level").key, value: 55.0 });
        app.says("value 55.0");
        stage.invoke(&stage.node("Form", "Send"), &["click", "Press"]);
        app.says("press Send");
        let word = stage.node("Form", "Word").key;
        stage.act(&Act::SetText { node: word.clone(), text: "other".into() });
        app.says("text Word other");
        assert!(
            matches!(stage.a11y.text(&ctx(), &word), Err(DesktopError::NotOffered(_))),
            "{kit}: a secret is not read"
        );
    }
}

#[test]
fn what_is_not_offered_is_refused_and_not_done() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        let send = stage.node("Form", "Send").key;
        for act in [
            Act::Invoke { node: send.clone(), action: "explode".into() },
            Act::SetText { node: send.clone(), text: "x".into() },
            Act::InsertText { node: send.clone(), text: "x".into(), at: None },
            Act::Select { container: send.clone(), child: stage.node("Form", "Off").key, on: true },
        ] {
            let done = stage.a11y.perform(&ctx(), &act);
            assert!(matches!(done, Err(DesktopError::NotOffered(_))), "{kit}: {act:?} {done:?}");
        }
        assert!(!app.said("press Send"), "{kit}");
    }
}

#[test]
fn what_is_disabled_or_hidden_is_told_and_not_done() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        let off = stage.node("Form", "Off");
        let action = off.actions.first().cloned().unwrap_or_else(|| "click".into());
        let done = stage.a11y.perform(&ctx(), &Act::Invoke { node: off.key, action });
        assert_eq!(done, Err(DesktopError::NodeDisabled), "{kit}");
        stage.invoke(&stage.node("Form", "Send"), &["click", "Press"]);
        app.says("press Send");
        assert!(!app.said("press Off"), "{kit}");
    }
    let app = stage.form("gtk3", "hides");
    app.says("ready");
    let other = stage.node("Hides", "Other").key;
    stage.invoke(&stage.node("Hides", "Hide"), &["click"]);
    app.says("press Hide");
    let done = stage.a11y.perform(&ctx(), &Act::Invoke { node: other, action: "click".into() });
    assert_eq!(done, Err(DesktopError::NodeHidden));
    assert!(!app.said("press Other"));
}

/// The ATK bridge says yes before it tries.
#[test]
fn an_act_that_is_said_to_be_done_was_done() {
    let stage = Stage::start();
    let app = stage.form("gtk3", "fickle");
    app.says("ready");
    let go = Act::Invoke { node: stage.node("Fickle", "Go").key, action: "click".into() };
    let mut told = [0, 0];
    for _ in 0..200 {
        app.forget();
        let done = match stage.a11y.perform(&ctx(), &go) {
            Ok(_) => true,
            Err(DesktopError::NodeDisabled) => false,
            Err(e) => panic!("{e}"),
        };
        told[usize::from(done)] += 1;
        if done {
            app.says("press Go");
        } else {
            std::thread::sleep(Duration::from_millis(5));
            assert!(!app.said("press Go"));
        }
    }
    assert!(told.iter().all(|n| *n > 10), "{told:?}");
}

#[test]
fn an_option_is_chosen_by_its_identity() {
    let stage = Stage::start();
    let app = stage.form("gtk3", "form");
    app.says("ready");
    let tree = stage.tree("Form");
    let combo = find(&tree, "Colour");
    stage.act(&Act::Select { container: combo.key.clone(), child: find(&tree, "blue").key.clone(), on: true });
    app.says("choose blue");
    assert_eq!(stage.read(&combo.key).value.as_deref(), Some("blue"));
}

/// The dialog runs its own main loop inside the act.
#[test]
fn a_dialog_opened_by_an_act_is_read_and_answered() {
    let stage = Stage::start();
    for (kit, ok, answer) in [("gtk3", "OK", "answer -5"), ("qt5", "OK", "answer 1")] {
        let app = stage.form(kit, "dialog");
        app.says("ready");
        stage.invoke(&stage.node("Asks", "Ask"), &["click", "Press"]);
        app.says("press Ask");
        let dialog = stage.tree("Question");
        find(&stage.tree("Asks"), "Send");
        stage.invoke(find(&dialog, ok), &["click", "Press"]);
        app.says(answer);
        stage.invoke(&stage.node("Asks", "Send"), &["click", "Press"]);
        app.says("press Send");
    }
}

#[test]
fn a_stopped_application_is_told_and_delays_nobody() {
    let stage = Stage::start();
    let hung = stage.form("gtk3", "form");
    hung.says("ready");
    let (window, send) = (stage.window("Form"), stage.node("Form", "Send"));
    let fine = stage.form("qt5", "twins");
    fine.says("ready");
    let other = until("a window", || stage.desk.windows(&ctx()).ok()?.into_iter().find(|w| w.title == "Twin"));
    hung.signal(Signal::STOP);
    let bound = Ctx::lasting(Duration::from_secs(8));
    std::thread::scope(|s| {
        let waits: Vec<_> = (0..4)
            .map(|_| {
                s.spawn(|| {
                    let t = Instant::now();
                    (stage.a11y.tree(&bound, &window, &Limits::default()).map(|t| t.empty), t.elapsed())
                })
            })
            .collect();
        let tree = stage.a11y.tree(&bound, &other, &Limits::default()).expect("a tree");
        assert!(tree.empty.is_none());
        for w in waits {
            let (answer, time) = w.join().expect("no panic");
            assert_eq!(answer, Ok(Some(EmptyBecause::NotAnswering)));
            assert!(time < Duration::from_secs(4), "{time:?}");
        }
    });
    let press = Act::Invoke { node: send.key.clone(), action: "click".into() };
    assert!(matches!(stage.a11y.perform(&bound, &press), Err(DesktopError::NotAnswering(_))));
    assert!(matches!(stage.a11y.read(&bound, None, &send.key), Err(DesktopError::NotAnswering(_))));
    hung.signal(Signal::CONT);
    until("it to answer", || stage.a11y.read(&ctx(), None, &send.key).ok());
}

#[test]
fn changes_are_told_while_somebody_listens() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        let window = stage.window("Form");
        let name = stage.node("Form", "Name");
        let mut events = stage.a11y.events(&ctx(), window.pid).expect("events");
        stage.act(&Act::SetText { node: name.key.clone(), text: "new".into() });
        until("an event", || match events.next(Duration::from_millis(300)) {
            Some(Event::NodeChanged { pid, node }) => {
                assert_eq!(pid, window.pid, "{kit}");
                (node.as_ref() == Some(&name.key)).then_some(())
            }
            _ => None,
        });
        assert!(stage.read(&name.key).has(States::EDITABLE));
    }
}
