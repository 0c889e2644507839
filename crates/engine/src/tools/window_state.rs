//! `get_window_state`: tree and picture of one window.

use std::path::{Path, PathBuf};
use std::time::Instant;

use desktop::{DesktopError, EmptyBecause, Limits, Picture, Source, Tree, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Card, Tool};
use crate::aim::WindowArgs;
use crate::picture::{self, Frame};
use crate::run::{PATIENCE, Run};
use crate::snapshot::{Snapshot, SnapshotId};
use crate::tools::list::bounds;
use crate::view::{self, Filter, quoted};
use crate::{Answer, Code, Image, PathRefused, Refusal, Reply};

/// Elements of one answer unless asked otherwise.
const ELEMENTS: usize = 5000;

/// Reads one window: its elements with tokens to act on, and a picture whose pixels x,y arguments
/// refer to. A new snapshot ends the tokens of the one before; indices stay with their elements.
#[derive(Deserialize, JsonSchema)]
pub struct GetWindowState {
    #[serde(flatten)]
    window: WindowArgs,
    include_accessibility_tree: Option<bool>,
    include_screenshot: Option<bool>,
    /// false: only the text, without elements[]; tokens are snapshot_id:index.
    include_elements: Option<bool>,
    /// Also put the text into tree_markdown.
    #[serde(default)]
    include_tree_markdown: bool,
    /// Keep only lines that contain this, and what holds them.
    #[schemars(length(max = 500))]
    query: Option<String>,
    #[schemars(range(min = 1, max = 20000))]
    max_elements: Option<usize>,
    #[schemars(range(min = 1, max = 400))]
    max_depth: Option<u32>,
    /// About how long the answer may be.
    #[schemars(range(min = 1000))]
    max_bytes: Option<usize>,
    /// Only what changed since this snapshot of the window.
    since: Option<String>,
    /// Write the PNG to this absolute file instead of returning it.
    screenshot_out_file: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct PictureOut {
    pub width: u32,
    pub height: u32,
    /// Picture pixels per native pixel.
    pub scale: f64,
    pub window_origin: Origin,
    /// RFC 3339.
    pub captured_at: String,
    /// Part that was off the screen and has no true pixels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partly_off_screen: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Origin {
    x: i32,
    y: i32,
}

/// Loose on purpose: rows of elements leave out what is empty.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub struct StateOut {
    window_id: u64,
    #[schemars(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    window: Map<String, Value>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    /// Of the window.
    #[schemars(skip_serializing_if = "Option::is_none")]
    element_count: Option<u64>,
    /// In this answer.
    #[schemars(skip_serializing_if = "Option::is_none")]
    returned_element_count: Option<u64>,
    /// Nothing was left out.
    #[schemars(skip_serializing_if = "Option::is_none")]
    elements_complete: Option<bool>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    truncated: Option<Map<String, Value>>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    degraded_reason: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    elements: Option<Vec<Map<String, Value>>>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    tree_markdown: Option<String>,
    /// Nothing changed since the snapshot that was named.
    #[schemars(skip_serializing_if = "Option::is_none")]
    unchanged: Option<bool>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<u32>>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot: Option<PictureOut>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot_width: Option<u32>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot_height: Option<u32>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot_mime_type: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot_file_path: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    screenshot_error: Option<Map<String, Value>>,
}

impl Run<'_> {
    /// Judge a path that the caller gave.
    pub fn allowed(&self, path: &str) -> Result<PathBuf, Refusal> {
        self.host().resolve(path).map_err(|PathRefused { resolved, why }| {
            Refusal::new(Code::PathNotAllowed, format!("{}: {why}.", resolved.display())).with("path", resolved.display().to_string())
        })
    }

    /// Write a picture where the caller asked for it.
    pub fn keep(&self, file: &Path, image: &Image) -> Result<(), Refusal> {
        self.host().write(file, &image.bytes).map_err(|why| Refusal::new(Code::PathNotAllowed, format!("{}: {why}.", file.display())).with("path", file.display().to_string()))
    }
}

pub fn picture_out(run: &Run<'_>, frame: &Frame, raw: &Picture) -> PictureOut {
    let age = Instant::now().saturating_duration_since(raw.taken);
    PictureOut {
        width: frame.size.w,
        height: frame.size.h,
        scale: frame.scale(),
        window_origin: Origin { x: frame.origin.x, y: frame.origin.y },
        captured_at: crate::time::rfc3339(run.host().wall() - age),
        partly_off_screen: raw.real.size() != raw.size,
    }
}

/// A picture that was made, or why there is none.
pub struct Shot {
    pub made: Result<(Image, Frame, PictureOut), Refusal>,
}

/// The picture of a window as it goes out, and kept as what points refer to.
pub fn shot(run: &Run<'_>, window: &Window) -> Shot {
    let made = (|| {
        if window.minimized {
            return Err(run.no(DesktopError::Minimized(window.id)));
        }
        let raw = run.desktop().capture(&run.ctx.at_most(PATIENCE), &Source::Window(window.id)).map_err(|e| run.no_window(e, window))?;
        let (image, frame) = picture::encode(&raw, run.settings.max_image_dimension).map_err(|e| Refusal::new(Code::PxCaptureUnavailable, format!("{e}.")))?;
        let out = picture_out(run, &frame, &raw);
        Ok((image, frame, out))
    })();
    if let Ok((_, frame, _)) = &made {
        run.session.state().pictures.insert(window.id, *frame);
    }
    Shot { made }
}

/// The tree of a window; an application that does not answer is an empty tree with its reason.
pub fn tree(run: &Run<'_>, window: &Window) -> Result<Tree, Refusal> {
    let empty = |e| Tree { empty: Some(e), ..Tree::default() };
    match run.desktop().tree(&run.ctx.at_most(TREE), window.id, &Limits::default()) {
        Ok(t) => Ok(t),
        Err(DesktopError::NotAnswering(_) | DesktopError::Timeout) => Ok(empty(EmptyBecause::NotAnswering)),
        Err(DesktopError::NoAccessibility(_)) => Ok(empty(EmptyBecause::NoBus)),
        Err(e) => Err(run.no_window(e, window)),
    }
}

/// A large tree that comes steadily may take this long; one that stalls is given up sooner.
const TREE: std::time::Duration = std::time::Duration::from_secs(10);

pub fn degraded(e: EmptyBecause) -> (&'static str, &'static str) {
    match e {
        EmptyBecause::NotEnabled => (
            "accessibility_not_enabled",
            "Start the application with accessibility: --force-renderer-accessibility for Chromium and Electron, QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 for Qt. Points and keys work.",
        ),
        EmptyBecause::NotAnswering => ("app_not_answering", "The application does not answer; wait, or end it with kill_app {force: true}."),
        EmptyBecause::NoBus => ("a11y_bus_unavailable", "Start the accessibility bus (package at-spi2-core). Pictures, points and keys work."),
        EmptyBecause::NoWindow => ("no_accessible_window", "The application shows nothing of this window to accessibility. Points and keys work."),
    }
}

impl Tool for GetWindowState {
    const CARD: Card = Card::look("get_window_state", "observe", r#"{"pid":1234,"window_id":5678}"#);
    type Out = StateOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let (with_tree, with_picture) = (self.include_accessibility_tree.unwrap_or(true), self.include_screenshot.unwrap_or(true));
        if !with_tree && !with_picture {
            return Err(Refusal::new(Code::InvalidArguments, "`include_screenshot`: tree and picture are both off, which leaves nothing to read."));
        }
        let since = match &self.since {
            Some(s) => Some(SnapshotId::parse(s).ok_or_else(|| Refusal::new(Code::InvalidArguments, format!("`since`: {s:?} is no snapshot_id.")).with("field", "since"))?),
            None => None,
        };
        let file = self.screenshot_out_file.as_deref().map(|f| run.allowed(f)).transpose()?;
        let window = run.aim_window(&self.window)?;
        run.session.state().listed.insert(window.id, window.birth);

        let shot = with_picture.then(|| shot(run, &window));
        let mut out = Map::new();
        out.insert("window_id".into(), window.id.0.into());
        if let Some(p) = window.pid {
            out.insert("pid".into(), p.0.into());
        }
        out.insert("window".into(), json!({"title": view::title(&window.title), "app_name": view::title(&window.app_name), "bounds": bounds(&window), "is_on_screen": window.on_screen}));
        let mut text = String::new();
        let frame = shot.as_ref().and_then(|s| s.made.as_ref().ok().map(|(_, f, _)| *f));
        if with_tree {
            let tree = tree(run, &window)?;
            self.snapshot(run, window.clone(), tree, since, frame.as_ref(), &mut out, &mut text);
        } else {
            text = format!("window_id={} {}\n", window.id, quoted(&window.title));
        }
        let mut images = vec![];
        match shot.map(|s| s.made) {
            Some(Ok((image, frame, pic))) => {
                out.insert("screenshot_width".into(), frame.size.w.into());
                out.insert("screenshot_height".into(), frame.size.h.into());
                out.insert("screenshot_mime_type".into(), image.mime.into());
                out.insert("screenshot".into(), json!(pic));
                match &file {
                    Some(f) => {
                        run.keep(f, &image)?;
                        out.insert("screenshot_file_path".into(), f.display().to_string().into());
                    }
                    None => images.push(image),
                }
            }
            Some(Err(r)) => {
                text.push_str(&format!("no picture: {}\n", r.text()));
                out.insert("screenshot_error".into(), json!({"code": r.code.word(), "message": r.message, "hint": r.hint}));
            }
            None => {}
        }
        Ok(Reply { text, structured: Value::Object(out), images, failed: false })
    }
}

impl GetWindowState {
    #[allow(clippy::too_many_arguments)]
    fn snapshot(&self, run: &Run<'_>, window: Window, tree: Tree, since: Option<SnapshotId>, frame: Option<&Frame>, out: &mut Map<String, Value>, text: &mut String) {
        let mut state = run.session.state();
        let empty = tree.empty;
        let was = since.and_then(|id| state.snapshots.newest(window.id).filter(|s| s.id == id && s.window.birth == window.birth));
        if let Some(old) = was
            && old.tree == tree
            && old.window.bounds == window.bounds
        {
            out.insert("snapshot_id".into(), old.id.to_string().into());
            out.insert("unchanged".into(), true.into());
            out.insert("elements_complete".into(), tree.complete.into());
            *text = format!("window_id={} snapshot_id={} unchanged\n", window.id, old.id);
            return;
        }
        let before = was.map(lines);
        let s = state.snapshots.add(window, tree);
        let filter = Filter {
            query: self.query.clone(),
            max_elements: Some(self.max_elements.unwrap_or(ELEMENTS)),
            max_depth: self.max_depth,
            max_bytes: self.max_bytes,
        };
        let mut view = view::choose(s, &filter);
        if let (Some(before), Some(id)) = (&before, since) {
            let removed: Vec<u32> = before.keys().filter(|i| !s.rows.iter().any(|r| r.index == Some(**i))).copied().collect();
            view.rows.retain(|i| s.rows[*i].index.is_none_or(|n| before.get(&n) != Some(&view::line(s, &s.rows[*i]))));
            view.rows = with_above(s, &view.rows);
            out.insert("since".into(), id.to_string().into());
            out.insert("removed".into(), json!(removed));
        }
        let total = s.rows.iter().filter(|r| r.index.is_some()).count();
        let complete = s.tree.complete && view.cut.is_none() && empty.is_none();
        out.insert("snapshot_id".into(), s.id.to_string().into());
        out.insert("element_count".into(), total.into());
        out.insert("returned_element_count".into(), view.rows.iter().filter(|i| s.rows[**i].index.is_some()).count().into());
        out.insert("elements_complete".into(), complete.into());
        if let Some(reason) = view.cut.or(s.tree.cut) {
            out.insert("truncated".into(), json!({"reason": reason, "omitted": view.omitted + s.tree.omitted}));
        }
        let b = s.window.bounds;
        let title = quoted(&s.window.title);
        *text = format!("window_id={} snapshot_id={} size={}x{} elements={total} {title}\n", s.window.id, s.id, b.w, b.h);
        if let Some((reason, hint)) = empty.map(degraded) {
            out.insert("degraded_reason".into(), reason.into());
            out.insert("hint".into(), hint.into());
            text.push_str(&format!("no elements: {reason}. {hint}\n"));
        }
        let body = view::text(s, &view.rows);
        text.push_str(&body);
        if !complete && empty.is_none() {
            text.push_str(&format!("… {} more left out ({})\n", view.omitted + s.tree.omitted, view.cut.or(s.tree.cut).unwrap_or("incomplete")));
        }
        if self.include_elements.unwrap_or(true) {
            out.insert("elements".into(), view::elements(s, &view.rows, frame).into());
        }
        if self.include_tree_markdown {
            out.insert("tree_markdown".into(), body.into());
        }
    }
}

/// Each element's line, by index.
fn lines(s: &Snapshot) -> std::collections::HashMap<u32, String> {
    s.rows.iter().filter_map(|r| r.index.map(|i| (i, view::line(s, r)))).collect()
}

/// The rows of elements among these, with the context lines above them; context alone is dropped.
fn with_above(s: &Snapshot, rows: &[usize]) -> Vec<usize> {
    let mut keep = vec![false; s.rows.len()];
    for i in rows.iter().filter(|i| s.rows[**i].index.is_some()) {
        keep[*i] = true;
        let mut depth = s.rows[*i].depth;
        for above in (0..*i).rev() {
            if depth == 0 {
                break;
            }
            if s.rows[above].depth < depth {
                depth = s.rows[above].depth;
                keep[above] |= s.rows[above].index.is_none();
            }
        }
    }
    (0..s.rows.len()).filter(|i| keep[*i]).collect()
}
