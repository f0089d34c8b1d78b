//! Runs whose timeouts have passed, whoever owns them.

use tracing::{info, warn};

use super::follow::{self, Over};
use super::retry;
use super::session::Session;
use crate::error::StoreError;
use crate::model::{BlockedReason, Handle, OnTimeout, RunId, RunStatus, Timestamp};
use crate::store::{ArrivalKind, ExpireRun, ExpiredRun, NewArrival, RESERVED_KEYS};

/// The maximum number of runs in one query.
const MAX_FOUND: u32 = 100;

/// The maximum number of queries of one sweep, so that its other parts get their turn.
const MAX_ROUNDS: usize = 20;

/// The number of poll intervals for which a worker counts as present after a sweep, since sweeps may be late.
const ATTENDED_POLLS: u32 = 5;

/// The position of a worker in the list of overdue runs. A run may stay overdue because this worker lacks its code or
/// cannot close it. The next sweep continues after such runs, so that they do not delay the others.
#[derive(Debug, Default)]
pub(super) struct Overdue {
    after: Option<(Timestamp, RunId)>,
}

impl Overdue {
    /// Ends runs whose deadlines have passed, or requests them to cancel.
    pub(super) async fn expire(&mut self, session: &Session) -> Result<(), StoreError> {
        // First move the deadlines by the time without a worker.
        attend(session).await?;
        let mut first_error = Ok(());
        for _ in 0..MAX_ROUNDS {
            let expired = session.store.find_expired(self.after, MAX_FOUND).await?;
            self.after = expired.last.or(self.after);
            for (run_id, reason) in expired.unreadable {
                warn!(%run_id, reason, "a run has timed out, and its terms cannot be read");
            }
            for run in expired.runs {
                // A run that cannot be closed does not delay the following ones.
                first_error = first_error.and(expire_run(session, run).await);
            }
            if !expired.has_more {
                self.after = None;
                break;
            }
        }
        first_error
    }
}

/// Records that this worker serves its workflows. Moves the deadlines that do not count time without a worker, if there
/// was none.
async fn attend(session: &Session) -> Result<(), StoreError> {
    let workflows = session.host.registry.workflow_names();
    if workflows.is_empty() {
        return Ok(());
    }
    let hold = session.host.settings.intervals.poll.saturating_mul(ATTENDED_POLLS);
    let moved = session.store.attend(workflows, hold).await?;
    if moved > 0 {
        info!(runs = moved, "timeouts leave out the time in which no worker was there");
    }
    Ok(())
}

async fn expire_run(session: &Session, run: ExpiredRun) -> Result<(), StoreError> {
    let ExpiredRun { run_id, workflow_id, workflow, arguments, terms, deadline_at, found_at: now } =
        run;
    let has_code = !session.host.registry.versions(&workflow).is_empty();
    if terms.goes_by_attendance() && !has_code {
        // Perhaps no worker has the code, and the time does not count.
        return Ok(());
    }
    let reason = terms.reason_of_timeout();
    let was_asked = terms.deadline().is_none_or(|deadline| deadline < deadline_at);
    // The time to clean up is that of the chain as a whole, so continuing as a new run does not extend it.
    let is_late = terms.execution_deadline.zip(terms.due_at);
    let is_late = is_late.is_some_and(|(end, due_at)| due_at >= end + terms.cleanup_timeout);
    if terms.on_timeout == OnTimeout::Cancel && !was_asked && !is_late {
        let kind = ArrivalKind::TimedOut { reason };
        // The dedup key makes a repeated request a duplicate. A successor inherits the key, so it gets its own request.
        let dedup_key = Some(format!("{RESERVED_KEYS}timeout:{run_id}"));
        session.store.deliver(vec![NewArrival { run_id, kind, dedup_key, owner: None }]).await?;
        let to = now + terms.cleanup_timeout;
        session.store.defer_deadline(run_id, deadline_at, to).await?;
        return Ok(());
    }
    let over = Over { status: RunStatus::TimedOut, result: None };
    let mut expiry = ExpireRun { run_id, deadline_at, reason, successor: None };
    let draw = retry::draw(run_id, Handle(0), terms.attempt);
    let made = match (follow::next(&terms, &over, now, draw), arguments) {
        (Ok(None), _) | (Ok(_), None) => return session.store.expire_run(expiry).await.map(drop),
        // Left to a worker that has the code of the successor.
        _ if !has_code => return Ok(()),
        (Ok(Some(next)), Some(arguments)) => {
            follow::make(session, workflow_id.into(), &workflow, arguments, next).await
        }
        (Err(reason), _) => Err(BlockedReason::Invalid(reason)),
    };
    match made {
        Ok(made) => expiry.successor = Some(made),
        Err(reason) => {
            // Another build may be able to continue.
            warn!(%run_id, %reason, "a run has timed out, and what follows it cannot be made");
            return Ok(());
        }
    }
    session.store.expire_run(expiry).await.map(drop)
}
