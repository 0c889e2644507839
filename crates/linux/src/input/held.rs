//! What is down, on which seat, and for whom. A table; pressing is elsewhere.

use desktop::Owner;

use super::ledger::Entry;
use super::seat::Side;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hold {
    pub owner: Owner,
    pub entry: Entry,
}

#[derive(Default)]
pub(super) struct Held(Vec<Hold>);

impl Held {
    pub fn add(&mut self, owner: Owner, entry: Entry) {
        self.0.push(Hold { owner, entry });
    }

    /// Take one hold of this entry off the table, whoever's it is; true when it was the last.
    pub fn drop_one(&mut self, entry: &Entry) -> bool {
        if let Some(at) = self.0.iter().rposition(|h| h.entry.matches(entry)) {
            self.0.remove(at);
        }
        !self.has(entry)
    }

    pub fn has(&self, entry: &Entry) -> bool {
        self.0.iter().any(|h| h.entry.matches(entry))
    }

    /// Take everything of one owner, or of all, off the table; latest first. What another
    /// owner holds too is still on it.
    pub fn take(&mut self, owner: Option<Owner>) -> Vec<Entry> {
        let (gone, kept): (Vec<_>, Vec<_>) = self.0.drain(..).partition(|h| owner.is_none_or(|o| o == h.owner));
        self.0 = kept;
        gone.into_iter().rev().map(|h| h.entry).collect()
    }

    pub fn keys(&self, side: Side) -> Vec<u8> {
        let key = |h: &Hold| match h.entry {
            Entry::Key(s, code) if s == side => Some(code),
            _ => None,
        };
        self.0.iter().filter_map(key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lets_go_of_its_own_only() {
        let (a, b) = (Owner(1), Owner(2));
        let mut held = Held::default();
        let shift = Entry::Key(Side::Agent, 50);
        held.add(a, Entry::Button(Side::Agent, 1));
        held.add(a, shift.clone());
        held.add(b, shift.clone());
        assert_eq!(held.take(Some(a)), [shift.clone(), Entry::Button(Side::Agent, 1)]);
        assert!(held.has(&shift));
        assert_eq!(held.keys(Side::Agent), [50]);
        assert!(held.drop_one(&shift));
        assert!(held.0.is_empty());
    }
}
