//! The machine lowering: `#[workflow]`, driven by [`piton::machine::Machine`] alone.
//!
//! After every step the machine is encoded and dropped, and what has arrived for it is kept apart,
//! as an engine keeps it in its inbox; the next step is made by a machine decoded from those bytes. Every
//! step is made twice, and both must do the same.

mod activities;
mod going_on;

use std::fmt::Debug;

use piton::codec;
use piton::machine::{
    Machine, RunInfo, StepError, StepOutcome, Workflow, WorkflowCall, WorkflowEntry,
};
use piton::model::{Handle, Operation, Payload, RunId, Timestamp};

use crate::answers;
use crate::drive::{Delivery, Outstanding, Side, drive};
use crate::record::{self, End, Record};
use crate::script::Script;

/// What a program uses.
pub mod prelude {
    pub use piton::machine::{Context, OrCancelled, join_all, try_join_all};
    pub use piton::{join, select, try_join, workflow};

    pub use super::activities::*;
    pub use crate::prelude::*;
}

/// The reason that comes with a request to cancel.
pub(crate) const CANCEL_REASON: &str = "enough";

/// Runs a program as `script` says.
///
/// # Panics
/// If the arguments cannot be encoded.
pub fn run<W: Workflow<Return: Debug>>(script: Script, call: WorkflowCall<W>) -> Record {
    let arguments = call.into_arguments().expect("plain data can be encoded");
    going_on::recorded(|| drive(script, || Parked::<W>::start(arguments)))
}

/// A program between steps: its bytes, and its arrivals.
struct Parked<W> {
    entry: &'static WorkflowEntry,
    snapshot: Bytes,
    inbox: Vec<(i64, Arrival)>,
    next_seq: i64,
    outstanding: Vec<(u64, Outstanding)>,
    workflow: std::marker::PhantomData<fn() -> W>,
}

/// Either the arguments, before the first step, or a snapshot.
enum Bytes {
    Arguments(Payload),
    Snapshot(Vec<u8>),
}

enum Arrival {
    Outcome(Handle),
    Signal(String, Payload),
    Cancel,
}

impl<W: Workflow<Return: Debug>> Parked<W> {
    fn start(arguments: Payload) -> Self {
        Self {
            entry: W::entry(),
            snapshot: Bytes::Arguments(arguments),
            inbox: Vec::new(),
            next_seq: 0,
            outstanding: Vec::new(),
            workflow: std::marker::PhantomData,
        }
    }

    fn machine(&self) -> Result<Machine, StepError> {
        let run = RunInfo {
            run_id: RunId::from_slice(&[7; 16]).expect("sixteen bytes"),
            workflow_id: "program".into(),
        };
        let mut machine = match &self.snapshot {
            Bytes::Arguments(arguments) => Machine::start(self.entry, run, arguments)?,
            Bytes::Snapshot(bytes) => {
                let snapshot = codec::decode_snapshot(bytes).map_err(StepError::Decode)?;
                Machine::resume(self.entry, run, snapshot)
            }
        };
        for (seq, arrival) in &self.inbox {
            match arrival {
                Arrival::Outcome(handle) => {
                    let outcome = machine.with_operations(|operations| {
                        operations.iter().find_map(|(number, operation)| match operation {
                            Operation::Activity(activity) if number == handle => {
                                Some(answers::outcome(&activity.name, &activity.arguments))
                            }
                            _ => None,
                        })
                    });
                    if let Some(outcome) = outcome {
                        machine.deliver_outcome(Some(*seq), *handle, outcome);
                    }
                }
                Arrival::Signal(name, payload) => {
                    machine.deliver_signal(Some(*seq), name.clone(), payload.clone());
                }
                Arrival::Cancel => machine.deliver_cancel(Some(*seq), CANCEL_REASON.to_owned()),
            }
        }
        Ok(machine)
    }

    /// Makes as many steps as the arrivals allow.
    fn step(&mut self, now: Timestamp) -> Result<Option<End>, StepError> {
        let mut has_parked = false;
        loop {
            if !self.machine()?.is_ready(now) {
                return Ok(None);
            }
            if has_parked {
                record::parked();
            }
            let step = match self.made_twice(now)? {
                Ok(step) => step,
                Err(differs) => return Ok(Some(End::Failed(differs))),
            };
            self.inbox.retain(|(seq, _)| !step.consumed.contains(seq));
            self.outstanding = step.outstanding;
            match step.outcome {
                Made::Parked(snapshot) => {
                    self.snapshot = Bytes::Snapshot(snapshot);
                    has_parked = true;
                }
                Made::Returned(value) => return Ok(Some(End::Returned(value))),
            }
        }
    }

    /// Makes the next step twice from the same bytes, as a worker does that takes over from one that died
    /// before its commit: both must do the same. Otherwise says what differs. What the first one records is
    /// left out.
    fn made_twice(&self, now: Timestamp) -> Result<Result<Step, String>, StepError> {
        let mark = record::mark();
        let first = self.made(now)?;
        let events = record::take_events_from(mark);
        let second = self.made(now)?;
        Ok(if first != second {
            Err(format!("a step made twice differs: {first:?} and {second:?}"))
        } else if !record::ends_with(mark, &events) {
            Err(format!("a step made twice does not record {events:?} again"))
        } else {
            Ok(second)
        })
    }

    /// Makes one step.
    fn made(&self, now: Timestamp) -> Result<Step, StepError> {
        let mut machine = self.machine()?;
        let outcome = machine.step(now)?;
        let consumed = machine.take_consumed();
        let outstanding = machine.with_operations(|operations| {
            operations
                .iter()
                .filter_map(|(handle, op)| Some((handle.0, outstanding(op)?)))
                .collect()
        });
        let outcome = match outcome {
            StepOutcome::Parked => {
                let bytes = codec::encode_snapshot(&machine.snapshot());
                Made::Parked(bytes.map_err(StepError::Encode)?)
            }
            StepOutcome::Returned { result, .. } => {
                let value: W::Return = W::RETURNED.decode(&result).map_err(StepError::Decode)?;
                Made::Returned(format!("{value:?}"))
            }
            StepOutcome::Compensated(ending) => {
                unreachable!("no program here is compensated: {ending:?}")
            }
            StepOutcome::Continued(next) => unreachable!("no program here goes on: {next:?}"),
        };
        Ok(Step { outcome, consumed, outstanding })
    }
}

/// The result of a step.
#[derive(Debug, PartialEq)]
struct Step {
    outcome: Made,
    consumed: Vec<i64>,
    outstanding: Vec<(u64, Outstanding)>,
}

#[derive(Debug, PartialEq)]
enum Made {
    /// The snapshot.
    Parked(Vec<u8>),
    /// The value in its debug form.
    Returned(String),
}

impl<W: Workflow<Return: Debug>> Side for Parked<W> {
    fn advance(&mut self, now: Timestamp) -> Option<End> {
        self.step(now).unwrap_or_else(|error| Some(End::Failed(error.to_string())))
    }

    fn outstanding(&self) -> Vec<(u64, Outstanding)> {
        self.outstanding.clone()
    }

    fn deliver(&mut self, number: u64, delivery: Delivery) {
        let arrival = match delivery {
            Delivery::Activity => Arrival::Outcome(Handle(number)),
            Delivery::Signal(name, payload) => Arrival::Signal(name, payload),
            Delivery::Cancellation => Arrival::Cancel,
        };
        self.inbox.push((self.next_seq, arrival));
        self.next_seq += 1;
    }
}

/// What a program waits for with an operation; nothing if it only says how to treat another.
fn outstanding(operation: &Operation) -> Option<Outstanding> {
    Some(match operation {
        Operation::Activity(activity) => {
            Outstanding::Activity(activity.name.to_string(), activity.arguments.clone())
        }
        Operation::Timer { fire_at } => Outstanding::Timer(*fire_at),
        Operation::Signal { name, .. } => Outstanding::Signal(name.clone()),
        Operation::Cancellation => Outstanding::Cancellation,
        Operation::Shield(_) => return None,
        other => unreachable!("no program here asks for {other:?}"),
    })
}
