//! What need not be asked again of an object that lives: names of its actions, its id, its label.
//!
//! Owns: these, per object, while role and states are the same. Refuses to own: anything an
//! act relies on; that is asked afresh.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ask::Ref;
use super::raw::{Faces, Raw};

/// More objects than this are not remembered of one application.
const MOST: usize = 60_000;

#[derive(Default)]
struct Kept {
    objects: HashMap<Arc<str>, Known>,
    /// Names by role and by what people are shown, which differs by language.
    names: HashMap<(u32, Vec<String>), Arc<[String]>>,
}

#[derive(Clone)]
pub(super) struct Known {
    role: u32,
    states: u64,
    faces: Faces,
    /// Which label names it; what that is called is not kept.
    label: Option<Ref>,
    pub actions: Arc<[String]>,
    pub id: Option<String>,
}

/// One application's.
#[derive(Default)]
pub(super) struct Lasting(Mutex<Kept>);

impl Lasting {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Put what is known into these; the answer tells for which that was so.
    pub fn fill(&self, raws: &mut [Raw]) -> Vec<bool> {
        let kept = self.kept();
        raws.iter_mut()
            .map(|raw| {
                let known = kept.objects.get(&raw.at.path).filter(|k| k.role == raw.role && k.states == raw.states);
                if let Some(k) = known {
                    raw.actions = k.actions.to_vec();
                    raw.id.clone_from(&k.id);
                    raw.label.clone_from(&k.label);
                }
                known.is_some()
            })
            .collect()
    }

    pub fn keep(&self, raws: &[Raw]) {
        let mut kept = self.kept();
        if kept.objects.len() > MOST {
            kept.objects.clear();
        }
        for raw in raws {
            let same = |k: &Known| *k.actions == raw.actions[..] && k.id == raw.id && k.label == raw.label;
            let same = kept.objects.get(&raw.at.path).is_some_and(same);
            if same && let Some(k) = kept.objects.get_mut(&raw.at.path) {
                (k.role, k.states, k.faces) = (raw.role, raw.states, raw.faces);
                continue;
            }
            let actions = kept
                .names
                .get(&(raw.role, raw.shown.clone()))
                .filter(|n| ***n == raw.actions[..])
                .cloned()
                .unwrap_or_else(|| raw.actions.clone().into());
            let known = Known {
                role: raw.role,
                states: raw.states,
                faces: raw.faces,
                label: raw.label.clone(),
                actions,
                id: raw.id.clone(),
            };
            kept.objects.insert(raw.at.path.clone(), known);
        }
    }

    /// What an object was when it was last asked.
    pub fn kind(&self, path: &str) -> Option<(u32, Faces)> {
        self.kept().objects.get(path).map(|k| (k.role, k.faces))
    }

    /// Names of actions that people are shown like this, when some object of that role was asked.
    pub fn names(&self, role: u32, shown: &[String]) -> Option<Arc<[String]>> {
        self.kept().names.get(&(role, shown.to_vec())).cloned()
    }

    pub fn learn(&self, role: u32, shown: &[String], names: &[String]) {
        self.kept().names.insert((role, shown.to_vec()), names.to_vec().into());
    }
}

impl std::fmt::Debug for Lasting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lasting of {} objects", self.kept().objects.len())
    }
}
