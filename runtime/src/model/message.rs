//! What one run sends to another.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Payload, PromiseMessage};

/// A message that a run has sent in a step: it leaves with the commit of that step, or not at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutgoingMessage {
    /// The workflow id of the run that is to get it.
    pub to: String,
    /// What it says.
    pub body: Message,
}

/// What a message from one run to another says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Message {
    /// A signal.
    Signal {
        /// The signal's stored name.
        name: Cow<'static, str>,
        /// The encoded signal.
        payload: Payload,
    },
    /// What the run has to say to a promise. It goes to no run: [`OutgoingMessage::to`] is the sender's workflow id.
    Promise(Box<PromiseMessage>),
}
