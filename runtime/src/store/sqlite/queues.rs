//! Queues: the numbers of their activities, and pauses.

use async_trait::async_trait;

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::store::rows::{QueueRow, queue_records, select_queues};
use crate::store::{QueueRecord, Queues, ResumeOutcome};

const PAUSE: &str = "INSERT INTO piton_paused_queues (queue, paused_at, reason) VALUES (?, ?, ?) \
    ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason";

const RESUME: &str = "DELETE FROM piton_paused_queues WHERE queue = ? RETURNING 1";

const LIST: &str = select_queues!("TRUE", "?1", "piton_activities");

const FIND: &str = select_queues!("queue = ?2", "?1", "piton_activities");

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

    async fn find_queue(&self, queue: &str) -> Result<Option<QueueRecord>, StoreError> {
        let mut script = Script::new();
        script.sql(FIND).bind(self.time().as_micros()).bind(queue.to_owned());
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<QueueRow>(0));
        let found = rows.map_err(failed("find_queue"))?.into_iter().next();
        Ok(found.map(Into::into))
    }
}
