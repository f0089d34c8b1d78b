//! The answers of runs to updates.

use serde::{Deserialize, Serialize};

use super::Payload;

/// How a run has answered an update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum UpdateReply {
    /// With this value.
    Replied(Payload),
    /// With this error of the update's own.
    Refused(Payload),
    /// Not at all: it no longer has the request.
    Dropped,
    /// It could not read the request; why, for people.
    Unreadable(String),
}

impl UpdateReply {
    /// The value or the error.
    #[cfg(feature = "engine")]
    pub(crate) fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Replied(payload) | Self::Refused(payload) => Some(payload),
            Self::Dropped | Self::Unreadable(_) => None,
        }
    }
}

/// An answer that a step has given, written with the commit of the step or not at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewReply {
    /// The id of the update.
    pub update: String,
    /// What the answer is.
    pub reply: UpdateReply,
}
