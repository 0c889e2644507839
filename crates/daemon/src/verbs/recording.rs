//! `recording start|stop|status`: the recording tools with the words of a command line.

use serde_json::{Map, Value};

use super::call::{Ask, Show, refusal_text};
use crate::args::Parsed;
use crate::exit::{Exit, Result};
use crate::proto::call_reply::Outcome;
use crate::{endpoint, link, out, tool_args};

pub fn start(parsed: &Parsed) -> Result<Exit> {
    let mut arguments = Map::new();
    arguments.insert("output_dir".into(), tool_args::absolute(&parsed.words[0]).into());
    for (flag, argument) in [("video", "record_video"), ("resume", "resume"), ("overwrite", "overwrite")] {
        if parsed.has(flag) {
            arguments.insert(argument.into(), true.into());
        }
    }
    if parsed.has("all") {
        arguments.insert("sessions".into(), "all".into());
    }
    ask(parsed, "start_recording", arguments, |answer| {
        let video = if answer["video_active"] == true { ", with video" } else { "" };
        format!("recording into {}{video}", text(answer, "output_dir"))
    })
}

pub fn stop(parsed: &Parsed) -> Result<Exit> {
    let mut arguments = Map::new();
    if parsed.has("take-over") {
        arguments.insert("take_over".into(), true.into());
    }
    if let Some(dir) = parsed.value("dir") {
        arguments.insert("output_dir".into(), tool_args::absolute(dir).into());
    }
    ask(parsed, "stop_recording", arguments, |answer| {
        let turns =
            answer["turns"].as_u64().or_else(|| answer["next_turn"].as_u64().map(|next| next.saturating_sub(1)));
        let turns = turns.map_or_else(String::new, |turns| format!(", {turns} turns"));
        format!("stopped recording into {}{turns}{}", text(answer, "output_dir"), last_error(answer))
    })
}

pub fn status(parsed: &Parsed) -> Result<Exit> {
    ask(parsed, "get_recording_state", Map::new(), |answer| {
        if answer["recording"] != true {
            return "not recording".to_owned();
        }
        let next = answer["next_turn"].as_u64().unwrap_or(1);
        format!("recording into {}, turn {next} is next{}", text(answer, "output_dir"), last_error(answer))
    })
}

/// What went wrong with it, though it goes on or has ended.
fn last_error(answer: &Value) -> String {
    answer["last_error"].as_str().map_or_else(String::new, |error| format!("\nlast error: {error}"))
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().unwrap_or("?")
}

fn ask(parsed: &Parsed, tool: &str, arguments: Map<String, Value>, say: impl Fn(&Value) -> String) -> Result<Exit> {
    let ask = Ask {
        tool: tool.to_owned(),
        arguments: Value::Object(arguments),
        session: link::session(parsed.value("session")),
        timeout: parsed.seconds("timeout", 0.001)?,
    };
    let outcome = ask.send(&endpoint::for_client(parsed.socket())?)?;
    if parsed.json() {
        return Show { json: true, text: false, image: None }.outcome(outcome);
    }
    match outcome {
        Outcome::Refusal(refusal) => {
            out::error(&refusal_text(&refusal));
            Ok(Exit::Failed)
        }
        Outcome::Reply(reply) => {
            let answer = serde_json::from_str(&reply.structured_json).unwrap_or(Value::Null);
            out::line(&say(&answer));
            Ok(if reply.failed { Exit::Failed } else { Exit::Done })
        }
    }
}
