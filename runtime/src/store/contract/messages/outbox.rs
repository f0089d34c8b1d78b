//! The outbox: messages to other runs, and their delivery.

use std::time::Duration;

use crate::model::{ChildStart, Handle, Message, PromiseMessage, RunId, StepNo};
use crate::store::{ArrivalKind, DeadLetterReason};

/// How the relay processes a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Errand {
    /// Delivers it to the inbox of a run.
    Deliver {
        /// The receiving run must belong to the chain that begins with this one.
        chain: Option<RunId>,
        /// The content of the arrival.
        kind: ArrivalKind,
    },
    /// Starts a child.
    Start(Box<ChildStart>),
    /// Registers a wait for a child.
    Await(AwaitedChild),
    /// Processes the end of the sender.
    Close,
    /// Processes an operation on a promise.
    Promise(PromiseMessage),
}

/// A child that a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AwaitedChild {
    /// The first run of its chain.
    pub(crate) child: RunId,
    /// The operation that waits.
    pub(crate) handle: Handle,
}

impl From<Message> for Errand {
    fn from(message: Message) -> Self {
        let deliver = |kind| Self::Deliver { chain: None, kind };
        match message {
            Message::Signal { name, payload } => {
                deliver(ArrivalKind::Signal { name: name.into_owned(), payload })
            }
            Message::Cancel { reason } => deliver(ArrivalKind::Cancel { reason }),
            Message::ToChild { child, body } => match Self::from(*body) {
                Self::Deliver { kind, .. } => Self::Deliver { chain: Some(child), kind },
                other => other,
            },
            Message::Start(start) => Self::Start(start),
            Message::AwaitChild { child, handle } => Self::Await(AwaitedChild { child, handle }),
            Message::Closed => Self::Close,
            Message::Promise(message) => Self::Promise(*message),
        }
    }
}

/// The key of a message. Each message has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageKey {
    /// The run that sent it.
    pub run_id: RunId,
    /// Its number among the messages of that run.
    pub seq: i64,
}

impl MessageKey {
    /// The maximum number of messages that one step can send.
    pub const MAX_PER_STEP: usize = 1 << Self::INDEX_BITS;

    /// A run with ten thousand steps a second runs out of numbers after 27 years.
    const INDEX_BITS: u32 = 20;

    /// The key of message number `index`, from 0, of the step made at `step_no`. `None` if `index` is
    /// [`MessageKey::MAX_PER_STEP`] or more.
    pub fn of(run_id: RunId, step_no: StepNo, index: usize) -> Option<Self> {
        let index = i64::try_from(index).ok().filter(|_| index < Self::MAX_PER_STEP)?;
        let first = step_no.0.checked_mul(1 << Self::INDEX_BITS)?;
        Some(Self { run_id, seq: first.checked_add(index)? })
    }

    /// The key of the message about the end of a run, which follows all its other messages. `step_no` is the number
    /// of its commits then; a reopened run has one more.
    pub(crate) fn of_close(run_id: RunId, step_no: StepNo) -> Self {
        let first = step_no.0.saturating_mul(1 << Self::INDEX_BITS);
        Self { run_id, seq: first.saturating_add(Self::LAST_INDEX) }
    }

    /// The lowest part of the number in [`MessageKey::of_close`].
    const LAST_INDEX: i64 = (1 << Self::INDEX_BITS) - 1;
}

/// A message in the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingMessage {
    /// Its key.
    pub key: MessageKey,
    /// The workflow id that it is for.
    pub workflow_id: String,
    /// Its content; `None` if this build cannot read it.
    pub body: Option<Message>,
}

/// A request to relay messages.
#[derive(Clone, Copy, Debug)]
pub struct RelayMessages<'a> {
    /// The senders.
    pub senders: Senders<'a>,
    /// The maximum number of messages.
    pub limit: u32,
}

/// The runs whose messages are relayed.
#[derive(Clone, Copy, Debug)]
pub enum Senders<'a> {
    /// Those of these runs.
    Runs(&'a [RunId]),
    /// Runs that have had a message in the outbox for this long; its process may have died. A message that was sent
    /// in the future, before the clock was set back, counts as one of them.
    WaitingFor(Duration),
}

/// The result of relaying.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relayed {
    /// Messages delivered to inboxes.
    pub delivered: Vec<DeliveredMessage>,
    /// Messages that go to no inbox and were processed: starts of children, waits, ends of runs.
    pub carried_out: Vec<MessageKey>,
    /// Messages that became dead letters, with the reasons.
    pub set_aside: Vec<(MessageKey, DeadLetterReason)>,
    /// The first message of each sender that this build cannot read. It stays, with all later ones.
    pub unreadable: Vec<MessageKey>,
    /// Whether to call again: there are more messages than one call takes, or a run closed while its messages were
    /// processed.
    pub has_more: bool,
}

/// A message delivered to an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveredMessage {
    /// Its key.
    pub key: MessageKey,
    /// The run that received it.
    pub run_id: RunId,
    /// Its number in that run's inbox.
    pub seq: i64,
}
