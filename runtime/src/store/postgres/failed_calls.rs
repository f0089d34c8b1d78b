//! Calls on queues that have failed for good.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;
use uuid::Uuid;

use super::effects::{enqueue, send};
use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, failed, kept, named_by, names_nothing, now};
use crate::error::StoreError;
use crate::store::ends::handle;
use crate::store::failed_calls::Redriven;
use crate::store::rows::{FailedCallRow, failed_call_columns};
use crate::store::weight::fits;
use crate::store::{
    ActivityKey, FailedCall, FailedCallId, FailedCallQuery, FailedCalls, RedriveCall,
};

/// In a reopened run, the same call may fail a second time.
const KEEP: &str = concat!(
    "INSERT INTO piton_failed_calls (run_id, handle, queue, activity, call, attempts, failure, \
     failed_at, item_key, retention_ms, priority, partition) \
     SELECT activity.run_id, activity.handle, queue, activity.activity, call, attempt, failed.failure, \
     clock.now, item_key, retention_ms, priority, partition FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::text[]) AS failed (run_id, handle, failure) \
     JOIN piton_activities AS activity ON ",
    named_by!("activity", "failed", "handle"),
    " ON CONFLICT (run_id, handle) DO UPDATE SET queue = excluded.queue, activity = excluded.activity, \
     call = excluded.call, attempts = excluded.attempts, failure = excluded.failure, \
     failed_at = excluded.failed_at, priority = excluded.priority, \
     partition = excluded.partition"
);

/// A null means "any". Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    failed_call_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY call_id ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, octet_length(call) + octet_length(failure) AS bytes FROM piton_failed_calls \
     WHERE queue = $1 AND call_id > $2 AND ($3::bigint[] IS NULL OR call_id = ANY ($3)) \
     ORDER BY call_id LIMIT $4) AS matching) AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY call_id"
);

const FIND: &str = concat!(
    "SELECT ",
    failed_call_columns!(),
    " FROM piton_failed_calls WHERE run_id = $1 AND handle = $2 AND ",
    takes_writes!()
);

/// Removes rows in the order of their ids.
macro_rules! remove {
    ($($returning:expr),*) => {
        concat!(
            "DELETE FROM piton_failed_calls AS failed USING (SELECT call_id FROM piton_failed_calls \
             WHERE queue = $1 AND call_id = ANY ($2) ORDER BY call_id FOR UPDATE) AS named \
             WHERE failed.call_id = named.call_id"
            $(, $returning)*
        )
    };
}

const TAKE: &str = remove!(
    " RETURNING failed.call_id, run_id, handle, queue, activity, ''::bytea AS call, attempts, failure, \
     failed_at, item_key, retention_ms, priority, partition"
);

const DISCARD: &str = remove!();

const REMOVE: &str = "DELETE FROM piton_failed_calls AS failed USING (SELECT call_id FROM piton_failed_calls \
    WHERE call_id = ANY ($1) ORDER BY call_id FOR UPDATE) AS named WHERE failed.call_id = named.call_id";

/// Most of the time there are none, and no transaction is needed to see that.
const ANY_OLD: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM piton_failed_calls, ",
    now!(),
    " AS clock WHERE failed_at <= clock.now - $2) WHERE ",
    takes_writes!()
);

/// Concurrent removals take different rows.
const REMOVE_OLD: &str = concat!(
    "DELETE FROM piton_failed_calls WHERE call_id IN (SELECT call_id FROM piton_failed_calls, ",
    now!(),
    " AS clock WHERE failed_at <= clock.now - $2 ORDER BY failed_at LIMIT $3 \
     FOR UPDATE OF piton_failed_calls SKIP LOCKED)"
);

/// Deletes failed calls of any queue. Returns whether all of them were there.
pub(super) async fn take(
    connection: &mut PgConnection,
    ids: &[FailedCallId],
) -> Result<bool, sqlx::Error> {
    if ids.is_empty() {
        return Ok(true);
    }
    let taken = sqlx::query(REMOVE).bind(numbers(ids.iter().copied())).execute(connection).await?;
    Ok(taken.rows_affected() == ids.len() as u64)
}

/// Keeps activities that end as failed ones, before their rows are removed.
pub(super) async fn keep(
    connection: &mut PgConnection,
    now: Option<i64>,
    calls: &[(ActivityKey, String)],
) -> Result<(), sqlx::Error> {
    let keys = calls.iter().map(|(key, _)| (key.run_id.as_uuid(), handle(key.handle)));
    let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = keys.unzip();
    sqlx::query(KEEP)
        .bind(now)
        .bind(run_ids)
        .bind(handles)
        .bind(calls.iter().map(|(_, failure)| kept(failure)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

#[async_trait]
impl FailedCalls for PostgresStore {
    async fn list_failed_calls(
        &self,
        query: FailedCallQuery<'_>,
    ) -> Result<Vec<FailedCall>, StoreError> {
        self.asked("list_failed_calls", list(self, query)).await
    }

    async fn find_failed_call(&self, key: ActivityKey) -> Result<Option<FailedCall>, StoreError> {
        self.asked("find_failed_call", find(self, key)).await
    }

    async fn redrive_calls(&self, queue: &str, calls: Vec<RedriveCall>) -> Result<u64, StoreError> {
        self.asked("redrive_calls", redrive(self, queue, calls)).await
    }

    async fn discard_failed_calls(
        &self,
        queue: &str,
        ids: &[FailedCallId],
    ) -> Result<u64, StoreError> {
        self.asked("discard_failed_calls", discard(self, queue, ids)).await
    }

    async fn remove_failed_calls(&self, age: Duration, limit: u32) -> Result<u64, StoreError> {
        self.asked("remove_failed_calls", remove_old(self, age, limit)).await
    }
}

fn numbers(ids: impl IntoIterator<Item = FailedCallId>) -> Vec<i64> {
    ids.into_iter().map(|id| id.0).collect()
}

async fn list(
    store: &PostgresStore,
    query: FailedCallQuery<'_>,
) -> Result<Vec<FailedCall>, StoreError> {
    if names_nothing(query.queue) {
        return Ok(Vec::new());
    }
    let failed = failed("list_failed_calls");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<FailedCallRow> = sqlx::query_as(LIST)
        .bind(query.queue)
        .bind(query.after.map_or(0, |after| after.0))
        .bind(query.ids.map(|ids| numbers(ids.iter().copied())))
        .bind(i64::from(query.limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

async fn find(store: &PostgresStore, key: ActivityKey) -> Result<Option<FailedCall>, StoreError> {
    let failed = failed("find_failed_call");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<FailedCallRow> = sqlx::query_as(FIND)
        .bind(key.run_id.as_uuid())
        .bind(handle(key.handle))
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(row.map(Into::into))
}

async fn redrive(
    store: &PostgresStore,
    queue: &str,
    calls: Vec<RedriveCall>,
) -> Result<u64, StoreError> {
    if names_nothing(queue) {
        return Ok(0);
    }
    let failed = failed("redrive_calls");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let rows: Vec<FailedCallRow> = sqlx::query_as(TAKE)
        .bind(queue)
        .bind(numbers(calls.iter().map(|call| call.id)))
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let count = rows.len() as u64;
    let mut calls: HashMap<_, _> = calls.into_iter().map(|call| (call.id, call)).collect();
    let mut redriven = Redriven::default();
    for row in rows.into_iter().map(FailedCall::from) {
        if let Some(again) = calls.remove(&row.id) {
            redriven.add(row, again);
        }
    }
    let now = store.given_time();
    if !redriven.activities.is_empty() {
        let written = enqueue::write_items(transaction.get(), now, &redriven.activities).await;
        written.map_err(failed)?;
    }
    if !redriven.messages.is_empty() {
        let messages: Vec<_> = redriven.messages.iter().map(|(key, it)| (*key, it)).collect();
        send::write(transaction.get(), now, &messages).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    if !redriven.activities.is_empty() {
        store.news.queued(queue);
    }
    redriven.senders().into_iter().for_each(|sender| store.hub.announce_sent(sender));
    Ok(count)
}

async fn discard(
    store: &PostgresStore,
    queue: &str,
    ids: &[FailedCallId],
) -> Result<u64, StoreError> {
    if names_nothing(queue) {
        return Ok(0);
    }
    let failed = failed("discard_failed_calls");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let discard = sqlx::query(DISCARD).bind(queue).bind(numbers(ids.iter().copied()));
    let discarded = discard.execute(transaction.get()).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(discarded.rows_affected())
}

async fn remove_old(store: &PostgresStore, age: Duration, limit: u32) -> Result<u64, StoreError> {
    let failed = failed("remove_failed_calls");
    let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 4);
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let any: bool = sqlx::query_scalar(ANY_OLD)
        .bind(store.given_time())
        .bind(age)
        .fetch_one(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    if !any {
        return Ok(0);
    }
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let removed = sqlx::query(REMOVE_OLD)
        .bind(store.given_time())
        .bind(age)
        .bind(i64::from(limit))
        .execute(transaction.get())
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(removed.rows_affected())
}
