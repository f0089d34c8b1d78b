//! Pausing and resuming runs.

use super::edit::FORGET_PAUSE;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::contract::changes::arrival;
use crate::store::contract::pauses::{Pausable, Pausing};
use crate::store::postgres::messages::{find_recipients, write};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, audit, failed, kept, now};
use crate::store::recipients::Question;
use crate::store::rows::{ArrivalRow, PausableRow, workers_died};
use crate::store::{ArrivalKind, ChangeOutcome, NewAuditEntry};

const LOCK: &str = "SELECT 1 FROM piton_runs WHERE run_id = $1 FOR UPDATE";

/// A separate statement, which sees writes of others before the lock.
const LOOK: &str = "SELECT status, worker_id IS NOT NULL AS is_owned, run.due_at, step_no, \
    pause.run_id IS NOT NULL AS is_asked, pause.due_at AS due_before \
    FROM piton_runs AS run LEFT JOIN piton_pauses AS pause ON pause.run_id = run.run_id WHERE run.run_id = $1";

const ASK: &str = concat!(
    "INSERT INTO piton_pauses (run_id, paused_at, who, reason, due_at) SELECT $2, clock.now, $3, $4, $5 FROM ",
    now!(),
    " AS clock ON CONFLICT (run_id) DO UPDATE SET paused_at = EXCLUDED.paused_at, who = EXCLUDED.who, \
     reason = EXCLUDED.reason, due_at = EXCLUDED.due_at"
);

const PAUSE: &str = concat!(
    "UPDATE piton_runs SET status = 'paused', due_at = NULL, takeovers = CASE WHEN ",
    workers_died!("coalesce(blocked, '')"),
    " THEN least(takeovers, 1) ELSE takeovers END, blocked = NULL, blocked_at = NULL WHERE run_id = $1"
);

const RESUME: &str = concat!(
    "UPDATE piton_runs SET status = 'running', due_at = coalesce($3, clock.now) FROM ",
    now!(),
    " AS clock WHERE run_id = $2"
);

const UNREAD: &str = "SELECT run_id, seq, arrival FROM piton_inbox WHERE run_id = $1 ORDER BY seq";

/// The change to make to a run, which the transaction has locked.
struct Decided<T> {
    transaction: Transaction,
    row: PausableRow,
    what: T,
}

/// Locks a run and decides what to change, or why nothing changes.
async fn decide<T>(
    store: &PostgresStore,
    run_id: RunId,
    decide: impl FnOnce(Pausable) -> Result<T, ChangeOutcome>,
) -> Result<Result<Decided<T>, ChangeOutcome>, StoreError> {
    let (failed, key) = (failed("change_run"), run_id.as_uuid());
    let mut transaction = Transaction::begin_in(&store.pool).await.map_err(failed)?;
    sqlx::query(LOCK).bind(key).execute(transaction.get()).await.map_err(failed)?;
    let row = sqlx::query_as(LOOK).bind(key).fetch_optional(transaction.get()).await;
    let decided = match row.map_err(failed)? {
        None => Err(ChangeOutcome::Unknown),
        Some(row) => decide(Pausable::try_from(&row)?).map(|what| (row, what)),
    };
    match decided {
        Ok((row, what)) => Ok(Ok(Decided { transaction, row, what })),
        Err(outcome) => {
            transaction.roll_back().await.map_err(failed)?;
            Ok(Err(outcome))
        }
    }
}

pub(super) async fn pause(
    store: &PostgresStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let (failed, now, key) = (failed("change_run"), store.given_time(), run_id.as_uuid());
    let decided = decide(store, run_id, Pausable::pause).await?;
    let Decided { mut transaction, row, what: pausing } = match decided {
        Ok(decided) => decided,
        Err(outcome) => return Ok(outcome),
    };
    let asked = sqlx::query(ASK)
        .bind(now)
        .bind(key)
        .bind(kept(&audit.who))
        .bind(kept(&audit.reason))
        .bind(row.due_unbegun())
        .execute(transaction.get());
    asked.await.map_err(failed)?;
    let mut owner = None;
    match pausing {
        Pausing::Now => {
            let paused = sqlx::query(PAUSE).bind(key).execute(transaction.get());
            paused.await.map_err(failed)?;
        }
        Pausing::ByOwner => {
            let arrivals = [arrival(run_id, ArrivalKind::Pause, None)];
            let question = Question::of_arrivals(&arrivals);
            let recipients = find_recipients(now, transaction.get(), &question).await;
            let mut recipients = recipients.map_err(failed)??;
            let outcomes = [recipients.accept(&arrivals[0])];
            let (woken, told) = recipients.grown();
            write(now, transaction.get(), &arrivals, &outcomes, (&woken, &told)).await?;
            owner = recipients.owner(run_id);
        }
    }
    audit::write(transaction.get(), now, Some(run_id), audit).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    if pausing == Pausing::ByOwner {
        store.news.arrival(run_id, owner);
    }
    Ok(ChangeOutcome::Changed)
}

pub(super) async fn resume(
    store: &PostgresStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let (failed, now, key) = (failed("change_run"), store.given_time(), run_id.as_uuid());
    let decided = decide(store, run_id, Pausable::resume).await?;
    let Decided { mut transaction, row, what: goes_on } = match decided {
        Ok(decided) => decided,
        Err(outcome) => return Ok(outcome),
    };
    sqlx::query(FORGET_PAUSE).bind(key).execute(transaction.get()).await.map_err(failed)?;
    if goes_on {
        let unread = sqlx::query_as::<_, ArrivalRow>(UNREAD).bind(key).fetch_all(transaction.get());
        let due_at = row.due_again(unread.await.map_err(failed)?);
        let resumed = sqlx::query(RESUME).bind(now).bind(key).bind(due_at);
        resumed.execute(transaction.get()).await.map_err(failed)?;
    }
    audit::write(transaction.get(), now, Some(run_id), audit).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    if goes_on {
        store.news.due();
    }
    Ok(ChangeOutcome::Changed)
}
