//! Claims from partitioned queues.
//!
//! The partitions of a queue take turns as [`turns`](crate::store::turns) decides. A claim finds those that have due
//! calls by one index lookup each, from the one whose turn it is on, and stops when it has as many as it has places.
//! It reads no backlog: of each partition only the calls that it takes. Partitions that a limit keeps back cost a
//! lookup, too. A first look takes no lock, so a claim that finds nothing writes nothing.

use sqlx::FromRow;

use crate::model::Timestamp;
use crate::store::ends::{handle, key};
use crate::store::rooms::Rooms;
use crate::store::rows::{
    CandidateRow, ClaimedActivityRow, PartitionedRow, UnderWayRow, WaitingRow, partitioned_columns,
};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::activities::{TAKE, TAKEN};
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::script::{Rows, Script};
use crate::store::sqlite::writer::Turn;
use crate::store::turns::{MAX_SHARED, Partitioned, Shares, UnderWay, Waiting};
use crate::store::weight::Answer;
use crate::store::{ClaimActivities, ClaimedActivities, ClaimedActivity};

const STATE: &str =
    concat!("SELECT ", partitioned_columns!(), " FROM piton_partitioned_queues WHERE queue = ?; ");

const UNDER_WAY: &str = "SELECT partition, count(*) AS under_way FROM piton_activities \
    INDEXED BY piton_activities_held \
    WHERE worker_id IN (SELECT worker_id FROM piton_workers) AND queue = ? GROUP BY partition";

/// The first partition with a waiting call of one of the activities.
macro_rules! first_partition {
    ($from:literal) => {
        concat!(
            "(SELECT min((SELECT partition FROM piton_activities INDEXED BY piton_activities_due \
             WHERE queue = (SELECT queue FROM asked) AND activity = known.value AND partition ",
            $from,
            " AND due_at IS NOT NULL ORDER BY partition LIMIT 1)) \
             FROM json_each((SELECT activities FROM asked)) AS known)"
        )
    };
}

/// The partitions from `turn` on and up to `before` that have a due call, that are not among the full ones, and whose
/// token bucket is full by `full_by`.
const WAITING: &str = concat!(
    "WITH RECURSIVE asked (queue, activities, turn, before, full_ones, full_by, now) AS (VALUES (?, ?, ?, ?, ?, ?, ?)), \
     ring (partition) AS (SELECT ",
    first_partition!(">= (SELECT turn FROM asked)"),
    " UNION ALL SELECT ",
    first_partition!("> ring.partition"),
    " FROM ring WHERE ring.partition IS NOT NULL \
     AND (ring.partition < (SELECT before FROM asked)) IS NOT FALSE) \
     SELECT ring.partition, coalesce(weight, 1) AS weight, full_at FROM ring LEFT JOIN piton_partitions AS known \
     ON known.queue = (SELECT queue FROM asked) AND known.partition = ring.partition \
     WHERE ring.partition IS NOT NULL AND (ring.partition < (SELECT before FROM asked)) IS NOT FALSE \
     AND (full_at > (SELECT full_by FROM asked)) IS NOT TRUE \
     AND ring.partition NOT IN (SELECT value FROM json_each((SELECT full_ones FROM asked))) \
     AND EXISTS (SELECT 1 FROM json_each((SELECT activities FROM asked)) AS known \
     WHERE EXISTS (SELECT 1 FROM piton_activities INDEXED BY piton_activities_due \
     WHERE queue = (SELECT queue FROM asked) AND activity = known.value AND partition = ring.partition \
     AND due_at IS NOT NULL AND due_at <= (SELECT now FROM asked) \
     AND (expires_at IS NULL OR expires_at > (SELECT now FROM asked)))) LIMIT ?"
);

macro_rules! due_calls {
    ($index:literal, $priority:literal, $order:literal) => {
        concat!(
            "SELECT * FROM (SELECT partition, run_id, handle, activity, priority, due_at, \
             length(call) + coalesce(length(details), 0) AS bytes FROM piton_activities INDEXED BY ",
            $index,
            " WHERE queue = ?1 AND activity = ?2 AND partition = ?3 AND due_at IS NOT NULL AND ",
            $priority,
            " AND due_at <= ?4 AND (expires_at IS NULL OR expires_at > ?4) ORDER BY ",
            $order,
            " LIMIT ?5)"
        )
    };
}

/// The due calls of one activity in one partition.
const CANDIDATES: &str = concat!(
    due_calls!("piton_activities_due", "priority = 0", "due_at, run_id, handle"),
    " UNION ALL ",
    due_calls!("piton_activities_urgent", "priority <> 0", "priority DESC, due_at, run_id, handle"),
);

const TURN: &str = "UPDATE piton_partitioned_queues SET turn = ?, taken = ? WHERE queue = ?; ";

/// Full buckets are not kept.
const FORGET: &str =
    "DELETE FROM piton_partitions WHERE queue = ? AND full_at <= ? AND weight = 1; ";

const SPEND: &str = "INSERT INTO piton_partitions (queue, partition, full_at) VALUES (?, ?, ?) \
    ON CONFLICT (queue, partition) DO UPDATE SET full_at = excluded.full_at; ";

/// The next due time, or when a token bucket has a token that has none now.
const NEXT: &str = "SELECT (SELECT min(due_at) FROM piton_activities INDEXED BY piton_activities_next \
    WHERE queue = ?1 AND partition <> '' AND due_at IS NOT NULL AND due_at > ?2) AS named, \
    (SELECT min((SELECT due_at FROM piton_activities INDEXED BY piton_activities_due WHERE queue = ?1 \
    AND activity = known.value AND partition = '' AND due_at IS NOT NULL AND due_at > ?2 ORDER BY due_at LIMIT 1)) \
    FROM json_each(?3) AS known) AS unnamed, \
    (SELECT min(full_at) - ?4 FROM piton_partitions WHERE queue = ?1 AND full_at > ?5) AS token";

#[derive(FromRow)]
struct NextRow {
    named: Option<i64>,
    unnamed: Option<i64>,
    token: Option<i64>,
}

/// What a claim asks of a queue.
struct Asked<'a> {
    queue: &'a str,
    activities: Vec<String>,
    room: u32,
    now: Moment,
}

/// A queue as a claim sees it.
struct Seen {
    queue: Partitioned,
    under_way: UnderWay,
    shares: Shares,
}

/// Who reads: anybody, or the only writer in its transaction.
enum Reader<'a> {
    Anybody(&'a SqliteStore),
    Writer(&'a mut Turn),
}

impl Reader<'_> {
    async fn read(&mut self, script: Script) -> Result<Rows, sqlx::Error> {
        match self {
            Self::Anybody(store) => store.read(script).await,
            Self::Writer(turn) => turn.go_on(script).await,
        }
    }
}

/// Takes due activities of one partitioned queue, as far as its limits allow.
pub(super) async fn claim(
    store: &SqliteStore,
    request: &ClaimActivities<'_>,
    (queue, now): (&str, Moment),
    (rooms, answer): (&mut Rooms<'_>, &mut Answer),
    claimed: &mut ClaimedActivities,
) -> Result<(), sqlx::Error> {
    let (activities, room) = (rooms.activities(), rooms.left_on(queue).min(MAX_SHARED));
    if room == 0 || activities.is_empty() {
        return Ok(());
    }
    let asked = Asked { queue, activities, room, now };
    let mut seen = see(&mut Reader::Anybody(store), &asked).await?;
    if !seen.shares.is_empty() {
        let mut turn = store.turn().await;
        let mut script = Script::new();
        script.sql("BEGIN IMMEDIATE");
        turn.begin(script).await?;
        seen = see(&mut Reader::Writer(&mut turn), &asked).await?;
        let taken = take(turn, request, &asked, &mut seen, (rooms, answer)).await?;
        claimed.activities.extend(taken);
    }
    claimed.is_held_back |= seen.under_way.is_held_back(&seen.queue.limits);
    if rooms.left_on(queue) == 0 {
        return Ok(());
    }
    if seen.shares.has_more() {
        claimed.next_due_at = Some(now.time);
        return Ok(());
    }
    let limits = seen.queue.limits;
    let mut script = Script::new();
    script.sql(NEXT).bind(queue.to_owned()).bind(now.as_micros()).bind(json(&asked.activities));
    script.bind(limits.partition_rate.map_or(0, |rate| rate.slack()));
    script.bind(limits.full_by(now.time).as_micros());
    let rows: Vec<NextRow> = store.read(script).await?.read(0)?;
    for next in rows {
        let times = next.named.into_iter().chain(next.unnamed).chain(next.token).map(Timestamp);
        claimed.next_due_at = claimed.next_due_at.into_iter().chain(times).min();
    }
    Ok(())
}

fn json(names: &[String]) -> String {
    serde_json::to_string(names).unwrap_or_default()
}

/// The due activities of a queue.
async fn see(reader: &mut Reader<'_>, asked: &Asked<'_>) -> Result<Seen, sqlx::Error> {
    let mut script = Script::new();
    script.sql(STATE).bind(asked.queue.to_owned());
    script.sql(UNDER_WAY).bind(asked.queue.to_owned());
    let mut rows = reader.read(script).await?;
    let state: Option<PartitionedRow> = rows.read(0)?.pop();
    let queue = Partitioned::from(state.ok_or(sqlx::Error::RowNotFound)?);
    let under_way = UnderWay::from(rows.read::<UnderWayRow>(1)?);
    let mut seen = Seen { queue, under_way, shares: Shares::default() };
    if seen.under_way.room(&seen.queue.limits) == 0 {
        return Ok(seen);
    }
    let full = json(&seen.under_way.full(&seen.queue.limits));
    let turn = seen.queue.turn.partition.clone();
    let mut waiting: Vec<Waiting> = Vec::new();
    for (from, before) in [(turn.clone(), None), (String::new(), Some(turn))] {
        let limit = asked.room as usize + 1 - waiting.len();
        if limit == 0 || before.as_ref().is_some_and(String::is_empty) {
            break;
        }
        let mut script = Script::new();
        script
            .sql(WAITING)
            .bind(asked.queue.to_owned())
            .bind(json(&asked.activities))
            .bind(from)
            .bind(before)
            .bind(full.clone())
            .bind(seen.queue.limits.full_by(asked.now.time).as_micros())
            .bind(asked.now.as_micros())
            .bind(limit as i64);
        let found: Vec<WaitingRow> = reader.read(script).await?.read(0)?;
        waiting.extend(found.into_iter().map(Waiting::from));
    }
    seen.shares = seen.queue.share(waiting, &seen.under_way, asked.room, asked.now.time);
    Ok(seen)
}

/// Takes the shares of the partitions, as far as there is room, and commits.
async fn take(
    mut turn: Turn,
    request: &ClaimActivities<'_>,
    asked: &Asked<'_>,
    seen: &mut Seen,
    (rooms, answer): (&mut Rooms<'_>, &mut Answer),
) -> Result<Vec<ClaimedActivity>, sqlx::Error> {
    let mut candidates = Vec::new();
    for share in &seen.shares.shares {
        candidates.extend(due_calls(&mut turn, asked, &share.of.partition, share.count).await?);
    }
    candidates.iter().for_each(|row| seen.shares.find(&row.partition));
    candidates.retain(|row| rooms.takes(answer, asked.queue, &row.activity, row.bytes));
    if candidates.is_empty() {
        turn.roll_back().await;
        return Ok(Vec::new());
    }
    let now = asked.now;
    let mut script = Script::new();
    script.sql(TAKE).bind(request.worker.worker_id.0).bind(request.worker.epoch.0);
    for _ in 0..5 {
        script.bind(now.as_micros());
    }
    script.bind_validity(request.worker, now);
    script.values(2, candidates.iter(), |script, row| {
        script.bind(row.run_id).bind(row.handle);
    });
    script.sql(TAKEN);
    let taken: Vec<ClaimedActivityRow> = turn.go_on(script).await?.read(0)?;
    let mut taken: Vec<ClaimedActivity> = taken.into_iter().map(Into::into).collect();
    let place = |taken: &ClaimedActivity| {
        let columns = (taken.key.run_id.as_uuid(), handle(taken.key.handle));
        candidates.iter().position(|row| (row.run_id, row.handle) == columns)
    };
    taken.sort_by_cached_key(place);
    for row in &candidates {
        if taken.iter().any(|taken| taken.key == key(row.run_id, row.handle)) {
            seen.under_way.begin(&row.partition);
            seen.shares.take(&row.partition);
        }
    }
    let next = &seen.shares.turn;
    let mut script = Script::new();
    script.sql(TURN).bind(next.partition.clone()).bind(next.taken);
    script.bind(asked.queue.to_owned());
    if let Some(rate) = seen.queue.limits.partition_rate {
        script.sql(FORGET).bind(asked.queue.to_owned()).bind(now.as_micros());
        for (partition, full_at) in seen.shares.spent(rate, now.time) {
            script.sql(SPEND).bind(asked.queue.to_owned()).bind(partition);
            script.bind(full_at.as_micros());
        }
    }
    script.sql("COMMIT");
    turn.commit(script).await?;
    Ok(taken)
}

/// The first due calls of a partition.
async fn due_calls(
    turn: &mut Turn,
    asked: &Asked<'_>,
    partition: &str,
    count: u32,
) -> Result<Vec<CandidateRow>, sqlx::Error> {
    let mut found: Vec<CandidateRow> = Vec::new();
    for activity in &asked.activities {
        let mut script = Script::new();
        script.sql(CANDIDATES).bind(asked.queue.to_owned()).bind(activity.clone());
        script.bind(partition.to_owned()).bind(asked.now.as_micros()).bind(count);
        found.extend(turn.go_on(script).await?.read::<CandidateRow>(0)?);
    }
    found.sort_unstable_by_key(CandidateRow::place);
    found.truncate(count as usize);
    Ok(found)
}
