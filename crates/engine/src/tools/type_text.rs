//! `type_text`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::click::DeliveryMode;
use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, ElementArgs, PointArgs, Target, Ways, WindowArgs};
use crate::effect::Mode;
use crate::press::{self, Press};
use crate::run::Run;
use crate::{Answer, Code, Refusal, typing};

/// Types text into a field (element_token) or where the keyboard of the window is; newline is
/// Return except in multi-line fields. Exact, or partial with delivered_count.
#[derive(Deserialize, JsonSchema)]
pub struct TypeText {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    /// A point is clicked first.
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    #[schemars(length(max = 1_000_000))]
    text: Option<String>,
    /// Instead of text: a name in the driver's secret source.
    #[schemars(length(min = 1, max = 200))]
    secret: Option<String>,
    delivery_mode: Option<DeliveryMode>,
    /// Accepted and not needed: keys wait for the application by themselves.
    #[schemars(range(max = 200))]
    #[allow(dead_code)]
    delay_ms: Option<u32>,
}

impl Acting for TypeText {
    const CARD: Card = {
        let mut c = Card::act("type_text", "keyboard", Reach::WindowOrDesktop, r#"{"element_token":"s0123abcd:13","text":"Ada"}"#);
        c.bound = std::time::Duration::from_secs(120);
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        match (&self.text, &self.secret) {
            (None, None) => return Err(Refusal::new(Code::InvalidArguments, "`text`: is required (or `secret`).").with("field", "text")),
            (Some(_), Some(_)) => return Err(Refusal::new(Code::InvalidArguments, "`secret`: text and secret are both given.").with("field", "secret")),
            _ => {}
        }
        run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), point: self.point.clone(), target: self.target.as_ref() })
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let mode: Mode = self.delivery_mode.unwrap_or_default().into();
        let text = match &self.secret {
            Some(name) => secret(run, name)?,
            None => self.text.clone().unwrap_or_default(),
        };
        if aim.element.as_ref().is_some_and(|e| e.node.has(desktop::States::SECRET)) {
            run.engine.secrets().learn(&text);
        }
        if aim.point.is_some() {
            press::press(run, aim, &Press::plain(mode))?;
        }
        typing::type_text(run, aim, &text, mode)?.reply("type_text")
    }
}

/// A secret's value; it is known from then on and never shown.
fn secret(run: &Run<'_>, name: &str) -> Result<String, Refusal> {
    match run.host().secret(name) {
        Ok(Some(value)) => {
            run.engine.secrets().learn(&value);
            Ok(value)
        }
        Ok(None) => Err(Refusal::new(Code::SecretRequired, format!("No secret source knows {name:?}; nothing was typed.")).with("secret", name)),
        Err(why) => Err(Refusal::new(Code::SecretRequired, format!("The secret source cannot be used: {why}. Nothing was typed.")).with("secret", name)),
    }
}
