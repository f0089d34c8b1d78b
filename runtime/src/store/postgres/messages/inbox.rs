//! Inboxes of runs.

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, named_by, now};
use crate::store::recipients::{Counts, KeyRow, Question, RecipientRow, Recipients};
use crate::store::rows::{LeaseRow, write_arrival};
use crate::store::{ArrivalOutcome, NewArrival};

pub(crate) const VALID: &str = concat!(
    "SELECT worker_id, epoch FROM piton_workers AS worker, ",
    now!(),
    " AS clock WHERE (worker_id, epoch) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[])) \
     AND lease_expires_at > clock.now ORDER BY worker_id FOR KEY SHARE OF worker"
);

const RUNS: &str = "SELECT run_id, status, worker_id, epoch, inbox_count, step_no FROM piton_runs \
    WHERE run_id = ANY ($1) ORDER BY run_id FOR UPDATE";

/// A scalar subquery is looked up one by one; for a join, the planner might read all keys from the index.
const KEYS: &str = "SELECT run_id, dedup_key, found.name[1] AS name FROM \
    (SELECT new.*, (SELECT ARRAY[taken.name] FROM piton_arrival_keys AS taken \
    WHERE taken.run_id = new.run_id AND taken.dedup_key = new.dedup_key) AS name \
    FROM unnest($1::uuid[], $2::text[]) AS new (run_id, dedup_key)) AS found WHERE name IS NOT NULL";

/// A run that is already due keeps its due time.
const WRITE: &str = concat!(
    "WITH arrived AS (INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
     SELECT arrival.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::bytea[]) AS arrival), \
     keyed AS (INSERT INTO piton_arrival_keys (run_id, dedup_key, name) \
     SELECT * FROM unnest($5::uuid[], $6::text[], $10::text[])) \
     UPDATE piton_runs AS run SET inbox_count = news.inbox_count, \
     due_at = CASE WHEN news.wakes THEN least(run.due_at, clock.now) ELSE run.due_at END FROM ",
    now!(),
    " AS clock, unnest($7::uuid[], $8::bigint[], $9::bool[]) AS news (run_id, inbox_count, wakes) WHERE ",
    named_by!("run", "news")
);

/// The owners' rows, and then the runs, are locked before anything is decided; each statement sees what was
/// committed before the lock that precedes it.
pub(super) async fn deliver(
    store: &PostgresStore,
    arrivals: Vec<NewArrival>,
) -> Result<Vec<ArrivalOutcome>, StoreError> {
    let failed = failed("deliver");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let question = Question::of_arrivals(&arrivals);
    let now = store.given_time();
    let recipients = find_recipients(now, transaction.get(), &question).await;
    let mut recipients = recipients.map_err(failed)??;
    let outcomes: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, told) = recipients.grown();
    if woken.is_empty() && told.is_empty() {
        transaction.roll_back().await.map_err(failed)?;
        return Ok(outcomes);
    }
    write(now, transaction.get(), &arrivals, &outcomes, (&woken, &told)).await?;
    transaction.commit().await.map_err(failed)?;
    for (arrival, outcome) in arrivals.iter().zip(&outcomes) {
        // The owner itself needs no notification.
        if arrival.owner.is_none() && matches!(outcome, ArrivalOutcome::Accepted { .. }) {
            store.news.arrival(arrival.run_id, recipients.owner(arrival.run_id));
        }
    }
    if !woken.is_empty() {
        store.news.due();
    }
    Ok(outcomes)
}

/// Adds the arrivals that an owner delivers to its transaction. If one is not accepted, nothing is written.
pub(crate) async fn deliver_within(
    now: Option<i64>,
    connection: &mut sqlx::PgConnection,
    arrival: NewArrival,
) -> Result<ArrivalOutcome, StoreError> {
    let arrivals = [arrival];
    let question = Question::of_arrivals(&arrivals);
    let recipients = find_recipients(now, connection, &question).await;
    let mut recipients = recipients.map_err(failed("commit_activity"))??;
    let outcome = recipients.accept(&arrivals[0]);
    if matches!(outcome, ArrivalOutcome::Accepted { .. }) {
        let (woken, told) = recipients.grown();
        let outcomes = std::slice::from_ref(&outcome);
        write(now, connection, &arrivals, outcomes, (&woken, &told)).await?;
    }
    Ok(outcome)
}

/// Locks the owners, then the runs, and reads the rows that decide.
pub(crate) async fn find_recipients(
    now: Option<i64>,
    connection: &mut sqlx::PgConnection,
    question: &Question,
) -> Result<Result<Recipients, StoreError>, sqlx::Error> {
    let mut valid: Vec<LeaseRow> = Vec::new();
    if !question.owners.is_empty() {
        valid = sqlx::query_as(VALID)
            .bind(now)
            .bind(question.owners.iter().map(|owner| owner.worker_id.0).collect::<Vec<_>>())
            .bind(question.owners.iter().map(|owner| owner.epoch.0).collect::<Vec<_>>())
            .fetch_all(&mut *connection)
            .await?;
    }
    let run_ids: Vec<Uuid> = question.run_ids.iter().map(RunId::as_uuid).collect();
    let mut runs: Vec<RecipientRow> = Vec::new();
    if !run_ids.is_empty() {
        runs = sqlx::query_as(RUNS).bind(run_ids).fetch_all(&mut *connection).await?;
    }
    let mut taken: Vec<KeyRow> = Vec::new();
    if !question.keys.is_empty() {
        let keys = question.keys.iter().map(|(run_id, key)| (run_id.as_uuid(), key.as_str()));
        let (keyed, keys): (Vec<Uuid>, Vec<&str>) = keys.unzip();
        taken = sqlx::query_as(KEYS).bind(keyed).bind(keys).fetch_all(connection).await?;
    }
    Ok(Recipients::new(runs, taken, valid.into_iter().map(Into::into).collect()))
}

pub(crate) async fn write(
    now: Option<i64>,
    connection: &mut sqlx::PgConnection,
    arrivals: &[NewArrival],
    outcomes: &[ArrivalOutcome],
    (woken, told): (&Counts, &Counts),
) -> Result<(), StoreError> {
    let (mut run_ids, mut seqs, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut keyed, mut keys, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (arrival, outcome) in arrivals.iter().zip(outcomes) {
        if let ArrivalOutcome::Accepted { seq } = outcome {
            let run_id = arrival.run_id.as_uuid();
            run_ids.push(run_id);
            seqs.push(*seq);
            kinds.push(write_arrival(&arrival.kind)?);
            if let Some(key) = arrival.dedup_key.as_deref() {
                keyed.push(run_id);
                keys.push(key);
                names.push(arrival.kind.name());
            }
        }
    }
    let grown = || woken.iter().chain(told);
    sqlx::query(WRITE)
        .bind(now)
        .bind(run_ids)
        .bind(seqs)
        .bind(kinds)
        .bind(keyed)
        .bind(keys)
        .bind(grown().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(grown().map(|(_, count)| *count).collect::<Vec<_>>())
        .bind((0..grown().count()).map(|at| at < woken.len()).collect::<Vec<_>>())
        .bind(names)
        .execute(connection)
        .await
        .map_err(failed("deliver"))?;
    Ok(())
}
