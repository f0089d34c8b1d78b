//! The approximate size of requests and responses: users' data counts, other columns count nothing.

use super::{
    ActivityEnd, ActivityHeartbeat, ArrivalKind, AuditEntry, CommitStep, CompletePromise,
    Disposition, Effect, FinishActivity, FoundEnding, NewArrival, NewAuditEntry, NewRun,
    PromiseRecord, RunRecord,
};
use crate::machine::OperationOutcome;
use crate::model::{
    ChildEnd, ItemFailure, Message, Payload, PromiseMessage, PromiseOutcome, RunId, UpdateReply,
};

/// A macro, because statements are joined from literals.
macro_rules! max_answer_bytes {
    () => {
        4_194_304
    };
}

/// The maximum size of the states, arrivals or calls in one response, in bytes. A worker must have the whole
/// response in memory before it can begin. Two hundred states of 20 KB fit; for larger ones, the time depends on
/// the bytes and not on the number of responses. A single larger item is returned alone.
pub const MAX_ANSWER_BYTES: usize = max_answer_bytes!();

/// The maximum size in bytes of the arguments of a run, a state, a signal, a result or an activity's outcome, on
/// every database; larger values are refused before they are sent. Postgres closes the connection on messages of 1
/// GiB or more and keeps several copies of one; a row of SQLite has at most 1 GB. A start contains at most three
/// such values: arguments, the first state, which contains them again, and a signal.
pub const MAX_VALUE_BYTES: usize = 256 << 20;

/// SQL that decides whether a row of a subquery is part of the response, by its size `bytes` and the running total
/// `upto`.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
macro_rules! fits {
    ($row:literal) => {
        concat!(
            "(",
            $row,
            ".upto <= ",
            $crate::store::weight::max_answer_bytes!(),
            " OR ",
            $row,
            ".upto = ",
            $row,
            ".bytes)"
        )
    };
}
/// SQL for the size of a run's result and failure.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
macro_rules! ending_bytes {
    () => {
        "coalesce(octet_length(result), 0) + coalesce(octet_length(failure), 0)"
    };
}
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) use ending_bytes;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) use fits;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) use max_answer_bytes;

/// The size of a response so far.
#[derive(Debug, Default)]
pub(super) struct Answer {
    upto: usize,
}

impl Answer {
    /// Whether an item of this size is part of the response. After one that is not, none is.
    pub(super) fn takes(&mut self, bytes: usize) -> bool {
        self.upto = self.upto.saturating_add(bytes);
        self.upto <= MAX_ANSWER_BYTES || self.upto == bytes
    }
}

/// A value with a size.
pub(crate) trait Weight {
    /// Its size in bytes.
    fn weight(&self) -> usize;

    /// The size in bytes of its largest part that has a separate limit.
    fn largest(&self) -> usize {
        self.weight()
    }
}

/// A query writes nothing.
impl Weight for RunId {
    fn weight(&self) -> usize {
        0
    }
}

impl Weight for Payload {
    fn weight(&self) -> usize {
        self.as_bytes().len()
    }
}

impl<T: Weight> Weight for Option<T> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(0, T::weight)
    }
}

impl Weight for Box<CommitStep> {
    fn weight(&self) -> usize {
        let effects: usize = self.effects.iter().map(Effect::weight).sum();
        effects + self.disposition.weight() + self.last_snapshot.as_ref().map_or(0, Vec::len)
    }
}

impl Weight for Effect {
    fn weight(&self) -> usize {
        match self {
            Self::Enqueue(activity) => activity.call.len(),
            Self::GiveUp(_) | Self::Pause => 0,
            Self::Send(message) => message.to.len() + message.body.weight(),
            Self::SetAside(letter) => letter.reason.len(),
            Self::SetAttributes(changes) => changes.bytes(),
            Self::SetMemo(memo) => memo.bytes(),
            Self::Reply(reply) => reply.update.len() + reply.reply.weight(),
        }
    }
}

impl Weight for UpdateReply {
    fn weight(&self) -> usize {
        match self {
            Self::Replied(payload) | Self::Refused(payload) => payload.weight(),
            Self::Unreadable(reason) => reason.len(),
            Self::Dropped => 0,
        }
    }
}

impl Weight for Message {
    fn weight(&self) -> usize {
        match self {
            Self::Signal { name, payload } => name.len() + payload.weight(),
            Self::Cancel { reason } => reason.len(),
            Self::ToChild { body, .. } => body.weight(),
            Self::Start(start) => start.arguments.weight() + start.snapshot.len(),
            Self::AwaitChild { .. } | Self::Closed => 0,
            Self::Promise(message) => match &**message {
                PromiseMessage::Complete { outcome, .. }
                | PromiseMessage::Finish { outcome, .. } => outcome.weight(),
                PromiseMessage::Offer { item, .. } | PromiseMessage::Redrive { item, .. } => {
                    item.call.len()
                }
                PromiseMessage::Await { .. } | PromiseMessage::Forget { .. } => 0,
            },
        }
    }
}

impl Weight for PromiseOutcome {
    fn weight(&self) -> usize {
        match self {
            Self::Resolved(payload) | Self::Rejected(payload) => payload.weight(),
            Self::Unreadable { stored, .. } => stored.len(),
            Self::Broken(cause) => cause.chain().iter().map(String::len).sum(),
            Self::Expired => 0,
            Self::Failed(ItemFailure::Panicked(text) | ItemFailure::Unusable(text)) => text.len(),
            Self::Failed(_) => 0,
        }
    }
}

impl Weight for PromiseRecord {
    fn weight(&self) -> usize {
        self.outcome.weight()
    }
}

impl Weight for CompletePromise {
    fn weight(&self) -> usize {
        self.outcome.weight()
    }
}

impl Weight for Disposition {
    fn weight(&self) -> usize {
        match self {
            Self::Keep { snapshot, .. } | Self::Park { snapshot, .. } => snapshot.len(),
            Self::Close { result, failure, successor, .. } => {
                let next = successor.as_ref().map_or(0, |successor| successor.run.weight());
                result.weight() + failure.as_ref().map_or(0, String::len) + next
            }
            Self::Block { .. } => 0,
        }
    }
}

impl Weight for NewRun {
    fn weight(&self) -> usize {
        self.parts().iter().sum()
    }

    /// The first state contains the arguments again. Together they still fit in one message.
    fn largest(&self) -> usize {
        self.parts().into_iter().max().unwrap_or_default()
    }
}

impl NewRun {
    fn parts(&self) -> [usize; 3] {
        let first = self.first.as_ref().map_or(0, |first| first.kind.weight());
        [self.arguments.weight(), self.snapshot.len(), first]
    }
}

impl Weight for NewArrival {
    fn weight(&self) -> usize {
        self.kind.weight()
    }
}

impl Weight for ArrivalKind {
    fn weight(&self) -> usize {
        match self {
            Self::Signal { name, payload } => name.len() + payload.weight(),
            Self::Outcome { outcome, .. } => outcome.weight(),
            Self::Retry { failure, details, .. } => failure.len() + details.weight(),
            Self::Cancel { reason } | Self::TimedOut { reason } => reason.len(),
            Self::Unreadable { stored, .. } => stored.len(),
            Self::Interruption { .. } | Self::Pause => 0,
            Self::Heartbeat { details, .. } => details.weight(),
            Self::Update { name, id, payload } => name.len() + id.len() + payload.weight(),
        }
    }
}

impl Weight for OperationOutcome {
    fn weight(&self) -> usize {
        match self {
            Self::Returned(payload) => payload.weight(),
            Self::Panicked(text) | Self::Unusable(text) => text.len(),
            Self::Child(end) => match &**end {
                ChildEnd::Closed { result, failure, .. } => {
                    result.weight() + failure.as_ref().map_or(0, String::len)
                }
                ChildEnd::IdTaken { .. } | ChildEnd::Unknown => 0,
            },
            Self::Promise(outcome) => outcome.weight(),
            Self::TimedOut(_) | Self::Cancelled | Self::Unknown => 0,
        }
    }
}

impl Weight for FoundEnding {
    fn weight(&self) -> usize {
        match self {
            Self::Closed(ending) => {
                ending.result.weight() + ending.failure.as_ref().map_or(0, String::len)
            }
            Self::Open | Self::Unknown => 0,
        }
    }
}

impl Weight for RunRecord {
    fn weight(&self) -> usize {
        let values = self.attributes.iter().map(|(name, value)| name.len() + value.bytes());
        let labels = values.sum::<usize>() + self.memo.bytes();
        self.result.weight() + self.failure.as_ref().map_or(0, String::len) + labels
    }
}

impl Weight for AuditEntry {
    fn weight(&self) -> usize {
        let NewAuditEntry { who, action, reason, details } = &self.entry;
        who.len() + action.len() + reason.len() + details.as_ref().map_or(0, String::len)
    }
}

impl Weight for ActivityHeartbeat {
    fn weight(&self) -> usize {
        self.details.weight()
    }
}

impl Weight for FinishActivity {
    fn weight(&self) -> usize {
        match &self.end {
            ActivityEnd::Outcome(outcome) => outcome.weight(),
            ActivityEnd::Failed { outcome, failure } => outcome.weight() + failure.len(),
            ActivityEnd::Retry { failure, details, .. } => details.weight() + failure.len(),
            ActivityEnd::Later | ActivityEnd::PutBack { .. } => 0,
        }
    }
}
