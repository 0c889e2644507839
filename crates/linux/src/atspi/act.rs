//! Acting through accessibility interfaces.
//!
//! Owns: one request for one act, and what is known of it afterwards. Refuses to own: retries,
//! other routes, reading back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::{Act, Ctx, Delivery, DesktopError, NodeKey, Result, Route};
use zbus::Message;
use zbus::wire::Variant;

use super::apps::{App, Kit, Seat};
use super::ask::{ACCESSIBLE, ACTION, Ask, COMPONENT, EDITABLE, PROPERTIES, Ref, SELECTION, VALUE, one_ref};
use super::bus::Link;
use super::detail::Survey;
use super::hand::{Held, prepare};
use super::raw::{Faces, Raw, bit};
use super::role;
use super::wire::{Answer, End, call};
use super::{Shared, said};

/// An act whose answer takes longer has opened something that runs inside the request, or the
/// application does not answer at all: another question tells which.
const ANSWER: Duration = Duration::from_millis(300);
/// Names of actions that are asked for before their number is known.
const NAMES: i32 = 4;
/// What is shown pressed before it acts, by toolkits that do so.
const KEPT_BACK: [u32; 2] = [role::PUSH_BUTTON, role::TOGGLE_BUTTON];
/// What GTK 3 presses only while it is visible.
const BUTTONS: [u32; 4] = [role::PUSH_BUTTON, role::TOGGLE_BUTTON, role::CHECK_BOX, role::RADIO_BUTTON];
/// Single lines of text.
const FIELDS: [u32; 4] = [role::TEXT, role::ENTRY, role::PASSWORD_TEXT, role::SPIN_BUTTON];
/// `ScrollTo` without a preference for an edge.
const ANYWHERE: u32 = 6;

/// An object ready to be acted on: read just now, on the connection the act goes by.
struct Ready {
    link: Arc<Link>,
    app: Arc<App>,
    raw: Raw,
    hand: Held,
    until: Instant,
    _seat: Seat,
}

impl Ready {
    fn call<B>(&self, interface: &str, member: &str, body: &B) -> Result<Message>
    where
        B: serde::Serialize + zbus::wire::DynamicType,
    {
        call(&self.raw.at.bus, &self.raw.at.path, interface, member, body).ok_or(DesktopError::NodeGone)
    }

    fn needs(&self, face: Faces, what: &str) -> Result<()> {
        if self.raw.faces.has(face) { Ok(()) } else { Err(DesktopError::NotOffered(what.into())) }
    }

    /// Send the act. An answer of `false` means that it was not done.
    async fn send(&self, m: Message, what: &str) -> Result<Delivery> {
        let (answer, end) = self.hand.wire.one(m, self.until, ANSWER).await;
        self.done(answer, end, what).await
    }

    /// Send an action, and right before it the question what the object is like when the action
    /// comes to it: the ATK bridge says yes before it tries, and a control that was disabled or
    /// hidden in the meantime does nothing.
    async fn send_action(&self, m: Message, what: &str) -> Result<Delivery> {
        let state = Ask::State.message(&self.raw.at).ok_or(DesktopError::NodeGone)?;
        let mut round = self.hand.wire.round(vec![state, m], self.until, ANSWER).await;
        let answer = round.answers.pop().flatten();
        let mut then = Raw { states: self.raw.states, ..Raw::at(self.raw.at.clone()) };
        if let Some(m) = round.take(0) {
            Ask::State.read(&m, &mut then);
        }
        self.takes_actions(&then)?;
        self.done(answer, round.end, what).await
    }

    /// Whether an action does anything to the object as it is `then`.
    fn takes_actions(&self, then: &Raw) -> Result<()> {
        if !then.is(bit::ENABLED) && !then.is(bit::SENSITIVE) {
            return Err(DesktopError::NodeDisabled);
        }
        let needs = self.raw.is(bit::VISIBLE) || (self.app.kit() == Kit::Gtk3 && BUTTONS.contains(&self.raw.role));
        if needs && !then.is(bit::VISIBLE) {
            return Err(DesktopError::NodeHidden);
        }
        Ok(())
    }

    async fn done(&self, answer: Option<Answer>, end: End, what: &str) -> Result<Delivery> {
        match answer {
            Some(Ok(m)) if m.body().deserialize::<bool>().unwrap_or(true) => Ok(Delivery::default()),
            Some(Ok(_)) => Err(DesktopError::NotOffered(what.into())),
            Some(Err(e)) if e.nobody() => Err(DesktopError::NotAnswering(Some(self.app.pid))),
            Some(Err(_)) => Err(DesktopError::NotOffered(what.into())),
            None => {
                said(self.alive().await, self.app.pid)?;
                said(end, self.app.pid).or(Ok(())).map(|()| Delivery::default())
            }
        }
    }

    /// The application answers on another connection: what was asked has begun and has not ended.
    async fn alive(&self) -> End {
        let root = Ref { bus: self.app.bus.clone(), path: self.app.root.clone() };
        let Some(m) = Ask::Role.message(&root) else { return End::Closed };
        self.link.wire.one(m, self.until, super::PATIENCE).await.1
    }
}

impl Shared {
    pub(super) async fn perform(&self, ctx: &Ctx, act: &Act) -> Result<Delivery> {
        match act {
            Act::Invoke { node, action } => self.invoke(ctx, node, action).await,
            Act::SetText { node, text } => {
                let on = self.ready(ctx, node, &[Ask::Interfaces]).await?;
                on.needs(Faces::EDITABLE, "text that can be set")?;
                on.send(on.call(EDITABLE, "SetTextContents", &(text.as_str(),))?, "setting the text").await
            }
            Act::InsertText { node, text, at } => self.insert(ctx, node, text, *at).await,
            Act::SetNumber { node, value } => {
                let on = self.ready(ctx, node, &[Ask::Interfaces]).await?;
                on.needs(Faces::VALUE, "a number that can be set")?;
                let body = (VALUE, "CurrentValue", Variant::from(*value));
                on.send(on.call(PROPERTIES, "Set", &body)?, "setting the number").await
            }
            Act::Select { container, child, on } => self.select(ctx, container, child, *on).await,
            Act::Focus { node } => {
                let on = self.ready(ctx, node, &[Ask::Interfaces]).await?;
                on.needs(Faces::COMPONENT, "taking the focus")?;
                on.send(on.call(COMPONENT, "GrabFocus", &())?, "taking the focus").await
            }
            Act::ScrollIntoView { node } => {
                let on = self.ready(ctx, node, &[Ask::Interfaces]).await?;
                on.needs(Faces::COMPONENT, "scrolling into view")?;
                on.send(on.call(COMPONENT, "ScrollTo", &(ANYWHERE,))?, "scrolling into view").await
            }
            _ => Err(DesktopError::CannotReach {
                route: Route::Accessibility,
                why: "it is an input event, not an accessibility request".into(),
            }),
        }
    }

    async fn ready(&self, ctx: &Ctx, key: &NodeKey, more: &[Ask]) -> Result<Ready> {
        let (link, app, at, seat) = self.reach(key, ctx.deadline).await?;
        let mut raw = Raw { role: u32::MAX, ..Raw::at(at.clone()) };
        let asks: Vec<Ask> = [Ask::Role, Ask::State].iter().chain(more).copied().collect();
        let hand = match prepare(&link, &app, &mut raw, &asks, ctx.deadline).await {
            Ok(hand) => hand,
            Err(end) => return Err(said(end, app.pid).err().unwrap_or(DesktopError::Timeout)),
        };
        if raw.role == u32::MAX || raw.is(bit::DEFUNCT) {
            return Err(DesktopError::NodeGone);
        }
        Ok(Ready { link, app, raw, hand, until: ctx.deadline, _seat: seat })
    }

    /// Do the action of this name, wherever it is in the object's list now.
    async fn invoke(&self, ctx: &Ctx, key: &NodeKey, action: &str) -> Result<Delivery> {
        let first: Vec<Ask> = [Ask::Actions].into_iter().chain((0..NAMES).map(Ask::ActionName)).collect();
        let mut on = self.ready(ctx, key, &first).await?;
        // A field of GTK 4 takes this and most often does nothing.
        if on.app.kit() == Kit::Gtk4 && action == "activate" && FIELDS.contains(&on.raw.role) {
            return Err(DesktopError::NotOffered(action.into()));
        }
        on.takes_actions(&on.raw)?;
        let count = on.raw.shown.len();
        on.raw.actions.truncate(count);
        let find = |raw: &Raw| raw.actions.iter().position(|a| a == action);
        if find(&on.raw).is_none() && count > NAMES as usize {
            let rest: Vec<_> =
                (NAMES..i32::try_from(count.min(256)).unwrap_or(NAMES)).map(|i| (0, Ask::ActionName(i))).collect();
            let mut raws = [std::mem::take(&mut on.raw)];
            let survey = Survey::by(&on.hand.wire, on.until, super::PATIENCE);
            said(survey.ask(&mut raws, &rest).await, on.app.pid)?;
            [on.raw] = raws;
        }
        let n =
            find(&on.raw).and_then(|n| i32::try_from(n).ok()).ok_or_else(|| DesktopError::NotOffered(action.into()))?;
        let late = if KEPT_BACK.contains(&on.raw.role) { on.app.kit().late() } else { Duration::ZERO };
        on.send_action(on.call(ACTION, "DoAction", &(n,))?, action).await.map(|d| Delivery { late, ..d })
    }

    async fn insert(&self, ctx: &Ctx, key: &NodeKey, text: &str, at: Option<u32>) -> Result<Delivery> {
        let mut on = self.ready(ctx, key, &[Ask::Interfaces, Ask::CharacterCount, Ask::Caret]).await?;
        on.needs(Faces::EDITABLE, "text that can be put in")?;
        let at = match at {
            Some(at) if on.app.kit() == Kit::Qt => self.utf16(&mut on, at).await?,
            Some(at) => i32::try_from(at).unwrap_or(i32::MAX),
            None => on.raw.caret.filter(|c| *c >= 0).ok_or_else(|| DesktopError::NotOffered("a caret".into()))?,
        };
        // The length is in bytes for the ATK bridge and in UTF-16 units for Qt, which takes a
        // larger one for padding.
        let length = if on.app.kit() == Kit::Qt { text.encode_utf16().count() } else { text.len() };
        let body = (at, text, i32::try_from(length).unwrap_or(i32::MAX));
        on.send(on.call(EDITABLE, "InsertText", &body)?, "putting text in").await
    }

    /// Qt counts places of text in UTF-16 units.
    async fn utf16(&self, on: &mut Ready, at: u32) -> Result<i32> {
        let all = on.raw.characters.max(0);
        let mut raws = [std::mem::take(&mut on.raw)];
        let survey = Survey::by(&on.hand.wire, on.until, super::PATIENCE);
        said(survey.ask(&mut raws, &[(0, Ask::Text(all))]).await, on.app.pid)?;
        [on.raw] = raws;
        let text = on.raw.text.take().unwrap_or_default();
        let units: usize = text.chars().take(at as usize).map(char::len_utf16).sum();
        Ok(i32::try_from(units).unwrap_or(i32::MAX))
    }

    /// By the container's selection interface, or its child's parent's where it has none. The
    /// child's index is read now and proven by reading the child back.
    async fn select(&self, ctx: &Ctx, container: &NodeKey, child: &NodeKey, want: bool) -> Result<Delivery> {
        let mut on = self.ready(ctx, container, &[Ask::Interfaces]).await?;
        if on.app.kit() == Kit::Chromium && want {
            // Its selection interface says no; each option has an action for it.
            drop(on);
            return self.invoke(ctx, child, "select").await;
        }
        let (child, epoch) = Ref::of(child).ok_or(DesktopError::NodeGone)?;
        if epoch != on.link.epoch {
            return Err(DesktopError::NodeGone);
        }
        let survey = Survey::by(&on.link.wire, on.until, super::PATIENCE);
        let mut item = [Raw { role: u32::MAX, ..Raw::at(child.clone()) }];
        said(survey.ask(&mut item, &[(0, Ask::Role), (0, Ask::Index), (0, Ask::Parent)]).await, on.app.pid)?;
        let [item] = item;
        let parent = item.parent.clone().filter(|_| item.role != u32::MAX).ok_or(DesktopError::NodeGone)?;
        self.proven(&on, &parent, item.index, &child).await?;
        if !on.raw.faces.has(Faces::SELECTION) && parent != on.raw.at {
            let asks = [(0, Ask::Role), (0, Ask::Interfaces)];
            let mut raws = [Raw::at(parent)];
            said(survey.ask(&mut raws, &asks).await, on.app.pid)?;
            [on.raw] = raws;
        }
        on.needs(Faces::SELECTION, "selecting a child")?;
        let member = if want { "SelectChild" } else { "DeselectChild" };
        on.send(on.call(SELECTION, member, &(item.index,))?, "selecting a child").await
    }

    async fn proven(&self, on: &Ready, parent: &Ref, index: i32, child: &Ref) -> Result<()> {
        let m =
            call(&parent.bus, &parent.path, ACCESSIBLE, "GetChildAtIndex", &(index,)).ok_or(DesktopError::NodeGone)?;
        let (answer, end) = on.link.wire.one(m, on.until, super::PATIENCE).await;
        said(end, on.app.pid)?;
        let there = answer.and_then(|a| a.ok()).and_then(|m| one_ref(&m));
        if there.as_ref() == Some(child) { Ok(()) } else { Err(DesktopError::NodeGone) }
    }
}
