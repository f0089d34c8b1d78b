//! Promises: values that runs await and others provide.

use async_trait::async_trait;
use uuid::Uuid;

use crate::codec;
use crate::error::StoreError;
use crate::model::{
    PromiseKey, PromiseOutcome, PromiseToken, PromiseTypes, RunId, SchemaHash, Timestamp,
};

/// Promises and the runs that await them.
///
/// A promise has a row from its first wait or its completion on. Its key is the key of its run. If it is awaited or
/// completed under a workflow id that no run has had yet, the row has the workflow id as its key. A run with that
/// id takes the row over at the next operation on the promise; while others wait for the promise,
/// [`settle_promises`](Self::settle_promises) looks for such a run from time to time. An outcome, once stored,
/// never changes.
///
/// A run awaits a promise, withdraws a wait or completes a promise by a message
/// ([`PromiseMessage`](crate::model::PromiseMessage)), which [`relay_messages`](super::Messages::relay_messages)
/// takes from the outbox and carries out in the same transaction. A wait has a row until the outcome is in the
/// inbox of the waiting run: one transaction delivers the outcome and deletes the row, so it is delivered once. A
/// completion delivers to at most [`MAX_AT_ONCE`] waits in its own transaction; the others become due at once and
/// are [settled](Promises::settle_promises) in later transactions.
///
/// The rules common to all methods are documented at [`Store`](super::Store). Methods that change promises lock the
/// waiting runs and the promises' own runs in their order, then the promises.
#[async_trait]
pub trait Promises: Send + Sync {
    /// Completes promises, in this order, each independently. Returns outcomes in the order of `completions`. The
    /// first completion counts; a repetition of it (with the same id) returns the same outcome. Makes waiting runs
    /// due, unless they are owned or blocked.
    ///
    /// Guards, once everything is locked: the promise's run, if it exists, is of the workflow that the token names, or
    /// was found to mean; the run is open; the promise has no outcome and has not expired by the database's clock; the
    /// value has the schema of those who await it, or was found to fit that.
    async fn complete_promises(
        &self,
        completions: Vec<CompletePromise>,
    ) -> Result<Vec<CompletionOutcome>, StoreError>;

    /// Does the due work of at most `limit` promises: expires those not completed in time, delivers outcomes to
    /// waiting runs, and hands promises awaited under a workflow id to the run that has the id by now, or ends them
    /// if that run is closed. Returns whether to call again. Any number of processes may call it at the same time.
    async fn settle_promises(&self, limit: u32) -> Result<bool, StoreError>;

    /// A promise. A workflow id names the open run that has it, or else the one started last. Locks nothing.
    async fn find_promise(&self, key: &PromiseKey) -> Result<Option<PromiseRecord>, StoreError>;

    /// The promises that match, ordered by the text of their keys: at most `limit`, and as many as fit in one
    /// response, but at least one if there is one. With `after`, only those after it. Locks nothing.
    async fn list_promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError>;
}

/// The maximum number of waits to which one transaction delivers an outcome.
pub const MAX_AT_ONCE: u32 = 200;

/// A completion of a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletePromise {
    /// Which promise.
    pub token: PromiseToken,
    /// The outcome.
    pub outcome: PromiseOutcome,
    /// The id by which a repetition of this completion is detected.
    pub completion: Uuid,
    /// A schema that the value or error was found to fit although it has another one.
    pub fits: Option<SchemaHash>,
    /// A workflow that the token was found to mean although it names another one.
    pub means: Option<String>,
}

impl CompletePromise {
    /// A completion that is not checked yet.
    pub(crate) fn new(token: PromiseToken, outcome: PromiseOutcome, completion: Uuid) -> Self {
        Self { token, outcome, completion, fits: None, means: None }
    }

    /// Whether it may complete a promise of a run of this workflow.
    pub(crate) fn is_for(&self, workflow: &str) -> bool {
        self.token.workflow() == workflow || self.means.as_deref() == Some(workflow)
    }

    /// The schema that the value or error has to fit by these types, if that must be checked first.
    pub(crate) fn unchecked(&self, types: PromiseTypes) -> Option<SchemaHash> {
        let (payload, expected) = match &self.outcome {
            PromiseOutcome::Resolved(payload) => (payload, types.resolved),
            PromiseOutcome::Rejected(payload) => (payload, types.rejected),
            _ => return None,
        };
        let hash = codec::schema_of(payload)?;
        (hash != expected && self.fits != Some(expected)).then_some(expected)
    }
}

/// The result of a completion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionOutcome {
    /// This completion was the first and counts.
    Completed,
    /// The promise was completed before; its outcome stays.
    Already(PromiseOutcome),
    /// Those who await the promise read values of this schema. The completion has another one, so it has to be checked
    /// first.
    OtherType(SchemaHash),
    /// The promise's run is of this workflow, and the token names another one, so it has to be checked first.
    OtherWorkflow(RunId, String),
    /// The promise's run is closed, and the promise had no outcome.
    Closed(RunId),
    /// There is no such run.
    Unknown(RunId),
}

/// A promise, as stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromiseRecord {
    /// Its key and kind.
    pub token: PromiseToken,
    /// The schemas that a waiting run can read, once a run has waited.
    pub types: Option<PromiseTypes>,
    /// Its outcome, if it has one.
    pub outcome: Option<PromiseOutcome>,
    /// When its row was created.
    pub made_at: Timestamp,
    /// When it was completed or expired.
    pub completed_at: Option<Timestamp>,
    /// When it expires, if it has a limit and no outcome.
    pub expires_at: Option<Timestamp>,
    /// For an item of a queue, the id used in place of the run id by the activity that completes it.
    pub item: Option<RunId>,
    /// Number of waits to which its outcome has not been delivered.
    pub waits: u64,
}

/// A filter for promises; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromiseFilter {
    /// The promises' run.
    pub run_id: Option<RunId>,
    /// Whether they have no outcome yet.
    pub is_open: Option<bool>,
}
