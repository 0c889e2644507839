//! Waiting for the ground of an act: its target there, enabled and still.

use std::time::Duration;

use desktop::{DesktopError, States};

use super::find::{Finder, Lost, Place, at_rest, enabled};
use crate::record::types::{State, Target};
use crate::run::Run;
use crate::{Code, Refusal};

/// Between two tries, at first and at most.
const FIRST: Duration = Duration::from_millis(30);
const LONGEST: Duration = Duration::from_millis(150);
/// What does not move for this long is still.
const STILL: Duration = Duration::from_millis(24);
/// Two that are alike may be one that is being replaced; not for longer than this.
const TWO: Duration = Duration::from_millis(1500);

/// A target that is not there by then may have another label; until then it may be late.
const RENAMED: Duration = Duration::from_millis(1500);

/// Find the target and wait until it can be acted on, at most `wait`. `before` is the window as
/// it was when the act was recorded.
pub fn ready(run: &Run<'_>, finder: &mut Finder<'_>, target: &Target, wait: Duration, before: &dyn Fn() -> Option<State>) -> Result<Place, Refusal> {
    let host = run.host();
    let began = host.now();
    let mut pause = FIRST;
    let mut was = None;
    loop {
        let spent = host.now().saturating_duration_since(began);
        let last = spent >= wait;
        if was.is_none() && (last || spent >= RENAMED) {
            was = Some(before());
        }
        let tried = one_try(run, finder, target, last, was.as_ref().and_then(Option::as_ref));
        let why = match tried {
            Ok(place) => return Ok(place),
            Err(Not::Refused(r)) => return Err(*r),
            Err(Not::Yet(why)) => why,
        };
        if last || (matches!(*why, Lost::Ambiguous(..)) && spent >= TWO.min(wait)) {
            return Err(refusal(run, *why, spent));
        }
        run.wait(pause.min(wait.saturating_sub(spent).max(Duration::from_millis(1))))?;
        pause = (pause * 2).min(LONGEST);
    }
}

enum Not {
    Yet(Box<Lost>),
    Refused(Box<Refusal>),
}

impl From<Lost> for Not {
    fn from(l: Lost) -> Self {
        Not::Yet(Box::new(l))
    }
}

fn one_try(run: &Run<'_>, finder: &mut Finder<'_>, target: &Target, last: bool, was: Option<&State>) -> Result<Place, Not> {
    let ctx = run.brief();
    let place = match finder.find(&ctx, target, false) {
        // At the end an element that is merely off the screen will do: the act itself says when not.
        Err(Lost::Missing(_)) if last => finder.find(&ctx, target, true),
        other => other,
    };
    let place = match (place, was) {
        (Err(Lost::Missing(why)), Some(was)) => finder.renamed(&ctx, target, was, run.engine.secrets())?.ok_or(Lost::Missing(why))?,
        (place, _) => place?,
    };
    let Some(node) = place.node() else { return Ok(place) };
    if !enabled(node) {
        if last {
            let what = format!("{} {:?} is disabled; it was waited for.", crate::role::of(node), node.name);
            return Err(Not::Refused(Box::new(Refusal::new(Code::ElementDisabled, what))));
        }
        return Err(Lost::Missing("it is disabled".into()).into());
    }
    if at_rest(target, &place) {
        return Ok(place);
    }
    run.wait(STILL).map_err(|r| Not::Refused(Box::new(r)))?;
    match run.desktop().read(&ctx, &node.key) {
        Ok(now) if last || (now.bounds == node.bounds && enabled(&now) && now.has(States::SHOWING) == node.has(States::SHOWING)) => Ok(place),
        Ok(_) => Err(Lost::Missing("it is still moving".into()).into()),
        Err(DesktopError::NodeGone) => Err(Lost::Missing("it went away".into()).into()),
        Err(e) => Err(Lost::Desktop(e).into()),
    }
}

/// The refusal of a target that could not be found.
pub fn refusal(run: &Run<'_>, lost: Lost, waited: Duration) -> Refusal {
    let ms = waited.as_millis() as u64;
    match lost {
        Lost::Missing(why) => Refusal::new(Code::ReplayTargetMissing, format!("The target is not there: {why} (waited {ms} ms); nothing was sent.")),
        Lost::Ambiguous(why, candidates) => Refusal::new(Code::ReplayTargetAmbiguous, format!("{why}; nothing was sent.")).with("candidates", candidates),
        // It could not be asked about, so it was not found.
        Lost::Desktop(DesktopError::WindowGone(_)) => Refusal::new(Code::ReplayTargetMissing, format!("The target's window closed (waited {ms} ms); nothing was sent.")),
        Lost::Desktop(e) => run.no(e),
    }
}
