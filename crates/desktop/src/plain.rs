//! Text of others made fit for a terminal.

use std::borrow::Cow;

/// What a terminal obeys, and what turns the reading direction of a line or is not seen.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Such characters spelled out as in JSON, where the text means the same afterwards; `keep` stays.
pub fn plain<'a>(text: &'a str, keep: &[char]) -> Cow<'a, str> {
    let bad = |c: char| acts(c) && !keep.contains(&c);
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) {
            out.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_acts_is_spelled_out() {
        for (text, said) in [
            ("Grüße 👍", "Grüße 👍"),
            ("\u{1b}[2J", "\\u001b[2J"),
            ("\u{9b}31m\u{7f}", "\\u009b31m\\u007f"),
            ("a\u{202e}b\u{2066}c\u{200b}", "a\\u202eb\\u2066c\\u200b"),
            ("a\tb\nc\0", "a\\u0009b\nc\\u0000"),
        ] {
            assert_eq!(plain(text, &['\n']), said, "{text:?}");
        }
    }
}
