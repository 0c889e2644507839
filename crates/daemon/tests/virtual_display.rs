//! `serve --display virtual` with its real parts: doctor proves it, nothing is left over.

#[allow(dead_code)]
mod support;

use std::fs;

use rustix::process::{Signal, kill_process};
use support::{World, err, out, until};

/// Processes whose environment names this world's keeper directory.
fn left(world: &World) -> Vec<String> {
    let marker = world.path("run/cua-driver/virtual-").display().to_string();
    let entries = fs::read_dir("/proc").expect("proc").flatten();
    let pids = entries.map(|entry| entry.path()).filter(|path| path.join("environ").exists());
    pids.filter(|path| fs::read(path.join("environ")).is_ok_and(|env| String::from_utf8_lossy(&env).contains(&marker)))
        .map(|path| fs::read_to_string(path.join("comm")).unwrap_or_default())
        .collect()
}

fn missing() -> bool {
    std::process::Command::new("Xvfb").arg("-help").output().is_err()
}

#[test]
fn doctor_proves_it_and_both_ends_leave_nothing() {
    assert!(!missing(), "Xvfb is needed for this test: scripts/setup installs it");
    for signal in [Signal::TERM, Signal::KILL] {
        let mut world = World::new();
        let daemon = world.serve(&["--display", "virtual:800x600"]);
        let size = world.run(&["call", "get_screen_size", "{}", "--json"]);
        assert!(out(&size).contains("\"width\":800"), "{}{}", out(&size), err(&size));
        if signal == Signal::TERM {
            let doctor = world.run(&["doctor", "--json"]);
            let report: serde_json::Value = serde_json::from_str(&out(&doctor)).expect("JSON");
            assert!(doctor.status.success() && report["ok"] == true, "{report:#}");
        }
        assert!(!left(&world).is_empty());
        kill_process(world.pid(daemon), signal).expect("signal");
        assert!(world.ended(daemon));
        assert!(until(|| left(&world).is_empty()), "left over: {:?}", left(&world));
        assert!(until(|| !fs::read_dir(world.path("run/cua-driver"))
            .expect("dir")
            .flatten()
            .any(|entry| { entry.file_name().to_string_lossy().starts_with("virtual-") })));
    }
}
