//! The outstanding operations of a machine.

use super::{Arrivals, Machine, OperationOutcome};
use crate::machine::context::{is_on_queue, is_shielded};
use crate::model::{
    ActivityOperation, AttributeChanges, Came, Handle, Memo, NewReply, Operation, OutgoingMessage,
    Timestamp, Wait,
};

impl Machine {
    /// Passes the outstanding operations to `look`, in the order of their requests.
    pub fn with_operations<T>(&self, look: impl FnOnce(&[(Handle, Operation)]) -> T) -> T {
        self.cx.with_operations(|operations| look(operations))
    }

    /// Passes an outstanding activity to `look`.
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

    /// The outcome of an operation, if it has arrived, is not consumed and is not in the inbox.
    pub fn unsaved_outcome(&self, handle: Handle) -> Option<OperationOutcome> {
        self.cx.with_arrivals(|arrivals| arrivals.unsaved(handle))
    }

    /// Takes the changes of activities on queues since the last call: the requested ones, whose arguments are removed
    /// here, and those dropped before their outcome arrived.
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

    /// Takes the messages that steps have sent to other runs since the last call, in order.
    pub fn take_messages(&mut self) -> Vec<OutgoingMessage> {
        self.cx.take_messages()
    }

    /// Takes the changes of attributes since the last call.
    pub fn take_attributes(&mut self) -> AttributeChanges {
        self.cx.take_attributes()
    }

    /// Takes the memo that steps have set since the last call.
    pub fn take_memo(&mut self) -> Option<Memo> {
        self.cx.take_memo()
    }

    /// Withdraws all waits of the run for promises.
    #[cfg(feature = "engine")]
    pub(crate) fn forget_promises(&mut self) {
        self.cx.forget_promises();
    }

    /// Takes the answers of steps to updates since the last call.
    pub fn take_replies(&mut self) -> Vec<NewReply> {
        self.cx.take_replies()
    }

    /// The outstanding activities on queues whose outcome has not arrived.
    pub fn queued(&self) -> Vec<Handle> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                let queued = operations.iter().filter(|(_, operation)| is_on_queue(operation));
                let handles = queued.map(|(handle, _)| *handle);
                handles.filter(|handle| !arrivals.has_outcome(*handle)).collect()
            })
        })
    }

    /// Calls `visit` with every outstanding activity that the owner of the run executes and whose outcome has not
    /// arrived.
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

    /// When a request to cancel makes a step due, given when the outcome of each operation is available. If shielded
    /// operations are outstanding, the request waits until all of them have outcomes: only then may the step interrupt
    /// the others.
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

    /// When the next step is due if nothing more arrives. A past time means now.
    pub fn ready_at(&self) -> Option<Timestamp> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                let at = |handle| {
                    let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
                    match &operations[index.ok()?].1 {
                        // The run's own clock has reached this time, even if the current clock has not.
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

    /// Whether a step is due: the awaited arrivals are there, or a request to cancel.
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

    /// Whether outstanding activities must wait until others have ended.
    pub fn has_limits(&self) -> bool {
        let mut has_limits = false;
        self.wait.for_each_outcomes(&mut |outcomes| has_limits |= outcomes.at_once < u32::MAX);
        has_limits
    }

    /// The activities that must not begin before others have ended, in the order of their requests. `is_running` says
    /// whether an attempt is running. Activities with an earlier attempt, or whose attempt continues without its
    /// function, count as begun, too.
    ///
    /// The first one is always the next to begin. So after a crash it is known which have begun: of those that have not
    /// ended, as many as the limit allows.
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

/// The arrivals of a machine up to a time.
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
