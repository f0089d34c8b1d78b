//! Queues: what lies on them, and which are paused.

use async_trait::async_trait;

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::store::rows::{QueueRow, queue_records};
use crate::store::{QueueRecord, Queues, ResumeOutcome};

const PAUSE: &str = "INSERT INTO piton_paused_queues (queue, paused_at, reason) VALUES (?, ?, ?) \
    ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason";

const RESUME: &str = "DELETE FROM piton_paused_queues WHERE queue = ? RETURNING 1";

const LIST: &str = "SELECT coalesce(counted.queue, paused.queue) AS queue, \
    coalesce(waiting, 0) AS waiting, coalesce(delayed, 0) AS delayed, \
    coalesce(under_way, 0) AS under_way, coalesce(awaiting_token, 0) AS awaiting_token, \
    oldest_due_at, paused_at, reason FROM (SELECT queue, \
    count(*) FILTER (WHERE due_at <= ?1) AS waiting, \
    count(*) FILTER (WHERE due_at > ?1) AS delayed, \
    count(*) FILTER (WHERE worker_id IS NOT NULL) AS under_way, \
    count(*) FILTER (WHERE worker_id IS NULL AND due_at IS NULL) AS awaiting_token, \
    min(due_at) FILTER (WHERE due_at <= ?1) AS oldest_due_at \
    FROM piton_activities GROUP BY queue) AS counted \
    FULL JOIN piton_paused_queues AS paused ON paused.queue = counted.queue";

#[async_trait]
impl Queues for SqliteStore {
    async fn pause_queue(&self, queue: &str, reason: &str) -> Result<(), StoreError> {
        let mut script = Script::new();
        script.sql(PAUSE).bind(queue.to_owned());
        script.bind(self.time().as_micros()).bind(reason.to_owned());
        self.turn().await.run(script).await.map_err(failed("pause_queue"))?;
        Ok(())
    }

    async fn resume_queue(&self, queue: &str) -> Result<ResumeOutcome, StoreError> {
        let mut script = Script::new();
        script.sql(RESUME).bind(queue.to_owned());
        let rows = self.turn().await.run(script).await.map_err(failed("resume_queue"))?;
        if !rows.any(0) {
            return Ok(ResumeOutcome::NotPaused);
        }
        self.hub.announce_queued(queue);
        Ok(ResumeOutcome::Resumed)
    }

    async fn list_queues(&self) -> Result<Vec<QueueRecord>, StoreError> {
        let mut script = Script::new();
        script.sql(LIST).bind(self.time().as_micros());
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<QueueRow>(0));
        rows.map(queue_records).map_err(failed("list_queues"))
    }
}
