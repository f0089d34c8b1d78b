//! Type tokens of awaited operations. See [`super::durable`] for what tokens are for.

use std::task::Poll;

use super::durable::{load, save};
use super::join_all::PendingItem;
use super::{Context, Durable, DurableFuture, Saved, StepError};

/// The token of an awaited operation that gives a `T`.
pub struct Fut<F, T> {
    start: fn(F, &Context) -> Result<Saved, StepError>,
    poll: fn(&mut Saved, &Context) -> Result<Poll<T>, StepError>,
    cancel: fn(&Saved, &Context) -> Result<(), StepError>,
}

/// Makes the token of an operation whose type is yet to be inferred.
///
/// The bound stands here and nowhere else, so that a value that cannot be awaited is one error.
pub fn future<F: DurableFuture<Output = T>, T>() -> Fut<F, T> {
    Fut { start: start::<F>, poll: poll::<F>, cancel: cancel::<F> }
}

fn start<F: DurableFuture>(operation: F, cx: &Context) -> Result<Saved, StepError> {
    save(&operation.start(cx)?, cx)
}

fn poll<F: DurableFuture>(saved: &mut Saved, cx: &Context) -> Result<Poll<F::Output>, StepError> {
    if saved.is_absent() {
        return Ok(Poll::Pending);
    }
    let mut pending: F::Pending = load(saved)?;
    if cx.is_giving_up() {
        F::cancel(pending, cx)?;
        return Ok(Poll::Pending);
    }
    let poll = F::poll(&mut pending, cx)?;
    if poll.is_pending() {
        *saved = save(&pending, cx)?;
    }
    Ok(poll)
}

fn cancel<F: DurableFuture>(saved: &Saved, cx: &Context) -> Result<(), StepError> {
    if saved.is_absent() { Ok(()) } else { F::cancel(load(saved)?, cx) }
}

impl<F, T> Fut<F, T> {
    /// Starts the operation and encodes what is to be kept while it is outstanding.
    ///
    /// # Errors
    /// As [`DurableFuture::start`].
    pub fn start(self, operation: F, cx: &Context) -> Result<Saved, StepError> {
        (self.start)(operation, cx)
    }

    /// Starts the operation, if there is one. One that is absent stays pending for ever.
    ///
    /// # Errors
    /// As [`DurableFuture::start`].
    pub fn start_if(self, operation: Option<F>, cx: &Context) -> Result<Saved, StepError> {
        operation.map_or(Ok(Saved::ABSENT), |operation| (self.start)(operation, cx))
    }

    /// Looks for the operation's outcome. While there is none, `saved` is brought up to date.
    ///
    /// # Errors
    /// As [`DurableFuture::poll`].
    pub fn poll(self, saved: &mut Saved, cx: &Context) -> Result<Poll<T>, StepError> {
        (self.poll)(saved, cx)
    }

    /// Gives the operation up.
    ///
    /// # Errors
    /// As [`DurableFuture::cancel`].
    pub fn cancel(self, saved: &Saved, cx: &Context) -> Result<(), StepError> {
        (self.cancel)(saved, cx)
    }
}

impl<F, T> Copy for Fut<F, T> {}
impl<F, T> Clone for Fut<F, T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// The token of one of several operations that are awaited together: its outcome is kept until all
/// have one.
pub struct Branch<F, T> {
    start: fn(F, &Context) -> Result<Saved, StepError>,
    poll: fn(&mut Saved, &Context) -> Result<bool, StepError>,
    cancel: fn(&Saved, &Context) -> Result<(), StepError>,
    take: fn(&Saved) -> Result<Option<T>, StepError>,
}

/// Makes the token of a branch whose type is yet to be inferred.
pub fn branch<F: DurableFuture<Output = T>, T: Durable>() -> Branch<F, T> {
    Branch {
        start: start_branch::<F>,
        poll: poll_branch::<F>,
        cancel: cancel_branch::<F>,
        take: take_branch::<F>,
    }
}

type Item<F> = PendingItem<<F as DurableFuture>::Pending, <F as DurableFuture>::Output>;

fn start_branch<F>(operation: F, cx: &Context) -> Result<Saved, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    let pending = cx.wait_among::<F, _>(|| operation.start(cx))?;
    save(&Item::<F>::Pending(pending), cx)
}

fn poll_branch<F>(saved: &mut Saved, cx: &Context) -> Result<bool, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    let mut pending = match load::<Item<F>>(saved)? {
        PendingItem::Pending(pending) => pending,
        PendingItem::Ready(_) => return Ok(!cx.is_giving_up()),
    };
    if cx.is_giving_up() {
        F::cancel(pending, cx)?;
        return Ok(false);
    }
    let poll = cx.wait_among::<F, _>(|| F::poll(&mut pending, cx))?;
    let is_ready = poll.is_ready();
    let item = match poll {
        Poll::Ready(value) => Item::<F>::Ready(value),
        Poll::Pending => Item::<F>::Pending(pending),
    };
    *saved = save(&item, cx)?;
    Ok(is_ready)
}

fn cancel_branch<F>(saved: &Saved, cx: &Context) -> Result<(), StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    match load::<Item<F>>(saved)? {
        PendingItem::Pending(pending) => F::cancel(pending, cx),
        PendingItem::Ready(_) => Ok(()),
    }
}

fn take_branch<F>(saved: &Saved) -> Result<Option<F::Output>, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    match load::<Item<F>>(saved)? {
        PendingItem::Ready(value) => Ok(Some(value)),
        PendingItem::Pending(_) => Ok(None),
    }
}

impl<F, T> Branch<F, T> {
    /// Starts the operation and encodes what is to be kept while it is outstanding.
    ///
    /// # Errors
    /// As [`DurableFuture::start`].
    pub fn start(self, operation: F, cx: &Context) -> Result<Saved, StepError> {
        (self.start)(operation, cx)
    }

    /// Looks for the operation's outcome, and keeps it in `saved`. Whether there is one.
    ///
    /// # Errors
    /// As [`DurableFuture::poll`].
    pub fn poll(self, saved: &mut Saved, cx: &Context) -> Result<bool, StepError> {
        (self.poll)(saved, cx)
    }

    /// Gives the operation up, if it has no outcome yet.
    ///
    /// # Errors
    /// As [`DurableFuture::cancel`].
    pub fn cancel(self, saved: &Saved, cx: &Context) -> Result<(), StepError> {
        (self.cancel)(saved, cx)
    }

    /// The outcome, once there is one.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    ///
    /// # Panics
    /// If there is none yet.
    pub fn take(self, saved: &Saved) -> Result<T, StepError> {
        Ok((self.take)(saved)?.expect("only branches that are done are taken"))
    }
}

impl<F, V, E> Branch<F, Result<V, E>> {
    /// The error, if that is the outcome.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    pub fn failed(self, saved: &Saved) -> Result<Option<E>, StepError> {
        Ok((self.take)(saved)?.and_then(Result::err))
    }

    /// The value, once it is known that the branch has not failed.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    ///
    /// # Panics
    /// If there is none.
    pub fn take_ok(self, saved: &Saved) -> Result<V, StepError> {
        let value = (self.take)(saved)?.and_then(Result::ok);
        Ok(value.expect("only branches that are done are taken"))
    }
}

impl<F, T> Copy for Branch<F, T> {}
impl<F, T> Clone for Branch<F, T> {
    fn clone(&self) -> Self {
        *self
    }
}
