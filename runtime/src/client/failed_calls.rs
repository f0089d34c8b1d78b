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

/// How many are put on the queue again in one transaction.
const PAGE: u32 = 100;

/// A call on a queue that has failed for good, see [`QueueHandle::failed`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FailedCall {
    /// Its id, for [`QueueHandle::redrive`] and [`QueueHandle::discard`].
    pub id: FailedCallId,
    /// The activity's stored name.
    pub activity: String,
    /// The key of an item.
    pub key: Option<String>,
    /// The partition of the queue; empty means none.
    pub partition: String,
    /// The workflow id of the run that made the call; of an item, the first call.
    pub workflow_id: String,
    /// That run; `None` of an item, and of a call that was put on the queue again before.
    pub run_id: Option<RunId>,
    /// The arguments, as they are stored; [`Client::payload_json`](super::Client::payload_json) shows them.
    pub arguments: Payload,
    /// How many attempts were begun.
    pub attempts: u32,
    /// What went wrong in the last one: at most 4 KiB of it.
    pub failure: String,
    /// When that was, by the database's clock.
    pub failed_at: Timestamp,
}

impl QueueHandle<'_> {
    /// The calls on the queue that have failed for good, those with the lowest ids first, at most `limit`: activities
    /// whose last attempt ended with an error, a panic or a time limit. With `after`, only those behind it. An activity
    /// that its run gave up is not among them.
    ///
    /// A failed call is kept for 7 days, unless [`Retention::failed_calls`](crate::worker::Retention::failed_calls) says
    /// otherwise, and for as long as its run is.
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

    /// Puts failed calls on the queue again, with the same arguments and options, and as many attempts as at first.
    /// Attempts are numbered on. Returns how many of the calls there were; others were put on the queue or discarded
    /// before, or are on another queue.
    ///
    /// A run that was told the failure is not told again. The outcome of an item stands under its key, in place of the
    /// failure, and later calls with the key get it. If the queue has taken another item with the key meanwhile, that one
    /// counts and the failed one is dropped. The outcome of a call without a key goes to nobody; its attempts have a run
    /// id of their own in their [`ActivityContext`](crate::activities::ActivityContext). What fails again is listed again,
    /// under a new id.
    ///
    /// Calling it again is safe. If the call is cancelled, or the answer of the database was lost and the call was repeated
    /// inside, more may be on the queue than the returned number says, each once.
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

    /// Puts all failed calls on the queue again that have failed before; otherwise as [`QueueHandle::redrive`].
    ///
    /// # Errors
    /// As of [`QueueHandle::redrive`].
    pub async fn redrive_all(&self) -> Result<u64, StoreError> {
        let begun_at = patiently(|| self.client.store().now()).await?;
        let (mut redriven, mut after) = (0, None);
        loop {
            let mut page = self.page(None, after, PAGE).await?;
            after = page.last().map(|last| last.id);
            // Those that have failed again meanwhile stay.
            page.retain(|call| call.failed_at <= begun_at);
            if page.is_empty() {
                return Ok(redriven);
            }
            redriven += self.redrive_page(page).await?;
        }
    }

    /// Deletes failed calls of the queue for good. Returns how many of them were there. Calling it again is safe.
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
