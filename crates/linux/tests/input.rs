//! What pointer and keyboard do to real applications on desktops of their own, told by the
//! applications and by the server. Runs without the usual harness because this program is the
//! guardian, and the driver that is killed, as well.

mod common;
#[path = "input_kit/mod.rs"]
mod kit;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use common::{Lab, ctx, titled, until};
use desktop::{Act, Button, Ctx, Desktop, DesktopError, Key, Modifier, Modifiers, Owner, Place, Point, Route, Stopped, Wheel, Window};
use kit::{Kit, State, guarded, keymap, person, state};

const MIXED: &str = "xyzXYZ @{}[]|~^`´é€ 0123 it's \"x\" Привет żółw 日本 🤖 e\u{301} 👨\u{200d}👩";

const TESTS: &[(&str, fn())] = &[
    ("text_is_exact_in_every_layout", text_is_exact_in_every_layout),
    ("locks_and_modifiers_of_the_person_change_nothing_and_are_kept", locks_and_modifiers_of_the_person_change_nothing_and_are_kept),
    ("more_characters_than_spare_keys", more_characters_than_spare_keys),
    ("nobody_is_disturbed_under_any_manager", nobody_is_disturbed_under_any_manager),
    ("a_person_types_elsewhere_meanwhile", a_person_types_elsewhere_meanwhile),
    ("text_stops_where_the_focus_leaves", text_stops_where_the_focus_leaves),
    ("a_stopped_application_is_told_with_the_count", a_stopped_application_is_told_with_the_count),
    ("chords_arrive_once_as_asked", chords_arrive_once_as_asked),
    ("drags_wheels_and_modifiers_arrive", drags_wheels_and_modifiers_arrive),
    ("a_route_that_cannot_reach_says_so_and_sends_nothing", a_route_that_cannot_reach_says_so_and_sends_nothing),
    ("an_owner_that_ends_holds_nothing", an_owner_that_ends_holds_nothing),
    ("a_killed_driver_holds_nothing", a_killed_driver_holds_nothing),
    ("without_a_guardian_nothing_is_held", without_a_guardian_nothing_is_held),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("guard") => return if linux::input::guard(std::io::stdin()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        Some("driver") => kit::drive(&args[1..]),
        Some("--list") => TESTS.iter().for_each(|(name, _)| println!("{name}: test")),
        _ => return run(&args.iter().filter(|a| !a.starts_with('-')).cloned().collect::<Vec<_>>()),
    }
    ExitCode::SUCCESS
}

fn run(filters: &[String]) -> ExitCode {
    let chosen = |name: &str| filters.is_empty() || filters.iter().any(|f| name.contains(f.as_str()));
    let chosen: Vec<_> = TESTS.iter().filter(|(name, _)| chosen(name)).collect();
    println!("\nrunning {} tests", chosen.len());
    let mut failed = 0;
    for (name, test) in &chosen {
        let good = catch_unwind(AssertUnwindSafe(test)).is_ok();
        failed += usize::from(!good);
        println!("test {name} ... {}", if good { "ok" } else { "FAILED" });
    }
    let (verdict, passed) = (if failed == 0 { "ok" } else { "FAILED" }, chosen.len() - failed);
    println!("\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {} filtered out\n", TESTS.len() - chosen.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn text(window: &Window, text: &str) -> Act {
    Act::Text { text: text.into(), window: Some(window.id) }
}

fn inside(window: &Window, x: i32, y: i32) -> Place {
    Place::Window(window.id, Point::new(x, y))
}

fn click(d: &dyn Desktop, route: Route, at: Place) -> bool {
    d.perform(&ctx(), &Act::Click { button: Button::Left, at }, route).expect("clicked").focus_given_back
}

/// Type by a route into a field and look at what the field holds.
fn types(lab: &Lab, d: &dyn Desktop, app: &Kit, route: Route, what: &str) {
    if route == Route::Global {
        d.place(&ctx(), app.window.id, desktop::Placement::Activate).expect("in front");
    }
    let (before, map) = (app.text(), keymap(lab));
    let told = d.perform(&ctx(), &text(&app.window, what), route).unwrap_or_else(|e| panic!("{} {route:?}: {e}", app.kit));
    assert_eq!((told.sent, told.stopped), (what.chars().count(), None), "{} {route:?}", app.kit);
    app.until_text(&format!("{before}{what}"));
    assert_eq!(keymap(lab), map, "{} {route:?}: the keymap", app.kit);
}

fn text_is_exact_in_every_layout() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let ways = [
        ("gtk3", Route::Global), ("gtk3", Route::SecondSeat), ("tk", Route::Global), ("tk", Route::SecondSeat), ("qt5", Route::Global),
        ("qt5", Route::SentEvents), ("xterm", Route::Global), ("xterm", Route::SecondSeat),
    ];
    for (kit, route) in ways {
        let app = Kit::start(&lab, &*d, kit, "Field");
        let _other = person(&lab, &*d);
        for layout in [&["us"][..], &["de"], &["fr"], &["ru"], &["us,ru"], &["us", "intl"], &["us", "dvorak"]] {
            lab.tool("setxkbmap", layout);
            types(&lab, &*d, &app, route, MIXED);
        }
        lab.tool("setxkbmap", &["us"]);
    }
}

fn locks_and_modifiers_of_the_person_change_nothing_and_are_kept() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    for (kit, route) in [("gtk3", Route::Global), ("qt5", Route::Global), ("gtk3", Route::SecondSeat), ("qt5", Route::SentEvents)] {
        let app = Kit::start(&lab, &*d, kit, "Field");
        let _other = person(&lab, &*d);
        for (on, off) in [(["key", "Caps_Lock"], ["key", "Caps_Lock"]), (["key", "Num_Lock"], ["key", "Num_Lock"]), (["keydown", "Shift_L"], ["keyup", "Shift_L"])] {
            lab.tool("xdotool", &on);
            let before = state(&lab);
            assert_ne!(before.modifiers, 0, "the fixture could not set {on:?}");
            types(&lab, &*d, &app, route, "abcXYZ12 ż");
            let after = state(&lab);
            assert_eq!((after.modifiers, after.keys), (before.modifiers, before.keys), "{kit} {route:?} {on:?}");
            lab.tool("xdotool", &off);
        }
    }
}

fn more_characters_than_spare_keys() {
    let lab = Lab::start("none");
    let d = guarded(&lab);
    let many: String = (0..300).filter_map(|i| char::from_u32(0x4e00 + i * 7)).collect();
    for (kit, route) in [("gtk3", Route::SecondSeat), ("tk", Route::SecondSeat), ("qt5", Route::SentEvents)] {
        let app = Kit::start(&lab, &*d, kit, "Field");
        types(&lab, &*d, &app, route, &many);
    }
}

fn nobody_is_disturbed_under_any_manager() {
    for manager in ["openbox --sm-disable", "metacity", "xfwm4 --compositor=off", "mutter --x11", "kwin_x11", "none"] {
        let lab = Lab::start(manager);
        let d = guarded(&lab);
        for kit in ["gtk3", "tk", "qt5"] {
            let app = Kit::start(&lab, &*d, kit, "Target");
            let _other = person(&lab, &*d);
            let before = state(&lab);
            let keys = if kit == "qt5" { Route::SentEvents } else { Route::SecondSeat };
            click(&*d, Route::SecondSeat, inside(&app.window, 40, 30));
            app.until_line("down 40 30");
            undisturbed(&lab, &before, &format!("{manager} {kit} click"));
            d.perform(&ctx(), &text(&app.window, "Ab ż"), keys).expect("typed");
            app.until_text("Ab ż");
            undisturbed(&lab, &before, &format!("{manager} {kit} text"));
        }
    }
}

/// Compare now and a little later, as managers and applications may still be on their way.
fn undisturbed(lab: &Lab, before: &State, what: &str) {
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(&state(lab), before, "{what}");
}

fn a_person_types_elsewhere_meanwhile() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    let other = person(&lab, &*d);
    let mine = "The quick Brown fox jumps over the lazy dog. ".repeat(2);
    let mut typing = lab.spawn("xdotool", &["type", "--delay", "8", &mine]);
    let mut want = String::new();
    while typing.0.try_wait().expect("a child").is_none() {
        d.perform(&ctx(), &text(&app.window, "Robot żółw 01"), Route::SecondSeat).expect("typed");
        want.push_str("Robot żółw 01");
    }
    other.until_text(&mine);
    app.until_text(&want);
}

fn text_stops_where_the_focus_leaves() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    let other = person(&lab, &*d);
    d.place(&ctx(), app.window.id, desktop::Placement::Activate).expect("in front");
    let long = "abcdefghijklmnopqrstuvwxyz".repeat(200);
    let (driver, window, typed) = (d.clone(), app.window.clone(), long.clone());
    let typing = std::thread::spawn(move || driver.perform(&Ctx::lasting(Duration::from_secs(30)), &text(&window, &typed), Route::Global));
    until("some text", || (app.text().len() > 20).then_some(()));
    lab.tool("xdotool", &["windowfocus", &other.window.id.to_string()]);
    let told = typing.join().expect("a thread").expect("told");
    assert_eq!(told.stopped, Some(Stopped::FocusLost));
    app.until_text(&long[..told.sent]);
    assert_eq!(other.text(), "");
    let again = d.perform(&ctx(), &text(&app.window, "x"), Route::Global).expect("told");
    assert_eq!((again.sent, again.stopped), (0, Some(Stopped::FocusLost)));
}

fn a_stopped_application_is_told_with_the_count() {
    let lab = Lab::start("none");
    let d = guarded(&lab);
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    app.signal("STOP");
    let told = d.perform(&ctx(), &text(&app.window, &"abcdef".repeat(50)), Route::SecondSeat);
    app.signal("CONT");
    let sent = match told {
        Ok(told) => {
            assert_eq!(told.stopped, Some(Stopped::NotAnswering));
            told.sent
        }
        Err(e) => panic!("{e}"),
    };
    assert!(sent < 300, "all {sent} went to an application that stands still");
    app.until_text(&"abcdef".repeat(50)[..sent]);
}

fn chords_arrive_once_as_asked() {
    let lab = Lab::start("none");
    let d = guarded(&lab);
    let ctrl: Modifiers = [Modifier::Control].into_iter().collect();
    let shift: Modifiers = [Modifier::Shift].into_iter().collect();
    for (kit, route) in [("gtk3", Route::SecondSeat), ("qt5", Route::SentEvents)] {
        let app = Kit::start(&lab, &*d, kit, "Target");
        for layout in [&["us"][..], &["ru"], &["us,ru"], &["fr"]] {
            lab.tool("setxkbmap", layout);
            for (key, modifiers, want) in [
                (Key::Char('s'), ctrl, "key s ctrl"), (Key::Char('a'), shift, "key a shift"), (Key::Named("Tab"), shift, "key backtab shift"),
                (Key::Named("Return"), Modifiers::NONE, "key return "), (Key::Named("F24"), Modifiers::NONE, "key f24 "),
            ] {
                let seen = app.count(want);
                d.perform(&ctx(), &Act::Key { key, modifiers, window: Some(app.window.id) }, route).expect("pressed");
                until(&format!("{kit} {layout:?} {want}"), || (app.count(want) > seen).then_some(()));
                assert_eq!(app.count(want), seen + 1, "{kit} {layout:?} {want}");
            }
        }
        lab.tool("setxkbmap", &["us"]);
    }
}

fn drags_wheels_and_modifiers_arrive() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let modifiers: Modifiers = [Modifier::Control, Modifier::Shift].into_iter().collect();
    for (kit, route) in [("gtk3", Route::SecondSeat), ("tk", Route::SecondSeat), ("qt5", Route::SecondSeat), ("tk", Route::SentEvents), ("gtk3", Route::Global)] {
        let app = Kit::start(&lab, &*d, kit, "Target");
        let _other = (route != Route::Global).then(|| person(&lab, &*d));
        let w = Some(app.window.id);
        let perform = |act: Act| d.perform(&ctx(), &act, route).unwrap_or_else(|e| panic!("{kit} {route:?} {act:?}: {e}"));
        perform(Act::HoldModifiers { modifiers, window: w });
        click(&*d, route, inside(&app.window, 50, 40));
        perform(Act::ReleaseModifiers { modifiers, window: w });
        app.until_line("down 50 40 shift,ctrl");
        perform(Act::Press { button: Button::Left, at: inside(&app.window, 20, 20) });
        perform(Act::Move { to: inside(&app.window, 60, 30) });
        perform(Act::Release { button: Button::Left, at: inside(&app.window, 90, 40) });
        // Toolkits drop motions that others overtake, so only that there were some counts.
        for line in ["down 20 20 ", "drag ", "up 90 40"] {
            app.until_line(line);
        }
        perform(Act::Wheel { way: Wheel::Down, at: inside(&app.window, 50, 40) });
        app.until_line("wheel down");
        assert!(state(&lab).keys.is_empty() && kit::held(&lab).is_empty(), "{kit} {route:?}");
    }
}

fn a_route_that_cannot_reach_says_so_and_sends_nothing() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let gtk = Kit::start(&lab, &*d, "gtk3", "Gtk");
    let qt = Kit::start(&lab, &*d, "qt5", "Qt");
    let _cover = lab.window("tk", "Cover", "#303030", "600,500,0,0");
    let cover = titled(&*d, "Cover");
    d.place(&ctx(), cover.id, desktop::Placement::Activate).expect("in front");
    let press = |w: &Window| Act::Press { button: Button::Left, at: inside(w, 40, 30) };
    for (window, act, route) in [
        (&gtk.window, press(&gtk.window), Route::SecondSeat),
        (&gtk.window, press(&gtk.window), Route::SentEvents),
        (&gtk.window, text(&gtk.window, "x"), Route::SentEvents),
        (&qt.window, text(&qt.window, "x"), Route::SecondSeat),
        (&qt.window, Act::Wheel { way: Wheel::Up, at: inside(&qt.window, 40, 30) }, Route::SentEvents),
    ] {
        for told in [d.reaches(&ctx(), window.id, &act, route), d.perform(&ctx(), &act, route).map(drop)] {
            assert!(matches!(told, Err(DesktopError::CannotReach { .. })), "{route:?} {act:?}: {told:?}");
        }
    }
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!((gtk.lines("down"), gtk.lines("key"), qt.lines("wheel"), qt.text()), (0, 0, 0, String::new()));
}

fn an_owner_that_ends_holds_nothing() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    let shift: Modifiers = [Modifier::Shift].into_iter().collect();
    for route in [Route::SecondSeat, Route::Global] {
        let (one, two) = (Ctx { owner: Owner(1), ..ctx() }, Ctx { owner: Owner(2), ..ctx() });
        let hold = Act::HoldModifiers { modifiers: shift, window: Some(app.window.id) };
        d.perform(&one, &hold, route).expect("held");
        d.perform(&two, &hold, route).expect("held");
        d.perform(&one, &Act::Press { button: Button::Left, at: inside(&app.window, 40, 30) }, route).expect("pressed");
        assert!(kit::held(&lab).len() > 1, "{route:?}");
        d.release_held(&ctx(), Some(Owner(1))).expect("let go");
        assert!(kit::held(&lab).iter().all(|k| k.contains("key")), "{route:?}: {:?}", kit::held(&lab));
        assert!(!kit::held(&lab).is_empty(), "{route:?}: what another holds was let go");
        d.release_held(&ctx(), None).expect("let go");
        assert_eq!(kit::held(&lab), Vec::<String>::new(), "{route:?}");
    }
}

fn a_killed_driver_holds_nothing() {
    let lab = Lab::start("openbox --sm-disable");
    let d = guarded(&lab);
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    for (what, route) in [("hold", "seat"), ("hold", "global"), ("type", "seat"), ("type", "global")] {
        d.place(&ctx(), app.window.id, desktop::Placement::Activate).expect("in front");
        let map = keymap(&lab);
        let own = std::env::current_exe().expect("own path");
        let mut driver = lab.spawn(&own.to_string_lossy(), &["driver", what, route, &app.window.id.to_string()]);
        if what == "hold" {
            until("something held", || (!kit::held(&lab).is_empty()).then_some(()));
        } else {
            let before = app.text().chars().count();
            until("some text", || (app.text().chars().count() > before + 20).then_some(()));
        }
        driver.0.kill().expect("killed");
        driver.0.wait().expect("gone");
        until(&format!("{what} {route}: all let go"), || (kit::held(&lab).is_empty() && keymap(&lab) == map).then_some(()));
        std::thread::sleep(Duration::from_millis(700));
        assert!(kit::held(&lab).is_empty() && keymap(&lab) == map, "{what} {route}");
    }
}

fn without_a_guardian_nothing_is_held() {
    let lab = Lab::start("none");
    let d = lab.open();
    let app = Kit::start(&lab, &*d, "gtk3", "Target");
    for route in [Route::SecondSeat, Route::Global] {
        d.perform(&ctx(), &Act::Move { to: inside(&app.window, 40, 30) }, route).expect("a move holds nothing");
        let told = d.perform(&ctx(), &Act::Press { button: Button::Left, at: inside(&app.window, 40, 30) }, route);
        assert!(matches!(&told, Err(DesktopError::System(why)) if why.contains("guardian")), "{told:?}");
    }
    assert_eq!((kit::held(&lab), app.lines("down")), (Vec::<String>::new(), 0));
}
