//! The guards of transitions, each of which can be switched off.

use super::MemoryStore;
use super::state::State;

/// A condition of transitions, or a part of one. Tests switch it off in an in-memory store to check that they
/// notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Only a worker with a valid lease writes.
    Lease,
    /// Only the owner of a run commits its steps.
    Owner,
    /// A step is committed after the one before it.
    StepNo,
    /// A repeated start of a run has no effect.
    RunId,
    /// There is one open run of a workflow id.
    WorkflowId,
    /// Messages with the same key are delivered once.
    DedupKey,
    /// Arrivals consumed by a step are removed.
    Consumed,
    /// A run that parks is due if it has unread arrivals.
    Unread,
    /// A run is claimed by one worker.
    Claim,
    /// The runs of a fenced worker are released.
    TakeOver,
    /// Only those with the right to end an attempt of a queued activity may end it.
    Reporter,
    /// Reports on an earlier attempt are stale.
    Attempt,
    /// A message that was delivered is no longer in the outbox.
    Outbox,
    /// A wait for a child is removed when the child's end is delivered.
    ChildWait,
    /// A child is treated by its policy when its parent closes.
    Attached,
    /// A promise is completed once.
    Outcome,
    /// A wait for a promise is removed when the outcome is delivered.
    PromiseWait,
    /// A paused run is given to nobody.
    Paused,
    /// A run that is resumed is due.
    Resumed,
    /// A run that is opened again has no open run with its workflow id beside it.
    Reopened,
    /// A run is started only after such runs as the policy of the start allows.
    IdReuse,
    /// Attempts on a partitioned queue begin only within its limits.
    Limits,
    /// A call that has failed is put on its queue again once.
    FailedCall,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::Lease,
        Self::Owner,
        Self::StepNo,
        Self::RunId,
        Self::WorkflowId,
        Self::DedupKey,
        Self::Consumed,
        Self::Unread,
        Self::Claim,
        Self::TakeOver,
        Self::Reporter,
        Self::Attempt,
        Self::Outbox,
        Self::ChildWait,
        Self::Attached,
        Self::Outcome,
        Self::PromiseWait,
        Self::Paused,
        Self::Resumed,
        Self::Reopened,
        Self::IdReuse,
        Self::Limits,
        Self::FailedCall,
    ];
}

impl MemoryStore {
    /// Switches a guard off from now on, on all connections. For tests of tests.
    pub fn leave_out(&self, guard: Guard) {
        self.lock().left_out.insert(guard);
    }
}

impl State {
    /// Whether the condition of a guard holds, or the guard is off.
    pub(super) fn guard(&self, guard: Guard, holds: bool) -> bool {
        holds || self.lacks(guard)
    }

    /// Whether a guard is off.
    pub(super) fn lacks(&self, guard: Guard) -> bool {
        self.left_out.contains(&guard)
    }
}
