//! The guardian's side: a small process with X connections of its own that hears what the driver
//! holds and undoes all of it when the driver's end of the pipe closes, however that came.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use desktop::{DesktopError, Result};

use super::bell::Bell;
use super::calm::Standing;
use super::keymap::write_key;
use super::ledger::Entry;
use super::seat::{Seat, Side};
use super::wire::Wire;

/// What a guardian that has its display says first.
pub(super) const READY: &str = "ready";

/// Hear the ledger on `input` until its end, then undo what is still in it. The display is that
/// of the environment. Says `ready`, or why not, on standard output.
pub fn guard(input: impl Read) -> Result<()> {
    let display = std::env::var("DISPLAY").unwrap_or_default();
    let person = match Wire::open(&display).and_then(|w| Seat::person(Arc::new(w))) {
        Ok(seat) => seat,
        Err(e) => {
            say(&e.to_string());
            return Err(e);
        }
    };
    say(READY);
    let mut open = Vec::new();
    for line in BufReader::new(input).lines() {
        let Ok(line) = line else { break };
        take(&mut open, &line);
    }
    if open.is_empty() {
        return Ok(());
    }
    undo(&person, &display, &open)
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{}", line.replace('\n', " "));
    let _ = out.flush();
}

fn take(open: &mut Vec<Entry>, line: &str) {
    let Some((sign, rest)) = line.split_once(' ') else { return };
    let Ok(entry) = rest.parse::<Entry>() else { return };
    match sign {
        "+" => open.push(entry),
        "-" => {
            if let Some(at) = open.iter().rposition(|e| e.matches(&entry)) {
                open.remove(at);
            }
        }
        _ => {}
    }
}

/// Undo everything, last first. What the driver had written to the server before it died can
/// still be on its way, so keys and buttons are let go again a little later.
fn undo(person: &Seat, display: &str, open: &[Entry]) -> Result<()> {
    let agent = Seat::agent(display, false)?;
    let mut worst = Ok(());
    for wait in [0, 60, 200, 350] {
        std::thread::sleep(Duration::from_millis(wait));
        for entry in open.iter().rev() {
            let again = matches!(entry, Entry::Key(..) | Entry::Button(..) | Entry::Focus | Entry::Code(..));
            if wait == 0 || again {
                worst = undo_one(person, agent.as_ref(), entry).and(worst);
            }
        }
        person.sync()?;
        agent.as_ref().map_or(Ok(()), Seat::sync)?;
        if wait == 0 && open.contains(&Entry::Focus) {
            let mut bell = Bell::open(display)?;
            Standing::before(&bell)?.restore(&mut bell, None)?;
        }
    }
    worst
}

fn undo_one(person: &Seat, agent: Option<&Seat>, entry: &Entry) -> Result<()> {
    let seat = |side: Side| match side {
        Side::Person => Ok(person),
        Side::Agent => agent.ok_or_else(|| DesktopError::System("the second pair is gone".into())),
    };
    match entry {
        Entry::Key(side, code) => seat(*side)?.key(*code, false),
        Entry::Button(side, button) => seat(*side)?.button(*button, false),
        Entry::Locks(side, mask, value) => seat(*side)?.lock(*mask, *value),
        Entry::Group(side, group) => seat(*side)?.group(*group),
        Entry::Code(code, key) => write_key(&person.wire, *code, key),
        Entry::Focus => seat(Side::Agent)?.set_focus(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ended_is_not_undone() {
        let mut open = Vec::new();
        for line in ["+ key agent 38", "+ key agent 50", "+ locks person 2 2", "- key agent 38", "- locks person 2 0", "nonsense", "+ what 3"] {
            take(&mut open, line);
        }
        assert_eq!(open, [Entry::Key(Side::Agent, 50)]);
    }
}
