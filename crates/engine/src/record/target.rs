//! What lasts of a target: application, window, element, point, described so that another
//! process shows the same one.
//!
//! Owns: descriptions of elements in a tree and whether one fits. Recording and finding again
//! use the same words, so that "unique when recorded" and "fits one today" mean the same.

use desktop::{App, Local, Node, Point, Rect, States, Tree, Window, WindowKind};

use super::types::{AppTarget, At, ElementTarget, Extent, Neighbours, Offset, PointTarget, Step, Unique, WindowTarget};
use crate::role;

/// Named elements around one that are kept.
const AROUND: usize = 6;

/// A tree with its children at hand.
pub struct Grove<'t> {
    pub nodes: &'t [Node],
    children: Vec<Vec<usize>>,
}

impl<'t> Grove<'t> {
    pub fn new(tree: &'t Tree) -> Self {
        let mut children = vec![Vec::new(); tree.nodes.len()];
        for (i, n) in tree.nodes.iter().enumerate() {
            if let Some(p) = n.parent.filter(|p| *p < i) {
                children[p].push(i);
            }
        }
        Self { nodes: &tree.nodes, children }
    }

    fn step(&self, i: usize) -> Step {
        let n = &self.nodes[i];
        Step { role: role::of(n).to_owned(), name: name(n) }
    }

    /// From the window's child down to the parent; what only wraps others is left out.
    fn path(&self, i: usize) -> Vec<Step> {
        let mut out = Vec::new();
        let mut at = self.nodes[i].parent;
        while let Some(p) = at.filter(|p| *p != 0) {
            let s = self.step(p);
            if !s.name.is_empty() || !matches!(s.role.as_str(), "generic" | "group") {
                out.push(s);
            }
            at = self.nodes[p].parent;
        }
        out.reverse();
        out
    }

    fn neighbours(&self, i: usize) -> Neighbours {
        let Some(parent) = self.nodes[i].parent else { return Neighbours::default() };
        let seen: Vec<usize> = self.children[parent].iter().copied().filter(|c| *c == i || self.nodes[*c].has(States::VISIBLE)).collect();
        let Some(at) = seen.iter().position(|c| *c == i) else { return Neighbours::default() };
        let before = at.checked_sub(1).map(|b| self.step(seen[b]));
        let after = seen.get(at + 1).map(|a| self.step(*a));
        Neighbours { before, after, around: self.around(i) }
    }

    /// Named others inside the nearest ancestor that has any.
    fn around(&self, i: usize) -> Vec<Step> {
        let own = self.step(i);
        let mut inner = i;
        while let Some(p) = self.nodes[inner].parent.filter(|p| *p != 0) {
            let mut out = Vec::new();
            for c in self.children[p].iter().filter(|c| **c != inner) {
                self.gather(*c, &own, &mut out);
            }
            if !out.is_empty() {
                return out;
            }
            inner = p;
        }
        Vec::new()
    }

    fn gather(&self, i: usize, own: &Step, out: &mut Vec<Step>) {
        let mut stack = vec![i];
        while let Some(n) = stack.pop() {
            if out.len() >= AROUND {
                return;
            }
            let s = self.step(n);
            if !s.name.is_empty() && s != *own && !out.contains(&s) {
                out.push(s);
            }
            stack.extend(self.children[n].iter().rev());
        }
    }

    /// Elements among which one like this is looked for.
    pub fn pool(&self, showing: bool) -> Vec<usize> {
        (1..self.nodes.len()).filter(|i| !self.nodes[*i].has(States::DEFUNCT) && (!showing || self.nodes[*i].has(States::SHOWING))).collect()
    }

    pub fn fits_id(&self, t: &ElementTarget, i: usize) -> bool {
        t.automation_id.as_deref().is_some_and(|id| !id.is_empty() && self.nodes[i].automation_id.as_deref() == Some(id)) && role::of(&self.nodes[i]) == t.role
    }

    pub fn fits_role_name(&self, t: &ElementTarget, i: usize) -> bool {
        role::of(&self.nodes[i]) == t.role && same_name(&name(&self.nodes[i]), &t.name)
    }

    pub fn fits_path(&self, t: &ElementTarget, i: usize) -> bool {
        self.fits_role_name(t, i) && same_steps(&self.path(i), &t.path)
    }

    pub fn fits_neighbours(&self, t: &ElementTarget, i: usize) -> bool {
        if !self.fits_role_name(t, i) {
            return false;
        }
        let now = self.neighbours(i);
        let shared = t.neighbours.around.iter().filter(|s| now.around.contains(s)).count();
        now.before == t.neighbours.before && now.after == t.neighbours.after && shared * 2 >= t.neighbours.around.len()
    }

    /// Describe an element. `None` for the window's own object.
    pub fn describe(&self, i: usize) -> Option<ElementTarget> {
        if i == 0 || i >= self.nodes.len() {
            return None;
        }
        let n = &self.nodes[i];
        let mut t = ElementTarget {
            role: role::of(n).to_owned(),
            raw_role: n.raw_role.clone(),
            name: name(n),
            has_value: n.value.is_some(),
            showing: n.has(States::SHOWING),
            automation_id: n.automation_id.clone().filter(|id| !id.is_empty()),
            path: self.path(i),
            neighbours: self.neighbours(i),
            unique: Unique::default(),
        };
        let pool = self.pool(t.showing);
        let one = |fits: &dyn Fn(usize) -> bool| pool.iter().filter(|j| fits(**j)).take(2).count() == 1;
        t.unique = Unique {
            automation_id: one(&|j| self.fits_id(&t, j)),
            path: one(&|j| self.fits_path(&t, j)),
            role_name: one(&|j| self.fits_role_name(&t, j)),
            neighbours: one(&|j| self.fits_neighbours(&t, j)),
        };
        // Neighbours tell apart what role and name do not; else they would only be noise.
        if t.unique.role_name {
            t.neighbours = Neighbours::default();
            t.unique.neighbours = false;
        }
        Some(t)
    }

    /// What scrolls around an element: rows come and go in it.
    pub fn scrolled(&self, i: usize) -> usize {
        let scrolls = |n: &Node| {
            matches!(role::of(n), "list" | "listbox" | "table" | "tree" | "treegrid" | "grid" | "document" | "textbox")
                || matches!(n.raw_role.as_str(), "scroll pane" | "viewport")
        };
        let above = std::iter::successors(Some(i), |a| self.nodes[*a].parent.filter(|p| *p != 0));
        let all: Vec<usize> = above.filter(|a| scrolls(&self.nodes[*a])).collect();
        all.iter().copied().find(|a| !self.nodes[*a].name.is_empty()).or(all.last().copied()).unwrap_or(i)
    }

    /// The innermost element that shows a point of the screen.
    pub fn under(&self, at: Point<desktop::Screen>) -> Option<usize> {
        let mut best: Option<(usize, u64)> = None;
        for i in self.pool(true) {
            let Some(b) = self.nodes[i].bounds.filter(|b| b.contains(at)) else { continue };
            let area = u64::from(b.w) * u64::from(b.h);
            if best.is_none_or(|(_, a)| area <= a) {
                best = Some((i, area));
            }
        }
        best.map(|(i, _)| i)
    }
}

/// The name of an element, unless it only repeats its value.
fn name(n: &Node) -> String {
    if n.has(States::SECRET) || n.value.as_ref().is_none_or(|v| v != &n.name) || !matches!(role::of(n), "textbox" | "combobox" | "searchbox" | "spinbutton") {
        n.name.clone()
    } else {
        String::new()
    }
}

/// Spaces and a trailing ellipsis tell nothing apart.
fn same_name(a: &str, b: &str) -> bool {
    a == b || plain(a) == plain(b)
}

fn plain(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").trim_end_matches(['…', '.', ':']).to_owned()
}

fn same_steps(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.role == y.role && same_name(&x.name, &y.name))
}

/// A title without the marks of an unsaved document.
pub fn bare_title(title: &str) -> &str {
    title.trim().trim_start_matches(['*', '●', '•']).trim_end_matches('*').trim()
}

pub fn app(window: &Window, app: Option<&App>) -> AppTarget {
    AppTarget {
        name: window.app_name.clone(),
        desktop_id: window.app_id.clone().or_else(|| app.and_then(|a| a.id.clone())),
        executable: app.and_then(|a| a.exe.as_ref()).map(|e| e.display().to_string()),
        wm_class: window.class.clone(),
        wm_instance: window.instance.clone(),
    }
}

/// The same application: one of the three agrees and none contradicts.
pub fn same_app(recorded: &AppTarget, today: &AppTarget) -> bool {
    let file = |p: &str| {
        let name = p.rsplit('/').next().unwrap_or(p).trim_end_matches(" (deleted)");
        // Another version of an interpreter is the same one.
        if interprets(name) { name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned() } else { name.to_owned() }
    };
    // Every script of an interpreter has its executable: there the instance tells them apart.
    let script = [recorded, today].iter().any(|t| t.executable.as_deref().is_some_and(|e| interprets(&file(e))));
    let instance = both(&recorded.wm_instance, &today.wm_instance).map(|(a, b)| a == b).filter(|_| script);
    let checks = [
        instance,
        both(&recorded.desktop_id, &today.desktop_id).map(|(a, b)| a == b),
        both(&recorded.executable, &today.executable).map(|(a, b)| file(a) == file(b)),
        both(&recorded.wm_class, &today.wm_class).map(|(a, b)| a.eq_ignore_ascii_case(b)),
    ];
    checks.iter().flatten().all(|c| *c) && (checks.iter().any(|c| *c == Some(true)) || nothing_known(recorded, today))
}

/// A program that runs others.
fn interprets(file: &str) -> bool {
    ["python", "perl", "ruby", "node", "java", "gjs", "bash", "sh", "lua", "php", "wish", "mono", "electron"].iter().any(|i| file.strip_prefix(i).is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))))
}

/// Neither says more than its name.
fn nothing_known(a: &AppTarget, b: &AppTarget) -> bool {
    let bare = |t: &AppTarget| t.desktop_id.is_none() && t.executable.is_none() && t.wm_class.is_none();
    (bare(a) || bare(b)) && !a.name.is_empty() && a.name.eq_ignore_ascii_case(&b.name)
}

fn both<'a>(a: &'a Option<String>, b: &'a Option<String>) -> Option<(&'a str, &'a str)> {
    Some((a.as_deref().filter(|s| !s.is_empty())?, b.as_deref().filter(|s| !s.is_empty())?))
}

pub const fn kind(k: WindowKind) -> &'static str {
    match k {
        WindowKind::Normal => "normal",
        WindowKind::Dialog => "dialog",
        WindowKind::Popup => "popup",
        WindowKind::Utility => "utility",
        WindowKind::Chrome => "chrome",
    }
}

/// A window among those that are there.
pub fn window(w: &Window, all: &[Window]) -> WindowTarget {
    let mut alike: Vec<u64> = all.iter().filter(|o| o.pid == w.pid && o.kind == w.kind && o.title == w.title).map(|o| o.id.0).collect();
    alike.sort_unstable();
    alike.dedup();
    WindowTarget {
        title: w.title.clone(),
        role: w.role.clone(),
        kind: kind(w.kind).into(),
        size: Extent { width: w.bounds.w, height: w.bounds.h },
        origin: At { x: w.bounds.x, y: w.bounds.y },
        index: alike.iter().position(|id| *id == w.id.0).unwrap_or(0) as u32,
        of: alike.len().max(1) as u32,
        unique: alike.len() <= 1,
    }
}

/// A point by the window and the element it lies in.
pub fn point(at: Point<Local>, window: &Window, element: Option<&Rect<desktop::Screen>>) -> PointTarget {
    let o = window.bounds.origin();
    let inside = element.map(|b| b.within(o)).filter(|b| b.contains(at));
    PointTarget {
        window: Offset { x: at.x, y: at.y, width: window.bounds.w, height: window.bounds.h },
        element: inside.map(|b| Offset { x: at.x - b.x, y: at.y - b.y, width: b.w, height: b.h }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use desktop::NodeKey;

    /// Lines of `role name`, indented by one space a level.
    pub fn tree(text: &str) -> Tree {
        let mut nodes: Vec<Node> = Vec::new();
        let mut above: Vec<usize> = Vec::new();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            let depth = line.len() - line.trim_start().len();
            let (role, name) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            above.truncate(depth);
            nodes.push(Node {
                key: NodeKey::new(&nodes.len().to_string()),
                parent: above.last().copied(),
                raw_role: role.into(),
                name: name.into(),
                description: String::new(),
                value: None,
                range: None,
                states: States::ENABLED | States::VISIBLE | States::SHOWING,
                actions: vec![],
                editable_text: false,
                selection: false,
                bounds: None,
                automation_id: None,
                child_count: 0,
                index_in_parent: None,
            });
            above.push(nodes.len() - 1);
        }
        Tree { nodes, complete: true, ..Tree::default() }
    }

    #[test]
    fn what_is_unique_is_said() {
        let t = tree("window W\n row\n  label Tea\n  button Delete\n row\n  label Milk\n  button Delete\n button Add");
        let g = Grove::new(&t);
        let add = g.describe(7).expect("an element");
        assert!(add.unique.role_name && add.unique.path);
        let milk = g.describe(6).expect("an element");
        assert!(!milk.unique.role_name && !milk.unique.path && milk.unique.neighbours, "{milk:?}");
        assert!(g.fits_neighbours(&milk, 6) && !g.fits_neighbours(&milk, 3));
        assert!(g.describe(0).is_none());
    }

    #[test]
    fn applications() {
        let t = |id: &str, exe: &str, class: &str| AppTarget {
            name: "n".into(),
            desktop_id: Some(id.into()).filter(|s: &String| !s.is_empty()),
            executable: Some(exe.into()).filter(|s: &String| !s.is_empty()),
            wm_class: Some(class.into()).filter(|s: &String| !s.is_empty()),
            wm_instance: None,
        };
        for (a, b, want) in [
            (t("a", "/usr/bin/a", "A"), t("a", "/opt/bin/a", "a"), true),
            (t("", "/usr/bin/python3", "ledger"), t("", "/usr/bin/python3", "other"), false),
            (t("a", "", ""), t("", "", "x"), false),
            (t("", "", ""), t("", "", ""), true),
            (t("", "/usr/bin/a", ""), t("", "/usr/bin/b", ""), false),
        ] {
            assert_eq!(same_app(&a, &b), want, "{a:?} {b:?}");
        }
        let script = |exe: &str, instance: &str| AppTarget { wm_instance: Some(instance.into()), ..t("", exe, "X.py") };
        assert!(!same_app(&script("/usr/bin/python3.11", "ledger"), &script("/usr/bin/python3.11", "other")));
        assert!(same_app(&script("/usr/bin/python3.11", "ledger"), &script("/usr/bin/python3", "ledger")));
        assert!(same_app(&script("/usr/bin/chromium", "profile one"), &script("/usr/bin/chromium", "profile two")));
    }

    #[test]
    fn titles() {
        for (title, want) in [("*notes.txt", "notes.txt"), ("notes.txt *", "notes.txt"), ("● a", "a"), (" a ", "a")] {
            assert_eq!(bare_title(title), want);
        }
    }
}
