//! A daemon's life, with real processes: one at a time, stale and busy sockets, its ends.

#[allow(dead_code)]
mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::{Signal, kill_process};
use support::{World, err, exists, out, until};

#[test]
fn it_serves_and_stops() {
    let mut world = World::new();
    let none = world.run(&["stop"]);
    assert_eq!(none.status.code(), Some(3));
    assert!(err(&none).contains("cua-driver serve"), "{}", err(&none));
    let daemon = world.serve(&[]);
    let status: serde_json::Value = serde_json::from_str(&out(&world.run(&["status", "--json"]))).expect("JSON");
    assert_eq!(status["pid"], world.child(daemon).id());
    assert_eq!(status["socket"], world.socket().display().to_string());
    let socket = fs::symlink_metadata(world.socket()).expect("a socket");
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
    let directory = fs::metadata(world.path("run/cua-driver")).expect("a directory");
    assert_eq!(directory.permissions().mode() & 0o777, 0o700);
    assert!(world.run(&["stop"]).status.success());
    assert!(world.ended(daemon));
    assert!(!exists(&world.socket()));
    assert_eq!(world.run(&["status"]).status.code(), Some(3));
}

#[test]
fn of_ten_started_at_once_one_runs() {
    let mut world = World::new();
    let all: Vec<usize> = (0..10).map(|_| world.spawn(&["serve"])).collect();
    assert!(until(|| world.run(&["status"]).status.success()));
    assert!(until(|| all.iter().filter(|at| world.child(**at).try_wait().expect("child").is_some()).count() == 9));
    let mut told = 0;
    for at in all {
        if let Some(status) = world.child(at).try_wait().expect("child") {
            let mut text = String::new();
            let mut pipe = world.child(at).stderr.take().expect("stderr");
            std::io::Read::read_to_string(&mut pipe, &mut text).expect("text");
            assert!(!status.success() && text.contains("already running (pid"), "{text}");
            told += 1;
        }
    }
    assert_eq!(told, 9);
}

#[test]
fn after_kill_9_the_next_one_just_starts() {
    let mut world = World::new();
    let first = world.serve(&[]);
    kill_process(world.pid(first), Signal::KILL).expect("kill");
    assert!(world.ended(first));
    assert!(exists(&world.socket()), "the dead one's socket is left");
    assert_eq!(world.run(&["status"]).status.code(), Some(3));
    let second = world.serve(&[]);
    assert!(world.child(second).try_wait().expect("child").is_none());
}

#[test]
fn a_stopped_one_is_not_taken_for_dead() {
    let mut world = World::new();
    let first = world.serve(&[]);
    let inode = fs::symlink_metadata(world.socket()).expect("socket").ino();
    kill_process(world.pid(first), Signal::STOP).expect("stop");
    let second = world.run(&["serve"]);
    let status = world.run(&["status", "--timeout", "1"]);
    kill_process(world.pid(first), Signal::CONT).expect("continue");
    assert_eq!(second.status.code(), Some(1));
    assert!(err(&second).contains("already running"), "{}", err(&second));
    assert_eq!(status.status.code(), Some(3));
    assert!(err(&status).contains("does not answer"), "{}", err(&status));
    assert_eq!(fs::symlink_metadata(world.socket()).expect("socket").ino(), inode);
    assert!(world.run(&["status"]).status.success());
}

#[test]
fn a_file_in_the_sockets_place_is_left_alone() {
    let world = World::new();
    host::private_dir(&world.path("run/cua-driver")).expect("dir");
    fs::write(world.socket(), "precious").expect("file");
    let served = world.run(&["serve"]);
    assert_eq!(served.status.code(), Some(1));
    assert!(err(&served).contains("not a socket"), "{}", err(&served));
    assert_eq!(fs::read_to_string(world.socket()).expect("file"), "precious");
    assert!(!exists(&world.socket().with_extension("lock")), "nothing is left beside it");
    let status = world.run(&["status"]);
    assert_eq!(status.status.code(), Some(3));
    assert!(err(&status).contains("not a socket"), "{}", err(&status));
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let mut world = World::new();
    let pipe = |path: &std::path::Path| {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("pipe");
    };
    let config = world.path("home/.config/cua-driver");
    fs::create_dir_all(&config).expect("dir");
    pipe(&config.join("config.json"));
    pipe(&config.join("secrets.json"));
    world.serve(&[]);
    for (args, code) in [
        (&["call", "get_config", "--timeout", "5"][..], 0),
        (&["call", "set_config", "max_image_dimension=5", "--timeout", "5"], 1),
    ] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", err(&output));
        assert!(!err(&output).contains("timeout"), "{}", err(&output));
    }
    assert!(world.run(&["stop"]).status.success());
    host::private_dir(&world.path("run/cua-driver")).expect("dir");
    let lock = world.socket().with_extension("lock");
    fs::remove_file(&lock).expect("the lock's file");
    pipe(&lock);
    for (verb, code) in [("serve", 1), ("stop", 3), ("status", 3)] {
        let output = world.run(&[verb]);
        assert_eq!(output.status.code(), Some(code), "{verb}: {}", err(&output));
    }
}

#[test]
fn signals_end_it_and_clear_the_socket_away() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut world = World::new();
        let daemon = world.serve(&[]);
        kill_process(world.pid(daemon), signal).expect("signal");
        assert!(world.ended(daemon));
        assert_eq!(world.child(daemon).wait().expect("child").code(), Some(0));
        assert!(!exists(&world.socket()));
    }
}

#[test]
fn it_ends_when_idle_only_when_asked() {
    let mut world = World::new();
    let daemon = world.serve(&["--idle-exit", "0.5"]);
    assert!(world.ended(daemon));
    assert_eq!(world.child(daemon).wait().expect("child").code(), Some(0));
}

#[test]
fn without_a_display_the_tools_say_so_and_garbage_harms_nobody() {
    let mut world = World::new();
    let daemon = world.serve(&[]);
    for _ in 0..20 {
        let mut stream = UnixStream::connect(world.socket()).expect("connect");
        let _ =
            std::io::Write::write_all(&mut stream, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\x00\x01garbage");
    }
    let refused = world.run(&["call", "list_windows", "{}", "--json"]);
    assert_eq!(refused.status.code(), Some(1), "{}", err(&refused));
    let envelope: serde_json::Value = serde_json::from_str(&out(&refused)).expect("an envelope");
    assert_eq!(envelope["code"], "no_display");
    assert!(world.child(daemon).try_wait().expect("child").is_none());
}

#[test]
fn without_a_runtime_directory_the_socket_is_still_private() {
    let world = World::new();
    let mut serve = world.program(&["serve"]);
    serve.env_remove("XDG_RUNTIME_DIR").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = serve.spawn().expect("serve");
    let dir = world.path("tmp").join(format!("cua-driver-{}", rustix::process::geteuid().as_raw()));
    let up =
        until(|| world.program(&["status"]).env_remove("XDG_RUNTIME_DIR").output().expect("runs").status.success());
    let mode = fs::metadata(&dir).map(|meta| meta.permissions().mode() & 0o777);
    let _ = child.kill();
    let _ = child.wait();
    assert!(up);
    assert_eq!(mode.expect("a directory"), 0o700);
}

#[test]
fn a_client_of_another_version_is_told_both() {
    let mut world = World::new();
    let twin = world.path("twin");
    let text = fs::read(env!("CARGO_BIN_EXE_cua-driver")).expect("the program");
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), format!("9{}", &env!("CARGO_PKG_VERSION")[1..]));
    let mut bytes = text.clone();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(ours.len()).position(|window| window == ours.as_bytes()) {
        bytes[at + found..at + found + ours.len()].copy_from_slice(theirs.as_bytes());
        at += found + ours.len();
    }
    fs::write(&twin, bytes).expect("twin");
    fs::set_permissions(&twin, fs::Permissions::from_mode(0o755)).expect("mode");
    let daemon = world.serve(&[]);
    let mut client = std::process::Command::new(&twin);
    client.args(["call", "get_screen_size"]).env_clear().env("XDG_RUNTIME_DIR", world.path("run"));
    let answer = client.output().expect("runs");
    assert_eq!(answer.status.code(), Some(1));
    assert!(err(&answer).contains(ours) && err(&answer).contains(&theirs), "{}", err(&answer));
    assert!(world.child(daemon).try_wait().expect("child").is_none());
}

#[test]
fn one_for_clients_ends_after_the_last() {
    let mut world = World::new();
    let daemon = world.serve(&["--for-clients"]);
    assert_eq!(world.run(&["call", "list_sessions", "{}"]).status.code(), Some(0));
    assert!(world.ended(daemon));
    assert_eq!(world.child(daemon).wait().expect("child").code(), Some(0));
}

#[test]
fn another_display_is_refused_and_several_daemons_are_listed() {
    let mut world = World::new();
    for display in [":9071", ":9072"] {
        let mut serve = world.program(&["serve", "--no-overlay", "--no-permissions-gate"]);
        let child = serve.env("DISPLAY", display).stderr(Stdio::null()).stdout(Stdio::null()).spawn();
        world.adopt(child.expect("serve"));
        assert!(until(|| world.program(&["status"]).env("DISPLAY", display).output().expect("runs").status.success()));
    }
    let listed = world.run(&["call", "get_screen_size"]);
    assert_eq!(listed.status.code(), Some(1));
    assert!(err(&listed).contains("x11-9071.sock") && err(&listed).contains("x11-9072.sock"), "{}", err(&listed));
    let socket = world.path("run/cua-driver/x11-9071.sock").display().to_string();
    let mut other = world.program(&["call", "get_screen_size", "--socket", &socket]);
    let other = other.env("DISPLAY", ":9072").output().expect("runs");
    assert_eq!(other.status.code(), Some(1));
    assert!(err(&other).contains("serves display :9071"), "{}", err(&other));
    let named = world.run(&["call", "list_sessions", "--socket", &socket, "--json"]);
    assert!(named.status.success(), "{}", err(&named));
}

#[test]
fn the_log_is_json_when_asked() {
    let mut world = World::new();
    let daemon = world.serve(&["--log", "json", "--log-level", "debug"]);
    assert!(world.run(&["stop"]).status.success());
    assert!(world.ended(daemon));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut world.child(daemon).stderr.take().expect("stderr"), &mut text).expect("text");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(lines.iter().any(|line| line["message"] == "ending" && line["reason"] == "stopped"), "{text}");
}
