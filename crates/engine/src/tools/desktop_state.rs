//! `get_desktop_state`, `get_screen_size`, `get_cursor_position`.

use desktop::{Display, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Card, Tool};
use crate::run::Run;
use crate::tools::window_state::{PictureOut, picture_out};
use crate::{Answer, Code, Refusal, Reply, picture};

/// A picture of the whole desktop. Points in it address `target: {"kind":"desktop"}`.
#[derive(Deserialize, JsonSchema)]
pub struct GetDesktopState {
    /// Also write the PNG to this absolute file.
    screenshot_out_file: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct DesktopOut {
    platform: &'static str,
    display: String,
    screen_width: u32,
    screen_height: u32,
    scale_factor: f64,
    screenshot: PictureOut,
    screenshot_width: u32,
    screenshot_height: u32,
    screenshot_mime_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_file_path: Option<String>,
    displays: Vec<DisplayRow>,
}

#[derive(Serialize, JsonSchema)]
struct DisplayRow {
    id: String,
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    primary: bool,
}

/// The displays, and the size of the rectangle around them.
fn extent(run: &Run<'_>) -> Result<(Vec<Display>, u32, u32), Refusal> {
    let displays = run.desktop().displays(&run.ctx).map_err(|e| run.no(e))?;
    let right = displays.iter().map(|d| d.bounds.right()).max().unwrap_or(0).max(0);
    let bottom = displays.iter().map(|d| d.bounds.bottom()).max().unwrap_or(0).max(0);
    Ok((displays, right as u32, bottom as u32))
}

impl Tool for GetDesktopState {
    const CARD: Card = Card::look("get_desktop_state", "observe", "{}");
    type Out = DesktopOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let file = self.screenshot_out_file.as_deref().map(|f| run.allowed(f)).transpose()?;
        let (displays, w, h) = extent(run)?;
        let raw = run.desktop().capture(&run.ctx, &Source::Display(None)).map_err(|e| run.no(e))?;
        let (image, frame) = picture::encode(&raw, run.settings.max_image_dimension).map_err(|e| Refusal::new(Code::PxCaptureUnavailable, format!("{e}.")))?;
        run.session.state().desktop_picture = Some(frame);
        if let Some(f) = &file {
            run.keep(f, &image)?;
        }
        let info = run.desktop().info();
        let out = DesktopOut {
            platform: info.platform,
            display: info.display,
            screen_width: w,
            screen_height: h,
            scale_factor: displays.iter().find(|d| d.primary).map_or(1.0, |d| d.scale),
            screenshot: picture_out(run, &frame, &raw),
            screenshot_width: frame.size.w,
            screenshot_height: frame.size.h,
            screenshot_mime_type: image.mime,
            screenshot_file_path: file.as_ref().map(|f| f.display().to_string()),
            displays: displays
                .iter()
                .map(|d| DisplayRow { id: d.id.0.clone(), x: d.bounds.x, y: d.bounds.y, width: d.bounds.w, height: d.bounds.h, primary: d.primary })
                .collect(),
        };
        let text = format!("desktop {w}x{h}, picture {}x{}", frame.size.w, frame.size.h);
        let images = if file.is_some() { vec![] } else { vec![image] };
        Ok(Reply { text, structured: json!(out), images, failed: false })
    }
}

/// Size of the desktop in pixels.
#[derive(Deserialize, JsonSchema)]
pub struct GetScreenSize {}

#[derive(Serialize, JsonSchema)]
pub struct SizeOut {
    width: u32,
    height: u32,
    scale_factor: f64,
}

impl Tool for GetScreenSize {
    const CARD: Card = Card::look("get_screen_size", "observe", "{}");
    type Out = SizeOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let (displays, width, height) = extent(run)?;
        let scale_factor = displays.iter().find(|d| d.primary).map_or(1.0, |d| d.scale);
        Ok(Reply { text: format!("{width}x{height}"), structured: json!(SizeOut { width, height, scale_factor }), ..Reply::default() })
    }
}

/// Where the person's pointer is, in screen pixels.
#[derive(Deserialize, JsonSchema)]
pub struct GetCursorPosition {}

#[derive(Serialize, JsonSchema)]
pub struct CursorOut {
    x: i32,
    y: i32,
}

impl Tool for GetCursorPosition {
    const CARD: Card = Card::look("get_cursor_position", "observe", "{}");
    type Out = CursorOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let p = run.desktop().pointer(&run.ctx).map_err(|e| run.no(e))?;
        Ok(Reply { text: format!("{}, {}", p.x, p.y), structured: json!(CursorOut { x: p.x, y: p.y }), ..Reply::default() })
    }
}
