//! The calls of a run that this program cannot make.

use crate::activities::ActivityEntry;
use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_schemas_of;
use crate::engine::panics::catch;
use crate::engine::queues::QueuedCall;
use crate::error::StoreError;
use crate::model::{ActivityOperation, BlockedReason, Operation, RunId, Snapshot};
use crate::store::ActivityKey;

/// A call without a queue that is under way, or one that is noted as a compensation, which this program cannot make.
pub(super) fn lost_call(snapshot: &Snapshot) -> Option<BlockedReason> {
    snapshot.operations.iter().find_map(|(_, operation)| match operation {
        Operation::Activity(call) if call.queue.is_none() => cannot_make(call),
        Operation::Compensation(compensation) => cannot_make(&compensation.activity),
        _ => None,
    })
}

/// Why this program cannot make a call. Another program may serve the queue of an activity that this one does not have.
fn cannot_make(call: &ActivityOperation) -> Option<BlockedReason> {
    let name = &call.name;
    let unreadable = |error: &str| format!("the arguments of the activity `{name}`: {error}");
    let mut refusal = None;
    for entry in ActivityEntry::all().filter(|entry| entry.name == *name) {
        if call.queue.is_some() && entry.connection.is_some() {
            refusal = Some(format!(
                "the activity `{name}` is a transaction now, whose writes only the worker of its run can commit"
            ));
            continue;
        }
        refusal = match catch(|| entry.check(&call.arguments)) {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => Some(unreadable(&error.to_string())),
            Err(message) => Some(unreadable(&message)),
        };
    }
    match (refusal, &call.queue) {
        (None, Some(_)) => None,
        (None, None) => Some(BlockedReason::Unregistered(name.clone().into_owned())),
        (Some(refusal), None) => Some(BlockedReason::Undecodable(refusal)),
        (Some(refusal), Some(queue)) => Some(stays_on(queue, &refusal)),
    }
}

fn stays_on(queue: &str, refusal: &str) -> BlockedReason {
    BlockedReason::Undecodable(format!(
        "{refusal}; the call stays on the queue `{queue}` for a build that can make it"
    ))
}

impl Client {
    /// A call on a queue, with a key or without, which this program cannot make. Such calls have rows of their own;
    /// one without a row has ended, and its outcome is on its way.
    pub(super) async fn lost_queued_call(
        &self,
        run_id: RunId,
        snapshot: &Snapshot,
    ) -> Result<Option<BlockedReason>, StoreError> {
        let store = &**self.store();
        for (handle, operation) in &snapshot.operations {
            let (key, queue) = match operation {
                Operation::Activity(call) => match &call.queue {
                    Some(queue) => (ActivityKey { run_id, handle: *handle }, queue.as_str()),
                    None => continue,
                },
                Operation::Promise(wait) => {
                    let Some(queue) = wait.token.queue() else { continue };
                    let found = patiently(|| store.find_promise(wait.token.key())).await?;
                    let Some(item) = found.and_then(|found| found.item) else { continue };
                    (ActivityKey { run_id: item, handle: ActivityKey::OF_ITEM }, queue)
                }
                _ => continue,
            };
            let Some(found) = patiently(|| store.find_activity(key)).await? else { continue };
            let call = match QueuedCall::read(found.call, 0, 0) {
                Ok(call) => call.activity,
                Err(error) => return Ok(Some(stays_on(queue, &error.to_string()))),
            };
            patiently(|| learn_schemas_of(store, std::iter::once(&call.arguments))).await?;
            if let Some(reason) = cannot_make(&call) {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Compensation, Handle, Payload, RetryPolicy, Timestamp, Wait};

    /// A state that has noted a compensation by an activity that this program does not have.
    fn noted(queue: Option<&str>) -> Snapshot {
        let activity = ActivityOperation {
            name: "refund".into(),
            arguments: Payload::default(),
            retry: RetryPolicy::DEFAULT,
            start_to_close: None,
            schedule_to_close: None,
            at_most_once: false,
            scheduled_at: Timestamp::MIN,
            attempts: 0,
            interruptions: 0,
            priority: 0,
            passed_over: 0,
            retry_at: None,
            queue: queue.map(str::to_owned),
            partition: String::new(),
            schedule_to_start: None,
            heartbeat: None,
            details: None,
            awaited: None,
            last_failure: None,
        };
        let compensation = Compensation { activity, may_fail: false };
        let compensation = Operation::Compensation(Box::new(compensation));
        Snapshot {
            frame: Vec::new(),
            state: "signal<Go>".to_owned(),
            next_handle: 1,
            operations: vec![(Handle(0), compensation)],
            wait: Wait::All(Vec::new()),
            steps: 1,
            cancelled: None,
            clock: Timestamp::MIN,
            ending: None,
        }
    }

    #[test]
    fn a_noted_compensation_needs_its_activity() {
        assert_eq!(lost_call(&noted(None)), Some(BlockedReason::Unregistered("refund".into())));
        assert_eq!(lost_call(&noted(Some("cards"))), None, "others may serve the queue");
    }
}
