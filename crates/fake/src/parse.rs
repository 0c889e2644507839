//! Scene text to windows and objects.
//!
//! ```text
//! display 0,0 1280x800
//! window 1 "Notes" pid=10 at 100,80 400x300 app=notes
//!   button "OK" at 10,10 80x24 #ok
//!   textbox "Name" = "Ada"
//!   combobox "Colour" = "red" options red,green,blue
//! app calc "Calculator" exe=/usr/bin/calc
//!   window 9 "Calculator"
//!     button "1"
//! ```

use desktop::{EmptyBecause, NodeKey, Pid, Range, Rect, Screen, States, WindowId, WindowKind};

use crate::scene::{Installed, Obj, Scene, Win, display, stacked};
use crate::text::{Line, SceneError, Word, lines};

pub(crate) fn scene(text: &str) -> Result<Scene, SceneError> {
    let mut out = Scene::default();
    for line in lines(text)? {
        match line.head() {
            "display" => {
                let (at, size) = (pair(&line, 1, ',')?, pair(&line, 2, 'x')?);
                let bounds = Rect::new(at.0, at.1, size.0 as u32, size.1 as u32);
                out.displays.push(display(bounds, out.displays.len()));
            }
            "window" => {
                window(&mut out, &line, None)?;
            }
            "app" => out.installed.push(installed(&line)?),
            other => return Err(line.error(format!("{other:?} is neither display, window nor app"))),
        }
    }
    if out.displays.is_empty() {
        out.displays.push(display(Rect::new(0, 0, 1280, 800), 0));
    }
    if out.active.is_none() {
        out.active = out.windows.iter().find(|w| !w.closed && w.kind == WindowKind::Normal && !w.minimized).map(|w| w.id);
    }
    Ok(out)
}

fn installed(line: &Line) -> Result<Installed, SceneError> {
    let mut app = Installed { id: String::new(), name: String::new(), exe: None, opens: line.under.clone(), running: Vec::new() };
    for word in &line.words[1..] {
        match word {
            Word::Bare(id) => app.id = id.clone(),
            Word::Quoted(name) => app.name = name.clone(),
            Word::Pair(k, v) if k == "exe" => app.exe = Some(v.clone()),
            Word::Pair(k, _) => return Err(line.error(format!("an app has no {k:?}"))),
        }
    }
    Ok(app)
}

/// Add the window of a line. `launched` gives it another id, the process and the application.
pub(crate) fn window(s: &mut Scene, line: &Line, launched: Option<(Pid, &Installed)>) -> Result<WindowId, SceneError> {
    let root = s.fresh_key();
    let mut w = Win {
        id: s.fresh_window(),
        birth: s.fresh_birth(),
        pid: None,
        app_name: String::new(),
        app_id: None,
        class: None,
        title: String::new(),
        bounds: Rect::new(0, 0, 400, 300),
        normal: None,
        kind: WindowKind::Normal,
        owner: None,
        minimized: false,
        away: false,
        closed: false,
        modal: false,
        scale: 1.0,
        root: root.clone(),
        focus: None,
        stubborn: false,
        empty: None,
    };
    let mut active = false;
    let mut i = 1;
    while i < line.words.len() {
        match &line.words[i] {
            Word::Quoted(title) => w.title = title.clone(),
            Word::Pair(k, v) => window_pair(&mut w, line, k, v)?,
            Word::Bare(b) => match b.as_str() {
                "at" => {
                    let (x, y) = pair(line, i + 1, ',')?;
                    (w.bounds.x, w.bounds.y) = (x, y);
                    i += 1;
                }
                "size" => {}
                "minimized" => w.minimized = true,
                "away" => w.away = true,
                "closed" => w.closed = true,
                "modal" => w.modal = true,
                "active" => active = true,
                "stubborn" => w.stubborn = true,
                n if n.contains('x') && pair(line, i, 'x').is_ok() => {
                    let (x, y) = pair(line, i, 'x')?;
                    (w.bounds.w, w.bounds.h) = (x as u32, y as u32);
                }
                n if n.parse::<u64>().is_ok() && i == 1 => {
                    if launched.is_none() {
                        w.id = WindowId(n.parse().unwrap_or_default());
                    }
                }
                other => return Err(line.error(format!("a window has no {other:?}"))),
            },
        }
        i += 1;
    }
    if let Some((pid, app)) = launched {
        w.pid = Some(pid);
        w.app_name = app.name.clone();
        w.app_id = Some(app.id.clone());
    }
    if w.app_name.is_empty() {
        w.app_name = w.class.clone().unwrap_or_else(|| w.title.clone());
    }
    if s.windows.iter().any(|o| o.id == w.id) {
        return Err(line.error(format!("there is a window {} already", w.id)));
    }
    let (id, size) = (w.id, w.bounds.size());
    let mut top = Obj::new(root.clone(), id, "frame");
    top.name = w.title.clone();
    top.frame = Some(Rect::new(0, 0, size.w, size.h));
    s.objects.insert(root.clone(), top);
    if active {
        s.active = Some(id);
    }
    s.windows.push(w);
    for under in &line.under {
        object(s, under, &root, None)?;
    }
    Ok(id)
}

fn window_pair(w: &mut Win, line: &Line, key: &str, value: &str) -> Result<(), SceneError> {
    let bad = || line.error(format!("{key}={value:?} is not understood"));
    match key {
        "pid" => w.pid = Some(Pid(value.parse().map_err(|_| bad())?)),
        "app" => (w.app_name, w.app_id) = (value.into(), Some(value.into())),
        "class" => w.class = Some(value.into()),
        "owner" => w.owner = Some(WindowId(value.parse().map_err(|_| bad())?)),
        "scale" => w.scale = value.parse().map_err(|_| bad())?,
        "kind" => {
            w.kind = match value {
                "normal" => WindowKind::Normal,
                "dialog" => WindowKind::Dialog,
                "popup" => WindowKind::Popup,
                "utility" => WindowKind::Utility,
                "chrome" => WindowKind::Chrome,
                _ => return Err(bad()),
            }
        }
        "empty" => {
            w.empty = Some(match value {
                "not_enabled" => EmptyBecause::NotEnabled,
                "not_answering" => EmptyBecause::NotAnswering,
                "no_bus" => EmptyBecause::NoBus,
                "no_window" => EmptyBecause::NoWindow,
                _ => return Err(bad()),
            });
        }
        _ => return Err(bad()),
    }
    Ok(())
}

/// Add the object of a line and what is under it; `before` is a sibling.
pub(crate) fn object(s: &mut Scene, line: &Line, parent: &NodeKey, before: Option<&NodeKey>) -> Result<NodeKey, SceneError> {
    let key = s.fresh_key();
    let Some(window) = s.objects.get(parent).map(|p| p.window) else {
        return Err(line.error("its parent is gone"));
    };
    let size = s.window_mut(window).map(|w| w.bounds.size()).unwrap_or_default();
    let mut o = Obj::new(key.clone(), window, line.head());
    o.parent = Some(parent.clone());
    o.frame = Some(stacked(lowest(s, window), size));
    let focused = attributes(&mut o, line)?;
    let options = options(line)?;
    if o.role == "combo box" {
        o.selection = true;
    }
    s.objects.insert(key.clone(), o);
    if let Some(p) = s.objects.get_mut(parent) {
        let at = before.and_then(|b| p.children.iter().position(|c| c == b)).unwrap_or(p.children.len());
        p.children.insert(at, key.clone());
    }
    for (i, option) in options.iter().enumerate() {
        add_option(s, &key, option, i);
    }
    for under in &line.under {
        object(s, under, &key, None)?;
    }
    if focused && let Some(w) = s.window_mut(window) {
        w.focus = Some(key.clone());
    }
    Ok(key)
}

/// Where the lowest object of a window ends; options hang below their combo box and do not count.
fn lowest(s: &Scene, window: WindowId) -> i32 {
    let placed = s.objects.values().filter(|o| o.window == window && o.parent.is_some() && !o.folded);
    placed.filter_map(|o| o.frame).map(|f| f.bottom()).max().unwrap_or(4)
}

fn add_option(s: &mut Scene, combo: &NodeKey, name: &str, i: usize) {
    let key = s.fresh_key();
    let Some((window, frame, chosen)) = s.objects.get(combo).map(|c| (c.window, c.frame, c.value.as_deref() == Some(name))) else {
        return;
    };
    let mut o = Obj::new(key.clone(), window, "menuitem");
    o.parent = Some(combo.clone());
    o.name = name.into();
    o.frame = frame.map(|f| Rect::new(f.x, f.bottom() + 24 * i as i32, f.w, 24));
    o.folded = true;
    o.states.set(States::SELECTABLE, true);
    o.states.set(States::SELECTED, chosen);
    s.objects.insert(key.clone(), o);
    if let Some(c) = s.objects.get_mut(combo) {
        c.children.push(key);
    }
}

fn options(line: &Line) -> Result<Vec<String>, SceneError> {
    let Some(at) = line.words.iter().position(|w| *w == Word::Bare("options".into())) else {
        return Ok(Vec::new());
    };
    match line.words.get(at + 1) {
        Some(Word::Bare(list) | Word::Quoted(list)) => Ok(list.split(',').map(str::to_owned).collect()),
        _ => Err(line.error("options needs a list like red,green")),
    }
}

/// Everything a line says of an object; true when it has the focus of its window.
fn attributes(o: &mut Obj, line: &Line) -> Result<bool, SceneError> {
    let mut focused = false;
    let mut i = 1;
    while i < line.words.len() {
        match &line.words[i] {
            Word::Quoted(name) => o.name = name.clone(),
            Word::Pair(k, v) => object_pair(o, line, k, v)?,
            Word::Bare(b) => match b.as_str() {
                "=" => {
                    i += 1;
                    let Some(Word::Bare(v) | Word::Quoted(v)) = line.words.get(i) else {
                        return Err(line.error("= needs a value"));
                    };
                    match v.parse() {
                        Ok(now) if o.range.is_some() => o.range = o.range.map(|r| Range { now, ..r }),
                        _ => o.value = Some(v.clone()),
                    }
                    o.caret = v.chars().count();
                }
                "at" => {
                    let ((x, y), (w, h)) = (pair(line, i + 1, ',')?, pair(line, i + 2, 'x')?);
                    o.frame = Some(Rect::new(x, y, w as u32, h as u32));
                    i += 2;
                }
                "options" => i += 1,
                "range" => {
                    let (min, max) = span(line, i + 1)?;
                    let now = o.range.map_or(min, |r| r.now);
                    o.range = Some(Range { min, max, now, step: 1.0 });
                    i += 1;
                }
                "focused" => focused = true,
                // Text goes in by keys alone.
                "keysonly" => o.editable = false,
                "nowhere" => o.frame = None,
                "noop" => o.noop = true,
                "shouts" => o.shouts = true,
                "fixed" => o.fixed = true,
                "closes" => o.closes = true,
                id if id.starts_with('#') => o.id = Some(id[1..].into()),
                word => flag(o, word).map_err(|()| line.error(format!("an object has no {word:?}")))?,
            },
        }
        i += 1;
    }
    Ok(focused)
}

fn flag(o: &mut Obj, word: &str) -> Result<(), ()> {
    let (state, on) = match word {
        "disabled" => (States::ENABLED, false),
        "hidden" => (States::VISIBLE, false),
        "offscreen" => (States::SHOWING, false),
        "checked" => (States::CHECKED, true),
        "mixed" => (States::MIXED, true),
        "selected" => (States::SELECTED, true),
        "expanded" => (States::EXPANDED, true),
        "multiline" => (States::MULTI_LINE, true),
        "readonly" => {
            o.editable = false;
            o.states.set(States::EDITABLE, false);
            (States::READ_ONLY, true)
        }
        "secret" => (States::SECRET, true),
        "modal" => (States::MODAL, true),
        "required" => (States::REQUIRED, true),
        "invalid" => (States::INVALID, true),
        "busy" => (States::BUSY, true),
        "web" => (States::WEB, true),
        _ => return Err(()),
    };
    o.states.set(state, on);
    Ok(())
}

fn object_pair(o: &mut Obj, line: &Line, key: &str, value: &str) -> Result<(), SceneError> {
    let bad = || line.error(format!("{key}={value:?} is not understood"));
    match key {
        "opens" => o.opens = Some(WindowId(value.parse().map_err(|_| bad())?)),
        "actions" => o.actions = value.split(',').filter(|a| !a.is_empty()).map(str::to_owned).collect(),
        "description" => o.description = value.into(),
        "longest" => o.longest = Some(value.parse().map_err(|_| bad())?),
        "claims" => o.claims = Some(value.parse().map_err(|_| bad())?),
        "step" => {
            let step = value.parse().map_err(|_| bad())?;
            o.range = o.range.map(|r| Range { step, ..r });
        }
        _ => return Err(bad()),
    }
    Ok(())
}

fn pair(line: &Line, at: usize, by: char) -> Result<(i32, i32), SceneError> {
    let Some(Word::Bare(text)) = line.words.get(at) else {
        return Err(line.error(format!("two numbers with {by:?} between are missing")));
    };
    let numbers = text.split_once(by).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    numbers.ok_or_else(|| line.error(format!("{text:?} is not two numbers with {by:?} between")))
}

fn span(line: &Line, at: usize) -> Result<(f64, f64), SceneError> {
    let Some(Word::Bare(text)) = line.words.get(at) else {
        return Err(line.error("range needs two numbers like 0..100"));
    };
    let numbers = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    numbers.ok_or_else(|| line.error(format!("{text:?} is not a range like 0..100")))
}

/// A rectangle of the whole screen, for callers that maximise.
pub(crate) fn whole(s: &Scene) -> Rect<Screen> {
    s.displays.first().map_or(Rect::new(0, 0, 1280, 800), |d| d.bounds)
}

impl Obj {
    /// An object of a kind, as a toolkit would make it: its own role word, states, actions.
    pub(crate) fn new(key: NodeKey, window: WindowId, kind: &str) -> Self {
        let (role, more, actions): (&str, States, &[&str]) = kind_of(kind);
        let text = matches!(role, "text" | "entry" | "password text" | "spin button");
        let number = matches!(role, "slider" | "spin button" | "scroll bar" | "progress bar");
        Obj {
            key,
            window,
            parent: None,
            children: Vec::new(),
            role: role.into(),
            name: String::new(),
            description: String::new(),
            value: (text && !number).then(String::new),
            range: number.then_some(Range { min: 0.0, max: 100.0, now: 0.0, step: 1.0 }),
            states: States::ENABLED | States::VISIBLE | States::SHOWING | more,
            actions: actions.iter().map(|a| (*a).to_owned()).collect(),
            editable: text && !number,
            selection: matches!(role, "list" | "page tab list" | "tree" | "table"),
            frame: None,
            id: None,
            opens: None,
            closes: false,
            noop: false,
            shouts: false,
            longest: None,
            fixed: false,
            folded: false,
            claims: None,
            caret: 0,
            all_selected: false,
        }
    }
}

/// Role word, states and actions of a kind as AT-SPI toolkits spell them; any other word is
/// taken as the role itself.
fn kind_of(kind: &str) -> (&str, States, &'static [&'static str]) {
    let none = States(0);
    let focus = States::FOCUSABLE;
    match kind {
        "button" => ("push button", focus, &["click"]),
        "textbox" => ("text", focus.with(States::EDITABLE), &["activate"]),
        "password" => ("password text", focus.with(States::EDITABLE).with(States::SECRET), &["activate"]),
        "checkbox" => ("check box", focus.with(States::CHECKABLE), &["click"]),
        "radio" => ("radio button", focus.with(States::CHECKABLE), &["click"]),
        "switch" => ("toggle button", focus.with(States::CHECKABLE), &["click"]),
        "combobox" => ("combo box", focus.with(States::EXPANDABLE), &["press"]),
        "slider" => ("slider", focus, &[]),
        "spinbutton" => ("spin button", focus.with(States::EDITABLE), &[]),
        "progress" => ("progress bar", none, &[]),
        "list" => ("list", focus, &[]),
        "listitem" => ("list item", States::SELECTABLE, &["click"]),
        "tablist" => ("page tab list", none, &[]),
        "tab" => ("page tab", States::SELECTABLE, &[]),
        "tree" => ("tree", focus, &[]),
        "treeitem" => ("tree item", States::SELECTABLE, &["activate"]),
        "table" => ("table", focus, &[]),
        "row" => ("table row", States::SELECTABLE, &[]),
        "cell" => ("table cell", States::SELECTABLE, &["edit"]),
        "menubar" => ("menu bar", none, &[]),
        "menu" => ("menu", States::EXPANDABLE, &["click"]),
        "menuitem" => ("menu item", none, &["click"]),
        "group" => ("panel", none, &[]),
        "scrollarea" => ("scroll pane", none, &[]),
        "link" => ("link", focus, &["jump"]),
        "image" => ("image", none, &[]),
        "page" => ("document web", States::WEB, &[]),
        other => (other, none, &[]),
    }
}

