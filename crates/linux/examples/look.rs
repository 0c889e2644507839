//! Prints windows, displays and focus, and how long looking takes.
//!
//! `look` prints; `look shot ID FILE.ppm` keeps a picture; `look time [N]` measures;
//! `look video FILE` records two seconds; `look place WHAT ID [X Y W H]` places a window.

use std::io::Write as _;
use std::time::{Duration, Instant};

use desktop::{Ctx, Desktop, Placement, Rect, Source, WindowId};

fn ctx() -> Ctx {
    Ctx::lasting(Duration::from_secs(5))
}

fn main() {
    let d = linux::open(linux::Options { display: std::env::var("DISPLAY").ok(), guardian: None });
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    match args.first().map(String::as_str) {
        Some("shot") => shot(&*d, &args),
        Some("time") => time(&*d, number(1).unwrap_or(200) as usize),
        Some("video") => {
            let at = Instant::now();
            let request = desktop::VideoRequest { path: args[1].clone().into(), fps: 30 };
            match d.video(&ctx(), &request) {
                Ok(v) => {
                    let first = v.first_frame().map(|f| f - at);
                    println!("begun after {:?}, first frame after {first:?}", at.elapsed());
                    std::thread::sleep(Duration::from_secs(2));
                    let at = Instant::now();
                    println!("{:?} in {:?}", v.stop(&ctx()), at.elapsed());
                }
                Err(e) => println!("{e}"),
            }
        }
        Some("place") => {
            let id = WindowId(number(2).unwrap_or(0));
            let n = |i| number(i).unwrap_or(0);
            let placement = match args[1].as_str() {
                "min" => Placement::Minimize,
                "restore" => Placement::Restore,
                "max" => Placement::Maximize,
                "close" => Placement::Close,
                "activate" => Placement::Activate,
                "back" => Placement::GiveBack,
                _ => Placement::Bounds(Rect::new(n(3) as i32, n(4) as i32, n(5) as u32, n(6) as u32)),
            };
            let at = Instant::now();
            println!("{:?} in {:?}", d.place(&ctx(), id, placement), at.elapsed());
            println!("{:#?}", d.window(&ctx(), id));
        }
        _ => print(&*d),
    }
}

fn print(d: &dyn Desktop) {
    println!("{:?}", d.displays(&ctx()));
    match d.windows(&ctx()) {
        Ok(windows) => {
            for w in windows {
                println!(
                    "{} z={:?} pid={:?} {:?} {:?} {:?} {} {:?} owner={:?} on={} min={} act={} scale={} birth={:x}",
                    w.id, w.z, w.pid.map(|p| p.0), w.app_name, w.app_id, w.kind, w.title, w.bounds, w.owner.map(|o| o.0),
                    w.on_screen, w.minimized, w.active, w.scale, w.birth
                );
            }
        }
        Err(e) => println!("windows: {e}"),
    }
    println!("{:?} pointer {:?}", d.focus(&ctx()), d.pointer(&ctx()));
}

fn shot(d: &dyn Desktop, args: &[String]) {
    let source = match args[1].parse() {
        Ok(0) | Err(_) => Source::Display(None),
        Ok(id) => Source::Window(WindowId(id)),
    };
    match d.capture(&ctx(), &source) {
        Ok(p) => {
            let mut out = format!("P6 {} {} 255\n", p.size.w, p.size.h).into_bytes();
            out.extend(p.bgrx.chunks_exact(4).flat_map(|c| [c[2], c[1], c[0]]));
            let kept = std::fs::File::create(&args[2]).and_then(|mut f| f.write_all(&out));
            println!("{p:?} real {:?} {kept:?}", p.real);
        }
        Err(e) => println!("{e}"),
    }
}

fn time(d: &dyn Desktop, n: usize) {
    let windows = d.windows(&ctx()).unwrap_or_default();
    let mut measure = |what: &str, work: &mut dyn FnMut()| {
        let mut took: Vec<Duration> = (0..n)
            .map(|_| {
                let at = Instant::now();
                work();
                at.elapsed()
            })
            .collect();
        took.sort();
        println!("{what:28} p50 {:?} p95 {:?} max {:?}", took[n / 2], took[n * 95 / 100], took[n - 1]);
    };
    measure(&format!("windows ({})", windows.len()), &mut || drop(d.windows(&ctx())));
    measure("focus", &mut || drop(d.focus(&ctx())));
    measure("desktop picture", &mut || drop(d.capture(&ctx(), &Source::Display(None))));
    if let Some(w) = windows.iter().rev().find(|w| w.on_screen) {
        measure(&format!("picture of {:?}", w.bounds), &mut || drop(d.capture(&ctx(), &Source::Window(w.id))));
    }
}
