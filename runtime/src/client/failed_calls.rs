//! Calls on a queue that have failed for good: listed, put on the queue again, and discarded.

use super::queues::QueueHandle;
use crate::engine::backoff::patiently;
use crate::engine::queues::QueuedCall;
use crate::error::StoreError;
use crate::model::{Payload, RunId, Timestamp};
use crate::store::{
    ActivityKey, FailedCall as StoredCall, FailedCallId, FailedCallQuery, RedriveCall,
    RelayMessages, Senders,
};

/// The number of calls that are put on the queue again in one transaction.
const PAGE: u32 = 100;

/// A call on a queue that has failed for good, see [`QueueHandle::failed`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FailedCall {
    /// Its id, for [`QueueHandle::redrive`] and [`QueueHandle::discard`].
    pub id: FailedCallId,
    /// The activity's stored name.
    pub activity: String,
    /// The key, if it is an item.
    pub key: Option<String>,
    /// The partition of the queue; empty means none.
    pub partition: String,
    /// The workflow id of the run that made the call; of an item, the first call.
    pub workflow_id: String,
    /// That run; `None` for an item, and for a call that was put on the queue again before.
    pub run_id: Option<RunId>,
    /// The encoded arguments; [`Client::payload_json`](super::Client::payload_json) decodes them.
    pub arguments: Payload,
    /// The number of attempts.
    pub attempts: u32,
    /// The error of the last attempt, at most 4 KiB.
    pub failure: String,
    /// When the last attempt failed, by the database's clock.
    pub failed_at: Timestamp,
}

impl QueueHandle<'_> {
    /// The calls on the queue that have failed for good, by id, at most `limit`: activities whose last attempt ended
    /// with an error, a panic or a time limit. With `after`, only those after it. Does not include activities that
    /// their runs have cancelled.
    ///
    /// A failed call is kept for 7 days, or as set by
    /// [`Retention::failed_calls`](crate::worker::Retention::failed_calls), but not longer than its run.
    ///
    /// # Errors
    /// See [`Client::find`](super::Client::find).
    pub async fn failed(
        &self,
        after: Option<FailedCallId>,
        limit: u32,
    ) -> Result<Vec<FailedCall>, StoreError> {
        let mut calls: Vec<FailedCall> = Vec::new();
        loop {
            let after = calls.last().map(|last| last.id).or(after);
            let page = self.page(None, after, limit - calls.len() as u32).await?;
            let is_over = page.is_empty();
            for stored in page {
                calls.push(shown(stored)?);
            }
            if is_over || calls.len() as u32 >= limit {
                return Ok(calls);
            }
        }
    }

    /// Puts failed calls on the queue again, with the same arguments and options and the full number of attempts. The
    /// numbers of attempts continue. Returns how many of the calls existed; the others were put on the queue or
    /// discarded before, or are on another queue.
    ///
    /// A run that has received the failure does not receive the new outcome. The new outcome of an item replaces the
    /// failure under its key, and later calls with the key get it. If the queue has another item with the key by now,
    /// the failed one is dropped. The outcome of a call without a key is discarded; the
    /// [`ActivityContext`](crate::activities::ActivityContext) of its attempts has a new run id. A call that fails
    /// again is listed again, with a new id.
    ///
    /// Can be repeated safely. If it is cancelled, or retried internally after a lost response of the database, it may
    /// have put more calls on the queue than it returns, each once.
    ///
    /// # Errors
    /// See [`Client::find`](super::Client::find); [`StoreError::Corrupt`] if a call cannot be read.
    pub async fn redrive(&self, ids: &[FailedCallId]) -> Result<u64, StoreError> {
        let mut redriven = 0;
        for ids in ids.chunks(PAGE as usize) {
            let mut after = None;
            loop {
                let page = self.page(Some(ids), after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after = Some(last.id);
                redriven += self.redrive_page(page).await?;
            }
        }
        Ok(redriven)
    }

    /// Puts all calls on the queue again that have failed until now; otherwise like [`QueueHandle::redrive`].
    ///
    /// # Errors
    /// Those of [`QueueHandle::redrive`].
    pub async fn redrive_all(&self) -> Result<u64, StoreError> {
        let begun_at = patiently(|| self.client.store().now()).await?;
        let (mut redriven, mut after) = (0, None);
        loop {
            let mut page = self.page(None, after, PAGE).await?;
            after = page.last().map(|last| last.id);
            // Leave those that have failed again meanwhile.
            page.retain(|call| call.failed_at <= begun_at);
            if page.is_empty() {
                return Ok(redriven);
            }
            redriven += self.redrive_page(page).await?;
        }
    }

    /// Deletes failed calls of the queue. Returns how many of them existed. Can be repeated safely.
    ///
    /// # Errors
    /// See [`Client::find`](super::Client::find).
    pub async fn discard(&self, ids: &[FailedCallId]) -> Result<u64, StoreError> {
        patiently(|| self.client.store().discard_failed_calls(&self.name, ids)).await
    }

    async fn page(
        &self,
        ids: Option<&[FailedCallId]>,
        after: Option<FailedCallId>,
        limit: u32,
    ) -> Result<Vec<StoredCall>, StoreError> {
        let query = FailedCallQuery { queue: &self.name, ids, after, limit };
        patiently(|| self.client.store().list_failed_calls(query)).await
    }

    async fn redrive_page(&self, page: Vec<StoredCall>) -> Result<u64, StoreError> {
        let store = self.client.store();
        let now = patiently(|| store.now()).await?;
        let items = page.iter().filter(|call| call.item.is_some());
        let senders: Vec<RunId> = items.map(|call| call.key.run_id).collect();
        let mut calls = Vec::with_capacity(page.len());
        for StoredCall { id, call, attempts, .. } in page {
            let call = read(call)?.again(attempts, now).on_queue(ActivityKey::OF_ITEM);
            let (call, limits) = (call.call, call.limits);
            calls.push(RedriveCall { id, run_id: store.new_run_id(), call, limits });
        }
        let redriven = patiently(|| store.redrive_calls(&self.name, calls.clone())).await?;
        if !senders.is_empty() {
            // Workers relay what is left here.
            let senders = Senders::Runs(&senders);
            let _ = store.relay_messages(RelayMessages { senders, limit: PAGE }).await;
        }
        Ok(redriven)
    }
}

fn shown(stored: StoredCall) -> Result<FailedCall, StoreError> {
    let QueuedCall { workflow_id, activity: call } = read(stored.call)?;
    let StoredCall { id, key, activity, attempts, failure, failed_at, item, partition, .. } =
        stored;
    let run_id = (!key.is_item()).then_some(key.run_id);
    let (key, arguments) = (item.map(|(key, _)| key), call.arguments);
    Ok(FailedCall {
        id,
        activity,
        key,
        partition,
        workflow_id,
        run_id,
        arguments,
        attempts,
        failure,
        failed_at,
    })
}

fn read(call: Vec<u8>) -> Result<QueuedCall, StoreError> {
    QueuedCall::read(call, 0, 0).map_err(|error| StoreError::Corrupt {
        what: "call of an activity",
        reason: error.to_string(),
    })
}
