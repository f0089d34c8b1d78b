//! What an activity came to, and what the workflow sees of it.

use std::mem::ManuallyDrop;
use std::task::Poll;

use super::{ActivityError, PendingActivity};
use crate::codec::{ArgumentsReader, NameOf, next_argument};
use crate::error::Error;
use crate::machine::{Context, Durable, OperationOutcome, Parked, StepError, operation_token};
use crate::model::{Handle, Operation};

/// What an activity came to.
pub(super) enum Ended<'a, 'p> {
    Returned(&'a mut ArgumentsReader<'p>),
    Unreturned(Unreturned),
}

/// Has `see` look at what an activity came to, once it has ended.
pub(super) fn outcome(
    handle: Handle,
    cx: &Context,
    returned: NameOf,
    see: &mut dyn See,
) -> Result<Poll<()>, StepError> {
    let mut taken = Ok(());
    let unreturned = cx.take_outcome(handle, |outcome| match outcome {
        Some(OperationOutcome::Returned(payload)) => {
            let mut reader = ArgumentsReader::of_value(payload.as_bytes(), returned());
            taken = see.see(Ended::Returned(&mut reader));
            None
        }
        outcome => Some(outcome.cloned()),
    });
    let unreturned = match unreturned {
        None => {
            cx.settle(handle);
            return taken.map(Poll::Ready);
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
        OperationOutcome::Returned(_) => ActivityError::Failed(()),
        OperationOutcome::Unusable(reason) => {
            let message = format!("activity `{activity}` cannot be run: {reason}");
            return Err(StepError::Failed(Error::msg(message)));
        }
    };
    see.see(Ended::Unreturned(Unreturned { activity, error })).map(Poll::Ready)
}

/// The name of an outstanding activity.
fn name_of(handle: Handle, cx: &Context) -> String {
    cx.with_operations(|operations| {
        let index = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
        match index.map(|index| &operations[index].1) {
            Ok(Operation::Activity(activity)) => activity.name.clone().into_owned(),
            _ => String::new(),
        }
    })
}

/// Has `see` look at what the call has come to that a state awaits alone, once it has ended.
pub(super) fn look(parked: &mut Parked, cx: &Context, returned: NameOf, see: &mut dyn See) {
    let Some(handle) = awaited(parked, cx) else { return };
    if let Err(error) = outcome(handle, cx, returned, see) {
        parked.next.failed = Some(error);
    }
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

/// What takes what an activity came to, as the workflow sees it.
pub(super) trait See {
    fn see(&mut self, ended: Ended<'_, '_>) -> Result<(), StepError>;
}

/// Of activities that return a `T`.
pub(super) struct Seen<T> {
    /// There is nothing to drop in it before it is taken out.
    pub(super) output: ManuallyDrop<Option<T>>,
}

/// Of those that return a `Result`.
pub(super) struct SeenResult<T, E> {
    pub(super) output: ManuallyDrop<Option<Result<T, ActivityError<E>>>>,
}

impl<T: Durable> See for Seen<T> {
    fn see(&mut self, ended: Ended<'_, '_>) -> Result<(), StepError> {
        match ended {
            Ended::Returned(reader) => match next_argument(reader) {
                Some(value) => match reader.finish() {
                    Ok(()) => {
                        self.output = ManuallyDrop::new(Some(value));
                        Ok(())
                    }
                    Err(error) => Err(StepError::Decode(error)),
                },
                None => Err(StepError::Decode(reader.failure())),
            },
            Ended::Unreturned(why) => Err(why.into_step_error()),
        }
    }
}

impl<T: Durable, E: Durable> See for SeenResult<T, E> {
    fn see(&mut self, ended: Ended<'_, '_>) -> Result<(), StepError> {
        let output = match ended {
            Ended::Returned(reader) => {
                let output = match reader.is_ok() {
                    Some(true) => match next_argument(reader) {
                        Some(value) => Ok(value),
                        None => return Err(StepError::Decode(reader.failure())),
                    },
                    Some(false) => match next_argument(reader) {
                        Some(error) => Err(ActivityError::Failed(error)),
                        None => return Err(StepError::Decode(reader.failure())),
                    },
                    None => return Err(StepError::Decode(reader.failure())),
                };
                match reader.finish() {
                    Ok(()) => output,
                    Err(error) => return Err(StepError::Decode(error)),
                }
            }
            Ended::Unreturned(why) => Err(why.error.widen()),
        };
        self.output = ManuallyDrop::new(Some(output));
        Ok(())
    }
}

/// The activity returned nothing.
pub(super) struct Unreturned {
    /// The stored name of the activity.
    activity: String,
    /// Why.
    error: ActivityError<()>,
}

impl Unreturned {
    fn into_step_error(self) -> StepError {
        self.error.into_step_error(&self.activity)
    }
}
