//! What web pages tell and take, in a real browser.

mod atspi_apps;
mod common;

use atspi_apps::{Shown, Stage, find};
use common::{ctx, until};
use desktop::{Act, EmptyBecause, Limits, States};

const PAGE: &str = "<title>Page</title><body>\
<p>Hello <b>bold</b> and <button id=inner>In <i>side</i></button> <a href=#>link <img alt=pic></a> end</p>\
<label for=n>Name</label><input id=n value=Ada><label for=w>Word</label><input id=w type=password value=hidden>\
<input type=checkbox aria-label=Agree checked><input type=range aria-label=Level value=30>\
<select aria-label=Colour><option>red<option selected>green<option>blue</select>\
<div contenteditable aria-label=Rich>some <b>rich</b> text <img alt=here></div>\
<p style='margin-top:3000px'><button id=far>Far</button></p>";

fn browser(stage: &Stage, flags: &[&str]) -> Shown {
    stage.browser(PAGE, flags)
}

#[test]
fn a_page_is_told_without_placeholders_and_secrets() {
    let stage = Stage::start();
    let _browser = browser(&stage, &["--force-renderer-accessibility"]);
    let window = stage.window("Page");
    let tree = until("the page's own objects", || {
        let tree = stage.a11y.tree(&ctx(), &window, &Limits::default()).ok()?;
        tree.nodes.iter().any(|n| n.name == "Far").then_some(tree)
    });
    assert!(tree.complete);
    assert!(
        tree.nodes.iter().all(|n| !format!("{n:?}").contains("\\u{fffc}") && !format!("{n:?}").contains('\u{fffc}'))
    );
    assert!(!format!("{tree:?}").contains("hidden"));
    for (name, role) in [
        ("Name", "entry"),
        ("Word", "password text"),
        ("Agree", "check box"),
        ("Level", "slider"),
        ("Colour", "combo box"),
    ] {
        let n = find_role(&tree, name, role);
        assert!(n.has(States::WEB | States::ENABLED), "{name}: {n:?}");
        assert!(window.bounds.contains(n.bounds.expect("a place").centre()), "{name}: {n:?}");
    }
    assert_eq!(find_role(&tree, "Name", "entry").value.as_deref(), Some("Ada"));
    assert_eq!(find_role(&tree, "Name", "entry").automation_id.as_deref(), Some("n"));
    assert_eq!(find_role(&tree, "Colour", "combo box").value.as_deref(), Some("green"));
    assert!(find_role(&tree, "Agree", "check box").has(States::CHECKED));
    let word = find_role(&tree, "Word", "password text");
    assert!(word.has(States::SECRET) && word.value.is_none());
    assert!(stage.read(&word.key).value.is_none() && stage.a11y.text(&ctx(), &word.key).is_err());
    let range = find_role(&tree, "Level", "slider").range.expect("a range");
    assert_eq!((range.min, range.max, range.now), (0.0, 100.0, 30.0));
    assert_eq!(find(&tree, "Rich").value.as_deref(), Some("some rich text here"));
}

#[test]
fn a_page_takes_acts() {
    let stage = Stage::start();
    let _browser = browser(&stage, &["--force-renderer-accessibility"]);
    let window = stage.window("Page");
    let tree = until("the page's own objects", || {
        let tree = stage.a11y.tree(&ctx(), &window, &Limits::default()).ok()?;
        tree.nodes.iter().any(|n| n.name == "Far").then_some(tree)
    });
    let agree = find_role(&tree, "Agree", "check box");
    stage.invoke(agree, &["uncheck"]);
    until("it to be off", || (!stage.read(&agree.key).has(States::CHECKED)).then_some(()));
    let level = find_role(&tree, "Level", "slider");
    stage.act(&Act::SetNumber { node: level.key.clone(), value: 70.0 });
    until("the number", || stage.read(&level.key).range.filter(|r| r.now == 70.0));
    let combo = find_role(&tree, "Colour", "combo box");
    let blue = find(&tree, "blue");
    stage.act(&Act::Select { container: combo.key.clone(), child: blue.key.clone(), on: true });
    until("the choice", || stage.read(&combo.key).value.filter(|v| v == "blue"));
    let far = find_role(&tree, "Far", "push button");
    stage.act(&Act::ScrollIntoView { node: far.key.clone() });
    until("it to be seen", || stage.read(&far.key).bounds.filter(|b| window.bounds.contains(b.centre())));
}

#[test]
fn a_browser_started_without_says_so() {
    let stage = Stage::start();
    let _browser = browser(&stage, &[]);
    let window = stage.window("Page");
    until("it to be on the bus", || {
        let tree = stage.a11y.tree(&ctx(), &window, &Limits::default()).expect("an answer");
        (tree.empty == Some(EmptyBecause::NotEnabled)).then_some(())
    });
}

fn find_role<'a>(tree: &'a desktop::Tree, name: &str, role: &str) -> &'a desktop::Node {
    let found = tree.nodes.iter().find(|n| n.name == name && n.raw_role == role);
    found.unwrap_or_else(|| {
        panic!("no {role} {name:?} among {:?}", tree.nodes.iter().map(|n| (&n.raw_role, &n.name)).collect::<Vec<_>>())
    })
}
