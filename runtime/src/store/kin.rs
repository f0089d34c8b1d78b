//! The consequences of the end of a run for other runs, for all SQL stores.

use std::collections::HashMap;

use super::rows::{AttachedChild, ChildWait};
use super::{ArrivalKind, NewArrival, reason_of_parent_close};
use crate::machine::OperationOutcome;
use crate::model::{ChildEnd, ParentClose, RunId};

/// The ends reported to waiting parents, and requests to cancel for children.
pub(super) fn arrivals(
    waits: &[ChildWait],
    ends: &HashMap<RunId, ChildEnd>,
    attached: &[AttachedChild],
) -> Vec<NewArrival> {
    let told = waits.iter().map(|wait| {
        let end = ends.get(&wait.closed).cloned().unwrap_or(ChildEnd::Unknown);
        let outcome = OperationOutcome::Child(Box::new(end));
        (wait.waiting.run_id, ArrivalKind::Outcome { handle: wait.waiting.handle, outcome })
    });
    let cancelled = attached.iter().filter(|child| child.policy == ParentClose::RequestCancel);
    let cancelled = cancelled.map(|child| {
        (child.last, ArrivalKind::Cancel { reason: reason_of_parent_close(child.parent) })
    });
    let arrival = |(run_id, kind)| NewArrival { run_id, kind, dedup_key: None, owner: None };
    told.chain(cancelled).map(arrival).collect()
}
