//! Dead letters: storing, listing, redelivering and deleting them.

use std::collections::HashMap;

use super::inbox::{add_arrivals, add_counts, look_up};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::relay::{
    Delivery, HolderRow, Holders, Parcel, Sorted, redelivered, workflow_ids,
};
use crate::store::rows::{LetterRow, first_of, letter_columns, write_arrival, write_reason};
use crate::store::sqlite::script::{MAX_ROWS, Script};
use crate::store::sqlite::{SqliteStore, Turn, failed};
use crate::store::weight::fits;
use crate::store::{
    DeadLetter, DeadLetterFilter, DeadLetterId, DeadLetterReason, MessageKey, RedeliverOutcome,
    RunEvent,
};

const HOLDERS: &str = concat!(
    "SELECT held.*, ",
    first_of!("held.open"),
    " AS first FROM (SELECT asked.column1 AS workflow_id, \
     (SELECT run_id FROM piton_runs WHERE workflow_id = asked.column1 AND closed_at IS NULL) \
     AS open, EXISTS (SELECT 1 FROM piton_runs WHERE workflow_id = asked.column1 \
     AND closed_at IS NOT NULL) AS is_known FROM ("
);

const INSERT: &str = "INSERT INTO piton_dead_letters \
    (workflow_id, arrival, sender_id, sender_seq, reason, set_aside_at) \
    SELECT column1, column2, column3, column4, column5, ? FROM (";

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    letter_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY letter_id) AS upto FROM \
     (SELECT *, length(arrival) + length(reason) AS bytes FROM piton_dead_letters \
     WHERE (?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR run_id = ?2) \
     AND letter_id > coalesce(?3, 0) ORDER BY letter_id LIMIT ?4)) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY letter_id"
);

const TAKE: &str =
    concat!("SELECT ", letter_columns!(), " FROM piton_dead_letters WHERE letter_id IN (");

const REMOVE: &str = "DELETE FROM piton_dead_letters WHERE letter_id IN (";

/// Looks up, within the transaction, the runs that have the workflow ids of messages.
pub(super) async fn find_holders<K>(
    turn: &mut Turn,
    parcels: &[Parcel<K>],
) -> Result<Holders, sqlx::Error> {
    let workflow_ids = workflow_ids(parcels);
    let mut script = Script::new();
    script.sql(HOLDERS).values(1, workflow_ids.into_iter(), |script, id| {
        script.bind(id.to_owned());
    });
    script.sql(") AS asked WHERE asked.column1 IS NOT NULL) AS held");
    let rows: Vec<HolderRow> = turn.go_on(script).await?.read(0)?;
    Ok(Holders::of(rows))
}

/// Stores messages without a receiver as dead letters.
pub(super) fn add_letters(
    script: &mut Script,
    letters: &[(DeadLetterReason, Parcel<MessageKey>)],
    now: Timestamp,
) -> Result<(), StoreError> {
    if letters.is_empty() {
        return Ok(());
    }
    let arrivals: Result<Vec<_>, _> =
        letters.iter().map(|(_, parcel)| write_arrival(&parcel.arrival)).collect();
    let letters = letters.iter().zip(arrivals?);
    script.sql(INSERT).bind(now.as_micros());
    script.values(5, letters, |script, ((reason, parcel), arrival)| {
        let MessageKey { run_id, seq } = parcel.key;
        script.bind(parcel.workflow_id.clone()).bind(arrival);
        script.bind(run_id.as_uuid()).bind(seq).bind(write_reason(reason));
    });
    script.sql(") WHERE column1 IS NOT NULL; ");
    Ok(())
}

pub(super) async fn list(
    store: &SqliteStore,
    filter: &DeadLetterFilter,
    after: Option<DeadLetterId>,
    limit: u32,
) -> Result<Vec<DeadLetter>, StoreError> {
    let mut script = Script::new();
    script.sql(LIST).bind(filter.workflow_id.clone());
    script.bind(filter.run_id.map(|run_id| run_id.as_uuid()));
    script.bind(after.map(|after| after.0)).bind(limit);
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<LetterRow>(0));
    let rows = rows.map_err(failed("list_dead_letters"))?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn redeliver(
    store: &SqliteStore,
    ids: &[DeadLetterId],
) -> Result<Vec<RedeliverOutcome>, StoreError> {
    let mut outcomes = Vec::with_capacity(ids.len());
    for ids in ids.chunks(MAX_ROWS) {
        outcomes.extend(redeliver_some(store, ids).await?);
    }
    Ok(outcomes)
}

async fn redeliver_some(
    store: &SqliteStore,
    ids: &[DeadLetterId],
) -> Result<Vec<RedeliverOutcome>, StoreError> {
    let failed = failed("redeliver_dead_letters");
    let mut turn = store.turn().await;
    let now = store.moment();
    let mut script = Script::new();
    add_ids(script.sql("BEGIN IMMEDIATE; ").sql(TAKE), ids);
    let rows: Vec<LetterRow> =
        turn.begin(script).await.and_then(|mut rows| rows.read(1)).map_err(failed)?;
    let mut letters = HashMap::new();
    for row in rows {
        let letter = DeadLetter::try_from(row)?;
        letters.insert(letter.id, letter);
    }
    let there = letters.keys().copied().collect();
    let parcels: Vec<Parcel<DeadLetterId>> =
        ids.iter().filter_map(|id| letters.remove(id)).map(Parcel::from).collect();
    if parcels.is_empty() {
        return Ok(vec![RedeliverOutcome::Gone; ids.len()]);
    }
    let holders = find_holders(&mut turn, &parcels).await.map_err(failed)?;
    let mut recipients = look_up(&mut turn, &holders.question(), now).await.map_err(failed)??;
    let sorted = Sorted::of(parcels, &holders, &recipients);
    let delivery = Delivery::of(sorted.deliverable, &mut recipients);
    if !delivery.keys.is_empty() {
        let (woken, told) = recipients.grown();
        let mut script = Script::new();
        add_ids(script.sql(REMOVE), &delivery.keys);
        script.sql("; ");
        add_arrivals(&mut script, &delivery.arrivals, &delivery.accepted, now.time)?;
        add_counts(&mut script, (&woken, &told), now.time);
        script.sql("COMMIT");
        turn.commit(script).await.map_err(failed)?;
        for (_, run_id, _) in delivery.delivered() {
            store.hub.announce(RunEvent::Arrival(run_id));
        }
        if !woken.is_empty() {
            store.hub.announce_due();
        }
    }
    Ok(redelivered(ids, there, &delivery))
}

pub(super) async fn drop_letters(
    store: &SqliteStore,
    ids: &[DeadLetterId],
) -> Result<u64, StoreError> {
    let mut dropped = 0;
    for ids in ids.chunks(MAX_ROWS) {
        let mut script = Script::new();
        add_ids(script.sql(REMOVE), ids).sql(" RETURNING letter_id");
        let rows = store.turn().await.run(script).await;
        dropped += rows.map_err(failed("drop_dead_letters"))?.of(0).len() as u64;
    }
    Ok(dropped)
}

/// Ends the list that was begun.
fn add_ids<'a>(script: &'a mut Script, ids: &[DeadLetterId]) -> &'a mut Script {
    script.values(1, ids.iter(), |script, id| {
        script.bind(id.0);
    });
    script.sql(")")
}
