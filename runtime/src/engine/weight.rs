//! How much a request writes, roughly: what comes from users, and nothing for the rest.

use crate::machine::OperationOutcome;
use crate::model::{Payload, RunId};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ArrivalKind, CommitStep, Disposition, FinishActivity,
    NewArrival, NewRun,
};

/// Something that is written to the database.
pub(crate) trait Weight {
    /// Its bytes.
    fn weight(&self) -> usize;
}

/// A question writes nothing.
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
        let calls: usize = self.activities.iter().map(|activity| activity.call.len()).sum();
        calls + self.disposition.weight()
    }
}

impl Weight for Disposition {
    fn weight(&self) -> usize {
        match self {
            Self::Keep { snapshot, .. } | Self::Park { snapshot, .. } => snapshot.len(),
            Self::Close { result, failure, .. } => {
                result.weight() + failure.as_ref().map_or(0, String::len)
            }
            Self::Block { .. } => 0,
        }
    }
}

impl Weight for NewRun {
    fn weight(&self) -> usize {
        let first = self.first.as_ref().map_or(0, |first| first.kind.weight());
        self.arguments.weight() + self.snapshot.len() + first
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
            Self::Cancel { reason } => reason.len(),
            Self::Interruption { .. } => 0,
            Self::Heartbeat { details, .. } => details.weight(),
        }
    }
}

impl Weight for OperationOutcome {
    fn weight(&self) -> usize {
        match self {
            Self::Returned(payload) => payload.weight(),
            Self::Panicked(text) | Self::Unusable(text) => text.len(),
            Self::TimedOut(_) | Self::Cancelled | Self::Unknown => 0,
        }
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
            ActivityEnd::Retry { details, .. } => details.weight(),
            ActivityEnd::Later | ActivityEnd::PutBack { .. } => 0,
        }
    }
}
