//! The answers of runs to updates.

use serde::{Deserialize, Serialize};

use super::Payload;

/// The answer of a run to an update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum UpdateReply {
    /// A value.
    Replied(Payload),
    /// An error of the update's own type.
    Refused(Payload),
    /// None: the run has dropped the request.
    Dropped,
    /// The run could not decode the request, with an explanation for people.
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

/// An answer given by a step, written by the commit of the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewReply {
    /// The id of the update.
    pub update: String,
    /// The answer.
    pub reply: UpdateReply,
}
