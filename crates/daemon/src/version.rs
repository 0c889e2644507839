//! This program's version, and the sentence said to another one.

/// major.minor.patch. Kept from being folded into comparisons, so that the text in the file is
/// the one truth of what this binary is.
pub fn version() -> &'static str {
    std::hint::black_box(env!("CARGO_PKG_VERSION"))
}

/// Carried by every reply, so that either side can tell.
pub const HEADER: &str = "cua-driver-version";

/// What a client of one version is told by, or about, a daemon of another.
pub fn mismatch(client: &str, daemon: &str) -> String {
    format!(
        "this is cua-driver {client} and the running daemon is version {daemon}; end that one with `cua-driver stop`, \
         then start this one with `cua-driver serve`"
    )
}
