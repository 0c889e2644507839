//! `clipboard_read`, `clipboard_write`.

use std::time::Duration;

use desktop::ClipboardContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Acting, Card, Reach, Tool};
use crate::aim::Aim;
use crate::run::Run;
use crate::{Answer, Code, Refusal, Reply};

/// Largest picture that is put on the clipboard.
const PICTURE: u64 = 64 << 20;

/// What the clipboard offers; its text only when asked for.
#[derive(Deserialize, JsonSchema)]
pub struct ClipboardRead {
    #[serde(default)]
    include_text: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct ReadOut {
    supported: bool,
    types: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its owner marked it as secret.
    privacy_sensitive: bool,
}

impl Tool for ClipboardRead {
    const CARD: Card = Card::look("clipboard_read", "clipboard", r#"{"include_text":true}"#);
    type Out = ReadOut;

    fn run(&self, run: &Run<'_>) -> Answer {
        let offer = run.desktop().clipboard(&run.ctx.at_most(Duration::from_secs(10)), self.include_text).map_err(|e| run.no(e))?;
        let text = match (&offer.text, offer.types.is_empty()) {
            (Some(t), _) => format!("text, {} characters; {}", t.chars().count(), offer.types.join(", ")),
            (None, true) => "empty".into(),
            (None, false) => offer.types.join(", "),
        };
        let out = ReadOut { supported: true, types: offer.types, text: offer.text, privacy_sensitive: offer.secret };
        Ok(Reply { text, structured: json!(out), ..Reply::default() })
    }
}

/// Puts text, a PNG file or a file on the clipboard: exactly one of them.
#[derive(Deserialize, JsonSchema)]
pub struct ClipboardWrite {
    #[schemars(length(max = 33_554_432))]
    text: Option<String>,
    /// Absolute PNG file.
    image_path: Option<String>,
    /// Absolute file.
    file_path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct WriteOut {
    supported: bool,
    written_type: &'static str,
    types: Vec<String>,
}

impl ClipboardWrite {
    fn content(&self, run: &Run<'_>) -> Result<(&'static str, ClipboardContent), Refusal> {
        match (&self.text, &self.image_path, &self.file_path) {
            (Some(t), None, None) => Ok(("text", ClipboardContent::Text(t.clone()))),
            (None, Some(p), None) => {
                let path = run.allowed(p)?;
                let bytes = run.host().read(&path, PICTURE).map_err(|why| Refusal::new(Code::InvalidArguments, format!("`image_path`: {}: {why}.", path.display())).with("field", "image_path"))?;
                if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
                    return Err(Refusal::new(Code::InvalidArguments, format!("`image_path`: {} is no PNG.", path.display())).with("field", "image_path"));
                }
                Ok(("image", ClipboardContent::Png(bytes)))
            }
            (None, None, Some(p)) => {
                let path = run.allowed(p)?;
                run.host().regular(&path).map_err(|why| Refusal::new(Code::InvalidArguments, format!("`file_path`: {}: {why}.", path.display())).with("field", "file_path"))?;
                Ok(("file_url", ClipboardContent::Files(vec![path])))
            }
            _ => Err(Refusal::new(Code::InvalidArguments, "`text`: exactly one of text, image_path and file_path is needed.").with("field", "text")),
        }
    }
}

impl Acting for ClipboardWrite {
    const CARD: Card = {
        let mut c = Card::act("clipboard_write", "clipboard", Reach::None, r#"{"text":"hello"}"#);
        c.hints.idempotent = true;
        c
    };
    type Out = WriteOut;

    fn aim(&self, _run: &Run<'_>) -> Result<Aim, Refusal> {
        Ok(Aim::default())
    }

    fn act(&self, run: &Run<'_>, _aim: &Aim) -> Answer {
        let (written_type, content) = self.content(run)?;
        run.desktop().set_clipboard(&run.ctx.at_most(Duration::from_secs(5)), &content).map_err(|e| run.no(e))?;
        let types = run.desktop().clipboard(&run.ctx.at_most(Duration::from_secs(2)), false).map(|o| o.types).unwrap_or_default();
        Ok(Reply { text: format!("{written_type} written"), structured: json!(WriteOut { supported: true, written_type, types }), ..Reply::default() })
    }
}
