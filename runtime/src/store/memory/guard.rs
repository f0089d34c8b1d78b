//! What keeps the rows right, one by one.

use super::MemoryStore;
use super::state::State;

/// A condition of transitions, or a part of one, that an in-memory store can do without, to see that a
/// test notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Only a worker with a valid lease writes.
    Lease,
    /// Only the owner of a run commits its steps.
    Owner,
    /// A step is committed after the one before it.
    StepNo,
    /// A run that is started twice is there once.
    RunId,
    /// There is one open run of a workflow id.
    WorkflowId,
    /// What is sent twice with one key arrives once.
    DedupKey,
    /// What a step has used up is gone.
    Consumed,
    /// A run that is parked is due if something has arrived meanwhile.
    Unread,
    /// A run is claimed by one worker.
    Claim,
    /// What a fenced worker had goes to others.
    TakeOver,
    /// An attempt of an activity on a queue is ended by those who may end it.
    Reporter,
    /// What is said of an earlier attempt is stale.
    Attempt,
    /// A message that was delivered is no longer in the outbox.
    Outbox,
    /// A wait for a child is gone once it was told of the child's end.
    ChildWait,
    /// A child is treated by its policy when its parent is over.
    Attached,
    /// A promise is completed once.
    Outcome,
    /// A wait for a promise is gone once it was told of the outcome.
    PromiseWait,
    /// A paused run is given to nobody.
    Paused,
    /// A run that is resumed is due.
    Resumed,
    /// A run that is opened again has no open run with its workflow id beside it.
    Reopened,
    /// A run is started only after such runs as the policy of the start allows.
    IdReuse,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 21] = [
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
    ];
}

impl MemoryStore {
    /// Does without a guard from now on, on all connections. For tests of tests.
    pub fn leave_out(&self, guard: Guard) {
        self.lock().left_out.insert(guard);
    }
}

impl State {
    /// Whether the condition of a guard holds, or does not count.
    pub(super) fn guard(&self, guard: Guard, holds: bool) -> bool {
        holds || self.lacks(guard)
    }

    /// Whether it does without a guard.
    pub(super) fn lacks(&self, guard: Guard) -> bool {
        self.left_out.contains(&guard)
    }
}
