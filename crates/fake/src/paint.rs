//! Pictures: a flat colour for each object, another one when it changes.

use std::hash::{DefaultHasher, Hash, Hasher};

use desktop::{DesktopError, Local, Picture, Point, Rect, Result, Screen, Source};

use crate::clock::Clock;
use crate::scene::{Scene, Win, shown};

pub(crate) fn picture(s: &Scene, clock: &Clock, source: &Source) -> Result<Picture> {
    match source {
        Source::Window(id) => {
            let w = s.window(*id).ok_or(DesktopError::WindowGone(*id))?;
            if w.minimized {
                return Err(DesktopError::Minimized(*id));
            }
            if !shown(w) {
                return Err(DesktopError::NoPicture("the window is not on the screen".into()));
            }
            let mut out = blank(w.bounds, clock);
            window(&mut out, s, w, w.bounds.origin());
            let screen = crate::parse::whole(s).within(w.bounds.origin());
            out.real = out.real.meet(&screen).unwrap_or(Rect::new(0, 0, 0, 0));
            Ok(out)
        }
        Source::Display(id) => {
            let wanted = s.displays.iter().filter(|d| id.as_ref().is_none_or(|i| *i == d.id));
            let bounds = wanted.map(|d| d.bounds).reduce(around);
            let bounds = bounds.ok_or_else(|| DesktopError::NoPicture("there is no such display".into()))?;
            let mut out = blank(bounds, clock);
            for w in s.windows.iter().filter(|w| shown(w)) {
                window(&mut out, s, w, bounds.origin());
            }
            Ok(out)
        }
    }
}

fn around(a: Rect<Screen>, b: Rect<Screen>) -> Rect<Screen> {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect::new(x, y, (a.right().max(b.right()) - x) as u32, (a.bottom().max(b.bottom()) - y) as u32)
}

fn blank(bounds: Rect<Screen>, clock: &Clock) -> Picture {
    let size = bounds.size();
    Picture {
        size,
        bgrx: vec![0x30; size.w as usize * size.h as usize * 4],
        origin: bounds.origin(),
        real: Rect::new(0, 0, size.w, size.h),
        taken: clock.now(),
    }
}

fn window(out: &mut Picture, s: &Scene, w: &Win, origin: Point<Screen>) {
    fill(out, w.bounds.within(origin), [0xe8, 0xe8, (w.id.0 as u8).wrapping_mul(37), 0]);
    for key in s.walk(&w.root).iter().skip(1) {
        let o = &s.objects[key];
        if let Some(frame) = o.frame.filter(|_| s.showing(key)) {
            let mut hash = DefaultHasher::new();
            let number = o.range.map(|r| r.now.to_bits());
            (&o.role, &o.name, &o.value, o.states.0, number).hash(&mut hash);
            let [b, g, r, ..] = hash.finish().to_le_bytes();
            fill(out, frame.on_screen(w.bounds.origin()).within(origin), [b, g, r, 0]);
        }
    }
}

fn fill(out: &mut Picture, rect: Rect<Local>, colour: [u8; 4]) {
    let Some(r) = rect.meet(&Rect::new(0, 0, out.size.w, out.size.h)) else { return };
    let row = out.size.w as usize * 4;
    for y in r.y..r.bottom() {
        let start = y as usize * row + r.x as usize * 4;
        out.bgrx[start..start + r.w as usize * 4].as_chunks_mut::<4>().0.fill(colour);
    }
}
