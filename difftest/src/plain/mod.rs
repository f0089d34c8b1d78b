//! The plain lowering: rustc's own, on an executor that does nothing but poll.

mod combine;
mod operations;
mod spawned;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::pin::Pin;
use std::task::{Poll, Waker};

use piton::model::{Payload, Timestamp};

use crate::drive::{Delivery, Outstanding, START, Side, drive};
use crate::record::{End, Record};
use crate::script::Script;

#[doc(hidden)]
pub use combine::{Branch, Chosen};
pub use operations::{Context, Op, Sleep};
pub use spawned::{OrCancelled, Spawned};

/// What a program uses.
pub mod prelude {
    pub use super::combine::{join_all, try_join_all};
    pub use super::operations::activities::*;
    pub use super::operations::{Context, cx};
    pub use super::spawned::OrCancelled;
    pub use crate::prelude::*;
    pub use crate::{join, select, try_join};
}

/// What the operations of a running program share with its executor.
#[derive(Debug, Default)]
struct World {
    now: Timestamp,
    next_number: u64,
    outstanding: BTreeMap<u64, Outstanding>,
    ready: BTreeSet<u64>,
    signals: VecDeque<(String, Payload)>,
    cancelled: bool,
    /// Counts what polling has changed.
    changes: u64,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

fn world<T>(access: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with_borrow_mut(access)
}

/// Runs a program as `script` says.
pub fn run<F>(script: Script, program: impl FnOnce() -> F) -> Record
where
    F: Future<Output: Debug> + 'static,
{
    drive(script, || {
        world(|world| *world = World { now: START, ..World::default() });
        Plain { future: Some(Box::pin(program())) }
    })
}

struct Plain<T> {
    future: Option<Pin<Box<dyn Future<Output = T>>>>,
}

impl<T: Debug> Side for Plain<T> {
    fn advance(&mut self, now: Timestamp) -> Option<End> {
        world(|world| world.now = now);
        // Taken out, so that a future that panics is dropped while it unwinds.
        let mut future = self.future.take()?;
        let mut task = std::task::Context::from_waker(Waker::noop());
        loop {
            let changes = world(|world| world.changes);
            if let Poll::Ready(value) = future.as_mut().poll(&mut task) {
                return Some(End::Returned(format!("{value:?}")));
            }
            if world(|world| world.changes) == changes {
                self.future = Some(future);
                return None;
            }
        }
    }

    fn outstanding(&self) -> Vec<(u64, Outstanding)> {
        world(|world| world.outstanding.iter().map(|(n, op)| (*n, op.clone())).collect())
    }

    fn deliver(&mut self, number: u64, delivery: Delivery) {
        world(|world| match delivery {
            Delivery::Activity => {
                world.ready.insert(number);
            }
            Delivery::Signal(name, payload) => world.signals.push_back((name, payload)),
            Delivery::Cancellation => world.cancelled = true,
        });
    }
}
