//! Inboxes of runs.

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::recipients::{Counts, Question, Recipients};
use crate::store::rows::{ArrivalRow, write_arrival};
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::script::{MAX_ROWS, Rows, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, Turn, failed};
use crate::store::weight::fits;
use crate::store::{ArrivalOutcome, Inbox, NewArrival, RunEvent};

const RUNS: &str = "SELECT run_id, status, worker_id, epoch, inbox_count, step_no FROM piton_runs WHERE run_id IN (";

const KEYS: &str = "SELECT run_id, dedup_key, name FROM piton_arrival_keys \
    WHERE (run_id, dedup_key) IN (";

const INSERT_ARRIVAL: &str = "INSERT INTO piton_inbox (run_id, seq, arrival, arrived_at) \
    SELECT column1, column2, column3, ? FROM (";

const INSERT_KEY: &str = "INSERT INTO piton_arrival_keys (run_id, dedup_key, name) \
    SELECT column1, column2, column3 FROM (";

const COUNT: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id SET inbox_count = news.column2 \
    FROM (";

/// A run that is already due keeps its due time.
const COUNT_AND_WAKE: &str = "UPDATE piton_runs INDEXED BY piton_runs_run_id \
    SET inbox_count = news.column2, due_at = min(coalesce(due_at, ?), ?) FROM (";

const OF_RUN: &str = ") AS news WHERE piton_runs.run_id = news.column1; ";

/// Rows that do not fit in the response are not read. A running sum without its own order keeps the order of the
/// subquery.
const READ: &str = concat!(
    "SELECT run_id, seq, CASE WHEN ",
    fits!("sized"),
    " THEN (SELECT arrival FROM piton_inbox AS inbox \
     WHERE inbox.run_id = sized.run_id AND inbox.seq = sized.seq) END AS arrival \
     FROM (SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT run_id, seq, length(arrival) AS bytes FROM piton_inbox \
     WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?)) AS sized"
);

pub(super) async fn deliver(
    store: &SqliteStore,
    arrivals: Vec<NewArrival>,
) -> Result<Vec<ArrivalOutcome>, StoreError> {
    let mut outcomes = Vec::with_capacity(arrivals.len());
    for arrivals in arrivals.chunks(MAX_ROWS) {
        outcomes.extend(deliver_some(store, arrivals).await?);
    }
    Ok(outcomes)
}

async fn deliver_some(
    store: &SqliteStore,
    arrivals: &[NewArrival],
) -> Result<Vec<ArrivalOutcome>, StoreError> {
    let mut turn = store.turn().await;
    let now = store.moment();
    let question = Question::of_arrivals(arrivals);
    let recipients = find_recipients(&mut turn, &question, now).await;
    let mut recipients = recipients.map_err(failed("deliver"))??;
    let outcomes: Vec<_> = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
    let (woken, told) = recipients.grown();
    if woken.is_empty() && told.is_empty() {
        return Ok(outcomes);
    }
    let mut script = Script::new();
    add_arrivals(&mut script, arrivals, &outcomes, now.time)?;
    add_counts(&mut script, (&woken, &told), now.time);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed("deliver"))?;
    for (arrival, outcome) in arrivals.iter().zip(&outcomes) {
        // The owner itself needs no notification.
        if arrival.owner.is_none() && matches!(outcome, ArrivalOutcome::Accepted { .. }) {
            store.hub.announce(RunEvent::Arrival(arrival.run_id));
        }
    }
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    Ok(outcomes)
}

/// Adds what an owner delivers to its transaction, and commits.
pub(crate) async fn deliver_within(
    mut turn: Turn,
    now: Moment,
    arrival: NewArrival,
) -> Result<ArrivalOutcome, StoreError> {
    let failed = failed("commit_activity");
    let arrivals = [arrival];
    let question = Question::of_arrivals(&arrivals);
    let mut recipients = look_up(&mut turn, &question, now).await.map_err(failed)??;
    let outcome = recipients.accept(&arrivals[0]);
    if !matches!(outcome, ArrivalOutcome::Accepted { .. }) {
        turn.roll_back().await;
        return Ok(outcome);
    }
    let (woken, told) = recipients.grown();
    let mut script = Script::new();
    add_arrivals(&mut script, &arrivals, std::slice::from_ref(&outcome), now.time)?;
    add_counts(&mut script, (&woken, &told), now.time);
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    Ok(outcome)
}

/// Updates the numbers of arrivals of the runs, and makes parked runs due.
pub(crate) fn add_counts(script: &mut Script, (woken, told): (&Counts, &Counts), now: Timestamp) {
    let bind = |script: &mut Script, (run_id, inbox_count): &(RunId, i64)| {
        script.bind(run_id.as_uuid()).bind(*inbox_count);
    };
    if !told.is_empty() {
        script.sql(COUNT).values(2, told.iter(), bind).sql(OF_RUN);
    }
    if !woken.is_empty() {
        script.sql(COUNT_AND_WAKE).bind(now.as_micros()).bind(now.as_micros());
        script.values(2, woken.iter(), bind).sql(OF_RUN);
    }
}

/// Begins a transaction and reads the rows that decide.
pub(crate) async fn find_recipients(
    turn: &mut Turn,
    question: &Question,
    now: Moment,
) -> Result<Result<Recipients, StoreError>, sqlx::Error> {
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").append(ask_for_recipients(question, now));
    let rows = turn.begin(script).await?;
    read_recipients(rows, 1, question)
}

/// Reads the rows that decide, within the transaction.
pub(crate) async fn look_up(
    turn: &mut Turn,
    question: &Question,
    now: Moment,
) -> Result<Result<Recipients, StoreError>, sqlx::Error> {
    let rows = turn.go_on(ask_for_recipients(question, now)).await?;
    read_recipients(rows, 0, question)
}

/// Adds the statements that read the rows that decide; [`read_recipients`] reads their results.
fn ask_for_recipients(question: &Question, now: Moment) -> Script {
    let owners = &question.owners;
    let mut script = Script::new();
    script.sql(RUNS);
    if question.run_ids.is_empty() {
        script.sql("NULL");
    } else {
        script.values(1, question.run_ids.iter(), |script, run_id| {
            script.bind(run_id.as_uuid());
        });
    }
    script.sql("); ");
    for owner in owners {
        script.sql(IS_VALID).bind_validity(*owner, now).sql("; ");
    }
    if !question.keys.is_empty() {
        script.sql(KEYS).values(2, question.keys.iter(), |script, (run_id, key)| {
            script.bind(run_id.as_uuid()).bind(key.clone());
        });
        script.sql(")");
    }
    script
}

/// Reads the results, of which the first is that of statement number `first`.
fn read_recipients(
    mut rows: Rows,
    first: usize,
    question: &Question,
) -> Result<Result<Recipients, StoreError>, sqlx::Error> {
    let owners = &question.owners;
    let runs = rows.read(first)?;
    let keys = rows.read(first + 1 + owners.len())?;
    let valid = (first + 1..).zip(owners).filter(|(at, _)| rows.any(*at));
    let valid = valid.map(|(_, owner)| *owner).collect();
    Ok(Recipients::new(runs, keys, valid))
}

pub(crate) fn add_arrivals(
    script: &mut Script,
    arrivals: &[NewArrival],
    outcomes: &[ArrivalOutcome],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut accepted = Vec::with_capacity(arrivals.len());
    for (arrival, outcome) in arrivals.iter().zip(outcomes) {
        if let ArrivalOutcome::Accepted { seq } = outcome {
            accepted.push((arrival, *seq, write_arrival(&arrival.kind)?));
        }
    }
    if accepted.is_empty() {
        return Ok(());
    }
    let keyed: Vec<_> = accepted
        .iter()
        .filter_map(|(arrival, ..)| Some((*arrival, arrival.dedup_key.clone()?)))
        .collect();
    script.sql(INSERT_ARRIVAL).bind(now.as_micros());
    script.values(3, accepted.into_iter(), |script, (arrival, seq, kind)| {
        script.bind(arrival.run_id.as_uuid()).bind(seq).bind(kind);
    });
    script.sql(") WHERE column1 IS NOT NULL; ");
    if !keyed.is_empty() {
        script.sql(INSERT_KEY).values(3, keyed.into_iter(), |script, (arrival, key)| {
            let name = arrival.kind.name().map(str::to_owned);
            script.bind(arrival.run_id.as_uuid()).bind(key).bind(name);
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
    Ok(())
}

pub(super) async fn read(
    store: &SqliteStore,
    run_id: RunId,
    after: i64,
    limit: u32,
) -> Result<Inbox, StoreError> {
    let mut script = Script::new();
    script.sql(READ).bind(run_id.as_uuid()).bind(after).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<ArrivalRow>(0));
    let mut inbox = Inbox::default();
    for row in rows.map_err(failed("read_inbox"))? {
        inbox.add(row, limit);
    }
    Ok(inbox)
}
