//! The nouns of a desktop and the one trait that reaches it.
//!
//! Owns: what a window, a node, an act and an error are. Refuses to own: any operating
//! system call, JSON, async, tools, sessions, tokens, wording for callers.

mod act;
mod app;
mod ctx;
mod error;
mod event;
mod ids;
mod keys;
mod near;
mod node;
mod picture;
mod plain;
mod seam;
mod space;
mod window;

pub use act::{Act, Button, Delivery, Owner, Place, Route, Stopped, Wheel};
pub use app::{App, ClipboardContent, ClipboardOffer, Launch, Launched};
pub use ctx::{Cancel, Ctx};
pub use error::DesktopError;
pub use event::{Event, EventFilter, Events};
pub use ids::{DisplayId, NodeKey, Pid, WindowId};
pub use keys::{Chord, Key, Modifier, Modifiers, UnknownKey};
pub use near::nearest;
pub use node::{EmptyBecause, Limits, Node, Range, States, Tree};
pub use picture::{Picture, Source};
pub use plain::plain;
pub use seam::{Cover, Desktop, Gap, Health, HealthState, Info, Video, VideoRequest};
pub use space::{Local, Point, Rect, Screen, Size};
pub use window::{Display, Focus, Hit, Placement, Window, WindowKind};

/// What every call of the seam answers.
pub type Result<T> = std::result::Result<T, DesktopError>;
