//! Between the engine's words and the wire's.

use bytes::Bytes;
use engine::{Answer, ClientKind, Image, Refusal, Reply};
use serde_json::Value;

use crate::proto;
use crate::proto::call_reply::Outcome;

/// A 4K picture fits many times.
pub const LARGEST_MESSAGE: usize = 64 << 20;

pub fn kind(word: &str) -> Option<ClientKind> {
    [ClientKind::Cli, ClientKind::Mcp, ClientKind::Sdk, ClientKind::Addon].into_iter().find(|kind| kind.word() == word)
}

pub fn answer(answer: Answer) -> proto::CallReply {
    let outcome = match answer {
        Ok(reply) => Outcome::Reply(self::reply(reply)),
        Err(refusal) => Outcome::Refusal(self::refusal(&refusal)),
    };
    proto::CallReply { outcome: Some(outcome) }
}

fn reply(reply: Reply) -> proto::Reply {
    proto::Reply {
        text: reply.text,
        structured_json: if reply.structured.is_null() { String::new() } else { reply.structured.to_string() },
        pictures: reply.images.into_iter().map(picture).collect(),
        failed: reply.failed,
    }
}

fn picture(image: Image) -> proto::Picture {
    proto::Picture { mime: image.mime.to_owned(), data: Bytes::from_owner(image.bytes) }
}

fn refusal(refusal: &Refusal) -> proto::Refusal {
    proto::Refusal {
        code: refusal.code.word().to_owned(),
        message: refusal.message.clone(),
        hint: refusal.hint.clone(),
        details_json: refusal.details.to_string(),
    }
}

/// Arguments as they came: an object, or nothing for `{}`.
pub fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}
