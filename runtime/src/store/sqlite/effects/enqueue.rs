//! Putting activities on queues.

use std::collections::HashSet;

use crate::model::{RunId, Timestamp};
use crate::store::NewActivity;
use crate::store::contract::activities::limit_ms;
use crate::store::ends::handle;
use crate::store::failed_calls::item_columns;
use crate::store::promises::NewItem;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::activities::first;
use crate::store::sqlite::script::{MAX_ROWS, Script};

/// When an activity is due: at once, or at its own time. Binds the time.
macro_rules! due {
    () => {
        "max(?, coalesce(column10, 0))"
    };
}

/// Binds the time twice.
const INSERT: &str = concat!(
    "INSERT INTO piton_activities (run_id, handle, due_at, expires_at, close_by, \
     schedule_to_start_ms, start_to_close_ms, heartbeat_ms, queue, activity, call) \
     SELECT column1, column2, ",
    due!(),
    ", ",
    first!(concat!(due!(), " + column4 * 1000"), "column3"),
    ", column3, column4, column5, column6, column7, column8, column9 FROM ("
);

pub(crate) fn add(script: &mut Script, new: &[(RunId, &NewActivity)], now: Timestamp) {
    for new in new.chunks(MAX_ROWS) {
        script.sql(INSERT).bind(now.as_micros()).bind(now.as_micros());
        script.values(10, new.iter(), |script, (run_id, activity)| {
            let limits = activity.limits;
            script
                .bind(run_id.as_uuid())
                .bind(handle(activity.handle))
                .bind(limits.close_by.map(Timestamp::as_micros))
                .bind(limits.schedule_to_start.map(limit_ms))
                .bind(limits.start_to_close.map(limit_ms))
                .bind(limits.heartbeat.map(limit_ms))
                .bind(activity.queue.clone())
                .bind(activity.activity.clone())
                .bind(activity.call.clone())
                .bind(activity.due_at.map(Timestamp::as_micros));
        });
        script.sql(") WHERE column1 IS NOT NULL; ");
        for (run_id, activity) in new.iter().filter(|(_, activity)| activity.is_placed()) {
            script.sql(PLACE).bind(activity.priority).bind(activity.partition.clone());
            script.bind(run_id.as_uuid()).bind(handle(activity.handle));
        }
        let partitioned = new.iter().filter(|(_, activity)| !activity.partition.is_empty());
        let queues: HashSet<&str> =
            partitioned.map(|(_, activity)| activity.queue.as_str()).collect();
        for queue in queues {
            script.sql(PARTITIONED).bind(queue.to_owned());
        }
    }
}

/// Only those that have a priority or a partition are written again.
const PLACE: &str =
    "UPDATE piton_activities SET priority = ?, partition = ? WHERE run_id = ? AND handle = ?; ";

pub(crate) const PARTITIONED: &str =
    "INSERT INTO piton_partitioned_queues (queue) VALUES (?) ON CONFLICT (queue) DO NOTHING; ";

const MARK_ITEM: &str = "UPDATE piton_activities SET item_key = ?, retention_ms = ?, attempt = ? \
    WHERE run_id = ? AND handle = ?; ";

/// Adds items of queues.
pub(crate) fn add_items(script: &mut Script, items: &[NewItem], now: Timestamp) {
    let new: Vec<_> = items.iter().map(|item| (item.id, &item.activity)).collect();
    add(script, &new, now);
    for item in items {
        let (key, retention_ms) = item_columns(item);
        script.sql(MARK_ITEM).bind(key.map(str::to_owned)).bind(retention_ms).bind(item.attempts);
        script.bind(item.id.as_uuid()).bind(handle(item.activity.handle));
    }
}

/// Notifies of the queues with new activities.
pub(crate) fn announce(store: &SqliteStore, new: &[(RunId, &NewActivity)]) {
    let queues: HashSet<&str> = new.iter().map(|(_, activity)| activity.queue.as_str()).collect();
    queues.into_iter().for_each(|queue| store.hub.announce_queued(queue));
}
