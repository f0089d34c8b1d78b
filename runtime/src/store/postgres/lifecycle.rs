//! Starts with policies, and timeouts.

use async_trait::async_trait;
use sqlx::PgConnection;
use uuid::Uuid;

use super::effects::attributes;
use super::runs::start::{FIND_OPEN, FIND_STARTED, insert_rows, is_conflict};
use super::runs::terminate;
use super::transaction::Transaction;
use super::{PostgresStore, attendance, failed, kin, messages, named_after, now, workflow_id};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Terms, Timestamp};
use crate::store::rows::{DeadlineRow, NamedRow, TermsRow, read_status, write_terms};
use crate::store::{
    ActivityKey, Ending, ExpireRun, Expired, IdPolicy, Lifecycle, NewRun, StartOutcome,
};

const ADD: &str = "WITH added AS (INSERT INTO piton_terms (run_id, terms, last_result, deadline_at, attended) \
    VALUES ($1, $2, $3, $4, $5)) UPDATE piton_runs SET has_terms = true WHERE run_id = $1";

const FIND: &str = "SELECT terms, last_result FROM piton_terms WHERE run_id = $1";

const EXPIRED: &str = concat!(
    "SELECT run.run_id, ",
    workflow_id!("run"),
    ", run.workflow, run.arguments, agreed.deadline_at, clock.now AS found_at, \
     agreed.terms, agreed.last_result, run.closed_at IS NULL AS is_open FROM ",
    now!(),
    " AS clock CROSS JOIN LATERAL (SELECT * FROM piton_terms AS agreed \
     WHERE agreed.deadline_at <= clock.now AND agreed.deadline_at >= $2 \
     AND (agreed.deadline_at, agreed.run_id) > ($2, $3) \
     ORDER BY agreed.deadline_at, agreed.run_id LIMIT $4) AS agreed \
     JOIN piton_runs AS run ON run.run_id = agreed.run_id ORDER BY agreed.deadline_at, agreed.run_id"
);

const FORGET: &str = "UPDATE piton_terms AS agreed SET deadline_at = NULL \
    FROM unnest($1::uuid[], $2::bigint[]) AS over (run_id, deadline_at) \
    WHERE agreed.run_id = over.run_id AND agreed.deadline_at = over.deadline_at";

const DEFER: &str =
    "UPDATE piton_terms SET deadline_at = $3 WHERE run_id = $1 AND deadline_at = $2";

/// The run is locked before its deadline is read.
const LOCK: &str = "SELECT 1 FROM piton_runs WHERE run_id = $1 AND closed_at IS NULL FOR UPDATE";

/// A separate statement after the run was inserted: no other run with the workflow id can have been opened since.
const LAST_CLOSED: &str = "SELECT run_id, status FROM piton_runs WHERE closed_at IS NOT NULL AND workflow_id = $1 \
    ORDER BY started_at DESC, run_id DESC LIMIT 1";

/// Writes the terms, if any, of a run that this transaction has inserted.
pub(super) async fn write(
    connection: &mut PgConnection,
    given_time: Option<i64>,
    run: &NewRun,
) -> Result<(), sqlx::Error> {
    let Some(terms) = &run.terms else { return Ok(()) };
    let text = write_terms(terms).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(ADD)
        .bind(run.run_id.as_uuid())
        .bind(text)
        .bind(terms.last_result.as_ref().map(|result| result.as_bytes()))
        .bind(terms.deadline().map(Timestamp::as_micros))
        .bind(terms.goes_by_attendance().then_some(true))
        .execute(&mut *connection)
        .await?;
    match terms.goes_by_attendance() {
        true => attendance::open_account(connection, given_time, &run.workflow).await,
        false => Ok(()),
    }
}

/// A terminated run, with the notifications to send.
struct Ended {
    run_id: RunId,
    given_up: Vec<ActivityKey>,
    over: Vec<RunId>,
}

enum Tried {
    Outcome(StartOutcome, Option<Ended>),
    /// A concurrent start was first.
    Again,
}

async fn try_start(
    store: &PostgresStore,
    run: &NewRun,
    policy: IdPolicy,
) -> Result<Tried, sqlx::Error> {
    let mut transaction = Transaction::begin_in(&store.calls).await?;
    let ids = vec![run.run_id.as_uuid()];
    let started: Vec<Uuid> =
        sqlx::query_scalar(FIND_STARTED).bind(ids).fetch_all(transaction.get()).await?;
    let ids = vec![run.workflow_id.as_str()];
    let named: Vec<Uuid> = named_after(&run.workflow_id).into_iter().collect();
    let open: Option<NamedRow> =
        sqlx::query_as(FIND_OPEN).bind(ids).bind(named).fetch_optional(transaction.get()).await?;
    let open = open.map(|open| RunId::from(open.run_id));
    let obstacle = match open {
        _ if !started.is_empty() => Some(StartOutcome::Repeated),
        Some(run_id) if !policy.ends_open => Some(StartOutcome::IdTaken { run_id }),
        _ => None,
    };
    if let Some(obstacle) = obstacle {
        transaction.roll_back().await?;
        return Ok(Tried::Outcome(obstacle, None));
    }
    let mut ended = None;
    if let Some(open) = open {
        let (status, reason) = (RunStatus::Terminated, IdPolicy::REASON);
        let Some(given_up) =
            terminate::close(&mut transaction, store, open, status, reason).await?
        else {
            transaction.roll_back().await?;
            return Ok(Tried::Again);
        };
        let over = vec![open.as_uuid()];
        messages::keep_leftovers(transaction.get(), &over).await?;
        let over = kin::write_closes(transaction.get(), store.given_time(), over).await?;
        ended = Some(Ended { run_id: open, given_up, over });
    }
    let inserted = match insert_rows(transaction.get(), store, &[run]).await {
        Err(error) if is_conflict(&error) => {
            transaction.roll_back().await?;
            return Ok(Tried::Again);
        }
        inserted => inserted?,
    };
    if inserted.is_empty() {
        transaction.roll_back().await?;
        return Ok(Tried::Again);
    }
    let last: Option<(Uuid, String)> = sqlx::query_as(LAST_CLOSED)
        .bind(&run.workflow_id)
        .fetch_optional(transaction.get())
        .await?;
    if let Some((last, status)) = last {
        let status = read_status(&status).map_err(|error| sqlx::Error::Decode(error.into()))?;
        if !policy.reuse.allows_after(status) {
            transaction.roll_back().await?;
            let outcome = StartOutcome::IdUsed { run_id: last.into() };
            return Ok(Tried::Outcome(outcome, None));
        }
    }
    attributes::write_new(transaction.get(), &[run]).await?;
    write(transaction.get(), store.given_time(), run).await?;
    transaction.commit().await?;
    Ok(Tried::Outcome(StartOutcome::Started { owned: false }, ended))
}

async fn try_expire(
    store: &PostgresStore,
    expiry: &ExpireRun,
) -> Result<Option<Ended>, sqlx::Error> {
    let ExpireRun { run_id, deadline_at, reason, successor } = expiry;
    let mut transaction = Transaction::begin_in(&store.calls).await?;
    let locked = sqlx::query(LOCK).bind(run_id.as_uuid()).execute(transaction.get()).await?;
    let forgotten = sqlx::query(FORGET)
        .bind(vec![run_id.as_uuid()])
        .bind(vec![deadline_at.as_micros()])
        .execute(transaction.get())
        .await?;
    if locked.rows_affected() == 0 || forgotten.rows_affected() == 0 {
        transaction.roll_back().await?;
        return Ok(None);
    }
    let status = RunStatus::TimedOut;
    let given_up = terminate::close(&mut transaction, store, *run_id, status, reason).await?;
    let closed = vec![run_id.as_uuid()];
    let given = store.given_time();
    let over = match successor {
        Some(successor) => {
            kin::follow(transaction.get(), given, *run_id, successor).await?;
            messages::empty_inboxes(transaction.get(), &closed).await?;
            kin::write_closes_of_followed(transaction.get(), given, closed).await?
        }
        None => {
            messages::keep_leftovers(transaction.get(), &closed).await?;
            kin::write_closes(transaction.get(), given, closed).await?
        }
    };
    transaction.commit().await?;
    Ok(Some(Ended { run_id: *run_id, given_up: given_up.unwrap_or_default(), over }))
}

impl PostgresStore {
    fn tell_end(&self, ended: Ended, status: RunStatus, reason: &str) {
        let failure = Some(reason.to_owned());
        self.news.ended(ended.run_id, || Ending { status, result: None, failure });
        ended.given_up.into_iter().for_each(|key| self.news.given_up(key));
        ended.over.into_iter().for_each(|run_id| self.hub.announce_sent(run_id));
    }
}

#[async_trait]
impl Lifecycle for PostgresStore {
    async fn start_by_policy(
        &self,
        run: NewRun,
        policy: IdPolicy,
    ) -> Result<StartOutcome, StoreError> {
        self.asked("start_by_policy", start_by_policy(self, run, policy)).await
    }

    async fn find_terms(&self, run_id: RunId) -> Result<Option<Terms>, StoreError> {
        self.asked("find_terms", find_terms(self, run_id)).await
    }

    async fn find_expired(
        &self,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Expired, StoreError> {
        self.answered("find_expired", find_expired(self, after, limit)).await
    }

    async fn defer_deadline(
        &self,
        run_id: RunId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, StoreError> {
        self.answered("defer_deadline", defer_deadline(self, run_id, from, to)).await
    }

    async fn expire_run(&self, expiry: ExpireRun) -> Result<bool, StoreError> {
        self.answered("expire_run", expire_run(self, expiry)).await
    }
}

async fn start_by_policy(
    store: &PostgresStore,
    run: NewRun,
    policy: IdPolicy,
) -> Result<StartOutcome, StoreError> {
    let run = NewRun { owner: None, ..run };
    loop {
        let tried = try_start(store, &run, policy).await.map_err(failed("start_by_policy"))?;
        let Tried::Outcome(outcome, ended) = tried else { continue };
        if let Some(ended) = ended {
            store.tell_end(ended, RunStatus::Terminated, IdPolicy::REASON);
        }
        if let StartOutcome::Started { .. } = outcome {
            store.news.due();
        }
        return Ok(outcome);
    }
}

async fn find_terms(store: &PostgresStore, run_id: RunId) -> Result<Option<Terms>, StoreError> {
    let failed = failed("find_terms");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row: Option<TermsRow> = sqlx::query_as(FIND)
        .bind(run_id.as_uuid())
        .fetch_optional(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    row.map(Terms::try_from).transpose()
}

async fn find_expired(
    store: &PostgresStore,
    after: Option<(Timestamp, RunId)>,
    limit: u32,
) -> Result<Expired, StoreError> {
    let failed = failed("find_expired");
    let (at, run_id) = after.unwrap_or((Timestamp::MIN, RunId::from(Uuid::nil())));
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<DeadlineRow> = sqlx::query_as(EXPIRED)
        .bind(store.given_time())
        .bind(at.as_micros())
        .bind(run_id.as_uuid())
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    let over = rows.iter().filter(|row| !row.is_open);
    let (ids, deadlines): (Vec<_>, Vec<_>) = over.map(|row| (row.run_id, row.deadline_at)).unzip();
    if !ids.is_empty() {
        let forget = sqlx::query(FORGET).bind(ids).bind(deadlines).execute(lane.get()).await;
        forget.map_err(failed)?;
    }
    lane.done();
    Ok(Expired::of(rows, limit))
}

async fn defer_deadline(
    store: &PostgresStore,
    run_id: RunId,
    from: Timestamp,
    to: Timestamp,
) -> Result<bool, StoreError> {
    let failed = failed("defer_deadline");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let deferred = sqlx::query(DEFER)
        .bind(run_id.as_uuid())
        .bind(from.as_micros())
        .bind(to.as_micros())
        .execute(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(deferred.rows_affected() > 0)
}

async fn expire_run(store: &PostgresStore, expiry: ExpireRun) -> Result<bool, StoreError> {
    let ended = try_expire(store, &expiry).await.map_err(failed("expire_run"))?;
    let Some(ended) = ended else { return Ok(false) };
    store.tell_end(ended, RunStatus::TimedOut, &expiry.reason);
    if expiry.successor.is_some() {
        store.news.due();
    }
    Ok(true)
}
