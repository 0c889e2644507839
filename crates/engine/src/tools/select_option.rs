//! `select_option`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Acted, Acting, Card, Reach};
use crate::aim::{Aim, ElementArgs, Ways, WindowArgs};
use crate::choice::{self, Wanted};
use crate::run::Run;
use crate::{Answer, Code, Refusal, press};

/// Chooses an option of a combo box or list by its exact label or its index from 0, and reads it
/// back.
#[derive(Deserialize, JsonSchema)]
pub struct SelectOption {
    #[serde(flatten)]
    window: WindowArgs,
    #[serde(flatten)]
    element: ElementArgs,
    #[schemars(length(max = 2000))]
    option: Option<String>,
    #[schemars(range(max = 100000))]
    index: Option<u32>,
}

impl Acting for SelectOption {
    const CARD: Card = {
        let mut c = Card::act("select_option", "keyboard", Reach::Window, r#"{"element_token":"s0123abcd:14","option":"blue"}"#);
        c.hints.idempotent = true;
        c
    };
    type Out = Acted;

    fn aim(&self, run: &Run<'_>) -> Result<Aim, Refusal> {
        match (&self.option, self.index) {
            (None, None) => return Err(Refusal::new(Code::InvalidArguments, "`option`: is required (or `index`).").with("field", "option")),
            (Some(_), Some(_)) => return Err(Refusal::new(Code::InvalidArguments, "`index`: option and index are both given.").with("field", "index")),
            _ => {}
        }
        let aim = run.aim(&Ways { window: self.window.clone(), element: self.element.clone(), ..Ways::default() })?;
        if aim.element.is_none() {
            return Err(Refusal::new(Code::InvalidArguments, "`element_token`: is required.").with("field", "element_token"));
        }
        Ok(aim)
    }

    fn act(&self, run: &Run<'_>, aim: &Aim) -> Answer {
        let Some(e) = &aim.element else { return Err(Refusal::new(Code::InvalidArguments, "`element_token`: is required.")) };
        let wanted = match (&self.option, self.index) {
            (Some(o), _) => Wanted::Label(o.clone()),
            (None, i) => Wanted::Index(i.unwrap_or_default() as usize),
        };
        press::usable(&e.node)?;
        let _turn = press::lane(run, aim)?;
        choice::choose(run, aim.window()?, e, &wanted)?.reply("select_option")
    }
}
