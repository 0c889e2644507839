//! Pixels.

use std::time::Instant;

use crate::{DisplayId, Point, Rect, Screen, Local, Size, WindowId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One window's own pixels, covered or not.
    Window(WindowId),
    /// A display; `None` is all of the desktop.
    Display(Option<DisplayId>),
}

#[derive(Clone)]
pub struct Picture {
    pub size: Size,
    /// Four bytes a pixel, blue green red and one unused, rows without padding.
    pub bgrx: Vec<u8>,
    /// Where the first pixel lies on the screen.
    pub origin: Point<Screen>,
    /// The part that has real pixels; what lies outside was off the screen and is filled.
    pub real: Rect<Local>,
    pub taken: Instant,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture {}x{} at {:?}", self.size.w, self.size.h, self.origin)
    }
}
