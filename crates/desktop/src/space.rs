//! Points and rectangles, each in one coordinate space. All are native pixels.

use std::marker::PhantomData;

/// Global pixels of the display server. A system without global coordinates answers
/// rectangles that start at the origin of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Screen {}

/// Pixels of one window, from the top left corner of its client area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Local {}

pub struct Point<S> {
    pub x: i32,
    pub y: i32,
    space: PhantomData<S>,
}

pub struct Rect<S> {
    pub x: i32,
    pub y: i32,
    pub w: u32,
    pub h: u32,
    space: PhantomData<S>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Size {
    pub w: u32,
    pub h: u32,
}

impl<S> Point<S> {
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y, space: PhantomData }
    }

    pub const fn offset(self, dx: i32, dy: i32) -> Self {
        Self::new(self.x.saturating_add(dx), self.y.saturating_add(dy))
    }
}

impl Point<Screen> {
    /// The same spot as a pixel of a window whose client area starts at `origin`.
    pub fn within(self, origin: Point<Screen>) -> Point<Local> {
        Point::new(self.x - origin.x, self.y - origin.y)
    }
}

impl Point<Local> {
    /// The same spot on the screen, for a window whose client area starts at `origin`.
    pub fn on_screen(self, origin: Point<Screen>) -> Point<Screen> {
        Point::new(self.x + origin.x, self.y + origin.y)
    }
}

impl<S> Rect<S> {
    pub const fn new(x: i32, y: i32, w: u32, h: u32) -> Self {
        Self { x, y, w, h, space: PhantomData }
    }

    pub const fn origin(&self) -> Point<S> {
        Point::new(self.x, self.y)
    }

    pub const fn size(&self) -> Size {
        Size { w: self.w, h: self.h }
    }

    pub const fn right(&self) -> i32 {
        self.x.saturating_add_unsigned(self.w)
    }

    pub const fn bottom(&self) -> i32 {
        self.y.saturating_add_unsigned(self.h)
    }

    pub fn centre(&self) -> Point<S> {
        Point::new(self.x + (self.w / 2) as i32, self.y + (self.h / 2) as i32)
    }

    pub fn is_empty(&self) -> bool {
        self.w == 0 || self.h == 0
    }

    pub fn contains(&self, p: Point<S>) -> bool {
        p.x >= self.x && p.y >= self.y && p.x < self.right() && p.y < self.bottom()
    }

    /// What both cover; `None` where they do not meet.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (r, b) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (r > x && b > y).then(|| Self::new(x, y, (r - x) as u32, (b - y) as u32))
    }
}

impl Rect<Screen> {
    pub fn within(&self, origin: Point<Screen>) -> Rect<Local> {
        Rect::new(self.x - origin.x, self.y - origin.y, self.w, self.h)
    }
}

impl Rect<Local> {
    pub fn on_screen(&self, origin: Point<Screen>) -> Rect<Screen> {
        Rect::new(self.x + origin.x, self.y + origin.y, self.w, self.h)
    }
}

// Written out because a derive would ask the space itself to be Clone and so on.
impl<S> Clone for Point<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Point<S> {}
impl<S> PartialEq for Point<S> {
    fn eq(&self, o: &Self) -> bool {
        (self.x, self.y) == (o.x, o.y)
    }
}
impl<S> Eq for Point<S> {}
impl<S> std::fmt::Debug for Point<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}
impl<S> Clone for Rect<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Rect<S> {}
impl<S> PartialEq for Rect<S> {
    fn eq(&self, o: &Self) -> bool {
        (self.x, self.y, self.w, self.h) == (o.x, o.y, o.w, o.h)
    }
}
impl<S> Eq for Rect<S> {}
impl<S> std::fmt::Debug for Rect<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{} at ({}, {})", self.w, self.h, self.x, self.y)
    }
}
