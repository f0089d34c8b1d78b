//! Changes of runs by operators.

use sqlx::PgConnection;

use super::blocked::UNBLOCK;
use super::{pause, terminate};
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::contract::changes::arrival;
use crate::store::postgres::messages::{find_recipients, write};
use crate::store::postgres::retention::remove;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, audit, failed};
use crate::store::recipients::Question;
use crate::store::{
    ArrivalKind, ArrivalOutcome, ChangeOutcome, ChangeRun, NewAuditEntry, RunChange,
};

const LOCK: &str = "SELECT closed_at IS NULL FROM piton_runs WHERE run_id = $1 FOR UPDATE";

pub(super) async fn change(
    store: &PostgresStore,
    change: ChangeRun,
) -> Result<ChangeOutcome, StoreError> {
    let ChangeRun { run_id, change, audit } = change;
    match change {
        RunChange::Deliver { kind, dedup_key } => {
            deliver(store, run_id, kind, dedup_key, &audit).await
        }
        RunChange::Terminate { reason } => {
            let outcome = terminate::terminate(store, run_id, &reason, Some(&audit)).await?;
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
            let failed = failed("change_run");
            let mut lane = store.pool.lane().await.map_err(failed)?;
            let is_open = lock(lane.get(), run_id).await.map_err(failed)?;
            lane.done();
            Ok(ChangeOutcome::of_unchanged(is_open))
        }
        RunChange::Unblock => unblock(store, run_id, &audit).await.map_err(failed("change_run")),
        RunChange::Pause => pause::pause(store, run_id, &audit).await,
        RunChange::Resume => pause::resume(store, run_id, &audit).await,
        RunChange::Delete => delete(store, run_id, &audit).await.map_err(failed("change_run")),
    }
}

/// Locks a run. Returns whether it is open, if it exists.
async fn lock(connection: &mut PgConnection, run_id: RunId) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar(LOCK).bind(run_id.as_uuid()).fetch_optional(connection).await
}

async fn deliver(
    store: &PostgresStore,
    run_id: RunId,
    kind: ArrivalKind,
    dedup_key: Option<String>,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, StoreError> {
    let (failed, now) = (failed("change_run"), store.given_time());
    let arrivals = [arrival(run_id, kind, dedup_key)];
    let mut transaction = Transaction::begin_in(&store.pool).await.map_err(failed)?;
    let question = Question::of_arrivals(&arrivals);
    let recipients = find_recipients(now, transaction.get(), &question).await;
    let mut recipients = recipients.map_err(failed)??;
    let outcome = recipients.accept(&arrivals[0]);
    let changed = ChangeOutcome::of_arrival(&outcome);
    if !matches!(outcome, ArrivalOutcome::Accepted { .. }) {
        transaction.roll_back().await.map_err(failed)?;
        return Ok(changed);
    }
    let (woken, told) = recipients.grown();
    write(now, transaction.get(), &arrivals, &[outcome], (&woken, &told)).await?;
    audit::write(transaction.get(), now, Some(run_id), audit).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    store.news.arrival(run_id, recipients.owner(run_id));
    if !woken.is_empty() {
        store.news.due();
    }
    Ok(changed)
}

async fn unblock(
    store: &PostgresStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, sqlx::Error> {
    let mut transaction = Transaction::begin(store).await?;
    let is_open = lock(transaction.get(), run_id).await?;
    let unblocked = sqlx::query(UNBLOCK)
        .bind(store.given_time())
        .bind(run_id.as_uuid())
        .bind(Vec::<&str>::new())
        .execute(transaction.get())
        .await?;
    if unblocked.rows_affected() == 0 {
        transaction.roll_back().await?;
        return Ok(ChangeOutcome::of_unchanged(is_open));
    }
    audit::write(transaction.get(), store.given_time(), Some(run_id), audit).await?;
    transaction.commit().await?;
    store.news.due();
    Ok(ChangeOutcome::Changed)
}

async fn delete(
    store: &PostgresStore,
    run_id: RunId,
    audit: &NewAuditEntry,
) -> Result<ChangeOutcome, sqlx::Error> {
    let mut transaction = Transaction::begin(store).await?;
    let is_open = lock(transaction.get(), run_id).await?;
    if is_open != Some(false) {
        transaction.roll_back().await?;
        return Ok(is_open.map_or(ChangeOutcome::Unknown, |_| ChangeOutcome::Open));
    }
    remove(transaction.get(), &[run_id.as_uuid()]).await?;
    audit::write(transaction.get(), store.given_time(), Some(run_id), audit).await?;
    transaction.commit().await?;
    Ok(ChangeOutcome::Changed)
}
