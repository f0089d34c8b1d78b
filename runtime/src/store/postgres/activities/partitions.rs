//! Claims from partitioned queues.
//!
//! The partitions of a queue take turns as [`turns`](crate::store::turns) decides. A claim finds those that have due
//! calls by one index lookup each, from the one whose turn it is on, and stops when it has as many as it has places.
//! It reads no backlog: of each partition only the calls that it takes. Partitions that a limit keeps back cost a
//! lookup, too. A first look takes no lock, so a claim that finds nothing writes nothing. Then the queue's row is
//! locked, and everything is read again: every statement sees the attempts of claims that had the lock before.

use std::collections::BTreeMap;

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::model::Timestamp;
use crate::store::ends::key;
use crate::store::postgres::fragments::lock_worker;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, named_by, now};
use crate::store::rooms::Rooms;
use crate::store::rows::{
    CandidateRow, ClaimedActivityRow, PartitionedRow, UnderWayRow, WaitingRow, partitioned_columns,
};
use crate::store::turns::{MAX_SHARED, Partitioned, Shares, UnderWay, Waiting};
use crate::store::weight::Answer;
use crate::store::{ActivityKey, ClaimActivities, ClaimedActivities, ClaimedActivity};

const LOCK_WORKER: &str =
    concat!("SELECT 1 FROM ", now!(), " AS clock, piton_workers AS worker WHERE ", lock_worker!());

macro_rules! state {
    ($lock:literal) => {
        concat!(
            "SELECT ",
            partitioned_columns!(),
            ", clock.now FROM ",
            now!(),
            " AS clock, piton_partitioned_queues AS partitioned WHERE queue = $2",
            $lock
        )
    };
}

const STATE: &str = state!("");
const LOCKED_STATE: &str = state!(" FOR UPDATE OF partitioned");

const UNDER_WAY: &str = "SELECT attempt.partition, count(*) AS under_way FROM piton_workers AS worker \
    CROSS JOIN LATERAL (SELECT partition FROM piton_activities AS activity \
    WHERE activity.worker_id = worker.worker_id AND queue = $1) AS attempt GROUP BY attempt.partition";

/// The first partition with a waiting call of one of the activities.
macro_rules! first_partition {
    ($from:literal) => {
        concat!(
            "(SELECT min(first.partition) FROM unnest($3::text[]) AS known (name) CROSS JOIN LATERAL \
             (SELECT activity.partition FROM piton_activities AS activity WHERE activity.queue = $2 \
             AND activity.activity = known.name AND activity.partition ",
            $from,
            " AND activity.due_at IS NOT NULL ORDER BY activity.partition LIMIT 1) AS first)"
        )
    };
}

/// The partitions from `$4` on and up to `$5` that have a due call, that are not among the full ones `$6`, and whose
/// token bucket is full by `$7`.
const WAITING: &str = concat!(
    "WITH RECURSIVE ring AS (SELECT ",
    first_partition!(">= $4"),
    " AS partition UNION ALL SELECT ",
    first_partition!("> ring.partition"),
    " FROM ring WHERE ring.partition IS NOT NULL AND (ring.partition < $5) IS NOT FALSE) \
     SELECT ring.partition, coalesce(weight, 1) AS weight, full_at FROM ring LEFT JOIN LATERAL \
     (SELECT weight, full_at FROM piton_partitions AS known \
     WHERE known.queue = $2 AND known.partition = ring.partition LIMIT 1) AS known ON true \
     WHERE ring.partition IS NOT NULL AND (ring.partition < $5) IS NOT FALSE AND (full_at > $7) IS NOT TRUE \
     AND ring.partition NOT IN (SELECT unnest($6::text[])) \
     AND EXISTS (SELECT 1 FROM unnest($3::text[]) AS known (name) CROSS JOIN LATERAL \
     (SELECT 1 FROM piton_activities AS activity WHERE activity.queue = $2 AND activity.activity = known.name \
     AND activity.partition = ring.partition AND due_at <= $1 AND (expires_at > $1) IS NOT FALSE LIMIT 1) AS due) \
     LIMIT $8"
);

macro_rules! due_call {
    ($priority:literal, $order:literal) => {
        concat!(
            "(SELECT run_id, handle, activity.activity, priority, due_at, \
             octet_length(call) + coalesce(octet_length(details), 0) AS bytes FROM piton_activities AS activity \
             WHERE activity.queue = $2 AND activity.activity = known.name AND activity.partition = share.partition \
             AND ",
            $priority,
            " AND due_at <= $1 AND (expires_at > $1) IS NOT FALSE ORDER BY ",
            $order,
            " LIMIT share.count)"
        )
    };
}

const CANDIDATES: &str = concat!(
    "SELECT share.partition, candidate.run_id, candidate.handle, candidate.activity, candidate.bytes::bigint AS bytes, \
     candidate.priority, candidate.due_at \
     FROM unnest($4::text[], $5::bigint[]) WITH ORDINALITY AS share (partition, count, place) CROSS JOIN LATERAL \
     (SELECT either.* FROM unnest($3::text[]) AS known (name) CROSS JOIN LATERAL (",
    due_call!("priority = 0", "due_at, run_id, handle"),
    " UNION ALL ",
    due_call!("priority <> 0", "priority DESC, due_at, run_id, handle"),
    ") AS either ORDER BY priority DESC, due_at, run_id, handle LIMIT share.count) AS candidate \
     ORDER BY share.place, candidate.priority DESC, candidate.due_at, candidate.run_id, candidate.handle"
);

const TAKE: &str = concat!(
    "UPDATE piton_activities AS activity SET ",
    super::begun!("$1"),
    " FROM (SELECT activity.run_id, activity.handle FROM unnest($4::uuid[], $5::bigint[]) AS chosen (run_id, handle) \
     JOIN piton_activities AS activity ON ",
    named_by!("activity", "chosen", "handle"),
    " WHERE (activity.due_at <= $1) IS TRUE ORDER BY chosen.run_id, chosen.handle \
     FOR UPDATE OF activity SKIP LOCKED) AS due WHERE ",
    named_by!("activity", "due", "handle"),
    " RETURNING activity.run_id, activity.handle, queue, activity.activity, attempt, interruptions, call, details"
);

const TURN: &str = "UPDATE piton_partitioned_queues SET turn = $2, taken = $3 WHERE queue = $1";

const SPEND: &str = "INSERT INTO piton_partitions (queue, partition, full_at) \
    SELECT $1, spent.* FROM unnest($2::text[], $3::bigint[]) AS spent \
    ON CONFLICT (queue, partition) DO UPDATE SET full_at = excluded.full_at";

/// Full buckets are not kept.
const FORGET: &str =
    "DELETE FROM piton_partitions WHERE queue = $1 AND full_at <= $2 AND weight = 1";

/// The next due time, or when a token bucket has a token that has none now.
const NEXT: &str = "SELECT least((SELECT min(due_at) FROM piton_activities \
    WHERE queue = $2 AND partition <> '' AND due_at > $1), \
    (SELECT min(first.due_at) FROM unnest($3::text[]) AS known (name) CROSS JOIN LATERAL \
    (SELECT due_at FROM piton_activities AS activity WHERE activity.queue = $2 AND activity.activity = known.name \
    AND partition = '' AND due_at > $1 ORDER BY due_at LIMIT 1) AS first), \
    (SELECT min(full_at) - $4 FROM piton_partitions WHERE queue = $2 AND full_at > $5))";

/// A queue as a claim sees it.
struct Seen {
    queue: Partitioned,
    under_way: UnderWay,
    shares: Shares,
    now: Timestamp,
}

#[derive(FromRow)]
struct StateRow {
    #[sqlx(flatten)]
    queue: PartitionedRow,
    now: i64,
}

/// Takes due activities of one partitioned queue, as far as its limits allow.
pub(super) async fn claim(
    store: &PostgresStore,
    request: &ClaimActivities<'_>,
    queue: &str,
    (rooms, answer): (&mut Rooms<'_>, &mut Answer),
    claimed: &mut ClaimedActivities,
) -> Result<(), sqlx::Error> {
    let room = rooms.left_on(queue).min(MAX_SHARED);
    let activities = rooms.activities();
    if room == 0 || activities.is_empty() {
        return Ok(());
    }
    let asked = (queue, &activities[..], room);
    let mut lane = store.lanes.lane().await?;
    let mut seen = see(lane.get(), store.given_time(), STATE, asked).await?;
    lane.done();
    if !seen.shares.is_empty() {
        let mut transaction = Transaction::begin_in(&store.lanes).await?;
        let lock = sqlx::query(LOCK_WORKER)
            .bind(store.given_time())
            .bind(request.worker.worker_id.0)
            .bind(request.worker.epoch.0);
        if lock.fetch_optional(transaction.get()).await?.is_none() {
            // The next claim says so.
            return transaction.roll_back().await;
        }
        seen = see(transaction.get(), store.given_time(), LOCKED_STATE, asked).await?;
        let taken = take(transaction.get(), request, asked, &mut seen, (rooms, answer)).await?;
        match taken.is_empty() {
            true => transaction.roll_back().await?,
            false => transaction.commit().await?,
        }
        claimed.activities.extend(taken);
    }
    claimed.is_held_back |= seen.under_way.is_held_back(&seen.queue.limits);
    if rooms.left_on(queue) == 0 {
        return Ok(());
    }
    let next = match seen.shares.has_more() {
        true => Some(seen.now.as_micros()),
        false => {
            let limits = seen.queue.limits;
            let slack = limits.partition_rate.map_or(0, |rate| rate.slack());
            let mut lane = store.lanes.lane().await?;
            let next: Option<i64> = sqlx::query_scalar(NEXT)
                .bind(seen.now.as_micros())
                .bind(queue)
                .bind(&activities)
                .bind(slack)
                .bind(limits.full_by(seen.now).as_micros())
                .fetch_one(lane.get())
                .await?;
            lane.done();
            next
        }
    };
    claimed.next_due_at = claimed.next_due_at.into_iter().chain(next.map(Timestamp)).min();
    Ok(())
}

/// The due activities of a queue.
async fn see(
    connection: &mut PgConnection,
    now: Option<i64>,
    state: &'static str,
    (queue, activities, room): (&str, &[String], u32),
) -> Result<Seen, sqlx::Error> {
    let row: StateRow =
        sqlx::query_as(state).bind(now).bind(queue).fetch_one(&mut *connection).await?;
    let (partitioned, now) = (Partitioned::from(row.queue), Timestamp(row.now));
    let under_way: Vec<UnderWayRow> =
        sqlx::query_as(UNDER_WAY).bind(queue).fetch_all(&mut *connection).await?;
    let under_way = UnderWay::from(under_way);
    let mut seen = Seen { queue: partitioned, under_way, shares: Shares::default(), now };
    if seen.under_way.room(&seen.queue.limits) == 0 {
        return Ok(seen);
    }
    let full = seen.under_way.full(&seen.queue.limits);
    let turn = seen.queue.turn.partition.as_str();
    let mut waiting: Vec<Waiting> = Vec::new();
    for (from, before) in [(turn, None), ("", Some(turn))] {
        let limit = room as usize + 1 - waiting.len();
        if limit == 0 || before.is_some_and(str::is_empty) {
            break;
        }
        let rows: Vec<WaitingRow> = sqlx::query_as(WAITING)
            .bind(now.as_micros())
            .bind(queue)
            .bind(activities)
            .bind(from)
            .bind(before)
            .bind(&full)
            .bind(seen.queue.limits.full_by(now).as_micros())
            .bind(limit as i64)
            .fetch_all(&mut *connection)
            .await?;
        waiting.extend(rows.into_iter().map(Waiting::from));
    }
    seen.shares = seen.queue.share(waiting, &seen.under_way, room, now);
    Ok(seen)
}

/// Takes the shares of the partitions, as far as there is room.
async fn take(
    connection: &mut PgConnection,
    request: &ClaimActivities<'_>,
    (queue, activities, _): (&str, &[String], u32),
    seen: &mut Seen,
    (rooms, answer): (&mut Rooms<'_>, &mut Answer),
) -> Result<Vec<ClaimedActivity>, sqlx::Error> {
    let shares = &seen.shares.shares;
    let mut candidates: Vec<CandidateRow> = sqlx::query_as(CANDIDATES)
        .bind(seen.now.as_micros())
        .bind(queue)
        .bind(activities)
        .bind(shares.iter().map(|share| share.of.partition.as_str()).collect::<Vec<_>>())
        .bind(shares.iter().map(|share| i64::from(share.count)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await?;
    candidates.iter().for_each(|row| seen.shares.find(&row.partition));
    candidates.retain(|row| rooms.takes(answer, queue, &row.activity, row.bytes));
    let chosen = candidates.iter().map(|row| (row.run_id, row.handle));
    let (run_ids, handles): (Vec<Uuid>, Vec<i64>) = chosen.unzip();
    let taken: Vec<ClaimedActivityRow> = sqlx::query_as(TAKE)
        .bind(seen.now.as_micros())
        .bind(request.worker.worker_id.0)
        .bind(request.worker.epoch.0)
        .bind(run_ids)
        .bind(handles)
        .fetch_all(&mut *connection)
        .await?;
    let taken = taken.into_iter().map(ClaimedActivity::from);
    let mut taken: BTreeMap<ActivityKey, ClaimedActivity> =
        taken.map(|activity| (activity.key, activity)).collect();
    let mut in_order = Vec::with_capacity(taken.len());
    for row in candidates {
        if let Some(activity) = taken.remove(&key(row.run_id, row.handle)) {
            seen.under_way.begin(&row.partition);
            seen.shares.take(&row.partition);
            in_order.push(activity);
        }
    }
    if in_order.is_empty() {
        return Ok(in_order);
    }
    let turn = &seen.shares.turn;
    sqlx::query(TURN)
        .bind(queue)
        .bind(&turn.partition)
        .bind(i64::from(turn.taken))
        .execute(&mut *connection)
        .await?;
    if let Some(rate) = seen.queue.limits.partition_rate {
        let spent = seen.shares.spent(rate, seen.now).into_iter();
        let spent = spent.map(|(partition, full_at)| (partition, full_at.as_micros()));
        let (partitions, full): (Vec<String>, Vec<i64>) = spent.unzip();
        let now = seen.now.as_micros();
        sqlx::query(FORGET).bind(queue).bind(now).execute(&mut *connection).await?;
        let spend = sqlx::query(SPEND).bind(queue).bind(partitions).bind(full);
        spend.execute(connection).await?;
    }
    Ok(in_order)
}
