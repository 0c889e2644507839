//! What an action answers: what is known, and how it is known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Answer, Reply};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Confirmed,
    Partial,
    Unverifiable,
    SuspectedNoop,
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublicRoute {
    Accessibility,
    SyntheticEvents,
    GlobalInput,
    SystemApi,
    Dom,
    TrustedInput,
}

impl From<desktop::Route> for PublicRoute {
    fn from(r: desktop::Route) -> Self {
        match r {
            desktop::Route::Accessibility => Self::Accessibility,
            desktop::Route::SecondSeat | desktop::Route::SentEvents => Self::SyntheticEvents,
            desktop::Route::Global => Self::GlobalInput,
            desktop::Route::System => Self::SystemApi,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Background,
    Foreground,
    NotApplicable,
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    pub mode: Mode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_count: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    ValueReadback,
    StateReadback,
    SelectionReadback,
    FocusChange,
    WindowChange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub kind: EvidenceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EscalationTarget {
    Pixel,
    Foreground,
    Page,
    Session,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EscalationReason {
    RouteUnavailable,
    DeliveryFailed,
    EffectUnconfirmed,
    SuspectedNoop,
    PermissionRequired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Escalation {
    pub target: EscalationTarget,
    pub reason: EscalationReason,
}

/// The closed result of every action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionResult {
    pub effect: Effect,
    pub route: PublicRoute,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivered>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
}

impl ActionResult {
    pub fn new(effect: Effect, route: desktop::Route, mode: Mode) -> Self {
        Self { effect, route: route.into(), delivery: Some(Delivered { mode, delivered_count: None }), evidence: vec![], escalation: None }
    }

    /// `confirmed` with what proves it; `unverifiable` without.
    pub fn proven(route: desktop::Route, mode: Mode, evidence: &[EvidenceKind]) -> Self {
        let effect = if evidence.is_empty() { Effect::Unverifiable } else { Effect::Confirmed };
        let mut out = Self::new(effect, route, mode);
        out.evidence = evidence.iter().map(|k| Evidence { kind: *k }).collect();
        out
    }

    #[must_use]
    pub fn count(mut self, n: usize) -> Self {
        self.delivery.get_or_insert_default().delivered_count = Some(n as u64);
        self
    }

    #[must_use]
    pub fn escalate(mut self, target: EscalationTarget, reason: EscalationReason) -> Self {
        self.escalation = Some(Escalation { target, reason });
        self
    }

    /// The reply, with a short sentence for readers of text.
    pub fn reply(&self, what: &str) -> Answer {
        let word = match self.effect {
            Effect::Confirmed => "confirmed",
            Effect::Partial => "partial",
            Effect::Unverifiable => "sent, effect not verifiable",
            Effect::SuspectedNoop => "sent, nothing seems to have happened",
            Effect::Refused => "refused",
        };
        let count = self.delivery.as_ref().and_then(|d| d.delivered_count).map(|n| format!(", {n} delivered")).unwrap_or_default();
        Ok(Reply { text: format!("{what}: {word}{count}"), structured: json!(self), ..Reply::default() })
    }
}
