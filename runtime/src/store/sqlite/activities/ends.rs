//! Attempts of queued activities: heartbeats and ends.

use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::ends::{AttemptRow, Ends, handle};
use crate::store::recipients::Question;
use crate::store::sqlite::activities::first;
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::effects;
use crate::store::sqlite::messages::{add_arrivals, add_counts, find_recipients};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, failed, failed_calls};
use crate::store::{
    ActivityHeartbeat, FinishActivity, FinishOutcome, HeartbeatOutcome, Reporter, RunEvent,
};

const ATTEMPTS: &str = "SELECT run_id, handle, attempt, worker_id, epoch, queue, \
    due_at IS NOT NULL AS waits, coalesce(expires_at <= ?, 0) AS expired, activity, item_key, retention_ms FROM piton_activities \
    WHERE (run_id, handle) IN (";

const REMOVE: &str = "DELETE FROM piton_activities WHERE (run_id, handle) IN (";

/// An attempt that waits for its token keeps its limits.
const LET_GO: &str = concat!(
    "UPDATE piton_activities SET worker_id = NULL, epoch = NULL, attempt = new.column4, \
     due_at = new.column3, details = coalesce(new.column5, details), \
     failure = coalesce(new.column6, failure), \
     failed_attempt = CASE WHEN new.column6 IS NULL THEN failed_attempt ELSE new.column4 END, \
     end_by = CASE WHEN new.column3 IS NULL THEN end_by END, \
     expires_at = CASE WHEN new.column3 IS NULL THEN expires_at ELSE ",
    first!("new.column3 + schedule_to_start_ms * 1000", "close_by"),
    " END FROM ("
);

const OF_ACTIVITY: &str = ") AS new WHERE piton_activities.run_id = new.column1 \
    AND piton_activities.handle = new.column2; ";

const REMOVE_KEYS: &str = "DELETE FROM piton_arrival_keys WHERE run_id = ?; ";

const INSERT_KEYS: &str = "INSERT INTO piton_arrival_keys (run_id, dedup_key) \
    SELECT column1, column2 FROM (";

const HEARTBEAT: &str = concat!(
    "UPDATE piton_activities SET details = coalesce(?, details), expires_at = ",
    first!("end_by", "? + heartbeat_ms * 1000"),
    " WHERE run_id = ? AND handle = ? AND attempt = ? AND due_at IS NULL"
);

const OF_WORKER: &str = " AND worker_id = ? AND epoch = ? AND EXISTS (";

pub(super) async fn finish(
    store: &SqliteStore,
    ends: Vec<FinishActivity>,
) -> Result<Vec<FinishOutcome>, StoreError> {
    let mut outcomes = Vec::with_capacity(ends.len());
    for ends in ends.chunks(MAX_ROWS) {
        outcomes.extend(finish_some(store, ends).await?);
    }
    Ok(outcomes)
}

async fn finish_some(
    store: &SqliteStore,
    ends: &[FinishActivity],
) -> Result<Vec<FinishOutcome>, StoreError> {
    let failed = failed("finish_activities");
    let mut turn = store.turn().await;
    let now = store.moment();
    let question = Question::of_ends(ends);
    let recipients = find_recipients(&mut turn, &question, now).await.map_err(failed)??;
    let mut script = Script::new();
    script.sql(ATTEMPTS).bind(now.as_micros()).values(2, ends.iter(), |script, end| {
        script.bind(end.key.run_id.as_uuid()).bind(handle(end.key.handle));
    });
    script.sql(")");
    let mut rows = turn.go_on(script).await.map_err(failed)?;
    let attempts: Vec<AttemptRow> = rows.read(0).map_err(failed)?;
    let mut decided = Ends::new(recipients, attempts);
    let outcomes: Vec<_> = ends.iter().map(|end| decided.accept(end.clone())).collect();
    let (woken, told) = decided.grown();
    let mut script = Script::new();
    if !decided.arrivals.is_empty() {
        add_arrivals(&mut script, &decided.arrivals, &decided.accepted, now.time)?;
        add_counts(&mut script, (&woken, &told), now.time);
    }
    add_changes(&mut script, &decided, now);
    let messages: Vec<_> = decided.messages.iter().map(|(key, message)| (*key, message)).collect();
    effects::send::add(&mut script, &messages, now.time)?;
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    for arrival in &decided.arrivals {
        store.hub.announce(RunEvent::Arrival(arrival.run_id));
    }
    decided.messages.iter().for_each(|(key, _)| store.hub.announce_sent(key.run_id));
    decided.queues.iter().for_each(|queue| store.hub.announce_queued(queue));
    decided.given_up.iter().for_each(|key| store.hub.announce_given_up(*key));
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    Ok(outcomes)
}

fn add_changes(script: &mut Script, decided: &Ends, now: Moment) {
    for failed in decided.failed.chunks(MAX_ROWS) {
        failed_calls::add(script, failed, now.time);
    }
    for detached in &decided.detached {
        script.sql(REMOVE_KEYS).bind(detached.as_uuid());
    }
    for removed in decided.removed.chunks(MAX_ROWS) {
        script.sql(REMOVE).values(2, removed.iter(), |script, key| {
            script.bind(key.run_id.as_uuid()).bind(handle(key.handle));
        });
        script.sql("); ");
    }
    for let_go in decided.let_go.chunks(MAX_ROWS) {
        script.sql(LET_GO).values(6, let_go.iter(), |script, activity| {
            script
                .bind(activity.key.run_id.as_uuid())
                .bind(handle(activity.key.handle))
                .bind(activity.due_at.map(Timestamp::as_micros))
                .bind(activity.attempt)
                .bind(activity.details.as_ref().map(|details| details.as_bytes().to_vec()))
                .bind(activity.failure.clone());
        });
        script.sql(OF_ACTIVITY);
    }
    for keys in decided.keys.chunks(MAX_ROWS) {
        script.sql(INSERT_KEYS).values(2, keys.iter(), |script, (run_id, key)| {
            script.bind(run_id.as_uuid()).bind(key.clone());
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
    }
}

/// One statement each, in one transaction.
pub(super) async fn heartbeat(
    store: &SqliteStore,
    heartbeats: Vec<ActivityHeartbeat>,
) -> Result<Vec<HeartbeatOutcome>, StoreError> {
    let failed = failed("heartbeat_activities");
    let mut outcomes = Vec::with_capacity(heartbeats.len());
    for heartbeats in heartbeats.chunks(MAX_ROWS) {
        let turn = store.turn().await;
        let now = store.moment();
        let mut script = Script::new();
        script.sql("BEGIN IMMEDIATE; ");
        for beat in heartbeats {
            add_heartbeat(&mut script, beat, now);
        }
        script.sql("COMMIT");
        let rows = turn.transact(script).await.map_err(failed)?;
        outcomes.extend((1..=heartbeats.len()).map(|at| match rows.any(at) {
            true => HeartbeatOutcome::Noted,
            false => HeartbeatOutcome::Stale,
        }));
    }
    Ok(outcomes)
}

fn add_heartbeat(script: &mut Script, beat: &ActivityHeartbeat, now: Moment) {
    script
        .sql(HEARTBEAT)
        .bind(beat.details.as_ref().map(|details| details.as_bytes().to_vec()))
        .bind(now.as_micros())
        .bind(beat.key.run_id.as_uuid())
        .bind(handle(beat.key.handle))
        .bind(i64::from(beat.attempt));
    match beat.reporter {
        Reporter::Token => {}
        Reporter::Expiry => {
            script.sql(" AND 0");
        }
        Reporter::Worker(worker) => {
            script.sql(OF_WORKER).bind(worker.worker_id.0).bind(worker.epoch.0);
            script.sql(IS_VALID).bind_validity(worker, now).sql(")");
        }
    }
    script.sql(" RETURNING 1; ");
}
