//! Relaying messages from the outbox to inboxes, or to the dead letters if there is no receiver.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use super::dead_letters::{find_holders, keep};
use super::inbox::{find_recipients, write};
use super::outbox::remove;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::postgres::promises::{do_work, end_promises};
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, kin, now};
use crate::store::relay::{Delivery, Parcel, Sorted};
use crate::store::rows::{Outbox, OutboxRow};
use crate::store::weight::fits;
use crate::store::{DeliveredMessage, MessageKey, RelayMessages, Relayed, Senders};

/// The longest waiting first, and then messages from the future: the clock was set back after they were sent.
const WAITING: &str = concat!(
    "SELECT run_id FROM ",
    now!(),
    " AS clock, LATERAL ((SELECT run_id FROM piton_outbox WHERE sent_at <= clock.now - $2 \
     ORDER BY sent_at LIMIT $3) UNION ALL (SELECT run_id FROM piton_outbox WHERE sent_at > clock.now \
     ORDER BY sent_at LIMIT $3) LIMIT $3) AS waiting"
);

/// Rows that do not fit in the response are not read. A successor's messages wait until those of the previous run
/// are gone.
const FIRST: &str = concat!(
    "SELECT run_id, seq, workflow_id, CASE WHEN ",
    fits!("sized"),
    " THEN message END AS message FROM (SELECT *, octet_length(message) AS bytes, \
     sum(octet_length(message)) OVER (ORDER BY place, seq ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT sender.place, outbox.* FROM unnest($1::uuid[]) WITH ORDINALITY AS sender (run_id, place) \
     CROSS JOIN LATERAL (SELECT run_id, seq, workflow_id, message FROM piton_outbox \
     WHERE piton_outbox.run_id = sender.run_id ORDER BY seq LIMIT $2) AS outbox \
     WHERE (SELECT true FROM piton_outbox AS before WHERE before.run_id = \
     (SELECT previous_run_id FROM piton_chains WHERE piton_chains.run_id = sender.run_id) LIMIT 1) IS NULL \
     ORDER BY place, seq LIMIT $2) AS outbox) AS sized ORDER BY place, seq"
);

pub(super) async fn relay(
    store: &PostgresStore,
    request: RelayMessages<'_>,
) -> Result<Relayed, StoreError> {
    let failed = failed("relay_messages");
    let (mut senders, mut has_others): (Vec<Uuid>, bool) = (Vec::new(), false);
    match request.senders {
        Senders::Runs(named) => senders.extend(named.iter().map(RunId::as_uuid)),
        Senders::WaitingFor(age) => {
            let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2);
            let mut lane = store.pool.lane().await.map_err(failed)?;
            senders = sqlx::query_scalar(WAITING)
                .bind(store.given_time())
                .bind(age)
                .bind(i64::from(request.limit))
                .fetch_all(lane.get())
                .await
                .map_err(failed)?;
            lane.done();
            has_others = senders.len() == request.limit as usize;
        }
    }
    let mut seen = HashSet::new();
    senders.retain(|sender| seen.insert(*sender));
    if senders.is_empty() {
        return Ok(Relayed::default());
    }
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let rows: Vec<OutboxRow> = sqlx::query_as(FIRST)
        .bind(senders)
        .bind(i64::from(request.limit) + 1)
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let Outbox { parcels, told, starts, awaits, closes, unreadable, has_more } =
        Outbox::read(rows, request.limit as usize);
    let is_idle = parcels.is_empty()
        && told.is_empty()
        && starts.is_empty()
        && awaits.is_empty()
        && closes.is_empty();
    let has_more = has_more || (has_others && !is_idle);
    let mut relayed = Relayed { unreadable, has_more, ..Relayed::default() };
    if parcels.is_empty() {
        transaction.roll_back().await.map_err(failed)?;
    } else {
        deliver(store, transaction, parcels, &mut relayed).await?;
    }
    do_work(store, told, "relay_messages").await?;
    kin::start_children(store, starts, &mut relayed).await?;
    kin::await_children(store, awaits, &mut relayed).await?;
    end_promises(store, &closes).await?;
    kin::close_runs(store, closes, &mut relayed).await?;
    Ok(relayed)
}

/// Puts messages into inboxes, within a transaction that has begun.
async fn deliver(
    store: &PostgresStore,
    mut transaction: Transaction,
    parcels: Vec<Parcel<MessageKey>>,
    relayed: &mut Relayed,
) -> Result<(), StoreError> {
    let failed = failed("relay_messages");
    let now = store.given_time();
    let holders = find_holders(transaction.get(), &parcels).await.map_err(failed)?;
    let recipients = find_recipients(now, transaction.get(), &holders.question()).await;
    let mut recipients = recipients.map_err(failed)??;
    let mut sorted = Sorted::of(parcels, &holders, &recipients);
    relayed.has_more |= sorted.leaves_some;
    let taken = take(transaction.get(), &sorted).await.map_err(failed)?;
    sorted.keep_taken(&taken);
    let Sorted { deliverable, undeliverable, .. } = sorted;
    let delivery = Delivery::of(deliverable, &mut recipients);
    let (woken, told) = recipients.grown();
    if !delivery.arrivals.is_empty() {
        let (arrivals, accepted) = (&delivery.arrivals, &delivery.accepted);
        write(now, transaction.get(), arrivals, accepted, (&woken, &told)).await?;
    }
    keep(transaction.get(), now, &undeliverable).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    for (key, run_id, seq) in delivery.delivered() {
        store.news.arrival(run_id, recipients.owner(run_id));
        relayed.delivered.push(DeliveredMessage { key: *key, run_id, seq });
    }
    if !woken.is_empty() {
        store.news.due();
    }
    let set_aside = undeliverable.into_iter().map(|(reason, parcel)| (parcel.key, reason));
    relayed.set_aside = set_aside.collect();
    Ok(())
}

/// Deletes the rows of messages with a destination, and returns which were still there.
async fn take(
    connection: &mut PgConnection,
    sorted: &Sorted<MessageKey>,
) -> Result<HashSet<MessageKey>, sqlx::Error> {
    let deliverable = sorted.deliverable.iter().map(|(_, parcel)| parcel.key);
    let undeliverable = sorted.undeliverable.iter().map(|(_, parcel)| parcel.key);
    remove(connection, deliverable.chain(undeliverable)).await
}
