//! Both seats with everything that goes with pressing: the ledger, the table of what is down,
//! the layout. One act at a time. Which act means what is in `pointer`, `chord` and `typing`.

use std::sync::Arc;
use std::time::Instant;

use desktop::{DesktopError, Owner, Result, Route};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};

use super::held::Held;
use super::keymap::Keymap;
use super::ledger::{Entry, Ledger};
use super::seat::{Seat, Side};
use super::sent::Synthetic;
use super::toolkit::Toolkits;
use super::wire::{Heard, Wire};
use super::bell::Bell;

pub(super) struct Hands {
    display: String,
    pub person: Seat,
    agent: Option<Seat>,
    pub ledger: Ledger,
    pub held: Held,
    pub synthetic: Synthetic,
    pub toolkits: Toolkits,
    bell: Option<Bell>,
    /// The map that the second keyboard was last given.
    mirrored: Option<Keymap>,
    /// When the last input of the driver on the person's seat was sent.
    pub core_input: Option<Instant>,
}

impl Hands {
    pub fn new(wire: Arc<Wire>, display: &str, ledger: Ledger) -> Result<Self> {
        let mut hands = Self {
            display: display.into(),
            person: Seat::person(wire.clone())?,
            agent: None,
            ledger,
            held: Held::default(),
            synthetic: Synthetic::default(),
            toolkits: Toolkits::default(),
            bell: None,
            mirrored: None,
            core_input: None,
        };
        hands.tidy(&wire)?;
        Ok(hands)
    }

    /// Let go of what a driver that was killed left down on the second pair, unless another
    /// driver lives: a living one owns a selection, which the server takes back at its end.
    fn tidy(&mut self, wire: &Wire) -> Result<()> {
        let mark = wire.atom("_CUA_DRIVER_SEAT")?;
        if wire.conn.get_selection_owner(mark).heard()?.reply().heard()?.owner != x11rb::NONE {
            return Ok(());
        }
        let window = wire.conn.generate_id().heard()?;
        let aux = CreateWindowAux::new().override_redirect(1);
        wire.conn.create_window(0, window, wire.root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &aux).heard()?;
        wire.conn.set_selection_owner(window, mark, x11rb::CURRENT_TIME).heard()?;
        let Some(seat) = Seat::agent(&self.display, false)? else { return Ok(()) };
        for code in seat.keys_down()? {
            seat.key(code, false)?;
        }
        for button in seat.buttons_down()? {
            seat.button(button, false)?;
        }
        seat.lock(0xff, 0)?;
        seat.group(0)?;
        seat.set_focus(None)?;
        seat.sync()?;
        self.agent = Some(seat);
        Ok(())
    }

    /// The seat of a route, made if it is not there yet.
    pub fn seat(&mut self, route: Route) -> Result<Seat> {
        match route {
            Route::Global => Ok(self.person.clone()),
            Route::SecondSeat => self.second(),
            other => Err(DesktopError::Unsupported(format!("{other:?} has no seat"))),
        }
    }

    fn second(&mut self) -> Result<Seat> {
        if let Some(seat) = &self.agent {
            return Ok(seat.clone());
        }
        let made = Seat::agent(&self.display, true)?;
        // Toolkits hear of a new pair in the order of their events, before anything it does.
        let seat = made.ok_or_else(|| DesktopError::System("the second pointer did not come up".into()))?;
        self.agent = Some(seat.clone());
        Ok(seat)
    }

    pub fn bell(&mut self) -> Result<&mut Bell> {
        let bell = match self.bell.take() {
            Some(bell) => bell,
            None => Bell::open(&self.display)?,
        };
        Ok(self.bell.insert(bell))
    }

    pub fn of(&self, side: Side) -> Option<&Seat> {
        match side {
            Side::Person => Some(&self.person),
            Side::Agent => self.agent.as_ref(),
        }
    }

    /// The layout as applications read it. The second keyboard is given the same one, so that
    /// its modifiers and groups mean what applications think.
    pub fn layout(&mut self, seat: &Seat) -> Result<Keymap> {
        let map = Keymap::read(&self.person.wire)?;
        if seat.side == Side::Agent && !self.mirrored.as_ref().is_some_and(|m| m.same(&map)) {
            if !Keymap::read(&seat.wire)?.same(&map) {
                map.write(&seat.wire)?;
            }
            self.mirrored = Some(Keymap::read(&self.person.wire)?);
        }
        Ok(map)
    }

    /// Note, press and remember for an owner.
    pub fn hold(&mut self, seat: &Seat, owner: Owner, entry: Entry) -> Result<()> {
        self.ledger.begin(std::slice::from_ref(&entry))?;
        self.felt(seat);
        press(seat, &entry, true)?;
        self.held.add(owner, entry);
        Ok(())
    }

    /// Release what one hold kept down, if nobody else holds it.
    pub fn let_go(&mut self, seat: &Seat, entry: Entry) -> Result<()> {
        if self.held.drop_one(&entry) {
            self.felt(seat);
            press(seat, &entry, false)?;
            seat.sync()?;
        }
        self.ledger.end(std::slice::from_ref(&entry));
        Ok(())
    }

    pub fn release_held(&mut self, owner: Option<Owner>) -> Result<()> {
        let gone = self.held.take(owner);
        let mut worst = Ok(());
        for entry in gone.iter().filter(|e| !self.held.has(e)).cloned().collect::<Vec<_>>().iter() {
            let side = match entry {
                Entry::Key(side, _) | Entry::Button(side, _) => *side,
                _ => continue,
            };
            if let Some(seat) = self.of(side).cloned() {
                self.felt(&seat);
                worst = press(&seat, entry, false).and_then(|()| seat.sync()).and(worst);
            }
        }
        self.ledger.end(&gone);
        self.sent_release_held(owner).and(worst)
    }

    /// Remember that the person's own devices are being driven now.
    pub fn felt(&mut self, seat: &Seat) {
        if seat.side == Side::Person {
            self.core_input = Some(Instant::now());
        }
    }
}

fn press(seat: &Seat, entry: &Entry, down: bool) -> Result<()> {
    match entry {
        Entry::Key(_, code) => seat.key(*code, down),
        Entry::Button(_, button) => seat.button(*button, down),
        _ => Ok(()),
    }
}
