//! Relaying messages from the outbox to inboxes, or to the dead letters if there is no receiver.

use std::collections::HashSet;
use std::time::Duration;

use uuid::Uuid;

use super::dead_letters::{add_letters, find_holders};
use super::inbox::{add_arrivals, add_counts, look_up};
use super::outbox::add_removal;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::relay::{Delivery, Parcel, Sorted};
use crate::store::rows::{Outbox, OutboxRow};
use crate::store::sqlite::clock::Moment;
use crate::store::sqlite::promises::{self, MAX_WORK};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::{SqliteStore, Turn, failed, kin};
use crate::store::weight::fits;
use crate::store::{DeliveredMessage, MessageKey, RelayMessages, Relayed, RunEvent, Senders};

/// The longest waiting first, and then messages from the future: the clock was set back after they were sent.
const WAITING: &str = "SELECT run_id FROM (SELECT run_id, sent_at FROM piton_outbox WHERE sent_at <= ?1 \
    UNION ALL SELECT run_id, sent_at FROM piton_outbox WHERE sent_at > ?2 ORDER BY sent_at LIMIT ?3)";

/// Rows that do not fit in the response are not read.
const FIRST: &str = concat!(
    "SELECT run_id, seq, workflow_id, CASE WHEN ",
    fits!("sized"),
    " THEN (SELECT message FROM piton_outbox AS outbox \
     WHERE outbox.run_id = sized.run_id AND outbox.seq = sized.seq) END AS message \
     FROM (SELECT *, sum(bytes) OVER (ORDER BY place, seq) AS upto FROM \
     (SELECT sender.column1 AS place, outbox.run_id, outbox.seq, outbox.workflow_id, \
     length(outbox.message) AS bytes FROM ("
);

/// `CROSS JOIN` fixes the order of the tables. A successor's messages wait until those of the previous run are
/// gone.
const OF_SENDERS: &str = ") AS sender CROSS JOIN piton_outbox AS outbox \
    ON outbox.run_id = sender.column2 \
    WHERE NOT EXISTS (SELECT 1 FROM piton_outbox AS before WHERE before.run_id = \
    (SELECT previous_run_id FROM piton_chains AS link WHERE link.run_id = sender.column2)) \
    ORDER BY sender.column1, outbox.seq LIMIT ?)) AS sized \
    ORDER BY place, seq";

pub(super) async fn relay(
    store: &SqliteStore,
    request: RelayMessages<'_>,
) -> Result<Relayed, StoreError> {
    let mut senders = match request.senders {
        Senders::Runs(senders) => senders.to_vec(),
        Senders::WaitingFor(age) => find_waiting(store, age).await?,
    };
    let is_page = matches!(request.senders, Senders::WaitingFor(_)) && senders.len() == MAX_ROWS;
    let mut seen = HashSet::new();
    senders.retain(|sender| seen.insert(*sender));
    let mut limit = request.limit as usize;
    let mut relayed = Relayed::default();
    for senders in senders.chunks(MAX_ROWS) {
        let some = relay_some(store, senders, limit.min(MAX_ROWS)).await?;
        let taken = some.delivered.len() + some.set_aside.len() + some.carried_out.len();
        limit = limit.saturating_sub(taken);
        relayed.carried_out.extend(some.carried_out);
        relayed.delivered.extend(some.delivered);
        relayed.set_aside.extend(some.set_aside);
        relayed.unreadable.extend(some.unreadable);
        relayed.has_more |= some.has_more;
        if relayed.has_more {
            break;
        }
    }
    let is_idle = relayed.delivered.is_empty()
        && relayed.set_aside.is_empty()
        && relayed.carried_out.is_empty();
    relayed.has_more |= is_page && !is_idle;
    Ok(relayed)
}

/// Every worker checks regularly, so this must not take the write lock.
async fn find_waiting(store: &SqliteStore, age: Duration) -> Result<Vec<RunId>, StoreError> {
    let now = store.time();
    let mut script = Script::new();
    script.sql(WAITING).bind((now - age).as_micros()).bind(now.as_micros()).bind(MAX_ROWS as i64);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(Uuid,)>(0));
    let rows = rows.map_err(failed("relay_messages"))?;
    Ok(rows.into_iter().map(|(run_id,)| run_id.into()).collect())
}

async fn relay_some(
    store: &SqliteStore,
    senders: &[RunId],
    limit: usize,
) -> Result<Relayed, StoreError> {
    let failed = failed("relay_messages");
    let mut turn = store.turn().await;
    let now = store.moment();
    let mut script = Script::new();
    script.sql("BEGIN IMMEDIATE; ").sql(FIRST);
    script.values(2, senders.iter().enumerate(), |script, (place, sender)| {
        script.bind(place as i64).bind(sender.as_uuid());
    });
    script.sql(OF_SENDERS).bind(limit as i64 + 1);
    let rows: Vec<OutboxRow> =
        turn.begin(script).await.and_then(|mut rows| rows.read(1)).map_err(failed)?;
    let Outbox { parcels, told, starts, awaits, closes, unreadable, has_more } =
        Outbox::read(rows, limit);
    let mut relayed = Relayed { unreadable, has_more, ..Relayed::default() };
    if parcels.is_empty() {
        turn.roll_back().await;
        drop(turn);
    } else {
        deliver(store, turn, now, parcels, &mut relayed).await?;
    }
    for told in told.chunks(MAX_WORK) {
        promises::do_some(store, told.to_vec(), "relay_messages").await?;
    }
    kin::start_children(store, starts, &mut relayed).await?;
    kin::await_children(store, awaits, &mut relayed).await?;
    promises::end_promises(store, &closes).await?;
    kin::close_runs(store, closes, &mut relayed).await?;
    Ok(relayed)
}

/// Puts messages into inboxes, within a transaction that has begun.
async fn deliver(
    store: &SqliteStore,
    mut turn: Turn,
    now: Moment,
    parcels: Vec<Parcel<MessageKey>>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    let failed = failed("relay_messages");
    let holders = find_holders(&mut turn, &parcels).await.map_err(failed)?;
    let mut recipients = look_up(&mut turn, &holders.question(), now).await.map_err(failed)??;
    let sorted = Sorted::of(parcels, &holders, &recipients);
    relayed.has_more |= sorted.leaves_some;
    let Sorted { deliverable, undeliverable, .. } = sorted;
    let mut keys: Vec<MessageKey> = deliverable.iter().map(|(_, parcel)| parcel.key).collect();
    keys.extend(undeliverable.iter().map(|(_, parcel)| parcel.key));
    let delivery = Delivery::of(deliverable, &mut recipients);
    let (woken, told) = recipients.grown();
    let mut script = Script::new();
    add_removal(&mut script, &keys);
    add_arrivals(&mut script, &delivery.arrivals, &delivery.accepted, now.time)?;
    add_counts(&mut script, (&woken, &told), now.time);
    add_letters(&mut script, &undeliverable, now.time)?;
    script.sql("COMMIT");
    turn.commit(script).await.map_err(failed)?;
    for (key, run_id, seq) in delivery.delivered() {
        store.hub.announce(RunEvent::Arrival(run_id));
        relayed.delivered.push(DeliveredMessage { key: *key, run_id, seq });
    }
    if !woken.is_empty() {
        store.hub.announce_due();
    }
    let set_aside = undeliverable.into_iter().map(|(reason, parcel)| (parcel.key, reason));
    relayed.set_aside = set_aside.collect();
    Ok(())
}
