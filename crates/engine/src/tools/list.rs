//! `list_windows`, `list_apps`.

use desktop::{App, Pid, Window, WindowKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Card, Tool};
use crate::run::Run;
use crate::view::quoted;
use crate::{Answer, Reply};

/// Lists top-level windows, menus and dialogs with pid, window_id, title and bounds (screen pixels).
#[derive(Deserialize, JsonSchema)]
pub struct ListWindows {
    /// Only windows of this process.
    #[schemars(range(min = 1))]
    pid: Option<u32>,
    #[serde(default)]
    on_screen_only: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Bounds {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

#[derive(Serialize, JsonSchema)]
pub struct WindowRow {
    pub window_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub app_name: String,
    pub title: String,
    pub bounds: Bounds,
    /// Larger is nearer the front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z_index: Option<u32>,
    pub is_on_screen: bool,
    /// normal, dialog, popup, utility or chrome.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_window_id: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub minimized: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct WindowsOut {
    windows: Vec<WindowRow>,
}

pub fn row(w: &Window) -> WindowRow {
    WindowRow {
        window_id: w.id.0,
        pid: w.pid.map(|p| p.0),
        app_name: crate::view::title(&w.app_name),
        title: crate::view::title(&w.title),
        bounds: Bounds { x: w.bounds.x, y: w.bounds.y, width: w.bounds.w, height: w.bounds.h },
        z_index: w.z,
        is_on_screen: w.on_screen,
        kind: match w.kind {
            WindowKind::Normal => "normal",
            WindowKind::Dialog => "dialog",
            WindowKind::Popup => "popup",
            WindowKind::Utility => "utility",
            WindowKind::Chrome => "chrome",
        },
        owner_window_id: w.owner.map(|o| o.0),
        active: w.active,
        minimized: w.minimized,
    }
}

impl Tool for ListWindows {
    const CARD: Card = Card::look("list_windows", "observe", "{}");
    type Out = WindowsOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let all = run.desktop().windows(&run.ctx).map_err(|e| run.no(e))?;
        {
            let mut state = run.session.state();
            state.listed = all.iter().map(|w| (w.id, w.birth)).collect();
        }
        let chosen: Vec<&Window> =
            all.iter().filter(|w| self.pid.is_none_or(|p| w.pid == Some(Pid(p))) && (w.on_screen || !self.on_screen_only)).collect();
        let mut text = format!("{} windows\n", chosen.len());
        for w in &chosen {
            let pid = w.pid.map_or_else(|| "-".into(), |p| p.to_string());
            let flags = [(w.active, "active"), (w.minimized, "minimized"), (!w.on_screen && !w.minimized, "off screen")];
            let flags: Vec<_> = flags.into_iter().filter(|(yes, _)| *yes).map(|(_, f)| f).collect();
            let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
            text.push_str(&format!(
                "- window_id={} pid={pid} {} {} {}x{}+{}+{}{flags}\n",
                w.id, quoted(&w.app_name), quoted(&w.title), w.bounds.w, w.bounds.h, w.bounds.x, w.bounds.y
            ));
        }
        let out = WindowsOut { windows: chosen.into_iter().map(row).collect() };
        Ok(Reply { text, structured: json!(out), ..Reply::default() })
    }
}

/// Lists running and installed applications.
#[derive(Deserialize, JsonSchema)]
pub struct ListApps {}

#[derive(Serialize, JsonSchema)]
struct AppRow {
    /// 0 when not running.
    pid: u32,
    name: String,
    bundle_id: String,
    running: bool,
    active: bool,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    launch_path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct AppsOut {
    apps: Vec<AppRow>,
}

impl Tool for ListApps {
    const CARD: Card = Card::look("list_apps", "observe", "{}");
    type Out = AppsOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let apps = run.desktop().apps(&run.ctx, true).map_err(|e| run.no(e))?;
        let running: Vec<&App> = apps.iter().filter(|a| a.pid.is_some()).collect();
        let mut text = format!("{} running, {} installed\n", running.len(), apps.len() - running.len());
        for a in &running {
            text.push_str(&format!("- pid={} {}\n", a.pid.map_or(0, |p| p.0), quoted(&a.name)));
        }
        let rows: Vec<AppRow> = apps
            .into_iter()
            .map(|a| AppRow {
                pid: a.pid.map_or(0, |p| p.0),
                running: a.pid.is_some(),
                name: a.name,
                bundle_id: a.id.unwrap_or_default(),
                active: a.active,
                kind: "desktop",
                launch_path: a.launch_path,
            })
            .collect();
        Ok(Reply { text, structured: json!(AppsOut { apps: rows }), ..Reply::default() })
    }
}

/// Bounds as hosts know them.
pub fn bounds(w: &Window) -> Value {
    json!({"x": w.bounds.x, "y": w.bounds.y, "width": w.bounds.w, "height": w.bounds.h})
}
