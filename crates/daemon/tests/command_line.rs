//! The command line without a daemon: help, usage, suggestions, completions.

#[allow(dead_code)]
mod support;

use support::{World, err, out};

#[test]
fn wrong_lines_exit_2_with_the_nearest() {
    let world = World::new();
    for (args, part) in [
        (&["statsu"][..], "status"),
        (&["call"], "TOOL is missing"),
        (&["call", "clik", "{}"], "click"),
        (&["call", "click", "--windw-id", "3"], "--windw-id"),
        (&["call", "click", "{\"pid\":1,\"windw_id\":2}"], "window_id"),
        (&["call", "click", "windw_id=2"], "window_id"),
        (&["call", "click", "pid=x"], "a whole number"),
        (&["call", "get_screen_size", "{pid: 12,}"], "{pid: 12,}"),
        (&["call", "get_screen_size", "@/nonexistent.json"], "/nonexistent.json"),
        (&["call", "get_screen_size", "{}", "--jsn"], "--json"),
        (&["status", "--bogus"], "--bogus"),
        (&["status", "now"], "takes no"),
        (&["serve", "--display", "virtual:1x1"], "virtual"),
        (&["serve", "--log", "xml"], "json"),
        (&["recording", "strat", "x"], "start"),
        (&["completions", "tcl"], "bash"),
        (&["--hlep"], "--help"),
        (&["\u{1b}[2J\u{202e}\u{9b}1m"], "\\u001b[2J\\u202e\\u009b1m"),
        (&["click", "--\u{1b}[2J", "1"], "\\u001b[2J"),
    ] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
        assert!(err(&output).contains(part), "{args:?}: {}", err(&output));
        assert!(!err(&output).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn help_needs_no_daemon_and_each_has_its_own() {
    let world = World::new();
    let general = out(&world.run(&["--help"]));
    for args in [
        &["serve", "--help"][..],
        &["call", "--help"],
        &["call", "click", "--help"],
        &["click", "--help"],
        &["help", "type_text"],
        &["mcp", "--help"],
        &["recording", "--help"],
        &["recording", "render", "--help"],
        &["trajectory", "diff", "--help"],
        &["doctor", "-h"],
    ] {
        let output = world.run(args);
        assert!(output.status.success(), "{args:?}");
        assert!(out(&output).contains("cua-driver") && out(&output) != general && err(&output).is_empty(), "{args:?}");
    }
    assert!(out(&world.run(&["call", "click", "--help"])).contains("element_token"));
}

#[test]
fn json_is_one_line_of_every_command() {
    let world = World::new();
    for (args, exit, part) in [
        (&["version", "--json"][..], 0, "version"),
        (&["--version", "--json"], 0, "version"),
        (&["help", "--json"], 0, "commands"),
        (&["--help", "--json"], 0, "commands"),
        (&["help", "serve", "--json"], 0, "flags"),
        (&["serve", "--help", "--json"], 0, "flags"),
        (&["mcp", "--help", "--json"], 0, "flags"),
        (&["help", "click", "--json"], 0, "input_schema"),
        (&["click", "--help", "--json"], 0, "input_schema"),
        (&["completions", "bash", "--json"], 0, "script"),
        (&["tools", "--json"], 0, "tools"),
        (&["stop", "--json"], 3, "driver_unreachable"),
        (&["status", "--json"], 3, "driver_unreachable"),
        (&["get_screen_size", "--json"], 3, "driver_unreachable"),
        (&["recording", "status", "--json"], 3, "driver_unreachable"),
        (&["completions", "tcl", "--json"], 2, "invalid_arguments"),
        (&["statsu", "--json"], 2, "invalid_arguments"),
        (&["--json"], 2, "invalid_arguments"),
        (&["call", "click", "{", "--json"], 2, "invalid_arguments"),
    ] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(exit), "{args:?}: {}", err(&output));
        assert!(err(&output).is_empty(), "{args:?}: {}", err(&output));
        let text = out(&output);
        assert_eq!(text.trim_end().lines().count(), 1, "{args:?}: {text}");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(value.get(part).is_some() || value["code"] == part, "{args:?}: {text}");
    }
}

#[test]
fn a_pipe_that_is_left_open_is_not_waited_for() {
    let world = World::new();
    let mut command = world.program(&["call", "get_screen_size"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("runs");
    let ended = support::until(|| child.try_wait().expect("child").is_some());
    let _ = child.kill();
    let status = child.wait().expect("child");
    assert!(ended);
    assert_eq!(status.code(), Some(3));
}

#[test]
fn completions_are_scripts_of_their_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&world.run(&["completions", shell]));
        assert!(script.contains("recording") && script.contains("get_window_state"), "{shell}");
        let checked =
            std::process::Command::new(shell).args(["-n", "/dev/stdin"]).stdin(std::process::Stdio::piped()).spawn();
        // A shell that is not installed cannot read its script here.
        if let Ok(mut child) = checked {
            let mut stdin = child.stdin.take().expect("stdin");
            std::io::Write::write_all(&mut stdin, script.as_bytes()).expect("written");
            drop(stdin);
            assert!(child.wait().expect("child").success(), "{shell}");
        }
    }
}

#[test]
fn bash_offers_what_may_come_next() {
    let world = World::new();
    let script = out(&world.run(&["completions", "bash"]));
    for (line, some, not) in [
        (&["clip"][..], "clipboard_read", "click"),
        (&["recording", ""], "start", "--window-id"),
        (&["config", ""], "reset", "--window-id"),
        (&["click", "--"], "--window-id", "--shell"),
        (&["zoom", "--im"], "--image-out", "--image-path"),
        (&["call", "cl"], "click", "--window-id"),
        (&["call", "click", "--"], "--element-token", "--shell"),
        (&["completions", ""], "fish", "click"),
    ] {
        let ask = format!(
            "{script}\nCOMP_WORDS=(cua-driver {}); COMP_CWORD={}; _cua_driver; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            line.len()
        );
        let bash = std::process::Command::new("bash").args(["-c", &ask]).output().expect("bash");
        let text = out(&bash);
        let offered: Vec<&str> = text.lines().collect();
        assert!(offered.contains(&some) && !offered.contains(&not), "{line:?}: {offered:?} {}", err(&bash));
    }
}

#[test]
fn without_node_a_command_says_what_to_install() {
    let world = World::new();
    let output = world.program(&["config", "show"]).env("PATH", world.path("home")).output().expect("runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("`config` needs") && err(&output).contains("install"), "{}", err(&output));
}

#[test]
fn an_argument_of_the_tool_goes_before_a_switch_of_the_same_name() {
    let world = World::new();
    for args in [
        &["type_text", "--window-id", "1", "--text", "Grüße"][..],
        &["type_text", "--text", "--json", "--window-id", "1"],
        &["call", "clipboard_write", "--text", "a b"],
        &["call", "--text", "list_windows"],
        &["call", "list_windows", "--text"],
    ] {
        let output = world.run(args);
        // Nothing is wrong with the line: only the driver is missing.
        assert_eq!(output.status.code(), Some(3), "{args:?}: {}", err(&output));
    }
}

#[test]
fn what_is_not_text_or_too_much_is_told() {
    let world = World::new();
    let word = std::os::unix::ffi::OsStringExt::from_vec(b"text=\xff\xfe".to_vec());
    let word: std::ffi::OsString = word;
    let strange = world.program(&["type_text", "window_id=1"]).arg(word).output().expect("runs");
    assert_eq!(strange.status.code(), Some(2));
    assert!(err(&strange).contains("not UTF-8"), "{}", err(&strange));
    let (large, bytes) = (world.path("large"), world.path("bytes"));
    std::fs::write(&large, " ".repeat((32 << 20) + 1)).expect("written");
    std::fs::write(&bytes, b"{\xff}").expect("written");
    for (file, part) in [(large, "more than 32 MiB"), (bytes, "not UTF-8")] {
        let named = world.run(&["list_windows", &format!("@{}", file.display())]);
        let mut piped = world.program(&["list_windows", "-"]);
        piped.stdin(std::fs::File::open(&file).expect("file"));
        for output in [named, piped.output().expect("runs")] {
            assert_eq!(output.status.code(), Some(2), "{}", err(&output));
            assert!(err(&output).contains(part) && err(&output).len() < 1000, "{}", err(&output));
        }
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let world = World::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = world.program(&["tools"]).stdout(full).output().expect("runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("standard output"), "{}", err(&output));
}
