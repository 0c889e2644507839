//! `call TOOL …` and its short form: one tool call over the socket.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::args::Parsed;
use crate::endpoint::{self, Endpoint};
use crate::exit::{Exit, Failure, Result};
use crate::near::{hint, nearest};
use crate::proto::call_reply::Outcome;
use crate::proto::{CallRequest, Picture, Refusal, Reply};
use crate::{link, out, tool_args, tool_list};

/// Beyond the caller's own bound, for the answer to say so.
const GRACE: Duration = Duration::from_secs(2);

/// How an answer is shown.
pub struct Show {
    pub json: bool,
    pub text: bool,
    pub image: Option<String>,
}

/// One call to make.
pub struct Ask {
    pub tool: String,
    pub arguments: Value,
    pub session: Option<String>,
    pub timeout: Option<Duration>,
}

pub fn run(parsed: &Parsed) -> Result<Exit> {
    let name = parsed.words[0].as_str();
    let tool = tool_list::one(name);
    let arguments = tool_args::gather(tool.as_ref(), &parsed.words[1..], &parsed.extra)?;
    let show = Show {
        json: parsed.json(),
        text: parsed.has("text"),
        image: parsed.value("image-out").or_else(|| parsed.value("screenshot-out-file")).map(str::to_owned),
    };
    // What is wrong here is wrong for the driver too, whose envelope is the answer in JSON.
    let wrong = wrong(name, tool.as_ref(), &arguments);
    if let Some(text) = wrong.as_ref().filter(|_| !show.json) {
        return Err(Failure::usage(text.clone()));
    }
    let ask = Ask {
        tool: name.to_owned(),
        arguments: Value::Object(arguments),
        session: link::session(parsed.value("session")),
        timeout: parsed.seconds("timeout", 0.001)?,
    };
    let asked = endpoint::for_client(parsed.socket()).and_then(|endpoint| ask.send(&endpoint));
    match (asked, wrong) {
        (Err(_), Some(text)) => Err(Failure::usage(text)),
        (Err(failure), None) => Err(failure),
        (Ok(outcome), wrong) => {
            let exit = show.outcome(outcome)?;
            Ok(if exit == Exit::Failed && wrong.is_some() { Exit::Usage } else { exit })
        }
    }
}

/// What the command line alone can tell is wrong: a tool or an argument that there is not.
fn wrong(name: &str, tool: Option<&Value>, arguments: &Map<String, Value>) -> Option<String> {
    let Some(tool) = tool else {
        let tools = tool_list::all();
        let near = hint(nearest(name, tools.iter().map(tool_list::name)), "");
        return Some(format!("there is no tool `{name}`{near} `cua-driver tools` lists them."));
    };
    let (argument, near) = tool_args::stranger(tool, arguments)?;
    Some(format!("{name} has no argument `{argument}`{} See `cua-driver help {name}`.", hint(near, "")))
}

impl Ask {
    pub fn send(&self, endpoint: &Endpoint) -> Result<Outcome> {
        let timeout_ms = self.timeout.map_or(0, |time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
        let request = CallRequest {
            tool: self.tool.clone(),
            arguments_json: self.arguments.to_string(),
            client: Some(link::client_info(self.session.as_deref())),
            timeout_ms,
        };
        link::run(async {
            let mut driver = link::connect(endpoint).await?;
            let reply = match self.timeout {
                Some(bound) => link::within(endpoint, bound + GRACE, driver.call(request)).await?,
                // Every tool has a bound of its own, and a daemon that has stopped answers no ping.
                None => {
                    let reply = driver.call(request).await;
                    reply.map_err(|status| link::trouble(endpoint, &status))?.into_inner()
                }
            };
            reply.outcome.ok_or_else(|| Failure::failed("the driver gave an empty answer"))
        })
    }
}

impl Show {
    /// Print an answer; the exit code that belongs to it.
    pub fn outcome(&self, outcome: Outcome) -> Result<Exit> {
        match outcome {
            Outcome::Refusal(refusal) => {
                self.refusal(&refusal);
                Ok(Exit::Failed)
            }
            Outcome::Reply(reply) => {
                self.reply(&reply)?;
                Ok(if reply.failed { Exit::Failed } else { Exit::Done })
            }
        }
    }

    fn refusal(&self, refusal: &Refusal) {
        if self.json {
            out::line(&envelope(refusal).to_string());
        } else {
            out::error(&refusal_text(refusal));
        }
    }

    fn reply(&self, reply: &Reply) -> Result<()> {
        let structured: Value = serde_json::from_str(&reply.structured_json).unwrap_or(Value::Null);
        if self.text || structured.is_null() && !self.json {
            out::line(reply.text.trim_end_matches('\n'));
        } else if self.json {
            out::line(&if structured.is_null() { json!({"text": reply.text}) } else { structured }.to_string());
        } else {
            out::line(&format!("{structured:#}"));
        }
        match (&self.image, reply.pictures.as_slice()) {
            (Some(file), [picture, ..]) => save(Path::new(file), picture),
            (Some(file), []) => Err(Failure::failed(format!("the answer holds no picture, {file} is not written"))),
            (None, []) => Ok(()),
            (None, pictures) => {
                let sizes: Vec<String> =
                    pictures.iter().map(|p| format!("{}, {} bytes", p.mime, p.data.len())).collect();
                out::error(&format!("picture left out ({}); --image-out FILE writes it", sizes.join("; ")));
                Ok(())
            }
        }
    }
}

fn save(file: &Path, picture: &Picture) -> Result<()> {
    host::write_private(file, &picture.data).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))
}

/// The envelope of a refusal, the same as everywhere.
pub fn envelope(refusal: &Refusal) -> Value {
    let details: Value = serde_json::from_str(&refusal.details_json).unwrap_or(Value::Null);
    json!({"code": refusal.code, "message": refusal.message, "hint": refusal.hint, "details": details})
}

/// A refusal for people.
pub fn refusal_text(refusal: &Refusal) -> String {
    let mut text = format!("{}: {}", refusal.code, refusal.message);
    if !refusal.hint.is_empty() {
        text += &format!("\n{}", refusal.hint);
    }
    let details: Value = serde_json::from_str(&refusal.details_json).unwrap_or(Value::Null);
    if !details.is_null() {
        text += &format!("\n{details}");
    }
    text
}
