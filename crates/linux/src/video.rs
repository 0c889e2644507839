//! A video of the screen, by one ffmpeg child.
//!
//! Owns: the child, from its start to its end, and knowing when its first frame was.
//! Refuses to own: where the file goes, masking, anything about turns.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use desktop::{Ctx, DesktopError, Gap, Result, Size, Video, VideoRequest};
use rustix::process::{Signal, kill_process};

use crate::apps::entries::in_path;
use crate::sys;
use crate::x11::link::lock;

/// A child without a frame by then hangs.
const FIRST: Duration = Duration::from_secs(4);
/// After being asked to end; then it is interrupted, then killed.
const ASKED: Duration = Duration::from_millis(350);
const INTERRUPTED: Duration = Duration::from_millis(900);
const POLL: Duration = Duration::from_millis(10);
const INSTALL: &str = "install it: apt-get install ffmpeg";

/// What brings video, or that it is there.
pub fn there() -> std::result::Result<(), &'static str> {
    in_path("ffmpeg").map(drop).ok_or("apt-get install ffmpeg")
}

/// Start recording `size` of the display. Answers once the first frame is on its way.
pub fn start(ctx: &Ctx, request: &VideoRequest, display: &str, size: Size) -> Result<Box<dyn Video>> {
    ctx.check()?;
    let program =
        in_path("ffmpeg").ok_or_else(|| DesktopError::Unsupported(format!("ffmpeg is not installed; {INSTALL}")))?;
    // Half of the pixels of a chroma plane have no odd size.
    let size = Size { w: size.w & !1, h: size.h & !1 };
    if size.w == 0 || size.h == 0 {
        return Err(DesktopError::Unsupported("the screen is too small for a video".into()));
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&request.path)
        .map_err(|e| DesktopError::System(format!("{}: {e}", request.path.display())))?;
    let mut command = Command::new(program);
    command.args(arguments(request, display, size));
    let recorder = Recorder::start(command, size, request.fps.clamp(1, 60)).inspect_err(|_| drop(fs::remove_file(&request.path)))?;
    if let Err(e) = recorder.begun(ctx, &request.path) {
        recorder.tell(Order::Kill);
        recorder.wait_end(Instant::now() + INTERRUPTED);
        let _ = fs::remove_file(&request.path);
        return Err(e);
    }
    Ok(Box::new(recorder))
}

fn arguments(request: &VideoRequest, display: &str, size: Size) -> Vec<String> {
    let fps = request.fps.clamp(1, 60);
    let text = format!(
        "-hide_banner -nostats -loglevel info -y -f x11grab -draw_mouse 1 -framerate {fps} -video_size {}x{} -i {display} \
         -an -fps_mode cfr -r {fps} -progress pipe:1 -stats_period 0.25 -c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g {fps} \
         -flush_packets 1 -frag_duration 250000 -movflags +empty_moov+default_base_moof -f mp4",
        size.w, size.h
    );
    let mut args: Vec<String> = text.split_whitespace().map(String::from).collect();
    args.push(format!("file:{}", request.path.display()));
    args
}

enum Order {
    Stop,
    Kill,
}

/// What is known of the child, told by the thread that watches it.
#[derive(Default)]
struct Known {
    first: Option<Instant>,
    /// The last lines of its log.
    log: Vec<String>,
    asked: bool,
    ended: Option<ExitStatus>,
    count: Count,
    gaps: Vec<Gap>,
}

/// What the child counts: frames written, those of them that repeat the one before.
#[derive(Clone, Copy, Default)]
struct Count {
    at: Duration,
    repeated: u32,
}

/// Repeated frames that make a gap: fewer come and go with every breath of the machine.
const GAP: Duration = Duration::from_millis(100);

impl Known {
    /// The child counted anew.
    fn count(&mut self, now: Count, fps: u32) {
        let before = std::mem::replace(&mut self.count, now);
        let frames = now.repeated.saturating_sub(before.repeated);
        if Duration::from_secs(1) * frames < GAP * fps {
            return;
        }
        match self.gaps.last_mut().filter(|g| g.to == before.at) {
            Some(g) => (g.to, g.frames) = (now.at, g.frames + frames),
            None => self.gaps.push(Gap { from: before.at, to: now.at, frames }),
        }
    }
}

#[derive(Default)]
struct Watch {
    known: Mutex<Known>,
    changed: Condvar,
}

impl Watch {
    fn change(&self, with: impl FnOnce(&mut Known)) {
        with(&mut lock(&self.known));
        self.changed.notify_all();
    }
}

struct Recorder {
    watch: Arc<Watch>,
    orders: Sender<Order>,
    size: Size,
}

impl Recorder {
    fn start(mut command: Command, size: Size, fps: u32) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        sys::dies_with_us(&mut command);
        let watch = Arc::new(Watch::default());
        let (orders, told) = mpsc::channel();
        let (tell, spawned) = mpsc::sync_channel(1);
        let theirs = watch.clone();
        // The thread that starts it is the one it dies with: that one stays until its end.
        thread::Builder::new()
            .name("video".into())
            .spawn(move || match command.spawn() {
                Ok(child) => {
                    let _ = tell.send(Ok(()));
                    tend(child, &theirs, &told, fps);
                }
                Err(e) => drop(tell.send(Err(e))),
            })
            .map_err(|e| DesktopError::System(e.to_string()))?;
        match spawned.recv_timeout(FIRST) {
            Ok(Ok(())) => Ok(Self { watch, orders, size }),
            Ok(Err(e)) => Err(DesktopError::System(format!("ffmpeg could not be started: {e}"))),
            Err(_) => Err(DesktopError::System("ffmpeg could not be started in time".into())),
        }
    }

    /// Wait until frames are written, or it is known that none will be.
    fn begun(&self, ctx: &Ctx, file: &Path) -> Result<()> {
        let end = Instant::now() + FIRST;
        loop {
            {
                let known = lock(&self.watch.known);
                if known.ended.is_some() {
                    return Err(DesktopError::System(reason(&known)));
                }
                if known.first.is_some() && fs::metadata(file).is_ok_and(|m| m.len() > 0) {
                    return Ok(());
                }
            }
            if Instant::now() >= end {
                return Err(DesktopError::System(format!(
                    "ffmpeg was started and made no picture in {} s",
                    FIRST.as_secs()
                )));
            }
            ctx.sleep(POLL)?;
        }
    }

    fn tell(&self, order: Order) {
        self.watch.change(|k| k.asked = true);
        // Where nobody listens any more the child has ended.
        let _ = self.orders.send(order);
    }

    fn wait_end(&self, until: Instant) -> bool {
        let known = lock(&self.watch.known);
        let left = until.saturating_duration_since(Instant::now());
        let wait = self.watch.changed.wait_timeout_while(known, left, |k| k.ended.is_none());
        wait.unwrap_or_else(PoisonError::into_inner).0.ended.is_some()
    }
}

impl Video for Recorder {
    fn first_frame(&self) -> Option<Instant> {
        lock(&self.watch.known).first
    }

    fn failed(&self) -> Option<String> {
        let known = lock(&self.watch.known);
        (known.ended.is_some() && !known.asked).then(|| reason(&known))
    }

    fn gaps(&self) -> Vec<Gap> {
        std::mem::take(&mut lock(&self.watch.known).gaps)
    }

    fn size(&self) -> Size {
        self.size
    }

    fn stop(&self, ctx: &Ctx) -> Result<()> {
        if let Some(why) = self.failed() {
            return Err(DesktopError::System(why));
        }
        self.tell(Order::Stop);
        // The thread kills it by then at the latest, whatever the caller's deadline.
        let most = ASKED + INTERRUPTED + Duration::from_millis(500);
        if self.wait_end(ctx.deadline.max(Instant::now() + Duration::from_millis(200)).min(Instant::now() + most)) {
            Ok(())
        } else {
            Err(DesktopError::Timeout)
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.tell(Order::Stop);
    }
}

/// Watch the child until its end, and bring the end about when told to.
fn tend(mut child: Child, watch: &Arc<Watch>, told: &Receiver<Order>, fps: u32) {
    if let Some(counts) = child.stdout.take() {
        let watch = watch.clone();
        let _ = thread::Builder::new().name("video-count".into()).spawn(move || follow(counts, &watch, fps));
    }
    if let Some(log) = child.stderr.take() {
        let watch = watch.clone();
        let _ = thread::Builder::new().name("video-log".into()).spawn(move || listen(log, &watch));
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) => {}
            Err(_) => break None,
        }
        match told.recv_timeout(POLL * 3) {
            Ok(Order::Kill) => break kill(&mut child),
            Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => break end(&mut child),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    // Its last words come through a pipe of their own.
    thread::sleep(POLL);
    watch.change(|k| k.ended = Some(status.unwrap_or_default()));
}

fn end(child: &mut Child) -> Option<ExitStatus> {
    if let Some(stdin) = child.stdin.as_mut() {
        let _ = stdin.write_all(b"q").and_then(|()| stdin.flush());
    }
    if let Some(status) = within(child, ASKED) {
        return Some(status);
    }
    if let Some(pid) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = kill_process(pid, Signal::INT);
    }
    within(child, INTERRUPTED).or_else(|| kill(child))
}

fn kill(child: &mut Child) -> Option<ExitStatus> {
    let _ = child.kill();
    child.wait().ok()
}

fn within(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + time;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(4)),
            _ => return None,
        }
    }
}

/// Read its log: the time of the first frame, and the last lines in case it fails.
fn listen(log: ChildStderr, watch: &Watch) {
    for line in BufReader::new(log).split(b'\n').map_while(|l| l.ok()) {
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        let first = started_at(&line);
        watch.change(|k| {
            k.first = k.first.or(first);
            if !line.is_empty() {
                if k.log.len() >= 8 {
                    k.log.remove(0);
                }
                k.log.push(line.chars().take(300).collect());
            }
        });
    }
}

/// Read what it counts, block by block: `dup_frames=3`, `out_time_us=1500000`, `progress=continue`.
fn follow(counts: ChildStdout, watch: &Watch, fps: u32) {
    let mut now = Count::default();
    for line in BufReader::new(counts).lines().map_while(|l| l.ok()) {
        let Some((key, value)) = line.trim().split_once('=') else { continue };
        match key {
            "dup_frames" => now.repeated = value.parse().unwrap_or(now.repeated),
            "out_time_us" => now.at = value.parse().map_or(now.at, Duration::from_micros),
            "progress" => watch.change(|k| k.count(now, fps)),
            _ => {}
        }
    }
}

/// `Duration: N/A, start: 1700000000.123456, bitrate: …`: frames of x11grab carry the wall clock.
fn started_at(line: &str) -> Option<Instant> {
    let rest = line.strip_prefix("Duration:")?.split_once("start: ")?.1;
    let seconds: f64 = rest.split(',').next()?.trim().parse().ok()?;
    let age = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64() - seconds;
    // A clock that was set meanwhile, or frames that count from elsewhere: now is nearer.
    let age = if (0.0..10.0).contains(&age) { age } else { 0.0 };
    Instant::now().checked_sub(Duration::from_secs_f64(age))
}

fn reason(known: &Known) -> String {
    let status = known.ended.map_or_else(String::new, |s| format!(" ({s})"));
    let last = known.log.iter().rev().find(|l| !l.is_empty() && !l.starts_with("Exiting")).cloned().unwrap_or_default();
    if last.contains("Unknown encoder") {
        return format!("this ffmpeg has no libx264{status}; {INSTALL}");
    }
    match last.is_empty() {
        true => format!("ffmpeg ended{status}"),
        false => format!("ffmpeg ended{status}: {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_is_read_from_the_log() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64();
        let line = format!("Duration: N/A, start: {:.6}, bitrate: 983040 kb/s", now - 2.0);
        let age = started_at(&line).expect("a time").elapsed().as_secs_f64();
        assert!((1.9..3.0).contains(&age), "{age}");
        assert!(started_at("Stream #0:0: Video: rawvideo").is_none());
    }

    #[test]
    fn repeated_frames_make_gaps() {
        let ms = Duration::from_millis;
        let mut k = Known::default();
        for (at, repeated) in [(250, 0), (500, 2), (1500, 30), (1750, 36), (2000, 36), (2500, 45)] {
            k.count(Count { at: ms(at), repeated }, 30);
        }
        let gap = |from, to, frames| Gap { from: ms(from), to: ms(to), frames };
        assert_eq!(k.gaps, [gap(500, 1750, 34), gap(2000, 2500, 9)]);
    }
}
