//! `doctor-window`, hidden: an X window that prints every press and key it receives, until its
//! standard input ends.

use std::io::Read;

use anyhow::{Context, Result};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ConnectionExt, CreateGCAux, CreateWindowAux, EventMask, PropMode, Rectangle, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::exit::{Exit, Failure};
use crate::out;

const WIDTH: u16 = 320;
const HEIGHT: u16 = 200;

pub fn run() -> Result<Exit, Failure> {
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        std::process::exit(0);
    });
    show()?;
    Ok(Exit::Done)
}

fn show() -> Result<()> {
    let (x, screen) = x11rb::connect(None).context("no X display")?;
    let screen = &x.setup().roots[screen];
    let window = x.generate_id()?;
    let events = EventMask::EXPOSURE | EventMask::BUTTON_PRESS | EventMask::KEY_PRESS;
    let look = CreateWindowAux::new().background_pixel(screen.white_pixel).event_mask(events);
    x.create_window(
        0,
        window,
        screen.root,
        40,
        40,
        WIDTH,
        HEIGHT,
        0,
        WindowClass::INPUT_OUTPUT,
        screen.root_visual,
        &look,
    )?;
    name(&x, window)?;
    let ink = x.generate_id()?;
    x.create_gc(ink, window, &CreateGCAux::new().foreground(screen.black_pixel))?;
    x.map_window(window)?;
    x.flush()?;
    let mut shown = false;
    loop {
        match x.wait_for_event()? {
            Event::Expose(_) => {
                let stripes: Vec<Rectangle> =
                    (0..8).map(|n| Rectangle { x: n * 40, y: 0, width: 20, height: HEIGHT }).collect();
                x.change_gc(ink, &ChangeGCAux::new().foreground(screen.black_pixel))?;
                x.poly_fill_rectangle(window, ink, &stripes)?;
                x.flush()?;
                if !shown {
                    shown = true;
                    out::line(&format!("READY {window}"));
                }
            }
            Event::ButtonPress(press) => {
                out::line(&format!("PRESS {} {} {}", press.detail, press.event_x, press.event_y))
            }
            Event::KeyPress(key) => out::line(&format!("KEY {}", key.detail)),
            _ => {}
        }
    }
}

fn name(x: &RustConnection, window: u32) -> Result<()> {
    let replace = PropMode::REPLACE;
    x.change_property8(replace, window, AtomEnum::WM_NAME, AtomEnum::STRING, b"cua-driver doctor")?;
    x.change_property8(replace, window, AtomEnum::WM_CLASS, AtomEnum::STRING, b"doctor\0CuaDriver\0")?;
    let pid = x.intern_atom(false, b"_NET_WM_PID")?.reply()?.atom;
    x.change_property32(replace, window, pid, AtomEnum::CARDINAL, &[std::process::id()])?;
    Ok(())
}
