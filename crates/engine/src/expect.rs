//! Predicates over a window and its elements, and what is known of them.

use std::time::Duration;

use desktop::{DesktopError, EmptyBecause, Limits, Node, Pid, States, Tree, Window, WindowId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::run::Run;
use crate::{Code, Refusal, role, view};

/// One predicate: exactly one of window, element, text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Expect {
    pub window: Option<WindowExpect>,
    pub element: Option<ElementExpect>,
    /// Text that some element shows.
    #[schemars(length(min = 1, max = 2000))]
    pub text: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WindowExpect {
    pub exists: Option<bool>,
    pub bounds: Option<BoundsExpect>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BoundsExpect {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
    /// Default 1.
    #[schemars(range(max = 100))]
    pub tolerance_px: Option<u32>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ElementExpect {
    pub selector: Selector,
    pub exists: Option<bool>,
    pub value_equals: Option<String>,
    pub value_contains: Option<String>,
    pub enabled: Option<bool>,
    pub selected: Option<bool>,
    pub focused: Option<bool>,
    pub checked: Option<bool>,
}

/// role, label, label_contains, and within: the label of something it lies in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Selector {
    pub role: Option<String>,
    pub label: Option<String>,
    pub label_contains: Option<String>,
    pub within: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Satisfied,
    Unsatisfied,
    Unknown(&'static str),
}

#[derive(Clone, Debug)]
pub struct Judged {
    pub truth: Truth,
    pub observed: Option<Value>,
}

impl From<Truth> for Judged {
    fn from(truth: Truth) -> Self {
        Self { truth, observed: None }
    }
}

impl Expect {
    /// What is wrong with the predicate itself.
    pub fn check(&self) -> Result<(), String> {
        let n = usize::from(self.window.is_some()) + usize::from(self.element.is_some()) + usize::from(self.text.is_some());
        if n != 1 {
            return Err("exactly one of window, element and text is needed".into());
        }
        if self.window.as_ref().is_some_and(|w| w.exists.is_none() && w.bounds.is_none()) {
            return Err("window: exists or bounds is needed".into());
        }
        if let Some(e) = &self.element {
            let s = &e.selector;
            if s.role.is_none() && s.label.is_none() && s.label_contains.is_none() {
                return Err("element.selector: role, label or label_contains is needed".into());
            }
            let asks = e.exists.is_some() || e.value_equals.is_some() || e.value_contains.is_some() || e.asks_state();
            if !asks {
                return Err("element: exists, value_equals, value_contains, enabled, selected, focused or checked is needed".into());
            }
            if e.exists == Some(false) && (e.value_equals.is_some() || e.value_contains.is_some() || e.asks_state()) {
                return Err("element: what does not exist has no value and no state".into());
            }
        }
        Ok(())
    }

    const fn needs_tree(&self) -> bool {
        self.element.is_some() || self.text.is_some()
    }
}

impl ElementExpect {
    const fn asks_state(&self) -> bool {
        self.enabled.is_some() || self.selected.is_some() || self.focused.is_some() || self.checked.is_some()
    }
}

/// The window that is asked about, as it was when the call came.
pub struct Scene {
    window: WindowId,
    /// `None`: there was no such window to begin with.
    birth: Option<u64>,
    pub pid: Option<Pid>,
}

impl Scene {
    /// A window that is not there can be asked about: it may come, or its absence be the answer.
    /// A window of another process is refused.
    pub fn of(run: &Run<'_>, pid: Option<u32>, window: WindowId) -> Result<Self, Refusal> {
        match run.desktop().window(&run.brief(), window) {
            Ok(w) => {
                if let (Some(p), Some(owner)) = (pid, w.pid)
                    && Pid(p) != owner
                {
                    return Err(Refusal::new(Code::WindowOwnerPidMismatch, format!("Window {window} belongs to process {owner}, not to {p}.")).with("owner_pid", owner.0));
                }
                let listed = run.session.state().listed.get(&window).copied();
                Ok(Self { window, birth: listed.or(Some(w.birth)), pid: w.pid })
            }
            Err(DesktopError::WindowGone(_)) => Ok(Self { window, birth: run.session.state().listed.get(&window).copied(), pid: pid.map(Pid) }),
            Err(e) => Err(run.no(e)),
        }
    }

    /// One sample of all predicates.
    pub fn judge(&self, run: &Run<'_>, expect: &[Expect], left: Duration) -> Result<Vec<Judged>, Refusal> {
        let window = match run.desktop().window(&run.brief(), self.window) {
            Ok(w) => Some(w).filter(|w| self.birth.is_none_or(|b| b == w.birth)),
            Err(DesktopError::WindowGone(_)) => None,
            Err(e) => return Err(run.no(e)),
        };
        let tree = match &window {
            Some(_) if expect.iter().any(Expect::needs_tree) => Some(self.tree(run, left)?),
            _ => None,
        };
        Ok(expect
            .iter()
            .map(|e| match (&e.window, &e.element, &e.text, &window, &tree) {
                (Some(x), ..) => on_window(x, window.as_ref()),
                (_, _, _, None, _) => Judged::from(if e.element.as_ref().is_some_and(|x| x.exists == Some(false)) { Truth::Satisfied } else { Truth::Unknown("target_missing") }),
                (_, _, _, _, Some(Err(reason))) => Truth::Unknown(reason).into(),
                (_, Some(x), _, _, Some(Ok(t))) => on_element(x, t),
                (_, _, Some(x), _, Some(Ok(t))) => on_text(x, t),
                _ => Truth::Unknown("observation_unavailable").into(),
            })
            .collect())
    }

    /// The tree, or why it cannot be read. It supersedes no snapshot.
    fn tree(&self, run: &Run<'_>, left: Duration) -> Result<Result<Tree, &'static str>, Refusal> {
        let bound = left.clamp(Duration::from_millis(400), Duration::from_secs(10));
        let tree = match run.desktop().tree(&run.ctx.at_most(bound), self.window, &Limits::default()) {
            Ok(t) => t,
            Err(DesktopError::NotAnswering(_) | DesktopError::Timeout) => return Ok(Err("app_not_answering")),
            Err(DesktopError::WindowGone(_)) => return Ok(Err("target_missing")),
            Err(DesktopError::NoAccessibility(_)) => return Ok(Err("observation_unavailable")),
            Err(e) => return Err(run.no(e)),
        };
        Ok(match tree.empty {
            Some(EmptyBecause::NotAnswering) => Err("app_not_answering"),
            Some(_) => Err("observation_unavailable"),
            None => Ok(tree),
        })
    }
}

fn truth(yes: bool) -> Truth {
    if yes { Truth::Satisfied } else { Truth::Unsatisfied }
}

fn on_window(e: &WindowExpect, w: Option<&Window>) -> Judged {
    let exists = e.exists.is_none_or(|want| want == w.is_some());
    let bounds = match (&e.bounds, w) {
        (None, _) => true,
        (Some(_), None) => return Truth::Unknown("target_missing").into(),
        (Some(b), Some(w)) => {
            let tol = b.tolerance_px.unwrap_or(1);
            let r = w.bounds;
            r.x.abs_diff(b.x) <= tol && r.y.abs_diff(b.y) <= tol && r.w.abs_diff(b.width) <= tol && r.h.abs_diff(b.height) <= tol
        }
    };
    let observed = w.map_or(json!({"exists": false}), |w| json!({"exists": true, "bounds": {"x": w.bounds.x, "y": w.bounds.y, "width": w.bounds.w, "height": w.bounds.h}}));
    Judged { truth: truth(exists && bounds), observed: Some(observed) }
}

fn on_text(text: &str, t: &Tree) -> Judged {
    let found = t.nodes.iter().any(|n| n.has(States::VISIBLE) && (n.name.contains(text) || view::value(n).is_some_and(|v| v.contains(text))));
    if found {
        return Truth::Satisfied.into();
    }
    if t.complete { Truth::Unsatisfied.into() } else { Truth::Unknown("observation_incomplete").into() }
}

fn on_element(e: &ElementExpect, t: &Tree) -> Judged {
    let found = matches(&e.selector, t);
    if e.exists == Some(false) {
        return match (found.is_empty(), t.complete) {
            (false, _) => Judged { truth: Truth::Unsatisfied, observed: Some(observed(&found)) },
            (true, true) => Truth::Satisfied.into(),
            (true, false) => Truth::Unknown("observation_incomplete").into(),
        };
    }
    let only_existence = e.value_equals.is_none() && e.value_contains.is_none() && !e.asks_state();
    match found.as_slice() {
        [] if t.complete && only_existence => Truth::Unsatisfied.into(),
        [] => Truth::Unknown(if t.complete { "target_missing" } else { "observation_incomplete" }).into(),
        [_, _, ..] if !only_existence => Judged { truth: Truth::Unknown("multi_match"), observed: Some(observed(&found)) },
        [n, ..] => Judged { truth: truth(only_existence || holds(e, n)), observed: Some(observed(&found[..1])) },
    }
}

fn holds(e: &ElementExpect, n: &Node) -> bool {
    let value = view::value(n).unwrap_or_default();
    let state = |want: Option<bool>, s: States| want.is_none_or(|w| w == n.has(s));
    e.value_equals.as_ref().is_none_or(|v| *v == value)
        && e.value_contains.as_ref().is_none_or(|v| value.contains(v.as_str()))
        && state(e.enabled, States::ENABLED)
        && state(e.selected, States::SELECTED)
        && state(e.focused, States::FOCUSED)
        && e.checked.is_none_or(|w| w == (n.has(States::CHECKED) || (n.has(States::PRESSED) && role::of(n) == "button")))
}

/// Elements that fit a selector. A label and the field it labels have the same name: where both
/// fit and one can be acted on, that one is meant.
fn matches<'a>(s: &Selector, t: &'a Tree) -> Vec<&'a Node> {
    let wanted = s.role.as_deref().map(role::named);
    let inside = |i: usize| {
        let Some(w) = &s.within else { return true };
        std::iter::successors(t.nodes[i].parent, |p| t.nodes[*p].parent).any(|p| t.nodes[p].name == *w)
    };
    let mut found: Vec<&Node> = t
        .nodes
        .iter()
        .enumerate()
        .filter(|(i, n)| {
            wanted.as_deref().is_none_or(|w| role::of(n) == w || n.raw_role.eq_ignore_ascii_case(w))
                && s.label.as_ref().is_none_or(|l| n.name == *l)
                && s.label_contains.as_ref().is_none_or(|l| n.name.to_lowercase().contains(&l.to_lowercase()))
                && n.has(States::VISIBLE)
                && inside(*i)
        })
        .map(|(_, n)| n)
        .collect();
    if wanted.is_none() && found.iter().any(|n| role::interactive(role::of(n))) {
        found.retain(|n| role::interactive(role::of(n)));
    }
    found
}

fn observed(found: &[&Node]) -> Value {
    let rows: Vec<Value> = found
        .iter()
        .take(5)
        .map(|n| {
            let mut o = serde_json::Map::new();
            view::describe(n, &mut o);
            Value::Object(o)
        })
        .collect();
    json!(rows)
}
