//! What runs send to other workflows, and how it gets there.

use std::time::Duration;

use crate::model::{Message, PromiseMessage, RunId, StepNo};
use crate::store::{ArrivalKind, DeadLetterReason};

/// What a message is where it goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Delivered {
    /// It goes into the inbox of the run that it is for.
    Arrival(ArrivalKind),
    /// It goes to a promise.
    Promise(PromiseMessage),
}

impl From<Message> for Delivered {
    fn from(message: Message) -> Self {
        match message {
            Message::Signal { name, payload } => {
                Self::Arrival(ArrivalKind::Signal { name: name.into_owned(), payload })
            }
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
