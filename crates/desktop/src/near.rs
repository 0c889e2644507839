//! The nearest known word to one that was mistyped.

/// The known word with the fewest edits, when it is near enough to be meant: within a third of
/// its length, or one of the two begins with the other.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let begins = |w: &str| (word.len() >= 3 && w.starts_with(&word)) || (w.len() > 3 && word.starts_with(w));
    let scored = known.into_iter().map(|w| (if begins(w) { 1 } else { distance(&word, w) }, w));
    let (edits, best) = scored.min_by_key(|(edits, _)| *edits)?;
    (edits <= (word.chars().count().max(best.chars().count()) / 3).max(1)).then_some(best)
}

/// Insertions, removals, replacements and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let known = ["status", "stop", "serve", "tools", "window_id", "click"];
        for (word, meant) in [
            ("statsu", Some("status")),
            ("clik", Some("click")),
            ("windw_id", Some("window_id")),
            ("SERVE", Some("serve")),
            ("stat", Some("status")),
            ("windows", Some("window_id")),
            ("clicked", Some("click")),
            ("frobnicate", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
