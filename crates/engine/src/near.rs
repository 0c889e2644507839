//! The nearest known word to a misspelt one.

/// The nearest of `words`, within a third of its length in edits; a word that begins with what
/// was written counts as near.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let low = word.to_lowercase();
    words
        .map(|w| (if w.len() > 3 && low.len() > 3 && (w.starts_with(&low) || low.starts_with(w)) { 1 } else { edits(&low, w) }, w))
        .min()
        .filter(|(n, w)| *n <= (w.len().max(low.len()) / 3).max(1))
        .map(|(_, w)| w)
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut last = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = last + usize::from(x != *y);
            last = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(last + 1);
        }
    }
    row[b.len()]
}
