//! The arrivals of a machine.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Machine, OperationOutcome};
use crate::generated::fallible::is_error;
use crate::machine::ReceivedUpdate;
use crate::model::{Handle, Operation, Payload, Timestamp};

/// A signal that its run could not read and has removed from its inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Its number in the run's inbox, if it is there.
    pub seq: Option<i64>,
    /// The signal's stored name.
    pub name: String,
    /// Why it could not be read, for people.
    pub reason: String,
}

/// Arrivals that were not consumed.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    outcomes: BTreeMap<Handle, Delivery<OperationOutcome>>,
    /// The failed activities among them, if the run waits for a number of failures.
    failed: BTreeSet<Handle>,
    signals: VecDeque<Delivery<(String, Payload)>>,
    updates: VecDeque<Delivery<ReceivedUpdate>>,
    cancel: Option<Delivery<String>>,
    /// The number of arrivals so far, consumed or not.
    count: u64,
    consumed: Vec<i64>,
    /// Signals that steps could not read.
    set_aside: Vec<SetAside>,
}

#[derive(Debug)]
struct Delivery<T> {
    seq: Option<i64>,
    /// The number of arrivals before it.
    number: u64,
    value: T,
    /// Taken by the current step.
    taken: bool,
    /// Why the current step could not read it.
    unreadable: Option<String>,
}

impl<T> Delivery<T> {
    fn new(seq: Option<i64>, count: &mut u64, value: T) -> Self {
        let number = *count;
        *count += 1;
        Self { seq, number, value, taken: false, unreadable: None }
    }

    fn take(&mut self) -> &T {
        self.taken = true;
        &self.value
    }
}

impl Arrivals {
    pub(crate) fn take_outcome(&mut self, handle: Handle) -> Option<&OperationOutcome> {
        self.outcomes.get_mut(&handle).map(|delivery| delivery.take())
    }

    pub(crate) fn has_outcome(&self, handle: Handle) -> bool {
        self.outcomes.contains_key(&handle)
    }

    /// Whether an activity is known to have failed.
    pub(super) fn has_failed(&self, handle: Handle) -> bool {
        self.failed.contains(&handle)
    }

    /// The number of outcomes, and how many of them are known to be failures.
    pub(super) fn count_outcomes(&self) -> (usize, usize) {
        (self.outcomes.len(), self.failed.len())
    }

    pub(crate) fn is_asked_to_cancel(&self) -> bool {
        self.cancel.is_some()
    }

    pub(super) fn cancel_reason(&self) -> Option<String> {
        self.cancel.as_ref().map(|cancel| cancel.value.clone())
    }

    /// The outcome of an operation that is not in the inbox.
    pub(super) fn unsaved(&self, handle: Handle) -> Option<OperationOutcome> {
        let delivery = self.outcomes.get(&handle)?;
        delivery.seq.is_none().then(|| delivery.value.clone())
    }

    /// Records that the arrival with this number is consumed.
    pub(super) fn consume(&mut self, seq: Option<i64>) {
        self.consumed.extend(seq);
    }

    pub(crate) fn take_signal(&mut self, name: &str) -> Option<Payload> {
        let mut waiting = self.signals.iter_mut();
        let signal = waiting.find(|signal| !signal.taken && signal.value.0 == name)?;
        Some(signal.take().1.clone())
    }

    /// Removes the signal of this name that was taken last, as unreadable.
    pub(crate) fn set_aside_signal(&mut self, name: &str, reason: String) {
        let taken = self.signals.iter_mut().rev();
        let mut taken = taken.filter(|signal| signal.taken && signal.value.0 == name);
        if let Some(signal) = taken.next() {
            signal.unreadable = Some(reason);
        }
    }

    /// The number of unread signals with this name.
    pub(crate) fn count_signals(&self, name: &str) -> usize {
        let waiting = self.signals.iter();
        waiting.filter(|signal| !signal.taken && signal.value.0 == name).count()
    }

    pub(crate) fn take_update(&mut self, name: &str) -> Option<ReceivedUpdate> {
        let mut waiting = self.updates.iter_mut();
        let update = waiting.find(|update| !update.taken && update.value.name == name)?;
        Some(update.take().clone())
    }

    /// The number of unread updates with this name.
    pub(crate) fn count_updates(&self, name: &str) -> usize {
        let waiting = self.updates.iter();
        waiting.filter(|update| !update.taken && update.value.name == name).count()
    }

    pub(crate) fn take_cancel(&mut self) -> Option<String> {
        let cancel = self.cancel.as_mut().filter(|cancel| !cancel.taken)?;
        Some(cancel.take().clone())
    }

    /// Consumes the request to cancel without a step.
    #[cfg(feature = "engine")]
    pub(super) fn use_cancel_up(&mut self) -> Option<String> {
        let cancel = self.cancel.take()?;
        self.consumed.extend(cancel.seq);
        Some(cancel.value)
    }

    /// The number of arrivals before the one that an operation waits for; `None` if that has not arrived.
    pub(crate) fn number_of(&self, handle: Handle, operation: &Operation) -> Option<u64> {
        match operation {
            Operation::Signal { name, .. } => {
                let mut waiting = self.signals.iter();
                let signal = waiting.find(|signal| !signal.taken && signal.value.0 == *name);
                signal.map(|signal| signal.number)
            }
            Operation::Update { name, .. } => {
                let mut waiting = self.updates.iter();
                let update = waiting.find(|update| !update.taken && update.value.name == *name);
                update.map(|update| update.number)
            }
            Operation::Cancellation => self.cancel.as_ref().map(|cancel| cancel.number),
            _ => self.outcomes.get(&handle).map(|delivery| delivery.number),
        }
    }

    pub(super) fn has(&self, handle: Handle, operation: &Operation, now: Timestamp) -> bool {
        match operation {
            Operation::Timer { fire_at } => *fire_at <= now,
            Operation::Signal { name, .. } => {
                self.signals.iter().any(|signal| signal.value.0 == *name)
            }
            Operation::Update { name, .. } => {
                self.updates.iter().any(|update| update.value.name == *name)
            }
            Operation::Answer { .. } => false,
            Operation::Cancellation => self.cancel.is_some(),
            Operation::Activity(_) | Operation::Promise(_) | Operation::Child { .. } => {
                self.outcomes.contains_key(&handle)
            }
            Operation::Shield(_) | Operation::Compensation(_) => false,
        }
    }

    pub(super) fn put_back(&mut self) {
        self.outcomes.values_mut().for_each(|delivery| delivery.taken = false);
        for signal in &mut self.signals {
            (signal.taken, signal.unreadable) = (false, None);
        }
        self.updates.iter_mut().for_each(|delivery| delivery.taken = false);
        self.cancel.iter_mut().for_each(|delivery| delivery.taken = false);
    }

    /// Consumes the arrivals that the step took, and the outcomes of operations that it dropped. Returns the reason of
    /// a request to cancel that the step took.
    pub(super) fn settle(&mut self, operations: &[(Handle, Operation)]) -> Option<String> {
        let (consumed, failed) = (&mut self.consumed, &mut self.failed);
        self.outcomes.retain(|handle, delivery| {
            let outstanding =
                operations.binary_search_by_key(handle, |(handle, _)| *handle).is_ok();
            let keep = outstanding && !delivery.taken;
            if !keep {
                consumed.extend(delivery.seq);
                failed.remove(handle);
            }
            keep
        });
        let set_aside = &mut self.set_aside;
        self.signals.retain_mut(|delivery| {
            if !delivery.taken {
                return true;
            }
            match delivery.unreadable.take() {
                None => consumed.extend(delivery.seq),
                Some(reason) => {
                    let name = std::mem::take(&mut delivery.value.0);
                    set_aside.push(SetAside { seq: delivery.seq, name, reason });
                }
            }
            false
        });
        self.updates.retain(|delivery| {
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

impl Machine {
    /// Adds the outcome of an operation; if the operation is not outstanding, the arrival counts as consumed. `seq`
    /// is its number in the run's inbox, if it is there. Adding the same arrival again has no effect.
    pub fn deliver_outcome(&mut self, seq: Option<i64>, handle: Handle, outcome: OperationOutcome) {
        let operation = self.cx.with_operations(|operations| {
            let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
            Some(matches!(&operations[index].1, Operation::Promise(wait) if wait.token.queue().is_some()))
        });
        let outstanding = operation.is_some();
        let outcome = match outcome {
            OperationOutcome::Promise(outcome) if operation == Some(true) => outcome.into(),
            outcome => outcome,
        };
        let mut counts_failures = false;
        self.wait.for_each_outcomes(&mut |_| counts_failures = true);
        self.cx.with_arrivals(|arrivals| {
            if !outstanding {
                arrivals.consumed.extend(seq);
                return;
            }
            if counts_failures && is_failure(&outcome) {
                arrivals.failed.insert(handle);
            }
            match arrivals.outcomes.entry(handle) {
                Entry::Vacant(entry) => {
                    entry.insert(Delivery::new(seq, &mut arrivals.count, outcome));
                }
                Entry::Occupied(mut entry) => match entry.get().seq {
                    // An arrival in the inbox takes precedence, even if another process has put it there.
                    None if seq.is_some() => {
                        *entry.get_mut() = Delivery::new(seq, &mut arrivals.count, outcome);
                    }
                    None => {}
                    Some(known) => arrivals.consumed.extend(seq.filter(|seq| *seq != known)),
                },
            }
        });
    }

    /// Adds a signal.
    pub fn deliver_signal(&mut self, seq: Option<i64>, name: String, payload: Payload) {
        self.cx.with_arrivals(|arrivals| {
            let delivery = Delivery::new(seq, &mut arrivals.count, (name, payload));
            arrivals.signals.push_back(delivery);
        });
    }

    /// Adds an update.
    pub fn deliver_update(&mut self, seq: Option<i64>, name: String, id: String, payload: Payload) {
        self.cx.with_arrivals(|arrivals| {
            let update = ReceivedUpdate { name, id, payload };
            arrivals.updates.push_back(Delivery::new(seq, &mut arrivals.count, update));
        });
    }

    /// Adds a request to cancel; further ones are consumed without effect.
    pub fn deliver_cancel(&mut self, seq: Option<i64>, reason: String) {
        let is_told = self.cancelled.is_some() || self.ending.is_some();
        self.cx.with_arrivals(|arrivals| {
            if arrivals.cancel.is_none() && !is_told {
                arrivals.cancel = Some(Delivery::new(seq, &mut arrivals.count, reason));
            } else {
                arrivals.consumed.extend(seq);
            }
        });
    }

    /// Records that an outcome is in the inbox now.
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

    /// Returns the arrivals that a panicked step took, and drops its messages.
    pub fn put_back(&mut self) {
        self.cx.with_arrivals(Arrivals::put_back);
        self.cx.unsend();
        self.cx.drop_labels();
    }

    /// Takes the unreadable signals since the last call.
    pub fn take_set_aside(&mut self) -> Vec<SetAside> {
        self.cx.with_arrivals(|arrivals| std::mem::take(&mut arrivals.set_aside))
    }

    /// The numbers of arrivals consumed since the last call.
    pub fn take_consumed(&mut self) -> Vec<i64> {
        self.cx.with_arrivals(|arrivals| std::mem::take(&mut arrivals.consumed))
    }
}

/// Whether an activity has failed. Activities whose failures are counted return a `Result`.
fn is_failure(outcome: &OperationOutcome) -> bool {
    match outcome {
        OperationOutcome::Returned(payload) => is_error(payload.as_bytes()).unwrap_or(false),
        _ => true,
    }
}
