//! Calls on queues that have failed for good.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;

use super::effects::{enqueue, send};
use super::script::{MAX_ROWS, Script};
use super::writer::Turn;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::ends::handle;
use crate::store::failed_calls::Redriven;
use crate::store::rows::{FailedCallRow, failed_call_columns};
use crate::store::weight::fits;
use crate::store::{
    ActivityKey, FailedCall, FailedCallId, FailedCallQuery, FailedCalls, RedriveCall,
};

const KEEP: &str = "INSERT INTO piton_failed_calls (run_id, handle, queue, activity, call, attempts, failure, \
    failed_at, item_key, retention_ms, priority, partition) \
    SELECT activity.run_id, activity.handle, queue, activity.activity, call, attempt, failed.column3, ?, \
    item_key, retention_ms, priority, partition FROM (";

/// In a reopened run, the same call may fail a second time.
const OF_ACTIVITIES: &str = ") AS failed CROSS JOIN piton_activities AS activity \
    ON activity.run_id = failed.column1 AND activity.handle = failed.column2 WHERE failed.column1 IS NOT NULL \
    ON CONFLICT (run_id, handle) DO UPDATE SET queue = excluded.queue, activity = excluded.activity, \
    call = excluded.call, attempts = excluded.attempts, failure = excluded.failure, \
    failed_at = excluded.failed_at, priority = excluded.priority, \
    partition = excluded.partition; ";

/// Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    failed_call_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY call_id) AS upto FROM \
     (SELECT *, length(call) + length(failure) AS bytes FROM piton_failed_calls \
     WHERE queue = ? AND call_id > ?"
);

const FITTING: &str =
    concat!(" ORDER BY call_id LIMIT ?)) AS sized WHERE ", fits!("sized"), " ORDER BY call_id");

const FIND: &str = concat!(
    "SELECT ",
    failed_call_columns!(),
    " FROM piton_failed_calls WHERE run_id = ? AND handle = ?"
);

const TAKE: &str = "DELETE FROM piton_failed_calls WHERE queue = ? AND call_id IN (";

const TAKEN: &str = " RETURNING call_id, run_id, handle, queue, activity, x'' AS call, attempts, failure, failed_at, \
    item_key, retention_ms, priority, partition";

const REMOVE: &str = "DELETE FROM piton_failed_calls WHERE call_id = ? RETURNING 1";

const OLD: &str = "SELECT 1 FROM piton_failed_calls WHERE failed_at <= ? LIMIT 1";

const REMOVE_OLD: &str = "DELETE FROM piton_failed_calls WHERE call_id IN (SELECT call_id FROM piton_failed_calls \
    WHERE failed_at <= ? ORDER BY failed_at LIMIT ?) RETURNING 1";

/// Copies failed activities to the table of failed calls, before their rows are removed; at most [`MAX_ROWS`].
pub(super) fn add(script: &mut Script, calls: &[(ActivityKey, String)], now: Timestamp) {
    script.sql(KEEP).bind(now.as_micros()).values(3, calls.iter(), |script, (key, failure)| {
        script.bind(key.run_id.as_uuid()).bind(handle(key.handle)).bind(failure.clone());
    });
    script.sql(OF_ACTIVITIES);
}

/// Deletes failed calls of any queue, in an open transaction. Returns whether all of them were there.
pub(super) async fn take(turn: &mut Turn, ids: &[FailedCallId]) -> Result<bool, sqlx::Error> {
    for id in ids {
        let mut script = Script::new();
        script.sql(REMOVE).bind(id.0);
        if !turn.go_on(script).await?.any(0) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[async_trait]
impl FailedCalls for SqliteStore {
    async fn list_failed_calls(
        &self,
        query: FailedCallQuery<'_>,
    ) -> Result<Vec<FailedCall>, StoreError> {
        let ids = query.ids.map(|ids| &ids[..ids.len().min(MAX_ROWS)]);
        if ids.is_some_and(<[_]>::is_empty) {
            return Ok(Vec::new());
        }
        let mut script = Script::new();
        script.sql(LIST).bind(query.queue.to_owned());
        script.bind(query.after.map_or(0, |after| after.0));
        if let Some(ids) = ids {
            add_ids(script.sql(" AND call_id IN ("), ids);
        }
        script.sql(FITTING).bind(query.limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<FailedCallRow>(0));
        let rows = rows.map_err(failed("list_failed_calls"))?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn find_failed_call(&self, key: ActivityKey) -> Result<Option<FailedCall>, StoreError> {
        let mut script = Script::new();
        script.sql(FIND).bind(key.run_id.as_uuid()).bind(handle(key.handle));
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<FailedCallRow>(0));
        let row = rows.map_err(failed("find_failed_call"))?.pop();
        Ok(row.map(Into::into))
    }

    async fn redrive_calls(&self, queue: &str, calls: Vec<RedriveCall>) -> Result<u64, StoreError> {
        let mut redriven = 0;
        for calls in calls.chunks(MAX_ROWS) {
            redriven += redrive_some(self, queue, calls).await?;
        }
        Ok(redriven)
    }

    async fn discard_failed_calls(
        &self,
        queue: &str,
        ids: &[FailedCallId],
    ) -> Result<u64, StoreError> {
        let mut discarded = 0;
        for ids in ids.chunks(MAX_ROWS) {
            let mut script = Script::new();
            add_ids(script.sql(TAKE).bind(queue.to_owned()), ids).sql(" RETURNING 1");
            let rows = self.turn().await.run(script).await;
            discarded += rows.map_err(failed("discard_failed_calls"))?.of(0).len() as u64;
        }
        Ok(discarded)
    }

    async fn remove_failed_calls(&self, age: Duration, limit: u32) -> Result<u64, StoreError> {
        let failed = failed("remove_failed_calls");
        let before = (self.time() - age).as_micros();
        // Every worker checks this regularly, so it must not take the write lock.
        let mut script = Script::new();
        script.sql(OLD).bind(before);
        if !self.read(script).await.map_err(failed)?.any(0) {
            return Ok(0);
        }
        let mut script = Script::new();
        script.sql(REMOVE_OLD).bind(before).bind(limit);
        let mut rows = self.turn().await.run(script).await.map_err(failed)?;
        Ok(rows.of(0).len() as u64)
    }
}

async fn redrive_some(
    store: &SqliteStore,
    queue: &str,
    calls: &[RedriveCall],
) -> Result<u64, StoreError> {
    let failed = failed("redrive_calls");
    let ids: Vec<FailedCallId> = calls.iter().map(|call| call.id).collect();
    let mut turn = store.turn().await;
    let now = store.moment();
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(TAKE).bind(queue.to_owned());
    add_ids(&mut script, &ids).sql(TAKEN);
    let rows = turn.begin(script).await.and_then(|mut rows| rows.read::<FailedCallRow>(1));
    let rows = rows.map_err(failed)?;
    if rows.is_empty() {
        turn.roll_back().await;
        return Ok(0);
    }
    let count = rows.len() as u64;
    let calls: HashMap<_, _> = calls.iter().map(|call| (call.id, call)).collect();
    let mut redriven = Redriven::default();
    for row in rows.into_iter().map(FailedCall::from) {
        if let Some(again) = calls.get(&row.id) {
            redriven.add(row, (*again).clone());
        }
    }
    let mut script = Script::new();
    enqueue::add_items(&mut script, &redriven.activities, now.time);
    let messages: Vec<_> = redriven.messages.iter().map(|(key, it)| (*key, it)).collect();
    send::add(&mut script, &messages, now.time)?;
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    if !redriven.activities.is_empty() {
        store.hub.announce_queued(queue);
    }
    redriven.senders().into_iter().for_each(|sender| store.hub.announce_sent(sender));
    Ok(count)
}

/// Adds the condition on these ids to the statement.
fn add_ids<'a>(script: &'a mut Script, ids: &[FailedCallId]) -> &'a mut Script {
    script.values(1, ids.iter(), |script, id| {
        script.bind(id.0);
    });
    script.sql(")")
}
