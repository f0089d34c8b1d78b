//! Messages from one run to another.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ChildStart, Handle, Payload, PromiseMessage, RunId};

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
    /// A request to cancel.
    Cancel {
        /// Why, for people.
        reason: String,
    },
    /// For a child, if an open run of its chain has the workflow id.
    ToChild {
        /// The child: the first run of its chain.
        child: RunId,
        /// What it is to get: a signal or a request to cancel.
        body: Box<Message>,
    },
    /// A child is to be started with the workflow id.
    Start(Box<ChildStart>),
    /// The sender waits for the end of a child.
    AwaitChild {
        /// The child: the first run of its chain.
        child: RunId,
        /// The operation of the sender that waits.
        handle: Handle,
    },
    /// The sender is over: whoever waits for it is to be told, and its children are to be dealt with. For
    /// nobody in particular; written by the store when it closes a run.
    Closed,
}
