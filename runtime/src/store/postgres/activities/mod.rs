//! Queued activities: steps add and remove them, workers claim them.

mod ends;
mod outcomes;
mod partitions;

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{FromRow as _, Row as _};
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::ends::handle;
use crate::store::postgres::server::takes_writes;
use crate::store::postgres::{PostgresStore, failed, named_by, now, workers};
use crate::store::rooms::Rooms;
use crate::store::rows::{
    ActivityRow, ClaimedActivityRow, ExpiredRow, HeldRow, activity_columns, review,
};
use crate::store::weight::fits;
use crate::store::{
    Activities, ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction,
    ClaimActivities, ClaimedActivities, ClaimedActivity, ExpiredActivity, FinishActivity,
    FinishOutcome, HeartbeatOutcome, ReviewedActivities, WorkerLease,
};

#[async_trait]
impl Activities for PostgresStore {
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        self.answered("claim_activities", claim(self, request)).await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        self.answered("review_activities", review_held(self, worker, held)).await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.asked("heartbeat_activities", ends::heartbeat(self, heartbeats)).await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        self.asked("finish_activities", ends::finish(self, ends)).await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        self.answered("expired_activities", find_expired(self, limit)).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        self.asked("find_activity", find(self, key)).await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        crate::store::postgres::lent::begin(self).await
    }
}

/// What becomes of an activity whose attempt begins.
macro_rules! begun {
    ($now:literal) => {
        concat!(
            "worker_id = $2, epoch = $3, due_at = NULL, attempt = attempt + 1, end_by = least(",
            $now,
            " + start_to_close_ms * 1000, close_by), expires_at = least(",
            $now,
            " + start_to_close_ms * 1000, close_by, ",
            $now,
            " + heartbeat_ms * 1000)"
        )
    };
}
use begun;

/// Checks, claims and finds the next due time in one statement. If nothing is due, it locks and writes nothing.
///
/// Each queue is searched for each activity, so that a backlog without capacity delays nothing else. Twice as many
/// as the queue has capacity for are considered, since other workers may be claiming the first. Candidates are
/// locked in the order of their due times, up to the capacity of their queue. Those that exceed the capacity of
/// their activity over all queues, or the total capacity, or do not fit in the response, are released. This may
/// leave capacity for others, which the response reports as due at once.
///
/// Partitioned queues are left for [`partitions`], and named in the response.
const TAKE: &str = concat!(
    "WITH clock AS MATERIALIZED ",
    now!(),
    ", valid AS MATERIALIZED (SELECT EXISTS (SELECT 1 FROM piton_workers, clock \
     WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now) AS is_valid), \
     asked AS MATERIALIZED (SELECT asked.*, (SELECT true FROM piton_partitioned_queues AS partitioned \
     WHERE partitioned.queue = asked.queue) AS is_partitioned FROM unnest($4::text[], $5::bigint[]) AS asked (queue, room) \
     WHERE (SELECT true FROM piton_paused_queues AS paused WHERE paused.queue = asked.queue) IS NULL), \
     served AS MATERIALIZED (SELECT queue, room FROM asked WHERE is_partitioned IS NULL), \
     known AS MATERIALIZED (SELECT * FROM unnest($6::text[], $7::bigint[]) AS known (name, room)), \
     next AS MATERIALIZED (SELECT min(first.due_at) AS due_at \
     FROM clock, served, known CROSS JOIN LATERAL (SELECT due_at FROM piton_activities AS activity \
     WHERE activity.queue = served.queue AND activity.activity = known.name AND activity.partition = '' \
     AND due_at IS NOT NULL AND (expires_at > clock.now) IS NOT FALSE \
     ORDER BY due_at LIMIT 1) AS first WHERE served.room > 0 AND known.room > 0 AND $8 > 0), \
     worker AS MATERIALIZED (SELECT clock.now FROM piton_workers AS worker, clock, next \
     WHERE worker_id = $2 AND epoch = $3 AND lease_expires_at > clock.now \
     AND next.due_at <= clock.now FOR KEY SHARE OF worker), \
     locked AS MATERIALIZED (SELECT first.* FROM worker, served CROSS JOIN LATERAL \
     (SELECT activity.run_id, activity.handle, activity.due_at, activity.priority, activity.queue, \
     activity.activity, candidate.room, \
     octet_length(activity.call) + coalesce(octet_length(activity.details), 0) AS bytes FROM \
     (SELECT found.*, known.room FROM known CROSS JOIN LATERAL \
     (SELECT run_id, handle FROM ((SELECT run_id, handle, priority, due_at FROM piton_activities AS activity \
     WHERE activity.queue = served.queue AND activity.activity = known.name AND activity.partition = '' AND priority = 0 \
     AND due_at <= worker.now AND (expires_at > worker.now) IS NOT FALSE \
     ORDER BY due_at, run_id, handle LIMIT CASE WHEN known.room < served.room \
     THEN known.room ELSE 2 * least(served.room, $8) END) UNION ALL \
     (SELECT run_id, handle, priority, due_at FROM piton_activities AS activity \
     WHERE activity.queue = served.queue AND activity.activity = known.name AND activity.partition = '' AND priority <> 0 \
     AND due_at <= worker.now AND (expires_at > worker.now) IS NOT FALSE \
     ORDER BY priority DESC, due_at, run_id, handle LIMIT CASE WHEN known.room < served.room \
     THEN known.room ELSE 2 * least(served.room, $8) END)) AS either \
     ORDER BY priority DESC, due_at, run_id, handle LIMIT CASE WHEN known.room < served.room \
     THEN known.room ELSE 2 * least(served.room, $8) END) AS found) \
     AS candidate JOIN piton_activities AS activity ON ",
    named_by!("activity", "candidate", "handle"),
    " WHERE (activity.due_at <= worker.now) IS TRUE \
     ORDER BY activity.priority DESC, activity.due_at, activity.run_id, activity.handle LIMIT served.room FOR UPDATE OF activity SKIP LOCKED) AS first), \
     due AS MATERIALIZED (SELECT run_id, handle, due_at, priority, queue, activity FROM \
     (SELECT *, sum(bytes) OVER (ORDER BY priority DESC, due_at, run_id, handle ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT * FROM \
     (SELECT *, row_number() OVER (PARTITION BY activity ORDER BY priority DESC, due_at, run_id, handle) AS place \
     FROM locked) AS locked WHERE place <= room ORDER BY priority DESC, due_at, run_id, handle LIMIT $8) AS placed) \
     AS sized WHERE ",
    fits!("sized"),
    "), taken AS (UPDATE piton_activities AS activity SET ",
    begun!("clock.now"),
    " FROM clock, due WHERE ",
    named_by!("activity", "due", "handle"),
    " RETURNING activity.run_id, activity.handle, activity.queue, activity.activity, attempt, \
     interruptions, call, details, due.due_at, due.priority), \
     rest AS MATERIALIZED (SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM due) THEN \
     (SELECT due_at FROM next) ELSE (SELECT min(first.due_at) \
     FROM clock, served, known CROSS JOIN LATERAL (SELECT due_at FROM piton_activities AS activity \
     WHERE activity.queue = served.queue AND activity.activity = known.name AND activity.partition = '' \
     AND due_at IS NOT NULL AND (expires_at > clock.now) IS NOT FALSE \
     AND (run_id, handle) NOT IN (SELECT run_id, handle FROM due) \
     ORDER BY due_at LIMIT 1) AS first \
     WHERE (SELECT count(*) FROM due WHERE due.queue = served.queue) < served.room \
     AND (SELECT count(*) FROM due WHERE due.activity = known.name) < known.room \
     AND (SELECT count(*) FROM due) < $8) END AS due_at) \
     SELECT clock.now, is_valid, rest.due_at AS next_due_at, \
     (SELECT array_agg(queue) FROM asked WHERE is_partitioned) AS partitioned, taken.* \
     FROM clock, valid, rest LEFT JOIN taken ON true ORDER BY taken.priority DESC, taken.due_at, run_id, handle"
);

const HELD: &str = "SELECT run_id, handle, attempt, \
    octet_length(call)::bigint + coalesce(octet_length(details), 0) AS bytes FROM piton_activities \
    WHERE worker_id = $1 AND epoch = $2";

const STRAYS: &str = concat!(
    "SELECT activity.run_id, activity.handle, queue, activity, attempt, interruptions, call, details \
     FROM unnest($1::uuid[], $2::bigint[]) AS stray (run_id, handle) \
     JOIN piton_activities AS activity ON ",
    named_by!("activity", "stray", "handle"),
    " WHERE worker_id IS NOT DISTINCT FROM $3 AND epoch = $4"
);

const EXPIRED: &str = concat!(
    "SELECT run_id, handle, attempt, interruptions, due_at, end_by, close_by, call, clock.now FROM ",
    now!(),
    " AS clock, LATERAL (SELECT *, octet_length(call) AS bytes, \
     sum(octet_length(call)) OVER (ROWS UNBOUNDED PRECEDING) AS upto \
     FROM (SELECT * FROM piton_activities WHERE expires_at <= clock.now \
     ORDER BY expires_at LIMIT $2) AS activity) AS sized WHERE ",
    fits!("sized")
);

const FIND: &str = concat!(
    "SELECT ",
    activity_columns!(),
    " FROM piton_activities WHERE ",
    takes_writes!(),
    " AND run_id = $1 AND handle = $2"
);

pub(super) async fn claim(
    store: &PostgresStore,
    request: ClaimActivities<'_>,
) -> Result<ClaimedActivities, StoreError> {
    let failed = failed("claim_activities");
    let columns = |rooms: &[(&'_ str, u32)]| -> (Vec<String>, Vec<i64>) {
        rooms.iter().map(|(name, room)| ((*name).to_owned(), i64::from(*room))).unzip()
    };
    let (queues, queue_rooms) = columns(request.queues);
    let (activities, activity_rooms) = columns(request.activities);
    let mut lane = store.lanes.lane().await.map_err(failed)?;
    let rows = sqlx::query(TAKE)
        .bind(store.given_time())
        .bind(request.worker.worker_id.0)
        .bind(request.worker.epoch.0)
        .bind(queues)
        .bind(queue_rooms)
        .bind(activities)
        .bind(activity_rooms)
        .bind(i64::from(request.limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    let mut claimed = read_claim(&rows).map_err(failed)?.ok_or(StoreError::Fenced)?;
    let partitioned = rows[0].try_get::<Option<Vec<String>>, _>("partitioned").map_err(failed)?;
    if let Some(queues) = partitioned {
        let (mut rooms, mut answer) = Rooms::after(&request, &claimed.activities);
        for queue in queues {
            let left = (&mut rooms, &mut answer);
            partitions::claim(store, &request, &queue, left, &mut claimed).await.map_err(failed)?;
        }
    }
    Ok(claimed)
}

/// Every row has the same columns about the claim. If nothing was claimed, there is one row without an activity.
fn read_claim(rows: &[PgRow]) -> Result<Option<ClaimedActivities>, sqlx::Error> {
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    if !first.try_get::<bool, _>("is_valid")? {
        return Ok(None);
    }
    let is_taken = first.try_get::<Option<Uuid>, _>("run_id")?.is_some();
    let taken = rows.iter().filter(|_| is_taken).map(ClaimedActivityRow::from_row);
    Ok(Some(ClaimedActivities {
        activities: taken.map(|row| row.map(Into::into)).collect::<Result<_, _>>()?,
        next_due_at: first.try_get::<Option<i64>, _>("next_due_at")?.map(Timestamp),
        is_held_back: false,
        now: Timestamp(first.try_get("now")?),
    }))
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
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<HeldRow> = sqlx::query_as(HELD)
        .bind(worker.worker_id.0)
        .bind(worker.epoch.0)
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    let (mut reviewed, strays) = review(rows, held);
    if !strays.is_empty() {
        let strays = strays.iter().map(|key| (key.run_id.as_uuid(), handle(key.handle)));
        let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = strays.unzip();
        let mut lane = store.pool.lane().await.map_err(failed)?;
        let rows: Vec<ClaimedActivityRow> = sqlx::query_as(STRAYS)
            .bind(run_ids)
            .bind(handles)
            .bind(worker.worker_id.0)
            .bind(worker.epoch.0)
            .fetch_all(lane.get())
            .await
            .map_err(failed)?;
        lane.done();
        reviewed.strays = rows.into_iter().map(ClaimedActivity::from).collect();
        // Here, because the server would read the whole index for it.
        reviewed.strays.sort_unstable_by_key(|stray| stray.key);
    }
    Ok(reviewed)
}

pub(super) async fn find_expired(
    store: &PostgresStore,
    limit: u32,
) -> Result<Vec<ExpiredActivity>, StoreError> {
    let mut lane = store.pool.lane().await.map_err(failed("expired_activities"))?;
    let rows: Vec<ExpiredRow> = sqlx::query_as(EXPIRED)
        .bind(store.given_time())
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed("expired_activities"))?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    store: &PostgresStore,
    key: ActivityKey,
) -> Result<Option<ActivityRecord>, StoreError> {
    let mut lane = store.pool.lane().await.map_err(failed("find_activity"))?;
    let row: Option<ActivityRow> = sqlx::query_as(FIND)
        .bind(key.run_id.as_uuid())
        .bind(handle(key.handle))
        .fetch_optional(lane.get())
        .await
        .map_err(failed("find_activity"))?;
    lane.done();
    Ok(row.map(Into::into))
}
