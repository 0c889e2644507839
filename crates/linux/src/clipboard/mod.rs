//! The clipboard: offering content and reading what others offer.
//!
//! Owns: the CLIPBOARD selection of X11, in both directions. Refuses to own: files on the disk,
//! and what callers may see of a secret.

mod offer;
mod read;
mod serve;

use std::sync::{Arc, Mutex};

use desktop::{ClipboardContent, ClipboardOffer, Ctx, Result};

use crate::x11::link::lock;
use serve::Server;

/// The clipboard of one display.
pub struct Clipboard {
    display: String,
    server: Mutex<Option<Arc<Server>>>,
}

impl Clipboard {
    pub fn new(display: &str) -> Self {
        Self { display: display.to_owned(), server: Mutex::new(None) }
    }

    /// What is offered now, and the text where it is asked for. `NotAnswering` when the owner
    /// of the clipboard does not say within about a second.
    pub fn read(&self, ctx: &Ctx, with_text: bool) -> Result<ClipboardOffer> {
        read::read(ctx, &self.display, with_text)
    }

    /// Offer this until someone else offers something, or this process ends.
    pub fn set(&self, ctx: &Ctx, content: &ClipboardContent) -> Result<()> {
        ctx.check()?;
        let mut kept = lock(&self.server);
        let server = match kept.as_ref().filter(|s| s.lives()) {
            Some(server) => server.clone(),
            None => kept.insert(Server::start(&self.display)?).clone(),
        };
        server.offer(ctx, content)
    }
}
