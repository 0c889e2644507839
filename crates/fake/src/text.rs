//! Lines of scene text as words, with what is indented under them. Knows no windows.

use std::fmt;

/// What is wrong with a scene text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Counted from 1.
    pub line: usize,
    pub why: String,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scene line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for SceneError {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Bare(String),
    Quoted(String),
    /// `key=value`, the value quoted or not.
    Pair(String, String),
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub number: usize,
    pub words: Vec<Word>,
    pub under: Vec<Line>,
}

impl Line {
    pub fn error(&self, why: impl Into<String>) -> SceneError {
        SceneError { line: self.number, why: why.into() }
    }

    pub fn head(&self) -> &str {
        match self.words.first() {
            Some(Word::Bare(w) | Word::Quoted(w)) => w,
            _ => "",
        }
    }
}

pub(crate) fn lines(text: &str) -> Result<Vec<Line>, SceneError> {
    let mut flat = Vec::new();
    for (i, raw) in text.lines().enumerate() {
        let body = raw.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        flat.push((indent, Line { number: i + 1, words: words(body, i + 1)?, under: Vec::new() }));
    }
    let mut rest = flat.into_iter().peekable();
    Ok(nest(&mut rest, 0))
}

fn nest(rest: &mut std::iter::Peekable<impl Iterator<Item = (usize, Line)>>, least: usize) -> Vec<Line> {
    let mut out = Vec::new();
    while let Some((indent, mut line)) = rest.next_if(|(indent, _)| *indent >= least) {
        line.under = nest(rest, indent + 1);
        out.push(line);
    }
    out
}

fn words(body: &str, line: usize) -> Result<Vec<Word>, SceneError> {
    let mut out = Vec::new();
    let mut chars = body.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if c == '"' {
            out.push(Word::Quoted(quoted(&mut chars, line)?));
        } else {
            out.push(bare(&mut chars, line)?);
        }
    }
    Ok(out)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn bare(chars: &mut Chars<'_>, line: usize) -> Result<Word, SceneError> {
    let mut word = String::new();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            break;
        }
        chars.next();
        if c == '=' && !word.is_empty() {
            let mut value = String::new();
            if chars.peek() == Some(&'"') {
                value = quoted(chars, line)?;
            } else {
                while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                    value.push(c);
                }
            }
            return Ok(Word::Pair(word, value));
        }
        word.push(c);
    }
    Ok(Word::Bare(word))
}

fn quoted(chars: &mut Chars<'_>, line: usize) -> Result<String, SceneError> {
    chars.next();
    let mut out = String::new();
    loop {
        match chars.next() {
            Some('"') => return Ok(out),
            Some('\\') => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => break,
            },
            Some(c) => out.push(c),
            None => break,
        }
    }
    Err(SceneError { line, why: "a quote is not closed".into() })
}
