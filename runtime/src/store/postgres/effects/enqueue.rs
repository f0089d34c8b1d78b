//! Putting activities on queues.

use sqlx::PgConnection;

use crate::model::{RunId, Timestamp};
use crate::store::contract::activities::limit_ms;
use crate::store::ends::handle;
use crate::store::failed_calls::item_columns;
use crate::store::postgres::{named_by, now};
use crate::store::promises::NewItem;
use crate::store::{ActivityKey, NewActivity};

const INSERT: &str = concat!(
    "INSERT INTO piton_activities (run_id, handle, due_at, expires_at, close_by, \
     schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call) \
     SELECT run_id, handle, greatest(clock.now, new.due_at), \
     least(greatest(clock.now, new.due_at) + schedule_to_start_ms * 1000, close_by), \
     close_by, schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call FROM ",
    now!(),
    " AS clock, unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
     $7::bigint[], $8::text[], $9::text[], $10::bytea[], $11::bigint[]) AS new (run_id, handle, \
     close_by, schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call, due_at)"
);

/// Only those that have a priority or a partition are written again.
const PLACES: &str = concat!(
    "UPDATE piton_activities AS activity SET priority = new.priority, partition = new.partition \
     FROM unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[]) AS new (run_id, handle, priority, partition) \
     WHERE ",
    named_by!("activity", "new", "handle")
);

/// In the order of their names, since two transactions may insert the same ones.
const PARTITIONED: &str = "INSERT INTO piton_partitioned_queues (queue) \
    SELECT DISTINCT queue FROM unnest($1::text[]) AS new (queue) ORDER BY queue ON CONFLICT (queue) DO NOTHING";

const MARK_ITEMS: &str = "UPDATE piton_activities AS activity \
    SET item_key = item.key, retention_ms = item.retention_ms, attempt = item.attempt \
    FROM unnest($1::uuid[], $2::text[], $3::bigint[], $5::bigint[]) AS item (id, key, retention_ms, attempt) \
    WHERE activity.run_id = item.id AND activity.handle = $4";

pub(super) async fn write(
    connection: &mut PgConnection,
    now: Option<i64>,
    new: &[(RunId, &NewActivity)],
) -> Result<(), sqlx::Error> {
    let limits = || new.iter().map(|(_, activity)| activity.limits);
    let due_at = new.iter().map(|(_, activity)| activity.due_at.map(Timestamp::as_micros));
    sqlx::query(INSERT)
        .bind(now)
        .bind(new.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
        .bind(new.iter().map(|(_, activity)| handle(activity.handle)).collect::<Vec<_>>())
        .bind(limits().map(|it| it.close_by.map(Timestamp::as_micros)).collect::<Vec<_>>())
        .bind(limits().map(|limits| limits.schedule_to_start.map(limit_ms)).collect::<Vec<_>>())
        .bind(limits().map(|limits| limits.start_to_close.map(limit_ms)).collect::<Vec<_>>())
        .bind(limits().map(|limits| limits.heartbeat.map(limit_ms)).collect::<Vec<_>>())
        .bind(new.iter().map(|(_, activity)| activity.queue.as_str()).collect::<Vec<_>>())
        .bind(new.iter().map(|(_, activity)| activity.activity.as_str()).collect::<Vec<_>>())
        .bind(new.iter().map(|(_, activity)| activity.call.as_slice()).collect::<Vec<_>>())
        .bind(due_at.collect::<Vec<_>>())
        .execute(&mut *connection)
        .await?;
    let placed: Vec<_> = new.iter().filter(|(_, activity)| activity.is_placed()).collect();
    if !placed.is_empty() {
        sqlx::query(PLACES)
            .bind(placed.iter().map(|(run_id, _)| run_id.as_uuid()).collect::<Vec<_>>())
            .bind(placed.iter().map(|(_, activity)| handle(activity.handle)).collect::<Vec<_>>())
            .bind(placed.iter().map(|(_, activity)| activity.priority).collect::<Vec<_>>())
            .bind(
                placed.iter().map(|(_, activity)| activity.partition.as_str()).collect::<Vec<_>>(),
            )
            .execute(&mut *connection)
            .await?;
    }
    let partitioned = placed.iter().filter(|(_, activity)| !activity.partition.is_empty());
    let partitioned: Vec<_> = partitioned.map(|(_, activity)| activity.queue.as_str()).collect();
    if !partitioned.is_empty() {
        sqlx::query(PARTITIONED).bind(partitioned).execute(connection).await?;
    }
    Ok(())
}

/// Writes items of queues.
pub(crate) async fn write_items(
    connection: &mut PgConnection,
    now: Option<i64>,
    items: &[NewItem],
) -> Result<(), sqlx::Error> {
    let new: Vec<_> = items.iter().map(|item| (item.id, &item.activity)).collect();
    write(&mut *connection, now, &new).await?;
    sqlx::query(MARK_ITEMS)
        .bind(items.iter().map(|item| item.id.as_uuid()).collect::<Vec<_>>())
        .bind(items.iter().map(|item| item_columns(item).0).collect::<Vec<_>>())
        .bind(items.iter().map(|item| item_columns(item).1).collect::<Vec<_>>())
        .bind(handle(ActivityKey::OF_ITEM))
        .bind(items.iter().map(|item| i64::from(item.attempts)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
