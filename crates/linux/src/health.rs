//! What of the surroundings is there, and what brings the rest.

use desktop::{Ctx, DesktopError, Health, HealthState};
use x11rb::protocol::xproto::AtomEnum;

use crate::video;
use crate::x11::fault::Outcome;
use crate::x11::link::{Link, X};
use crate::x11::{capture, list, prop, screens};

fn pass(name: &'static str, message: String) -> Health {
    Health { name, state: HealthState::Pass, message, hint: String::new() }
}

fn fail(name: &'static str, message: String, hint: &str) -> Health {
    Health { name, state: HealthState::Fail, message, hint: hint.into() }
}

pub fn skip(name: &'static str, message: &str) -> Health {
    Health { name, state: HealthState::Skip, message: message.into(), hint: String::new() }
}

/// Display, window manager, pictures and video; input and accessibility tell of themselves.
pub fn health(ctx: &Ctx, link: &Link) -> Vec<Health> {
    let mut parts = Vec::new();
    match link.run(ctx, screens::whole) {
        Ok(area) => {
            let name = link.display().unwrap_or_default();
            parts.push(pass("display", format!("X server {name}, {}x{}", area.w, area.h)));
            parts.push(manager(link.run(ctx, manager_name)));
            parts.push(pictures(ctx, link));
        }
        Err(e) => {
            parts.push(fail("display", e.to_string(), "cua-driver serve --display virtual, or set DISPLAY and XAUTHORITY"));
            parts.push(skip("window_manager", "there is no display"));
            parts.push(skip("screen_capture", "there is no display"));
        }
    }
    parts.push(match video::there() {
        Ok(()) => pass("video", "ffmpeg is installed".into()),
        Err(hint) => fail("video", "ffmpeg is not installed; recordings go without video".into(), hint),
    });
    parts
}

fn manager(found: desktop::Result<Option<String>>) -> Health {
    let hint = "start one, such as: openbox &";
    match found {
        Ok(Some(name)) => pass("window_manager", name),
        Ok(None) => fail("window_manager", "none runs; windows cannot be minimised or maximised".into(), hint),
        Err(e) => fail("window_manager", e.to_string(), hint),
    }
}

fn manager_name(x: &X) -> Outcome<Option<String>> {
    let Some(window) = list::list(x)?.manager else { return Ok(None) };
    let named = prop::got(prop::ask(&x.conn, window, x.atoms._NET_WM_NAME)?)?;
    let plain = prop::got(prop::ask(&x.conn, window, AtomEnum::WM_NAME.into())?)?;
    let name = prop::text(x, named.as_ref()).or_else(|| prop::text(x, plain.as_ref()));
    Ok(Some(name.filter(|n| !n.is_empty()).unwrap_or_else(|| "a window manager without a name".into())))
}

/// Proven by taking one.
fn pictures(ctx: &Ctx, link: &Link) -> Health {
    const NAME: &str = "screen_capture";
    let taken = link.run(ctx, |x| {
        capture::screen(x, screens::whole(x)?)?;
        Ok((x.has.composite, x.has.shm))
    });
    match taken {
        Ok((true, shm)) => {
            let how = if shm { "by shared memory" } else { "without shared memory (slower)" };
            pass(NAME, format!("covered windows too, {how}"))
        }
        Ok((false, _)) => fail(
            NAME,
            "the X server has no Composite extension: only windows that nothing covers".into(),
            "start the X server with +extension Composite",
        ),
        Err(DesktopError::NoPicture(why)) => fail(NAME, why, "try another display"),
        Err(e) => fail(NAME, e.to_string(), "try another display"),
    }
}

