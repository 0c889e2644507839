//! What can go wrong while talking to the X server, before it is an answer of the seam.

use std::io::ErrorKind;

use desktop::DesktopError;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::ErrorKind as XKind;

#[derive(Debug)]
pub enum Fault {
    /// The connection is gone.
    Lost(String),
    /// No answer within the bound.
    Late,
    /// The server refused a request: mostly that the object is gone.
    Refused(XKind),
    /// Already an answer of the seam.
    Said(DesktopError),
}

pub type Outcome<T> = Result<T, Fault>;

impl From<ConnectionError> for Fault {
    fn from(e: ConnectionError) -> Self {
        match e {
            ConnectionError::IoError(e) if e.kind() == ErrorKind::TimedOut => Self::Late,
            ConnectionError::UnsupportedExtension => {
                Self::Said(DesktopError::Unsupported("the X server lacks an extension".into()))
            }
            e => Self::Lost(e.to_string()),
        }
    }
}

impl From<ReplyError> for Fault {
    fn from(e: ReplyError) -> Self {
        match e {
            ReplyError::ConnectionError(e) => e.into(),
            ReplyError::X11Error(e) => Self::Refused(e.error_kind),
        }
    }
}

impl From<ReplyOrIdError> for Fault {
    fn from(e: ReplyOrIdError) -> Self {
        match e {
            ReplyOrIdError::ConnectionError(e) => e.into(),
            ReplyOrIdError::X11Error(e) => Self::Refused(e.error_kind),
            ReplyOrIdError::IdsExhausted => Self::Lost("no X ids are left".into()),
        }
    }
}

impl From<ConnectError> for Fault {
    fn from(e: ConnectError) -> Self {
        match e {
            ConnectError::IoError(e) if e.kind() == ErrorKind::TimedOut => Self::Late,
            e => Self::Lost(e.to_string()),
        }
    }
}

impl From<DesktopError> for Fault {
    fn from(e: DesktopError) -> Self {
        Self::Said(e)
    }
}

impl From<Fault> for DesktopError {
    fn from(e: Fault) -> Self {
        match e {
            Fault::Lost(why) => Self::NoDisplay(why),
            Fault::Late => Self::NoDisplay("the X server does not answer".into()),
            Fault::Refused(kind) => Self::System(format!("the X server refused: {kind:?}")),
            Fault::Said(e) => e,
        }
    }
}

/// A reply, or `None` where the object is gone; faults of the connection stay faults.
pub trait Alive<T> {
    fn alive(self) -> Outcome<Option<T>>;
}

impl<T> Alive<T> for Result<T, ReplyError> {
    fn alive(self) -> Outcome<Option<T>> {
        match self {
            Ok(t) => Ok(Some(t)),
            Err(ReplyError::X11Error(_)) => Ok(None),
            Err(ReplyError::ConnectionError(e)) => Err(e.into()),
        }
    }
}
