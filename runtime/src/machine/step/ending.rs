//! The end of a run that does not complete: its compensations run, the last registered first, each in its own steps.
//!
//! The run's code makes no more steps, so neither a panic in it nor a change of it can interfere.

use super::{Machine, OperationOutcome, StepError, StepOutcome};
use crate::codec;
use crate::machine::ActivityError;
use crate::model::{
    Compensating, Compensation, Ending, FailedCompensation, Handle, Operation, RunStatus,
    Timestamp, Wait,
};

impl Machine {
    /// How the run ends, if its compensations are running.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_deref()
    }

    /// Ends a run whose step has failed.
    pub(super) fn failed(
        &mut self,
        error: StepError,
        now: Timestamp,
    ) -> Result<StepOutcome, StepError> {
        let (status, failure) = match &error {
            StepError::Failed(error) => (RunStatus::Failed, format!("{error:#}")),
            StepError::Cancelled => {
                (RunStatus::Cancelled, self.cancel_reason().unwrap_or_else(|| error.to_string()))
            }
            _ => return Err(error),
        };
        if !self.has_compensations() {
            return Err(error);
        }
        let ending = Ending { status, result: None, failure, current: None, failed: Vec::new() };
        Ok(self.compensate(ending, now))
    }

    /// The result of a run that has returned.
    pub(super) fn returned(&mut self, outcome: StepOutcome, now: Timestamp) -> StepOutcome {
        match outcome {
            StepOutcome::Returned { result, failure: Some(failure) }
                if self.has_compensations() =>
            {
                let (status, failure) = match self.cancelled_by(&failure) {
                    Some(reason) => (RunStatus::Cancelled, reason),
                    None => (RunStatus::Failed, failure.text),
                };
                let result = Some(result);
                self.compensate(
                    Ending { status, result, failure, current: None, failed: Vec::new() },
                    now,
                )
            }
            outcome => outcome,
        }
    }

    fn has_compensations(&self) -> bool {
        self.cx.with_operations(|operations| {
            operations.iter().any(|(_, operation)| matches!(operation, Operation::Compensation(_)))
        })
    }

    /// Drops the outstanding operations, and starts the compensations.
    fn compensate(&mut self, ending: Ending, now: Timestamp) -> StepOutcome {
        self.cx.send_forgotten();
        self.cx.give_up_from(Handle(0));
        let cancelled = self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                arrivals.take_cancel();
                arrivals.settle(operations)
            })
        });
        if self.cancelled.is_none() {
            self.cancelled = cancelled;
        }
        self.ending = Some(Box::new(ending));
        self.next_compensation(now)
    }

    /// Makes a step of a run whose compensations are running.
    pub(super) fn step_ending(&mut self, now: Timestamp) -> StepOutcome {
        let current = self.ending.as_ref().and_then(|ending| ending.current);
        if let Some(Compensating { handle, may_fail }) = current {
            let ended = self.cx.take_outcome(handle, |outcome| Some(error_of(outcome?, may_fail)));
            let Some(error) = ended else { return StepOutcome::Parked };
            let activity = self.with_activity(handle, |activity| activity.name.clone());
            if let (Some(error), Some(ending)) = (error, &mut self.ending) {
                let activity = activity.unwrap_or_default().into_owned();
                ending.failed.push(FailedCompensation { activity, error });
            }
            self.cx.settle(handle);
            self.cx.with_operations(|operations| {
                self.cx.with_arrivals(|arrivals| arrivals.settle(operations))
            });
        }
        self.next_compensation(now)
    }

    /// Requests the last remaining compensation.
    fn next_compensation(&mut self, now: Timestamp) -> StepOutcome {
        self.steps += 1;
        self.clock = now;
        self.met.set(0);
        let newest = self.cx.with_operations(|operations| {
            let is_one =
                |(_, operation): &(_, Operation)| matches!(operation, Operation::Compensation(_));
            let index = operations.iter().rposition(is_one)?;
            match operations.remove(index).1 {
                Operation::Compensation(compensation) => Some(*compensation),
                _ => None,
            }
        });
        let Some(Compensation { mut activity, may_fail }) = newest else {
            return match self.ending.take() {
                Some(ending) => StepOutcome::Compensated(ending),
                None => StepOutcome::Parked,
            };
        };
        activity.scheduled_at = now;
        let handle = self.cx.ask(Operation::Activity(Box::new(activity)));
        self.wait = Wait::One(handle);
        if let Some(ending) = &mut self.ending {
            ending.current = Some(Compensating { handle, may_fail });
        }
        StepOutcome::Parked
    }
}

/// Why a compensation has finally failed, if it has.
fn error_of(outcome: &OperationOutcome, may_fail: bool) -> Option<String> {
    let error = match outcome {
        OperationOutcome::Returned(returned) => {
            return may_fail.then(|| codec::error_in(returned)).flatten();
        }
        OperationOutcome::TimedOut(kind) => ActivityError::TimedOut(*kind),
        OperationOutcome::Cancelled => ActivityError::Cancelled,
        OperationOutcome::Panicked(message) => ActivityError::Panicked(message.clone()),
        OperationOutcome::Unknown => ActivityError::OutcomeUnknown,
        OperationOutcome::Promise(_) => return Some("it was no activity".to_owned()),
        OperationOutcome::Unusable(reason) => return Some(format!("it cannot be run: {reason}")),
        // The end of a child belongs to another kind of operation.
        OperationOutcome::Child(_) => {
            return Some("its outcome is that of a child".to_owned());
        }
    };
    Some(ActivityError::<String>::to_string(&error))
}
