//! The operations as futures, and what runs them.

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
pub(crate) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
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
