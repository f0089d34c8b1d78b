//! Queued activities: steps add and remove them, workers claim them.

mod ends;
mod partitions;

use std::cmp::Reverse;

use async_trait::async_trait;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::ends::{handle, key};
use crate::store::rooms::Rooms;
use crate::store::rows::{
    ActivityRow, ClaimedActivityRow, ExpiredRow, HeldRow, activity_columns,
    claimed_activity_columns, review,
};
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::workers::IS_VALID;
use crate::store::sqlite::{SqliteStore, failed};
use crate::store::weight::{Answer, fits};
use crate::store::{
    Activities, ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction,
    ClaimActivities, ClaimedActivities, ClaimedActivity, ExpiredActivity, FinishActivity,
    FinishOutcome, HeartbeatOutcome, ReviewedActivities, WorkerLease,
};

#[async_trait]
impl Activities for SqliteStore {
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        claim(self, request).await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        review_held(self, worker, held).await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        ends::heartbeat(self, heartbeats).await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        ends::finish(self, ends).await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        find_expired(self, limit).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        find(self, key).await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        crate::store::sqlite::transaction::begin(self).await
    }
}

/// The earliest of several times, some of which may be null; SQLite's own `min` is null if one of them is.
macro_rules! first {
    ($($time:expr),*) => {
        concat!(
            "nullif(min(9223372036854775807" $(, ", coalesce(", $time, ", 9223372036854775807)")*,
            "), 9223372036854775807)"
        )
    };
}
pub(crate) use first;

/// The next ones of each activity on one queue, past those whose limits have run out, which are for
/// the sweep.
const NEXT_OF_ACTIVITIES: &str = "SELECT activity.run_id, activity.handle, due_at, activity, priority, \
    length(call) + coalesce(length(details), 0) AS bytes FROM (";

macro_rules! on_queue {
    ($asked:expr) => {
        concat!(
            ") AS known CROSS JOIN piton_activities AS activity WHERE (activity.run_id, activity.handle) IN (",
            $asked,
            ") AND NOT EXISTS (SELECT 1 FROM piton_paused_queues AS paused WHERE paused.queue = activity.queue) \
             AND NOT EXISTS (SELECT 1 FROM piton_partitioned_queues AS partitioned \
             WHERE partitioned.queue = activity.queue)"
        )
    };
}

const ON_QUEUE: &str = on_queue!(
    "SELECT run_id, handle FROM piton_activities \
     WHERE queue = ? AND activity = known.column1 AND partition = '' AND due_at IS NOT NULL AND priority = 0 \
     AND (expires_at IS NULL OR expires_at > ?) ORDER BY due_at, run_id, handle LIMIT ?"
);

/// Those of a priority that are due, and the next one that will be.
const URGENT_ON_QUEUE: &str = on_queue!(
    "SELECT run_id, handle FROM (SELECT run_id, handle FROM piton_activities INDEXED BY piton_activities_urgent \
     WHERE queue = ? AND activity = known.column1 AND partition = '' AND due_at IS NOT NULL AND priority <> 0 AND due_at <= ? \
     AND (expires_at IS NULL OR expires_at > ?) ORDER BY priority DESC, due_at, run_id, handle LIMIT ?) \
     UNION ALL SELECT run_id, handle FROM (SELECT run_id, handle FROM piton_activities \
     INDEXED BY piton_activities_urgent \
     WHERE queue = ? AND activity = known.column1 AND partition = '' AND due_at IS NOT NULL AND priority <> 0 AND due_at > ? \
     AND (expires_at IS NULL OR expires_at > ?) ORDER BY due_at LIMIT 1)"
);

/// The partitioned queues that are not paused, which are left for [`partitions`].
const PARTITIONED: &str = "; SELECT queue FROM piton_partitioned_queues AS partitioned \
    WHERE NOT EXISTS (SELECT 1 FROM piton_paused_queues AS paused WHERE paused.queue = partitioned.queue)";

/// Assigns those that are still available, if the worker's lease is valid.
const TAKE: &str = concat!(
    "UPDATE piton_activities SET worker_id = ?, epoch = ?, due_at = NULL, attempt = attempt + 1, \
     end_by = ",
    first!("? + start_to_close_ms * 1000", "close_by"),
    ", expires_at = ",
    first!("? + start_to_close_ms * 1000", "close_by", "? + heartbeat_ms * 1000"),
    " WHERE due_at <= ? AND (expires_at IS NULL OR expires_at > ?) \
     AND EXISTS (SELECT 1 FROM piton_workers \
     WHERE worker_id = ? AND epoch = ? AND lease_expires_at > ?) AND (run_id, handle) IN ("
);

const TAKEN: &str = concat!(") RETURNING ", claimed_activity_columns!());

const HELD: &str = "SELECT run_id, handle, attempt, \
    length(call) + coalesce(length(details), 0) AS bytes FROM piton_activities \
    WHERE worker_id = ? AND epoch = ?";

const STRAYS: &str = concat!(
    "SELECT ",
    claimed_activity_columns!(),
    " FROM piton_activities WHERE worker_id = ? AND epoch = ? AND (run_id, handle) IN ("
);

/// Rows that do not fit in the response are not read.
const EXPIRED: &str = concat!(
    "SELECT run_id, handle, attempt, interruptions, due_at, end_by, close_by, call, ? AS now FROM \
     (SELECT *, sum(bytes) OVER (ORDER BY expires_at, run_id, handle) AS upto FROM \
     (SELECT *, length(call) AS bytes FROM piton_activities WHERE expires_at <= ? \
     ORDER BY expires_at LIMIT ?)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY expires_at, run_id, handle"
);

const FIND: &str = concat!(
    "SELECT ",
    activity_columns!(),
    " FROM piton_activities WHERE run_id = ? AND handle = ?"
);

/// A waiting activity, and the size of its part of a claim's response.
#[derive(FromRow)]
struct NextRow {
    run_id: Uuid,
    handle: i64,
    due_at: i64,
    activity: String,
    priority: i16,
    bytes: i64,
}

/// A claim that finds nothing must not take the write lock, so candidates are found by a read; the claim itself
/// checks each of them again.
pub(super) async fn claim(
    store: &SqliteStore,
    request: ClaimActivities<'_>,
) -> Result<ClaimedActivities, StoreError> {
    let now = store.moment();
    let (due, mut next_due_at, partitioned) = find_next(store, &request, now).await?;
    let mut claimed = ClaimedActivities { now: now.time, ..ClaimedActivities::default() };
    for candidates in due.chunks(MAX_ROWS) {
        let taken = take(store, &request, candidates, now).await?;
        if taken.len() < candidates.len() {
            // Another worker has claimed some, so there may be more.
            next_due_at = Some(now.time);
        }
        claimed.activities.extend(taken);
    }
    claimed.next_due_at = next_due_at;
    if !partitioned.is_empty() {
        let failed = failed("claim_activities");
        let (mut rooms, mut answer) = Rooms::after(&request, &claimed.activities);
        for queue in partitioned {
            let (queue, left) = ((&*queue, now), (&mut rooms, &mut answer));
            let claim = partitions::claim(store, &request, queue, left, &mut claimed);
            claim.await.map_err(failed)?;
        }
    }
    Ok(claimed)
}

/// Begins to ask for activities on a queue, of these names.
fn ask(script: &mut Script, sql: &str, queue: &str, activities: &[(&str, u32)]) {
    script.sql("; ").sql(NEXT_OF_ACTIVITIES).values(
        1,
        activities.iter(),
        |script, (activity, _)| {
            script.bind((*activity).to_owned());
        },
    );
    script.sql(sql).bind(queue.to_owned());
}

/// The activities to be taken, when the next of those left falls due for which there is room, and the partitioned
/// queues.
async fn find_next(
    store: &SqliteStore,
    request: &ClaimActivities<'_>,
    now: Moment,
) -> Result<(Vec<ActivityKey>, Option<Timestamp>, Vec<String>), StoreError> {
    let failed = failed("claim_activities");
    let (mut rooms, mut answer) = (Rooms::of(request), Answer::default());
    let mut script = Script::new();
    script.sql(IS_VALID).bind_validity(request.worker, now);
    let mut asked = Vec::new();
    for (queue, room) in request.queues {
        for activities in request.activities.chunks(MAX_ROWS) {
            let (queue, now) = (*queue, now.as_micros());
            // One more tells when the next falls due.
            let limit = i64::from(*room.min(&request.limit)) + 1;
            asked.extend([queue, queue]);
            ask(&mut script, ON_QUEUE, queue, activities);
            script.bind(now).bind(limit);
            ask(&mut script, URGENT_ON_QUEUE, queue, activities);
            script.bind(now).bind(now).bind(limit).bind(queue.to_owned()).bind(now).bind(now);
        }
    }
    script.sql(PARTITIONED);
    let mut rows = store.read(script).await.map_err(failed)?;
    if !rows.any(0) {
        return Err(StoreError::Fenced);
    }
    let partitioned: Vec<(String,)> = rows.read(asked.len() + 1).map_err(failed)?;
    let partitioned = partitioned.into_iter().map(|(queue,)| queue);
    let partitioned = partitioned.filter(|queue| asked.contains(&&**queue)).collect();
    let mut waiting: Vec<(NextRow, &str)> = Vec::new();
    for (at, queue) in asked.into_iter().enumerate() {
        let next: Vec<NextRow> = rows.read(at + 1).map_err(failed)?;
        waiting.extend(next.into_iter().map(|row| (row, queue)));
    }
    waiting.sort_unstable_by_key(|(row, _)| {
        (Reverse(row.priority), row.due_at, row.run_id, row.handle)
    });
    let (due, left): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(row, queue)| {
        row.due_at <= now.as_micros()
            && rooms.left(queue, &row.activity) > 0
            && answer.takes(usize::try_from(row.bytes).unwrap_or_default())
            && rooms.take(queue, &row.activity)
    });
    let next = left.iter().filter(|(row, queue)| rooms.left(queue, &row.activity) > 0);
    let next_due_at = next.map(|(row, _)| Timestamp(row.due_at)).min();
    let due = due.into_iter().map(|(row, _)| key(row.run_id, row.handle)).collect();
    Ok((due, next_due_at, partitioned))
}

async fn take(
    store: &SqliteStore,
    request: &ClaimActivities<'_>,
    candidates: &[ActivityKey],
    now: Moment,
) -> Result<Vec<ClaimedActivity>, StoreError> {
    let failed = failed("claim_activities");
    let mut script = Script::new();
    script.sql(TAKE).bind(request.worker.worker_id.0).bind(request.worker.epoch.0);
    for _ in 0..5 {
        script.bind(now.as_micros());
    }
    script.bind_validity(request.worker, now);
    script.values(2, candidates.iter(), |script, key| {
        script.bind(key.run_id.as_uuid()).bind(handle(key.handle));
    });
    script.sql(TAKEN);
    let mut rows = store.turn().await.run(script).await.map_err(failed)?;
    let taken: Vec<ClaimedActivityRow> = rows.read(0).map_err(failed)?;
    let mut taken: Vec<ClaimedActivity> = taken.into_iter().map(Into::into).collect();
    // The rows come in no particular order.
    let place = |activity: &ClaimedActivity| candidates.iter().position(|key| *key == activity.key);
    taken.sort_by_cached_key(place);
    Ok(taken)
}

pub(super) async fn review_held(
    store: &SqliteStore,
    worker: WorkerLease,
    held: &[(ActivityKey, u32)],
) -> Result<ReviewedActivities, StoreError> {
    let failed = failed("review_activities");
    let mut script = Script::new();
    script.sql(IS_VALID).bind_validity(worker, store.moment());
    script.sql("; ").sql(HELD).bind(worker.worker_id.0).bind(worker.epoch.0);
    let mut rows = store.read(script).await.map_err(failed)?;
    if !rows.any(0) {
        return Err(StoreError::Fenced);
    }
    let rows: Vec<HeldRow> = rows.read(1).map_err(failed)?;
    let (mut reviewed, strays) = review(rows, held);
    for strays in strays.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(STRAYS).bind(worker.worker_id.0).bind(worker.epoch.0);
        script.values(2, strays.iter(), |script, key| {
            script.bind(key.run_id.as_uuid()).bind(handle(key.handle));
        });
        script.sql(") ORDER BY run_id, handle");
        let rows = store.read(script).await;
        let rows = rows.and_then(|mut rows| rows.read::<ClaimedActivityRow>(0)).map_err(failed)?;
        reviewed.strays.extend(rows.into_iter().map(ClaimedActivity::from));
    }
    Ok(reviewed)
}

pub(super) async fn find_expired(
    store: &SqliteStore,
    limit: u32,
) -> Result<Vec<ExpiredActivity>, StoreError> {
    let now = store.time().as_micros();
    let mut script = Script::new();
    script.sql(EXPIRED).bind(now).bind(now).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<ExpiredRow>(0));
    let rows = rows.map_err(failed("expired_activities"))?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    store: &SqliteStore,
    key: ActivityKey,
) -> Result<Option<ActivityRecord>, StoreError> {
    let mut script = Script::new();
    script.sql(FIND).bind(key.run_id.as_uuid()).bind(handle(key.handle));
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<ActivityRow>(0));
    let row = rows.map_err(failed("find_activity"))?.pop();
    Ok(row.map(Into::into))
}
