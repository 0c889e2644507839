//! The X server's cookie and the file that holds it.

use std::io;
use std::path::Path;

const LOCAL: u16 = 256;
const WILD: u16 = 65535;
const PROTOCOL: &[u8] = b"MIT-MAGIC-COOKIE-1";

pub fn cookie() -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&host::random().to_ne_bytes());
    bytes[8..].copy_from_slice(&host::random().to_ne_bytes());
    bytes
}

/// An Xauthority file for this cookie: any address, and this machine by name for the clients
/// that look for that. `number` is empty before the display has one.
pub fn write(path: &Path, cookie: &[u8; 16], number: &str) -> io::Result<()> {
    let name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut bytes = entry(LOCAL, name.trim_ascii(), number, cookie);
    bytes.extend(entry(WILD, b"", number, cookie));
    host::write_private(path, &bytes)
}

fn entry(family: u16, address: &[u8], number: &str, cookie: &[u8]) -> Vec<u8> {
    let mut bytes = family.to_be_bytes().to_vec();
    for part in [address, number.as_bytes(), PROTOCOL, cookie] {
        // Each part is far shorter than 64 KiB.
        bytes.extend((part.len() as u16).to_be_bytes());
        bytes.extend(part);
    }
    bytes
}
