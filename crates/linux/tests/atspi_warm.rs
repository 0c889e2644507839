//! Trees that are kept are never older than the question.

mod atspi_apps;
mod common;

use atspi_apps::{Shown, Stage};
use common::{ctx, until};
use desktop::{Limits, Node, States, Tree, Window};
use linux::atspi::{Atspi, Surroundings};

/// Somebody who has not read anything yet.
fn stranger(stage: &Stage) -> Atspi {
    let bus = format!("unix:path={}/bus", stage.lab.home.display());
    Atspi::start_in(Surroundings { session_bus: Some(bus), ..Surroundings::default() })
}

/// Where things out of view would be helps nobody.
fn in_view(mut tree: Tree) -> Tree {
    tree.nodes.iter_mut().filter(|n| !n.has(States::SHOWING)).for_each(|n| n.bounds = None);
    tree
}

fn read(a11y: &Atspi, window: &Window) -> Tree {
    a11y.tree(&ctx(), window, &Limits::default()).expect("a tree")
}

/// What differs, a line for each object.
fn differences(kept: &Tree, whole: &Tree) -> Vec<String> {
    let line = |n: &Node| {
        format!(
            "{} {:?} = {:?} {:?} {:?} {:?} {:?}",
            n.raw_role,
            n.name,
            n.value,
            n.range.map(|r| r.now),
            n.states,
            n.bounds,
            n.actions
        )
    };
    let (a, b): (Vec<_>, Vec<_>) = (kept.nodes.iter().map(line).collect(), whole.nodes.iter().map(line).collect());
    let only = |of: &[String], other: &[String], mark: &str| {
        of.iter().filter(|l| !other.contains(l)).map(|l| format!("{mark} {l}")).collect::<Vec<_>>()
    };
    let mut out = only(&a, &b, "kept:");
    out.extend(only(&b, &a, "now: "));
    if out.is_empty() && kept != whole {
        out.push("the order".into());
    }
    out
}

fn changing(stage: &Stage, version: &str) -> (Shown, Window, Vec<String>) {
    let app = stage.app("/usr/bin/python3", &["-u", "-c", include_str!("atspi_apps/changing.py"), version]);
    let changes = app.tells("changes ").split(',').map(str::to_owned).collect();
    until("the window's objects", || {
        let w = stage.window("Changing");
        let tree = read(&stage.a11y, &w);
        tree.nodes.iter().any(|n| n.name == "Row 3").then_some(())
    });
    // The window manager may still be placing it.
    until("a window at rest", || {
        let (a, b) = (stage.window("Changing"), read(&stranger(stage), &stage.window("Changing")));
        std::thread::sleep(std::time::Duration::from_millis(300));
        (a.bounds == stage.window("Changing").bounds && differences(&b, &read(&stranger(stage), &a)).is_empty())
            .then_some(())
    });
    let window = stage.window("Changing");
    (app, window, changes)
}

#[test]
fn a_change_is_seen_by_the_next_look() {
    let stage = Stage::start();
    for version in ["3.0", "4.0"] {
        let (app, window, changes) = changing(&stage, version);
        let mut wrong = Vec::new();
        for change in &changes {
            read(&stage.a11y, &window);
            app.forget();
            app.hears(change);
            app.says(&format!("done {change}"));
            // Toolkits lay things out a moment later: each look must be as good as a whole one then.
            for moment in 0..4 {
                let before = read(&stranger(&stage), &window);
                let kept = read(&stage.a11y, &window);
                let after = read(&stranger(&stage), &window);
                if before == after && kept != after {
                    wrong.push(format!("{version} {change} ({moment}): {:#?}", differences(&kept, &after)));
                }
                std::thread::sleep(std::time::Duration::from_millis(25));
            }
            let at_once = {
                app.forget();
                app.hears("nothing");
                app.says("done nothing");
                (read(&stage.a11y, &window), read(&stranger(&stage), &window))
            };
            if at_once.0 != at_once.1 {
                wrong.push(format!("{version} {change} (rest): {:#?}", differences(&at_once.0, &at_once.1)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Changes of all kinds, one after the other, forever.
const PAGE: &str = "<title>Page</title><body style='height:3000px'><p id=p>Words</p><button id=b>Press</button><a id=a href=#>Link</a>\
<label id=l for=n>Name</label><input id=n value=Ada><input type=checkbox id=c aria-label=Agree><input type=range id=r aria-label=Level value=30>\
<select id=s aria-label=Colour><option>red<option>green<option>blue</select><div id=d contenteditable aria-label=Rich>some text</div>\
<ul id=u><li>one<li>two<li>three</ul><div id=box></div><details id=e><summary>More</summary><button>inside</button></details>\
<script>const $ = (id) => document.getElementById(id); let k = 0; const changes = [\
() => $('p').textContent = 'Words ' + k, () => $('b').textContent = 'Press ' + k, () => $('b').disabled = !$('b').disabled,\
() => $('c').checked = !$('c').checked, () => $('n').value = 'Ada ' + k, () => $('r').value = k % 100, () => $('s').selectedIndex = k % 3,\
() => $('l').textContent = 'Name ' + k, () => $('d').textContent = 'text ' + k, () => $('u').append($('u').firstChild),\
() => $('box').innerHTML = '<button>New ' + k + '</button>', () => $('box').innerHTML = '', () => $('e').open = !$('e').open,\
() => $('a').style.display = $('a').style.display ? '' : 'none', () => $('b').style.marginLeft = k % 90 + 'px', () => scrollTo(0, k % 2 * 300),\
() => $('b').setAttribute('aria-label', 'Named ' + k), () => $('b').removeAttribute('aria-label'), () => $('b').setAttribute('aria-pressed', k % 2 == 0),\
() => $('n').required = !$('n').required, () => $('n').readOnly = !$('n').readOnly, () => $('b').title = 'tip ' + k, () => $('c').focus(), () => $('n').focus(),\
() => $('u').replaceWith($('u').cloneNode(true)), () => $('a').setAttribute('aria-expanded', k % 2 == 0), () => $('p').hidden = !$('p').hidden,\
() => $('n').setAttribute('aria-invalid', k % 2 == 0), () => $('u').setAttribute('aria-busy', k % 2 == 0), () => $('u').children[0].setAttribute('role', k % 2 ? 'option' : 'listitem'),\
]; setInterval(() => { k += 1; changes[k % changes.length](); }, 110);</script>";

#[test]
fn a_page_that_changes_is_never_told_from_earlier() {
    let stage = Stage::start();
    let _browser = stage.browser(PAGE, &["--force-renderer-accessibility"]);
    let window = stage.window("Page");
    until("the page's own objects", || {
        read(&stage.a11y, &window).nodes.iter().any(|n| n.name == "Agree").then_some(())
    });
    let (mut compared, mut wrong) = (0, Vec::new());
    let other = stranger(&stage);
    let whole = || {
        // A tree within other bounds is of no use, so that each of these is read whole.
        let limits = Limits { max_nodes: 5000 + unused(), ..Limits::default() };
        other.tree(&ctx(), &window, &limits).expect("a tree")
    };
    for _ in 0..500 {
        let (before, kept, after) = (in_view(whole()), in_view(read(&stage.a11y, &window)), in_view(whole()));
        if before == after {
            compared += 1;
            if kept != after {
                wrong.push(format!("{:#?}", differences(&kept, &after)));
            }
        }
    }
    assert!(compared > 50, "only {compared} looks at a page that stood still meanwhile");
    assert!(wrong.is_empty(), "{} of {compared}: {}", wrong.len(), wrong.join("\n"));
}

/// A number that no call before has had.
fn unused() -> usize {
    static N: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    N.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn a_window_at_rest_costs_few_questions() {
    let stage = Stage::start();
    for version in ["3.0", "4.0"] {
        let (_app, window, _) = changing(&stage, version);
        let a11y = stranger(&stage);
        let cost = |what: &str| {
            let from = a11y.calls();
            let tree = read(&a11y, &window);
            println!("{version} {what}: {} questions for {} objects", a11y.calls() - from, tree.nodes.len());
            (a11y.calls() - from, tree)
        };
        let (first, _) = cost("first");
        let (_, whole) = cost("second");
        let (again, kept) = cost("again");
        assert_eq!(differences(&kept, &whole), Vec::<String>::new());
        assert!(again <= first * 2 / 3, "{version}: {again} questions after {first}");
    }
}
