//! The outbox: messages to other runs, and their delivery.

use std::time::Duration;

use crate::model::{ChildStart, Handle, Message, PromiseMessage, RunId, StepNo};
use crate::store::{ArrivalKind, DeadLetterReason};

/// What becomes of a message when it is relayed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Errand {
    /// It goes to the inbox of a run.
    Deliver {
        /// The run has to belong to the chain that begins with this one.
        chain: Option<RunId>,
        /// What it is there.
        kind: ArrivalKind,
    },
    /// A child is started.
    Start(Box<ChildStart>),
    /// The sender waits for a child.
    Await(AwaitedChild),
    /// The sender is over.
    Close,
    /// It goes to a promise.
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

/// One message of one run; no other message ever has the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageKey {
    /// The run that sent it.
    pub run_id: RunId,
    /// Its place among the messages of that run.
    pub seq: i64,
}

impl MessageKey {
    /// The most messages that one step can send.
    pub const MAX_PER_STEP: usize = 1 << Self::INDEX_BITS;

    /// A run that commits ten thousand steps a second runs out of numbers after 27 years.
    const INDEX_BITS: u32 = 20;

    /// The key of message number `index`, from 0, of the step that was made when the run had `step_no`
    /// commits. `None` beyond [`MessageKey::MAX_PER_STEP`].
    pub fn of(run_id: RunId, step_no: StepNo, index: usize) -> Option<Self> {
        let index = i64::try_from(index).ok().filter(|_| index < Self::MAX_PER_STEP)?;
        let first = step_no.0.checked_mul(1 << Self::INDEX_BITS)?;
        Some(Self { run_id, seq: first.checked_add(index)? })
    }

    /// The key of the message that a run is over, which has so many commits then: behind all that it has sent. A run
    /// that is opened again counts one commit more.
    pub(crate) fn of_close(run_id: RunId, step_no: StepNo) -> Self {
        let first = step_no.0.saturating_mul(1 << Self::INDEX_BITS);
        Self { run_id, seq: first.saturating_add(Self::LAST_INDEX) }
    }

    /// What [`MessageKey::of_close`] adds to a number of commits that is shifted by [`MessageKey::INDEX_BITS`].
    const LAST_INDEX: i64 = (1 << Self::INDEX_BITS) - 1;
}

/// Which messages are to be relayed.
#[derive(Clone, Copy, Debug)]
pub struct RelayMessages<'a> {
    /// Whose.
    pub senders: Senders<'a>,
    /// How many at most.
    pub limit: u32,
}

/// Whose messages are to be relayed.
#[derive(Clone, Copy, Debug)]
pub enum Senders<'a> {
    /// Those of these runs.
    Runs(&'a [RunId]),
    /// Those of runs that have had one in the outbox for so long: what a process that has died left.
    WaitingFor(Duration),
}

/// What became of messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relayed {
    /// Those that are in an inbox now.
    pub delivered: Vec<DeliveredMessage>,
    /// Those for no inbox that have been carried out: children are started, or waited for, or a run has closed.
    pub carried_out: Vec<MessageKey>,
    /// Those that are dead letters now, each with why.
    pub set_aside: Vec<(MessageKey, DeadLetterReason)>,
    /// The first message of each sender that this build cannot read. It was left, with those behind it.
    pub unreadable: Vec<MessageKey>,
    /// Whether the caller should ask again: more is there than one call takes, or a run has closed while
    /// its messages were on their way.
    pub has_more: bool,
}

/// A message that is in an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveredMessage {
    /// Which one.
    pub key: MessageKey,
    /// The run that has got it.
    pub run_id: RunId,
    /// Its number in that run's inbox.
    pub seq: i64,
}
