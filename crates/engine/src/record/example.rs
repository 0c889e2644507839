//! One recording in the words of its types, published with the schema.

use serde_json::{Value, json};

use super::types::*;

/// The example of `proto/trajectory.json`.
pub fn files() -> Value {
    json!({
        "session": session(), "event": Line::TurnBegun { turn: 1, t_ms: 812, tool: "click".into() }, "action": action(),
        "state": state(), "evidence": evidence(), "redacted": Redacted { redacted: true, name: "password".into() },
    })
}

fn session() -> Session {
    Session {
        schema: SCHEMA.into(),
        schema_version: SCHEMA_VERSION,
        trajectory_id: "0193a1f2-7c00-7000-8000-000000000001".into(),
        actor: Actor::AgentActs,
        driver: Driver { name: "cua-driver".into(), version: "0.1.0".into() },
        os: Os { platform: "linux".into(), backend: "x11".into(), arch: "x86_64".into() },
        display: Some(Screen { name: ":1".into(), width: 1280, height: 800, scale: 1.0 }),
        started_at: "2026-01-01T09:00:00.000Z".into(),
        ended_at: Some("2026-01-01T09:00:05.000Z".into()),
        end_reason: Some(EndReason::Stopped),
        session: "cli".into(),
        settings: Settings {
            record_video: true,
            video_fps: 30,
            sessions: Whose::Own,
            record_clipboard: false,
            max_turns: 10_000,
            max_bytes: 2 << 30,
            max_minutes: 120,
        },
        turns: 1,
        others_not_recorded: 0,
        lost_turns: Default::default(),
        bytes: 40_960,
        video: Some(video()),
        videos: vec![video()],
        parts: vec![Part {
            started_at: "2026-01-01T09:00:00.000Z".into(),
            ended_at: Some("2026-01-01T09:00:05.000Z".into()),
            end_reason: Some(EndReason::Stopped),
            start_ms: 0,
            first_turn: 1,
            leftovers: vec![],
        }],
        last_error: None,
    }
}

fn video() -> VideoFile {
    VideoFile {
        path: "recording.mp4".into(),
        fps: 30,
        size: [1280, 800],
        start_ms: Some(310),
        end_ms: Some(4990),
        error: None,
        masking: Masking::None,
    }
}

fn action() -> Action {
    Action {
        tool: "click".into(),
        arguments: serde_json::from_value(json!({"element_token": "s1a2b3c4d:3"})).unwrap_or_default(),
        session: "cli".into(),
        pid: Some(4242),
        window_id: Some(4_194_307),
        target: Some(target()),
        outcome: Outcome::Done,
        result: json!({"effect": "confirmed", "route": "accessibility", "delivery": {"mode": "background"}, "evidence": [{"kind": "window_change"}]}),
        click_point: Some(ClickPoint { x: 29.0, y: 48.0, space: Space::Window, picture: "before.png".into(), window_origin: At { x: 100, y: 80 } }),
        timestamp: "2026-01-01T09:00:00.812Z".into(),
        t_start_ms: 812,
        t_end_ms: 905,
        secrets: vec![],
    }
}

fn target() -> Target {
    Target {
        addressed: Addressed::Element,
        app: Some(AppTarget { name: "Ledger".into(), desktop_id: None, executable: Some("/usr/bin/ledger".into()), wm_class: Some("Ledger".into()), wm_instance: Some("ledger".into()) }),
        window: Some(WindowTarget {
            title: "Ledger".into(),
            role: None,
            kind: "normal".into(),
            size: Extent { width: 420, height: 560 },
            origin: At { x: 100, y: 80 },
            index: 0,
            of: 1,
            unique: true,
        }),
        element: Some(ElementTarget {
            role: "button".into(),
            raw_role: "push button".into(),
            name: "Add".into(),
            has_value: false,
            showing: true,
            automation_id: None,
            path: vec![Step { role: "generic".into(), name: String::new() }],
            neighbours: Neighbours::default(),
            unique: Unique { automation_id: false, path: true, role_name: true, neighbours: false },
        }),
        point: Some(PointTarget {
            window: Offset { x: 29, y: 48, width: 420, height: 560 },
            element: Some(Offset { x: 29, y: 16, width: 58, height: 32 }),
        }),
        to: None,
        scale: Some(1.0),
    }
}

fn state() -> State {
    State {
        pid: Some(4242),
        window_id: Some(4_194_307),
        title: "Ledger".into(),
        bounds: Some(Bounds { x: 100, y: 80, width: 420, height: 560 }),
        element_count: 1,
        elements_complete: true,
        degraded_reason: None,
        tree_markdown: "- window \"Ledger\"\n  - [3] button \"Add\"\n".into(),
        elements: vec![Element {
            element_index: 3,
            role: "button".into(),
            label: "Add".into(),
            frame: Some(Frame { x: 100, y: 112, w: 58, h: 32 }),
            ..Element::default()
        }],
    }
}

fn evidence() -> Evidence {
    Evidence {
        before: Proof::captured(),
        before_state: Proof::captured(),
        screenshot: Proof::captured(),
        app_state: Proof::captured(),
        click: Proof::captured(),
        unsettled: false,
    }
}
