//! `launch_app`, `kill_app`.

use std::time::{Duration, Instant};

use desktop::{DesktopError, Launch, Pid, Route};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::list::{WindowRow, row};
use super::{Acted, Acting, Card, Reach};
use crate::aim::Aim;
use crate::effect::{ActionResult, Effect, EvidenceKind, Mode};
use crate::run::Run;
use crate::view::quoted;
use crate::{Answer, Code, Refusal, Reply};

/// Starts an application by desktop id, name or absolute path, without giving it the focus, and
/// waits a moment for its window.
#[derive(Deserialize, JsonSchema)]
pub struct LaunchApp {
    /// Desktop id, name or absolute path.
    #[schemars(length(min = 1, max = 4096))]
    name: Option<String>,
    /// The same as name; goes before it.
    #[schemars(length(min = 1, max = 4096))]
    launch_path: Option<String>,
    /// Desktop id.
    #[schemars(length(min = 1, max = 1000))]
    bundle_id: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 32))]
    urls: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 100))]
    additional_arguments: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct LaunchOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    running: bool,
    active: bool,
    windows: Vec<WindowRow>,
    launch_state: LaunchState,
}

#[derive(Serialize, JsonSchema)]
struct LaunchState {
    requested: bool,
    process_running: bool,
    window_ready: bool,
}

impl Acting for LaunchApp {
    const CARD: Card = {
        let mut c = Card::act("launch_app", "apps", Reach::None, r#"{"name":"mousepad"}"#);
        c.hints.destructive = false;
        c
    };
    type Out = LaunchOut;

    fn aim(&self, _run: &Run<'_>) -> Result<Aim, Refusal> {
        if self.name.is_none() && self.launch_path.is_none() && self.bundle_id.is_none() {
            return Err(Refusal::new(Code::InvalidArguments, "`name`: is required.").with("field", "name"));
        }
        Ok(Aim::default())
    }

    fn act(&self, run: &Run<'_>, _aim: &Aim) -> Answer {
        let what = self.launch_path.as_ref().or(self.name.as_ref()).or(self.bundle_id.as_ref()).cloned().unwrap_or_default();
        let launch = Launch { what, args: self.additional_arguments.clone(), urls: self.urls.clone() };
        let l = run.desktop().launch(&run.ctx.at_most(Duration::from_secs(8)), &launch).map_err(|e| run.no(e))?;
        let windows: Vec<_> = l.windows.iter().filter_map(|id| run.desktop().window(&run.brief(), *id).ok()).collect();
        let mut text = format!("{} pid={}", quoted(&l.name), l.pid.map_or_else(|| "-".into(), |p| p.to_string()));
        for w in &windows {
            text.push_str(&format!("\n- window_id={} {}", w.id, quoted(&w.title)));
        }
        if windows.is_empty() {
            text.push_str("\nno window yet; call list_windows in a moment");
        }
        let out = LaunchOut {
            pid: l.pid.map(|p| p.0),
            name: l.name,
            bundle_id: l.id,
            running: l.running,
            active: windows.iter().any(|w| w.active),
            launch_state: LaunchState { requested: true, process_running: l.running, window_ready: !windows.is_empty() },
            windows: windows.iter().map(row).collect(),
        };
        Ok(Reply { text, structured: json!(out), ..Reply::default() })
    }
}

/// Asks an application to end, as its close button and then SIGTERM do; force ends it at once.
#[derive(Deserialize, JsonSchema)]
pub struct KillApp {
    #[schemars(range(min = 2))]
    pid: u32,
    #[serde(default)]
    force: bool,
}

impl Acting for KillApp {
    const CARD: Card = {
        let mut c = Card::act("kill_app", "apps", Reach::None, r#"{"pid":1234}"#);
        c.hints.idempotent = true;
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        if self.pid == std::process::id() {
            return Err(Refusal::new(Code::PermissionDenied, format!("Process {} is this driver; nothing was ended.", self.pid)).hint("Use `cua-driver stop`."));
        }
        let window = run.desktop().windows(&run.brief()).ok().and_then(|all| all.into_iter().find(|w| w.pid == Some(Pid(self.pid))));
        Ok(Aim { window, ..Aim::default() })
    }

    fn act(&self, run: &Run<'_>, _aim: &Aim) -> Answer {
        let pid = Pid(self.pid);
        run.desktop().terminate(&run.ctx.at_most(Duration::from_secs(5)), pid, self.force).map_err(|e| run.no(e))?;
        let end = Instant::now() + Duration::from_secs(3).min(run.ctx.left());
        loop {
            let there = match run.desktop().apps(&run.brief(), false) {
                Ok(apps) => apps.iter().any(|a| a.pid == Some(pid)),
                Err(DesktopError::NoDisplay(_)) => false,
                Err(e) => return Err(run.no(e)),
            };
            if !there {
                return ActionResult::proven(Route::System, Mode::NotApplicable, &[EvidenceKind::WindowChange]).reply("kill_app");
            }
            if Instant::now() >= end {
                let mut r = ActionResult::new(Effect::Unverifiable, Route::System, Mode::NotApplicable).reply("kill_app")?;
                r.text.push_str(&format!("; process {pid} still runs (it may be asking the person); {{\"force\": true}} ends it at once"));
                return Ok(r);
            }
            run.wait(Duration::from_millis(50))?;
        }
    }
}
