//! The engine's words as JavaScript objects.

use engine::{Answer, Image, Refusal, Reply};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

#[napi(object)]
pub struct NativePicture {
    pub mime: String,
    pub data: Buffer,
}

#[napi(object)]
pub struct NativeReply {
    pub text: String,
    pub structured_json: String,
    pub pictures: Vec<NativePicture>,
    pub failed: bool,
}

#[napi(object)]
pub struct NativeRefusal {
    pub code: String,
    pub message: String,
    pub hint: String,
    pub details_json: String,
}

/// Exactly one of the two.
#[napi(object)]
pub struct NativeAnswer {
    pub reply: Option<NativeReply>,
    pub refusal: Option<NativeRefusal>,
}

#[napi(object)]
pub struct NativeProgress {
    pub done: f64,
    pub total: f64,
    pub message: String,
}

impl From<Answer> for NativeAnswer {
    fn from(answer: Answer) -> Self {
        match answer {
            Ok(reply) => Self { reply: Some(reply.into()), refusal: None },
            Err(refusal) => Self { reply: None, refusal: Some(refusal.into()) },
        }
    }
}

impl From<Reply> for NativeReply {
    fn from(reply: Reply) -> Self {
        let structured_json = if reply.structured.is_null() { String::new() } else { reply.structured.to_string() };
        let pictures = reply.images.into_iter().map(NativePicture::from).collect();
        Self { text: reply.text, structured_json, pictures, failed: reply.failed }
    }
}

impl From<Image> for NativePicture {
    fn from(image: Image) -> Self {
        Self { mime: image.mime.to_owned(), data: image.bytes.to_vec().into() }
    }
}

impl From<Refusal> for NativeRefusal {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.word().to_owned(),
            message: refusal.message,
            hint: refusal.hint,
            details_json: refusal.details.to_string(),
        }
    }
}
