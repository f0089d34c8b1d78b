//! Spawned operations as plain futures, started where they are spawned; and what surrounds an operation.

use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Poll, Waker};

use piton::machine::Cancelled;

use super::operations::{Context, Sleep};
use super::{operations::Op, world};

/// An operation that can be spawned.
pub trait Spawn: Future + Unpin {
    /// Whether its outcome has arrived.
    fn is_done(&self) -> bool;
}

impl<T, G: FnMut(u64) -> Option<T> + Unpin> Spawn for Op<T, G> {
    fn is_done(&self) -> bool {
        self.number().is_some_and(|number| world(|world| world.ready.contains(&number)))
    }
}

impl Spawn for Sleep {
    fn is_done(&self) -> bool {
        self.fires_at().is_some_and(|at| world(|world| at <= world.now))
    }
}

/// See [`piton::machine::Spawned`].
#[must_use = "a spawned operation is cancelled when its handle is dropped"]
#[derive(Debug)]
pub struct Spawned<F>(RefCell<F>);

impl<F: Spawn> Spawned<F> {
    /// See [`piton::machine::Spawned::is_done`].
    pub fn is_done(&self, _: &Context) -> bool {
        self.0.borrow().is_done()
    }

    /// See [`piton::machine::Spawned::cancel`].
    pub fn cancel(self) {}
}

impl<F: Spawn> Future for Spawned<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut std::task::Context<'_>) -> Poll<F::Output> {
        Pin::new(self.get_mut().0.get_mut()).poll(task)
    }
}

impl<F: Spawn> Future for &Spawned<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut std::task::Context<'_>) -> Poll<F::Output> {
        Pin::new(&mut *self.0.borrow_mut()).poll(task)
    }
}

impl Context {
    /// See [`piton::machine::Context::spawn`].
    pub fn spawn<F: Spawn>(&self, mut operation: F) -> Spawned<F> {
        let mut task = std::task::Context::from_waker(Waker::noop());
        let started = Pin::new(&mut operation).poll(&mut task);
        assert!(started.is_pending(), "the first poll only asks for an operation");
        Spawned(RefCell::new(operation))
    }

    /// See [`piton::machine::Context::shield`]. No request comes to what does not wait for it.
    pub fn shield<F: Future>(&self, operation: F) -> F {
        operation
    }
}

/// See [`piton::machine::OrCancelled`].
pub trait OrCancelled: Future + Sized {
    /// No request comes to what does not wait for it.
    fn or_cancelled(self) -> impl Future<Output = Result<Self::Output, Cancelled>> {
        async { Ok(self.await) }
    }
}

impl<F: Future> OrCancelled for F {}
