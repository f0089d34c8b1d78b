//! Machines as `#[workflow]` would generate them, with states that are lists of saved locals.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use piton::__private::{FrameReader, FrameWriter, MachineState, load_arguments, save_arguments};
use piton::machine::{
    ActivityCall, Cancellation, Context, Definition, Durable, DurableFuture, JoinAll, Outcome,
    Saved, SignalWait, Sleep, StepError, Workflow, WorkflowCall, WorkflowEntry, WorkflowOptions,
    future, join_all, local,
};
use piton::model::{AwaitKind, Graph, Node, Payload, hours, seconds};
use piton::prelude::ActivityError;

use crate::activities::*;

/// A state: its number and its locals.
pub struct Cells(u32, Vec<Saved>);

impl MachineState for Cells {
    fn index(&self) -> u32 {
        self.0
    }

    fn write(&self, frame: &mut FrameWriter) {
        frame.local(&bytes::Bytes::from(vec![self.1.len() as u8]).into());
        self.1.iter().for_each(|local| frame.local(local));
    }

    fn read(frame: &mut FrameReader) -> Result<Self, StepError> {
        let index = frame.state();
        let count = frame.local()?.as_bytes()[0];
        let locals = (0..count).map(|_| frame.local()).collect::<Result<_, _>>()?;
        Ok(Self(index, locals))
    }
}

type Step<R> = Result<Outcome<Cells, R>, StepError>;

fn save<T: Durable>(value: &T, cx: &Context) -> Result<Saved, StepError> {
    local::<T>().save(value, cx)
}

fn load<T: Durable>(saved: &Saved) -> Result<T, StepError> {
    local::<T>().load(saved)
}

fn start<F: DurableFuture>(operation: F, cx: &Context) -> Result<Saved, StepError> {
    future::<F, _>().start(operation, cx)
}

fn poll<F: DurableFuture>(saved: &mut Saved, cx: &Context) -> Result<Poll<F::Output>, StepError> {
    future::<F, _>().poll(saved, cx)
}

fn suspend<R>(index: u32, locals: Vec<Saved>) -> Step<R> {
    Ok(Outcome::Suspended(Cells(index, locals)))
}

const fn node(name: &'static str) -> Node {
    Node { name, kind: AwaitKind::Other, file: file!(), line: 0, locals: &[] }
}

macro_rules! machine {
    (@common $name:ident, $arguments:ty, $return:ty, [$($state:literal),*], $step:expr) => {
        type State = Cells;
        type Return = $return;
        type Arguments = $arguments;
        const NAME: &'static str = stringify!($name);
        const GRAPH: &'static Graph = &Graph {
            workflow: stringify!($name),
            nodes: &[$(node($state)),*],
            edges: &[],
        };
        const OPTIONS: WorkflowOptions = WorkflowOptions::DEFAULT;

        fn definition() -> &'static Definition {
            static DEFINITION: OnceLock<Definition> = OnceLock::new();
            DEFINITION.get_or_init(Definition::of::<Self>)
        }

        fn begin(arguments: Payload) -> Cells {
            Cells(0, vec![save_arguments(arguments)])
        }

        fn step(state: Cells, cx: &Context) -> Step<$return> {
            if piton::__private::is_describing(cx) {
                return Err(StepError::Described);
            }
            let Cells(index, locals) = state;
            let step: fn(u32, Vec<Saved>, &Context) -> Step<$return> = $step;
            step(index, locals, cx)
        }
    };
    (@call $name:ident, $arguments:ty) => {
        #[allow(non_camel_case_types)]
        pub enum $name {}

        pub fn $name(arguments: $arguments) -> WorkflowCall<$name> {
            WorkflowCall::new(&arguments)
        }

        piton::__private::inventory::submit!(WorkflowEntry::of::<$name>());
    };
    ($name:ident($arguments:ty) -> Result<$ok:ty, $err:ty>, $states:tt, $step:expr) => {
        machine!(@call $name, $arguments);

        impl Workflow for $name {
            type Output = $ok;
            type Error = $err;

            machine!(@common $name, $arguments, Result<$ok, $err>, $states, $step);

            fn failure(returned: &Result<$ok, $err>) -> Option<String> {
                returned.as_ref().err().map(ToString::to_string)
            }

            fn into_result(returned: Result<$ok, $err>) -> Result<$ok, $err> {
                returned
            }
        }
    };
    ($name:ident($arguments:ty) -> $return:ty, $states:tt, $step:expr) => {
        machine!(@call $name, $arguments);

        impl Workflow for $name {
            type Output = $return;
            type Error = std::convert::Infallible;

            machine!(@common $name, $arguments, $return, $states, $step);

            fn failure(_: &$return) -> Option<String> {
                None
            }

            fn into_result(returned: $return) -> Result<$return, std::convert::Infallible> {
                Ok(returned)
            }
        }
    };
}

// async fn chain(length: u32) -> u32 {
//     let mut sum = 0;
//     for n in 0..length { sum = add(sum, n).await; }
//     sum
// }
machine!(chain((u32,)) -> u32, ["start", "add"], |index, mut locals, cx| {
    let (length, n, sum) = match index {
        0 => (load_arguments::<(u32,)>(&locals[0])?.0, 0, 0),
        _ => {
            let length = load::<u32>(&locals[0])?;
            let n = load::<u32>(&locals[1])?;
            match poll::<ActivityCall<add>>(&mut locals[2], cx)? {
                Poll::Ready(sum) => (length, n + 1, sum),
                Poll::Pending => return suspend(1, locals),
            }
        }
    };
    if n == length {
        return Ok(Outcome::Returned(sum));
    }
    suspend(1, vec![save(&length, cx)?, save(&n, cx)?, start(add(sum, n), cx)?])
});

// async fn work(name: String) -> Result<String, String> {
//     Ok(perform(name).await.map_err(|error| error.to_string())?)
// }
machine!(work((String,)) -> Result<String, String>, ["start", "perform"], |index, mut locals, cx| {
    if index == 0 {
        let (name,) = load_arguments::<(String,)>(&locals[0])?;
        return suspend(1, vec![start(perform(&name), cx)?]);
    }
    match poll::<ActivityCall<perform>>(&mut locals[0], cx)? {
        Poll::Ready(Ok(text)) => Ok(Outcome::Returned(Ok(text))),
        Poll::Ready(Err(error)) => Ok(Outcome::Returned(Err(error.to_string()))),
        Poll::Pending => suspend(1, locals),
    }
});

// async fn steadfast(name: String) -> u32 { slow(name).await }     // an activity without errors
machine!(steadfast((u32,)) -> u32, ["start", "slow"], |index, mut locals, cx| {
    if index == 0 {
        let (millis,) = load_arguments::<(u32,)>(&locals[0])?;
        return suspend(1, vec![start(slow(millis).start_to_close(seconds(1)).retry(
            piton::model::RetryPolicy::NEVER,
        ), cx)?]);
    }
    match poll::<ActivityCall<slow>>(&mut locals[0], cx)? {
        Poll::Ready(value) => Ok(Outcome::Returned(value)),
        Poll::Pending => suspend(1, locals),
    }
});

// async fn approval(cx: &Context, patience: u64) -> Result<String, String> {
//     select! {
//         approve = cx.signal::<Approve>() => Ok(approve.by),
//         _ = cx.sleep(seconds(patience)) => Err("nobody approved".into()),
//     }
// }
machine!(approval((u64,)) -> Result<String, String>, ["start", "select"], |index, mut locals, cx| {
    if index == 0 {
        let (patience,) = load_arguments::<(u64,)>(&locals[0])?;
        let arms = vec![start(cx.signal::<Approve>(), cx)?, start(cx.sleep(seconds(patience)), cx)?];
        return suspend(1, arms);
    }
    if let Poll::Ready(approve) = poll::<SignalWait<Approve>>(&mut locals[0], cx)? {
        future::<Sleep, _>().cancel(&locals[1], cx)?;
        return Ok(Outcome::Returned(Ok(approve.by)));
    }
    if poll::<Sleep>(&mut locals[1], cx)?.is_ready() {
        future::<SignalWait<Approve>, _>().cancel(&locals[0], cx)?;
        return Ok(Outcome::Returned(Err("nobody approved".into())));
    }
    suspend(1, locals)
});

// async fn collect(cx: &Context, count: usize) -> Vec<String> {
//     let mut all = Vec::new();
//     while all.len() < count { all.push(cx.signal::<Approve>().await.by); }
//     all
// }
machine!(collect((usize,)) -> Vec<String>, ["start", "signal"], |index, mut locals, cx| {
    let (count, mut all) = match index {
        0 => (load_arguments::<(usize,)>(&locals[0])?.0, Vec::new()),
        _ => (load::<usize>(&locals[0])?, load::<Vec<String>>(&locals[1])?),
    };
    if index == 1 {
        match poll::<SignalWait<Approve>>(&mut locals[2], cx)? {
            Poll::Ready(approve) => all.push(approve.by),
            Poll::Pending => return suspend(1, locals),
        }
    }
    if all.len() == count {
        return Ok(Outcome::Returned(all));
    }
    suspend(1, vec![save(&count, cx)?, save(&all, cx)?, start(cx.signal::<Approve>(), cx)?])
});

// async fn fan_out(count: u32) -> u32 {
//     join_all((0..count).map(slow)).await.iter().sum()
// }
machine!(fan_out((u32,)) -> u32, ["start", "join_all"], |index, mut locals, cx| {
    if index == 0 {
        let (count,) = load_arguments::<(u32,)>(&locals[0])?;
        return suspend(1, vec![start(join_all((0..count).map(slow)), cx)?]);
    }
    match poll::<JoinAll<ActivityCall<slow>>>(&mut locals[0], cx)? {
        Poll::Ready(values) => Ok(Outcome::Returned(values.iter().sum())),
        Poll::Pending => suspend(1, locals),
    }
});

/// Whether [`fragile`] panics in its second step.
pub static FRAGILE_BREAKS: AtomicBool = AtomicBool::new(false);

// async fn fragile(name: String) -> String { let text = echo(name).await; <may panic>; text }
machine!(fragile((String,)) -> String, ["start", "echo"], |index, mut locals, cx| {
    if index == 0 {
        let (name,) = load_arguments::<(String,)>(&locals[0])?;
        return suspend(1, vec![start(echo(&name), cx)?]);
    }
    match poll::<ActivityCall<echo>>(&mut locals[0], cx)? {
        Poll::Ready(text) => {
            assert!(!FRAGILE_BREAKS.load(Ordering::SeqCst), "a fragile step");
            Ok(Outcome::Returned(text))
        }
        Poll::Pending => suspend(1, locals),
    }
});

// async fn careful(cx: &Context) -> Result<String, String> {
//     select! {
//         cancelled = cx.cancelled() => { echo("undo").await; Err(cancelled.reason) }
//         text = perform("hang") => text,
//     }
// }
machine!(
    careful(()) -> Result<String, String>,
    ["start", "select", "echo"],
    |index, mut locals, cx| match index {
        0 => suspend(1, vec![start(cx.cancelled(), cx)?, start(perform("hang"), cx)?]),
        1 => {
            if let Poll::Ready(cancelled) = poll::<Cancellation>(&mut locals[0], cx)? {
                future::<ActivityCall<perform>, _>().cancel(&locals[1], cx)?;
                return suspend(2, vec![save(&cancelled.reason, cx)?, start(echo("undo"), cx)?]);
            }
            match poll::<ActivityCall<perform>>(&mut locals[1], cx)? {
                Poll::Ready(text) => {
                    Ok(Outcome::Returned(text.map_err(|error: ActivityError<_>| error.to_string())))
                }
                Poll::Pending => suspend(1, locals),
            }
        }
        _ => match poll::<ActivityCall<echo>>(&mut locals[1], cx)? {
            Poll::Ready(_) => Ok(Outcome::Returned(Err(load(&locals[0])?))),
            Poll::Pending => suspend(2, locals),
        },
    }
);

// async fn naps(cx: &Context, count: u32, millis: u64) -> u32 {
//     for _ in 0..count { cx.sleep(Duration::from_millis(millis)).await }
//     count
// }
machine!(naps((u32, u64)) -> u32, ["start", "sleep"], |index, mut locals, cx| {
    let (count, millis, left) = match index {
        0 => {
            let (count, millis) = load_arguments::<(u32, u64)>(&locals[0])?;
            (count, millis, count)
        }
        _ => {
            let (count, millis, left) = load::<(u32, u64, u32)>(&locals[0])?;
            match poll::<Sleep>(&mut locals[1], cx)? {
                Poll::Ready(()) => (count, millis, left - 1),
                Poll::Pending => return suspend(1, locals),
            }
        }
    };
    if left == 0 {
        return Ok(Outcome::Returned(count));
    }
    let nap = std::time::Duration::from_millis(millis);
    suspend(1, vec![save(&(count, millis, left), cx)?, start(cx.sleep(nap), cx)?])
});

// async fn long_wait(cx: &Context) -> &str { cx.sleep(hours(5)).await; "woken" }
machine!(long_wait(()) -> String, ["start", "sleep"], |index, mut locals, cx| {
    if index == 0 {
        return suspend(1, vec![start(cx.sleep(hours(5)), cx)?]);
    }
    match poll::<Sleep>(&mut locals[0], cx)? {
        Poll::Ready(()) => Ok(Outcome::Returned("woken".into())),
        Poll::Pending => suspend(1, locals),
    }
});
