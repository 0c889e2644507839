//! An expected no, that the caller can act on. One envelope everywhere, closed codes.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Longer words of callers and applications are cut in a refusal.
const LONGEST: usize = 2000;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $hint:literal;)*) => {
        /// Every code a refusal can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Code::$variant => $word,)* }
            }

            /// What to do next, where the refusal itself does not say it better.
            pub const fn hint(self) -> &'static str {
                match self { $(Code::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    InvalidArguments = "invalid_arguments", "Correct the argument and call again.";
    SnapshotIdRequired = "snapshot_id_required", "Pass element_token, or snapshot_id with element_index, from get_window_state.";
    InvalidElementToken = "invalid_element_token", "Take a token from the newest get_window_state of that window.";
    ConflictingElementTarget = "conflicting_element_target", "Name the target in one way only.";
    OutOfBounds = "out_of_bounds", "Take the point from the last picture; 0,0 is its top left pixel.";
    AmbiguousWindowTarget = "ambiguous_window_target", "Pass window_id of one of the candidates.";
    WindowTargetNotFound = "window_target_not_found", "Call list_windows and use a window that is there now.";
    WindowOwnerPidMismatch = "window_owner_pid_mismatch", "Pass the pid that list_windows gives for that window, or leave pid out.";
    WindowMinimized = "window_minimized", "Restore it with set_window_state {state: \"restored\"}.";
    StaleElementToken = "stale_element_token", "Take a new snapshot with get_window_state, or use current_token where one is given.";
    ElementDisabled = "element_disabled", "Do what enables it first; wait_for {enabled: true} waits for that.";
    ElementNotVisible = "element_not_visible", "Bring it into view first (scroll, open its page or menu).";
    PxFrameMismatch = "px_frame_mismatch", "The window changed size since the picture: take a new one with get_window_state.";
    PxCaptureUnavailable = "px_capture_unavailable", "Use elements instead of pixels, or bring the window on the screen.";
    BackgroundUnavailable = "background_unavailable", "Retry this one action with delivery_mode \"foreground\", or act on an element.";
    ForegroundUnavailable = "foreground_unavailable", "The window could not be made active; act on an element, or ask the person.";
    InputBusy = "input_busy", "Another call is acting; retry when it has ended.";
    TextUndeliverable = "text_undeliverable", "Leave the character out, or use set_value on the field.";
    MenuPathUnavailable = "menu_path_unavailable", "Use the exact labels that details list.";
    OptionNotFound = "option_not_found", "Choose one of the options that details list.";
    NoDisplay = "no_display", "Start the driver in a desktop session, or run `cua-driver serve --display virtual`.";
    A11yBusUnavailable = "a11y_bus_unavailable", "Start the accessibility bus (package at-spi2-core); pictures, points and keys work without it.";
    AppNotAnswering = "app_not_answering", "The application does not answer; wait, or end it with kill_app {force: true}.";
    PermissionRequired = "permission_required", "Grant the permission that details name.";
    UnsupportedOnPlatform = "unsupported_on_platform", "This desktop cannot do that; health_report says what it can.";
    SessionEnded = "session_ended", "Revive the session with start_session, or use another label.";
    PermissionDenied = "permission_denied", "This is not allowed in this mode.";
    PathNotAllowed = "path_not_allowed", "Use an absolute path inside the home, a temporary or the runtime directory, or add a root to the configuration.";
    RecordingActive = "recording_active", "Stop the running recording first, or pass the directory of another one.";
    NotRecording = "not_recording", "Nothing is recorded; start_recording begins.";
    RecordingNotOwner = "recording_not_owner", "That recording is another session's; take_over: true takes it.";
    RecordingExists = "recording_exists", "Use an empty directory, or pass resume: true or overwrite: true.";
    RecordingLocked = "recording_locked", "Another driver writes there; use another directory.";
    TrajectoryInvalid = "trajectory_invalid", "Pass a directory that start_recording made.";
    ReplayTargetAmbiguous = "replay_target_ambiguous", "Make one of the candidates unique, or close the others.";
    ReplayTargetMissing = "replay_target_missing", "Start the application, or open the window that the turn was recorded in.";
    SecretRequired = "secret_required", "Put the value into the secret source under that name.";
    Timeout = "timeout", "Nothing more was waited for; look again, then retry with a longer timeout_ms.";
    Cancelled = "cancelled", "The call was cancelled; what it held was let go.";
    Fault = "fault", "This is a fault of the driver; the id is in its log.";
}

/// An expected no.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub code: Code,
    /// What was wrong, naming field and value.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// An object, per code; `null` when there is nothing to add.
    pub details: Value,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: told(message.into()), hint: code.hint().into(), details: Value::Null }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = told(hint.into());
        self
    }

    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        if !self.details.is_object() {
            self.details = json!({});
        }
        let mut value = value.into();
        cut(&mut value);
        self.details[key] = value;
        self
    }

    /// The envelope: `{code, message, hint, details}`.
    pub fn envelope(&self) -> Value {
        json!({"code": self.code.word(), "message": self.message, "hint": self.hint, "details": self.details})
    }

    /// One line for people and models: `code: message hint`.
    pub fn text(&self) -> String {
        format!("{}: {} {}", self.code.word(), self.message, self.hint)
    }
}

/// What a caller or an application named may be of any length and may hold what a terminal obeys.
fn told(mut text: String) -> String {
    shorten(&mut text);
    match desktop::plain(&text, &['\n']) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    }
}

fn shorten(text: &mut String) {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
}

fn cut(value: &mut Value) {
    match value {
        Value::String(text) => shorten(text),
        Value::Array(all) => all.iter_mut().for_each(cut),
        Value::Object(all) => all.values_mut().for_each(cut),
        _ => {}
    }
}
