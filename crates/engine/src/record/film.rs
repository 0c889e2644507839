//! The video of a recording: begun, watched, ended, and covered where a secret could be read.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Ctx, Desktop, Gap, Rect, Screen, Video, VideoRequest};

use super::log::Log;
use super::store::{masked_name, video_name};
use super::types::{Line, Masking, VideoFile};
use crate::Host;

/// How long the first frame is waited for.
const FIRST_FRAME: Duration = Duration::from_millis(2500);
const STOP: Duration = Duration::from_millis(1500);

/// One running or ended video.
pub struct Film {
    name: String,
    fps: u32,
    inner: Mutex<Inner>,
}

struct Inner {
    video: Option<Box<dyn Video>>,
    error: Option<String>,
    start: Option<Instant>,
    size: [u32; 2],
    /// Where a secret can be read now, and since when.
    open: Vec<(Rect<Screen>, u64)>,
    /// Where one could be read: region, from, to.
    covers: Vec<(Rect<Screen>, u64, u64)>,
    last_look: u64,
}

impl Film {
    /// Begin, and wait until the first frame is there or will not come.
    pub fn start(desktop: &dyn Desktop, host: &dyn Host, log: &Log, number: usize, fps: u32) -> Self {
        let name = video_name(number);
        let request = VideoRequest { path: log.store.path.join(&name), fps };
        let (video, error) = match desktop.video(&Ctx::lasting(FIRST_FRAME), &request) {
            Ok(v) => (Some(v), None),
            Err(e) => (None, Some(said(&e))),
        };
        let inner = Inner { video, error, start: None, size: [0, 0], open: vec![], covers: vec![], last_look: 0 };
        let film = Self { name, fps, inner: Mutex::new(inner) };
        let end = host.now() + FIRST_FRAME;
        while film.active(log) && film.lock().start.is_none() && host.now() < end {
            host.wait(Duration::from_millis(10), &desktop::Cancel::default());
        }
        let _ = log.store.dir().make_private(&film.name);
        film
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It records. Notices the first frame, and that it died.
    pub fn active(&self, log: &Log) -> bool {
        let mut inner = self.lock();
        let Some(v) = &inner.video else { return false };
        let (first, size, failed) = (v.first_frame(), v.size(), v.failed());
        inner.start = inner.start.or(first);
        inner.size = [size.w, size.h];
        if let Some(why) = failed {
            inner.video = None;
            inner.error = Some(why.clone());
            drop(inner);
            log.failed(None, format!("the video ended: {why}"));
            return false;
        }
        true
    }

    /// Look after it: its end, and times in which it took no frames. False once it has ended.
    pub fn tend(&self, log: &Log) -> bool {
        let active = self.active(log);
        let gaps = self.lock().video.as_ref().map(|v| v.gaps()).unwrap_or_default();
        self.note_gaps(log, gaps);
        active
    }

    fn note_gaps(&self, log: &Log, gaps: Vec<Gap>) {
        let Some(start) = self.lock().start else { return };
        for g in gaps {
            let from_ms = log.ms(start + g.from);
            let until = log.ms(start + g.to);
            let reason = format!("{}: {} frames were not taken in time, until {until}; the frame before them stands in their place", self.name, g.frames);
            log.note_at(log.now(), |t_ms| Line::Gap { t_ms, from_ms, reason });
        }
    }

    pub fn error(&self) -> Option<String> {
        self.lock().error.clone()
    }

    /// What `session.json` says of it.
    pub fn file(&self, log: &Log, ended: Option<u64>) -> VideoFile {
        let inner = self.lock();
        VideoFile {
            path: self.name.clone(),
            fps: self.fps,
            size: inner.size,
            start_ms: inner.start.map(|t| log.ms(t)),
            end_ms: ended,
            error: inner.error.clone(),
            masking: if ended.is_some() && !inner.covers.is_empty() { Masking::Pending } else { Masking::None },
        }
    }

    /// Take note of where a secret can be read at a moment of the clock.
    pub fn seen(&self, at: u64, readable: &[Rect<Screen>]) {
        let mut inner = self.lock();
        let since = inner.last_look;
        // One that is readable no more may have stayed until just before this look.
        let (stay, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut inner.open).into_iter().partition(|(r, _)| readable.contains(r));
        inner.covers.extend(gone.into_iter().map(|(r, from)| (r, from, at)));
        let fresh = readable.iter().filter(|r| !stay.iter().any(|(s, _)| s == *r)).map(|r| (*r, since)).collect::<Vec<_>>();
        inner.open = stay;
        inner.open.extend(fresh);
        inner.last_look = at;
    }

    /// End it and wait until the file is whole.
    pub fn stop(&self, log: &Log) {
        self.tend(log);
        let video = self.lock().video.take();
        if let Some(v) = video {
            if let Err(e) = v.stop(&Ctx::lasting(STOP)) {
                self.lock().error = Some(e.to_string());
                log.failed(None, format!("the video did not end well: {e}"));
            }
            self.note_gaps(log, v.gaps());
        }
        let _ = log.store.dir().make_private(&self.name);
    }

    /// No look comes any more: what could be read to the last is covered to the end.
    pub fn close(&self, at: u64) {
        let mut inner = self.lock();
        for (r, from) in std::mem::take(&mut inner.open) {
            inner.covers.push((r, from, at));
        }
    }

    /// Cover what could be read, in a new file that takes the place of the old. A video that
    /// cannot be covered is removed.
    pub fn mask(&self, desktop: &dyn Desktop, log: &Log, bound: Duration) -> (Masking, Option<String>) {
        let (covers, start) = {
            let inner = self.lock();
            (inner.covers.clone(), inner.start)
        };
        let zero = start.map_or(0, |t| log.ms(t));
        let at = |ms: u64| Duration::from_millis(ms.saturating_sub(zero));
        // A little wider in time: a frame shows what was painted up to a frame ago.
        let covers: Vec<desktop::Cover> = covers
            .iter()
            .map(|(r, from, to)| desktop::Cover { region: *r, from: at(from.saturating_sub(100)), to: at(to + 200) })
            .collect();
        let masked = masked_name(&self.name);
        let dir = log.store.dir();
        let _ = dir.remove_file(&masked);
        let made = desktop.cover_video(&Ctx::lasting(bound), &log.store.path.join(&self.name), &log.store.path.join(&masked), &covers);
        let put = made.map_err(|e| e.to_string()).and_then(|()| dir.make_private(&masked).and_then(|()| dir.rename_over(&masked, &self.name)).map_err(|e| e.to_string()));
        match put {
            Ok(()) => (Masking::Done, None),
            Err(why) => {
                self.remove(log);
                (Masking::Removed, Some(format!("the video showed a secret and could not be masked ({why}); it was removed")))
            }
        }
    }

    /// Remove it, and what was made of it so far.
    pub fn remove(&self, log: &Log) {
        let _ = log.store.dir().remove_file(&masked_name(&self.name));
        let _ = log.store.dir().remove_file(&self.name);
    }
}

/// Why there is no video, with what brings it where that is what is missing.
fn said(e: &desktop::DesktopError) -> String {
    let text = e.to_string();
    if text.contains("could not be started") && !text.contains("install") { format!("{text}; install ffmpeg") } else { text }
}
