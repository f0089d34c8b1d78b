//! Terminating runs, and waiting for transactions that write to a run.

use crate::error::StoreError;
use crate::model::{RunId, RunStatus};
use crate::store::postgres::effects::give_up;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, audit, failed, kept, kin, messages, now};
use crate::store::{ActivityKey, ChangeOutcome, Ending, NewAuditEntry};

const CLOSE: &str = concat!(
    "UPDATE piton_runs SET status = $3, closed_at = clock.now, blocked = NULL, \
     blocked_at = NULL, due_at = NULL, worker_id = NULL, epoch = NULL, failure = $4 FROM ",
    now!(),
    " AS clock WHERE run_id = $2 AND closed_at IS NULL"
);

/// A separate statement, which sees the end for which the update has waited.
const IS_TERMINATED: &str = "SELECT EXISTS (SELECT 1 FROM piton_runs \
    WHERE run_id = $1 AND status = 'terminated' AND failure = $2)";

const LOCK_RUN: &str = "SELECT 1 FROM piton_runs WHERE run_id = $1 FOR UPDATE";

/// Its result; `None` if the run does not exist or has ended in another way.
pub(super) async fn terminate(
    store: &PostgresStore,
    run_id: RunId,
    reason: &str,
    audit: Option<&NewAuditEntry>,
) -> Result<Option<ChangeOutcome>, StoreError> {
    let terminated = try_terminate(store, run_id, reason, audit).await;
    let terminated = terminated.map_err(failed("terminate_run"))?;
    Ok(match terminated {
        Terminated::Now(given_up) => {
            store.news.ended(run_id, || Ending::terminated(reason));
            given_up.into_iter().for_each(|key| store.news.given_up(key));
            Some(ChangeOutcome::Changed)
        }
        Terminated::Before => Some(ChangeOutcome::Unchanged),
        Terminated::Never => None,
    })
}

/// Whether a run was terminated with this reason.
enum Terminated {
    /// By this call, which has dropped these activities with running attempts.
    Now(Vec<ActivityKey>),
    Before,
    Never,
}

async fn try_terminate(
    store: &PostgresStore,
    run_id: RunId,
    reason: &str,
    audit: Option<&NewAuditEntry>,
) -> Result<Terminated, sqlx::Error> {
    let key = run_id.as_uuid();
    let mut transaction = Transaction::begin(store).await?;
    let status = RunStatus::Terminated;
    let Some(given_up) = close(&mut transaction, store, run_id, status, reason).await? else {
        let is_terminated = sqlx::query_scalar(IS_TERMINATED)
            .bind(key)
            .bind(kept(reason))
            .fetch_one(transaction.get())
            .await?;
        transaction.roll_back().await?;
        return Ok(if is_terminated { Terminated::Before } else { Terminated::Never });
    };
    messages::keep_leftovers(transaction.get(), &[key]).await?;
    if let Some(entry) = audit {
        audit::write(transaction.get(), store.given_time(), Some(run_id), entry).await?;
    }
    let over = kin::write_closes(transaction.get(), store.given_time(), vec![key]).await?;
    transaction.commit().await?;
    over.into_iter().for_each(|run_id| store.hub.announce_sent(run_id));
    Ok(Terminated::Now(given_up))
}

/// Closes an open run, whoever owns it, and drops its queued activities. Returns those with running attempts;
/// `None` if the run is not open.
pub(in crate::store::postgres) async fn close(
    transaction: &mut Transaction,
    store: &PostgresStore,
    run_id: RunId,
    status: RunStatus,
    reason: &str,
) -> Result<Option<Vec<ActivityKey>>, sqlx::Error> {
    let closed = sqlx::query(CLOSE)
        .bind(store.given_time())
        .bind(run_id.as_uuid())
        .bind(status.as_str())
        .bind(kept(reason))
        .execute(transaction.get())
        .await?;
    if closed.rows_affected() == 0 {
        return Ok(None);
    }
    give_up::all_of(transaction.get(), run_id).await.map(Some)
}

/// Waits for transactions that have written to the run.
pub(super) async fn settle(store: &PostgresStore, run_id: RunId) -> Result<(), StoreError> {
    let failed = failed("settle_run");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let locked = sqlx::query(LOCK_RUN).bind(run_id.as_uuid()).execute(lane.get()).await;
    locked.map_err(failed)?;
    lane.done();
    Ok(())
}
