//! The outstanding operations of a machine.

use super::{Arrivals, Machine, OperationOutcome};
use crate::machine::context::{is_on_queue, is_shielded};
use crate::model::{
    ActivityOperation, AttributeChanges, Came, Handle, NewReply, Operation, OutgoingMessage,
    Timestamp, Wait,
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

    /// Says to all promises that the run awaits that it no longer does.
    #[cfg(feature = "engine")]
    pub(crate) fn forget_promises(&mut self) {
        self.cx.forget_promises();
    }

    /// Takes what steps have answered to updates since the last call.
    pub fn take_replies(&mut self) -> Vec<NewReply> {
        self.cx.take_replies()
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

    /// When a step is to be made because of a request to cancel, given since or from when each operation has something to
    /// deliver. One that waits for shielded operations waits until all of them are there: whoever awaits them together with
    /// others has to look after them then.
    fn cancel_at(
        &self,
        arrivals: &Arrivals,
        operations: &[(Handle, Operation)],
        at: &impl Fn(Handle) -> Option<Timestamp>,
    ) -> Option<Timestamp> {
        if !arrivals.is_asked_to_cancel() || self.ending.is_some() {
            return None;
        }
        if !is_shielded(operations) {
            return Some(Timestamp::MIN);
        }
        let mut shields = operations.iter().filter_map(|(_, operation)| match operation {
            Operation::Shield(shielded) => Some(*shielded),
            _ => None,
        });
        shields.try_fold(Timestamp::MIN, |latest, shielded| Some(latest.max(at(shielded)?)))
    }

    /// When a step is to be made if nothing more arrives; a time that has passed is now.
    pub fn ready_at(&self) -> Option<Timestamp> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
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
                let cancel_at = self.cancel_at(arrivals, operations, &at);
                let met_at = match &self.wait {
                    Wait::All(waits) => {
                        waits[self.met.get()..].iter().try_fold(Timestamp::MIN, |latest, wait| {
                            Some(latest.max(wait.met_at(&at)?))
                        })
                    }
                    wait => wait.met_at(&at),
                };
                cancel_at.into_iter().chain(met_at).min()
            })
        })
    }

    /// Whether a step is to be made: what the machine waits for has come, or a request to cancel.
    pub fn is_ready(&self, now: Timestamp) -> bool {
        let now = now.max(self.clock);
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                let came = ArrivedBy { now, operations, arrivals };
                let at = |handle| came.has(handle).then_some(Timestamp::MIN);
                if self.cancel_at(arrivals, operations, &at).is_some() {
                    return true;
                }
                match &self.wait {
                    Wait::All(waits) => {
                        let left = &waits[self.met.get()..];
                        let met = left.iter().take_while(|wait| wait.is_met(&came)).count();
                        self.met.set(self.met.get() + met);
                        met == left.len()
                    }
                    wait => wait.is_met(&came),
                }
            })
        })
    }

    /// Whether some of the activities that are outstanding must wait until others have ended.
    pub fn has_limits(&self) -> bool {
        let mut has_limits = false;
        self.wait.for_each_outcomes(&mut |outcomes| has_limits |= outcomes.at_once < u32::MAX);
        has_limits
    }

    /// The activities that must not begin before others have ended, in the order in which they were asked for.
    /// `is_running` tells which are being attempted. Those that have been attempted, or whose attempt goes on without
    /// its function, are under way, too.
    ///
    /// The next one to begin is always the first. So after a crash it is known which had begun: as many as the limit
    /// allows of those that have not ended.
    pub fn held_back(&self, is_running: impl Fn(Handle) -> bool) -> Vec<Handle> {
        let mut held_back = Vec::new();
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                self.wait.for_each_outcomes(&mut |outcomes| {
                    let mut room = outcomes.at_once;
                    let first = held_back.len();
                    for handle in &outcomes.of {
                        let found = operations.binary_search_by_key(handle, |(handle, _)| *handle);
                        let Ok(index) = found else { continue };
                        let Operation::Activity(activity) = &operations[index].1 else { continue };
                        if arrivals.has_outcome(*handle) || activity.queue.is_some() {
                            continue;
                        }
                        let has_begun = activity.attempts > 0
                            || activity.awaited.is_some()
                            || is_running(*handle);
                        match has_begun {
                            true => room = room.saturating_sub(1),
                            false => held_back.push(*handle),
                        }
                    }
                    let room = usize::try_from(room).unwrap_or(usize::MAX);
                    let begin = held_back.len() - first;
                    held_back.drain(first..first + room.min(begin));
                });
            });
        });
        held_back
    }
}

/// What a machine has got until now.
struct ArrivedBy<'a> {
    now: Timestamp,
    operations: &'a [(Handle, Operation)],
    arrivals: &'a Arrivals,
}

impl Came for ArrivedBy<'_> {
    fn has(&self, handle: Handle) -> bool {
        let index = self.operations.binary_search_by_key(&handle, |(handle, _)| *handle);
        index.is_ok_and(|index| self.arrivals.has(handle, &self.operations[index].1, self.now))
    }

    fn has_failed(&self, handle: Handle) -> bool {
        self.arrivals.has_failed(handle)
    }

    fn at_most(&self) -> (usize, usize) {
        self.arrivals.count_outcomes()
    }
}
