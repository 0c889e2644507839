//! Acting through accessibility interfaces.
//!
//! Owns: one request for one act, and what is known of it afterwards. Refuses to own: retries,
//! other routes, reading back.

use desktop::{Act, Ctx, Delivery, DesktopError, NodeKey, Result, Route};

use super::ask::{ACTION, Ask};
use super::raw::Raw;
use super::{Shared, said, wire};

impl Shared {
    pub(super) async fn perform(&self, ctx: &Ctx, act: &Act) -> Result<Delivery> {
        match act {
            Act::Invoke { node, action } => self.invoke(ctx, node, action).await,
            _ => Err(DesktopError::CannotReach { route: Route::Accessibility, why: "input events are another route".into() }),
        }
    }

    async fn invoke(&self, ctx: &Ctx, key: &NodeKey, action: &str) -> Result<Delivery> {
        let (link, app, at, _seat) = self.reach(key, ctx.deadline).await?;
        let survey = self.survey(&link, ctx.deadline);
        let mut raws = [Raw { role: u32::MAX, ..Raw::at(at.clone()) }];
        said(survey.ask(&mut raws, &[(0, Ask::Role), (0, Ask::State), (0, Ask::Actions)]).await, app.pid)?;
        if raws[0].role == u32::MAX {
            return Err(DesktopError::NodeGone);
        }
        let n = raws[0].actions.iter().position(|a| a == action);
        let n = n.and_then(|n| i32::try_from(n).ok()).ok_or_else(|| DesktopError::NotOffered(action.into()))?;
        let m = wire::call(&at.bus, &at.path, ACTION, "DoAction", &(n,)).ok_or(DesktopError::NodeGone)?;
        let (answer, end) = link.wire.one(m, ctx.deadline, super::PATIENCE).await;
        match answer {
            Some(Ok(m)) if m.body().deserialize::<bool>().unwrap_or(true) => Ok(Delivery::default()),
            Some(Ok(_)) => Err(DesktopError::NotOffered(action.into())),
            Some(Err(_)) => Err(DesktopError::NodeGone),
            None => Err(said(end, app.pid).err().unwrap_or(DesktopError::Timeout)),
        }
    }
}
