//! Windows out of the ordinary: translucent, shaped, on another workspace, orphaned, on a screen
//! that changes its size.

mod common;

use common::{Lab, all, ctx, pixel, titled, until};
use desktop::{DesktopError, Placement, Rect, Source, WindowId};
use x11rb::connection::Connection as _;
use x11rb::protocol::shape::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    AtomEnum, ClipOrdering, ColormapAlloc, ConnectionExt as _, CreateWindowAux, PropMode, Rectangle, VisualClass, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

fn connect(lab: &Lab) -> (RustConnection, u32) {
    let (conn, screen) = x11rb::connect(Some(&lab.display)).expect("a connection");
    let root = conn.setup().roots[screen].root;
    (conn, root)
}

fn show(conn: &RustConnection, id: u32, title: &str) {
    conn.change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes()).expect("titled");
    conn.map_window(id).expect("mapped");
    conn.sync().expect("a server");
}

#[test]
fn a_window_with_an_alpha_channel_has_its_own_colour() {
    for manager in ["openbox --sm-disable", "none"] {
        let lab = Lab::start(manager);
        let d = lab.open();
        d.windows(&ctx()).expect("a list");
        let (conn, root) = connect(&lab);
        let depths = &conn.setup().roots[0].allowed_depths;
        let deep = depths.iter().find(|d| d.depth == 32).expect("32 bits");
        let visual = deep.visuals.iter().find(|v| v.class == VisualClass::TRUE_COLOR).expect("true colour").visual_id;
        let (id, map) = (conn.generate_id().expect("an id"), conn.generate_id().expect("an id"));
        conn.create_colormap(ColormapAlloc::NONE, map, root, visual).expect("a map");
        let aux = CreateWindowAux::new().background_pixel(0xff33_66cc).border_pixel(0).colormap(map);
        conn.create_window(32, id, root, 30, 30, 200, 100, 0, WindowClass::INPUT_OUTPUT, visual, &aux).expect("made");
        show(&conn, id, "deep");
        let w = titled(&*d, "deep");
        let _cover = lab.window("tk", "cover", "#ffff00", "600,400,0,0");
        titled(&*d, "cover");
        until(&format!("its colour under {manager}"), || {
            let p = d.capture(&ctx(), &Source::Window(w.id)).expect("a picture");
            all(&p, 0x33_66cc).then_some(())
        });
    }
}

#[test]
fn a_point_outside_the_shape_of_a_cover_is_not_covered() {
    let lab = Lab::start("none");
    let d = lab.open();
    let (conn, root) = connect(&lab);
    let make = |title: &str, colour: u32| {
        let id = conn.generate_id().expect("an id");
        let aux = CreateWindowAux::new().background_pixel(colour);
        conn.create_window(0, id, root, 50, 50, 200, 200, 0, WindowClass::INPUT_OUTPUT, 0, &aux).expect("made");
        show(&conn, id, title);
        id
    };
    let (low, high) = (make("low", 0x11_2233), make("high", 0x44_5566));
    let left = Rectangle { x: 0, y: 0, width: 100, height: 200 };
    conn.shape_rectangles(shape::SO::SET, shape::SK::INPUT, ClipOrdering::UNSORTED, high, 0, 0, &[left]).expect("shaped");
    conn.sync().expect("a server");
    let top = |x| d.hit(&ctx(), WindowId(low.into()), desktop::Point::new(x, 100)).expect("a hit").top;
    assert_eq!(top(50), Some(WindowId(high.into())), "inside the shape");
    assert_eq!(top(150), Some(WindowId(low.into())), "outside the shape");
    assert_eq!(top(2000), None, "off the screen");
}

#[test]
fn a_window_on_another_workspace_is_there_and_has_no_wrong_picture() {
    for manager in ["openbox --sm-disable", "metacity"] {
        let lab = Lab::start(manager);
        let d = lab.open();
        let _app = lab.window("tk", "w", "#a0b0c0", "200,150,60,60");
        let w = titled(&*d, "w");
        lab.tool("wmctrl", &["-n", "2"]);
        lab.tool("wmctrl", &["-s", "1"]);
        let away = until(manager, || d.window(&ctx(), w.id).ok().filter(|w| !w.on_screen));
        assert_eq!((away.minimized, away.workspace), (false, Some(0)), "{manager}");
        until("no picture", || match d.capture(&ctx(), &Source::Window(w.id)) {
            Err(DesktopError::NoPicture(_)) => Some(()),
            // On its way out it still has its own pixels.
            Ok(p) => {
                assert!(all(&p, 0xa0_b0c0), "{manager}");
                None
            }
            Err(e) => panic!("{manager}: {e}"),
        });
        d.place(&ctx(), w.id, Placement::Activate).unwrap_or_else(|e| panic!("{manager}: {e}"));
        assert!(d.window(&ctx(), w.id).expect("lives").on_screen, "{manager}");
    }
}

#[test]
fn windows_outlive_their_window_manager() {
    let mut lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let _app = lab.window("gtk3", "w", "#a0b0c0", "200,150,60,60");
    let w = titled(&*d, "w");
    lab.end_manager();
    let orphan = until("it without a manager", || d.window(&ctx(), w.id).ok().filter(|w| w.on_screen));
    assert_eq!((orphan.birth, orphan.pid), (w.birth, w.pid), "the same window");
    let want = Rect::new(300, 200, 220, 170);
    d.place(&ctx(), w.id, Placement::Bounds(want)).expect("placed");
    assert_eq!(d.window(&ctx(), w.id).expect("lives").bounds, want);
    assert!(matches!(d.place(&ctx(), w.id, Placement::Minimize), Err(DesktopError::Unsupported(_))));
}

#[test]
fn a_screen_that_changes_its_size_is_pictured_as_it_is_now() {
    let lab = Lab::start("none");
    let d = lab.open();
    let _app = lab.window("tk", "w", "#a0b0c0", "200,150,500,400");
    titled(&*d, "w");
    d.capture(&ctx(), &Source::Display(None)).expect("a picture");
    for size in ["640x480", "1000x700"] {
        lab.tool("xrandr", &["--fb", size]);
        let (w, h) = size.split_once('x').expect("a size");
        let want = desktop::Size { w: w.parse().expect("a width"), h: h.parse().expect("a height") };
        let p = until(size, || d.capture(&ctx(), &Source::Display(None)).ok().filter(|p| p.size == want));
        assert_eq!(p.bgrx.len(), (want.w * want.h * 4) as usize);
        assert!(p.real.size() == want, "all of it is real");
    }
}

#[test]
fn a_window_that_keeps_changing_its_size_is_never_torn() {
    let lab = Lab::start("none");
    let d = lab.open();
    d.windows(&ctx()).expect("a list");
    let (conn, root) = connect(&lab);
    let id = conn.generate_id().expect("an id");
    let aux = CreateWindowAux::new().background_pixel(0x00_8040);
    conn.create_window(0, id, root, 0, 0, 100, 100, 0, WindowClass::INPUT_OUTPUT, 0, &aux).expect("made");
    show(&conn, id, "restless");
    titled(&*d, "restless");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|s| {
        s.spawn(|| {
            let mut n = 0u32;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                n += 1;
                let aux = x11rb::protocol::xproto::ConfigureWindowAux::new().x((n % 50) as i32).width(100 + n % 97).height(100 + n % 89);
                conn.configure_window(id, &aux).expect("sized");
                conn.sync().expect("a server");
            }
        });
        let mut taken = 0;
        for _ in 0..200 {
            match d.capture(&ctx(), &Source::Window(WindowId(id.into()))) {
                Ok(p) => {
                    taken += 1;
                    assert_eq!(p.bgrx.len(), (p.size.w * p.size.h * 4) as usize);
                    assert_eq!(pixel(&p, p.size.w / 2, p.size.h / 2), 0x00_8040);
                }
                Err(e) => assert!(matches!(e, DesktopError::NoPicture(_)), "{e}"),
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(taken > 0, "not one picture");
    });
}
