//! Activities on queues: they come and go with steps, and workers take them.

use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use super::{PostgresStore, failed, now, workers};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::activities::limit_ms;
use crate::store::activity_rows::{ActivityRow, ClaimedActivityRow, ExpiredRow, HeldRow, review};
use crate::store::ends::{handle, key};
use crate::store::{
    ActivityKey, ActivityRecord, ClaimActivities, ClaimedActivities, ClaimedActivity, CommitStep,
    ExpiredActivity, ReviewedActivities, WorkerLease,
};

const INSERT: &str = concat!(
    "INSERT INTO piton_activities (run_id, handle, due_at, expires_at, close_by, \
     schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call) \
     SELECT run_id, handle, clock.now, least(clock.now + schedule_to_start_ms * 1000, close_by), \
     close_by, schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
     $7::bigint[], $8::text[], $9::text[], $10::bytea[]) AS new (run_id, handle, close_by, \
     schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call)"
);

const REMOVE: &str = "DELETE FROM piton_activities AS activity \
    USING unnest($1::uuid[], $2::bigint[]) AS gone (run_id, handle) \
    WHERE activity.run_id = gone.run_id AND activity.handle = gone.handle \
    RETURNING activity.run_id, activity.handle, worker_id IS NOT NULL";

const REMOVE_ALL: &str = "DELETE FROM piton_activities WHERE run_id = $1 \
    RETURNING run_id, handle, worker_id IS NOT NULL";

/// The time, whether the worker may make attempts, and when the next one falls due. What has run
/// out is for the sweep.
const LOOK: &str = concat!(
    "SELECT clock.now, EXISTS (SELECT 1 FROM piton_workers WHERE worker_id = $2 AND epoch = $3 \
     AND lease_expires_at > clock.now), \
     (SELECT min(next.due_at) FROM unnest($4::text[]) AS served (queue) CROSS JOIN LATERAL \
     (SELECT due_at FROM piton_activities AS activity WHERE activity.queue = served.queue \
     AND due_at IS NOT NULL AND activity.activity = ANY ($5) \
     AND (expires_at > clock.now) IS NOT FALSE ORDER BY due_at LIMIT 1) AS next) FROM ",
    now!(),
    " AS clock"
);

/// A list for each queue, so that a backlog of one does not slow the others.
const TAKE: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", worker AS MATERIALIZED (SELECT worker_id, epoch FROM piton_workers AS worker, clock \
     WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now FOR SHARE OF worker), \
     due AS MATERIALIZED (SELECT next.* FROM clock, worker, \
     unnest($4::text[], $5::bigint[]) AS served (queue, room) CROSS JOIN LATERAL \
     (SELECT run_id, handle, due_at FROM piton_activities AS activity \
     WHERE activity.queue = served.queue AND due_at <= clock.now AND activity.activity = ANY ($6) \
     AND (expires_at > clock.now) IS NOT FALSE \
     ORDER BY due_at, run_id, handle LIMIT served.room FOR UPDATE SKIP LOCKED) AS next), \
     taken AS (UPDATE piton_activities AS activity SET worker_id = $2, epoch = $3, due_at = NULL, \
     attempt = attempt + 1, end_by = least(clock.now + start_to_close_ms * 1000, close_by), \
     expires_at = least(clock.now + start_to_close_ms * 1000, close_by, \
     clock.now + heartbeat_ms * 1000) FROM clock, due \
     WHERE activity.run_id = due.run_id AND activity.handle = due.handle \
     RETURNING activity.run_id, activity.handle, queue, attempt, interruptions, call, details, \
     due.due_at) \
     SELECT * FROM taken ORDER BY due_at, run_id, handle"
);

const HELD: &str = "SELECT run_id, handle, attempt FROM piton_activities \
    WHERE worker_id = $1 AND epoch = $2";

const STRAYS: &str = "SELECT run_id, handle, queue, attempt, interruptions, call, details \
    FROM unnest($1::uuid[], $2::bigint[]) AS stray (run_id, handle) \
    JOIN piton_activities AS activity USING (run_id, handle) WHERE worker_id = $3 AND epoch = $4";

const EXPIRED: &str = concat!(
    "SELECT run_id, handle, attempt, interruptions, due_at, end_by, close_by, call, clock.now FROM ",
    now!(),
    " AS clock, LATERAL (SELECT * FROM piton_activities WHERE expires_at <= clock.now \
     ORDER BY expires_at LIMIT $2) AS activity"
);

const FIND: &str = "SELECT run_id, handle, queue, activity, attempt, interruptions, worker_id, \
    epoch, due_at, expires_at, call, details FROM piton_activities WHERE run_id = $1 AND handle = $2";

/// What a commit has made of activities, to be told once it is durable.
#[derive(Default)]
pub(super) struct Changes {
    queues: Vec<String>,
    given_up: Vec<ActivityKey>,
}

impl Changes {
    pub(super) fn announce(self, store: &PostgresStore) {
        self.queues.iter().for_each(|queue| store.news.queued(queue));
        self.given_up.into_iter().for_each(|key| store.news.given_up(key));
    }
}

/// Writes what these steps, which were committed, ask for and give up.
pub(super) async fn change<'a>(
    connection: &mut PgConnection,
    store: &PostgresStore,
    steps: impl Iterator<Item = &'a CommitStep> + Clone,
) -> Result<Changes, sqlx::Error> {
    let mut changes = Changes::default();
    let new: Vec<_> = steps
        .clone()
        .flat_map(|step| step.activities.iter().map(|activity| (step.run_id, activity)))
        .collect();
    if !new.is_empty() {
        let limits = || new.iter().map(|(_, activity)| activity.limits);
        sqlx::query(INSERT)
            .bind(store.given_time())
            .bind(new.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
            .bind(new.iter().map(|(_, activity)| handle(activity.handle)).collect::<Vec<_>>())
            .bind(
                limits()
                    .map(|limits| limits.close_by.map(Timestamp::as_micros))
                    .collect::<Vec<_>>(),
            )
            .bind(limits().map(|limits| limits.schedule_to_start.map(limit_ms)).collect::<Vec<_>>())
            .bind(limits().map(|limits| limits.start_to_close.map(limit_ms)).collect::<Vec<_>>())
            .bind(limits().map(|limits| limits.heartbeat.map(limit_ms)).collect::<Vec<_>>())
            .bind(new.iter().map(|(_, activity)| activity.queue.as_str()).collect::<Vec<_>>())
            .bind(new.iter().map(|(_, activity)| activity.activity.as_str()).collect::<Vec<_>>())
            .bind(new.iter().map(|(_, activity)| activity.call.as_slice()).collect::<Vec<_>>())
            .execute(&mut *connection)
            .await?;
        changes.queues = new.iter().map(|(_, activity)| activity.queue.clone()).collect();
        changes.queues.sort_unstable();
        changes.queues.dedup();
    }
    let mut gone: Vec<_> = steps
        .flat_map(|step| step.given_up.iter().map(|gone| (step.run_id.as_uuid(), handle(*gone))))
        .collect();
    if !gone.is_empty() {
        gone.sort_unstable();
        let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = gone.into_iter().unzip();
        changes.given_up = being_made(
            sqlx::query_as(REMOVE).bind(run_ids).bind(handles).fetch_all(connection).await?,
        );
    }
    Ok(changes)
}

/// Removes the activities of a run that was closed from outside.
pub(super) async fn remove_all(
    connection: &mut PgConnection,
    run_id: RunId,
) -> Result<Changes, sqlx::Error> {
    let removed = sqlx::query_as(REMOVE_ALL).bind(run_id.as_uuid()).fetch_all(connection).await?;
    Ok(Changes { queues: Vec::new(), given_up: being_made(removed) })
}

/// Those of the removed activities that somebody works at.
fn being_made(removed: Vec<(Uuid, i64, bool)>) -> Vec<ActivityKey> {
    let busy = removed.into_iter().filter(|(.., busy)| *busy);
    busy.map(|(run_id, handle, _)| key(run_id, handle)).collect()
}

pub(super) async fn claim(
    store: &PostgresStore,
    request: ClaimActivities<'_>,
) -> Result<ClaimedActivities, StoreError> {
    let failed = failed("claim_activities");
    let (now, valid, next_due_at) = look(store, &request).await.map_err(failed)?;
    if !valid {
        return Err(StoreError::Fenced);
    }
    let mut claimed = ClaimedActivities { activities: Vec::new(), next_due_at, now };
    let has_room = request.queues.iter().any(|(_, room)| *room > 0);
    if has_room && next_due_at.is_some_and(|due_at| due_at <= now) {
        let (queues, room): (Vec<&str>, Vec<i64>) =
            request.queues.iter().map(|(queue, room)| (*queue, i64::from(*room))).unzip();
        let mut lane = store.lanes.lane().await.map_err(failed)?;
        let taken: Vec<ClaimedActivityRow> = sqlx::query_as(TAKE)
            .bind(store.given_time())
            .bind(request.worker.worker_id.0)
            .bind(request.worker.epoch.0)
            .bind(queues)
            .bind(room)
            .bind(request.activities)
            .fetch_all(lane.get())
            .await
            .map_err(failed)?;
        lane.done();
        claimed.activities = taken.into_iter().map(Into::into).collect();
        claimed.next_due_at = look(store, &request).await.map_err(failed)?.2;
    }
    Ok(claimed)
}

async fn look(
    store: &PostgresStore,
    request: &ClaimActivities<'_>,
) -> Result<(Timestamp, bool, Option<Timestamp>), sqlx::Error> {
    let queues: Vec<&str> = request.queues.iter().map(|(queue, _)| *queue).collect();
    let row = sqlx::query(LOOK)
        .bind(store.given_time())
        .bind(request.worker.worker_id.0)
        .bind(request.worker.epoch.0)
        .bind(queues)
        .bind(request.activities)
        .fetch_one(&store.pool)
        .await?;
    let next_due_at = row.try_get::<Option<i64>, _>(2)?.map(Timestamp);
    Ok((Timestamp(row.try_get(0)?), row.try_get(1)?, next_due_at))
}

pub(super) async fn review_held(
    store: &PostgresStore,
    worker: WorkerLease,
    held: &[(ActivityKey, u32)],
) -> Result<ReviewedActivities, StoreError> {
    let failed = failed("review_activities");
    if !workers::is_valid(store, worker).await.map_err(failed)? {
        return Err(StoreError::Fenced);
    }
    let rows: Vec<HeldRow> = sqlx::query_as(HELD)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .fetch_all(&store.pool)
        .await
        .map_err(failed)?;
    let (mut reviewed, strays) = review(rows, held);
    if !strays.is_empty() {
        let strays = strays.iter().map(|key| (key.run_id.as_uuid(), handle(key.handle)));
        let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = strays.unzip();
        let rows: Vec<ClaimedActivityRow> = sqlx::query_as(STRAYS)
            .bind(run_ids)
            .bind(handles)
            .bind(worker.worker_id.0)
            .bind(worker.epoch.0)
            .fetch_all(&store.pool)
            .await
            .map_err(failed)?;
        reviewed.strays = rows.into_iter().map(ClaimedActivity::from).collect();
    }
    Ok(reviewed)
}

pub(super) async fn find_expired(
    store: &PostgresStore,
    limit: u32,
) -> Result<Vec<ExpiredActivity>, StoreError> {
    let rows: Vec<ExpiredRow> = sqlx::query_as(EXPIRED)
        .bind(store.given_time())
        .bind(i64::from(limit))
        .fetch_all(&store.pool)
        .await
        .map_err(failed("expired_activities"))?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    store: &PostgresStore,
    key: ActivityKey,
) -> Result<Option<ActivityRecord>, StoreError> {
    let row: Option<ActivityRow> = sqlx::query_as(FIND)
        .bind(key.run_id.as_uuid())
        .bind(handle(key.handle))
        .fetch_optional(&store.pool)
        .await
        .map_err(failed("find_activity"))?;
    Ok(row.map(Into::into))
}
