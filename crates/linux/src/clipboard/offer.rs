//! Content as the types it is offered in.

use std::path::Path;
use std::sync::Arc;

use desktop::ClipboardContent;

/// Type name and bytes of each form, the best one first.
pub type Forms = Vec<(&'static str, Arc<[u8]>)>;

pub const SECRET: &str = "x-kde-passwordManagerHint";

/// Types of X that are requests, not content.
const REQUESTS: [&str; 7] =
    ["TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY"];
/// Types that carry text, the best one first.
pub const TEXTS: [&str; 6] =
    ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "text/plain", "STRING", "TEXT"];

pub fn forms(content: &ClipboardContent) -> Forms {
    match content {
        ClipboardContent::Text(text) => texts(text),
        ClipboardContent::Png(bytes) => vec![("image/png", bytes.as_slice().into())],
        ClipboardContent::Files(files) => {
            let uris: Vec<String> = files.iter().map(|f| uri(f)).collect();
            let list: String = uris.iter().flat_map(|u| [u.as_str(), "\r\n"]).collect();
            let copied = format!("copy\n{}", uris.join("\n"));
            let plain = files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join("\n");
            let mut forms: Forms = vec![
                ("text/uri-list", list.into_bytes().into()),
                ("x-special/gnome-copied-files", copied.into_bytes().into()),
            ];
            forms.extend(texts(&plain));
            forms
        }
    }
}

fn texts(text: &str) -> Forms {
    let utf8: Arc<[u8]> = text.as_bytes().into();
    // STRING is Latin-1 by definition: offered only where nothing would be lost.
    let latin = text.chars().map(|c| u8::try_from(u32::from(c))).collect::<Result<Vec<u8>, _>>();
    let mut forms: Forms = vec![
        ("UTF8_STRING", utf8.clone()),
        ("text/plain;charset=utf-8", utf8.clone()),
        ("text/plain", utf8.clone()),
        ("TEXT", utf8),
    ];
    if let Ok(latin) = latin {
        forms.push(("STRING", latin.into()));
    }
    forms
}

fn uri(file: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut out = String::from("file://");
    for &b in file.as_os_str().as_bytes() {
        if b.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&b) {
            out.push(b.into());
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

/// MIME types of what X calls targets: text first, each once.
pub fn mime(targets: &[String]) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    if targets.iter().any(|t| TEXTS.contains(&t.as_str()) || t == "COMPOUND_TEXT") {
        types.push("text/plain".into());
    }
    for t in targets {
        let plain = t.starts_with("text/plain") || !t.contains('/');
        if !plain && !REQUESTS.contains(&t.as_str()) && !types.contains(t) {
            types.push(t.clone());
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_as_addresses() {
        assert_eq!(uri(Path::new("/a b/ż%.txt")), "file:///a%20b/%C5%BC%25.txt");
    }

    #[test]
    fn mime_types_are_few_and_text_comes_first() {
        let targets = ["TARGETS", "image/png", "UTF8_STRING", "text/plain", "STRING", "text/html", SECRET, "image/png"];
        let targets: Vec<String> = targets.map(String::from).into();
        assert_eq!(mime(&targets), ["text/plain", "image/png", "text/html"]);
    }

    #[test]
    fn latin_text_only_where_it_is_latin() {
        let has = |text: &str| texts(text).iter().any(|(t, _)| *t == "STRING");
        assert!(has("café"));
        assert!(!has("日本"));
    }
}
