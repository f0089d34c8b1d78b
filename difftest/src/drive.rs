//! The loop that drives either lowering.
//!
//! Both sides are asked the same things: go as far as you can; what is outstanding; this became
//! ready. What was started and given up follows from comparing what is outstanding before and
//! after, so an operation that is started and given up without a delivery in between is not seen on
//! either side.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;

use piton::model::{Payload, Timestamp};

use crate::record::{self, End, Record, Turn};
use crate::script::Script;

/// When every program begins.
pub(crate) const START: Timestamp = Timestamp(1_700_000_000_000_000);

/// The turns after which a program counts as endless.
const MAX_TURNS: usize = 400;

/// An operation that a program waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outstanding {
    /// An activity: its name and its encoded arguments.
    Activity(String, Payload),
    /// A timer with its deadline.
    Timer(Timestamp),
    /// A signal, by name.
    Signal(String),
    /// A request to cancel.
    Cancellation,
}

/// One lowering of a program.
pub(crate) trait Side {
    /// Goes as far as possible. The end, if it is reached.
    fn advance(&mut self, now: Timestamp) -> Option<End>;

    /// What is outstanding, oldest first. Numbers are the side's own and ascend.
    fn outstanding(&self) -> Vec<(u64, Outstanding)>;

    /// Makes an operation that is not a timer ready.
    fn deliver(&mut self, number: u64, delivery: Delivery);
}

/// What becomes ready. Of an activity the side works out the result itself.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    Activity,
    Signal(String, Payload),
    Cancellation,
}

/// Runs a program to its end. `side` makes the lowering, and is called with the records empty.
pub(crate) fn drive<S: Side>(script: Script, side: impl FnOnce() -> S) -> Record {
    record::take_events();
    let mut side = side();
    let mut choices = script.start();
    let mut now = START;
    let mut turns = Vec::new();
    let mut before: Vec<(u64, Outstanding)> = Vec::new();
    let mut delivered = BTreeSet::new();
    let mut signals = 0;
    let mut turn = Turn::default();
    loop {
        let advanced = std::panic::catch_unwind(AssertUnwindSafe(|| side.advance(now)));
        let end = advanced.unwrap_or_else(|panic| Some(End::Panicked(panic_message(&*panic))));
        let after = side.outstanding();
        turn.events = record::take_events();
        let panicked = matches!(end, Some(End::Panicked(_) | End::Failed(_)));
        if !panicked {
            turn.compare(&before, &after, &delivered, now);
        }
        turns.push(std::mem::take(&mut turn));
        if let Some(end) = end {
            return Record { turns, end };
        }
        if turns.len() >= MAX_TURNS {
            return Record { turns, end: End::Endless };
        }

        let is_open = |number: u64, operation: &Outstanding| match operation {
            Outstanding::Timer(fire_at) => *fire_at > now,
            _ => !delivered.contains(&number),
        };
        let mut open: Vec<_> =
            after.iter().filter(|(number, operation)| is_open(*number, operation)).collect();
        if open.is_empty() {
            // Two waits for one signal: the value may have gone to the other.
            open.extend(after.iter().filter(|(_, op)| matches!(op, Outstanding::Signal(_))));
        }
        if open.is_empty() {
            return Record { turns, end: End::Stuck };
        }
        for index in choices.choose(open.len()) {
            let (number, operation) = open[index];
            turn.delivered.push(operation.to_text());
            let taker = match operation {
                // The value goes to the wait that looks first, and that is the oldest.
                Outstanding::Signal(_) => {
                    open.iter().find(|(n, op)| op == operation && !delivered.contains(n))
                }
                _ => None,
            };
            delivered.insert(taker.map_or(*number, |(number, _)| *number));
            match operation {
                Outstanding::Activity(..) => side.deliver(*number, Delivery::Activity),
                Outstanding::Timer(fire_at) => now = now.max(*fire_at),
                Outstanding::Signal(name) => {
                    signals += 1;
                    let payload = crate::answers::signal(name, signals);
                    side.deliver(*number, Delivery::Signal(name.clone(), payload));
                }
                Outstanding::Cancellation => side.deliver(*number, Delivery::Cancellation),
            }
        }
        before = after;
    }
}

impl Turn {
    fn compare(
        &mut self,
        before: &[(u64, Outstanding)],
        after: &[(u64, Outstanding)],
        delivered: &BTreeSet<u64>,
        now: Timestamp,
    ) {
        let has = |list: &[(u64, Outstanding)], number| list.iter().any(|(n, _)| *n == number);
        self.started = after
            .iter()
            .filter(|(number, _)| !has(before, *number))
            // A timer that is due at once may be over by now, or be kept until others are.
            .filter(|(_, operation)| !matches!(operation, Outstanding::Timer(at) if *at <= now))
            .map(|(_, operation)| operation.to_text())
            .collect();
        // Whether a signal was used up or given up cannot be told from outside once one has come.
        let was_delivered = |number: u64, operation: &Outstanding| match operation {
            Outstanding::Timer(fire_at) => *fire_at <= now,
            Outstanding::Signal(_) => {
                delivered.contains(&number) || self.delivered.contains(&operation.to_text())
            }
            Outstanding::Activity(..) | Outstanding::Cancellation => delivered.contains(&number),
        };
        self.given_up = before
            .iter()
            .filter(|(number, _)| !has(after, *number))
            .filter(|(number, operation)| !was_delivered(*number, operation))
            .map(|(_, operation)| operation.to_text())
            .collect();
    }
}

impl Outstanding {
    fn to_text(&self) -> String {
        match self {
            Self::Activity(name, arguments) => crate::answers::describe(name, arguments),
            Self::Timer(fire_at) => format!("timer +{:?}", fire_at.saturating_since(START)),
            Self::Signal(name) => format!("signal {name}"),
            Self::Cancellation => "cancellation".to_owned(),
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
