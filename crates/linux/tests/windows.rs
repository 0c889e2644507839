//! Windows as they are listed, pictured and placed, on desktops of their own.

mod common;

use common::{App, Lab, PYTHON, all, ctx, pixel, script, titled, until};
use desktop::{DesktopError, DisplayId, Launch, Placement, Point, Rect, Source, WindowId, WindowKind};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

const KITS: [&str; 3] = ["gtk3", "tk", "qt5"];
const MANAGERS: [&str; 6] =
    ["openbox --sm-disable", "metacity", "xfwm4 --compositor=off", "mutter --x11", "kwin_x11 --no-kactivities", "none"];

#[test]
fn every_toolkit_is_listed_with_its_process_and_one_name() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    for kit in KITS {
        let app = lab.window(kit, kit, "#102030", "320,200,40,60");
        let w = titled(&*d, kit);
        assert_eq!(w.pid.map(|p| p.0), Some(app.pid()), "{kit}");
        assert_eq!((w.kind, w.on_screen, w.minimized), (WindowKind::Normal, true, false), "{kit}");
        assert_eq!((w.bounds.w, w.bounds.h), (320, 200), "{kit}");
        let apps = d.apps(&ctx(), false).expect("applications");
        let named = apps.iter().find(|a| a.pid == w.pid).unwrap_or_else(|| panic!("{kit} is no application"));
        assert_eq!(named.name, w.app_name, "{kit}");
    }
}

#[test]
fn a_covered_or_off_screen_window_has_its_own_pixels() {
    for manager in ["openbox --sm-disable", "none"] {
        let lab = Lab::start(manager);
        let d = lab.open();
        // Redirection begins with the first connection, before the windows come.
        d.windows(&ctx()).expect("a list");
        for (kit, colour, rgb) in [("gtk3", "#ff0000", 0xff_0000), ("tk", "#00c000", 0x00_c000), ("qt5", "#2040ff", 0x20_40ff)] {
            let _low = lab.window(kit, "low", colour, "300,200,100,100");
            let low = titled(&*d, "low");
            let _high = lab.window("tk", "high", "#ffff00", "500,400,50,50");
            let high = titled(&*d, "high");
            d.place(&ctx(), high.id, Placement::Activate).expect("in front");
            d.place(&ctx(), low.id, Placement::Bounds(Rect::new(150, 160, 300, 200))).expect("moved");
            let shot = |id| d.capture(&ctx(), &Source::Window(id)).unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
            until(&format!("own pixels of {kit} under {manager}"), || all(&shot(low.id), rgb).then_some(()));
            d.place(&ctx(), low.id, Placement::Bounds(Rect::new(900, 600, 300, 200))).expect("moved");
            let p = until("pixels beyond the edge", || Some(shot(low.id)).filter(|p| all(p, rgb)));
            assert_eq!(p.real, Rect::new(0, 0, 300, 200), "{manager} {kit}");
            assert_eq!(p.origin, d.window(&ctx(), low.id).expect("lives").bounds.origin(), "{manager} {kit}");
        }
    }
}

#[test]
fn a_minimised_or_closed_window_has_no_picture_and_says_so() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let mut app = lab.window("gtk3", "w", "#ff0000", "300,200,100,100");
    let w = titled(&*d, "w");
    d.place(&ctx(), w.id, Placement::Minimize).expect("minimised");
    let seen = d.window(&ctx(), w.id).expect("lives");
    assert!(seen.minimized && !seen.on_screen);
    assert_eq!(d.capture(&ctx(), &Source::Window(w.id)).expect_err("no picture"), DesktopError::Minimized(w.id));
    d.place(&ctx(), w.id, Placement::Restore).expect("restored");
    assert!(d.window(&ctx(), w.id).expect("lives").on_screen);
    d.place(&ctx(), w.id, Placement::Close).expect("asked to close");
    until("the end", || app.0.try_wait().expect("waits"));
    assert_eq!(d.capture(&ctx(), &Source::Window(w.id)).expect_err("no picture"), DesktopError::WindowGone(w.id));
    assert_eq!(d.place(&ctx(), w.id, Placement::Restore).expect_err("gone"), DesktopError::WindowGone(w.id));
}

#[test]
fn placement_is_exact_under_every_window_manager() {
    for manager in MANAGERS {
        let lab = Lab::start(manager);
        let d = lab.open();
        for kit in ["gtk3", "tk"] {
            let _app = lab.window(kit, kit, "#804020", "300,200,100,100");
            let w = titled(&*d, kit);
            until("a shown window", || d.window(&ctx(), w.id).ok().filter(|w| w.on_screen));
            for want in [Rect::new(210, 170, 420, 310), Rect::new(60, 90, 333, 221)] {
                d.place(&ctx(), w.id, Placement::Bounds(want)).unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
                assert_eq!(d.window(&ctx(), w.id).expect("lives").bounds, want, "{manager} {kit}");
            }
            if manager != "none" {
                d.place(&ctx(), w.id, Placement::Maximize).unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
                assert!(d.window(&ctx(), w.id).expect("lives").bounds.w >= 980, "{manager} {kit}");
                d.place(&ctx(), w.id, Placement::Minimize).unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
                let seen = d.window(&ctx(), w.id).expect("lives");
                assert!(seen.minimized && !seen.on_screen, "{manager} {kit}");
                d.place(&ctx(), w.id, Placement::Restore).unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
                let seen = d.window(&ctx(), w.id).expect("lives");
                assert!(seen.on_screen && !seen.minimized, "{manager} {kit}");
            }
        }
    }
}

#[test]
fn activation_is_proven_under_every_window_manager() {
    for manager in MANAGERS {
        let lab = Lab::start(manager);
        let d = lab.open();
        let (_a, _b) = (lab.window("gtk3", "a", "#111111", "300,200,50,50"), lab.window("qt5", "b", "#222222", "300,200,80,80"));
        let (a, b) = (titled(&*d, "a"), titled(&*d, "b"));
        for w in [&a, &b, &a] {
            d.place(&ctx(), w.id, Placement::Activate).unwrap_or_else(|e| panic!("{manager}: {e}"));
            assert_eq!(d.focus(&ctx()).expect("focus").window, Some(w.id), "{manager}");
            let centre = Point::new(150, 100);
            assert_eq!(d.hit(&ctx(), w.id, centre).expect("hit").top, Some(w.id), "{manager}");
            let active: Vec<WindowId> =
                d.windows(&ctx()).expect("a list").iter().filter(|w| w.active).map(|w| w.id).collect();
            assert_eq!(active, [w.id], "{manager}");
        }
        d.place(&ctx(), b.id, Placement::GiveBack).expect("given");
        until("the keyboard", || d.focus(&ctx()).ok().filter(|f| f.window == Some(b.id)));
    }
}

#[test]
fn a_launched_application_leaves_the_person_the_keyboard() {
    for manager in MANAGERS {
        let lab = Lab::start(manager);
        let d = lab.open();
        let _person = lab.window("tk", "person", "#111111", "300,200,50,50");
        let person = titled(&*d, "person");
        d.place(&ctx(), person.id, Placement::Activate).unwrap_or_else(|e| panic!("{manager}: {e}"));
        for kit in KITS {
            let args = script(kit, kit, "#222222", "300,200,80,80").map(String::from).to_vec();
            let launched = d.launch(&ctx(), &Launch { what: PYTHON.into(), args, urls: vec![] });
            let launched = launched.unwrap_or_else(|e| panic!("{manager} {kit}: {e}"));
            assert_eq!(launched.windows.len(), 1, "{manager} {kit}");
            let active = || d.windows(&ctx()).expect("a list").iter().find(|w| w.active).map(|w| w.id);
            assert_eq!(active(), Some(person.id), "{manager} {kit}");
            d.terminate(&ctx(), launched.pid.expect("a process"), true).expect("ended");
            until("its end", || d.window(&ctx(), launched.windows[0]).is_err().then_some(()));
        }
    }
}

#[test]
fn an_open_menu_is_a_window_of_its_owner() {
    for manager in ["openbox --sm-disable", "none"] {
        for kit in KITS {
            let lab = Lab::start(manager);
            let d = lab.open();
            let app = lab.window(kit, kit, "#304050", "300,200,100,100");
            let w = titled(&*d, kit);
            until("a shown window", || d.window(&ctx(), w.id).ok().filter(|w| w.on_screen));
            let at = w.bounds.centre();
            lab.tool("xdotool", &["mousemove", &at.x.to_string(), &at.y.to_string(), "click", "1"]);
            let menu = until("the menu", || {
                d.windows(&ctx()).expect("a list").into_iter().find(|m| m.kind == WindowKind::Popup && m.bounds.h > 20)
            });
            assert_eq!((menu.owner, menu.pid.map(|p| p.0)), (Some(w.id), Some(app.pid())), "{manager} {kit}");
            assert_eq!(menu.app_name, w.app_name, "{manager} {kit}");
            let shot = d.capture(&ctx(), &Source::Window(menu.id)).expect("a picture of the menu");
            assert_eq!((shot.size.w, shot.size.h), (menu.bounds.w, menu.bounds.h), "{manager} {kit}");
            let inside = menu.bounds.centre().within(w.bounds.origin());
            assert_eq!(d.hit(&ctx(), w.id, inside).expect("hit").top, Some(menu.id), "{manager} {kit}");
        }
    }
}

/// A connection that makes plain windows.
struct Bare {
    conn: x11rb::rust_connection::RustConnection,
    root: u32,
}

impl Bare {
    fn open(lab: &Lab) -> Self {
        let (conn, screen) = x11rb::connect(Some(&lab.display)).expect("a connection");
        let root = conn.setup().roots[screen].root;
        Self { conn, root }
    }

    fn make(&self, id: u32, title: &str) {
        let aux = CreateWindowAux::new().background_pixel(0x123456);
        self.conn.create_window(0, id, self.root, 10, 10, 100, 80, 0, WindowClass::INPUT_OUTPUT, 0, &aux).expect("made");
        self.title(id, title);
        self.conn.map_window(id).expect("mapped");
        self.sync();
    }

    fn title(&self, id: u32, title: &str) {
        self.conn.change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes()).expect("titled");
    }

    fn sync(&self) {
        self.conn.sync().expect("a server");
    }
}

#[test]
fn an_id_used_again_is_another_window() {
    let lab = Lab::start("none");
    let (d, bare) = (lab.open(), Bare::open(&lab));
    let id = bare.conn.generate_id().expect("an id");
    let mut births = Vec::new();
    for _ in 0..50 {
        bare.make(id, "same");
        births.push(titled(&*d, "same").birth);
        births.push(titled(&*d, "same").birth);
        bare.conn.destroy_window(id).expect("gone");
        bare.sync();
    }
    births.dedup();
    assert_eq!(births.len(), 50, "one birth for each life");
    let again = lab.open();
    bare.make(id, "same");
    assert!(!births.contains(&titled(&*again, "same").birth), "an older driver's births are not met again");
}

#[test]
fn what_is_remembered_is_never_stale() {
    for manager in ["openbox --sm-disable", "none"] {
        let lab = Lab::start(manager);
        let (d, bare) = (lab.open(), Bare::open(&lab));
        let id = bare.conn.generate_id().expect("an id");
        bare.make(id, "start");
        titled(&*d, "start");
        for i in 0..400 {
            let title = format!("title {i}");
            bare.title(id, &title);
            if i % 3 == 0 {
                let aux = x11rb::protocol::xproto::ConfigureWindowAux::new().width(100 + i).height(90);
                bare.conn.configure_window(id, &aux).expect("sized");
            }
            bare.sync();
            let w = d.window(&ctx(), WindowId(id.into())).expect("lives");
            assert_eq!(w.title, title, "{manager}");
            if i % 3 == 0 && manager == "none" {
                assert_eq!(w.bounds.w, 100 + i, "{manager}");
            }
        }
    }
}

#[test]
fn what_is_remembered_is_what_a_fresh_look_tells() {
    use x11rb::protocol::xproto::{ConfigureWindowAux, InputFocus, StackMode};
    for manager in ["openbox --sm-disable", "kwin_x11 --no-kactivities", "none"] {
        let lab = Lab::start(manager);
        let (d, bare) = (lab.open(), Bare::open(&lab));
        let c = &bare.conn;
        let [a, b, inner] = [0; 3].map(|_| c.generate_id().expect("an id"));
        bare.make(a, "a");
        bare.make(b, "b");
        c.create_window(0, inner, a, 5, 5, 20, 20, 0, WindowClass::INPUT_OUTPUT, 0, &CreateWindowAux::new()).expect("made");
        c.map_window(inner).expect("mapped");
        bare.sync();
        let numbers = |name: &str, v: u32| {
            let atom = c.intern_atom(false, name.as_bytes()).expect("asked").reply().expect("an atom").atom;
            c.change_property32(PropMode::REPLACE, b, atom, AtomEnum::CARDINAL, &[v]).expect("set");
        };
        let configure = |w, aux: ConfigureWindowAux| drop(c.configure_window(w, &aux).expect("configured"));
        let focus = |w: u32| drop(c.set_input_focus(InputFocus::PARENT, w, x11rb::CURRENT_TIME).expect("focused"));
        let steps: [(&str, &dyn Fn()); 12] = [
            ("nothing", &|| {}),
            ("a moves", &|| configure(a, ConfigureWindowAux::new().x(200).y(150))),
            ("a grows", &|| configure(a, ConfigureWindowAux::new().width(150).height(99))),
            ("a is raised", &|| configure(a, ConfigureWindowAux::new().stack_mode(StackMode::ABOVE))),
            ("b is raised", &|| configure(b, ConfigureWindowAux::new().stack_mode(StackMode::ABOVE))),
            ("a has the focus", &|| focus(a)),
            ("what lies in a has the focus", &|| focus(inner)),
            ("that lies in b now", &|| drop(c.reparent_window(inner, b, 3, 3).expect("moved over"))),
            ("b says another process", &|| numbers("_NET_WM_PID", 1)),
            ("b is hidden", &|| drop(c.unmap_window(b).expect("hidden"))),
            ("b is shown", &|| drop(c.map_window(b).expect("shown"))),
            ("a is gone", &|| drop(c.destroy_window(a).expect("gone"))),
        ];
        let told = |d: &dyn desktop::Desktop| {
            let mut all = d.windows(&ctx()).expect("a list");
            all.iter_mut().for_each(|w| w.birth = 0);
            all
        };
        for (step, act) in steps {
            act();
            bare.sync();
            until(&format!("the truth after {step:?} under {manager}"), || {
                let (kept, fresh) = (told(&*d), told(&*lab.open()));
                let each = kept.iter().all(|w| d.window(&ctx(), w.id).is_ok_and(|one| desktop::Window { birth: 0, ..one } == *w));
                (kept == fresh && each).then_some(())
            });
        }
    }
}

#[test]
fn a_window_that_says_nothing_is_reachable_and_a_lie_about_the_process_is_seen() {
    for manager in ["openbox --sm-disable", "none"] {
        let lab = Lab::start(manager);
        let (d, bare) = (lab.open(), Bare::open(&lab));
        let id = bare.conn.generate_id().expect("an id");
        bare.make(id, "liar");
        let pid = bare.conn.intern_atom(false, b"_NET_WM_PID").expect("asked").reply().expect("an atom").atom;
        let me = Some(std::process::id());
        assert_eq!(titled(&*d, "liar").pid.map(|p| p.0), me, "{manager}: no property at all");
        bare.conn.change_property32(PropMode::REPLACE, id, pid, AtomEnum::CARDINAL, &[1]).expect("set");
        bare.sync();
        assert_eq!(titled(&*d, "liar").pid.map(|p| p.0), me, "{manager}: process 1 is claimed");
    }
}

#[test]
fn depths_of_screens_and_pictures() {
    for (depth, grain) in [("24", 0), ("16", 8)] {
        let lab = Lab::with("none", &["-screen", "0", &format!("400x300x{depth}")]);
        let d = lab.open();
        d.windows(&ctx()).expect("a list");
        let _app = lab.window("tk", "w", "#40a0f0", "200,100,20,20");
        let w = titled(&*d, "w");
        let near = |p: u32| [16, 8, 0].iter().all(|s| (((p >> s) & 0xff) as i32 - ((0x40a0f0 >> s) & 0xff)).abs() <= grain);
        until("its colour", || {
            let p = d.capture(&ctx(), &Source::Window(w.id)).expect("a picture");
            near(pixel(&p, 100, 50)).then_some(())
        });
        let whole = d.capture(&ctx(), &Source::Display(None)).expect("a picture");
        assert_eq!((whole.size.w, whole.size.h), (400, 300));
        let centre = w.bounds.centre();
        assert!(near(pixel(&whole, centre.x as u32, centre.y as u32)), "depth {depth}");
    }
}

#[test]
fn without_composite_only_what_is_not_covered_has_a_picture() {
    let lab = Lab::with("none", &["-screen", "0", "800x600x24", "-extension", "Composite"]);
    let d = lab.open();
    let _low = lab.window("tk", "low", "#ff0000", "200,100,20,20");
    let low = titled(&*d, "low");
    let shot = |id| d.capture(&ctx(), &Source::Window(id));
    until("its colour", || all(&shot(low.id).expect("a picture"), 0xff_0000).then_some(()));
    let _high: App = lab.window("tk", "high", "#00ff00", "100,50,50,40");
    titled(&*d, "high");
    until("a refusal", || matches!(shot(low.id), Err(DesktopError::NoPicture(_))).then_some(()));
}

#[test]
fn a_display_has_a_name_and_a_picture_of_its_own() {
    let lab = Lab::start("none");
    let d = lab.open();
    let all = d.displays(&ctx()).expect("displays");
    assert_eq!(all.iter().filter(|d| d.primary).count(), 1);
    let p = d.capture(&ctx(), &Source::Display(Some(all[0].id.clone()))).expect("a picture");
    assert_eq!((p.size, p.origin), (all[0].bounds.size(), all[0].bounds.origin()));
    let none = d.capture(&ctx(), &Source::Display(Some(DisplayId("nowhere".into())))).expect_err("no such display");
    assert!(matches!(none, DesktopError::NoPicture(_)), "{none}");
}

#[test]
fn monitors_have_their_places_and_pictures() {
    let lab = Lab::start("none");
    let d = lab.open();
    lab.tool("xrandr", &["--setmonitor", "left", "600/160x700/185+0+0", "screen"]);
    lab.tool("xrandr", &["--setmonitor", "right", "400/100x300/80+600+50", "none"]);
    let all = d.displays(&ctx()).expect("displays");
    let right = all.iter().find(|d| d.id.0 == "right").unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(right.bounds, Rect::new(600, 50, 400, 300));
    let _app = lab.window("tk", "w", "#00a0ff", "300,200,650,100");
    let w = titled(&*d, "w");
    until("its colour on the right monitor", || {
        let p = d.capture(&ctx(), &Source::Display(Some(right.id.clone()))).expect("a picture");
        assert_eq!((p.origin, p.size), (right.bounds.origin(), right.bounds.size()));
        let at = w.bounds.origin().offset(5, 5);
        (pixel(&p, (at.x - 600) as u32, (at.y - 50) as u32) == 0x00_a0ff).then_some(())
    });
}

#[test]
fn a_scaled_application_says_so() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let _app = lab.spawn_with("gtk3", "w", "#00a0ff", "150,100,60,60", ("GDK_SCALE", "2"));
    let w = titled(&*d, "w");
    assert_eq!(w.scale, 2.0);
    until("its full size", || d.window(&ctx(), w.id).ok().filter(|w| (w.bounds.w, w.bounds.h) == (300, 200)));
    until("its colour", || all(&d.capture(&ctx(), &Source::Window(w.id)).ok()?, 0x00_a0ff).then_some(()));
    let _plain = lab.spawn_with("tk", "plain", "#00a0ff", "150,100,60,60", ("GDK_SCALE", "2"));
    assert_eq!(titled(&*d, "plain").scale, 1.0, "a toolkit that does not heed it");
}
