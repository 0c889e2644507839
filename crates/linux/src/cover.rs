//! A video written anew with parts of it covered, by one ffmpeg child.
//!
//! Owns: the filter and the bound. Refuses to own: which parts, and what becomes of the old file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use desktop::{Cover, Ctx, DesktopError, Result};

use crate::apps::entries::in_path;
use crate::sys;

/// More parts than this are covered from their first time to their last.
const PARTS: usize = 400;

/// Write `to`, a new file, which shows `from` with these parts in one flat colour.
pub fn write(ctx: &Ctx, from: &Path, to: &Path, covers: &[Cover]) -> Result<()> {
    ctx.check()?;
    let program = in_path("ffmpeg").ok_or_else(|| DesktopError::Unsupported("ffmpeg is not installed; install it: apt-get install ffmpeg".into()))?;
    let text = "-hide_banner -nostats -loglevel error -nostdin -n";
    let mut command = Command::new(program);
    command.args(text.split_whitespace()).arg("-i").arg(format!("file:{}", from.display())).args(["-an", "-vf", &filter(covers)]);
    command.args("-fps_mode passthrough -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 30 -movflags +faststart -f mp4".split_whitespace());
    command.arg(format!("file:{}", to.display())).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    sys::dies_with_us(&mut command);
    let mut child = command.spawn().map_err(|e| DesktopError::System(format!("ffmpeg could not be started: {e}")))?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                let mut said = String::new();
                if let Some(e) = child.stderr.take() {
                    let _ = e.take(4096).read_to_string(&mut said);
                }
                let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default().to_owned();
                return Err(DesktopError::System(format!("ffmpeg ended ({status}): {last}")));
            }
            Ok(None) => {}
            Err(e) => return Err(DesktopError::System(e.to_string())),
        }
        if let Err(e) = ctx.sleep(Duration::from_millis(15)) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(e);
        }
    }
}

fn filter(covers: &[Cover]) -> String {
    let mut out = String::new();
    for c in bounded(covers) {
        let r = c.region;
        if r.is_empty() || r.right() <= 0 || r.bottom() <= 0 {
            continue;
        }
        // What begins off the screen is cut: a box cannot begin at a negative place.
        let (x, y) = (r.x.max(0), r.y.max(0));
        let (w, h) = (r.right() - x, r.bottom() - y);
        let sep = if out.is_empty() { "" } else { "," };
        let _ = write!(out, "{sep}drawbox=x={x}:y={y}:w={w}:h={h}:color=0x606060:t=fill:enable='between(t,{:.3},{:.3})'", c.from.as_secs_f64(), c.to.as_secs_f64());
    }
    if out.is_empty() { "null".into() } else { out }
}

fn bounded(covers: &[Cover]) -> Vec<Cover> {
    if covers.len() <= PARTS {
        return covers.to_vec();
    }
    let mut whole: BTreeMap<(i32, i32, u32, u32), Cover> = BTreeMap::new();
    for c in covers {
        let r = c.region;
        let w = whole.entry((r.x, r.y, r.w, r.h)).or_insert(*c);
        (w.from, w.to) = (w.from.min(c.from), w.to.max(c.to));
    }
    whole.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use desktop::Rect;

    #[test]
    fn parts_become_boxes_with_times() {
        let c = Cover { region: Rect::new(-5, 10, 30, 20), from: Duration::from_millis(1500), to: Duration::from_secs(2) };
        assert_eq!(filter(&[c]), "drawbox=x=0:y=10:w=25:h=20:color=0x606060:t=fill:enable='between(t,1.500,2.000)'");
        assert_eq!(filter(&[]), "null");
        assert_eq!(bounded(&vec![c; 1000]).len(), 1);
    }
}
