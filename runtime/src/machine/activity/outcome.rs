//! The outcome of an activity, and the part of it that the workflow gets.

use std::mem::ManuallyDrop;
use std::task::Poll;

use super::{ActivityError, PendingActivity};
use crate::codec::{Described, Reader, next_value};
use crate::error::Error;
use crate::generated::operation_token;
use crate::machine::{Context, Durable, OperationOutcome, Parked, StepError};
use crate::model::{Handle, Operation};

/// Passes the return value of an ended activity to `see`. Returns why the activity has not returned, if it has not.
pub(super) fn outcome(
    handle: Handle,
    cx: &Context,
    returned: Described,
    see: &mut dyn FnMut(&mut Reader<'_>),
) -> Result<Poll<Option<Unreturned>>, StepError> {
    let mut taken = Ok(());
    let unreturned = cx.take_outcome(handle, |outcome| match outcome {
        Some(OperationOutcome::Returned(payload)) => {
            let mut reader = Reader::outcome(payload.as_bytes(), returned);
            see(&mut reader);
            taken = reader.finish();
            None
        }
        outcome => Some(outcome.cloned()),
    });
    let unreturned = match unreturned {
        None => {
            let taken = taken.map_err(|error| {
                let name = format!("the result of the activity `{}`", name_of(handle, cx));
                StepError::Decode(error.in_value(&name))
            });
            cx.settle(handle);
            return taken.map(|()| Poll::Ready(None));
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
        // Only the operation of a child has such an outcome.
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
            // The activity is an item of a queue.
            Ok(Operation::Promise(wait)) => wait.token.workflow().to_owned(),
            _ => String::new(),
        }
    })
}

/// Reads the outcome of the only call that a state awaits into `seen`. Returns whether there is an outcome. If the
/// activity has failed, so does the step.
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

/// Like [`look`], for a `Result`: reads the value or the error into its reader, and returns whether it is `Ok`. If the
/// activity has failed, that is the error.
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

/// Why the only call that a state awaits has ended without returning.
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

/// The only call that a state awaits, unless the step cancels it.
fn awaited(parked: &mut Parked, cx: &Context) -> Option<Handle> {
    match operation_token::load(parked, 0) {
        Ok(PendingActivity(handle)) if cx.is_giving_up() => cx.settle(handle),
        Ok(PendingActivity(handle)) => return Some(handle),
        Err(error) => parked.next.failed = Some(error),
    }
    None
}

/// A reader of a value that an activity returned, or of the content of a `Result`.
pub(super) trait See {
    /// Reads the value.
    fn see(&mut self, reader: &mut Reader<'_>);
}

/// A reader of an error.
pub(super) trait SeeError: See {
    /// Takes the reason why the activity has not returned.
    fn see_unreturned(&mut self, why: ActivityError<()>);
}

/// A value that was read. Has no destructor.
pub(super) struct Seen<T>(pub(super) ManuallyDrop<Option<T>>);

/// An error that was read.
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

/// The activity did not return.
pub(super) struct Unreturned {
    /// The stored name of the activity.
    activity: String,
    /// Why.
    error: ActivityError<()>,
}
