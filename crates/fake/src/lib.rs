//! A desktop written as a few lines of scene text, with a log that proves what was and was not
//! sent to it and what its applications felt of it.
//!
//! Owns: scenes, the effect of acts on them, faults on demand, time that passes only when
//! somebody waits. Refuses to own: any real desktop, and what the product decides.

mod acts;
mod clock;
mod desktop;
mod events;
mod keys;
mod mutate;
mod paint;
mod parse;
mod scene;
mod state;
mod text;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use clock::Clock;
pub use state::{Happened, Sent};
pub use text::SceneError;

/// See the module `parse` for the scene text.
pub struct FakeDesktop {
    state: Mutex<state::State>,
    clock: Clock,
}

impl FakeDesktop {
    /// A desktop of this scene with a clock of its own.
    pub fn parse(text: &str) -> Result<Arc<Self>, SceneError> {
        let state = state::State { scene: parse::scene(text)?, ..state::State::default() };
        Ok(Arc::new(Self { state: Mutex::new(state), clock: Clock::default() }))
    }

    /// Like `parse`, for tests: a scene that is wrong is a test that is wrong.
    ///
    /// # Panics
    /// When the text is no scene.
    #[must_use]
    pub fn scene(text: &str) -> Arc<Self> {
        match Self::parse(text) {
            Ok(desktop) => desktop,
            Err(e) => panic!("{e}"),
        }
    }

    /// The clock that waiting moves.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    fn state(&self) -> MutexGuard<'_, state::State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
