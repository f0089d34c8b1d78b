//! Runs a program both ways. Operations end one at a time, chosen by a [`Policy`] that both runs
//! follow.

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
        Operation::Signal { name } => {
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

/// The operations as activities.
pub(crate) mod durable {
    // Programs import all of it.
    #[allow(unused_imports)]
    pub(crate) use piton::machine::{ActivityError, Context, join_all};
    #[allow(unused_imports)]
    pub(crate) use piton::{bail, ensure, join, select, try_join};

    use crate::mock::{Fault, for_each_operation, values};

    macro_rules! activities {
        ($($operation:ident($n:ident: i64) -> $output:ty;)*) => {
            $(
                #[piton::activity]
                pub(crate) async fn $operation($n: i64) -> $output {
                    values::$operation($n)
                }
            )*
        };
    }
    for_each_operation!(activities);

    #[piton::activity]
    pub(crate) async fn checked(n: i64) -> Result<i64, Fault> {
        values::checked(n)
    }
}

/// The operations as futures, and what runs them.
pub(crate) mod plain {
    use std::cell::{Cell, RefCell};
    use std::collections::HashSet;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context as TaskContext, Poll, Waker};
    use std::time::Duration;

    pub(crate) use piton::machine::ActivityError;
    pub(crate) use piton::{bail, ensure};
    pub(crate) use tokio::{join, try_join};

    use super::{MAX_STEPS, Observed, Policy};
    use crate::mock::{self, Approve, Fault, for_each_operation, values};

    /// As piton's, the first branch in the source wins.
    macro_rules! select {
        ($($branches:tt)*) => { tokio::select! { biased; $($branches)* } };
    }
    pub(crate) use select;

    #[derive(Default)]
    struct World {
        next: u64,
        /// In the order of their start, with the time at which a timer is due.
        outstanding: Vec<(u64, Option<Duration>)>,
        done: HashSet<u64>,
    }

    thread_local! {
        static WORLD: RefCell<World> = RefCell::default();
        static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    /// An operation that ends when the executor says so.
    pub(crate) struct Pending<T> {
        name: String,
        value: Option<T>,
        lasts: Option<Duration>,
        id: Option<u64>,
    }

    impl<T> Pending<T> {
        fn new(name: String, value: T) -> Self {
            Self { name, value: Some(value), lasts: None, id: None }
        }
    }

    impl<T: Unpin> Future for Pending<T> {
        type Output = T;

        fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<T> {
            let Some(id) = self.id else {
                mock::trace(format_args!("start {}", self.name));
                let due = self.lasts.map(|lasts| NOW.get() + lasts);
                self.id = Some(WORLD.with_borrow_mut(|world| {
                    world.next += 1;
                    world.outstanding.push((world.next, due));
                    world.next
                }));
                return Poll::Pending;
            };
            if WORLD.with_borrow_mut(|world| world.done.remove(&id)) {
                self.id = None;
                Poll::Ready(self.value.take().expect("polled once more"))
            } else {
                Poll::Pending
            }
        }
    }

    impl<T> Drop for Pending<T> {
        fn drop(&mut self) {
            if let Some(id) = self.id {
                WORLD.with_borrow_mut(|world| world.outstanding.retain(|(other, _)| *other != id));
            }
        }
    }

    macro_rules! futures {
        ($($operation:ident($n:ident: i64) -> $output:ty;)*) => {
            $(
                pub(crate) fn $operation($n: i64) -> Pending<$output> {
                    let name = format!("{}({})", stringify!($operation), $n);
                    Pending::new(name, values::$operation($n))
                }
            )*
        };
    }
    for_each_operation!(futures);

    pub(crate) fn checked(n: i64) -> Pending<Result<i64, ActivityError<Fault>>> {
        let value = values::checked(n).map_err(ActivityError::Failed);
        Pending::new(format!("checked({n})"), value)
    }

    /// Stands for piton's context.
    pub(crate) struct Context;

    impl Context {
        pub(crate) fn sleep(&self, duration: Duration) -> Pending<()> {
            let mut timer = Pending::new("sleep".into(), ());
            timer.lasts = Some(duration);
            timer
        }

        pub(crate) fn signal<S: Mock>(&self) -> Pending<S> {
            Pending::new("signal".into(), S::mock())
        }
    }

    pub(crate) trait Mock: Unpin {
        fn mock() -> Self;
    }

    impl Mock for Approve {
        fn mock() -> Self {
            Approve::mock()
        }
    }

    /// Waits for all.
    pub(crate) async fn join_all<F: Future>(
        futures: impl IntoIterator<Item = F>,
    ) -> Vec<F::Output> {
        let mut futures: Vec<_> =
            futures.into_iter().map(|future| (Box::pin(future), None)).collect();
        std::future::poll_fn(move |cx| {
            for (future, value) in &mut futures {
                if value.is_none()
                    && let Poll::Ready(ready) = future.as_mut().poll(cx)
                {
                    *value = Some(ready);
                }
            }
            if futures.iter().all(|(_, value)| value.is_some()) {
                Poll::Ready(futures.iter_mut().filter_map(|(_, value)| value.take()).collect())
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// Runs a program.
    pub(crate) fn run<T>(program: impl Future<Output = T>, policy: Policy) -> Observed<T> {
        mock::take_trace();
        WORLD.take();
        NOW.set(Duration::ZERO);
        let mut program = pin!(program);
        let mut cx = TaskContext::from_waker(Waker::noop());
        for _ in 0..MAX_STEPS {
            if let Poll::Ready(value) = program.as_mut().poll(&mut cx) {
                return Observed { value, trace: mock::take_trace() };
            }
            WORLD.with_borrow_mut(|world| {
                assert!(!world.outstanding.is_empty(), "the program waits for nothing");
                let (_, due) = world.outstanding[policy.pick(world.outstanding.len())];
                let id = world.outstanding[policy.pick(world.outstanding.len())].0;
                let now = due.map_or(NOW.get(), |due| due.max(NOW.get()));
                NOW.set(now);
                let (done, left): (Vec<_>, Vec<_>) = world
                    .outstanding
                    .drain(..)
                    .partition(|(other, due)| *other == id || due.is_some_and(|due| due <= now));
                world.outstanding = left;
                world.done.extend(done.into_iter().map(|(id, _)| id));
            });
        }
        panic!("the program does not end");
    }
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
