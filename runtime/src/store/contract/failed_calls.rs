//! Activities on queues that have failed for good: listed, put on their queue again, and discarded.

use std::time::Duration;

use async_trait::async_trait;

use super::activities::{ActivityKey, ActivityLimits};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};

/// Calls on queues whose last attempt has failed, see [`ActivityEnd::Failed`](super::activities::ActivityEnd::Failed).
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait FailedCalls: Send + Sync {
    /// The failed calls of a queue in the order of their ids, at most `limit`, and as many as fit in one response, but
    /// at least one if there is one. Locks nothing.
    async fn list_failed_calls(
        &self,
        query: FailedCallQuery<'_>,
    ) -> Result<Vec<FailedCall>, StoreError>;

    /// The failed call of this activity, if it is still kept. Locks nothing.
    async fn find_failed_call(&self, key: ActivityKey) -> Result<Option<FailedCall>, StoreError>;

    /// Puts failed calls on their queue again, each in one transaction with the removal of its row. Skips calls that do
    /// not exist any more or are on another queue. Returns the number of the others.
    ///
    /// The call of an item goes to the item's promise as a message in the outbox, see
    /// [`PromiseMessage::Redrive`](crate::model::PromiseMessage::Redrive). Any other call becomes an activity without a
    /// run. Announces the queue. Locks the rows of the failed calls in the order of their ids.
    async fn redrive_calls(&self, queue: &str, calls: Vec<RedriveCall>) -> Result<u64, StoreError>;

    /// Deletes failed calls of a queue. Returns how many of them existed.
    async fn discard_failed_calls(
        &self,
        queue: &str,
        ids: &[FailedCallId],
    ) -> Result<u64, StoreError>;

    /// Deletes calls that failed longer than `age` ago, by the database's clock, the oldest first and at most `limit`.
    /// Returns how many. Writes nothing if there are none.
    async fn remove_failed_calls(&self, age: Duration, limit: u32) -> Result<u64, StoreError>;
}

/// The id of a failed call. Ids are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailedCallId(pub i64);

impl std::fmt::Display for FailedCallId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A query for failed calls.
#[derive(Clone, Copy, Debug)]
pub struct FailedCallQuery<'a> {
    /// The queue.
    pub queue: &'a str,
    /// Only these.
    pub ids: Option<&'a [FailedCallId]>,
    /// Only calls after this one.
    pub after: Option<FailedCallId>,
    /// The maximum number of calls.
    pub limit: u32,
}

/// A call on a queue that has failed for good.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedCall {
    /// Its id.
    pub id: FailedCallId,
    /// The activity.
    pub key: ActivityKey,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// See [`NewActivity::call`](super::activities::NewActivity::call).
    pub call: Vec<u8>,
    /// The number of attempts.
    pub attempts: u32,
    /// The error of the last attempt, as text for users.
    pub failure: String,
    /// When the last attempt failed.
    pub failed_at: Timestamp,
    /// The priority on the queue.
    pub priority: i16,
    /// The partition of the queue; empty means none.
    pub partition: String,
    /// The item's key, and for how long it is kept.
    pub item: Option<(String, Duration)>,
}

/// A failed call that is put on its queue again.
#[derive(Clone, Debug, PartialEq)]
pub struct RedriveCall {
    /// The id of the call.
    pub id: FailedCallId,
    /// Used in place of the run id of the new activity, unless the failed one was an item or has such an id already.
    pub run_id: RunId,
    /// See [`NewActivity::call`](super::activities::NewActivity::call).
    pub call: Vec<u8>,
    /// The time limits.
    pub limits: ActivityLimits,
}
