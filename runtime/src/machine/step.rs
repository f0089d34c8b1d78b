//! Driving one machine: what has arrived goes in, a step is made, a snapshot comes out.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::task::Poll;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::context::is_on_queue;
use super::region::advance;
use super::{Context, Parked, Returned, RunInfo, TimeoutKind, WorkflowEntry};
use crate::codec::{self, CodecError, SnapshotView};
use crate::error::Error;
use crate::model::{
    ActivityOperation, AwaitedToken, DefinitionHash, Handle, Operation, Payload, Snapshot,
    Timestamp, Wait,
};

/// Why a step could not be made. The state before it stands.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A value could not be encoded.
    #[error(transparent)]
    Encode(CodecError),
    /// A saved value could not be read.
    #[error(transparent)]
    Decode(CodecError),
    /// The state was written by another definition of the workflow.
    #[error("the state was written by definition {found}, this build has {current}")]
    Definition {
        /// What wrote it.
        found: DefinitionHash,
        /// What this build has.
        current: DefinitionHash,
    },
    /// The definition that wrote the state has no state with this number.
    #[error("the workflow has no state number {0}")]
    UnknownState(u32),
    /// The run is over: something that it waited for has failed in a way that its code cannot see.
    #[error("{0}")]
    Failed(Error),
    /// The run is over: a request to cancel ended what it waited for.
    #[error("cancelled")]
    Cancelled,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OperationOutcome {
    /// The activity returned; the payload is its whole return value.
    Returned(Payload),
    /// The activity took too long.
    TimedOut(TimeoutKind),
    /// The activity was cancelled.
    Cancelled,
    /// The activity panicked and is not tried again.
    Panicked(String),
    /// The activity could not be run at all, for people.
    Unusable(String),
    /// The only attempt that the activity may have was cut off.
    Unknown,
}

/// What a step came to.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    /// The machine waits; see [`Machine::wait`].
    Parked,
    /// The workflow returned.
    Returned {
        /// Its encoded return value.
        result: Payload,
        /// The error's text, if it returned one.
        failure: Option<String>,
    },
}

/// A state machine between steps, with what has arrived for it.
#[derive(Debug)]
pub struct Machine {
    entry: &'static WorkflowEntry,
    cx: Context,
    frame: Bytes,
    state: String,
    wait: Wait,
    steps: u64,
    cancelled: Option<String>,
    /// How many parts of a wait for all have been found to hold since the last step. They hold
    /// until the next one, so a wait for n arrivals costs n looks and not n².
    met: Cell<usize>,
}

impl Machine {
    /// A machine before its first step.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the arguments are not those of the workflow.
    pub fn start(
        entry: &'static WorkflowEntry,
        run: RunInfo,
        arguments: &Payload,
    ) -> Result<Self, StepError> {
        let definition = entry.definition();
        definition.check(arguments).map_err(StepError::Decode)?;
        let frame = Parked::start(definition, arguments).frame().clone();
        Ok(Self {
            entry,
            cx: Context::new(run, 0, Vec::new()),
            frame,
            state: entry.graph.nodes[0].name.to_owned(),
            wait: Wait::All(Vec::new()),
            steps: 0,
            cancelled: None,
            met: Cell::new(0),
        })
    }

    /// A machine as it was when the snapshot was taken.
    pub fn resume(entry: &'static WorkflowEntry, run: RunInfo, snapshot: Snapshot) -> Self {
        Self {
            entry,
            cx: Context::new(run, snapshot.next_handle, snapshot.operations),
            frame: snapshot.frame.into(),
            state: snapshot.state,
            wait: snapshot.wait,
            steps: snapshot.steps,
            cancelled: snapshot.cancelled,
            met: Cell::new(0),
        }
    }

    /// The machine as plain data.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            frame: self.frame.to_vec(),
            state: self.state.clone(),
            next_handle: self.cx.next_handle(),
            operations: self.cx.with_operations(|operations| operations.clone()),
            wait: self.wait.clone(),
            steps: self.steps,
            cancelled: self.cancelled.clone(),
        }
    }

    /// The machine as the bytes that [`codec::decode_snapshot`] reads, without a copy in between.
    ///
    /// # Errors
    /// See [`codec::encode_snapshot`].
    pub fn encode_snapshot(&self) -> Result<Vec<u8>, CodecError> {
        self.cx.with_operations(|operations| {
            codec::encode_snapshot_view(&SnapshotView {
                frame: &self.frame,
                state: &self.state,
                next_handle: self.cx.next_handle(),
                operations,
                wait: &self.wait,
                steps: self.steps,
                cancelled: self.cancelled.as_deref(),
            })
        })
    }

    /// The workflow.
    pub fn entry(&self) -> &'static WorkflowEntry {
        self.entry
    }

    /// The name of the state that the machine is in.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// What the machine waits for.
    pub fn wait(&self) -> &Wait {
        &self.wait
    }

    /// How many steps the machine has made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Why the run was asked to cancel, if it was.
    pub fn cancel_reason(&self) -> Option<String> {
        self.cancelled.clone().or_else(|| {
            self.cx.with_arrivals(|arrivals| Some(arrivals.cancel.as_ref()?.value.clone()))
        })
    }

    /// Looks at what is outstanding, in the order it was asked for.
    pub fn with_operations<T>(&self, look: impl FnOnce(&[(Handle, Operation)]) -> T) -> T {
        self.cx.with_operations(|operations| look(operations))
    }

    /// Adds the outcome of an operation; one that is not outstanding counts as consumed. `seq` is
    /// its number in the run's inbox, if it lies there. Delivering the same arrival again does
    /// nothing.
    pub fn deliver_outcome(&mut self, seq: Option<i64>, handle: Handle, outcome: OperationOutcome) {
        let outstanding = self.cx.with_operations(|operations| {
            operations.binary_search_by_key(&handle, |(handle, _)| *handle).is_ok()
        });
        self.cx.with_arrivals(|arrivals| {
            if !outstanding {
                arrivals.consumed.extend(seq);
                return;
            }
            match arrivals.outcomes.entry(handle) {
                Entry::Vacant(entry) => {
                    entry.insert(Delivery::new(seq, outcome));
                }
                Entry::Occupied(mut entry) => match entry.get().seq {
                    // What lies in the inbox counts, also where somebody else has put it there.
                    None if seq.is_some() => *entry.get_mut() = Delivery::new(seq, outcome),
                    None => {}
                    Some(known) => arrivals.consumed.extend(seq.filter(|seq| *seq != known)),
                },
            }
        });
    }

    /// Adds a signal.
    pub fn deliver_signal(&mut self, seq: Option<i64>, name: String, payload: Payload) {
        self.cx.with_arrivals(|arrivals| {
            arrivals.signals.push_back(Delivery::new(seq, (name, payload)));
        });
    }

    /// Adds a request to cancel; further ones are consumed without effect.
    pub fn deliver_cancel(&mut self, seq: Option<i64>, reason: String) {
        self.cx.with_arrivals(|arrivals| {
            if arrivals.cancel.is_none() {
                arrivals.cancel = Some(Delivery::new(seq, reason));
            } else {
                arrivals.consumed.extend(seq);
            }
        });
    }

    /// Notes that attempt number `attempt` of an activity has failed, when the next one is due, and
    /// what it is to know.
    pub fn deliver_retry(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        retry_at: Timestamp,
        details: Option<Payload>,
    ) {
        self.deliver_attempt(seq, handle, attempt, |activity| {
            activity.retry_at = Some(retry_at);
            activity.details = details;
        });
    }

    /// Notes that attempt number `attempt` of an activity was cut off, which is no failure of it.
    pub fn deliver_interruption(&mut self, seq: Option<i64>, handle: Handle, attempt: u32) {
        self.deliver_attempt(seq, handle, attempt, |activity| activity.interruptions += 1);
    }

    /// Counts an attempt that has ended, with what else follows for its activity, unless it is
    /// counted already or nobody waits for the activity any more.
    fn deliver_attempt(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        change: impl FnOnce(&mut ActivityOperation),
    ) {
        self.cx.with_arrivals(|arrivals| arrivals.consumed.extend(seq));
        self.cx.with_operations(|operations| {
            let Ok(index) = operations.binary_search_by_key(&handle, |(handle, _)| *handle) else {
                return;
            };
            if let Operation::Activity(activity) = &mut operations[index].1
                && activity.attempts < attempt
            {
                let passed_over = activity.awaited.take().map_or(0, |awaited| awaited.takeovers);
                activity.attempts = attempt.saturating_add(passed_over);
                activity.passed_over = activity.passed_over.saturating_add(passed_over);
                change(activity);
            }
        });
    }

    /// Notes that attempt number `attempt` of an activity goes on without its function.
    pub fn await_token(&mut self, handle: Handle, attempt: u32, awaited: AwaitedToken) {
        self.change_attempt(handle, attempt, |activity| activity.awaited = Some(awaited));
    }

    /// Notes what attempt number `attempt` of an activity has said of itself at `now`. Returns
    /// whether it is the current one.
    pub fn deliver_heartbeat(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        details: Payload,
        now: Timestamp,
    ) -> bool {
        self.cx.with_arrivals(|arrivals| arrivals.consumed.extend(seq));
        self.change_attempt(handle, attempt, |activity| {
            activity.details = Some(details);
            if let Some(awaited) = &mut activity.awaited {
                awaited.heard_at = now;
            }
        })
    }

    /// Changes an activity whose current attempt this is.
    fn change_attempt(
        &mut self,
        handle: Handle,
        attempt: u32,
        change: impl FnOnce(&mut ActivityOperation),
    ) -> bool {
        self.cx.with_operations(|operations| {
            let found = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
            match found.map(|index| &mut operations[index].1) {
                Ok(Operation::Activity(activity)) if activity.attempts + 1 == attempt => {
                    change(activity);
                    true
                }
                _ => false,
            }
        })
    }

    /// Whether attempt number `attempt` of an activity may still come to something that counts.
    pub fn is_wanted(&self, handle: Handle, attempt: u32) -> bool {
        self.with_activity(handle, |activity| activity.attempts < attempt) == Some(true)
            && self.cx.with_arrivals(|arrivals| !arrivals.outcomes.contains_key(&handle))
    }

    /// Notes that the run was taken away this many times from whoever was making its attempts. An
    /// attempt that was being made was interrupted. Where a retry after `now` was waited for,
    /// probably none was; but an owner that lives may begin it by its own clock before it learns
    /// that the run has gone on elsewhere, so its number is passed over. Returns whether anything
    /// changed.
    pub fn count_takeovers(&mut self, takeovers: u32, now: Timestamp) -> bool {
        let mut changed = false;
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                for (handle, operation) in operations {
                    let Operation::Activity(activity) = operation else { continue };
                    if activity.queue.is_some() || arrivals.outcomes.contains_key(handle) {
                        continue;
                    }
                    changed = takeovers > 0;
                    if let Some(awaited) = &mut activity.awaited {
                        awaited.takeovers = awaited.takeovers.saturating_add(takeovers);
                        continue;
                    }
                    let waited = activity.retry_at.is_some_and(|retry_at| retry_at > now);
                    let counted = match waited {
                        true => &mut activity.passed_over,
                        false => &mut activity.interruptions,
                    };
                    *counted = counted.saturating_add(takeovers);
                    activity.attempts = activity.attempts.saturating_add(takeovers);
                }
            });
        });
        changed
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
        }) && self.cx.with_arrivals(|arrivals| !arrivals.outcomes.contains_key(&handle))
    }

    /// The outcome of an operation, if it has arrived, is not used up and does not lie in the
    /// inbox.
    pub fn unsaved_outcome(&self, handle: Handle) -> Option<OperationOutcome> {
        self.cx.with_arrivals(|arrivals| {
            let delivery = arrivals.outcomes.get(&handle)?;
            delivery.seq.is_none().then(|| delivery.value.clone())
        })
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

    /// The activities on queues that are outstanding and whose outcome has not arrived.
    pub fn queued(&self) -> Vec<Handle> {
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                let queued = operations.iter().filter(|(_, operation)| is_on_queue(operation));
                let handles = queued.map(|(handle, _)| *handle);
                handles.filter(|handle| !arrivals.outcomes.contains_key(handle)).collect()
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
                        && !arrivals.outcomes.contains_key(handle)
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
                if arrivals.cancel.is_some() {
                    return Some(Timestamp::MIN);
                }
                let at = |handle| {
                    let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
                    match &operations[index.ok()?].1 {
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
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                if arrivals.cancel.is_some() {
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

    /// Makes one step.
    ///
    /// # Errors
    /// See [`StepError`]. The machine's state is as before; what the failed step took of the
    /// arrivals is put back, but operations that it asked for or settled stay so, so the machine
    /// must not be stepped again.
    ///
    /// # Panics
    /// If the workflow's code does. The same holds as after an error, once
    /// [`Machine::put_back`] has been called.
    pub fn step(&mut self, now: Timestamp) -> Result<StepOutcome, StepError> {
        self.cx.begin_step(self.steps, now);
        let WorkflowEntry { steps, graph, .. } = self.entry;
        let mut parked = Parked::read(self.frame.clone(), self.entry.definition(), graph)?;
        let mut step = |parked: &mut Parked| steps.step(parked, &self.cx);
        let outcome = advance(&mut parked, &self.cx, &mut step).inspect_err(|_| {
            self.cx.with_arrivals(Arrivals::put_back);
        })?;
        self.steps += 1;
        let outcome = match outcome {
            Poll::Pending => {
                self.frame = parked.frame().clone();
                graph.nodes[parked.state()].name.clone_into(&mut self.state);
                self.wait = self.cx.finish_waits();
                self.met.set(0);
                StepOutcome::Parked
            }
            Poll::Ready(Returned { result, failure }) => StepOutcome::Returned { result, failure },
        };
        let cancelled = self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| arrivals.settle(operations))
        });
        if self.cancelled.is_none() {
            self.cancelled = cancelled;
        }
        Ok(outcome)
    }

    /// Puts back what a step that panicked took of the arrivals.
    pub fn put_back(&mut self) {
        self.cx.with_arrivals(Arrivals::put_back);
    }

    /// The inbox numbers used up since the last call.
    pub fn take_consumed(&mut self) -> Vec<i64> {
        self.cx.with_arrivals(|arrivals| std::mem::take(&mut arrivals.consumed))
    }

    /// Notes that an outcome now lies in the inbox.
    pub fn saved_outcome(&mut self, handle: Handle, seq: i64) {
        self.cx.with_arrivals(|arrivals| match arrivals.outcomes.get_mut(&handle) {
            Some(delivery) => match delivery.seq {
                None => delivery.seq = Some(seq),
                Some(known) if known == seq => {}
                Some(_) => arrivals.consumed.push(seq),
            },
            None => arrivals.consumed.push(seq),
        });
    }
}

/// What has arrived and not been used up.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    outcomes: BTreeMap<Handle, Delivery<OperationOutcome>>,
    signals: VecDeque<Delivery<(String, Payload)>>,
    cancel: Option<Delivery<String>>,
    consumed: Vec<i64>,
}

#[derive(Debug)]
struct Delivery<T> {
    seq: Option<i64>,
    value: T,
    /// Taken by the step being made.
    taken: bool,
}

impl<T> Delivery<T> {
    fn new(seq: Option<i64>, value: T) -> Self {
        Self { seq, value, taken: false }
    }

    fn take(&mut self) -> &T {
        self.taken = true;
        &self.value
    }
}

impl Arrivals {
    pub(crate) fn take_outcome(&mut self, handle: Handle) -> Option<OperationOutcome> {
        self.outcomes.get_mut(&handle).map(|delivery| delivery.take().clone())
    }

    pub(crate) fn has_outcome(&self, handle: Handle) -> bool {
        self.outcomes.contains_key(&handle)
    }

    pub(crate) fn take_signal(&mut self, name: &str) -> Option<Payload> {
        let mut waiting = self.signals.iter_mut();
        let signal = waiting.find(|signal| !signal.taken && signal.value.0 == name)?;
        Some(signal.take().1.clone())
    }

    pub(crate) fn take_cancel(&mut self) -> Option<String> {
        let cancel = self.cancel.as_mut().filter(|cancel| !cancel.taken)?;
        Some(cancel.take().clone())
    }

    fn has(&self, handle: Handle, operation: &Operation, now: Timestamp) -> bool {
        match operation {
            Operation::Timer { fire_at } => *fire_at <= now,
            Operation::Signal { name } => self.signals.iter().any(|signal| signal.value.0 == *name),
            Operation::Cancellation => self.cancel.is_some(),
            Operation::Activity(_) | Operation::Run { .. } => self.outcomes.contains_key(&handle),
        }
    }

    fn put_back(&mut self) {
        self.outcomes.values_mut().for_each(|delivery| delivery.taken = false);
        self.signals.iter_mut().for_each(|delivery| delivery.taken = false);
        self.cancel.iter_mut().for_each(|delivery| delivery.taken = false);
    }

    /// Drops what the step took, and outcomes of operations that it gave up. Returns the reason of
    /// a request to cancel that the step took.
    fn settle(&mut self, operations: &[(Handle, Operation)]) -> Option<String> {
        let consumed = &mut self.consumed;
        self.outcomes.retain(|handle, delivery| {
            let outstanding =
                operations.binary_search_by_key(handle, |(handle, _)| *handle).is_ok();
            let keep = outstanding && !delivery.taken;
            if !keep {
                consumed.extend(delivery.seq);
            }
            keep
        });
        self.signals.retain(|delivery| {
            if delivery.taken {
                consumed.extend(delivery.seq);
            }
            !delivery.taken
        });
        let cancel = self.cancel.take_if(|cancel| cancel.taken)?;
        consumed.extend(cancel.seq);
        Some(cancel.value)
    }
}
