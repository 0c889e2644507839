//! `zoom`: a part of a window, larger.

use desktop::{Rect, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Card, Tool};
use crate::aim::WindowArgs;
use crate::run::{PATIENCE, Run};
use crate::{Answer, Code, Refusal, Reply, picture};

/// A part of a window at native sharpness. x1,y1,x2,y2 are pixels of the window's last picture;
/// points for actions stay pixels of that picture.
#[derive(Deserialize, JsonSchema)]
pub struct Zoom {
    #[serde(flatten)]
    window: WindowArgs,
    x1: f64,
    y1: f64,
    x2: f64,
    y2: f64,
}

#[derive(Serialize, JsonSchema)]
pub struct ZoomOut {
    width: u32,
    height: u32,
    /// Pixels of this picture per pixel of the window's last picture.
    scale: f64,
    format: &'static str,
    mime_type: &'static str,
}

impl Tool for Zoom {
    const CARD: Card = Card::look("zoom", "observe", r#"{"window_id":5678,"x1":100,"y1":80,"x2":300,"y2":200}"#);
    type Out = ZoomOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let window = run.aim_window(&self.window)?;
        if self.x2 <= self.x1 || self.y2 <= self.y1 {
            return Err(Refusal::new(Code::InvalidArguments, "`x2`, `y2`: must be right of and below x1, y1.").with("field", "x2"));
        }
        let from = run.spot(&window, self.x1, self.y1, "x1, y1")?;
        // The far corner lies one past the last pixel.
        let to = run.spot(&window, (self.x2 - 1.0).max(self.x1), (self.y2 - 1.0).max(self.y1), "x2, y2")?;
        let raw = run.desktop().capture(&run.ctx.at_most(PATIENCE), &Source::Window(window.id)).map_err(|e| run.no_window(e, &window))?;
        let (a, b) = (from.screen.within(raw.origin), to.screen.within(raw.origin));
        let part = Rect::new(a.x, a.y, (b.x - a.x + 1).max(1) as u32, (b.y - a.y + 1).max(1) as u32);
        let cut = picture::crop(&raw, part).ok_or_else(|| Refusal::new(Code::OutOfBounds, "`x1, y1`: the part lies outside the picture."))?;
        let (image, frame) = picture::encode(&cut, run.settings.max_image_dimension).map_err(|e| Refusal::new(Code::PxCaptureUnavailable, format!("{e}.")))?;
        let out = ZoomOut {
            width: frame.size.w,
            height: frame.size.h,
            scale: f64::from(frame.size.w) / (self.x2 - self.x1),
            format: "png",
            mime_type: image.mime,
        };
        Ok(Reply { text: format!("{}x{}", out.width, out.height), structured: json!(out), images: vec![image], failed: false })
    }
}
