//! One recording: from its directory to its end.
//!
//! Owns: what a recording is told of (a turn, a look, its end) and what it says of itself.
//! Refuses to own: which acts belong to it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use desktop::{Desktop, Owner};
use serde_json::{Value, json};

use super::film::Film;
use super::follow;
use super::log::Log;
use super::look::Look;
use super::secret::Secrets;
use super::state;
use super::store::{Found, Onto, Store, StoreError};
use super::turn::Done;
use super::types::{Actor, Driver, EndReason, Line, Masking, Os, Part, SCHEMA, SCHEMA_VERSION, Screen, Session, Settings, VideoFile, Whose};
use super::writer::{Kept, Writer};
use crate::time::rfc3339;
use crate::Host;

/// How long the end waits for turns that are being written, and how long when the driver ends.
const WRITE: Duration = Duration::from_secs(10);
const WRITE_AT_END: Duration = Duration::from_millis(1500);

pub struct Recording {
    pub log: Arc<Log>,
    pub settings: Settings,
    holder: Mutex<Holder>,
    writer: Writer,
    film: Option<Arc<Film>>,
    secrets: Secrets,
    interrupted: bool,
}

/// Whose recording it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub owner: Owner,
    pub label: String,
}

/// What is asked of a new recording.
pub struct Wanted {
    pub path: PathBuf,
    pub onto: Onto,
    pub settings: Settings,
    pub holder: Holder,
}

/// Why a recording could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Thread(std::io::Error),
}

impl Recording {
    /// Begin. `accepted` is the moment of the call: zero of the clock.
    pub fn start(desktop: &Arc<dyn Desktop>, host: &Arc<dyn Host>, secrets: &Secrets, wanted: Wanted, accepted: Instant) -> Result<Arc<Self>, StartError> {
        let (store, found) = Store::open(&wanted.path, wanted.onto)?;
        let store = Arc::new(store);
        let wall = host.wall() - host.now().saturating_duration_since(accepted);
        let resumed = found.earlier.is_some();
        let base_ms = if resumed { resumed_clock(&found, wall) } else { 0 };
        let next_turn = found.last_turn + 1;
        let videos = found.videos;
        let (last_ms, interrupted, leftovers) = (found.last_ms, found.interrupted, found.leftovers.clone());
        let session = session(&**desktop, &wanted, found, rfc3339(wall), base_ms);
        let log = Arc::new(Log::new(host.clone(), store.clone(), session, next_turn, accepted, base_ms));
        if resumed {
            let reason = if interrupted { "interrupted: the driver that recorded ended without ending the recording" } else { "resumed" };
            log.note_at(accepted, |t_ms| Line::Gap { t_ms, from_ms: last_ms, reason: reason.into() });
            if !leftovers.is_empty() {
                log.note_at(accepted, |t_ms| Line::Error { t_ms, turn: None, message: format!("unfinished, left by a crash: {}", leftovers.join(", ")) });
            }
        }
        log.keep_session();
        let tell = { let log = log.clone(); Box::new(move |turn, kept| log.kept(turn, kept)) };
        let writer = Writer::start(store, secrets.clone(), tell).map_err(StartError::Thread)?;
        let film = wanted.settings.record_video.then(|| Arc::new(Film::start(&**desktop, &**host, &log, videos + 1, wanted.settings.video_fps)));
        follow::start(desktop.clone(), log.clone(), film.clone());
        let recording = Arc::new(Self { log, settings: wanted.settings, holder: Mutex::new(wanted.holder), writer, film, secrets: secrets.clone(), interrupted });
        if let Some(film) = &recording.film {
            if let Some(why) = film.error() {
                recording.log.failed(None, format!("no video: {why}"));
            }
            recording.put_video(film.file(&recording.log, None));
        }
        recording.log.keep_session();
        Ok(recording)
    }

    pub fn holder(&self) -> Holder {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The part before it had no end.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    pub fn path(&self) -> PathBuf {
        self.log.store.path.clone()
    }

    /// Another session goes on with it.
    pub fn take_over(&self, by: Holder, at: Instant) {
        self.log.note_at(at, |t_ms| Line::TookOver { t_ms, by: by.label.clone() });
        self.log.lock().session.session.clone_from(&by.label);
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = by;
        self.log.keep_session();
    }

    /// Whether an act of this session becomes a turn.
    pub fn wants(&self, owner: Owner) -> bool {
        self.settings.sessions == Whose::All || self.holder().owner == owner
    }

    pub fn left_out(&self) {
        self.log.lock().session.others_not_recorded += 1;
    }

    /// A limit is reached.
    pub fn is_full(&self, now: Instant) -> bool {
        let inner = self.log.lock();
        inner.next_turn > self.settings.max_turns
            || inner.session.bytes >= self.settings.max_bytes
            || self.log.elapsed(now) >= Duration::from_secs(60 * u64::from(self.settings.max_minutes))
    }

    /// Secrets that a look shows in plain must not stay in the video.
    pub fn looked(&self, look: &Look, at_ms: u64) {
        if let Some(film) = &self.film {
            film.seen(at_ms, &state::hidden(look, &self.secrets).readable);
        }
    }

    /// A turn happened.
    pub fn keep(&self, turn: Done) {
        let number = turn.number;
        if let Err(why) = self.writer.take(turn) {
            self.log.kept(number, Kept::Lost { why: why.into() });
        }
    }

    /// End it: turns written, video whole, `session.json` final. Answers the video that is still
    /// to be masked. `last`: the driver itself ends. `seen` waits for the looks after the last acts.
    pub fn finish(&self, host: &dyn Host, reason: EndReason, last: bool, seen: &dyn Fn()) -> bool {
        if self.log.ended.swap(true, Ordering::SeqCst) {
            return false;
        }
        let end_ms = self.log.ms(host.now());
        std::thread::scope(|s| {
            if let Some(film) = &self.film {
                s.spawn(|| film.stop(&self.log));
            }
            seen();
        });
        if let Some(film) = &self.film {
            film.close(end_ms.max(self.log.ms(host.now())));
        }
        if !self.writer.finish(if last { WRITE_AT_END } else { WRITE }) {
            self.log.failed(None, "turns were still being written when the recording ended".into());
        }
        let video = self.film.as_ref().map(|f| f.file(&self.log, Some(end_ms)));
        let pending = video.as_ref().is_some_and(|v| v.masking == Masking::Pending);
        if let Some(v) = video {
            self.put_video(v);
        }
        {
            let mut inner = self.log.lock();
            let s = &mut inner.session;
            s.ended_at = Some(rfc3339(host.wall()));
            s.end_reason = Some(reason);
            if let Some(part) = s.parts.last_mut() {
                part.ended_at.clone_from(&s.ended_at);
                part.end_reason = Some(reason);
            }
        }
        self.log.keep_session();
        if !pending {
            self.log.store.dir().unlock();
        }
        pending
    }

    /// Cover what must not be seen in the ended video.
    pub fn mask(&self, desktop: &dyn Desktop, bound: Duration) {
        let Some(film) = &self.film else { return };
        let (masking, why) = film.mask(desktop, &self.log, bound);
        let mut file = film.file(&self.log, None);
        {
            let inner = self.log.lock();
            file.end_ms = inner.session.videos.iter().find(|v| v.path == file.path).and_then(|v| v.end_ms);
        }
        file.masking = masking;
        if let Some(why) = why {
            file.error = Some(why.clone());
            self.log.failed(None, why);
        }
        self.put_video(file);
        self.log.keep_session();
        self.log.store.dir().unlock();
    }

    /// A video that shows a secret does not stay.
    pub fn remove_video(&self, why: &str) {
        let Some(film) = &self.film else { return };
        film.remove(&self.log);
        let mut file = film.file(&self.log, None);
        (file.masking, file.error) = (Masking::Removed, Some(format!("{why}; it was removed")));
        self.put_video(file);
        self.log.keep_session();
    }

    fn put_video(&self, file: VideoFile) {
        let mut inner = self.log.lock();
        let s = &mut inner.session;
        match s.videos.iter_mut().find(|v| v.path == file.path) {
            Some(v) => *v = file,
            None => s.videos.push(file),
        }
        s.video = s.videos.first().cloned();
    }

    /// What is said of it while it records.
    pub fn state(&self) -> Value {
        let active = self.film.as_ref().is_some_and(|f| f.active(&self.log));
        let last_error = self.log.last_error();
        let video = self.film.as_ref().map(|f| f.file(&self.log, None));
        let ended = self.log.ended.load(Ordering::Relaxed);
        let inner = self.log.lock();
        let s = &inner.session;
        let video = if ended { video.and_then(|v| s.videos.iter().find(|o| o.path == v.path).cloned()) } else { video };
        json!({
            "recording": !ended,
            "output_dir": self.log.store.path.display().to_string(),
            "next_turn": inner.next_turn,
            "turns": s.turns,
            "video_active": active,
            "last_error": last_error,
            "video": video,
            "session": s.session,
            "sessions": s.settings.sessions,
            "others_not_recorded": s.others_not_recorded,
            "trajectory_id": s.trajectory_id,
            "started_at": s.started_at,
            "end_reason": s.end_reason,
        })
    }
}

/// The clock of a resumed recording: by the wall, never back.
fn resumed_clock(found: &Found, wall: std::time::SystemTime) -> u64 {
    let began = found.earlier.as_ref().and_then(|s| super::wall::parse(&s.started_at));
    let by_wall = began.and_then(|b| wall.duration_since(b).ok()).map_or(0, |d| d.as_millis() as u64);
    let last_video = found.earlier.iter().flat_map(|s| &s.videos).filter_map(|v| v.end_ms).max().unwrap_or(0);
    by_wall.max(found.last_ms + 1).max(last_video + 1)
}

fn session(desktop: &dyn Desktop, wanted: &Wanted, found: Found, now: String, start_ms: u64) -> Session {
    let part = Part { started_at: now.clone(), ended_at: None, end_reason: None, start_ms, first_turn: found.last_turn + 1, leftovers: found.leftovers };
    if let Some(mut s) = found.earlier {
        if found.interrupted
            && let Some(p) = s.parts.last_mut()
        {
            p.end_reason = Some(EndReason::Interrupted);
        }
        s.turns = s.turns.max(found.last_turn.saturating_sub(s.lost_turns.len() as u32));
        (s.ended_at, s.end_reason) = (None, None);
        s.session.clone_from(&wanted.holder.label);
        s.settings = wanted.settings.clone();
        s.parts.push(part);
        return s;
    }
    let info = desktop.info();
    let displays = desktop.displays(&desktop::Ctx::lasting(Duration::from_millis(500))).unwrap_or_default();
    let primary = displays.iter().find(|d| d.primary).or(displays.first());
    Session {
        schema: SCHEMA.into(),
        schema_version: SCHEMA_VERSION,
        trajectory_id: uuid::Uuid::now_v7().to_string(),
        actor: Actor::AgentActs,
        driver: Driver { name: "cua-driver".into(), version: env!("CARGO_PKG_VERSION").into() },
        os: Os { platform: info.platform.into(), backend: info.backend.into(), arch: std::env::consts::ARCH.into() },
        display: primary.map(|d| Screen { name: info.display.clone(), width: d.bounds.w, height: d.bounds.h, scale: d.scale }),
        started_at: now,
        ended_at: None,
        end_reason: None,
        session: wanted.holder.label.clone(),
        settings: wanted.settings.clone(),
        turns: 0,
        others_not_recorded: 0,
        lost_turns: Default::default(),
        bytes: 0,
        video: None,
        videos: vec![],
        parts: vec![part],
        last_error: None,
    }
}
