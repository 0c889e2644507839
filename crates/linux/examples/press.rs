//! Pointer and keyboard by hand: `press [ROUTE] COMMANDS…` on the display of the environment.
//!
//! ROUTE is `seat`, `sent` or `global`. Commands: `win ID`, `move X Y`, `down X Y`, `up X Y`,
//! `click X Y`, `wheel up X Y`, `key CHORD`, `text T`, `hold CHORD`, `drop CHORD`, `sleep MS`,
//! `die`. Points are of the window given by `win`, or of the screen before that.

use std::time::{Duration, Instant};

use desktop::{Act, Button, Ctx, Key, Modifiers, Place, Point, Route, Wheel, Window, WindowId};
use linux::input::Input;
use x11rb::connection::Connection;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xproto::ConnectionExt as _;

fn window(id: WindowId) -> desktop::Result<Window> {
    let lost = |e: &dyn std::fmt::Display| desktop::DesktopError::System(e.to_string());
    let (conn, screen) = x11rb::connect(None).map_err(|e| lost(&e))?;
    let root = conn.setup().roots[screen].root;
    let xid = id.0 as u32;
    let g = conn.get_geometry(xid).map_err(|e| lost(&e))?.reply().map_err(|_| desktop::DesktopError::WindowGone(id))?;
    let p = conn.translate_coordinates(xid, root, 0, 0).map_err(|e| lost(&e))?.reply().map_err(|e| lost(&e))?;
    let spec = ClientIdSpec { client: xid, mask: ClientIdMask::LOCAL_CLIENT_PID };
    let ids = conn.res_query_client_ids(&[spec]).map_err(|e| lost(&e))?.reply().map_err(|e| lost(&e))?;
    let pid = ids.ids.first().and_then(|i| i.value.first()).map(|p| desktop::Pid(*p));
    Ok(Window {
        id, birth: 0, pid, app_name: String::new(), app_id: None, class: None, instance: None, title: String::new(), role: None,
        bounds: desktop::Rect::new(p.dst_x.into(), p.dst_y.into(), g.width.into(), g.height.into()),
        kind: desktop::WindowKind::Normal, owner: None, on_screen: true, minimized: false, active: false, modal: false,
        z: None, scale: 1.0, workspace: None,
    })
}

fn chord(word: &str) -> (Modifiers, Key) {
    let mut parts: Vec<&str> = word.split('+').collect();
    let key = parts.pop().unwrap_or_default();
    let modifiers = parts.iter().map(|p| p.parse().expect("a modifier")).collect();
    (modifiers, key.parse().expect("a key"))
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|w| w == "guard") {
        let _ = linux::input::guard(std::io::stdin());
        return;
    }
    let route = match words.first().map(String::as_str) {
        Some("sent") => Route::SentEvents,
        Some("global") => Route::Global,
        _ => Route::SecondSeat,
    };
    words.remove(0);
    let display = std::env::var("DISPLAY").expect("DISPLAY");
    let me = std::env::current_exe().expect("own path");
    let start = Instant::now();
    let input = Input::open(&display, Some(vec![me.into(), "guard".into()])).expect("open");
    eprintln!("open {:?}", start.elapsed());
    let ctx = Ctx::lasting(Duration::from_secs(60));
    let mut target: Option<WindowId> = None;
    let mut words = words.into_iter();
    let number = |w: &str| match w.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).expect("hex"),
        None => w.parse::<f64>().expect("number") as i64,
    };
    while let Some(verb) = words.next() {
        let mut next = || words.next().expect("an argument");
        let mut acts = Vec::new();
        let place = |x: &str, y: &str| match target {
            Some(w) => Place::Window(w, Point::new(number(x) as i32, number(y) as i32)),
            None => Place::Screen(Point::new(number(x) as i32, number(y) as i32)),
        };
        match verb.as_str() {
            "win" => target = Some(WindowId(number(&next()) as u64)),
            "sleep" => std::thread::sleep(Duration::from_millis(number(&next()) as u64)),
            "die" => std::process::abort(),
            "move" => acts.push(Act::Move { to: place(&next(), &next()) }),
            "down" => acts.push(Act::Press { button: Button::Left, at: place(&next(), &next()) }),
            "up" => acts.push(Act::Release { button: Button::Left, at: place(&next(), &next()) }),
            "click" => {
                let at = place(&next(), &next());
                acts.extend([Act::Press { button: Button::Left, at }, Act::Release { button: Button::Left, at }]);
            }
            "wheel" => {
                let way = match next().as_str() { "up" => Wheel::Up, "down" => Wheel::Down, "left" => Wheel::Left, _ => Wheel::Right };
                acts.push(Act::Wheel { way, at: place(&next(), &next()) });
            }
            "key" => {
                let (modifiers, key) = chord(&next());
                acts.push(Act::Key { key, modifiers, window: target });
            }
            "hold" => acts.push(Act::HoldModifiers { modifiers: chord(&format!("{}+a", next())).0, window: target }),
            "drop" => acts.push(Act::ReleaseModifiers { modifiers: chord(&format!("{}+a", next())).0, window: target }),
            "text" => acts.push(Act::Text { text: next(), window: target }),
            other => panic!("what is {other}?"),
        }
        for act in acts {
            let start = Instant::now();
            let done = input.perform(&ctx, &act, route, &window);
            eprintln!("{verb} {:?} {done:?}", start.elapsed());
        }
    }
}
