//! `verify_state`, `wait_for`: the same predicates with two bounds.

use std::time::Duration;

use desktop::{EventFilter, WindowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Card, Tool};
use crate::expect::{self, Expect, Judged, Truth};
use crate::run::Run;
use crate::tools::window_state::shot;
use crate::{Answer, Code, Refusal, Reply};

/// At most this long between two looks.
const POLL: Duration = Duration::from_millis(100);

/// Checks 1 to 8 predicates, all of which must hold, in some samples in a row: satisfied,
/// unsatisfied or unknown.
#[derive(Deserialize, JsonSchema)]
pub struct VerifyState {
    #[schemars(range(min = 1))]
    pid: Option<u32>,
    #[schemars(range(min = 1))]
    window_id: u64,
    #[schemars(length(min = 1, max = 8))]
    expect: Vec<Expect>,
    /// Default 5000.
    #[schemars(range(max = 10000))]
    timeout_ms: Option<u64>,
    /// Default 2.
    #[schemars(range(min = 1, max = 5))]
    stable_samples: Option<u32>,
    #[serde(default)]
    include_screenshot: bool,
}

/// Waits until 1 to 8 predicates hold; the same predicates as verify_state.
#[derive(Deserialize, JsonSchema)]
pub struct WaitFor {
    #[schemars(range(min = 1))]
    pid: Option<u32>,
    #[schemars(range(min = 1))]
    window_id: u64,
    #[schemars(length(min = 1, max = 8))]
    expect: Vec<Expect>,
    /// Default 10000.
    #[schemars(range(max = 120000))]
    timeout_ms: Option<u64>,
    /// Default 1.
    #[schemars(range(min = 1, max = 5))]
    stable_samples: Option<u32>,
    #[serde(default)]
    include_screenshot: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct VerifyOut {
    /// satisfied, unsatisfied or unknown.
    status: &'static str,
    stable: bool,
    elapsed_ms: u64,
    samples: u32,
    predicates: Vec<PredicateOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PredicateOut {
    index: usize,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_json: Option<String>,
}

struct Asked<'a> {
    pid: Option<u32>,
    window: WindowId,
    expect: &'a [Expect],
    timeout: Duration,
    stable: u32,
    screenshot: bool,
}

impl Tool for VerifyState {
    const CARD: Card = Card::look(
        "verify_state",
        "observe",
        r#"{"pid":1234,"window_id":5678,"expect":[{"element":{"selector":{"role":"textbox","label":"Name"},"value_equals":"Ada"}}]}"#,
    );
    type Out = VerifyOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        verify(run, &Asked {
            pid: self.pid,
            window: WindowId(self.window_id),
            expect: &self.expect,
            timeout: Duration::from_millis(self.timeout_ms.unwrap_or(5000)),
            stable: self.stable_samples.unwrap_or(2),
            screenshot: self.include_screenshot,
        })
    }
}

impl Tool for WaitFor {
    const CARD: Card = {
        let mut c = Card::look("wait_for", "observe", r#"{"window_id":5678,"expect":[{"element":{"selector":{"label":"Done"},"exists":true}}],"timeout_ms":30000}"#);
        c.bound = Duration::from_secs(125);
        c
    };
    type Out = VerifyOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        verify(run, &Asked {
            pid: self.pid,
            window: WindowId(self.window_id),
            expect: &self.expect,
            timeout: Duration::from_millis(self.timeout_ms.unwrap_or(10_000)),
            stable: self.stable_samples.unwrap_or(1),
            screenshot: self.include_screenshot,
        })
    }
}

fn verify(run: &Run<'_>, a: &Asked<'_>) -> Answer {
    for (i, e) in a.expect.iter().enumerate() {
        e.check().map_err(|why| Refusal::new(Code::InvalidArguments, format!("`expect[{i}]`: {why}.")).with("field", format!("expect[{i}]")))?;
    }
    let scene = expect::Scene::of(run, a.pid, a.window)?;
    let began = run.host().now();
    let elapsed = || run.host().now().saturating_duration_since(began);
    let filter = EventFilter { windows: true, nodes: scene.pid, ..EventFilter::default() };
    let mut events = run.desktop().events(&run.brief(), filter).ok();
    let (mut row, mut samples) = (0, 0);
    let judged = loop {
        let left = a.timeout.saturating_sub(elapsed());
        let judged = scene.judge(run, a.expect, left)?;
        samples += 1;
        row = if judged.iter().all(|j| j.truth == Truth::Satisfied) { row + 1 } else { 0 };
        let over = elapsed() >= a.timeout || run.ctx.left().is_zero();
        if row >= a.stable || over {
            break judged;
        }
        let pause = POLL.min(a.timeout.saturating_sub(elapsed())).max(Duration::from_millis(1));
        pause_or_event(run, &mut events, pause, row > 0)?;
        run.report(samples.into(), 0, "looking");
    };
    answer(run, a, judged, row, samples, elapsed())
}

/// Wait, and less when something happens. Between samples of stability time has to pass.
fn pause_or_event(run: &Run<'_>, events: &mut Option<Box<dyn desktop::Events>>, pause: Duration, stability: bool) -> Result<(), Refusal> {
    match events {
        Some(e) if !stability => {
            // In slices, so that a cancelled call ends soon.
            let mut left = pause;
            while !left.is_zero() {
                let slice = left.min(Duration::from_millis(50));
                if e.next(slice).is_some() {
                    // What comes in one burst is looked at once.
                    return run.wait(Duration::from_millis(5));
                }
                run.ctx.check().map_err(|x| run.no(x))?;
                left -= slice;
            }
            Ok(())
        }
        _ => run.wait(pause),
    }
}

fn answer(run: &Run<'_>, a: &Asked<'_>, judged: Vec<Judged>, row: u32, samples: u32, elapsed: Duration) -> Answer {
    let stable = row >= a.stable;
    let all = judged.iter().all(|j| j.truth == Truth::Satisfied);
    let status = if stable {
        "satisfied"
    } else if judged.iter().any(|j| j.truth == Truth::Unsatisfied) {
        "unsatisfied"
    } else {
        "unknown"
    };
    let predicates: Vec<PredicateOut> = judged
        .into_iter()
        .enumerate()
        .map(|(index, j)| {
            let unproven = all && !stable;
            let (status, reason) = match j.truth {
                _ if unproven => ("unknown", Some("stability_unproven")),
                Truth::Satisfied => ("satisfied", None),
                Truth::Unsatisfied => ("unsatisfied", None),
                Truth::Unknown(r) => ("unknown", Some(r)),
            };
            PredicateOut { index, status, unknown_reason: reason, observed_json: j.observed.map(|o| o.to_string().chars().take(2000).collect()) }
        })
        .collect();
    let mut text = format!("{status} after {} ms\n", elapsed.as_millis());
    for p in predicates.iter().filter(|p| p.status != "satisfied") {
        text.push_str(&format!("- expect[{}] {}{}{}\n", p.index, p.status, p.unknown_reason.map(|r| format!(" ({r})")).unwrap_or_default(), p.observed_json.as_ref().map(|o| format!(", observed {o}")).unwrap_or_default()));
    }
    let (mut images, mut screenshot_error) = (vec![], None);
    if a.screenshot {
        let taken = run.desktop().window(&run.brief(), a.window).map_err(|e| run.no(e)).and_then(|w| shot(run, &w).made);
        match taken {
            Ok((image, ..)) => images.push(image),
            Err(r) => screenshot_error = Some(r.text()),
        }
    }
    let out = VerifyOut { status, stable, elapsed_ms: elapsed.as_millis() as u64, samples, predicates, screenshot_error };
    Ok(Reply { text, structured: json!(out), images, failed: false })
}
