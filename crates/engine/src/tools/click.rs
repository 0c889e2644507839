//! `click`, `double_click`, `right_click`: one code.

use desktop::Button;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, ElementArgs, PointArgs, Target, Ways, WindowArgs};
use crate::effect::Mode;
use crate::press::{self, Press};
use crate::run::Run;
use crate::{Answer, Refusal, pointer};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryMode {
    #[default]
    Background,
    Foreground,
}

impl From<DeliveryMode> for Mode {
    fn from(m: DeliveryMode) -> Self {
        match m {
            DeliveryMode::Background => Mode::Background,
            DeliveryMode::Foreground => Mode::Foreground,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ButtonWord {
    #[default]
    Left,
    Middle,
    Right,
}

impl From<ButtonWord> for Button {
    fn from(b: ButtonWord) -> Self {
        match b {
            ButtonWord::Left => Button::Left,
            ButtonWord::Middle => Button::Middle,
            ButtonWord::Right => Button::Right,
        }
    }
}

/// Clicks an element (element_token) or a point (window_id, x, y). Background by default: the
/// person's pointer and focus stay. effect says what is known of it.
#[derive(Deserialize, JsonSchema)]
pub struct Click {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    button: Option<ButtonWord>,
    #[schemars(range(min = 1, max = 3))]
    count: Option<u32>,
    /// ctrl, shift, alt, super.
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifier: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

/// Double-clicks an element or a point.
#[derive(Deserialize, JsonSchema)]
pub struct DoubleClick {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifier: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

/// Right-clicks an element or a point.
#[derive(Deserialize, JsonSchema)]
pub struct RightClick {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[serde(flatten)]
    point: PointArgs,
    target: Option<Target>,
    #[serde(default)]
    #[schemars(length(max = 5))]
    modifier: Vec<String>,
    delivery_mode: Option<DeliveryMode>,
}

/// The three tools differ in these two numbers only.
macro_rules! clicks {
    ($tool:ident, $name:literal, $example:literal, |$me:ident| $button:expr, $count:expr) => {
        impl Acting for $tool {
            const CARD: Card = Card::act($name, "pointer", Reach::WindowOrDesktop, $example);
            type Out = Acted;

            fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
                // Checked before the target, so that a wrong word is told whatever the target is.
                pointer::modifiers(&self.modifier)?;
                run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), point: self.point.clone(), target: self.target.as_ref() })
            }

            fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
                let $me = self;
                let press = Press {
                    button: $button,
                    count: $count,
                    modifiers: pointer::modifiers(&self.modifier)?,
                    mode: self.delivery_mode.unwrap_or_default().into(),
                };
                press::press(run, aim, &press)?.reply($name)
            }
        }
    };
}

clicks!(Click, "click", r#"{"element_token":"s0123abcd:12"}"#, |me| me.button.unwrap_or_default().into(), me.count.unwrap_or(1));
clicks!(DoubleClick, "double_click", r#"{"window_id":5678,"x":120,"y":80}"#, |_me| Button::Left, 2);
clicks!(RightClick, "right_click", r#"{"element_token":"s0123abcd:12"}"#, |_me| Button::Right, 1);
