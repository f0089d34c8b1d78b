//! The call of a queued activity, as stored in its row.

use std::time::Duration;

use crate::codec::CodecError;
use crate::codec::snapshot::call::{decode_call, encode_call};
use crate::engine::retry;
use crate::model::{ActivityOperation, Handle, Timestamp};
use crate::store::{ActivityLimits, NewActivity};

/// The longest limit in a row: a thousand years. A database adds it to its time in microseconds, with 64 bits for
/// the sum.
const LONGEST_LIMIT: Duration = Duration::from_secs(1_000 * 365 * 86_400);

fn bounded(limit: Duration) -> Duration {
    limit.min(LONGEST_LIMIT)
}

/// A call on a queue.
#[derive(Clone, Debug)]
pub(crate) struct QueuedCall {
    /// The workflow id of the run.
    pub(crate) workflow_id: String,
    /// The call as the workflow made it. The counts of attempts are in the row.
    pub(crate) activity: ActivityOperation,
}

impl QueuedCall {
    pub(crate) fn of(workflow_id: &str, activity: ActivityOperation) -> Self {
        Self { workflow_id: workflow_id.to_owned(), activity }
    }

    /// The row to insert.
    pub(crate) fn on_queue(self, handle: Handle) -> NewActivity {
        let activity = &self.activity;
        let limits = ActivityLimits {
            schedule_to_start: activity.schedule_to_start.map(bounded),
            start_to_close: activity.start_to_close.map(bounded),
            heartbeat: activity.heartbeat.map(bounded),
            close_by: retry::deadline(activity),
        };
        let (due_at, priority) = (activity.retry_at, activity.priority);
        let partition = activity.partition.clone();
        let (name, queue) = (activity.name.to_string(), activity.queue.clone().unwrap_or_default());
        let call = encode_call(&self.workflow_id, self.activity);
        NewActivity { handle, queue, activity: name, call, due_at, priority, partition, limits }
    }

    /// A failed call that is made again now, after so many attempts, which no longer count.
    pub(crate) fn again(mut self, attempts: u32, now: Timestamp) -> Self {
        let activity = &mut self.activity;
        (activity.attempts, activity.interruptions) = (0, 0);
        (activity.passed_over, activity.scheduled_at) = (attempts, now);
        (activity.retry_at, activity.awaited, activity.last_failure) = (None, None, None);
        self
    }

    /// Reads the call of a row, with the row's counts: the number of earlier attempts, and how many of them were
    /// interrupted.
    pub(crate) fn read(
        call: Vec<u8>,
        attempts: u32,
        interruptions: u32,
    ) -> Result<Self, CodecError> {
        let (workflow_id, activity) = decode_call(&call)?;
        let activity = ActivityOperation { attempts, interruptions, ..activity };
        Ok(Self { workflow_id, activity })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{Payload, RetryPolicy};

    /// A row in the first stored format, which must stay readable.
    const GOLDEN: &[u8] = include_bytes!("../../../tests/steps/golden/call.v1");

    fn call() -> QueuedCall {
        let activity = ActivityOperation {
            name: "charge".into(),
            arguments: Payload(vec![1, 7]),
            retry: RetryPolicy { max_attempts: 9, ..RetryPolicy::DEFAULT },
            start_to_close: Some(Duration::from_secs(3)),
            schedule_to_close: Some(Duration::from_secs(3_600)),
            at_most_once: true,
            scheduled_at: Timestamp(1_000_000),
            attempts: 0,
            interruptions: 0,
            priority: 0,
            partition: String::new(),
            passed_over: 0,
            retry_at: None,
            queue: Some("cards".into()),
            schedule_to_start: Some(Duration::from_secs(5)),
            heartbeat: Some(Duration::from_secs(6)),
            details: None,
            awaited: None,
            last_failure: None,
        };
        QueuedCall::of("order-17", activity)
    }

    #[test]
    fn the_row_of_the_first_build_is_read_and_written() {
        let written = call().on_queue(Handle(3)).call;
        assert!(written == GOLDEN, "rows on queues are read by other builds: {written:?}");
        let read = QueuedCall::read(GOLDEN.to_vec(), 4, 1).expect("a row");
        let counted = ActivityOperation { attempts: 4, interruptions: 1, ..call().activity };
        assert_eq!((read.workflow_id.as_str(), read.activity), ("order-17", counted));
    }
}
