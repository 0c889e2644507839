//! Prints the accessible objects of a window: `tree TITLE|0xID [REPEAT]`, or does one thing to
//! one of them: `tree TITLE|0xID VERB ARGUMENTS`.
//! Without arguments it lists the windows.

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux_only::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux_only {
    use std::time::{Duration, Instant};

    use desktop::{Act, Ctx, Limits, NodeKey, Pid, Rect, Window, WindowId, WindowKind};
    use linux::atspi::Atspi;
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, MapState};
    use x11rb::rust_connection::RustConnection;

    type Res<T> = Result<T, Box<dyn std::error::Error>>;

    fn text(c: &RustConnection, w: u32, name: &str) -> Res<Vec<u8>> {
        let atom = c.intern_atom(false, name.as_bytes())?.reply()?.atom;
        Ok(c.get_property(false, w, atom, AtomEnum::ANY, 0, 4096)?.reply()?.value)
    }

    fn windows(c: &RustConnection, root: u32) -> Res<Vec<Window>> {
        let mut out = Vec::new();
        let mut todo = vec![root];
        while let Some(w) = todo.pop() {
            let kids = c.query_tree(w)?.reply()?.children;
            for k in kids {
                let Ok(attributes) = c.get_window_attributes(k)?.reply() else { continue };
                let pid = text(c, k, "_NET_WM_PID")?;
                if pid.len() < 4 {
                    todo.push(k);
                    continue;
                }
                if attributes.map_state != MapState::VIEWABLE {
                    continue;
                }
                let g = c.get_geometry(k)?.reply()?;
                let at = c.translate_coordinates(k, root, 0, 0)?.reply()?;
                let title = String::from_utf8_lossy(&text(c, k, "_NET_WM_NAME")?).into_owned();
                out.push(Window {
                    id: WindowId(u64::from(k)),
                    birth: 0,
                    pid: Some(Pid(u32::from_ne_bytes([pid[0], pid[1], pid[2], pid[3]]))),
                    app_name: String::new(),
                    app_id: None,
                    class: None,
                    instance: None,
                    title,
                    role: None,
                    bounds: Rect::new(
                        i32::from(at.dst_x),
                        i32::from(at.dst_y),
                        u32::from(g.width),
                        u32::from(g.height),
                    ),
                    kind: if attributes.override_redirect { WindowKind::Popup } else { WindowKind::Normal },
                    owner: None,
                    on_screen: true,
                    minimized: false,
                    active: false,
                    modal: false,
                    z: None,
                    scale: std::env::var("SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0),
                    workspace: None,
                });
            }
        }
        Ok(out)
    }

    /// `invoke KEY ACTION`, `set KEY TEXT`, `insert KEY TEXT [AT]`, `number KEY N`,
    /// `select CONTAINER CHILD`, `focus KEY`, `scroll KEY`, `read KEY`, `text KEY`, `focused`,
    /// `events SECONDS`.
    fn act(a11y: &Atspi, w: &Window, verb: &str, args: &[String]) -> Res<()> {
        let ctx = Ctx::lasting(Duration::from_secs(4));
        let word = |i: usize| args.get(i).cloned().unwrap_or_default();
        let key = |i: usize| NodeKey::new(&word(i));
        let node = key(0);
        let act = match verb {
            "invoke" => Act::Invoke { node, action: word(1) },
            "set" => Act::SetText { node, text: word(1) },
            "insert" => Act::InsertText { node, text: word(1), at: word(2).parse().ok() },
            "number" => Act::SetNumber { node, value: word(1).parse()? },
            "select" => Act::Select { container: node, child: key(1), on: true },
            "focus" => Act::Focus { node },
            "scroll" => Act::ScrollIntoView { node },
            "read" => {
                println!("{:#?}", a11y.read(&ctx, Some(w), &node));
                return Ok(());
            }
            "text" => {
                println!("{:?}", a11y.text(&ctx, &node));
                return Ok(());
            }
            "focused" => {
                println!("{:?}", a11y.focused_node(&ctx, w));
                return Ok(());
            }
            _ => {
                let until = Instant::now() + Duration::from_secs(word(0).parse().unwrap_or(5));
                let mut events = a11y.events(&ctx, w.pid)?;
                while let Some(left) = until.checked_duration_since(Instant::now()) {
                    if let Some(e) = events.next(left) {
                        println!("{e:?}");
                    }
                }
                return Ok(());
            }
        };
        let t = Instant::now();
        println!("{:?} {:.1} ms", a11y.perform(&ctx, &act), t.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }

    pub fn main() -> Res<()> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let (c, screen) = x11rb::connect(None)?;
        let all = windows(&c, c.setup().roots[screen].root)?;
        let Some(which) = args.first() else {
            for w in &all {
                println!("{:#x} pid {:?} {:?} {:?} {:?}", w.id.0, w.pid, w.title, w.bounds, w.kind);
            }
            return Ok(());
        };
        let id = which.strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok());
        let w = all.iter().find(|w| Some(w.id.0) == id || w.title == *which).ok_or("no such window")?;
        let a11y = Atspi::start();
        let bound = std::env::var("DEADLINE_MS").ok().and_then(|s| s.parse().ok()).unwrap_or(8000);
        let ctx = || Ctx::lasting(Duration::from_millis(bound));
        if let Some(verb) = args.get(1).filter(|v| v.parse::<u32>().is_err()) {
            return act(&a11y, w, verb, &args[2..]);
        }
        let repeat = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
        let mut times = Vec::new();
        let mut last = None;
        let mut calls = 0;
        for i in 0..repeat {
            if i == 1 {
                std::thread::sleep(Duration::from_millis(400));
            }
            let (t, before) = (Instant::now(), a11y.calls());
            last = Some(a11y.tree(&ctx(), w, &Limits::default())?);
            times.push(t.elapsed().as_secs_f64() * 1e3);
            calls = a11y.calls() - before;
        }
        let tree = last.ok_or("no run")?;
        let mut depth = vec![0usize; tree.nodes.len()];
        for (i, n) in tree.nodes.iter().enumerate() {
            depth[i] = n.parent.map_or(0, |p| depth[p] + 1);
            if repeat == 1 {
                println!(
                    "{}{} {:?} = {:?} {:?} {:?} st={:x} {:?} id={:?} e{} s{} n={} {}",
                    "  ".repeat(depth[i]),
                    n.raw_role,
                    n.name,
                    n.value,
                    n.range.map(|r| (r.min, r.max, r.now, r.step)),
                    n.actions,
                    n.states.0,
                    n.bounds,
                    n.automation_id,
                    u8::from(n.editable_text),
                    u8::from(n.selection),
                    n.child_count,
                    n.key
                );
            }
        }
        let first = times[0];
        times.sort_by(f64::total_cmp);
        println!(
            "{} nodes complete={} cut={:?} omitted={} empty={:?} first {:.1} ms median {:.1} ms min {:.1} ms calls {}",
            tree.nodes.len(),
            tree.complete,
            tree.cut,
            tree.omitted,
            tree.empty,
            first,
            times[times.len() / 2],
            times[0],
            calls
        );
        Ok(())
    }
}
