//! All rows of one run.

use super::state::State;
use crate::codec;
use crate::model::{Handle, RunId};
use crate::store::weight::Answer;
use crate::store::{
    ActivityKey, ActivityRecord, MAX_DETAILS, QueuedActivity, RunDetails, UnreadArrival,
};

impl State {
    pub(super) fn find_details(&self, run_id: RunId) -> Option<RunDetails> {
        let row = self.runs.get(&run_id)?;
        let is_open = row.status.is_open();
        let key = |handle| ActivityKey { run_id, handle: Handle(handle) };
        let keys = self.activities.range(key(0)..=key(u64::MAX)).map(|(key, _)| *key);
        let activities: Vec<QueuedActivity> =
            keys.filter_map(|key| self.find_activity(key)).map(queued).collect();
        let mut answer = Answer::default();
        let unread = row.inbox.iter().map(|arrival| {
            let bytes = codec::to_payload(&arrival.kind).map_or(0, |stored| stored.0.len());
            let kind = answer.takes(bytes).then(|| arrival.kind.clone());
            let arrived_at = row.arrived_at.get(&arrival.seq).copied();
            UnreadArrival::of(arrival.seq, kind, bytes as u64, arrived_at)
        });
        Some(RunDetails {
            run: row.record(),
            paused: self.pauses.get(&run_id).map(|(pause, _)| pause.clone()).filter(|_| is_open),
            arguments: row.arguments.clone(),
            snapshot: row.snapshot.clone(),
            takeovers: row.takeovers,
            activity_count: activities.len() as u64,
            activities: activities.into_iter().take(MAX_DETAILS as usize).collect(),
            unread: unread.take(MAX_DETAILS as usize).collect(),
            unread_count: row.inbox.len() as u64,
        })
    }
}

fn queued(record: ActivityRecord) -> QueuedActivity {
    QueuedActivity {
        handle: record.key.handle,
        queue: record.queue,
        activity: record.activity,
        attempt: record.attempt,
        interruptions: record.interruptions,
        worker: record.worker.map(|worker| worker.worker_id),
        due_at: record.due_at,
        expires_at: record.expires_at,
        last_failure: record.last_failure,
    }
}
