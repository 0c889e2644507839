//! Scenes change between snapshot and act, in every way that is known, and no act ever reaches
//! another object than the one that was meant.

mod support;

use desktop::NodeKey;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use support::table::{World, elements};

const RUNS: u32 = 10_000;

/// One change of the scene; numbers choose among what is there.
#[derive(Clone, Debug)]
enum Change {
    Insert { before: usize, label: usize },
    Remove(usize),
    Rename { which: usize, label: usize },
    Reorder { which: usize, to: usize },
    Twin(usize),
    Disable(usize),
    Hide(usize),
    Shift(usize),
    Cover,
    MoveWindow { x: i32, y: i32 },
    ReuseWindow,
    LookByAnother,
    LookAgain,
}

const LABELS: [&str; 4] = ["OK", "Delete", "Save", "Cancel"];
const SCENE: &str = r#"
window 1 "Form" pid=10 at 100,80 440x500
  button "OK"
  button "Delete"
  button "Save"
  button "Cancel"
  checkbox "Agree"
window 2 "Other" pid=11 at 20,500 300x200
  button "OK"
"#;

fn change() -> impl Strategy<Value = Change> {
    let (which, label) = (0..8usize, 0..LABELS.len());
    prop_oneof![
        (which.clone(), label.clone()).prop_map(|(before, label)| Change::Insert { before, label }),
        which.clone().prop_map(Change::Remove),
        (which.clone(), label).prop_map(|(which, label)| Change::Rename { which, label }),
        (which.clone(), 0..8usize).prop_map(|(which, to)| Change::Reorder { which, to }),
        which.clone().prop_map(Change::Twin),
        which.clone().prop_map(Change::Disable),
        which.clone().prop_map(Change::Hide),
        which.prop_map(Change::Shift),
        Just(Change::Cover),
        (0..600, 0..400).prop_map(|(x, y)| Change::MoveWindow { x, y }),
        Just(Change::ReuseWindow),
        Just(Change::LookByAnother),
        Just(Change::LookAgain),
    ]
}

#[derive(Clone, Debug)]
struct Story {
    meant: usize,
    tool: &'static str,
    changes: Vec<Change>,
    seed: u64,
}

fn story() -> impl Strategy<Value = Story> {
    let tool = prop_oneof![Just("click"), Just("right_click"), Just("double_click")];
    (0..5usize, tool, prop::collection::vec(change(), 0..5), any::<u64>())
        .prop_map(|(meant, tool, changes, seed)| Story { meant, tool, changes, seed })
}

/// Objects of window 1 as they are now.
fn buttons(world: &World) -> Vec<NodeKey> {
    world.desktop.keys(1)
}

fn apply(world: &mut World, other: engine::ClientId, n: usize, change: &Change) {
    let keys = buttons(world);
    let of = |n: usize| keys.get(n % keys.len().max(1)).cloned();
    let d = world.desktop.clone();
    match change {
        Change::Insert { before, label } => {
            of(*before).map(|k| d.insert_before(&k, &format!("button {:?}", LABELS[*label])));
        }
        Change::Remove(n) => drop(of(*n).map(|k| d.remove(&k))),
        Change::Rename { which, label } => drop(of(*which).map(|k| d.rename(&k, LABELS[*label]))),
        Change::Reorder { which, to } => drop(of(*which).map(|k| d.reorder(&k, *to))),
        Change::Twin(n) => drop(of(*n).map(|k| d.replace_by_twin(&k))),
        Change::Disable(n) => drop(of(*n).map(|k| d.disable(&k))),
        Change::Hide(n) => drop(of(*n).map(|k| d.hide(&k))),
        // To the right of all, each change in a row of its own: nothing else is there.
        Change::Shift(which) => drop(of(*which).map(|k| d.shift(&k, 215, 10 + 30 * n as i32))),
        Change::Cover => drop(d.cover(1)),
        Change::MoveWindow { x, y } => d.move_window(1, *x, *y),
        Change::ReuseWindow => d.reuse(1, "window 1 \"Form\" pid=10 at 100,80 400x300\n  button \"OK\"\n  button \"Delete\"\n"),
        Change::LookByAnother => {
            let _ = world.call_as(other, "get_window_state", json!({"window_id": 1, "include_screenshot": false}));
        }
        Change::LookAgain => {
            let _ = world.call("get_window_state", json!({"window_id": 1, "include_screenshot": false}));
        }
    }
}

fn tell(story: &Story) -> Result<bool, TestCaseError> {
    let mut world = World::seeded(SCENE, story.seed);
    let other = world.engine.connect(engine::ClientKind::Mcp, None);
    let reply = world.look(1).map_err(|r| TestCaseError::fail(r.text()))?;
    let meant = buttons(&world)[story.meant].clone();
    let label = world.desktop.name_of(&meant);
    let token = elements(&reply).find(|e| e["label"] == json!(label)).map(|e| e["element_token"].clone());
    let token = token.ok_or_else(|| TestCaseError::fail(format!("{label:?} was not in the snapshot")))?;
    for (n, c) in story.changes.iter().enumerate() {
        apply(&mut world, other, n, c);
    }
    world.desktop.clear();
    let answer = world.call(story.tool, json!({"element_token": token}));
    for h in world.desktop.happened() {
        prop_assert_eq!(&h.node, &meant, "{} reached {:?} ({:?} was meant): {:?}", story.tool, h.name, label, answer);
        prop_assert_eq!(&h.name, &label, "it had another name by then");
    }
    if answer.is_err() {
        // Bringing the element into view is how it is found out that it cannot be.
        let sent: Vec<String> = world.desktop.log().into_iter().filter(|l| !l.starts_with("scroll to ")).collect();
        prop_assert!(sent.is_empty(), "refused, and sent {:?}: {:?}", sent, answer);
    }
    Ok(answer.is_ok())
}

#[test]
fn no_act_reaches_another_object() {
    let mut runner = TestRunner::new(Config { cases: RUNS, failure_persistence: None, ..Config::default() });
    let acted = std::cell::Cell::new(0u32);
    let result = runner.run(&story(), |s| {
        acted.set(acted.get() + u32::from(tell(&s)?));
        Ok(())
    });
    if let Err(e) = result {
        panic!("{e}");
    }
    // A driver that refuses everything would be right every time, and of no use.
    assert!(acted.get() > RUNS / 5, "only {} of {RUNS} acted", acted.get());
}
