//! What the last trees told of objects, for reading one of them alone later.
//!
//! Owns: which window an object was seen in, and what its ancestors made it. Refuses to own:
//! anything that may have changed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use desktop::WindowId;

use super::ask::Ref;
use super::node::{Inherited, View};

/// Trees of so many windows are kept.
const MOST: usize = 48;

struct Kept {
    window: WindowId,
    view: View,
    objects: HashMap<Ref, Inherited>,
}

/// Newest last.
#[derive(Default)]
pub(super) struct Seen(Mutex<Vec<Kept>>);

impl Seen {
    pub fn keep(&self, window: WindowId, view: View, objects: HashMap<Ref, Inherited>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|k| k.window != window);
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(Kept { window, view, objects });
    }

    pub fn of(&self, r: &Ref, epoch: u32) -> Option<(WindowId, View, Inherited)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .rev()
            .filter(|k| k.view.epoch == epoch)
            .find_map(|k| k.objects.get(r).map(|i| (k.window, k.view, *i)))
    }
}
