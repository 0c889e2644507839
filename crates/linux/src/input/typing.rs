//! Text by keys: every character by whatever key, level and group makes it, spare keys borrowed
//! for what the layout lacks, no faster than the application reads.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use desktop::{Ctx, Delivery, DesktopError, Pid, Result, Stopped};

use super::fingers::Fingers;
use super::hands::Hands;
use super::keymap::Spot;
use super::keysyms;
use super::pace::{Pace, over};
use super::seat::Seat;
use super::toolkit::Toolkit;

/// Characters between two looks at the focus and the application.
const CHUNK: usize = 8;
/// How long an application may take to read a changed map.
const MAP_READ: Duration = Duration::from_millis(300);

/// Where keys go.
pub(super) struct Target {
    /// The window that must keep the keyboard; `None`: wherever it is.
    pub window: Option<u32>,
    /// The window that is asked how far the application has come.
    pub ask: Option<u32>,
    pub pid: Option<Pid>,
    pub toolkit: Toolkit,
    /// By events sent to the window, wherever the keyboard is.
    pub sent: bool,
}

#[derive(Clone, Copy)]
enum Unit {
    Spot(Spot),
    /// No key makes this keysym: a spare one must.
    Missing(u32),
    /// Part of the character before it.
    Nothing,
}

impl Hands {
    pub fn text(&mut self, ctx: &Ctx, seat: &Seat, text: &str, target: &Target) -> Result<Delivery> {
        if !self.focused(seat, target)? {
            return Ok(Delivery { stopped: Some(Stopped::FocusLost), ..Default::default() });
        }
        let mut fingers = Fingers::start(self, seat, target, false)?;
        let typed = self.type_units(ctx, &mut fingers, text, target);
        let finished = self.end(fingers, target);
        let delivery = typed?;
        finished?;
        Ok(delivery)
    }

    /// Put everything back, and let an application that reads the keyboard's state together
    /// with its map do so before anything else is pressed.
    pub fn end(&mut self, fingers: Fingers, target: &Target) -> Result<()> {
        let mapped = fingers.has_borrowed();
        fingers.finish(self)?;
        if mapped {
            self.map_read(target)?;
            // Some window managers bind every key again for each change and fall behind.
            self.bell()?.manager(MAP_READ)?;
        }
        Ok(())
    }

    /// Qt takes modifiers from the server when it comes to a changed map, not from the event.
    pub fn map_read(&mut self, target: &Target) -> Result<()> {
        if let (Toolkit::Qt, Some(window)) = (target.toolkit, target.ask) {
            self.bell()?.application(window, MAP_READ)?;
        }
        Ok(())
    }

    fn type_units(&mut self, ctx: &Ctx, fingers: &mut Fingers, text: &str, target: &Target) -> Result<Delivery> {
        let units = units(fingers, text)?;
        let mut codes = Vec::new();
        for unit in &units {
            if let Unit::Spot(s) = unit {
                codes.push(s.code);
                codes.extend(fingers.modifier_codes(s.mods));
            }
        }
        codes.sort_unstable();
        codes.dedup();
        fingers.note(self, &codes)?;
        let mut pace = Pace::new(self.bell()?, target)?;
        let out = self.run(ctx, fingers, &units, target, &mut pace);
        pace.done(self.bell()?)?;
        out
    }

    fn run(&mut self, ctx: &Ctx, fingers: &mut Fingers, units: &[Unit], target: &Target, pace: &mut Pace) -> Result<Delivery> {
        let mut table: HashMap<u32, u8> = HashMap::new();
        let mut sent = 0;
        let stopped = |sent, why| Ok(Delivery { sent, stopped: Some(why), ..Default::default() });
        while sent < units.len() {
            if let Some(why) = over(ctx) {
                return stopped(sent, why);
            }
            let chunk = &units[sent..units.len().min(sent + CHUNK)];
            if chunk.iter().any(|u| matches!(u, Unit::Missing(sym) if !table.contains_key(sym))) {
                // A borrowed key may change only when its earlier use was read.
                if let Some(why) = pace.all(self.bell()?, ctx)? {
                    return stopped(sent, why);
                }
                table = self.lend(fingers, &units[sent..])?;
                if let Some(why) = pace.again(self.bell()?, ctx)? {
                    return stopped(sent, why);
                }
            }
            self.felt(&fingers.seat);
            if !self.tap_all(fingers, chunk, &table, target)? {
                return stopped(sent, Stopped::FocusLost);
            }
            sent += chunk.len();
            if let Some(why) = pace.step(self.bell()?, ctx)? {
                return stopped(sent, why);
            }
        }
        match pace.all(self.bell()?, ctx)? {
            Some(why) => stopped(sent, why),
            None => Ok(Delivery { sent, ..Default::default() }),
        }
    }

    /// Press a few keys; false, and nothing pressed, when the keyboard is no longer where it was.
    /// The server serves nobody else from the look at the focus to the last key, so that what is
    /// sent is what the window gets.
    fn tap_all(&mut self, fingers: &mut Fingers, chunk: &[Unit], table: &HashMap<u32, u8>, target: &Target) -> Result<bool> {
        if target.sent {
            chunk.iter().try_for_each(|u| tap(fingers, u, table))?;
            fingers.seat.sync()?;
            return Ok(true);
        }
        fingers.seat.alone(true)?;
        let tapped = self.focused(&fingers.seat, target).and_then(|there| {
            if there {
                chunk.iter().try_for_each(|u| tap(fingers, u, table))?;
            }
            Ok(there)
        });
        fingers.seat.alone(false)?;
        fingers.seat.sync()?;
        tapped
    }

    /// Make spare keys into the next characters that are missing, as many as there are keys.
    fn lend(&mut self, fingers: &mut Fingers, rest: &[Unit]) -> Result<HashMap<u32, u8>> {
        let mut seen = HashSet::new();
        let wanted = rest.iter().filter_map(|u| match u {
            Unit::Missing(sym) => Some(*sym),
            _ => None,
        });
        let wanted: Vec<u32> = wanted.filter(|s| seen.insert(*s)).collect();
        let codes = fingers.map.spare_run(wanted.len());
        let keys: Vec<(u8, u32)> = codes.into_iter().zip(wanted).collect();
        fingers.rest(self)?;
        fingers.note(self, &keys.iter().map(|(c, _)| *c).collect::<Vec<_>>())?;
        fingers.borrow(self, &keys)?;
        Ok(keys.into_iter().map(|(code, sym)| (sym, code)).collect())
    }

    /// Whether the seat's keyboard is (still) where it should be.
    pub fn focused(&mut self, seat: &Seat, target: &Target) -> Result<bool> {
        let Some(window) = target.window.filter(|_| !target.sent) else { return Ok(true) };
        let focus = seat.focus()?;
        Ok(focus == window || seat.wire.lies_in(focus, window)?)
    }
}

fn tap(fingers: &mut Fingers, unit: &Unit, table: &HashMap<u32, u8>) -> Result<()> {
    match unit {
        Unit::Spot(spot) => fingers.tap(*spot),
        Unit::Missing(sym) => {
            let code = *table.get(sym).ok_or_else(|| DesktopError::System("no spare key".into()))?;
            fingers.tap(Spot { code, group: None, level: 0, mods: 0 })
        }
        Unit::Nothing => Ok(()),
    }
}

fn units(fingers: &Fingers, text: &str) -> Result<Vec<Unit>> {
    let group = fingers.group();
    let mut out = Vec::with_capacity(text.len());
    let mut missing = HashSet::new();
    let mut last = ' ';
    for c in text.chars() {
        let function = match c {
            '\n' if last == '\r' => Some(None),
            '\n' | '\r' => Some(Some(keysyms::RETURN)),
            '\t' => Some(Some(keysyms::TAB)),
            _ => None,
        };
        last = c;
        let (spot, sym) = match function {
            Some(None) => {
                out.push(Unit::Nothing);
                continue;
            }
            Some(Some(sym)) => (fingers.map.sym(sym, group), sym),
            None => (fingers.map.char(c, group), keysyms::of_char(c).ok_or(DesktopError::Undeliverable(c))?),
        };
        out.push(match spot {
            Some(spot) => Unit::Spot(spot),
            None => {
                missing.insert(c);
                Unit::Missing(sym)
            }
        });
    }
    match (missing.iter().next(), fingers.map.spare().len()) {
        (Some(c), spare) if spare < CHUNK => Err(DesktopError::Undeliverable(*c)),
        _ => Ok(out),
    }
}
