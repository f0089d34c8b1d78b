//! Edits of runs by hand.

use uuid::Uuid;

use super::start::{FIND_OPEN, is_conflict};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::effects::{Effects, check};
use crate::store::postgres::messages::{find_recipients, write};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{
    PostgresStore, audit, effects, failed, failed_calls, named_after, now, workflow_id,
};
use crate::store::recipients::Question;
use crate::store::rows::{EditedRow, NamedRow};
use crate::store::{EditOutcome, EditRun, Effect};

const LOCK: &str = concat!(
    "SELECT step_no, status, worker_id, ",
    workflow_id!("run"),
    " FROM piton_runs AS run WHERE run_id = $1 FOR UPDATE"
);

/// A reopened run stores its workflow id explicitly: a concurrent start with that id is then refused by the index
/// on it.
const EDIT: &str = concat!(
    "UPDATE piton_runs SET step_no = step_no + 1, stepped_at = clock.now, takeovers = NULL, state = $3, snapshot = $4, \
     definition = int8send($5), \
     status = CASE status WHEN 'paused' THEN status ELSE 'running' END, closed_at = NULL, blocked = NULL, blocked_at = NULL, \
     result = NULL, failure = NULL, \
     workflow_id = CASE WHEN closed_at IS NULL THEN workflow_id ELSE coalesce(workflow_id, run_id::text) END, \
     due_at = CASE WHEN status = 'paused' THEN NULL WHEN EXISTS (SELECT FROM piton_inbox AS unread WHERE unread.run_id = $2) \
     THEN least($6, clock.now) ELSE $6 END FROM ",
    now!(),
    " AS clock WHERE run_id = $2 RETURNING due_at IS NOT NULL"
);

/// Of activities that the edit has put on queues.
const ATTEMPTS: &str = "UPDATE piton_activities SET attempt = $1 WHERE run_id = $2 AND attempt = 0";

/// A run that was about to be paused when it closed.
pub(super) const FORGET_PAUSE: &str = "DELETE FROM piton_pauses WHERE run_id = $1";

/// The result of an edit.
enum Edited {
    /// It was made; whether the run has a due time, and the notifications to send.
    Now(bool, effects::Told),
    Refused(EditOutcome),
    /// Another run with the workflow id was started at the same time.
    Conflict,
}

pub(super) async fn edit(store: &PostgresStore, edit: EditRun) -> Result<EditOutcome, StoreError> {
    loop {
        match try_edit(store, &edit).await? {
            Edited::Now(is_due, told) => {
                told.announce(store);
                if edit.effects.iter().any(|effect| matches!(effect, Effect::Send(_))) {
                    store.hub.announce_sent(edit.run_id);
                }
                if is_due {
                    store.news.due();
                }
                return Ok(EditOutcome::Edited);
            }
            Edited::Refused(outcome) => return Ok(outcome),
            Edited::Conflict => {}
        }
    }
}

async fn try_edit(store: &PostgresStore, edit: &EditRun) -> Result<Edited, StoreError> {
    let (failed, key) = (failed("edit_run"), edit.run_id.as_uuid());
    let mut transaction = Transaction::begin_in(&store.pool).await.map_err(failed)?;
    let run: Option<EditedRow> =
        sqlx::query_as(LOCK).bind(key).fetch_optional(transaction.get()).await.map_err(failed)?;
    let mut obstacle = match &run {
        None => Some(EditOutcome::Unknown),
        Some(run) => run.obstacle(edit)?,
    };
    if let (Some(run), None) = (&run, obstacle)
        && run.is_closed()?
    {
        let open: Option<NamedRow> = sqlx::query_as(FIND_OPEN)
            .bind(vec![run.workflow_id.as_str()])
            .bind(named_after(&run.workflow_id).into_iter().collect::<Vec<Uuid>>())
            .fetch_optional(transaction.get())
            .await
            .map_err(failed)?;
        obstacle = open.map(|open| EditOutcome::IdTaken { run_id: open.run_id.into() });
    }
    if let Some(obstacle) = obstacle {
        transaction.roll_back().await.map_err(failed)?;
        return Ok(Edited::Refused(obstacle));
    }
    let called_again = &edit.called_again;
    if !failed_calls::take(transaction.get(), called_again).await.map_err(failed)? {
        transaction.roll_back().await.map_err(failed)?;
        return Ok(Edited::Refused(EditOutcome::CallGone));
    }
    let is_due: Result<bool, _> = sqlx::query_scalar(EDIT)
        .bind(store.given_time())
        .bind(key)
        .bind(&edit.state)
        .bind(&edit.snapshot)
        .bind(edit.definition.0.cast_signed())
        .bind(edit.wake_at.map(Timestamp::as_micros))
        .fetch_one(transaction.get())
        .await;
    let is_due = match is_due {
        Err(error) if is_conflict(&error) => {
            transaction.roll_back().await.map_err(failed)?;
            return Ok(Edited::Conflict);
        }
        is_due => is_due.map_err(failed)?,
    };
    if run.is_some_and(|run| run.is_closed().unwrap_or_default()) {
        let forgotten = sqlx::query(FORGET_PAUSE).bind(key).execute(transaction.get());
        forgotten.await.map_err(failed)?;
    }
    let arrivals = edit.new_arrivals();
    if !arrivals.is_empty() {
        let (now, question) = (store.given_time(), Question::of_arrivals(&arrivals));
        let recipients = find_recipients(now, transaction.get(), &question).await;
        let mut recipients = recipients.map_err(failed)??;
        let outcomes: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
        let (woken, told) = recipients.grown();
        write(now, transaction.get(), &arrivals, &outcomes, (&woken, &told)).await?;
    }
    let is_due = is_due || !arrivals.is_empty();
    let run_id = edit.run_id;
    let step = edit.step();
    check(&[&step])?;
    let effects = Effects::of(std::iter::once(&step));
    let told = effects::write(transaction.get(), store, &effects).await.map_err(failed)?;
    if edit.attempts > 0 && !effects.enqueued.is_empty() {
        let attempts = sqlx::query(ATTEMPTS).bind(i64::from(edit.attempts)).bind(key);
        attempts.execute(transaction.get()).await.map_err(failed)?;
    }
    audit::write(transaction.get(), store.given_time(), Some(run_id), &edit.audit)
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    Ok(Edited::Now(is_due, told))
}
