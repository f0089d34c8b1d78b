//! The outcome of an activity, and the part of it that the workflow gets.

use std::mem::ManuallyDrop;
use std::task::Poll;

use super::{ActivityError, PendingActivity};
use crate::codec::{Described, Reader, next_value};
use crate::error::Error;
use crate::generated::operation_token;
use crate::machine::{Context, Durable, OperationOutcome, Parked, StepError};
use crate::model::{Handle, Operation};

/// Has `see` read what an activity returned, once it has ended. If it has not returned, tells why.
pub(super) fn outcome(
    handle: Handle,
    cx: &Context,
    returned: Described,
    see: &mut dyn FnMut(&mut Reader<'_>),
) -> Result<Poll<Option<Unreturned>>, StepError> {
    let mut taken = Ok(());
    let unreturned = cx.take_outcome(handle, |outcome| match outcome {
        Some(OperationOutcome::Returned(payload)) => {
            let mut reader = Reader::value(payload.as_bytes(), returned);
            see(&mut reader);
            taken = reader.finish();
            None
        }
        outcome => Some(outcome.cloned()),
    });
    let unreturned = match unreturned {
        None => {
            cx.settle(handle);
            return taken.map(|()| Poll::Ready(None)).map_err(StepError::Decode);
        }
        Some(Some(unreturned)) => unreturned,
        Some(None) if cx.ends(handle) => OperationOutcome::Cancelled,
        Some(None) => {
            cx.wait_for(handle);
            return Ok(Poll::Pending);
        }
    };
    let activity = name_of(handle, cx);
    cx.settle(handle);
    let error = match unreturned {
        OperationOutcome::TimedOut(kind) => ActivityError::TimedOut(kind),
        OperationOutcome::Cancelled => ActivityError::Cancelled,
        OperationOutcome::Panicked(message) => ActivityError::Panicked(message),
        OperationOutcome::Unknown => ActivityError::OutcomeUnknown,
        // What a child comes to is for its own operation.
        OperationOutcome::Returned(_) | OperationOutcome::Child(_) => ActivityError::Failed(()),
        OperationOutcome::Promise(_) => {
            let message = format!("what has arrived for `{activity}` is that of a promise");
            return Err(StepError::Failed(Error::msg(message)));
        }
        OperationOutcome::Unusable(reason) => {
            let message = format!("activity `{activity}` cannot be run: {reason}");
            return Err(StepError::Failed(Error::msg(message)));
        }
    };
    Ok(Poll::Ready(Some(Unreturned { activity, error })))
}

/// The name of an outstanding activity.
fn name_of(handle: Handle, cx: &Context) -> String {
    cx.with_operations(|operations| {
        let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
        match index.map(|index| &operations[index].1) {
            Ok(Operation::Activity(activity)) => activity.name.clone().into_owned(),
            // It is an item of a queue.
            Ok(Operation::Promise(wait)) => wait.token.workflow().to_owned(),
            _ => String::new(),
        }
    })
}

/// Has `seen` see what the call has come to that a state awaits alone. Tells whether it has; that the activity has not
/// returned is an error of the step.
pub(super) fn look(
    parked: &mut Parked,
    cx: &Context,
    returned: Described,
    seen: &mut dyn See,
) -> bool {
    match ended(parked, cx, returned, &mut |reader| seen.see(reader)) {
        Some(None) => true,
        Some(Some(Unreturned { activity, error })) => {
            parked.next.failed = Some(error.into_step_error(&activity));
            false
        }
        None => false,
    }
}

/// As [`look`], of a `Result`, of which one of both sees what is in it. Tells whether it is `Ok`. That the activity has
/// not returned is an error of it.
pub(super) fn look_at_result(
    parked: &mut Parked,
    cx: &Context,
    returned: Described,
    value: &mut dyn See,
    error: &mut dyn SeeError,
) -> Option<bool> {
    let mut is_ok = false;
    let unreturned = ended(parked, cx, returned, &mut |reader| match reader.is_ok() {
        Some(true) => {
            is_ok = true;
            value.see(reader);
        }
        Some(false) => error.see(reader),
        None => {}
    })?;
    if let Some(unreturned) = unreturned {
        error.see_unreturned(unreturned.error);
    }
    Some(is_ok)
}

/// Why the call has not returned that a state awaits alone, once it has ended.
fn ended(
    parked: &mut Parked,
    cx: &Context,
    returned: Described,
    see: &mut dyn FnMut(&mut Reader<'_>),
) -> Option<Option<Unreturned>> {
    let handle = awaited(parked, cx)?;
    match outcome(handle, cx, returned, see) {
        Ok(Poll::Ready(unreturned)) => return Some(unreturned),
        Ok(Poll::Pending) => {}
        Err(error) => parked.next.failed = Some(error),
    }
    None
}

/// The call that a state awaits alone, unless the step is to give it up.
fn awaited(parked: &mut Parked, cx: &Context) -> Option<Handle> {
    match operation_token::load(parked, 0) {
        Ok(PendingActivity(handle)) if cx.is_giving_up() => cx.settle(handle),
        Ok(PendingActivity(handle)) => return Some(handle),
        Err(error) => parked.next.failed = Some(error),
    }
    None
}

/// What sees a value that an activity returned, or that is in a `Result` that it returned.
pub(super) trait See {
    /// Takes it, if it can be read.
    fn see(&mut self, reader: &mut Reader<'_>);
}

/// What sees an error.
pub(super) trait SeeError: See {
    /// The activity has not returned one.
    fn see_unreturned(&mut self, why: ActivityError<()>);
}

/// A value. Nothing drops it before it is taken out.
pub(super) struct Seen<T>(pub(super) ManuallyDrop<Option<T>>);

/// An error.
pub(super) struct SeenError<E>(pub(super) ManuallyDrop<Option<ActivityError<E>>>);

impl<T: Durable> See for Seen<T> {
    fn see(&mut self, reader: &mut Reader<'_>) {
        self.0 = ManuallyDrop::new(next_value(reader));
    }
}

impl<E: Durable> See for SeenError<E> {
    fn see(&mut self, reader: &mut Reader<'_>) {
        self.0 = ManuallyDrop::new(next_value(reader).map(ActivityError::Failed));
    }
}

impl<E: Durable> SeeError for SeenError<E> {
    fn see_unreturned(&mut self, why: ActivityError<()>) {
        self.0 = ManuallyDrop::new(Some(why.widen()));
    }
}

/// The activity returned nothing.
pub(super) struct Unreturned {
    /// The stored name of the activity.
    activity: String,
    /// Why.
    error: ActivityError<()>,
}
