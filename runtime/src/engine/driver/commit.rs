//! Stepping and committing: one update of the run's row at a time.

use std::sync::atomic::Ordering;

use tracing::{debug, error, info, warn};

use super::steps::{self, Before, StepEnd};
use super::{CROWDED_PARK_AFTER, Driver, Ended, Rest, Unsaved};
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::model::{BlockedReason, Timestamp};
use crate::store::{CommitOutcome, CommitStep, Disposition};

impl Driver {
    /// What the run does if it is not ready.
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
        self.machine.for_each_activity(|handle, activity| {
            if !self.attempts.is_running(handle) {
                let due_at = activity.retry_at.unwrap_or(Timestamp::MIN);
                next = Some(next.map_or(due_at, |next| next.min(due_at)));
            }
        });
        let is_crowded = self.session.capacity.available_permits() == 0;
        let park_after = self.session.host.settings.park_after;
        let park_after = if is_crowded { park_after.min(CROWDED_PARK_AFTER) } else { park_after };
        let waits_long = next.is_none_or(|next| next > now + park_after);
        let is_known = !self.unread && self.unsaved.is_empty();
        if waits_long && is_known && !under_way { Rest::Park(next) } else { Rest::Stay(next) }
    }

    /// Makes steps and commits them.
    pub(super) async fn advance(&mut self) -> Result<(), Ended> {
        let stepped = steps::fold(&mut self.machine, &self.session.clock);
        self.look_for_activities = true;
        let is_blocked = matches!(stepped.end, StepEnd::Blocked(_));
        self.unsaved.retain(|unsaved| match unsaved {
            Unsaved::Outcome(handle) => self.machine.unsaved_outcome(*handle).is_some(),
            // The snapshot holds the counts, unless it stays as it is.
            Unsaved::Retry { .. } | Unsaved::Interruption { .. } => is_blocked,
        });
        match stepped.end {
            StepEnd::Waiting => {
                let rest = self.rest(self.session.clock.now());
                self.commit_machine(rest, stepped.consumed).await?;
                // At once, so that a stream of arrivals does not keep activities from starting.
                if self.caught_up && !self.is_draining() {
                    self.start_activities(self.session.clock.now());
                }
                Ok(())
            }
            StepEnd::Closed { status, result, failure } => {
                debug!(%status, "the run is over");
                self.commit(Disposition::Close { status, result, failure }, stepped.consumed)
                    .await?;
                Err(Ended)
            }
            StepEnd::Blocked(reason) => {
                if let Some(Before { snapshot, state, consumed }) = stepped.before {
                    self.commit(Disposition::Keep { snapshot, state }, consumed).await?;
                }
                self.block(reason).await
            }
        }
    }

    /// Commits the machine as it is, without a step.
    pub(super) async fn checkpoint(&mut self, rest: Rest) -> Result<(), Ended> {
        let consumed = self.machine.take_consumed();
        self.commit_machine(rest, consumed).await
    }

    pub(super) async fn commit_machine(
        &mut self,
        rest: Rest,
        consumed: Vec<i64>,
    ) -> Result<(), Ended> {
        let snapshot = match self.machine.encode_snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => return self.block(BlockedReason::Invalid(error.to_string())).await,
        };
        let state = self.machine.state().to_owned();
        match rest {
            Rest::Stay(_) => self.commit(Disposition::Keep { snapshot, state }, consumed).await,
            Rest::Park(due_at) => {
                let inbox_read = self.inbox_read.load(Ordering::Relaxed);
                let disposition = Disposition::Park { snapshot, state, due_at, inbox_read };
                self.commit(disposition, consumed).await?;
                debug!(?due_at, "parked");
                due_at.into_iter().for_each(|due_at| self.session.note_due(due_at));
                Err(Ended)
            }
        }
    }

    /// Leaves the run for code that can go on with it; what has arrived is kept.
    pub(super) async fn block(&mut self, reason: BlockedReason) -> Result<(), Ended> {
        warn!(%reason, "the run is blocked");
        // Attempts that are cut off count, so whoever goes on with the run has to know of them.
        while let Some(end) = self.attempts.try_next() {
            self.conclude(end);
        }
        let cut_off = self.attempts.abort_all().into_iter();
        self.unsaved
            .extend(cut_off.map(|(handle, attempt)| Unsaved::Interruption { handle, attempt }));
        while !self.unsaved.is_empty() {
            self.save().await?;
        }
        self.commit(Disposition::Block { reason }, Vec::new()).await?;
        Err(Ended)
    }

    pub(super) async fn commit(
        &mut self,
        disposition: Disposition,
        consumed: Vec<i64>,
    ) -> Result<(), Ended> {
        let run_id = self.run.run_id;
        let step = CommitStep { consumed, ..CommitStep::new(run_id, self.step_no, disposition) };
        match self.session.commits.submit(step).await {
            Ok(CommitOutcome::Committed) => {
                self.step_no = self.step_no.next();
                self.changed = false;
                Ok(())
            }
            Ok(CommitOutcome::Lost) => {
                info!(step_no = self.step_no.0, "the run has another owner or is closed");
                Err(Ended)
            }
            Err(error) => {
                report_failed_commit(&self.session, &error);
                Err(Ended)
            }
        }
    }
}

/// The run stays with the session, which goes on with it at a later sweep.
pub(super) fn report_failed_commit(session: &Session, error: &StoreError) {
    if !matches!(error, StoreError::Fenced) {
        error!(%error, "a step could not be committed");
        session.suspect_strays();
    }
}
