//! Making steps without I/O: from the current machine to the commit.

use std::borrow::Cow;

use tracing::debug;

use crate::engine::clock::Clock;
use crate::engine::panics::catch;
use crate::machine::{Failure, Machine, NextRun, SetAside, StepError, StepOutcome};
use crate::model::{
    ActivityOperation, AttributeChanges, BlockedReason, Handle, Memo, NewReply, OutgoingMessage,
    Payload, RunStatus, Timestamp,
};

/// The maximum number of steps in one commit. Steps are folded if what they wait for is already there: signals in
/// the inbox, timers of length zero. The limit makes a run that never waits commit.
const MAX_FOLDED: usize = 64;

/// The result of a series of steps.
pub(super) struct Stepped {
    /// How it ended.
    pub(super) end: StepEnd,
    /// The writes of the commit.
    pub(super) effects: Effects,
    /// If the last step failed after successful ones: the machine before it.
    pub(super) before: Option<Before>,
}

/// The writes of a commit besides the machine's state.
#[derive(Clone, Default)]
pub(super) struct Effects {
    /// The numbers of consumed arrivals.
    pub(super) consumed: Vec<i64>,
    /// Activities for queues.
    pub(super) activities: Vec<(Handle, ActivityOperation)>,
    /// Queued activities that are dropped.
    pub(super) given_up: Vec<Handle>,
    /// Messages to other runs.
    pub(super) messages: Vec<OutgoingMessage>,
    /// Signals that could not be read.
    pub(super) set_aside: Vec<SetAside>,
    /// Changes of attributes.
    pub(super) attributes: AttributeChanges,
    /// The new memo.
    pub(super) memo: Option<Memo>,
    /// Answers to updates.
    pub(super) replies: Vec<NewReply>,
    /// Whether the run is paused.
    pub(super) pauses: bool,
}

impl Effects {
    fn is_empty(&self) -> bool {
        let Self {
            consumed,
            activities,
            given_up,
            messages,
            set_aside,
            replies,
            attributes,
            memo,
            pauses,
        } = self;
        let changes_inbox = !consumed.is_empty() || !set_aside.is_empty();
        let changes_queues = !activities.is_empty() || !given_up.is_empty();
        !changes_inbox
            && !changes_queues
            && messages.is_empty()
            && replies.is_empty()
            && attributes.is_empty()
            && memo.is_none()
            && !pauses
    }

    /// Moves the machine's pending writes into these effects.
    pub(super) fn take_from(&mut self, machine: &mut Machine) {
        self.consumed.extend(machine.take_consumed());
        let (asked, given_up) = machine.take_queue_changes();
        self.activities.extend(asked);
        for handle in given_up {
            self.give_up(handle);
        }
        self.messages.extend(machine.take_messages());
        self.set_aside.extend(machine.take_set_aside());
        self.attributes.extend(machine.take_attributes());
        self.memo = machine.take_memo().or(self.memo.take());
        self.replies.extend(machine.take_replies());
    }

    /// These effects, followed by those of later steps.
    pub(super) fn followed_by(mut self, later: Self) -> Self {
        self.consumed.extend(later.consumed);
        self.activities.extend(later.activities);
        for handle in later.given_up {
            self.give_up(handle);
        }
        self.messages.extend(later.messages);
        self.set_aside.extend(later.set_aside);
        self.attributes.extend(later.attributes);
        self.memo = later.memo.or(self.memo);
        self.replies.extend(later.replies);
        self.pauses |= later.pauses;
        self
    }

    fn give_up(&mut self, handle: Handle) {
        match self.activities.iter().position(|(asked, _)| *asked == handle) {
            Some(position) => drop(self.activities.remove(position)),
            None => self.given_up.push(handle),
        }
    }
}

/// How a series of steps ended.
pub(super) enum StepEnd {
    /// The machine waits, or is ready and the series has reached its limit.
    Waiting,
    /// The run is closed.
    Closed {
        /// A closed status.
        status: RunStatus,
        /// The encoded return value, if it has one.
        result: Option<Payload>,
        /// Why it did not complete, for people.
        failure: Option<String>,
        /// The next run of the chain.
        next: Option<Box<NextRun>>,
    },
    /// The last step failed.
    Blocked(BlockedReason),
}

/// The machine before a step that failed.
pub(super) struct Before {
    /// The encoded snapshot.
    pub(super) snapshot: Vec<u8>,
    /// The name of the state.
    pub(super) state: Cow<'static, str>,
    /// The writes of the commit.
    pub(super) effects: Effects,
}

/// Makes the first step of a run before it is started, so that its row is inserted in the state after the step.
/// Returns `None`, with the machine consumed, if the step writes more than this state or must be made by a driver:
/// it ends or blocks the run, or it starts an activity, which must not appear begun if the response of the start is
/// lost.
pub(crate) fn make_first(mut machine: Machine, clock: &Clock) -> Option<Machine> {
    let Stepped { end, effects, .. } = fold(&mut machine, clock, clock.now());
    let mut is_plain = matches!(end, StepEnd::Waiting) && effects.is_empty();
    machine.for_each_activity(|_, activity| is_plain &= !activity.at_most_once);
    is_plain.then_some(machine)
}

/// Steps the machine while it is ready; the first step begins `now`.
pub(super) fn fold(machine: &mut Machine, clock: &Clock, mut now: Timestamp) -> Stepped {
    let mut effects = Effects::default();
    let mut before = None;
    let mut end = StepEnd::Waiting;
    for folded in 0..MAX_FOLDED {
        if !machine.is_ready(now) {
            break;
        }
        if folded > 0 {
            now = clock.now();
            // Every folded step saves a commit.
            before = machine.encode_snapshot().ok().map(|snapshot| Before {
                snapshot,
                state: machine.state_name(),
                effects: effects.clone(),
            });
        }
        let stepped = catch(|| machine.step(now));
        end = match stepped {
            Ok(Ok(StepOutcome::Parked)) => StepEnd::Waiting,
            Ok(Ok(StepOutcome::Returned { result, failure })) => {
                closed(machine, Some(result), failure)
            }
            Ok(Ok(StepOutcome::Continued(next))) => StepEnd::Closed {
                status: RunStatus::ContinuedAsNew,
                result: None,
                failure: None,
                next: Some(next),
            },
            Ok(Ok(StepOutcome::Compensated(ending))) => {
                let (status, result, failure) = ending.close();
                StepEnd::Closed { status, result, failure: Some(failure), next: None }
            }
            Ok(Err(StepError::Failed(error))) => StepEnd::Closed {
                status: RunStatus::Failed,
                result: None,
                failure: Some(format!("{error:#}")),
                next: None,
            },
            Ok(Err(error @ StepError::Cancelled)) => {
                let failure = Failure { text: error.to_string(), is_cancellation: Some(true) };
                closed(machine, None, Some(failure))
            }
            Ok(Err(error @ StepError::Encode(_))) => {
                StepEnd::Blocked(BlockedReason::Invalid(error.to_string()))
            }
            Ok(Err(error)) => StepEnd::Blocked(BlockedReason::Undecodable(error.to_string())),
            Err(message) => {
                machine.put_back();
                StepEnd::Blocked(BlockedReason::Panicked(message))
            }
        };
        if !matches!(end, StepEnd::Waiting) {
            break;
        }
        debug!(state = machine.state(), steps = machine.steps(), "stepped");
        effects.take_from(machine);
    }
    if let StepEnd::Closed { status, .. } = end {
        machine.forget_promises();
        if status == RunStatus::Cancelled {
            machine.use_cancel_up();
        }
        effects.take_from(machine);
        machine.queued().into_iter().for_each(|handle| effects.give_up(handle));
    }
    let before = before.filter(|_| matches!(end, StepEnd::Blocked(_)));
    Stepped { end, effects, before }
}

/// The end of a run that returned or was ended by a request to cancel. A run that returns an error after it has
/// received a request to cancel is cancelled, unless the error is known to have another cause. A run that returns a
/// value is completed.
fn closed(machine: &Machine, result: Option<Payload>, failure: Option<Failure>) -> StepEnd {
    let cancelled = failure.as_ref().and_then(|failure| machine.cancelled_by(failure));
    let (status, failure) = match (cancelled, failure) {
        (Some(reason), _) => (RunStatus::Cancelled, Some(reason)),
        (None, Some(failure)) => (RunStatus::Failed, Some(failure.text)),
        (None, None) => (RunStatus::Completed, None),
    };
    StepEnd::Closed { status, result, failure, next: None }
}
