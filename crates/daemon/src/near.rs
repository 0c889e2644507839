//! How the nearest known word is offered.

pub use desktop::nearest;

/// The end of a sentence: "; did you mean `X`?", or its full stop.
pub fn hint(nearest: Option<&str>, prefix: &str) -> String {
    nearest.map_or_else(|| ".".to_owned(), |word| format!("; did you mean `{prefix}{word}`?"))
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn a_sentence_ends_either_way() {
        for (near, text) in [(Some("click"), "no tool `x`; did you mean `--click`? See"), (None, "no tool `x`. See")] {
            assert_eq!(format!("no tool `x`{} See", hint(near, "--")), text);
        }
    }
}
