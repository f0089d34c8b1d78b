//! Activities on queues that have failed for good: listed, put on their queue again, and discarded.

use std::time::Duration;

use async_trait::async_trait;

use super::activities::{ActivityKey, ActivityLimits};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};

/// Calls on queues whose last attempt has failed, see [`ActivityEnd::Failed`](super::activities::ActivityEnd::Failed).
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait FailedCalls: Send + Sync {
    /// The failed calls of a queue in the order of their ids, at most `limit` and as far as they fit one answer. If there
    /// is one, there is one in the answer. Locks nothing.
    async fn list_failed_calls(
        &self,
        query: FailedCallQuery<'_>,
    ) -> Result<Vec<FailedCall>, StoreError>;

    /// The failed call that was this activity, if it is still kept. Locks nothing.
    async fn find_failed_call(&self, key: ActivityKey) -> Result<Option<FailedCall>, StoreError>;

    /// Puts failed calls on their queue again, each in one transaction with the removal of its row. A call that is gone,
    /// or is on another queue, is passed over. Returns how many there were.
    ///
    /// The call of an item goes to the item's promise by a message from the outbox, see
    /// [`PromiseMessage::Redrive`](crate::model::PromiseMessage::Redrive). Any other call becomes an activity that belongs to
    /// no run. Announces the queue. Locks the rows of the failed calls in the order of their ids.
    async fn redrive_calls(&self, queue: &str, calls: Vec<RedriveCall>) -> Result<u64, StoreError>;

    /// Deletes failed calls of a queue. Returns how many of them were there.
    async fn discard_failed_calls(
        &self,
        queue: &str,
        ids: &[FailedCallId],
    ) -> Result<u64, StoreError>;

    /// Deletes calls that failed so long ago, by the database's clock, the oldest first and at most `limit`. Returns how
    /// many. Finding none writes nothing.
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

/// Which failed calls are asked for.
#[derive(Clone, Copy, Debug)]
pub struct FailedCallQuery<'a> {
    /// Those of this queue.
    pub queue: &'a str,
    /// Only these.
    pub ids: Option<&'a [FailedCallId]>,
    /// Only those behind this one.
    pub after: Option<FailedCallId>,
    /// At most so many.
    pub limit: u32,
}

/// A call on a queue that has failed for good.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedCall {
    /// Its id.
    pub id: FailedCallId,
    /// The activity that it was.
    pub key: ActivityKey,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// See [`NewActivity::call`](super::activities::NewActivity::call).
    pub call: Vec<u8>,
    /// How many attempts were begun.
    pub attempts: u32,
    /// What went wrong in the last one, for people.
    pub failure: String,
    /// When that was.
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
    /// Which one.
    pub id: FailedCallId,
    /// Stands for the run of the new activity, unless the failed one was an item or has such an id.
    pub run_id: RunId,
    /// See [`NewActivity::call`](super::activities::NewActivity::call).
    pub call: Vec<u8>,
    /// The time limits.
    pub limits: ActivityLimits,
}
