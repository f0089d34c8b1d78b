//! Type tokens of awaited operations. See [`super::local`] for the purpose of tokens.

use std::task::Poll;

use serde::Serialize;

use super::fallible::has_failed;
use super::{Context, Durable, DurableFuture, Halt, Parked, StepError};
use crate::codec;
use crate::machine::turns::Arrived;
use crate::machine::{Awaited, PendingItem};
use crate::model::Payload;

/// The token of an operation that is awaited alone.
pub struct Fut<F: DurableFuture> {
    /// Starts the operation and begins to write the state with this number, which waits for it. Its locals and
    /// [`Parked::leave`] must follow.
    pub suspend: fn(F, u32, &mut Parked, &Context),
    /// The outcome of the operation that the state waits for. Until there is one, the machine stays parked: see
    /// [`Parked::leave`].
    pub resume: fn(&mut Parked, &Context) -> Option<F::Output>,
    /// The operation, without its type.
    pub awaited: &'static Awaited,
}

impl<F: DurableFuture> Fut<F> {
    /// The token of an operation whose type is inferred later.
    ///
    /// Only this item has the bound, so that a value that cannot be awaited causes one error. rustc revisits types that
    /// are not yet inferred many times, so there are as few as possible: the type of the output follows from this one.
    pub const TOKEN: Self = F::ALONE;

    /// The token of a known type of operation.
    pub(crate) const fn of() -> Self {
        Self { suspend: suspend::<F>, resume: resume::<F>, awaited: const { &F::AWAITED } }
    }
}

fn suspend<F: DurableFuture>(operation: F, state: u32, parked: &mut Parked, cx: &Context) {
    wait_for(begun::<F>(operation, cx), state, parked);
}

/// Starts the operation. If it ends at once, the code continues within the step.
fn begun<F: DurableFuture>(operation: F, cx: &Context) -> Result<F::Pending, StepError> {
    let pending = operation.start(cx)?;
    if F::has_ended(&pending) {
        cx.go_on();
    }
    Ok(pending)
}

/// Begins to write the state that waits for the started operation only.
pub(crate) fn wait_for<P: Serialize>(
    started: Result<P, StepError>,
    state: u32,
    parked: &mut Parked,
) {
    parked.write(state);
    match started {
        Ok(pending) => {
            let written = codec::encode_into(&pending, parked.next.begin());
            parked.next.end_alone(written);
        }
        Err(error) => parked.next.failed = Some(error),
    }
}

fn resume<F: DurableFuture>(parked: &mut Parked, cx: &Context) -> Option<F::Output> {
    match poll::<F>(parked, 0, cx) {
        Ok(Poll::Ready(value)) => return Some(value),
        Ok(Poll::Pending) => {}
        Err(error) => parked.next.failed = Some(error),
    }
    None
}

/// The token of a branch of a `select!`: one outcome is enough.
pub struct Choice<F, T> {
    start: fn(F, &mut Parked, &Context) -> Result<(), StepError>,
    begin: fn(F, &mut Parked, usize, &Context) -> Result<bool, StepError>,
    poll: fn(&mut Parked, usize, &Context) -> Result<Poll<T>, StepError>,
    arrived: fn(&Parked, usize, &Context) -> Arrived,
    cancel: fn(&Parked, usize, &Context) -> Result<(), StepError>,
    /// Like [`Fut::awaited`].
    pub awaited: &'static Awaited,
}

impl<F: DurableFuture<Output = T>, T> Choice<F, T> {
    /// Like [`Fut::TOKEN`].
    pub const TOKEN: Self = Self {
        start: start::<F>,
        begin: begin::<F>,
        poll: poll::<F>,
        arrived: arrived::<F>,
        cancel: cancel::<F>,
        awaited: &F::AWAITED,
    };
}

fn start<F>(operation: F, parked: &mut Parked, cx: &Context) -> Result<(), StepError>
where
    F: DurableFuture,
{
    let pending = begun::<F>(operation, cx)?;
    save(&pending, parked);
    Ok(())
}

fn begin<F>(
    operation: F,
    parked: &mut Parked,
    index: usize,
    cx: &Context,
) -> Result<bool, StepError>
where
    F: DurableFuture,
{
    let pending = cx.wait_among::<F, _>(|| operation.start(cx))?;
    update(parked, index, &pending)?;
    Ok(F::has_ended(&pending))
}

fn save<P: Serialize>(pending: &P, parked: &mut Parked) {
    let written = codec::encode_into(pending, parked.next.begin_operation());
    parked.next.end(written);
}

pub(crate) fn load<P: Durable>(parked: &Parked, index: usize) -> Result<P, StepError> {
    match codec::decode(parked.operation(index)?) {
        Ok(pending) => Ok(pending),
        Err(error) => Err(StepError::Decode(error)),
    }
}

fn update<P: Serialize>(parked: &mut Parked, index: usize, pending: &P) -> Result<(), StepError> {
    let mut saved = Vec::new();
    match codec::encode_into(pending, &mut saved) {
        Ok(()) => parked.update(index, &saved),
        Err(error) => Err(StepError::Encode(error)),
    }
}

fn poll<F: DurableFuture>(
    parked: &mut Parked,
    index: usize,
    cx: &Context,
) -> Result<Poll<F::Output>, StepError> {
    if parked.is_absent(index) {
        return Ok(Poll::Pending);
    }
    let mut pending: F::Pending = load(parked, index)?;
    if cx.is_giving_up() {
        F::cancel(pending, cx)?;
        return Ok(Poll::Pending);
    }
    let poll = F::poll(&mut pending, cx)?;
    if poll.is_pending() {
        update(parked, index, &pending)?;
    }
    Ok(poll)
}

fn arrived<F: DurableFuture>(parked: &Parked, index: usize, cx: &Context) -> Arrived {
    if parked.is_absent(index) {
        return Arrived::Not;
    }
    // `poll` reports an operation that cannot be read.
    load(parked, index).map_or(Arrived::Unknown, |pending| F::arrived(&pending, cx))
}

fn cancel<F: DurableFuture>(parked: &Parked, index: usize, cx: &Context) -> Result<(), StepError> {
    if parked.is_absent(index) {
        return Ok(());
    }
    F::cancel(load(parked, index)?, cx)
}

impl<F, T> Choice<F, T> {
    /// Starts one of several operations and adds it to the next state, which waits for them.
    ///
    /// # Errors
    /// Like [`DurableFuture::start`].
    pub fn start(&self, operation: F, parked: &mut Parked, cx: &Context) -> Result<(), Halt> {
        Ok((self.start)(operation, parked, cx)?)
    }

    /// Like [`Choice::start`], if there is an operation. Without one, the branch stays pending forever.
    ///
    /// # Errors
    /// Like [`DurableFuture::start`].
    pub fn start_if(
        &self,
        operation: Option<F>,
        parked: &mut Parked,
        cx: &Context,
    ) -> Result<(), Halt> {
        match operation {
            Some(operation) => self.start(operation, parked, cx),
            None => {
                parked.next.begin_operation();
                parked.next.end(Ok(()));
                Ok(())
            }
        }
    }

    /// Starts operation number `index` of the state, which waits for it already. Whether it has
    /// ended at once.
    ///
    /// # Errors
    /// Like [`DurableFuture::start`].
    pub fn begin(
        &self,
        operation: F,
        parked: &mut Parked,
        index: usize,
        cx: &Context,
    ) -> Result<bool, Halt> {
        Ok((self.begin)(operation, parked, index, cx)?)
    }

    /// Looks for the outcome of operation number `index` of the state. Until there is one, updates its saved form.
    ///
    /// # Errors
    /// Like [`DurableFuture::poll`].
    pub fn poll(&self, parked: &mut Parked, index: usize, cx: &Context) -> Result<Poll<T>, Halt> {
        Ok((self.poll)(parked, index, cx)?)
    }

    /// When the outcome of operation number `index` of the state arrived.
    pub fn arrived(&self, parked: &Parked, index: usize, cx: &Context) -> Arrived {
        (self.arrived)(parked, index, cx)
    }

    /// Cancels operation number `index`.
    ///
    /// # Errors
    /// Like [`DurableFuture::cancel`].
    pub fn cancel(&self, parked: &Parked, index: usize, cx: &Context) -> Result<(), Halt> {
        Ok((self.cancel)(parked, index, cx)?)
    }
}

/// The token of a branch of a `join!`: its outcome is kept until all branches have one.
pub struct Branch<F, T> {
    start: fn(F, &mut Parked, &Context) -> Result<(), StepError>,
    begin: fn(F, &mut Parked, usize, &Context) -> Result<bool, StepError>,
    poll: fn(&mut Parked, usize, &Context) -> Result<bool, StepError>,
    cancel: fn(&Parked, usize, &Context) -> Result<(), StepError>,
    pub(super) take: fn(&Parked, usize) -> Result<Option<T>, StepError>,
    /// Like [`Fut::awaited`].
    pub awaited: &'static Awaited,
}

impl<F: DurableFuture<Output = T>, T: Durable> Branch<F, T> {
    /// Like [`Fut::TOKEN`].
    pub const TOKEN: Self = Self {
        start: start_branch::<F>,
        begin: begin_branch::<F>,
        poll: poll_branch::<F>,
        cancel: cancel_branch::<F>,
        take: take_branch::<F>,
        awaited: &F::AWAITED,
    };
}

type Item<F> = PendingItem<<F as DurableFuture>::Pending, Payload>;

fn start_branch<F>(operation: F, parked: &mut Parked, cx: &Context) -> Result<(), StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    let pending = cx.wait_among::<F, _>(|| begun::<F>(operation, cx))?;
    save(&Item::<F>::Pending(pending), parked);
    Ok(())
}

fn begin_branch<F>(
    operation: F,
    parked: &mut Parked,
    index: usize,
    cx: &Context,
) -> Result<bool, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    let pending = cx.wait_among::<F, _>(|| operation.start(cx))?;
    let has_ended = F::has_ended(&pending);
    update(parked, index, &Item::<F>::Pending(pending))?;
    Ok(has_ended)
}

fn poll_branch<F>(parked: &mut Parked, index: usize, cx: &Context) -> Result<bool, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    // A kept outcome is not decoded: dropping the decoded value would run its destructor.
    let kept = codec::decode_first::<PendingItem<(), ()>>(parked.operation(index)?);
    if !cx.is_giving_up() && matches!(kept, Ok((PendingItem::Ready(()), _))) {
        return Ok(true);
    }
    let mut pending = match load::<Item<F>>(parked, index)? {
        PendingItem::Pending(pending) => pending,
        PendingItem::Ready(outcome) => {
            outcome_dropped::<F::Output>(&outcome);
            return Ok(false);
        }
    };
    if cx.is_giving_up() {
        F::cancel(pending, cx)?;
        return Ok(false);
    }
    let poll = cx.wait_among::<F, _>(|| F::poll(&mut pending, cx))?;
    let is_ready = poll.is_ready();
    let item = match poll {
        // No definition refers to the type, so the outcome is self-describing.
        Poll::Ready(value) => match codec::to_tagged_payload(&value) {
            Ok(outcome) => Item::<F>::Ready(outcome),
            Err(error) => return Err(StepError::Encode(error)),
        },
        Poll::Pending => Item::<F>::Pending(pending),
    };
    update(parked, index, &item)?;
    Ok(is_ready)
}

fn cancel_branch<F>(parked: &Parked, index: usize, cx: &Context) -> Result<(), StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    // The error that ends the wait was taken already.
    if has_failed(parked.operation(index)?)? {
        return Ok(());
    }
    match load::<Item<F>>(parked, index)? {
        PendingItem::Pending(pending) => F::cancel(pending, cx),
        PendingItem::Ready(outcome) => {
            outcome_dropped::<F::Output>(&outcome);
            Ok(())
        }
    }
}

/// Drops an outcome that no branch takes. One that cannot be read has nothing to drop.
pub(crate) fn outcome_dropped<T: Durable>(outcome: &Payload) {
    if std::mem::needs_drop::<T>() {
        drop(codec::from_outcome::<T>(outcome));
    }
}

fn take_branch<F>(parked: &Parked, index: usize) -> Result<Option<F::Output>, StepError>
where
    F: DurableFuture,
    F::Output: Durable,
{
    match load::<Item<F>>(parked, index)? {
        PendingItem::Ready(outcome) => match codec::from_outcome(&outcome) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(StepError::Decode(error)),
        },
        PendingItem::Pending(_) => Ok(None),
    }
}

impl<F, T> Branch<F, T> {
    /// Starts the operation and adds it to the next state, which waits for all of them.
    ///
    /// # Errors
    /// Like [`DurableFuture::start`].
    pub fn start(&self, operation: F, parked: &mut Parked, cx: &Context) -> Result<(), Halt> {
        Ok((self.start)(operation, parked, cx)?)
    }

    /// Starts operation number `index` of the state, which waits for it already. Whether it has
    /// ended at once.
    ///
    /// # Errors
    /// Like [`DurableFuture::start`].
    pub fn begin(
        &self,
        operation: F,
        parked: &mut Parked,
        index: usize,
        cx: &Context,
    ) -> Result<bool, Halt> {
        Ok((self.begin)(operation, parked, index, cx)?)
    }

    /// Looks for the outcome of operation number `index` of the state, and keeps it there. Returns whether there is
    /// one.
    ///
    /// # Errors
    /// Like [`DurableFuture::poll`].
    pub fn poll(&self, parked: &mut Parked, index: usize, cx: &Context) -> Result<bool, Halt> {
        Ok((self.poll)(parked, index, cx)?)
    }

    /// Cancels the operation, if it has no outcome yet.
    ///
    /// # Errors
    /// Like [`DurableFuture::cancel`].
    pub fn cancel(&self, parked: &Parked, index: usize, cx: &Context) -> Result<(), Halt> {
        Ok((self.cancel)(parked, index, cx)?)
    }

    /// Takes the outcome.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    ///
    /// # Panics
    /// If there is none yet.
    pub fn take(&self, parked: &Parked, index: usize) -> Result<T, Halt> {
        Ok((self.take)(parked, index)?.expect("only branches that are done are taken"))
    }
}
