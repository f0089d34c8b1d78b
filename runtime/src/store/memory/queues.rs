//! The queues of the in-memory store.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use super::activities::ActivityRow;
use super::state::State;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::{PausedQueue, QueueRecord, Queues, ResumeOutcome};

#[async_trait]
impl Queues for MemoryStore {
    async fn pause_queue(&self, queue: &str, reason: &str) -> Result<(), StoreError> {
        self.transition("pause_queue", |state, now, _| {
            let reason = reason.to_owned();
            let paused = state.paused_queues.entry(queue.to_owned());
            let paused = paused.or_insert(PausedQueue { since: now, reason: String::new() });
            paused.reason = reason;
            Ok(())
        })
        .await
    }

    async fn resume_queue(&self, queue: &str) -> Result<ResumeOutcome, StoreError> {
        self.transition("resume_queue", |state, _, news| {
            if state.paused_queues.remove(queue).is_none() {
                return Ok(ResumeOutcome::NotPaused);
            }
            news.queues.insert(queue.to_owned());
            Ok(ResumeOutcome::Resumed)
        })
        .await
    }

    async fn list_queues(&self) -> Result<Vec<QueueRecord>, StoreError> {
        self.transition("list_queues", |state, now, _| Ok(state.list_queues(now))).await
    }

    async fn find_queue(&self, queue: &str) -> Result<Option<QueueRecord>, StoreError> {
        self.transition("find_queue", |state, now, _| {
            Ok(state.list_queues(now).into_iter().find(|record| record.queue == queue))
        })
        .await
    }
}

impl State {
    fn list_queues(&self, now: Timestamp) -> Vec<QueueRecord> {
        let mut records: BTreeMap<&str, QueueRecord> = BTreeMap::new();
        for row in self.activities.values() {
            let record = records.entry(row.queue()).or_default();
            let counts = (
                &mut record.waiting,
                &mut record.delayed,
                &mut record.under_way,
                &mut record.awaiting_token,
            );
            count(row, now, counts, &mut record.oldest_due_at);
        }
        for (queue, partitioned) in &self.partitioned {
            if !partitioned.limits.is_empty() {
                records.entry(queue).or_default().limits = partitioned.limits;
            }
        }
        for (queue, paused) in &self.paused_queues {
            records.entry(queue).or_default().paused = Some(paused.clone());
        }
        let named = |(queue, record): (&str, QueueRecord)| QueueRecord {
            queue: queue.to_owned(),
            ..record
        };
        records.into_iter().map(named).collect()
    }
}

/// Counts an activity among those that wait, are delayed, are under way or await their token, and notes the oldest
/// that waits.
pub(super) fn count(
    row: &ActivityRow,
    now: Timestamp,
    (waiting, delayed, under_way, awaiting_token): (&mut u64, &mut u64, &mut u64, &mut u64),
    oldest_due_at: &mut Option<Timestamp>,
) {
    match (row.due_at, row.worker) {
        (Some(due_at), _) if due_at <= now => {
            *waiting += 1;
            *oldest_due_at = oldest_due_at.iter().copied().chain([due_at]).min();
        }
        (Some(_), _) => *delayed += 1,
        (None, Some(_)) => *under_way += 1,
        (None, None) => *awaiting_token += 1,
    }
}
