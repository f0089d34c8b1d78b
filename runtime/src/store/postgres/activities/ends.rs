//! Attempts of queued activities: heartbeats and ends.

use std::collections::{HashMap, HashSet};

use sqlx::FromRow;
use uuid::Uuid;

use super::outcomes;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::ends::{AttemptRow, Ends, handle, key};
use crate::store::postgres::effects;
use crate::store::postgres::messages::{self, VALID, find_recipients};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, failed_calls, kept, named_by, now};
use crate::store::recipients::{Question, distinct};
use crate::store::rows::LeaseRow;
use crate::store::{
    ActivityHeartbeat, ActivityKey, FinishActivity, FinishOutcome, HeartbeatOutcome, Reporter,
    WorkerLease,
};

const ATTEMPTS: &str = concat!(
    "SELECT activity.run_id, activity.handle, attempt, worker_id, epoch, queue, \
     due_at IS NOT NULL AS waits, coalesce(expires_at <= clock.now, false) AS expired, activity.activity, item_key, \
     retention_ms FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[]) AS ended (run_id, handle) \
     JOIN piton_activities AS activity ON ",
    named_by!("activity", "ended", "handle"),
    " ORDER BY ended.run_id, ended.handle FOR UPDATE OF activity"
);

const REMOVE: &str = concat!(
    "DELETE FROM piton_activities AS activity \
     USING unnest($1::uuid[], $2::bigint[]) AS gone (run_id, handle) WHERE ",
    named_by!("activity", "gone", "handle")
);

/// An attempt that waits for its token keeps its limits.
const LET_GO: &str = concat!(
    "UPDATE piton_activities AS activity SET worker_id = NULL, epoch = NULL, \
    attempt = new.attempt, due_at = new.due_at, details = coalesce(new.details, activity.details), \
    failure = coalesce(new.failure, activity.failure), \
    failed_attempt = CASE WHEN new.failure IS NULL THEN failed_attempt ELSE new.attempt END, \
    end_by = CASE WHEN new.due_at IS NULL THEN end_by END, \
    expires_at = CASE WHEN new.due_at IS NULL THEN expires_at \
    ELSE least(new.due_at + schedule_to_start_ms * 1000, close_by) END \
    FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::text[]) \
    AS new (run_id, handle, due_at, attempt, details, failure) WHERE ",
    named_by!("activity", "new", "handle")
);

const REMOVE_KEYS: &str = "DELETE FROM piton_arrival_keys WHERE run_id = ANY ($1)";

const INSERT_KEYS: &str = "INSERT INTO piton_arrival_keys (run_id, dedup_key) \
    SELECT * FROM unnest($1::uuid[], $2::text[])";

/// A null worker means a token. The rows are locked in their order first.
const HEARTBEAT: &str = concat!(
    "UPDATE piton_activities AS activity \
     SET expires_at = least(end_by, clock.now + heartbeat_ms * 1000), \
     details = coalesce(beat.details, activity.details) FROM ",
    now!(),
    " AS clock, (SELECT beat.* FROM \
     unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) \
     AS beat (run_id, handle, attempt, worker_id, epoch, details) \
     JOIN piton_activities AS activity ON ",
    named_by!("activity", "beat", "handle"),
    " ORDER BY beat.run_id, beat.handle FOR UPDATE OF activity) AS beat WHERE ",
    named_by!("activity", "beat", "handle"),
    " AND activity.attempt = beat.attempt AND activity.due_at IS NULL \
     AND (beat.worker_id IS NULL \
     OR (activity.worker_id = beat.worker_id AND activity.epoch = beat.epoch)) \
     RETURNING activity.run_id, activity.handle, activity.attempt"
);

/// The common ends in one statement, the others in a transaction of their own. Several ends of one activity are
/// processed in order.
pub(super) async fn finish(
    store: &PostgresStore,
    ends: Vec<FinishActivity>,
) -> Result<Vec<FinishOutcome>, StoreError> {
    let mut said = HashMap::new();
    for end in &ends {
        *said.entry(end.key).or_insert(0) += 1;
    }
    let is_plain: Vec<bool> =
        ends.iter().map(|end| outcomes::is_plain(end) && said[&end.key] == 1).collect();
    let places = is_plain.clone();
    let mut places = places.into_iter();
    let (plain, others): (Vec<_>, Vec<_>) =
        ends.into_iter().partition(|_| places.next() == Some(true));
    let mut plain = match plain.is_empty() {
        true => Vec::new(),
        false => outcomes::finish(store, plain).await?,
    }
    .into_iter();
    let mut others = match others.is_empty() {
        true => Vec::new(),
        false => finish_others(store, others).await?,
    }
    .into_iter();
    let outcome = |is_plain| if is_plain { plain.next() } else { others.next() };
    Ok(is_plain.into_iter().filter_map(outcome).collect())
}

async fn finish_others(
    store: &PostgresStore,
    ends: Vec<FinishActivity>,
) -> Result<Vec<FinishOutcome>, StoreError> {
    let failed = failed("finish_activities");
    let mut transaction = Transaction::begin_in(&store.lanes).await.map_err(failed)?;
    let question = Question::of_ends(&ends);
    let recipients = find_recipients(store.given_time(), transaction.get(), &question).await;
    let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = ends.iter().map(|end| columns(end.key)).unzip();
    let attempts: Vec<AttemptRow> = sqlx::query_as(ATTEMPTS)
        .bind(store.given_time())
        .bind(run_ids)
        .bind(handles)
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let mut decided = Ends::new(recipients.map_err(failed)??, attempts);
    let outcomes: Vec<_> = ends.into_iter().map(|end| decided.accept(end)).collect();
    let (woken, told) = decided.grown();
    if !decided.arrivals.is_empty() {
        let (arrivals, accepted) = (&decided.arrivals, &decided.accepted);
        messages::write(store.given_time(), transaction.get(), arrivals, accepted, (&woken, &told))
            .await?;
    }
    write(transaction.get(), store.given_time(), &decided).await.map_err(failed)?;
    if !decided.messages.is_empty() {
        let messages: Vec<_> =
            decided.messages.iter().map(|(key, message)| (*key, message)).collect();
        let sent = effects::send::write(transaction.get(), store.given_time(), &messages).await;
        sent.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    decided.messages.iter().for_each(|(key, _)| store.hub.announce_sent(key.run_id));
    for arrival in &decided.arrivals {
        store.news.arrival(arrival.run_id, decided.owner(arrival.run_id));
    }
    decided.queues.iter().for_each(|queue| store.news.queued(queue));
    decided.given_up.iter().for_each(|key| store.news.given_up(*key));
    if !woken.is_empty() {
        store.news.due();
    }
    Ok(outcomes)
}

async fn write(
    connection: &mut sqlx::PgConnection,
    now: Option<i64>,
    decided: &Ends,
) -> Result<(), sqlx::Error> {
    if !decided.failed.is_empty() {
        failed_calls::keep(&mut *connection, now, &decided.failed).await?;
    }
    if !decided.detached.is_empty() {
        let detached: Vec<Uuid> = decided.detached.iter().map(|id| id.as_uuid()).collect();
        sqlx::query(REMOVE_KEYS).bind(detached).execute(&mut *connection).await?;
    }
    if !decided.removed.is_empty() {
        let removed = decided.removed.iter().map(|key| columns(*key));
        let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = removed.unzip();
        sqlx::query(REMOVE).bind(run_ids).bind(handles).execute(&mut *connection).await?;
    }
    if !decided.let_go.is_empty() {
        let let_go = &decided.let_go;
        let keys = let_go.iter().map(|activity| columns(activity.key));
        let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = keys.unzip();
        let details = let_go.iter().map(|activity| activity.details.as_ref());
        let failures = let_go.iter().map(|activity| activity.failure.as_deref().map(kept));
        sqlx::query(LET_GO)
            .bind(run_ids)
            .bind(handles)
            .bind(let_go.iter().map(|one| one.due_at.map(Timestamp::as_micros)).collect::<Vec<_>>())
            .bind(let_go.iter().map(|one| one.attempt).collect::<Vec<_>>())
            .bind(details.map(|details| details.map(|it| it.as_bytes())).collect::<Vec<_>>())
            .bind(failures.collect::<Vec<_>>())
            .execute(&mut *connection)
            .await?;
    }
    if !decided.keys.is_empty() {
        let keys = decided.keys.iter().map(|(run_id, key)| (run_id.as_uuid(), key.as_str()));
        let (run_ids, keys): (Vec<Uuid>, Vec<&str>) = keys.unzip();
        sqlx::query(INSERT_KEYS).bind(run_ids).bind(keys).execute(connection).await?;
    }
    Ok(())
}

/// Workers are locked before the activities, as everywhere.
pub(super) async fn heartbeat(
    store: &PostgresStore,
    heartbeats: Vec<ActivityHeartbeat>,
) -> Result<Vec<HeartbeatOutcome>, StoreError> {
    let failed = failed("heartbeat_activities");
    let mut transaction = Transaction::begin_in(&store.lanes).await.map_err(failed)?;
    let owners = distinct(heartbeats.iter().filter_map(worker));
    let mut valid: Vec<WorkerLease> = Vec::new();
    if !owners.is_empty() {
        let leases: Vec<LeaseRow> = sqlx::query_as(VALID)
            .bind(store.given_time())
            .bind(owners.iter().map(|owner| owner.worker_id.0).collect::<Vec<_>>())
            .bind(owners.iter().map(|owner| owner.epoch.0).collect::<Vec<_>>())
            .fetch_all(transaction.get())
            .await
            .map_err(failed)?;
        valid = leases.into_iter().map(Into::into).collect();
    }
    let is_entitled = |beat: &&ActivityHeartbeat| match beat.reporter {
        Reporter::Worker(worker) => valid.contains(&worker),
        Reporter::Token => true,
        Reporter::Expiry => false,
    };
    let mut beats: Vec<_> = heartbeats.iter().filter(is_entitled).collect();
    // Of several heartbeats of one attempt, the last counts.
    beats.reverse();
    beats.sort_by_key(|beat| (beat.key, beat.attempt));
    beats.dedup_by_key(|beat| (beat.key, beat.attempt, beat.reporter));
    let keys = beats.iter().map(|beat| columns(beat.key));
    let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = keys.unzip();
    let workers: Vec<_> = beats.iter().map(|beat| worker(beat)).collect();
    let details = beats.iter().map(|beat| beat.details.as_ref().map(|it| it.as_bytes()));
    let noted: Vec<NotedRow> = sqlx::query_as(HEARTBEAT)
        .bind(store.given_time())
        .bind(run_ids)
        .bind(handles)
        .bind(beats.iter().map(|beat| i64::from(beat.attempt)).collect::<Vec<_>>())
        .bind(workers.iter().map(|worker| worker.map(|it| it.worker_id.0)).collect::<Vec<_>>())
        .bind(workers.iter().map(|worker| worker.map(|it| it.epoch.0)).collect::<Vec<_>>())
        .bind(details.collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    let noted: HashSet<_> =
        noted.into_iter().map(|row| (key(row.run_id, row.handle), row.attempt)).collect();
    let outcome = |beat: &ActivityHeartbeat| {
        let is_noted = noted.contains(&(beat.key, i64::from(beat.attempt)));
        if is_noted && is_entitled(&beat) {
            HeartbeatOutcome::Noted
        } else {
            HeartbeatOutcome::Stale
        }
    };
    Ok(heartbeats.iter().map(outcome).collect())
}

/// An attempt with a recorded heartbeat.
#[derive(FromRow)]
struct NotedRow {
    run_id: Uuid,
    handle: i64,
    attempt: i64,
}

fn worker(beat: &ActivityHeartbeat) -> Option<WorkerLease> {
    match beat.reporter {
        Reporter::Worker(worker) => Some(worker),
        Reporter::Token | Reporter::Expiry => None,
    }
}

fn columns(key: ActivityKey) -> (Uuid, i64) {
    (key.run_id.as_uuid(), handle(key.handle))
}
