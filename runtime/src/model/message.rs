//! Messages from one run to another.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ChildStart, Handle, Payload, PromiseMessage, RunId};

/// A message that a run sends in a step, by the commit of that step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutgoingMessage {
    /// The workflow id of the receiving run.
    pub to: String,
    /// The content.
    pub body: Message,
}

/// The content of a message between runs.
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
    /// An operation on a promise. It goes to no run: [`OutgoingMessage::to`] is the sender's workflow id.
    Promise(Box<PromiseMessage>),
    /// A request to cancel.
    Cancel {
        /// The reason, for people.
        reason: String,
    },
    /// A message to a child, delivered if an open run of its chain has the workflow id.
    ToChild {
        /// The child: the first run of its chain.
        child: RunId,
        /// The content: a signal or a request to cancel.
        body: Box<Message>,
    },
    /// A start of a child with the workflow id.
    Start(Box<ChildStart>),
    /// A wait of the sender for the end of a child.
    AwaitChild {
        /// The child: the first run of its chain.
        child: RunId,
        /// The operation of the sender that waits.
        handle: Handle,
    },
    /// The end of the sender, to be reported to waiting parents and applied to children. Has no receiver; the store
    /// writes it when it closes a run.
    Closed,
}
