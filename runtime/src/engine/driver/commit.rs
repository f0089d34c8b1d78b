//! Stepping and committing: one update of the run's row at a time.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tracing::debug;

use super::ahead::Ahead;
use super::steps::{self, Before, Effects, StepEnd};
use super::successor::{Closing, follow};
use super::written::record_written;
use super::{CROWDED_PARK_AFTER, Driver, Ended, LINGER, Rest, Unsaved};
use crate::engine::batch::BatchError;
use crate::engine::events::{RunName, run_event};
use crate::engine::queues::QueuedCall;
use crate::engine::retry;
use crate::error::{StoreError, with_causes};
use crate::machine::SetAside;
use crate::model::{BlockedReason, Link, RunStatus, Timestamp};
use crate::store::{CommitOutcome, CommitStep, Disposition, Effect, NewDeadLetter};

impl Driver {
    /// How the run waits if its machine is not ready.
    pub(super) fn rest(&self, now: Timestamp) -> Rest {
        let ready_at = self.machine.ready_at();
        let under_way = self
            .attempts
            .handles()
            .any(|handle| self.machine.with_activity(handle, |_| ()).is_some());
        if under_way && !self.look_for_activities {
            return Rest::Stay(ready_at.into_iter().chain(self.next_retry).min());
        }
        let mut next = ready_at;
        let held_back = if self.machine.has_limits() { self.held_back() } else { Vec::new() };
        self.machine.for_each_activity(|handle, activity| {
            if !self.attempts.is_running(handle) && held_back.binary_search(&handle).is_err() {
                let due_at = match retry::awaited_until(activity) {
                    Some(limit) => limit.map(|(at, _)| at),
                    None => Some(activity.retry_at.unwrap_or(Timestamp::MIN)),
                };
                next = next.into_iter().chain(due_at).min();
            }
        });
        if now < self.linger_until && !self.machine.queued().is_empty() {
            next = Some(next.map_or(self.linger_until, |next| next.min(self.linger_until)));
        }
        let park_after = self.park_after();
        let waits_long = next.is_none_or(|next| next > now + park_after);
        let is_known = !self.unread && self.unsaved.is_empty();
        if waits_long && is_known && !under_way { Rest::Park(next) } else { Rest::Stay(next) }
    }

    /// The longest wait that a run spends in memory.
    fn park_after(&self) -> Duration {
        let is_crowded = self.hold.session.capacity.available_permits() == 0;
        let park_after = self.hold.session.host.settings.park_after;
        if is_crowded { park_after.min(CROWDED_PARK_AFTER) } else { park_after }
    }

    /// Keeps the run in memory for a moment, because the outcome of a queued activity often arrives within it.
    pub(super) fn linger(&mut self, now: Timestamp) {
        self.linger_until = now + LINGER.min(self.park_after());
    }

    /// Makes steps and commits them.
    pub(super) async fn advance(&mut self, now: Timestamp) -> Result<(), Ended> {
        let made = self.machine.steps();
        let stepped = steps::fold(&mut self.machine, &self.hold.session.clock, now);
        let made = self.machine.steps() - made;
        record_written(&self.hold.session, &stepped.effects).await;
        self.look_for_activities = true;
        let is_blocked = matches!(stepped.end, StepEnd::Blocked(_));
        // Attempts that only the machine counts must not be repeated after a crash.
        self.changed |= self.unsaved.iter().any(|unsaved| !matches!(unsaved, Unsaved::Outcome(_)));
        self.unsaved.retain(|unsaved| match unsaved {
            Unsaved::Outcome(handle) => self.machine.unsaved_outcome(*handle).is_some(),
            // The snapshot contains the counts, unless it is not written.
            Unsaved::Retry { .. } | Unsaved::Interruption { .. } => is_blocked,
        });
        match stepped.end {
            StepEnd::Waiting => {
                if !stepped.effects.activities.is_empty() {
                    self.linger(now);
                }
                let rest = self.rest(now);
                if matches!(rest, Rest::Stay(_)) && self.may_run_ahead() {
                    self.run_ahead(made, stepped.effects).await?;
                } else {
                    self.commit_machine(rest, stepped.effects).await?;
                }
                // Starts them at once, so that a stream of arrivals cannot delay activities.
                if self.caught_up && !self.is_draining() {
                    self.start_activities(self.hold.session.clock.now());
                }
                Ok(())
            }
            StepEnd::Closed { status, result, failure, next } => {
                self.close(Closing { status, result, failure, next }, stepped.effects).await
            }
            StepEnd::Blocked(reason) => {
                if let Some(Before { snapshot, state, effects }) = stepped.before {
                    self.commit(Disposition::Keep { snapshot, state }, effects).await?;
                }
                self.block(reason).await
            }
        }
    }

    /// Closes the run, and starts its successor.
    async fn close(&mut self, mut closing: Closing, mut effects: Effects) -> Result<(), Ended> {
        let session = Arc::clone(&self.hold.session);
        let (workflow, terms) = (self.machine.entry().name, self.machine.terms());
        let followed = follow(&session, &self.run, workflow, terms.as_ref(), &mut closing).await;
        let successor = match followed {
            Ok(successor) => successor,
            Err(reason) => return self.block(reason).await,
        };
        // A retry starts from the beginning: it has none of the updates that this run has accepted, so this run
        // answers them.
        if successor.as_ref().is_some_and(|next| next.link != Link::Continued) {
            self.machine.drop_answers();
            effects.take_from(&mut self.machine);
        }
        let Closing { status, result, failure, .. } = closing;
        let why = failure.clone().filter(|_| status == RunStatus::Failed);
        let close = Disposition::Close { status, result, failure, successor };
        self.commit(close, effects).await?;
        match why {
            Some(failure) => run_event!(warn, self.name(), failure, "the run has failed"),
            None => debug!(%status, "the run is over"),
        }
        Err(Ended)
    }

    /// Closes a run as cancelled before any of its code has run.
    pub(super) async fn close_unbegun(&mut self, reason: String) -> Result<(), Ended> {
        let mut effects = Effects::default();
        effects.take_from(&mut self.machine);
        let (status, failure) = (RunStatus::Cancelled, Some(reason));
        self.close(Closing { status, result: None, failure, next: None }, effects).await
    }

    /// Commits the machine without a step.
    pub(super) async fn checkpoint(&mut self, rest: Rest) -> Result<(), Ended> {
        let mut effects = Effects::default();
        effects.take_from(&mut self.machine);
        self.commit_machine(rest, effects).await
    }

    pub(super) async fn commit_machine(
        &mut self,
        rest: Rest,
        effects: Effects,
    ) -> Result<(), Ended> {
        let snapshot = match self.machine.encode_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.block(BlockedReason::Invalid(error.to_string())).await,
        };
        let state = self.machine.state_name();
        match rest {
            Rest::Stay(_) => self.commit(Disposition::Keep { snapshot, state }, effects).await,
            Rest::Park(due_at) => {
                let inbox_read = self.hold.inbox_read.load(Ordering::Relaxed);
                let due_at = due_at.map(|at| self.hold.session.clock.on_database(at));
                let disposition = Disposition::Park { snapshot, state, due_at, inbox_read };
                self.commit(disposition, effects).await?;
                debug!(?due_at, "parked");
                Err(Ended)
            }
        }
    }

    /// Blocks the run until a build that can continue it takes it over. Its inbox stays.
    pub(super) async fn block(&mut self, reason: BlockedReason) -> Result<(), Ended> {
        run_event!(warn, self.name(), %reason, "the run is blocked");
        self.hold.session.blocked.note_blocked(self.run.run_id);
        // Interrupted attempts count, so the next owner has to know of them.
        while let Some(end) = self.attempts.try_next() {
            self.conclude(end);
        }
        let gone_on = std::mem::take(&mut self.gone_on);
        let cut_off = self.attempts.abort_all().into_iter().chain(gone_on);
        self.unsaved
            .extend(cut_off.map(|(handle, attempt)| Unsaved::Interruption { handle, attempt }));
        while !self.unsaved.is_empty() {
            self.save().await?;
        }
        self.commit(Disposition::Block { reason }, Effects::default()).await?;
        Err(Ended)
    }

    pub(super) async fn commit(
        &mut self,
        disposition: Disposition,
        effects: Effects,
    ) -> Result<(), Ended> {
        let effects = if let Disposition::Block { .. } = disposition {
            // The machine's state is that of the last successful step.
            self.catch_up().await?;
            effects
        } else {
            self.supersede().await?.followed_by(effects)
        };
        let step = self.next_commit(disposition, effects);
        let answer = self.hold.session.commits.submit(step).await;
        self.ahead.is_held = false;
        self.committed(answer).await?;
        // Here, because answers to commits of earlier states do not cover this change.
        self.changed = false;
        self.gone_on.clear();
        Ok(())
    }

    /// The commit that follows the last one that was answered.
    pub(super) fn next_commit(
        &self,
        disposition: Disposition,
        effects: Effects,
    ) -> Box<CommitStep> {
        let Effects {
            mut consumed,
            activities,
            given_up,
            messages,
            set_aside,
            replies,
            attributes,
            memo,
            pauses,
        } = effects;
        // If the response to a delivery was lost, the arrival may be noted twice.
        consumed.sort_unstable();
        consumed.dedup();
        let workflow_id = &self.run.workflow_id;
        let on_queue = |(handle, activity)| QueuedCall::of(workflow_id, activity).on_queue(handle);
        let given_up = given_up.into_iter().map(Effect::GiveUp);
        let enqueued = activities.into_iter().map(|asked| Effect::Enqueue(on_queue(asked)));
        let sent = messages.into_iter().map(Effect::Send);
        let set_aside = set_aside.into_iter().filter_map(|SetAside { seq, name, reason }| {
            run_event!(
                warn,
                self.name(),
                signal = name,
                reason,
                "a signal cannot be read and becomes a dead letter"
            );
            // Every signal of a run with an engine is in the inbox.
            Some(Effect::SetAside(NewDeadLetter { seq: seq?, reason }))
        });
        let labelled = (!attributes.is_empty()).then_some(Effect::SetAttributes(attributes));
        let replied = replies.into_iter().map(Effect::Reply);
        let completes =
            matches!(disposition, Disposition::Close { status: RunStatus::Completed, .. });
        let exposes = !self.machine.entry().exposed.is_empty();
        // The state before the step in which the workflow returned.
        let last_snapshot =
            (completes && exposes).then(|| self.machine.encode_snapshot().ok()).flatten();
        let writes_state = last_snapshot.is_some()
            || matches!(disposition, Disposition::Keep { .. } | Disposition::Park { .. });
        Box::new(CommitStep {
            definition: writes_state.then(|| self.machine.written_by()).flatten(),
            last_snapshot,
            keep_history: self.machine.entry().options.history,
            consumed,
            effects: given_up
                .chain(enqueued)
                .chain(sent)
                .chain(set_aside)
                .chain(replied)
                .chain(labelled)
                .chain(memo.map(Effect::SetMemo))
                .chain(pauses.then_some(Effect::Pause))
                .collect(),
            ..CommitStep::new(self.run.run_id, self.step_no, disposition.recorded())
        })
    }

    /// Handles the result of a commit.
    pub(super) async fn committed(
        &mut self,
        answer: Result<CommitOutcome, BatchError>,
    ) -> Result<(), Ended> {
        match answer {
            Ok(CommitOutcome::Committed) => {
                self.step_no = self.step_no.next();
                self.turn.pass_on();
                Ok(())
            }
            Ok(CommitOutcome::Lost) => {
                run_event!(
                    info,
                    self.name(),
                    step_no = self.step_no.0,
                    "the run has another owner or is closed"
                );
                // Or a step that was given up was committed after all.
                self.hold.doubt_if_owned().await;
                Err(Ended)
            }
            Err(error) => {
                match &*error {
                    StoreError::Unstorable { source, .. } => self.refuse(&**source),
                    error if report_failed_commit(self.name(), error) => self.hold.doubt(),
                    _ => {}
                }
                Err(Ended)
            }
        }
    }

    /// Records that the database has refused a value of the run.
    pub(super) fn refuse(&mut self, source: &(dyn Error + Send + Sync)) {
        let why = format!("the database does not keep it: {source}");
        self.refused = Some(BlockedReason::Invalid(why));
    }

    /// Blocks the run if the database has refused its last step or the result of an activity, because it would
    /// refuse the same value again.
    pub(super) async fn block_refused(&mut self) {
        if let Some(reason) = self.refused.take() {
            // Effects of the step are dropped.
            self.ahead = Ahead::default();
            let _ = self.block(reason).await;
        }
    }
}

/// Logs a step that could not be committed. Returns whether the session keeps the run, to continue it at a later
/// sweep.
pub(super) fn report_failed_commit(run: RunName<'_>, error: &StoreError) -> bool {
    let stays = !matches!(error, StoreError::Fenced);
    if stays {
        run_event!(error, run, error = %with_causes(error), "a step could not be committed");
    }
    stays
}
