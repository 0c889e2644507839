//! What an application told of changes since it is listened to.
//!
//! Owns: which objects it named, and since when. Refuses to own: what these objects are like now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zbus::Message;
use zbus::wire::{ObjectPath, Variant};

/// Objects remembered by name; when more of them change, all count as changed.
const NAMED: usize = 256;
/// An application that nobody asked about for so long is not listened to any more,
const UNUSED: Duration = Duration::from_secs(180);
/// nor one that told so much in between.
const CHATTY: u64 = 4000;

/// Listened to for so long, it is known what changes every second by itself,
const KNOWN: Duration = Duration::from_millis(1200);
/// which is remembered for so long.
const RECENT: Duration = Duration::from_secs(5);
/// What changes for so long after an act begins may come of it.
const EFFECT: Duration = Duration::from_millis(120);

/// A moment in what an application told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Listening ends and begins anew: marks of another time tell nothing.
    turn: u64,
    n: u64,
}

#[derive(Default)]
pub(super) struct Told(Mutex<Heard>);

#[derive(Default)]
struct Heard {
    listening: bool,
    turn: u64,
    n: u64,
    objects: HashMap<Arc<str>, Change>,
    /// Anything may have changed up to here.
    all: u64,
    used: Option<(Instant, u64)>,
    /// Since when it is listened to.
    began: Option<Instant>,
    /// Until then changes may come of an act.
    acting: Option<Instant>,
    /// When objects last changed by themselves,
    alone: HashMap<Arc<str>, Instant>,
    /// and when others did that are not named any more.
    others: Option<Instant>,
}

/// What changed by itself of late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Restless {
    pub objects: Vec<Arc<str>>,
    pub others: bool,
    /// It is listened to for long enough to know.
    pub known: bool,
}

impl Heard {
    fn alone(&mut self, path: &Arc<str>) {
        let now = Instant::now();
        if self.acting.is_some_and(|until| now < until) {
            return;
        }
        if self.alone.len() >= NAMED && !self.alone.contains_key(path) {
            self.alone.retain(|_, at| now.duration_since(*at) < RECENT);
            if self.alone.len() >= NAMED {
                self.others = Some(now);
                return;
            }
        }
        self.alone.insert(path.clone(), now);
    }
}

/// When an object last changed, and when what lies below it did.
#[derive(Clone, Copy, Default)]
struct Change {
    own: u64,
    below: u64,
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

/// What a signal says of its object.
enum Says {
    Changed,
    /// Objects below it came, went or changed without being named.
    Below,
    Nothing,
}

fn says(m: &Message) -> Says {
    let header = m.header();
    let (Some(face), Some(member)) = (header.interface(), header.member()) else { return Says::Nothing };
    match (face.as_str(), member.as_str()) {
        // Places are asked for at every look.
        ("org.a11y.atspi.Event.Object", "TextCaretMoved" | "BoundsChanged") => Says::Nothing,
        ("org.a11y.atspi.Event.Object", "StateChanged") if detail(m) != "defunct" => Says::Changed,
        ("org.a11y.atspi.Event.Object", "PropertyChange") if detail(m) != "accessible-parent" => Says::Changed,
        ("org.a11y.atspi.Event.Object", "TextChanged" | "TextSelectionChanged" | "AttributesChanged") => Says::Changed,
        ("org.a11y.atspi.Event.Object", _) => Says::Below,
        ("org.a11y.atspi.Event.Window", member) if coming_or_going(member) => Says::Below,
        ("org.a11y.atspi.Event.Window", _) => Says::Changed,
        _ => Says::Nothing,
    }
}

fn coming_or_going(member: &str) -> bool {
    ["create", "destroy", "close"].iter().any(|m| member.eq_ignore_ascii_case(m))
}

/// What input brings by itself, also where it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// An element has the keyboard, or is down.
    Element,
    /// A window is in front.
    Window,
}

pub(super) fn passing(m: &Message) -> Option<Passing> {
    let header = m.header();
    match (header.interface()?.as_str(), header.member()?.as_str()) {
        ("org.a11y.atspi.Event.Object", "StateChanged") => match detail(m).as_str() {
            "focused" | "pressed" | "armed" => Some(Passing::Element),
            "active" => Some(Passing::Window),
            _ => None,
        },
        // GTK 4 writes them small.
        ("org.a11y.atspi.Event.Window", member) if !coming_or_going(member) => Some(Passing::Window),
        ("org.a11y.atspi.Event.Focus", _) => Some(Passing::Element),
        _ => None,
    }
}

/// The first word of an event's body, in both layouts that are in use.
fn detail(m: &Message) -> String {
    type New<'a> = (&'a str, i32, i32, Variant<'a>, HashMap<&'a str, Variant<'a>>);
    type Old<'a> = (&'a str, i32, i32, Variant<'a>, (&'a str, ObjectPath<'a>));
    let body = m.body();
    let new = body.deserialize::<New<'_>>().map(|b| b.0.to_owned());
    new.or_else(|_| body.deserialize::<Old<'_>>().map(|b| b.0.to_owned())).unwrap_or_default()
}

impl Told {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Now, while it is listened to. Whoever asks keeps it listened to.
    pub fn mark(&self) -> Option<Mark> {
        let mut heard = self.heard();
        heard.used = Some((Instant::now(), heard.n));
        heard.listening.then_some(Mark { turn: heard.turn, n: heard.n })
    }

    /// An act begins that the application keeps back for at most so long.
    pub fn act_begins(&self, late: Duration) {
        self.heard().acting = Some(Instant::now() + late + EFFECT);
    }

    pub fn restless(&self) -> Restless {
        let heard = self.heard();
        let recent = |at: &Instant| at.elapsed() < RECENT;
        let objects = heard.alone.iter().filter(|(_, at)| recent(at)).map(|(path, _)| path.clone()).collect();
        Restless { objects, others: heard.others.as_ref().is_some_and(recent), known: heard.listening && heard.began.is_some_and(|at| at.elapsed() >= KNOWN) }
    }

    /// From now on every change is told.
    pub fn begin(&self) {
        let mut heard = self.heard();
        if !heard.listening {
            heard.listening = true;
            heard.turn += 1;
            heard.began = Some(Instant::now());
            heard.objects.clear();
            heard.all = heard.n;
        }
    }

    /// Take note of a signal. True when listening has just become of no use.
    pub fn note(&self, m: &Message) -> bool {
        let mut heard = self.heard();
        if !heard.listening {
            return false;
        }
        let idle = heard.used.is_none_or(|(at, n)| at.elapsed() > UNUSED || heard.n - n > CHATTY);
        if idle {
            heard.listening = false;
            heard.objects = HashMap::new();
            heard.alone = HashMap::new();
            return true;
        }
        let Some(path) = m.header().path().map(|p| Arc::<str>::from(p.as_str())) else { return false };
        if passing(m).is_none() {
            heard.alone(&path);
        }
        let below = match says(m) {
            Says::Nothing => return false,
            Says::Changed => false,
            Says::Below => true,
        };
        heard.n += 1;
        let n = heard.n;
        if heard.objects.len() >= NAMED && !heard.objects.contains_key(&path) {
            heard.objects.clear();
            heard.all = n;
            return false;
        }
        let change = heard.objects.entry(path).or_default();
        if below {
            change.below = n
        } else {
            change.own = n
        }
        false
    }

    /// Those of some objects that changed since; `known` gives their number by path. `None`
    /// where more may have changed than can be named.
    pub fn since(&self, mark: Mark, known: impl Fn(&Arc<str>) -> Option<usize>) -> Option<Vec<usize>> {
        let heard = self.heard();
        if !heard.listening || heard.turn != mark.turn || heard.all > mark.n {
            return None;
        }
        let mut out = Vec::new();
        for (path, change) in &heard.objects {
            if change.own.max(change.below) <= mark.n {
                continue;
            }
            let Some(i) = known(path) else { continue };
            if change.below > mark.n {
                return None;
            }
            out.push(i);
        }
        Some(out)
    }
}
