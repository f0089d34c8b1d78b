//! Queues: the numbers of their activities, and pauses.

use async_trait::async_trait;

use super::transaction::Transaction;
use super::{PostgresStore, failed, kept, names_nothing, now};
use crate::error::StoreError;
use crate::store::rows::{QueueRow, queue_records, select_queues};
use crate::store::{QueueRecord, Queues, ResumeOutcome};

const PAUSE: &str = concat!(
    "INSERT INTO piton_paused_queues (queue, paused_at, reason) SELECT $2, clock.now, $3 FROM ",
    now!(),
    " AS clock ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason"
);

const RESUME: &str = "DELETE FROM piton_paused_queues WHERE queue = $1";

const LIST: &str = select_queues!("TRUE", "clock.now", now!(), " AS clock, piton_activities");

const FIND: &str = select_queues!("queue = $2", "clock.now", now!(), " AS clock, piton_activities");

#[async_trait]
impl Queues for PostgresStore {
    async fn pause_queue(&self, queue: &str, reason: &str) -> Result<(), StoreError> {
        self.asked("pause_queue", pause(self, queue, reason)).await
    }

    async fn resume_queue(&self, queue: &str) -> Result<ResumeOutcome, StoreError> {
        self.asked("resume_queue", resume(self, queue)).await
    }

    async fn list_queues(&self) -> Result<Vec<QueueRecord>, StoreError> {
        self.asked("list_queues", list(self)).await
    }

    async fn find_queue(&self, queue: &str) -> Result<Option<QueueRecord>, StoreError> {
        self.asked("find_queue", find(self, queue)).await
    }
}

async fn pause(store: &PostgresStore, queue: &str, reason: &str) -> Result<(), StoreError> {
    let failed = failed("pause_queue");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    sqlx::query(PAUSE)
        .bind(store.given_time())
        .bind(queue)
        .bind(kept(reason))
        .execute(transaction.get())
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

async fn resume(store: &PostgresStore, queue: &str) -> Result<ResumeOutcome, StoreError> {
    if names_nothing(queue) {
        return Ok(ResumeOutcome::NotPaused);
    }
    let failed = failed("resume_queue");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let removed =
        sqlx::query(RESUME).bind(queue).execute(transaction.get()).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    if removed.rows_affected() == 0 {
        return Ok(ResumeOutcome::NotPaused);
    }
    store.news.queued(queue);
    Ok(ResumeOutcome::Resumed)
}

async fn list(store: &PostgresStore) -> Result<Vec<QueueRecord>, StoreError> {
    let failed = failed("list_queues");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<QueueRow> = sqlx::query_as(LIST)
        .bind(store.given_time())
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(queue_records(rows))
}

async fn find(store: &PostgresStore, queue: &str) -> Result<Option<QueueRecord>, StoreError> {
    if names_nothing(queue) {
        return Ok(None);
    }
    let failed = failed("find_queue");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<QueueRow> = sqlx::query_as(FIND)
        .bind(store.given_time())
        .bind(queue)
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(row.map(Into::into))
}
