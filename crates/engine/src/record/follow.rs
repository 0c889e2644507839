//! What happens beside the acts: where pointers are, and that a person joined in.
//!
//! Owns: the thread that listens, how often it writes, and how often the video is looked after.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use desktop::{Ctx, Desktop, Event, EventFilter, Events};

use super::film::Film;
use super::log::Log;
use super::types::Line;

/// At most one line of each kind in this time.
const CURSOR: Duration = Duration::from_millis(33);
const HUMAN: Duration = Duration::from_millis(250);

/// Where the desktop tells nothing, the video is looked after all the same.
const IDLE: Duration = Duration::from_millis(100);

/// Follow until the recording ends. Where the desktop tells nothing, nothing is written.
pub fn start(desktop: Arc<dyn Desktop>, log: Arc<Log>, film: Option<Arc<Film>>) {
    let filter = EventFilter { human: true, pointer: true, ..EventFilter::default() };
    let spawned = std::thread::Builder::new().name("recording-events".into()).spawn(move || {
        match desktop.events(&Ctx::lasting(Duration::from_secs(2)), filter) {
            Ok(events) => follow(events, &log, film.as_deref()),
            Err(e) => {
                tracing::debug!(%e, "no cursor track");
                // In real time: where a test drives the clock, nobody waits here.
                while film.as_ref().is_some_and(|f| !log.ended.load(Ordering::Relaxed) && f.tend(&log)) {
                    std::thread::sleep(IDLE);
                }
            }
        }
    });
    if let Err(e) = spawned {
        tracing::warn!(%e, "a recording goes on without its cursor track");
    }
}

fn follow(mut events: Box<dyn Events>, log: &Log, film: Option<&Film>) {
    let (mut cursor, mut human) = (None::<Instant>, None::<Instant>);
    // The last place is written also when the pointer stops before the next line is due.
    let mut waiting = None;
    let mut tended = log.now();
    let due = |last: Option<Instant>, every: Duration| last.is_none_or(|t| log.now().saturating_duration_since(t) >= every);
    while !log.ended.load(Ordering::Relaxed) {
        let pause = if waiting.is_some() { CURSOR } else { IDLE };
        match events.next(pause) {
            Some(Event::PointerMoved { at, agent }) => waiting = Some((at, agent)),
            Some(Event::HumanInput { at, what }) if due(human, HUMAN) => {
                human = Some(log.now());
                log.note(|t_ms| Line::HumanInput { t_ms, what: what.into(), x: at.map(|p| p.x), y: at.map(|p| p.y) });
            }
            Some(Event::Lost) => log.note(|t_ms| Line::Gap { t_ms, from_ms: t_ms, reason: "events were lost".into() }),
            _ => {}
        }
        if let Some((at, agent)) = waiting.filter(|_| due(cursor, CURSOR)) {
            (cursor, waiting) = (Some(log.now()), None);
            log.note(|t_ms| Line::Cursor { t_ms, x: at.x, y: at.y, agent });
        }
        if due(Some(tended), IDLE) {
            tended = log.now();
            film.map(|f| f.tend(log));
        }
    }
}
