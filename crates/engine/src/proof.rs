//! Whether an act had its effect: the cheapest independent read before and after.
//!
//! What the system answered to the act itself is never evidence.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use desktop::{Event, EventFilter, Events, Local, Node, NodeKey, Pid, Place, Point, Rect, States, Window, WindowId};

use crate::effect::EvidenceKind;
use crate::run::Run;

/// How long an effect is waited for: most applications show one within a tenth of this.
pub const BOUND: Duration = Duration::from_millis(200);
/// The same where its absence is taken for a miss.
const PATIENT: Duration = Duration::from_millis(350);
/// How long an effect may take to show once the application has begun with it.
const SHOWS: Duration = Duration::from_millis(60);
/// The same for one that kept it back, and does it in one go.
const AT_LAST: Duration = Duration::from_millis(40);
/// How long another object's change may take that the act brings.
const SPREADS: Duration = Duration::from_millis(100);
/// An application may count the time for which it keeps an act back from a little before.
const EARLY: Duration = Duration::from_millis(20);

/// How long the effect of an act on an element is waited for, which its application keeps back
/// for so long.
pub fn bound(n: &Node, late: Duration) -> Duration {
    let least = if n.has(States::CHECKABLE) || n.has(States::SELECTABLE) { PATIENT } else { BOUND };
    if late.is_zero() { least } else { least.max(late + AT_LAST) }
}

/// Paint is believed where an act was done, within this many pixels: a caret that blinks elsewhere
/// or the hands of a clock tell nothing of it.
const NEAR: i32 = 4;
/// And once it has ended: paint that is still seen so long after the first of it goes on by itself.
const BURST: Duration = Duration::from_millis(75);
/// How long what a hover begins is looked at, where nobody can say that it has begun.
pub const HOVER: Duration = Duration::from_millis(16);
/// What has begun to be painted is looked at for so long.
const PAINTING: Duration = Duration::from_millis(125);

/// What is watched from before an act on.
pub struct Watch {
    events: Option<Box<dyn Events>>,
    windows: Option<HashSet<WindowId>>,
    focus: Option<Option<WindowId>>,
    pid: Option<Pid>,
    window: Option<WindowId>,
    before: Option<Node>,
    /// Objects that changed by themselves before the act,
    restless: HashSet<NodeKey>,
    /// or more of them than were named.
    all_restless: bool,
    /// or it is not known which.
    unwatched: bool,
    /// For so long the application keeps the act back.
    late: Duration,
    /// When the act was done.
    done: Option<Instant>,
    /// Where paint counts.
    spots: Vec<Point<Local>>,
    painting: bool,
    /// The first paint after the act, and the last.
    paint: Option<(Instant, Instant)>,
}

/// What of an object tells that something happened to it. Not whether it shows or is enabled: its
/// application may hide or disable it at that moment, before it comes to the act.
const TELLING: [States; 4] = [States::CHECKED, States::MIXED, States::SELECTED, States::EXPANDED];

impl Watch {
    /// Begin before the act. `paint`: places of the window where changed pixels count, for acts on
    /// points.
    pub fn begin(run: &Run<'_>, window: Option<&Window>, before: Option<&Node>, paint: &[Place]) -> Self {
        let pid = window.and_then(|w| w.pid);
        let filter = EventFilter {
            windows: true,
            focus: false,
            nodes: pid,
            painted: window.filter(|_| !paint.is_empty()).map(|w| w.id),
            ..EventFilter::default()
        };
        let ctx = run.brief();
        let events = run.desktop().events(&ctx, filter).ok();
        let all = run.desktop().windows(&ctx).ok();
        Self {
            events,
            focus: all.as_ref().map(|all| all.iter().find(|w| w.active).map(|w| w.id)),
            windows: all.filter(|_| window.is_some()).map(|all| all.iter().map(|w| w.id).collect()),
            pid,
            window: window.map(|w| w.id),
            before: before.cloned(),
            restless: HashSet::new(),
            all_restless: false,
            unwatched: false,
            late: Duration::ZERO,
            done: None,
            spots: window.map(|w| paint.iter().map(|p| inside(w, *p)).collect()).unwrap_or_default(),
            painting: false,
            paint: None,
        }
    }

    /// The object that the act is done to, as it is right before.
    pub fn of(&mut self, before: Node) {
        self.before = Some(before);
    }

    /// The application keeps the act back for so long.
    pub fn late(&mut self, late: Duration) {
        self.late = late;
    }

    /// Paint tells nothing: what is acted on tells by itself.
    pub fn without_paint(&mut self) {
        self.painting = true;
    }

    /// What the pointer brings by being there is over, or goes on and tells nothing.
    pub fn hush(&mut self, run: &Run<'_>) {
        let end = run.host().now() + BURST;
        let mut paints = self.listen(run, HOVER);
        while paints && run.host().now() < end {
            paints = self.listen(run, HOVER);
        }
        self.painting |= paints;
    }

    /// Take note of what happens by itself right before the act.
    pub fn still(&mut self, run: &Run<'_>, time: Duration) {
        self.painting |= self.listen(run, time);
    }

    /// Whether anything was painted where paint counts.
    fn listen(&mut self, run: &Run<'_>, time: Duration) -> bool {
        let Some(mut events) = self.events.take() else { return false };
        let end = run.host().now() + time;
        let mut paints = false;
        while let Some(e) = events.next(end.saturating_duration_since(run.host().now())) {
            match e {
                Event::NodeChanged { node: Some(n), .. } => {
                    self.restless.insert(n);
                }
                Event::Painted { area, .. } => paints |= self.near(&area),
                Event::Activated { .. } => self.painting = true,
                e => self.note_restless(&e),
            }
            if run.host().now() >= end {
                break;
            }
        }
        self.events = Some(events);
        paints
    }

    /// Look for an effect until one is found or the bound is over. `own` tells of the object
    /// that was acted on whether its new state is what the act should bring.
    pub fn seek(&mut self, run: &Run<'_>, bound: Duration, own: &dyn Fn(&Node, &Node) -> Option<EvidenceKind>) -> Vec<EvidenceKind> {
        self.done = Some(run.host().now());
        let end = run.host().now() + bound.min(run.ctx.left());
        let mut found = HashSet::new();
        let mut next_read = run.host().now();
        // What was told while the act was done; first of all what is restless.
        while let Some(e) = self.events.as_mut().and_then(|e| e.next(Duration::ZERO)) {
            self.judge(run, &e, &mut found);
            if run.host().now() >= end {
                break;
            }
        }
        loop {
            if self.before.is_some() && run.host().now() >= next_read {
                let began = run.host().now();
                match self.own(run, own) {
                    Own::Changed(k) => {
                        found.insert(k);
                    }
                    Own::Unreadable => self.before = None,
                    Own::Same => {}
                }
                // A slow application is read less often.
                let now = run.host().now();
                next_read = now + (now.saturating_duration_since(began) * 2).max(Duration::from_millis(12));
            }
            let now = run.host().now();
            if self.painted(now) {
                found.insert(EvidenceKind::WindowChange);
            }
            if !found.is_empty() || run.ctx.cancel.is_cancelled() {
                break;
            }
            // What has begun to be painted is looked at to its end.
            let end = self.paint.map_or(end, |(first, _)| end.max(first + PAINTING));
            let left = end.saturating_duration_since(now);
            if left.is_zero() {
                break;
            }
            let pause = left.min(Duration::from_millis(12));
            match self.events.as_mut().map(|e| e.next(pause)) {
                Some(Some(e)) => {
                    if self.is_own(&e) {
                        next_read = now;
                    }
                    self.judge(run, &e, &mut found);
                }
                Some(None) => {}
                None => {
                    run.host().wait(pause, &run.ctx.cancel);
                }
            }
        }
        if found.is_empty() {
            self.around(run, &mut found);
        }
        let mut out: Vec<_> = found.into_iter().collect();
        out.sort();
        out
    }

    fn own(&self, run: &Run<'_>, own: &dyn Fn(&Node, &Node) -> Option<EvidenceKind>) -> Own {
        let Some(before) = &self.before else { return Own::Same };
        match run.desktop().read(&run.ctx.at_most(Duration::from_millis(200)), &before.key) {
            Ok(now) => match own(before, &now) {
                // What changes by itself has not changed for the act.
                Some(EvidenceKind::ValueReadback | EvidenceKind::StateReadback) if self.is_restless(&before.key) => Own::Same,
                changed => changed.map_or(Own::Same, Own::Changed),
            },
            // Gone tells nothing by itself: `around` sees whether its window went with it.
            Err(_) => Own::Unreadable,
        }
    }

    fn is_own(&self, e: &Event) -> bool {
        matches!((e, &self.before), (Event::NodeChanged { node: Some(n), .. }, Some(b)) if b.key == *n)
    }

    /// Whether something was painted after the act, and painting has ended since. Painting that
    /// goes on is of its own, and tells nothing any more.
    fn painted(&mut self, now: Instant) -> bool {
        let Some((first, last)) = self.paint.filter(|(first, _)| now >= *first + PAINTING) else { return false };
        let ended = last < first + BURST;
        self.painting |= !ended;
        self.paint = None;
        ended
    }

    fn near(&self, area: &Rect<Local>) -> bool {
        let grown = Rect::new(area.x - NEAR, area.y - NEAR, area.w.saturating_add(2 * NEAR as u32), area.h.saturating_add(2 * NEAR as u32));
        self.spots.iter().any(|s| grown.contains(*s))
    }

    fn note_restless(&mut self, e: &Event) {
        match e {
            Event::Restless { node: Some(n), .. } => {
                self.restless.insert(n.clone());
            }
            Event::Restless { node: None, .. } => self.all_restless = true,
            Event::Unwatched { .. } => self.unwatched = true,
            _ => {}
        }
    }

    /// Whether a change of another object comes when one that the act brings would. One that comes
    /// later may be a clock's, the more so where it is not known what changes by itself.
    fn in_time(&self, now: Instant) -> bool {
        let since = self.done.map_or(Duration::ZERO, |done| now.saturating_duration_since(done));
        since + EARLY >= self.late && since <= self.late + if self.unwatched { SHOWS } else { SPREADS }
    }

    /// Whether this object changes by itself.
    pub fn is_restless(&self, n: &NodeKey) -> bool {
        self.all_restless || self.restless.contains(n)
    }

    fn judge(&mut self, run: &Run<'_>, e: &Event, found: &mut HashSet<EvidenceKind>) {
        match e {
            Event::WindowOpened(id) => {
                if self.mine(run, *id) {
                    found.insert(EvidenceKind::WindowChange);
                }
            }
            Event::WindowClosed(id) if self.windows.as_ref().is_some_and(|w| w.contains(id)) => {
                found.insert(EvidenceKind::WindowChange);
            }
            Event::NodeChanged { node: Some(n), pid } if pid.is_none() || *pid == self.pid => {
                if !self.is_own(e) && !self.is_restless(n) && self.in_time(run.host().now()) {
                    found.insert(EvidenceKind::WindowChange);
                }
            }
            // Windows look different in front, whether or not anything else happened to them.
            Event::Activated { pid } if pid.is_none() || *pid == self.pid => {
                self.painting = true;
                self.paint = None;
            }
            Event::Painted { area, .. } if !self.painting && self.near(area) => {
                let now = run.host().now();
                self.paint.get_or_insert((now, now)).1 = now;
            }
            e => self.note_restless(e),
        }
    }

    /// Windows that came or went, and the focus, where no events tell.
    fn around(&self, run: &Run<'_>, found: &mut HashSet<EvidenceKind>) {
        let ctx = run.ctx.at_most(Duration::from_millis(200));
        if let (Some(before), Ok(now)) = (&self.windows, run.desktop().windows(&ctx)) {
            let came = now.iter().any(|w| !before.contains(&w.id) && w.pid == self.pid);
            let went = self.window.is_some_and(|w| before.contains(&w) && !now.iter().any(|n| n.id == w));
            if came || went {
                found.insert(EvidenceKind::WindowChange);
            }
        }
        if let (Some(before), Ok(now)) = (&self.focus, run.desktop().focus(&ctx))
            && *before != now.window
            && now.window.is_some_and(|w| self.mine(run, w))
        {
            found.insert(EvidenceKind::FocusChange);
        }
    }

    fn mine(&self, run: &Run<'_>, id: WindowId) -> bool {
        self.pid.is_none() || run.desktop().window(&run.ctx.at_most(Duration::from_millis(200)), id).is_ok_and(|w| w.pid == self.pid)
    }
}

fn inside(window: &Window, at: Place) -> Point<Local> {
    match at {
        Place::Window(_, at) => at,
        Place::Screen(at) => at.within(window.bounds.origin()),
    }
}

enum Own {
    Same,
    Changed(EvidenceKind),
    Unreadable,
}

/// A change of state or value that a press, a toggle or a choice brings.
pub fn changed(before: &Node, now: &Node) -> Option<EvidenceKind> {
    // A plain button is down for a moment whether or not the press is taken.
    let toggled = before.has(States::CHECKABLE) && before.has(States::PRESSED) != now.has(States::PRESSED);
    if toggled || TELLING.iter().any(|s| before.has(*s) != now.has(*s)) {
        let selection = before.has(States::SELECTED) != now.has(States::SELECTED);
        return Some(if selection { EvidenceKind::SelectionReadback } else { EvidenceKind::StateReadback });
    }
    if before.value != now.value || before.range.map(|r| r.now) != now.range.map(|r| r.now) || before.name != now.name {
        return Some(EvidenceKind::ValueReadback);
    }
    if !before.has(States::FOCUSED) && now.has(States::FOCUSED) {
        return Some(EvidenceKind::FocusChange);
    }
    None
}
