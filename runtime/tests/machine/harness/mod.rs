//! Runs a program both ways. Operations end one at a time, chosen by a [`Policy`] that both runs
//! follow.

pub(crate) mod durable;
pub(crate) mod plain;

use std::fmt::Debug;

use piton::codec;
use piton::machine::{
    Machine, OperationOutcome, RunInfo, StepOutcome, Workflow, WorkflowCall, WorkflowEntry,
};
use piton::model::{Handle, Operation, Payload, RunId, Timestamp};
use serde::de::DeserializeOwned;

use crate::mock::{self, Approve, for_each_operation, values};

/// Which outstanding operation ends next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policy {
    Oldest,
    Newest,
}

impl Policy {
    pub(crate) const ALL: [Self; 2] = [Self::Oldest, Self::Newest];

    fn pick(self, count: usize) -> usize {
        match self {
            Self::Oldest => 0,
            Self::Newest => count - 1,
        }
    }
}

/// What a run came to: its value, and what it did on the way.
#[derive(Debug, PartialEq)]
pub(crate) struct Observed<T> {
    pub(crate) value: T,
    pub(crate) trace: Vec<String>,
}

/// More steps than any program makes.
const MAX_STEPS: usize = 10_000;

/// Runs the workflow, saving and loading it after every step.
pub(crate) fn run_machine<W>(
    entry: &'static WorkflowEntry,
    call: WorkflowCall<W>,
    policy: Policy,
) -> Observed<W::Return>
where
    W: Workflow<Return: DeserializeOwned>,
{
    mock::take_trace();
    let info = RunInfo { run_id: RunId::from(uuid::Uuid::nil()), workflow_id: "test".into() };
    let arguments = call.into_arguments().expect("the arguments can be encoded");
    let mut machine =
        Machine::start(entry, info.clone(), &arguments).expect("the arguments are read");
    let mut known: Vec<Handle> = Vec::new();
    let mut now = Timestamp::default();
    for _ in 0..MAX_STEPS {
        if machine.is_ready(now) {
            check_repeatable(entry, &info, &machine, now);
            let outcome = machine.step(now).expect("the step is made");
            if let StepOutcome::Returned { result, .. } = outcome {
                let value = codec::from_payload(&result).expect("the result is read");
                return Observed { value, trace: mock::take_trace() };
            }
            machine = save_and_load(entry, &info, &machine);
            machine.with_operations(|operations| {
                for (handle, operation) in operations {
                    if !known.contains(handle) {
                        known.push(*handle);
                        mock::trace(describe(operation));
                    }
                }
            });
        } else {
            now = end_one(&mut machine, policy, now);
        }
    }
    panic!("the workflow does not end");
}

/// What has ended without the machine having been stepped.
fn unsaved_outcomes(machine: &Machine) -> Vec<(Handle, OperationOutcome)> {
    machine.with_operations(|operations| {
        let outcomes = operations.iter().filter_map(|(handle, _)| {
            machine.unsaved_outcome(*handle).map(|outcome| (*handle, outcome))
        });
        outcomes.collect()
    })
}

/// The machine as it is after its state has been to disk.
fn save_and_load(entry: &'static WorkflowEntry, info: &RunInfo, machine: &Machine) -> Machine {
    let unsaved = unsaved_outcomes(machine);
    let bytes = codec::encode_snapshot(&machine.snapshot()).expect("the snapshot is written");
    let snapshot = codec::decode_snapshot(&bytes).expect("the snapshot is read");
    let mut machine = Machine::resume(entry, info.clone(), snapshot);
    for (handle, outcome) in unsaved {
        machine.deliver_outcome(None, handle, outcome);
    }
    machine
}

/// A step that is run twice from the same state does the same.
fn check_repeatable(
    entry: &'static WorkflowEntry,
    info: &RunInfo,
    machine: &Machine,
    now: Timestamp,
) {
    let trace = mock::take_trace();
    let run = || {
        let mut copy = save_and_load(entry, info, machine);
        if !copy.is_ready(now) {
            // What made it ready was a signal, which is not in the snapshot.
            return None;
        }
        let outcome = copy.step(now).expect("the step is made");
        Some((format!("{outcome:?}"), copy.snapshot(), mock::take_trace()))
    };
    assert_eq!(run(), run(), "the step is not repeatable");
    mock::set_trace(trace);
}

/// Ends an outstanding operation. Gives the time.
fn end_one(machine: &mut Machine, policy: Policy, now: Timestamp) -> Timestamp {
    let done: Vec<Handle> =
        unsaved_outcomes(machine).into_iter().map(|(handle, _)| handle).collect();
    let outstanding = machine.with_operations(|operations| {
        let waiting = operations.iter().filter(|(handle, operation)| {
            let is_due = matches!(operation, Operation::Timer { fire_at } if *fire_at <= now);
            !done.contains(handle) && !is_due
        });
        waiting.cloned().collect::<Vec<_>>()
    });
    assert!(!outstanding.is_empty(), "the workflow waits for nothing: {machine:?}");
    let (handle, operation) = &outstanding[policy.pick(outstanding.len())];
    match operation {
        Operation::Activity(activity) => {
            let result = run_mock(&activity.name, &activity.arguments);
            machine.deliver_outcome(None, *handle, OperationOutcome::Returned(result));
        }
        Operation::Timer { fire_at } => return (*fire_at).max(now),
        Operation::Signal { name, .. } => {
            let payload = codec::to_payload(&Approve::mock()).expect("a signal is encoded");
            machine.deliver_signal(None, name.clone(), payload);
        }
        other => panic!("no program does this: {other:?}"),
    }
    now
}

fn describe(operation: &Operation) -> String {
    match operation {
        Operation::Activity(activity) => {
            let (n,): (i64,) = codec::from_payload(&activity.arguments).expect("one number");
            format!("start {}({n})", activity.name)
        }
        Operation::Timer { .. } => "start sleep".into(),
        Operation::Signal { .. } => "start signal".into(),
        other => format!("start {other:?}"),
    }
}

fn run_mock(name: &str, arguments: &Payload) -> Payload {
    let (n,): (i64,) = codec::from_payload(arguments).expect("one number");
    macro_rules! dispatch {
        ($($operation:ident($n:ident: i64) -> $output:ty;)*) => {
            match name {
                $(stringify!($operation) => codec::to_payload(&values::$operation(n)),)*
                "checked" => codec::to_payload(&values::checked(n)),
                other => panic!("there is no operation `{other}`"),
            }
        };
    }
    for_each_operation!(dispatch).expect("a result is encoded")
}

/// Compares two runs.
pub(crate) fn compare<T: PartialEq + Debug>(
    plain: &Observed<T>,
    machine: &Observed<T>,
    what: &str,
) {
    assert_eq!(
        machine.trace, plain.trace,
        "{what}: the trace of the machine (left) is not that of the async fn (right)"
    );
    assert_eq!(machine.value, plain.value, "{what}: the results differ");
}

/// A program, compiled twice, and the arguments to compare it with.
macro_rules! program {
    (
        async fn $name:ident($cx:ident: &Context $(, $($param:tt)+)?) -> $ret:ty { $($body:tt)* }
        $(($($argument:expr),*))+
    ) => {
        mod durable {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use crate::{harness::durable::*, mock::*};

            #[piton::workflow]
            pub(super) async fn $name($cx: &Context $(, $($param)+)?) -> $ret { $($body)* }

            pub(super) static ENTRY: piton::machine::WorkflowEntry =
                piton::machine::WorkflowEntry::of::<$name>();
        }

        mod plain {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use crate::{harness::plain::*, mock::*};

            #[allow(unused_variables)]
            pub(super) async fn $name($cx: &Context $(, $($param)+)?) -> $ret { $($body)* }
        }

        #[test]
        fn behaves_like_an_async_fn() {
            use crate::harness;
            for policy in harness::Policy::ALL {
                $({
                    let context = harness::plain::Context;
                    let plain =
                        harness::plain::run(plain::$name(&context, $($argument),*), policy);
                    let machine = harness::run_machine(
                        &durable::ENTRY,
                        durable::$name($($argument),*),
                        policy,
                    );
                    let what = concat!(stringify!($name), stringify!(($($argument),*)));
                    harness::compare(&plain, &machine, &format!("{what} {policy:?}"));
                })+
            }
        }
    };
}
pub(crate) use program;
