//! What a machine waits for, and what has not come yet.

use super::{Machine, OperationOutcome};
use crate::machine::context::is_on_queue;
use crate::model::{
    ActivityOperation, AttributeChanges, Handle, Operation, OutgoingMessage, Timestamp, Wait,
};

impl Machine {
    /// Looks at what is outstanding, in the order it was asked for.
    pub fn with_operations<T>(&self, look: impl FnOnce(&[(Handle, Operation)]) -> T) -> T {
        self.cx.with_operations(|operations| look(operations))
    }

    /// Looks at an outstanding activity.
    pub fn with_activity<T>(
        &self,
        handle: Handle,
        look: impl FnOnce(&ActivityOperation) -> T,
    ) -> Option<T> {
        self.cx.with_operations(|operations| {
            let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
            match &operations[index].1 {
                Operation::Activity(activity) => Some(look(activity)),
                _ => None,
            }
        })
    }

    /// Whether an operation is outstanding and its outcome has not arrived.
    pub fn awaits_outcome(&self, handle: Handle) -> bool {
        self.cx.with_operations(|operations| {
            operations.binary_search_by_key(&handle, |(handle, _)| *handle).is_ok()
        }) && self.cx.with_arrivals(|arrivals| !arrivals.has_outcome(handle))
    }

    /// The outcome of an operation, if it has arrived, is not used up and does not lie in the
    /// inbox.
    pub fn unsaved_outcome(&self, handle: Handle) -> Option<OperationOutcome> {
        self.cx.with_arrivals(|arrivals| arrivals.unsaved(handle))
    }

    /// Takes what steps have made of activities on queues since the last call: those asked for,
    /// which are from now on without their arguments here, and those given up before their outcome
    /// came.
    pub fn take_queue_changes(&mut self) -> (Vec<(Handle, ActivityOperation)>, Vec<Handle>) {
        let changes = self.cx.take_queue_changes();
        let asked = self.cx.with_operations(|operations| {
            let take = |handle: Handle| {
                let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
                let Operation::Activity(activity) = &mut operations[index].1 else { return None };
                let arguments = std::mem::take(&mut activity.arguments);
                Some((
                    handle,
                    ActivityOperation { arguments, ..ActivityOperation::clone(activity) },
                ))
            };
            changes.asked.into_iter().filter_map(take).collect()
        });
        (asked, changes.given_up)
    }

    /// Takes what steps have sent to other runs since the last call, in the order in which they did.
    pub fn take_messages(&mut self) -> Vec<OutgoingMessage> {
        self.cx.take_messages()
    }

    /// Takes the attributes that steps have set and unset since the last call.
    pub fn take_attributes(&mut self) -> AttributeChanges {
        self.cx.take_attributes()
    }

    /// The activities on queues that are outstanding and whose outcome has not arrived.
    pub fn queued(&self) -> Vec<Handle> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                let queued = operations.iter().filter(|(_, operation)| is_on_queue(operation));
                let handles = queued.map(|(handle, _)| *handle);
                handles.filter(|handle| !arrivals.has_outcome(*handle)).collect()
            })
        })
    }

    /// Calls `visit` with every activity that the owner of the run is to carry out, is outstanding,
    /// and whose outcome has not arrived.
    pub fn for_each_activity(&self, mut visit: impl FnMut(Handle, &ActivityOperation)) {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                for (handle, operation) in operations {
                    if let Operation::Activity(activity) = operation
                        && activity.queue.is_none()
                        && !arrivals.has_outcome(*handle)
                    {
                        visit(*handle, activity);
                    }
                }
            });
        });
    }

    /// When a step is to be made if nothing more arrives; a time that has passed is now.
    pub fn ready_at(&self) -> Option<Timestamp> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                if arrivals.is_asked_to_cancel() {
                    return Some(Timestamp::MIN);
                }
                let at = |handle| {
                    let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
                    match &operations[index.ok()?].1 {
                        // The run has seen this time, whatever the clock says now.
                        Operation::Timer { fire_at } if *fire_at <= self.clock => {
                            Some(Timestamp::MIN)
                        }
                        Operation::Timer { fire_at } => Some(*fire_at),
                        other => {
                            arrivals.has(handle, other, Timestamp::MIN).then_some(Timestamp::MIN)
                        }
                    }
                };
                match &self.wait {
                    Wait::All(waits) => {
                        waits[self.met.get()..].iter().try_fold(Timestamp::MIN, |latest, wait| {
                            Some(latest.max(wait.met_at(&at)?))
                        })
                    }
                    wait => wait.met_at(&at),
                }
            })
        })
    }

    /// Whether a step is to be made: what the machine waits for has come, or a request to cancel.
    pub fn is_ready(&self, now: Timestamp) -> bool {
        let now = now.max(self.clock);
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                if arrivals.is_asked_to_cancel() {
                    return true;
                }
                let arrived = |handle| {
                    let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
                    index.is_ok_and(|index| arrivals.has(handle, &operations[index].1, now))
                };
                match &self.wait {
                    Wait::All(waits) => {
                        let left = &waits[self.met.get()..];
                        let met = left.iter().take_while(|wait| wait.is_met(&arrived)).count();
                        self.met.set(self.met.get() + met);
                        met == left.len()
                    }
                    wait => wait.is_met(&arrived),
                }
            })
        })
    }
}
