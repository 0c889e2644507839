//! Applications, clipboard, events, video, and what happens when parts are missing.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Lab, ctx, no_display, read_all, titled, until};
use desktop::{
    ClipboardContent, Ctx, DesktopError, Event, EventFilter, Events, HealthState, Launch, Pid, Placement, Rect,
    Source, VideoRequest,
};

fn script(lab: &Lab, name: &str, body: &str) -> String {
    let path = lab.home.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.display().to_string()
}

fn launch(what: &str) -> Launch {
    Launch { what: what.into(), args: vec![], urls: vec![] }
}

/// State letters of the children of this process.
fn zombies() -> usize {
    let children = format!("/proc/{}/task", std::process::id());
    let tasks = fs::read_dir(children).expect("tasks").flatten();
    let pids = tasks.filter_map(|t| fs::read_to_string(t.path().join("children")).ok());
    let all = pids.flat_map(|p| p.split_whitespace().map(String::from).collect::<Vec<_>>()).collect::<Vec<_>>();
    let zombie = |pid: &&String| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| s.contains(") Z "));
    all.iter().filter(zombie).count()
}

#[test]
fn a_launched_application_is_found_by_its_window_also_after_its_launcher_left() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let tk = "exec /usr/bin/python3 -c \"import tkinter as tk; r = tk.Tk(); r.title('came'); r.mainloop()\"";
    for (name, body) in [
        ("direct", tk.to_owned()),
        ("leaves", format!("({tk}) >/dev/null 2>&1 &")),
        ("session", format!("setsid -f sh -c '{}'", tk.replace('\'', "'\\''"))),
        ("bare", format!("env -i DISPLAY=$DISPLAY setsid -f sh -c '{}'", tk.replace('\'', "'\\''"))),
    ] {
        let got = d.launch(&ctx(), &launch(&script(&lab, name, &body))).expect(name);
        let w = titled(&*d, "came");
        assert_eq!((got.pid, got.windows, got.running), (w.pid, vec![w.id], true), "{name}");
        d.terminate(&ctx(), w.pid.expect("a pid"), false).expect(name);
        until("its end", || d.windows(&ctx()).expect("a list").iter().all(|w| w.title != "came").then_some(()));
    }
    until("no zombie", || (zombies() == 0).then_some(()));
}

#[test]
fn a_launch_leaves_the_keyboard_where_it_was() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let _person = lab.window("gtk3", "person", "#445566", "200,150,60,60");
    let person = titled(&*d, "person");
    d.place(&ctx(), person.id, Placement::Activate).expect("active");
    let tk = "exec /usr/bin/python3 -c \"import tkinter as tk; r = tk.Tk(); r.title('came'); r.mainloop()\"";
    let got = d.launch(&ctx(), &launch(&script(&lab, "app", tk))).expect("launched");
    assert_eq!(got.windows, [titled(&*d, "came").id]);
    until("the keyboard back", || d.focus(&ctx()).ok().filter(|f| f.window == Some(person.id)));
    d.terminate(&ctx(), got.pid.expect("a pid"), true).expect("ended");
}

#[test]
fn what_cannot_be_launched_is_said_and_what_ends_leaves_nothing() {
    let lab = Lab::start("none");
    let d = lab.open();
    let fails = script(&lab, "fails", "exit 3");
    for what in ["no-such-application", "/nowhere/app", "no such thing", &fails] {
        let got = d.launch(&ctx(), &launch(what));
        assert!(matches!(got, Err(DesktopError::CannotLaunch(_))), "{what}: {got:?}");
    }
    let got = d.launch(&ctx(), &launch(&script(&lab, "short", "exit 0"))).expect("it ran");
    assert!(!got.running && got.windows.is_empty());
    until("no zombie", || (zombies() == 0).then_some(()));
}

#[test]
fn a_stubborn_process_is_told_apart_from_one_that_ends() {
    let lab = Lab::start("none");
    let d = lab.open();
    let app = lab.spawn("/bin/sh", &["-c", "trap '' TERM; while :; do sleep 0.05; done"]);
    let pid = Pid(app.pid());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(d.terminate(&ctx(), pid, false), Err(DesktopError::NotAnswering(Some(pid))));
    d.terminate(&ctx(), pid, true).expect("killed");
    assert_eq!(d.terminate(&ctx(), pid, true), Err(DesktopError::NoProcess(pid)), "it stays a zombie of this test");
    assert!(matches!(d.terminate(&ctx(), Pid(1), true), Err(DesktopError::PermissionRequired(_))));
}

#[test]
fn the_clipboard_goes_both_ways_whole() {
    let lab = Lab::start("none");
    let d = lab.open();
    assert!(d.clipboard(&ctx(), true).expect("read").types.is_empty());
    let large = "Zażółć 0123456789 ".repeat(440_000);
    for text in ["", "plain", "日本 🤖", &large] {
        d.set_clipboard(&ctx(), &ClipboardContent::Text(text.into())).expect("set");
        let mut out = lab.piped("xclip", &["-o", "-selection", "clipboard"]);
        assert!(read_all(&mut out) == text, "xclip reads {} bytes", text.len());
        assert_eq!(d.clipboard(&ctx(), true).expect("read").text.as_deref(), Some(text));
    }
    let file = lab.home.join("large.txt");
    fs::write(&file, large.to_uppercase()).expect("written");
    let _owner = lab.spawn("xclip", &["-selection", "clipboard", "-quiet", &file.display().to_string()]);
    until("what xclip offers", || {
        let got = d.clipboard(&ctx(), true).expect("read").text?;
        (got.len() > 100 && got == large.to_uppercase()).then_some(())
    });
}

#[test]
fn pictures_and_files_are_offered_as_what_they_are() {
    let lab = Lab::start("none");
    let d = lab.open();
    let png = ClipboardContent::Png(vec![0x89, b'P', b'N', b'G', 1, 2, 3]);
    d.set_clipboard(&ctx(), &png).expect("set");
    let got = d.clipboard(&ctx(), true).expect("read");
    assert_eq!((got.types, got.text), (vec!["image/png".to_owned()], None));
    d.set_clipboard(&ctx(), &ClipboardContent::Files(vec![PathBuf::from("/a b/c")])).expect("set");
    let uris = lab.tool("xclip", &["-o", "-selection", "clipboard", "-t", "text/uri-list"]);
    assert_eq!(uris, "file:///a%20b/c\r\n");
    assert_eq!(d.clipboard(&ctx(), true).expect("read").text.as_deref(), Some("/a b/c"));
}

#[test]
fn an_owner_that_never_answers_costs_a_bound() {
    let lab = Lab::start("none");
    let d = lab.open();
    let mut owner = lab.piped(
        "/usr/bin/python3",
        &["-c", "from Xlib import display, X\nimport time\nd = display.Display(); w = d.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)\nw.set_selection_owner(d.intern_atom('CLIPBOARD'), 0); d.sync(); print('ready', flush=True)\ntime.sleep(60)"],
    );
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(owner.0.stdout.take().expect("piped")), &mut line).expect("a line");
    let at = Instant::now();
    assert!(matches!(d.clipboard(&ctx(), true), Err(DesktopError::NotAnswering(_))));
    assert!(at.elapsed() < Duration::from_secs(5), "bounded");
}

#[test]
fn without_a_display_everything_says_so_and_comes_back_with_it() {
    for display in [None, Some(":987".to_owned()), Some("nonsense".into())] {
        let d = linux::open(linux::Options { display: display.clone(), guardian: None });
        let at = Instant::now();
        no_display(d.windows(&ctx()));
        no_display(d.displays(&ctx()));
        no_display(d.capture(&ctx(), &Source::Display(None)));
        no_display(d.clipboard(&ctx(), true));
        no_display(d.set_clipboard(&ctx(), &ClipboardContent::Text("x".into())));
        no_display(d.launch(&ctx(), &launch("sh")));
        no_display(d.focus(&ctx()));
        no_display(d.pointer(&ctx()));
        assert!(at.elapsed() < Duration::from_secs(5), "{display:?}");
        let health = d.health(&ctx());
        let part = health.iter().find(|h| h.name == "display").expect("told");
        assert!(part.state == HealthState::Fail && !part.hint.is_empty());
    }
    let mut lab = Lab::start("none");
    let d = lab.open();
    d.windows(&ctx()).expect("a list");
    lab.server.0.kill().expect("killed");
    lab.server.0.wait().expect("reaped");
    no_display(d.windows(&ctx()));
    let number = lab.display.clone();
    lab.server = lab.spawn("Xvfb", &[&number, "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]);
    until("the display again", || d.windows(&ctx()).ok());
    let all = d.displays(&ctx()).expect("displays");
    assert_eq!((all[0].bounds.w, all[0].bounds.h), (640, 480));
}

#[test]
fn a_server_that_stopped_costs_the_deadline() {
    let lab = Lab::start("none");
    let d = lab.open();
    d.windows(&ctx()).expect("a list");
    let pid = lab.server.pid().to_string();
    let signal = |name: &str| assert!(Command::new("kill").args([name, &pid]).status().expect("kill").success());
    signal("-STOP");
    let at = Instant::now();
    let got = d.windows(&Ctx::lasting(Duration::from_millis(400)));
    assert!(matches!(got, Err(DesktopError::Timeout | DesktopError::NoDisplay(_))), "{got:?}");
    assert!(at.elapsed() < Duration::from_secs(4), "{:?}", at.elapsed());
    signal("-CONT");
    until("an answer", || d.windows(&ctx()).ok());
}

fn wait_for(events: &mut dyn Events, what: &str, mut want: impl FnMut(&Event) -> bool) -> Event {
    until(what, || events.next(Duration::from_millis(50)).filter(&mut want))
}

#[test]
fn windows_focus_paint_and_people_are_heard() {
    let lab = Lab::start("openbox --sm-disable");
    let d = lab.open();
    let filter = EventFilter { windows: true, focus: true, ..EventFilter::default() };
    let mut events = d.events(&ctx(), filter).expect("a stream");
    let app = lab.window("tk", "heard", "#336699", "200,150,60,60");
    let w = titled(&*d, "heard");
    let ev = &mut *events;
    // A window may be seen before it is managed: what counts is that its coming was told.
    wait_for(ev, "its coming", |e| *e == Event::WindowOpened(w.id));
    wait_for(ev, "its focus", |e| *e == Event::FocusMoved(Some(w.id)));
    d.place(&ctx(), w.id, Placement::Bounds(Rect::new(120, 130, 260, 180))).expect("placed");
    wait_for(ev, "its change", |e| *e == Event::WindowChanged(w.id));

    let mut painted = d.events(&ctx(), EventFilter { painted: Some(w.id), ..EventFilter::default() }).expect("a stream");
    while painted.next(Duration::from_millis(400)).is_some() {}
    d.place(&ctx(), w.id, Placement::Bounds(Rect::new(120, 130, 280, 200))).expect("placed");
    wait_for(&mut *painted, "paint", |e| matches!(e, Event::Painted { window, .. } if *window == w.id));

    let mut people = d.events(&ctx(), EventFilter { human: true, pointer: true, ..EventFilter::default() }).expect("a stream");
    lab.tool("xdotool", &["mousemove", "200", "210"]);
    wait_for(&mut *people, "the pointer", |e| matches!(e, Event::PointerMoved { at, agent: false } if (at.x, at.y) == (200, 210)));
    lab.tool("xdotool", &["click", "1"]);
    wait_for(&mut *people, "the button", |e| matches!(e, Event::HumanInput { what: "button", .. }));
    lab.tool("xdotool", &["key", "a"]);
    wait_for(&mut *people, "the key", |e| matches!(e, Event::HumanInput { what: "key", .. }));
    drop(app);
    wait_for(&mut *events, "its end", |e| *e == Event::WindowClosed(w.id));
}

fn probe(file: &Path, args: &[&str]) -> String {
    let out = Command::new("ffprobe").args(["-v", "error"]).args(args).arg(file).output().expect("ffprobe");
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

#[test]
fn a_video_is_whole_even_sized_and_knows_its_first_frame() {
    let lab = Lab::with("none", &["-screen", "0", "401x301x24"]);
    let d = lab.open();
    let file = lab.home.join("a.mp4");
    let asked = Instant::now();
    let video = d.video(&ctx(), &VideoRequest { path: file.clone(), fps: 30 }).expect("a video");
    let first = video.first_frame().expect("measured");
    assert!(first >= asked && first <= Instant::now());
    assert_eq!((video.size().w, video.size().h), (400, 300));
    // A flash at a known time is in the frame of that time.
    std::thread::sleep(Duration::from_millis(800));
    let from = first.elapsed().as_secs_f64();
    lab.tool("xsetroot", &["-solid", "#ffffff"]);
    let to = first.elapsed().as_secs_f64();
    std::thread::sleep(Duration::from_millis(700));
    video.stop(&ctx()).expect("stopped");
    assert_eq!(probe(&file, &["-select_streams", "v", "-show_entries", "stream=width,height,avg_frame_rate", "-of", "csv=p=0"]), "400,300,30/1");
    let rows = Command::new("ffmpeg")
        .args(["-v", "error", "-i", &file.display().to_string(), "-vf", "scale=1:1", "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        .output()
        .expect("decoded")
        .stdout;
    let lit = rows.iter().position(|v| *v > 200).expect("the flash is in the video");
    let seen = lit as f64 / 30.0;
    assert!(seen > from - 0.1 && seen < to + 0.1, "seen at {seen:.3} s, shown from {from:.3} to {to:.3} s");
}

/// The process that writes a video to this file.
fn writer(file: &Path) -> Option<u32> {
    let file = file.display().to_string();
    let pids = fs::read_dir("/proc").expect("proc").flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let ffmpeg = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.starts_with(b"/usr/bin/ffmpeg") && String::from_utf8_lossy(&line).contains(&file)
    };
    pids.into_iter().find(ffmpeg)
}

const CHILD: &str = "CUA_TEST_VIDEO";

/// Runs itself once more as the process that is killed.
#[test]
fn a_video_dies_with_its_process_and_can_be_played() {
    if let Ok(file) = std::env::var(CHILD) {
        let d = linux::open(linux::Options { display: std::env::var("DISPLAY").ok(), guardian: None });
        let video = d.video(&ctx(), &VideoRequest { path: file.into(), fps: 30 }).expect("a video");
        std::thread::sleep(Duration::from_secs(60));
        drop(video);
        return;
    }
    let lab = Lab::with("none", &["-screen", "0", "320x200x24"]);
    let file = lab.home.join("c.mp4");
    let mut driver = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "a_video_dies_with_its_process_and_can_be_played"])
        .env("DISPLAY", &lab.display)
        .env(CHILD, &file)
        .spawn()
        .expect("starts");
    until("frames", || fs::metadata(&file).ok().filter(|m| m.len() > 4000));
    driver.kill().expect("killed");
    driver.wait().expect("reaped");
    until("the end of ffmpeg", || writer(&file).is_none().then_some(()));
    let seconds: f64 = probe(&file, &["-show_entries", "format=duration", "-of", "csv=p=0"]).parse().expect("a duration");
    assert!(seconds > 0.2, "{seconds} s can be played");
}

#[test]
fn an_encoder_that_dies_is_noticed_and_no_file_of_others_is_touched() {
    let lab = Lab::start("none");
    let d = lab.open();
    let request = |name: &str| VideoRequest { path: lab.home.join(name), fps: 30 };
    let there = request("there.mp4");
    fs::write(&there.path, "mine").expect("written");
    assert!(d.video(&ctx(), &there).is_err());
    assert_eq!(fs::read_to_string(&there.path).expect("read"), "mine", "another's file is left alone");
    let nowhere = VideoRequest { path: PathBuf::from("/nonexistent/a.mp4"), fps: 30 };
    assert!(d.video(&ctx(), &nowhere).is_err());
    let video = d.video(&ctx(), &request("b.mp4")).expect("a video");
    assert_eq!(video.failed(), None);
    let ffmpeg = writer(&lab.home.join("b.mp4")).expect("the child");
    assert!(Command::new("kill").args(["-9", &ffmpeg.to_string()]).status().expect("kill").success());
    until("the reason", || video.failed());
    assert!(probe(&lab.home.join("b.mp4"), &["-show_entries", "format=format_name", "-of", "csv=p=0"]).contains("mp4"));
}
