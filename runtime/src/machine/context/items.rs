//! Items of queues: activities with a key, which belong to their queue.
//!
//! A run awaits the promise of the item's outcome, and sends the item to that promise with the commit of the step.

use std::time::Duration;

use super::Context;
use crate::codec::snapshot::call::encode_call;
use crate::error::{Error, KeyError};
use crate::machine::StepError;
use crate::model::{
    ActivityOperation, Handle, Operation, PromiseMessage, PromiseToken, PromiseWait, QueueItem,
};

/// The longest limit in a row: a thousand years, since a database adds it to its time in microseconds.
const LONGEST: Duration = Duration::from_secs(1_000 * 365 * 86_400);

/// Checks the key of a call of this activity, or the name of its queue. `what` is what it cannot do with another one.
///
/// # Errors
/// [`StepError::Failed`] if it is empty, too long, or contains the character NUL.
pub(crate) fn check_key(activity: &str, what: &str, key: &str) -> Result<(), StepError> {
    KeyError::check(key).map_err(|error| {
        let shown = key.chars().take(40).collect::<String>();
        let context = format!("`{activity}` cannot {what} {shown:?}");
        StepError::Failed(Error::from(error).context(context))
    })
}

impl Context {
    /// Adds an activity to a queue under a key, unless the queue has one, and awaits the outcome of the queue's
    /// item.
    ///
    /// # Errors
    /// [`StepError::Failed`] if the key is not valid.
    pub(crate) fn offer(
        &self,
        queue: String,
        key: String,
        retention: Duration,
        activity: ActivityOperation,
    ) -> Result<Handle, StepError> {
        check_key(&activity.name, "have the key", &key)?;
        let bounded = |limit: Option<Duration>| limit.map(|limit| limit.min(LONGEST));
        let token = PromiseToken::of_item(activity.name.clone(), queue, key);
        let close_by = activity.schedule_to_close.map(|limit| activity.scheduled_at + limit);
        let item = QueueItem {
            due_at: activity.retry_at,
            schedule_to_start: bounded(activity.schedule_to_start),
            start_to_close: bounded(activity.start_to_close),
            heartbeat: bounded(activity.heartbeat),
            close_by,
            retention: retention.min(LONGEST),
            priority: activity.priority,
            partition: activity.partition.clone(),
            call: encode_call(&self.fields().run.workflow_id, activity),
        };
        let wait = PromiseWait { token: token.clone(), expires_at: None };
        let handle = self.ask(Operation::Promise(Box::new(wait)));
        let item = Box::new(item);
        self.send_to_promise(Ok(PromiseMessage::Offer { token, handle, item }));
        Ok(handle)
    }
}
