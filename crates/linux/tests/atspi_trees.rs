//! What trees of real windows say.

mod atspi_apps;
mod common;

use atspi_apps::{Stage, find};
use common::{App, ctx, until};
use desktop::{Act, DesktopError, EmptyBecause, Limits, Node, NodeKey, Placement, States, WindowId, WindowKind};

const KITS: [&str; 3] = ["gtk3", "gtk4", "qt5"];

#[test]
fn a_form_is_told_with_roles_values_and_states() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        let tree = stage.tree("Form");
        let window = stage.window("Form");
        assert!(tree.complete && tree.cut.is_none(), "{kit}: {:?}", tree.cut);
        for (i, n) in tree.nodes.iter().enumerate() {
            assert!(n.parent.map_or(i == 0, |p| p < i), "{kit}: parents come first");
        }
        let name = find(&tree, "Name");
        assert_eq!(
            (name.value.as_deref(), name.editable_text, name.has(States::EDITABLE)),
            (Some("Ada"), true, true),
            "{kit}"
        );
        let word = find(&tree, "Word");
        assert_eq!((word.value.as_deref(), word.has(States::SECRET)), (None, true), "{kit}");
        assert!(!format!("{tree:?}").contains("hidden"), "{kit}: the secret is in the tree");
        let agree = find(&tree, "Agree");
        assert!(agree.has(States::CHECKABLE | States::CHECKED | States::ENABLED), "{kit}: {agree:?}");
        assert!(!find(&tree, "Off").has(States::ENABLED), "{kit}");
        let level = find(&tree, "Level").range.unwrap_or_else(|| panic!("{kit}: no range"));
        assert_eq!((level.min, level.max, level.now), (0.0, 100.0, 30.0), "{kit}");
        let combo = tree.nodes.iter().find(|n| n.raw_role == "combo box").expect("a combo box");
        assert_eq!((combo.name.as_str(), combo.value.as_deref()), ("Colour", Some("green")), "{kit}");
        for n in tree.nodes.iter().filter(|n| n.has(States::SHOWING) && n.has(States::FOCUSABLE)) {
            let at = n.bounds.filter(|b| !b.is_empty()).unwrap_or_else(|| panic!("{kit}: {n:?} has no place"));
            assert!(window.bounds.contains(at.centre()), "{kit}: {n:?} lies outside {:?}", window.bounds);
        }
    }
}

#[test]
fn an_object_read_alone_is_as_in_its_tree() {
    let stage = Stage::start();
    let told = |n: &Node| {
        (
            n.raw_role.clone(),
            n.name.clone(),
            n.value.clone(),
            n.states,
            n.bounds,
            n.actions.clone(),
            n.range,
            n.child_count,
        )
    };
    for kit in KITS {
        let app = stage.form(kit, "form");
        app.says("ready");
        // The window manager may still be placing the window at first.
        until(&format!("the same answers of {kit}"), || {
            let tree = stage.tree("Form");
            let again: Vec<_> = tree.nodes.iter().map(|n| told(&stage.read(&n.key))).collect();
            (again == tree.nodes.iter().map(told).collect::<Vec<_>>()).then_some(())
        });
    }
}

#[test]
fn a_field_is_called_by_its_label() {
    let stage = Stage::start();
    let app = stage.form("gtk3", "form");
    app.says("ready");
    let field = stage.tree("Form").nodes.into_iter().find(|n| n.value.as_deref() == Some("of a label"));
    assert_eq!(field.map(|n| n.name), Some("Town".into()));
}

#[test]
fn windows_of_one_title_have_their_own_trees() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "twins");
        app.says("ready");
        let twins = until("two windows", || {
            let all = stage.desk.windows(&ctx()).expect("a list");
            let two: Vec<_> = all.into_iter().filter(|w| w.title == "Twin").collect();
            (two.len() == 2).then_some(two)
        });
        // Which is which is known by size or place, which the window manager gives.
        let left = |w: &desktop::Window| if kit == "gtk4" { w.bounds.w < 360 } else { w.bounds.x < 400 };
        for id in twins.into_iter().map(|w| w.id) {
            // The window manager may still be placing it.
            let (w, tree) = until("a tree", || {
                let w = stage.desk.window(&ctx(), id).ok()?;
                let tree = stage.a11y.tree(&ctx(), &w, &Limits::default()).ok().filter(|t| t.empty.is_none())?;
                Some((w, tree))
            });
            let (own, other) = if left(&w) { ("Left", "Right") } else { ("Right", "Left") };
            let has = |name: &str| tree.nodes.iter().any(|n| n.name == name);
            assert!(has(own) && !has(other), "{kit}: {own} window");
        }
    }
}

/// GTK 4 tells no places on the screen: only which is active tells these apart.
#[test]
fn windows_that_cannot_be_told_apart_have_no_tree_rather_than_another_s() {
    let stage = Stage::start();
    let app = stage.form("gtk4", "same");
    let ids = ["Left", "Right"].map(|l| (l, WindowId(app.tells(&format!("xid {l} ")).parse().expect("a number"))));
    let look = |id| {
        let w = stage.desk.window(&ctx(), id).expect("it lives");
        let tree = stage.a11y.tree(&ctx(), &w, &Limits::default()).expect("an answer");
        (w.active, tree)
    };
    for round in 0..3 {
        for (name, id) in ids {
            stage.desk.place(&ctx(), id, Placement::Activate).expect("it is activated");
            until("its tree", || {
                let (active, tree) = look(id);
                let shown = tree.nodes.iter().find(|n| n.name == "Left" || n.name == "Right");
                assert!(shown.is_none_or(|n| n.name == name), "round {round}: {name} has the other's tree");
                (active && shown.is_some()).then_some(())
            });
            for (name, id) in ids {
                let (_, tree) = look(id);
                let shown = tree.nodes.iter().find(|n| n.name == "Left" || n.name == "Right");
                assert!(shown.is_none_or(|n| n.name == name), "round {round}: {name} has the other's tree");
            }
        }
    }
}

#[test]
fn a_huge_table_is_cut_and_says_so() {
    let stage = Stage::start();
    let app = stage.form("gtk3", "rows");
    app.says("ready");
    let tree = stage.tree("Rows");
    assert_eq!((tree.complete, tree.cut), (false, Some("too_many_children")));
    assert!(tree.omitted > 7000 && tree.nodes.len() < 1000, "{} nodes, {} omitted", tree.nodes.len(), tree.omitted);
    find(&tree, "Row 0");
}

#[test]
fn limits_count_the_asked_window_and_long_names_are_cut() {
    let stage = Stage::start();
    let app = stage.form("gtk3", "hostile");
    app.says("ready");
    let tree = stage.tree("Hostile");
    assert!(tree.complete);
    let long = tree.nodes.iter().find(|n| n.name.starts_with("NNN")).expect("the long one");
    assert_eq!(long.name.len(), Limits::default().max_text);
    find(&tree, "line\nbreak \u{202e} [1] button");
    find(&tree, "bottom");
    let window = stage.window("Hostile");
    for (limits, cut) in [
        (Limits { max_nodes: 10, ..Limits::default() }, "max_elements"),
        (Limits { max_depth: 8, ..Limits::default() }, "max_depth"),
    ] {
        let tree = stage.a11y.tree(&ctx(), &window, &limits).expect("a tree");
        assert_eq!((tree.complete, tree.cut), (false, Some(cut)));
        assert!(tree.omitted > 0 && tree.nodes.len() <= limits.max_nodes, "{cut}");
    }
}

#[test]
fn an_open_menu_is_a_window_with_its_items() {
    let stage = Stage::start();
    for (kit, action) in [("gtk3", "click"), ("qt5", "ShowMenu")] {
        let app = stage.form(kit, "menu");
        app.says("ready");
        let file = stage.node("Menus", "File");
        stage.invoke(&file, &[action]);
        let popup = until("a popup", || {
            let all = stage.desk.windows(&ctx()).expect("a list");
            all.into_iter().find(|w| w.kind == WindowKind::Popup && w.bounds.w > 20)
        });
        let tree = until("its tree", || {
            stage.a11y.tree(&ctx(), &popup, &Limits::default()).ok().filter(|t| t.empty.is_none())
        });
        let save = find(&tree, "Save");
        assert!(popup.bounds.contains(save.bounds.expect("a place").centre()), "{kit}");
        assert!(tree.nodes.iter().all(|n| n.name != "Send"), "{kit}: only the menu's own objects");
        stage.invoke(save, &["click", "Press"]);
        app.says("menu Save");
    }
}

#[test]
fn what_is_gone_is_gone() {
    let stage = Stage::start();
    for kit in KITS {
        let app = stage.form(kit, "gone");
        app.says("ready");
        let other = stage.node("Gone", "Other");
        assert_eq!(stage.read(&other.key).name, "Other", "{kit}");
        stage.invoke(&stage.node("Gone", "Remove"), &["click", "Press"]);
        app.says("press Remove");
        until("it to go", || {
            matches!(stage.a11y.read(&ctx(), None, &other.key), Err(DesktopError::NodeGone)).then_some(())
        });
        let act = Act::Invoke { node: other.key.clone(), action: "click".into() };
        assert_eq!(stage.a11y.perform(&ctx(), &act), Err(DesktopError::NodeGone), "{kit}");
        drop(app);
        until("its application to go", || {
            matches!(stage.a11y.read(&ctx(), None, &other.key), Err(DesktopError::NodeGone)).then_some(())
        });
    }
    for key in
        ["", "x", ":1.1", "|/", ":9.9|/org/a11y/atspi/accessible/1", ":1.0|no path", "org.a11y.Bus|/org/a11y/bus"]
    {
        assert_eq!(
            stage.a11y.read(&ctx(), None, &NodeKey::new(key)).map(|n| n.name),
            Err(DesktopError::NodeGone),
            "{key:?}"
        );
    }
}

#[test]
fn without_a_bus_it_says_so_and_finds_it_when_it_comes() {
    let mut stage = Stage::without_bus();
    let _quiet: App = stage.lab.window("gtk3", "Quiet", "#102030", "200,100,10,10");
    let window = stage.window("Quiet");
    let empty = |stage: &Stage, w| stage.a11y.tree(&ctx(), w, &Limits::default()).expect("an answer").empty;
    assert_eq!(empty(&stage, &window), Some(EmptyBecause::NoBus));
    stage.launch();
    // That application was told to stay away from the bus.
    until("the bus", || (empty(&stage, &window) == Some(EmptyBecause::NoWindow)).then_some(()));
    let app = stage.form("gtk3", "form");
    app.says("ready");
    find(&stage.tree("Form"), "Send");
}
