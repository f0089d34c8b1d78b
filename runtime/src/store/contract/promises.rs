//! Promises: values that runs await and others provide.

use async_trait::async_trait;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{PromiseKey, PromiseOutcome, PromiseToken, PromiseTypes, RunId, Timestamp};

/// Promises and the runs that await them.
///
/// A promise is a row from when it is first awaited or completed. Its key is that of the run whose it is. Only what is
/// awaited or completed for a workflow id that no run has had yet has a row by that. A run with the workflow id takes the
/// row over when something is done with the promise; while others await it, [`settle_promises`](Self::settle_promises)
/// looks for such a run from time to time. Once a promise has an outcome, that never changes.
///
/// Runs say that they await one, or no longer do, or complete one, by messages
/// ([`PromiseMessage`](crate::model::PromiseMessage)), which
/// [`relay_messages`](super::Messages::relay_messages) takes out of the outbox and carries out in the same
/// transaction. A wait is a row from then until the outcome is in the inbox of the run: one transaction puts it there
/// and deletes the row, so it is delivered once. What is completed delivers to at most
/// [`MAX_AT_ONCE`] waits in its own transaction; the others are due at once and are
/// [settled](Promises::settle_promises) in later ones.
///
/// What holds for all methods is said at [`Store`](super::Store). All that change promises lock the runs that are
/// waiting or whose promise it is, in their order, and then the promises.
#[async_trait]
pub trait Promises: Send + Sync {
    /// Completes promises, in this order, each on its own. The outcomes are in the order of `completions`. The first
    /// completion counts; one with the id of that is told the same as that was. Makes the waiting runs due that
    /// nobody owns and that are not blocked.
    ///
    /// Guards, once everything is locked: the run whose promise it is is open, the promise has no outcome and has
    /// not expired by the database's clock.
    async fn complete_promises(
        &self,
        completions: Vec<CompletePromise>,
    ) -> Result<Vec<CompletionOutcome>, StoreError>;

    /// Does what is due of at most `limit` promises: those that nobody has completed in time expire, outcomes
    /// that are there go to the runs that are still waiting, and what is awaited by a workflow id is taken over by the run
    /// that has it by now, or ends if that run is closed. Returns whether the caller should ask again. Any number of
    /// processes may call it at any time.
    async fn settle_promises(&self, limit: u32) -> Result<bool, StoreError>;

    /// What is known of a promise. A workflow id stands for the run that has it: the open one, or else the one that
    /// was started last. Locks nothing.
    async fn find_promise(&self, key: &PromiseKey) -> Result<Option<PromiseRecord>, StoreError>;

    /// The promises that match, in the order of their keys' texts, at most `limit` and as far as they fit one answer;
    /// with `after`, only those behind it. If there is one, there is one in the answer. Locks nothing.
    async fn list_promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError>;
}

/// To how many waits a promise delivers its outcome in one transaction.
pub const MAX_AT_ONCE: u32 = 200;

/// A completion of a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletePromise {
    /// Which promise.
    pub token: PromiseToken,
    /// What it comes to.
    pub outcome: PromiseOutcome,
    /// By which a repetition of this completion is known.
    pub completion: Uuid,
}

/// What a completion of a promise has done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionOutcome {
    /// This completion is the first, and counts.
    Completed,
    /// The promise was completed before; its outcome stays.
    Already(PromiseOutcome),
    /// The run whose promise it is is closed, and it had come to nothing.
    Closed(RunId),
    /// There is no such run.
    Unknown(RunId),
}

/// What is known of a promise.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromiseRecord {
    /// Which one.
    pub token: PromiseToken,
    /// The schemas of what a run that awaits it can read, once one has.
    pub types: Option<PromiseTypes>,
    /// What it has come to.
    pub outcome: Option<PromiseOutcome>,
    /// Since when there is a row of it.
    pub made_at: Timestamp,
    /// When it was completed or expired.
    pub completed_at: Option<Timestamp>,
    /// When it expires, if it does and has not been completed.
    pub expires_at: Option<Timestamp>,
    /// What stands for the run of the activity that completes it, of an item of a queue.
    pub item: Option<RunId>,
    /// How many waits there are to which its outcome has not been delivered.
    pub waits: u64,
}

/// Which promises are meant; what is `None` does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromiseFilter {
    /// The run whose promises they are.
    pub run_id: Option<RunId>,
    /// Whether they have come to nothing yet.
    pub is_open: Option<bool>,
}
