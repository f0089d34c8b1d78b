//! The queues on which a run waits for a worker.

use std::collections::BTreeMap;

use super::types::{AwaitedQueue, Inspection, Wait, WaitFor};
use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::QueueRecord;

/// The maximum number of queues to look at. The database counts the activities on each.
const MAX_QUEUES: usize = 10;

/// An activity that may wait for a worker.
#[derive(Clone, Copy)]
enum Waiting {
    /// No worker has taken it, and it is due at this time.
    Until(Timestamp),
    /// It is an item, which belongs to no run: a worker may have taken it.
    Item,
}

impl Client {
    /// Adds the queues on which the run waits for a worker.
    pub(super) async fn add_queues(&self, run: &mut Inspection) -> Result<(), StoreError> {
        let mut waiting = BTreeMap::new();
        if let Some(position) = run.position.as_ref().filter(|_| run.status.is_open()) {
            find_waiting(&position.waits, &mut waiting);
        }
        if waiting.is_empty() {
            return Ok(());
        }
        let mut queues = Vec::new();
        let now = patiently(|| self.store().now()).await?;
        for (queue, first) in waiting {
            if queues.len() == MAX_QUEUES {
                break;
            }
            if matches!(first, Waiting::Until(due_at) if due_at > now) {
                continue;
            }
            let found = patiently(|| self.store().find_queue(queue)).await?;
            queues.extend(found.filter(|found| is_awaited(first, found)).map(Into::into));
        }
        run.queues = queues;
        Ok(())
    }
}

/// An item of a queue without attempts waits if anything does.
fn is_awaited(first: Waiting, queue: &QueueRecord) -> bool {
    match first {
        Waiting::Until(_) => queue.waiting > 0,
        Waiting::Item => queue.waiting > 0 && queue.under_way == 0,
    }
}

/// The queues of the waits, each with its activity that is due first.
fn find_waiting<'a>(waits: &'a [Wait], found: &mut BTreeMap<&'a str, Waiting>) {
    for wait in waits.iter().filter(|wait| !wait.has_arrived) {
        match &wait.on {
            WaitFor::Activity(activity) => {
                if let (Some(queue), Some(due_at)) = (&activity.queue, activity.next_attempt_at) {
                    let first = found.entry(queue).or_insert(Waiting::Until(due_at));
                    match first {
                        Waiting::Until(earliest) => *earliest = due_at.min(*earliest),
                        Waiting::Item => *first = Waiting::Until(due_at),
                    }
                }
            }
            WaitFor::Item { queue, .. } => {
                found.entry(queue).or_insert(Waiting::Item);
            }
            WaitFor::Workflow { position } | WaitFor::Block { position } => {
                find_waiting(&position.waits, found);
            }
            WaitFor::All { items } => find_waiting(items, found),
            WaitFor::Within { wait, .. } => find_waiting(std::slice::from_ref(&**wait), found),
            WaitFor::Each { asked, .. } => find_waiting(asked, found),
            _ => {}
        }
    }
}

impl From<QueueRecord> for AwaitedQueue {
    fn from(record: QueueRecord) -> Self {
        Self {
            queue: record.queue,
            waiting: record.waiting,
            under_way: record.under_way,
            oldest_due_at: record.oldest_due_at,
            paused: record.paused.map(|paused| paused.reason),
        }
    }
}
