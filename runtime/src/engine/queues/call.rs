//! What whoever makes an attempt of an activity on a queue has to know of the call.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::codec::{self, CodecError};
use crate::engine::retry;
use crate::model::{ActivityOperation, Handle, Payload};
use crate::store::{ActivityLimits, NewActivity};

/// The longest limit of a row: a thousand years, since a database adds it to its time in microseconds, and
/// has 64 bits for the sum.
const LONGEST_LIMIT: Duration = Duration::from_secs(1_000 * 365 * 86_400);

fn bounded(limit: Duration) -> Duration {
    limit.min(LONGEST_LIMIT)
}

/// A call as its row keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct QueuedCall {
    /// The business key of the run.
    pub(crate) workflow_id: String,
    /// The call as the workflow has made it. The row has its own counts of attempts.
    pub(crate) activity: ActivityOperation,
}

impl QueuedCall {
    pub(crate) fn of(workflow_id: &str, activity: ActivityOperation) -> Self {
        Self { workflow_id: workflow_id.to_owned(), activity }
    }

    /// The row to be written.
    pub(crate) fn on_queue(self, handle: Handle) -> NewActivity {
        let activity = &self.activity;
        let limits = ActivityLimits {
            schedule_to_start: activity.schedule_to_start.map(bounded),
            start_to_close: activity.start_to_close.map(bounded),
            heartbeat: activity.heartbeat.map(bounded),
            close_by: retry::deadline(activity),
        };
        let call = codec::to_payload(&self).expect("strings, numbers and bytes can be encoded");
        let ActivityOperation { name: activity, queue, .. } = self.activity;
        let (queue, activity) = (queue.unwrap_or_default(), activity.into_owned());
        NewActivity { handle, queue, activity, call: call.0, limits }
    }

    /// Reads a row's call, with the row's counts: how many attempts came before this one, and how
    /// many of them were cut off.
    pub(crate) fn read(
        call: Vec<u8>,
        attempts: u32,
        interruptions: u32,
    ) -> Result<Self, CodecError> {
        let mut call: Self = codec::from_payload(&Payload(call))?;
        call.activity.attempts = attempts;
        call.activity.interruptions = interruptions;
        Ok(call)
    }
}
