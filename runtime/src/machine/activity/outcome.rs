//! What an activity came to, and what the workflow sees of it.

use std::mem::ManuallyDrop;
use std::task::Poll;

use super::{ActivityError, ReturnShape, Unreturned};
use crate::codec::{ArgumentsReader, Described};
use crate::error::Error;
use crate::machine::{Context, OperationOutcome, StepError, Values};
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
    returned: Described,
    see: &mut dyn See,
) -> Result<Poll<()>, StepError> {
    let mut taken = Ok(());
    let unreturned = cx.take_outcome(handle, |outcome| match outcome {
        Some(OperationOutcome::Returned(payload)) => {
            let mut reader = ArgumentsReader::of_value(payload.as_bytes(), returned.type_name());
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

/// What takes what an activity came to.
pub(super) trait See {
    fn see(&mut self, ended: Ended<'_, '_>) -> Result<(), StepError>;
}

/// Makes of it what the workflow sees. It is the same for all activities that return an `R`.
pub(super) struct Seen<'a, R, S: ReturnShape<R>> {
    values: &'a Values<R>,
    /// There is nothing to drop in it before it is taken out.
    pub(super) output: ManuallyDrop<Option<S::Output>>,
}

impl<'a, R, S: ReturnShape<R>> Seen<'a, R, S> {
    pub(super) fn none(values: &'a Values<R>) -> Self {
        Self { values, output: ManuallyDrop::new(None) }
    }
}

impl<R, S: ReturnShape<R>> See for Seen<'_, R, S> {
    #[expect(clippy::question_mark, reason = "`?` is two more functions for each type to compile")]
    fn see(&mut self, ended: Ended<'_, '_>) -> Result<(), StepError> {
        let seen = match ended {
            Ended::Returned(reader) => match (self.values.next)(reader) {
                Some(value) => match reader.finish() {
                    Ok(()) => S::returned(value),
                    Err(error) => return Err(StepError::Decode(error)),
                },
                None => return Err(StepError::Decode(reader.failure())),
            },
            Ended::Unreturned(why) => match S::unreturned(why) {
                Ok(seen) => seen,
                Err(error) => return Err(error),
            },
        };
        self.output = ManuallyDrop::new(Some(seen));
        Ok(())
    }
}
