//! `check_permissions`, `health_report`.

use std::time::Duration;

use desktop::{Health, HealthState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Card, Tool};
use crate::run::Run;
use crate::{Answer, Reply};

const fn card(name: &'static str, example: &'static str) -> Card {
    let mut c = Card::look(name, "health", example);
    c.even_ended = true;
    c
}

fn parts(run: &Run<'_>) -> Vec<Health> {
    run.desktop().health(&run.ctx.at_most(Duration::from_secs(4)))
}

/// What the driver may and can do here, with what brings the missing parts.
#[derive(Deserialize, JsonSchema)]
pub struct CheckPermissions {}

#[derive(Serialize, JsonSchema)]
pub struct PermissionsOut {
    accessibility: bool,
    screen_recording: bool,
    input: bool,
    missing: Vec<Missing>,
}

#[derive(Serialize, JsonSchema)]
struct Missing {
    name: &'static str,
    message: String,
    hint: String,
}

impl Tool for CheckPermissions {
    const CARD: Card = card("check_permissions", "{}");
    type Out = PermissionsOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let all = parts(run);
        let works = |name: &str| all.iter().any(|h| h.name == name && h.state == HealthState::Pass);
        let missing: Vec<Missing> = all
            .iter()
            .filter(|h| h.state == HealthState::Fail)
            .map(|h| Missing { name: h.name, message: h.message.clone(), hint: h.hint.clone() })
            .collect();
        let text = if missing.is_empty() { "nothing is missing".to_owned() } else { missing.iter().map(|m| format!("{}: {} {}", m.name, m.message, m.hint)).collect::<Vec<_>>().join("\n") };
        let out = PermissionsOut { accessibility: works("accessibility"), screen_recording: works("screen_capture"), input: works("second_seat") || works("display"), missing };
        Ok(Reply { text, structured: json!(out), ..Reply::default() })
    }
}

/// One check of everything, each failure with what mends it.
#[derive(Deserialize, JsonSchema)]
pub struct HealthReport {
    /// Only these checks.
    #[serde(default)]
    #[schemars(length(max = 50))]
    include: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 50))]
    skip: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct ReportOut {
    schema_version: &'static str,
    platform: &'static str,
    driver_version: &'static str,
    /// ok, degraded or failed.
    overall: &'static str,
    checks: Vec<Map<String, Value>>,
}

impl Tool for HealthReport {
    const CARD: Card = card("health_report", "{}");
    type Out = ReportOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let info = run.desktop().info();
        let core = [
            ("binary_version", format!("cua-driver {}", env!("CARGO_PKG_VERSION"))),
            ("platform_supported", format!("{} {}", info.platform, info.backend)),
            ("session_active", format!("session {}", run.session.name())),
        ];
        let mut all: Vec<Health> = core.into_iter().map(|(name, message)| Health { name, state: HealthState::Pass, message, hint: String::new() }).collect();
        all.extend(parts(run));
        all.retain(|h| (self.include.is_empty() || self.include.iter().any(|n| n == h.name)) && !self.skip.iter().any(|n| n == h.name));
        let failed = all.iter().any(|h| h.state == HealthState::Fail);
        let overall = if failed { "degraded" } else { "ok" };
        let mut text = format!("{overall}\n");
        let checks = all.iter().map(|h| check(h, &mut text)).collect();
        let out = ReportOut { schema_version: "1", platform: info.platform, driver_version: env!("CARGO_PKG_VERSION"), overall, checks };
        Ok(Reply { text, structured: json!(out), ..Reply::default() })
    }
}

fn check(h: &Health, text: &mut String) -> Map<String, Value> {
    let status = match h.state {
        HealthState::Pass => "pass",
        HealthState::Fail => "fail",
        HealthState::Skip => "skip",
    };
    text.push_str(&format!("- {} {status}: {}{}{}\n", h.name, h.message, if h.hint.is_empty() { "" } else { " → " }, h.hint));
    let mut o = Map::new();
    o.insert("name".into(), h.name.into());
    o.insert("status".into(), status.into());
    o.insert("message".into(), h.message.clone().into());
    if !h.hint.is_empty() {
        o.insert("hint".into(), h.hint.clone().into());
    }
    o
}
