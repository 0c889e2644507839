//! One turn from what was seen to the files that are kept.
//!
//! Owns: which files a turn has, what is masked in them. Runs beside the calls, not in them.

use desktop::{EmptyBecause, Local, Picture, Point, Rect};
use serde_json::Value;

use super::look::Look;
use super::pixels;
use super::secret::Secrets;
use super::state::{self, Hidden};
use super::types::{Action, Evidence, Proof, State, Status};
use crate::picture;
use crate::snapshot::Snapshots;

/// A turn that happened and is to be written.
pub struct Done {
    pub number: u32,
    pub action: Action,
    pub before: std::sync::Arc<Look>,
    pub after: std::sync::Arc<Look>,
    /// Where a click went, in the picture before.
    pub mark: Option<Point<Local>>,
}

/// A file of a turn.
pub type File = (&'static str, Vec<u8>);

/// Makes files; remembers what it needs for the next turn.
pub struct Maker {
    secrets: Secrets,
    snapshots: Snapshots,
    /// The last picture and its PNG: before a turn a window mostly looks as after the one before.
    last: Option<(Picture, Vec<u8>)>,
}

impl Maker {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, snapshots: Snapshots::new(0), last: None }
    }

    /// Every file of the turn.
    pub fn files(&mut self, turn: &Done) -> Vec<File> {
        let mut files = Vec::with_capacity(7);
        let hidden = (self.hidden(&turn.before), self.hidden(&turn.after));
        let before_state = self.state(&turn.before, "before_state.json", &mut files);
        let app_state = self.state(&turn.after, "app_state.json", &mut files);
        let before = self.picture(&turn.before, &hidden.0, "before.png", &mut files);
        let click = self.click(turn, &hidden.0, &mut files);
        let screenshot = self.picture(&turn.after, &hidden.1, "screenshot.png", &mut files);
        let evidence = Evidence { before, before_state, screenshot, app_state, click, unsettled: turn.after.unsettled };
        files.push(("action.json", self.action(&turn.action)));
        files.push(("evidence.json", json(&evidence)));
        files
    }

    /// The turn without pictures and states, for a disk that has no room for more.
    pub fn bare(&self, turn: &Done, why: &str) -> Vec<File> {
        let none = || Proof::missing(Status::Unavailable, why);
        let evidence = Evidence { before: none(), before_state: none(), screenshot: none(), app_state: none(), click: none(), unsettled: false };
        vec![("action.json", self.action(&turn.action)), ("evidence.json", json(&evidence))]
    }

    fn action(&self, action: &Action) -> Vec<u8> {
        let mut value = serde_json::to_value(action).unwrap_or(Value::Null);
        self.secrets.scrub_value(&mut value);
        json(&value)
    }

    fn hidden(&self, look: &Look) -> Hidden {
        state::hidden(look, &self.secrets)
    }

    fn state(&mut self, look: &Look, name: &'static str, files: &mut Vec<File>) -> Proof {
        let (window, tree) = match (&look.window, &look.tree) {
            (Some(_), Ok(t)) if t.empty == Some(EmptyBecause::NotAnswering) => {
                return Proof::missing(Status::Unavailable, "the application did not answer");
            }
            (Some(w), Ok(t)) => (w, t.clone()),
            (_, Err(why)) => return Proof::missing(Status::Unavailable, why.clone()),
            (None, Ok(_)) => return Proof::missing(Status::Unavailable, "the window is closed"),
        };
        let state: State = state::of(&mut self.snapshots, window, tree, &self.secrets);
        // States are large and read by programs: no layout.
        files.push((name, serde_json::to_vec(&state).unwrap_or_default()));
        Proof::captured()
    }

    fn picture(&mut self, look: &Look, hidden: &Hidden, name: &'static str, files: &mut Vec<File>) -> Proof {
        let picture = match &look.picture {
            Ok(p) => p,
            Err(why) => return Proof::missing(Status::Unavailable, why.clone()),
        };
        let regions = regions(hidden, picture);
        let mut own = picture.clone();
        pixels::cover(&mut own, &regions);
        match self.encoded(own) {
            Ok(png) => {
                files.push((name, png));
                Proof { masked_regions: regions.len() as u32, ..Proof::captured() }
            }
            Err(why) => Proof::missing(Status::Unavailable, why),
        }
    }

    fn encoded(&mut self, own: Picture) -> Result<Vec<u8>, String> {
        if let Some((p, png)) = &self.last
            && pixels::same(p, &own)
        {
            return Ok(png.clone());
        }
        let png = picture::png(&own.bgrx, own.size).map_err(|e| e.to_string())?;
        self.last = Some((own, png.clone()));
        Ok(png)
    }

    fn click(&mut self, turn: &Done, hidden: &Hidden, files: &mut Vec<File>) -> Proof {
        let Some(at) = turn.mark else { return Proof::missing(Status::NotApplicable, "no point was pressed") };
        let picture = match &turn.before.picture {
            Ok(p) => p,
            Err(why) => return Proof::missing(Status::Unavailable, why.clone()),
        };
        let mut own = picture.clone();
        let regions = regions(hidden, picture);
        pixels::cover(&mut own, &regions);
        pixels::mark(&mut own, at);
        match picture::png(&own.bgrx, own.size) {
            Ok(png) => {
                files.push(("click.png", png));
                Proof { masked_regions: regions.len() as u32, ..Proof::captured() }
            }
            Err(e) => Proof::missing(Status::Unavailable, e.to_string()),
        }
    }
}

/// Hidden parts of the screen that the picture shows.
fn regions(hidden: &Hidden, picture: &Picture) -> Vec<Rect<Local>> {
    let whole = Rect::new(0, 0, picture.size.w, picture.size.h);
    hidden.all().filter_map(|r| r.within(picture.origin).meet(&whole)).collect()
}

fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut out = serde_json::to_vec_pretty(value).unwrap_or_default();
    out.push(b'\n');
    out
}
