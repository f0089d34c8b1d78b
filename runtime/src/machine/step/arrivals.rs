//! What has arrived for a machine.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use super::{Machine, OperationOutcome};
use crate::model::{Handle, Operation, Payload, Timestamp};

/// A signal that its run could not read, and that no longer waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Its number in the run's inbox, if it lies there.
    pub seq: Option<i64>,
    /// The signal's stored name.
    pub name: String,
    /// Why it could not be read, for people.
    pub reason: String,
}

/// What has arrived and not been used up.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    outcomes: BTreeMap<Handle, Delivery<OperationOutcome>>,
    signals: VecDeque<Delivery<(String, Payload)>>,
    cancel: Option<Delivery<String>>,
    consumed: Vec<i64>,
    /// Signals that steps could not read.
    set_aside: Vec<SetAside>,
}

#[derive(Debug)]
struct Delivery<T> {
    seq: Option<i64>,
    value: T,
    /// Taken by the step being made.
    taken: bool,
    /// Why that step could not read it.
    unreadable: Option<String>,
}

impl<T> Delivery<T> {
    fn new(seq: Option<i64>, value: T) -> Self {
        Self { seq, value, taken: false, unreadable: None }
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

    pub(super) fn is_asked_to_cancel(&self) -> bool {
        self.cancel.is_some()
    }

    pub(super) fn cancel_reason(&self) -> Option<String> {
        self.cancel.as_ref().map(|cancel| cancel.value.clone())
    }

    /// The outcome of an operation that does not lie in the inbox.
    pub(super) fn unsaved(&self, handle: Handle) -> Option<OperationOutcome> {
        let delivery = self.outcomes.get(&handle)?;
        delivery.seq.is_none().then(|| delivery.value.clone())
    }

    /// Notes that what lies in the inbox under this number is used up.
    pub(super) fn consume(&mut self, seq: Option<i64>) {
        self.consumed.extend(seq);
    }

    pub(crate) fn take_signal(&mut self, name: &str) -> Option<Payload> {
        let mut waiting = self.signals.iter_mut();
        let signal = waiting.find(|signal| !signal.taken && signal.value.0 == name)?;
        Some(signal.take().1.clone())
    }

    /// Sets the signal of this name aside that was taken last.
    pub(crate) fn set_aside_signal(&mut self, name: &str, reason: String) {
        let taken = self.signals.iter_mut().rev();
        let mut taken = taken.filter(|signal| signal.taken && signal.value.0 == name);
        if let Some(signal) = taken.next() {
            signal.unreadable = Some(reason);
        }
    }

    /// How many waiting signals have this name.
    pub(crate) fn count_signals(&self, name: &str) -> usize {
        let waiting = self.signals.iter();
        waiting.filter(|signal| !signal.taken && signal.value.0 == name).count()
    }

    pub(crate) fn take_cancel(&mut self) -> Option<String> {
        let cancel = self.cancel.as_mut().filter(|cancel| !cancel.taken)?;
        Some(cancel.take().clone())
    }

    pub(super) fn has(&self, handle: Handle, operation: &Operation, now: Timestamp) -> bool {
        match operation {
            Operation::Timer { fire_at } => *fire_at <= now,
            Operation::Signal { name, .. } => {
                self.signals.iter().any(|signal| signal.value.0 == *name)
            }
            Operation::Cancellation => self.cancel.is_some(),
            Operation::Activity(_) => self.outcomes.contains_key(&handle),
        }
    }

    pub(super) fn put_back(&mut self) {
        self.outcomes.values_mut().for_each(|delivery| delivery.taken = false);
        for signal in &mut self.signals {
            (signal.taken, signal.unreadable) = (false, None);
        }
        self.cancel.iter_mut().for_each(|delivery| delivery.taken = false);
    }

    /// Drops what the step took, and outcomes of operations that it gave up. Returns the reason of
    /// a request to cancel that the step took.
    pub(super) fn settle(&mut self, operations: &[(Handle, Operation)]) -> Option<String> {
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
        let cancel = self.cancel.take_if(|cancel| cancel.taken)?;
        consumed.extend(cancel.seq);
        Some(cancel.value)
    }
}

impl Machine {
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

    /// Puts back what a step that panicked took of the arrivals, and drops what it sent.
    pub fn put_back(&mut self) {
        self.cx.with_arrivals(Arrivals::put_back);
        self.cx.unsend();
        self.cx.drop_labels();
    }

    /// Takes the signals that steps could not read since the last call.
    pub fn take_set_aside(&mut self) -> Vec<SetAside> {
        self.cx.with_arrivals(|arrivals| std::mem::take(&mut arrivals.set_aside))
    }

    /// The inbox numbers used up since the last call.
    pub fn take_consumed(&mut self) -> Vec<i64> {
        self.cx.with_arrivals(|arrivals| std::mem::take(&mut arrivals.consumed))
    }
}
