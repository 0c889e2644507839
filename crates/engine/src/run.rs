//! One running call: its bounds, its session, and how errors of the desktop become refusals.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use desktop::{Ctx, Desktop, DesktopError, Window};

use crate::config::Settings;
use crate::engine::Engine;
use crate::session::Session;
use crate::tools::Spec;
use crate::{ClientId, Code, Host, Progress, Refusal};

pub struct Run<'a> {
    pub engine: &'a Engine,
    pub spec: &'static Spec,
    pub session: Arc<Session>,
    /// The call itself named its session.
    pub session_named: bool,
    pub client: ClientId,
    pub ctx: Ctx,
    pub settings: Settings,
    pub progress: Option<Arc<dyn Progress>>,
    /// The pointer was sent somewhere.
    pub moved: AtomicBool,
    /// The raw arguments as they were checked, without `session`.
    pub arguments: serde_json::Value,
}

/// How long one application may keep a caller waiting.
pub const PATIENCE: Duration = Duration::from_millis(1000);

impl Run<'_> {
    pub fn desktop(&self) -> &dyn Desktop {
        self.engine.desktop()
    }

    pub fn host(&self) -> &dyn Host {
        self.engine.host()
    }

    /// The bound of one request to an application.
    pub fn brief(&self) -> Ctx {
        self.ctx.at_most(PATIENCE)
    }

    /// Wait, unless the call is over; refuses when it is.
    pub fn wait(&self, time: Duration) -> Result<(), Refusal> {
        self.host().wait(time.min(self.ctx.left()), &self.ctx.cancel);
        self.ctx.check().map_err(|e| self.no(e))
    }

    pub fn report(&self, done: u64, total: u64, message: &str) {
        if let Some(p) = &self.progress {
            p.report(done, total, message);
        }
    }

    /// The refusal that an error of the desktop means to a caller.
    pub fn no(&self, e: DesktopError) -> Refusal {
        refuse(e, None)
    }

    pub fn no_window(&self, e: DesktopError, w: &Window) -> Refusal {
        refuse(e, Some(w))
    }
}

/// The refusal that an error of the desktop means to a caller.
pub fn refuse(e: DesktopError, window: Option<&Window>) -> Refusal {
    use DesktopError as E;
    let title = window.map(|w| format!(" (window {} {})", w.id, crate::view::quoted(&w.title))).unwrap_or_default();
    match e {
        E::NoDisplay(why) => Refusal::new(Code::NoDisplay, format!("There is no display to work on: {why}.")),
        E::NoAccessibility(why) => Refusal::new(Code::A11yBusUnavailable, format!("The accessibility bus does not serve: {why}.")),
        E::NotAnswering(pid) => {
            let who = pid.map(|p| format!("Process {p}")).unwrap_or_else(|| "The application".into());
            Refusal::new(Code::AppNotAnswering, format!("{who} does not answer{title}; whether it took the act is unknown."))
        }
        E::WindowGone(id) => Refusal::new(Code::WindowTargetNotFound, format!("Window {id} is not there (any more).")),
        E::NodeGone => Refusal::new(Code::StaleElementToken, "The element is gone; nothing was sent."),
        E::NodeDisabled => Refusal::new(Code::ElementDisabled, format!("The element was disabled as the act came to it{title}; nothing was done.")),
        E::NodeHidden => Refusal::new(Code::ElementNotVisible, format!("The element was hidden as the act came to it{title}; nothing was done.")),
        E::Minimized(id) => Refusal::new(Code::WindowMinimized, format!("Window {id} is minimised{title}; points and pictures need it on the screen.")),
        E::CannotReach { why, .. } => Refusal::new(Code::BackgroundUnavailable, format!("No background way reaches this target: {why}. Nothing was sent.")),
        E::NotOffered(what) => Refusal::new(Code::UnsupportedOnPlatform, format!("The element does not offer that: {what}. Nothing was sent."))
            .hint("Use another tool on it (click, type_text, press_key), or a point of the picture."),
        E::Undeliverable(c) => Refusal::new(Code::TextUndeliverable, format!("The character {c:?} (U+{:04X}) cannot be delivered to this target.", c as u32))
            .with("character", c.to_string()),
        E::PermissionRequired(what) => Refusal::new(Code::PermissionRequired, format!("A permission is missing: {what}.")),
        E::Unsupported(what) => Refusal::new(Code::UnsupportedOnPlatform, format!("This desktop cannot do that: {what}.")),
        E::NotActivated(why) => Refusal::new(Code::ForegroundUnavailable, format!("The window did not become active{title}: {why}. Nothing was sent.")),
        E::NoPicture(why) => Refusal::new(Code::PxCaptureUnavailable, format!("No true picture can be made{title}: {why}.")),
        E::CannotLaunch(why) => Refusal::new(Code::InvalidArguments, format!("Nothing was launched: {why}."))
            .hint("Pass a desktop id or name from list_apps, or an absolute path."),
        E::NoProcess(pid) => Refusal::new(Code::WindowTargetNotFound, format!("There is no process {pid}.")).hint("Call list_apps for the processes that run."),
        E::Timeout => Refusal::new(Code::Timeout, format!("The time of this call is over{title}.")),
        E::Cancelled => Refusal::new(Code::Cancelled, "The call was cancelled."),
        E::System(what) => Refusal::new(Code::Fault, format!("The system said: {what}.")),
    }
}
