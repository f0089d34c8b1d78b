//! Starting activities, and handling their ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;
use tracing::field::display;

use super::attempt::{Attempt, AttemptEnd};
use super::attempts::Beat;
use super::{Driver, Unsaved};
use crate::activities::{ActivityContext, ActivityInfo};
use crate::engine::events::run_event;
use crate::engine::link::Link;
use crate::engine::retry::{self, AttemptResult, Conclusion, MAX_INTERRUPTIONS};
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{
    ActivityOperation, ActivityToken, AwaitedToken, BlockedReason, Handle, Timestamp,
};

/// What happens instead of an attempt.
enum Unattempted {
    /// The activity is over.
    Outcome(OperationOutcome),
    /// The run is blocked.
    Blocked(BlockedReason),
}

impl Driver {
    /// Starts the activities that are due and aborts those that the workflow has dropped.
    pub(super) fn start_activities(&mut self, now: Timestamp) {
        self.look_for_activities = false;
        self.attempts.retain(|handle, attempt| self.machine.is_wanted(handle, attempt));
        let (mut due, mut overdue) = (SmallVec::<[Handle; 1]>::new(), Vec::new());
        let mut next_retry: Option<Timestamp> = None;
        self.machine.for_each_activity(|handle, activity| {
            if self.attempts.is_running(handle) || self.uncertain.contains_key(&handle) {
                return;
            }
            if let Some(limit) = retry::awaited_until(activity) {
                match limit.filter(|(at, _)| *at <= now) {
                    Some((_, limit)) => overdue.push(AttemptEnd {
                        handle,
                        attempt: activity.attempts + 1,
                        result: AttemptResult::TimedOut(limit),
                        details: activity.details.clone(),
                    }),
                    None => {
                        next_retry = limit.map(|(at, _)| at).into_iter().chain(next_retry).min()
                    }
                }
                return;
            }
            match activity.retry_at.filter(|retry_at| *retry_at > now) {
                Some(at) => next_retry = Some(next_retry.map_or(at, |next| next.min(at))),
                None => due.push(handle),
            }
        });
        self.next_retry = next_retry;
        if self.machine.has_limits() {
            let held_back = self.held_back();
            due.retain(|handle| held_back.binary_search(handle).is_err());
        }
        for end in overdue {
            self.conclude(end);
        }
        let alone = due.len() == 1 && self.attempts.is_empty();
        for handle in due {
            let attempt =
                self.machine.with_activity(handle, |activity| self.attempt(handle, activity, now));
            match attempt {
                Some(Ok(attempt)) => {
                    if let Some(end) = self.attempts.start(attempt, alone) {
                        self.conclude(end);
                    }
                }
                Some(Err(Unattempted::Outcome(outcome))) => self.take_outcome(handle, outcome),
                Some(Err(Unattempted::Blocked(reason))) => self.blocked = Some(reason),
                // An earlier iteration has completed it.
                None => {}
            }
        }
    }

    /// The activities that wait for others to end, ordered by handle.
    pub(super) fn held_back(&self) -> Vec<Handle> {
        let is_running =
            |handle| self.attempts.is_running(handle) || self.uncertain.contains_key(&handle);
        let mut held_back = self.machine.held_back(is_running);
        held_back.sort_unstable();
        held_back
    }

    /// The next attempt of an activity, or what happens instead.
    fn attempt(
        &self,
        handle: Handle,
        activity: &ActivityOperation,
        now: Timestamp,
    ) -> Result<Attempt, Unattempted> {
        let deadline = retry::deadline(activity);
        let instead = |outcome| Err(Unattempted::Outcome(outcome));
        if activity.at_most_once && activity.may_have_begun() {
            return instead(OperationOutcome::Unknown);
        }
        if activity.interruptions >= MAX_INTERRUPTIONS {
            let message = format!("it was cut off during {MAX_INTERRUPTIONS} attempts");
            return instead(OperationOutcome::Panicked(message));
        }
        if deadline.is_some_and(|deadline| deadline <= now) {
            return instead(OperationOutcome::TimedOut(TimeoutKind::ScheduleToClose));
        }
        let Some(entry) = self.hold.session.host.registry.activity(&activity.name) else {
            let reason = BlockedReason::Unregistered(activity.name.clone().into_owned());
            return Err(Unattempted::Blocked(reason));
        };
        let (run_id, attempt) = (self.run.run_id, activity.attempts.saturating_add(1));
        let workflow_id = Arc::clone(&self.run.workflow_id);
        let info = ActivityInfo { run_id, workflow_id, handle, name: entry.name, attempt };
        // A transaction is committed with its own outcome and with no other.
        let has_token = entry.connection.is_none();
        let token = has_token.then_some(ActivityToken { run_id, handle, attempt });
        let link = Link::new(token, activity.details.clone());
        let dependencies = Arc::clone(&self.hold.session.host.dependencies);
        let instant_of = |at| self.hold.session.clock.instant_of(at);
        // After a crash it is not known how long the attempt has waited.
        let due_at = activity.retry_at.unwrap_or(match activity.attempts {
            0 => activity.scheduled_at,
            _ => now,
        });
        Ok(Attempt {
            entry,
            context: ActivityContext::linked(info, dependencies, link.clone()),
            arguments: activity.arguments.clone(),
            places: None,
            start_by: activity.schedule_to_start.map(|limit| instant_of(due_at + limit)),
            start_to_close: activity.start_to_close,
            heartbeat: activity.heartbeat,
            deadline: deadline.map(instant_of),
            link,
            session: Arc::clone(&self.hold.session),
            begun: None,
        })
    }

    /// Counts takeovers as interruptions, once the inbox has shown which attempts have ended. Runs before the first
    /// attempt, so that a crash during that attempt counts once and not twice.
    pub(super) fn count_takeovers(&mut self) {
        if self.caught_up {
            let takeovers = std::mem::take(&mut self.takeovers);
            let now = self.hold.session.clock.now();
            self.changed |= self.machine.count_takeovers(takeovers, now);
        }
    }

    /// Handles the end of an attempt.
    pub(super) fn conclude(&mut self, end: AttemptEnd) {
        let AttemptEnd { handle, attempt, result, details } = end;
        let is_made_once = |activity: &ActivityOperation| activity.at_most_once;
        self.ahead.is_held |= self.machine.with_activity(handle, is_made_once) == Some(true);
        let result = match result {
            AttemptResult::Committed { seq, outcome } => {
                // An activity that waited for this one may begin.
                self.look_for_activities |= self.machine.has_limits();
                // Its outcome may have been read from the inbox, and consumed, before the attempt ended here.
                if seq > self.hold.inbox_read.load(Ordering::Relaxed) {
                    self.machine.deliver_outcome(Some(seq), handle, outcome);
                    self.note_read(seq);
                }
                return;
            }
            AttemptResult::Uncertain => {
                // The inbox has the outcome.
                self.unread = true;
                self.uncertain.insert(handle, attempt);
                return;
            }
            AttemptResult::Lost => {
                run_event!(info, self.name(), "the run has another owner or is closed");
                // Or the run is ours, and the lease has expired.
                self.hold.doubt();
                self.lost = true;
                return;
            }
            AttemptResult::Later { left } => {
                let now = self.hold.session.clock.now();
                let end_by = left.map(|left| now + left);
                let awaited = AwaitedToken { end_by, heard_at: now, takeovers: 0 };
                self.machine.await_token(handle, attempt, awaited);
                if let Some(details) = details {
                    self.machine.deliver_heartbeat(None, handle, attempt, details, now);
                }
                self.gone_on.push((handle, attempt));
                self.changed = true;
                self.look_for_activities = true;
                return;
            }
            result => result,
        };
        let now = self.hold.session.clock.now();
        let failure = result.failure();
        let draw = retry::draw(self.run.run_id, handle, attempt);
        let conclusion = self.machine.with_activity(handle, |activity| {
            // A token may have ended it before.
            (activity.attempts < attempt)
                .then(|| retry::conclude(activity, attempt, result, now, draw))
        });
        let conclusion = conclusion.flatten();
        if let (Some(conclusion), Some(error)) = (&conclusion, failure) {
            let next_attempt_at = conclusion.retry_at().map(display);
            let activity = self.machine.with_activity(handle, |activity| activity.name.clone());
            run_event!(
                info,
                self.name(),
                activity = activity.as_deref(),
                handle = handle.0,
                attempt,
                error,
                next_attempt_at,
                "an attempt has failed"
            );
        }
        match conclusion {
            Some(Conclusion::Outcome(outcome)) => self.take_outcome(handle, outcome),
            Some(Conclusion::Retry { retry_at, failure }) => {
                let (why, known) = (failure.clone(), details.clone());
                self.machine.deliver_retry(None, handle, attempt, retry_at, why, known);
                self.unsaved.push(Unsaved::Retry { handle, attempt, retry_at, failure, details });
                self.look_for_activities = true;
            }
            Some(Conclusion::Block(reason)) => self.blocked = Some(reason),
            // The workflow has dropped it.
            None => {}
        }
    }

    /// Records a heartbeat that is stored in the inbox, so that it survives a crash of the worker.
    pub(super) fn note_beat(&mut self, beat: Beat) {
        let Beat { handle, attempt, details } = beat;
        let now = self.hold.session.clock.now();
        self.changed |= self.machine.deliver_heartbeat(None, handle, attempt, details, now);
    }

    /// Counts attempts as interrupted if the inbox, read to its end, has no outcome for them.
    pub(super) fn settle_uncertain(&mut self) {
        for (handle, attempt) in std::mem::take(&mut self.uncertain) {
            self.look_for_activities = true;
            if self.machine.awaits_outcome(handle) {
                self.machine.deliver_interruption(None, handle, attempt);
                self.unsaved.push(Unsaved::Interruption { handle, attempt });
            }
        }
    }

    pub(super) fn take_outcome(&mut self, handle: Handle, outcome: OperationOutcome) {
        self.machine.deliver_outcome(None, handle, outcome);
        // An activity that waited for this one may begin.
        self.look_for_activities |= self.machine.has_limits();
        self.unsaved.push(Unsaved::Outcome(handle));
    }
}
