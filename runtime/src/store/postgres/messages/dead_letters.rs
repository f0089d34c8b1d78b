//! Dead letters: storing, listing, redelivering and deleting them.

use std::collections::{HashMap, HashSet};

use sqlx::PgConnection;
use uuid::Uuid;

use super::inbox::{find_recipients, write};
use crate::error::StoreError;
use crate::store::postgres::server::takes_writes;
use crate::store::postgres::transaction::Transaction;
use crate::store::postgres::{PostgresStore, failed, named_after, names_nothing, now};
use crate::store::relay::{
    Delivery, HolderRow, Holders, Parcel, Sorted, redelivered, workflow_ids,
};
use crate::store::rows::{LetterRow, first_of, letter_columns, write_arrival, write_reason};
use crate::store::weight::fits;
use crate::store::{
    DeadLetter, DeadLetterFilter, DeadLetterId, DeadLetterReason, MessageKey, RedeliverOutcome,
};

/// `named` is the run whose id may also be the workflow id. Scalar subqueries are looked up one by one, whatever
/// the planner's statistics are.
const HOLDERS: &str = concat!(
    "SELECT held.*, ",
    first_of!("held.open"),
    " AS first FROM (SELECT asked.workflow_id, coalesce(\
    (SELECT run_id FROM piton_runs AS run \
    WHERE run.workflow_id = asked.workflow_id AND closed_at IS NULL), \
    (SELECT run_id FROM piton_runs AS run \
    WHERE run.run_id = asked.named AND run.workflow_id IS NULL AND closed_at IS NULL)) AS open, \
    ((SELECT true FROM piton_runs AS run \
    WHERE run.workflow_id = asked.workflow_id AND closed_at IS NOT NULL LIMIT 1) IS TRUE \
    OR (SELECT true FROM piton_runs AS run \
    WHERE run.run_id = asked.named AND run.workflow_id IS NULL) IS TRUE) AS is_known \
    FROM unnest($1::text[], $2::uuid[]) AS asked (workflow_id, named)) AS held"
);

const INSERT: &str = concat!(
    "INSERT INTO piton_dead_letters \
     (workflow_id, arrival, sender_id, sender_seq, reason, set_aside_at) \
     SELECT letter.*, clock.now FROM ",
    now!(),
    " AS clock, unnest($2::text[], $3::bytea[], $4::uuid[], $5::bigint[], $6::text[]) AS letter"
);

/// Null means any. Rows that do not fit in the response are not read.
const LIST: &str = concat!(
    "SELECT ",
    letter_columns!(),
    " FROM (SELECT *, sum(bytes) OVER (ORDER BY letter_id ROWS UNBOUNDED PRECEDING) AS upto FROM \
     (SELECT *, octet_length(arrival) + octet_length(reason) AS bytes FROM piton_dead_letters \
     WHERE ($1::text IS NULL OR workflow_id = $1) AND ($2::uuid IS NULL OR run_id = $2) \
     AND letter_id > coalesce($3::bigint, 0) ORDER BY letter_id LIMIT $4) AS matching) \
     AS sized WHERE ",
    takes_writes!(),
    " AND ",
    fits!("sized"),
    " ORDER BY letter_id"
);

const FIND: &str =
    concat!("SELECT ", letter_columns!(), " FROM piton_dead_letters WHERE letter_id = ANY ($1)");

/// In the order of their ids, after their runs. Ranges of one value for the reason given at `named_by!`.
const TAKE: &str = "DELETE FROM piton_dead_letters AS letter USING \
    (SELECT letter.letter_id FROM unnest($1::bigint[]) AS named (letter_id) \
    JOIN piton_dead_letters AS letter \
    ON letter.letter_id BETWEEN named.letter_id AND named.letter_id \
    ORDER BY named.letter_id FOR UPDATE OF letter) AS locked \
    WHERE letter.letter_id BETWEEN locked.letter_id AND locked.letter_id \
    RETURNING letter.letter_id";

/// Looks up the runs that have the workflow ids of messages.
pub(super) async fn find_holders<K>(
    connection: &mut PgConnection,
    parcels: &[Parcel<K>],
) -> Result<Holders, sqlx::Error> {
    let ids: Vec<&str> = workflow_ids(parcels).into_iter().collect();
    let named: Vec<Option<Uuid>> = ids.iter().map(|id| named_after(id)).collect();
    let rows: Vec<HolderRow> =
        sqlx::query_as(HOLDERS).bind(ids).bind(named).fetch_all(connection).await?;
    Ok(Holders::of(rows))
}

/// Stores messages without a receiver as dead letters.
pub(super) async fn keep(
    connection: &mut PgConnection,
    now: Option<i64>,
    letters: &[(DeadLetterReason, Parcel<MessageKey>)],
) -> Result<(), sqlx::Error> {
    if letters.is_empty() {
        return Ok(());
    }
    let keys = || letters.iter().map(|(_, parcel)| parcel.key);
    let arrivals: Result<Vec<_>, _> =
        letters.iter().map(|(_, parcel)| write_arrival(&parcel.arrival)).collect();
    let ids: Vec<&str> = letters.iter().map(|(_, parcel)| parcel.workflow_id.as_str()).collect();
    sqlx::query(INSERT)
        .bind(now)
        .bind(ids)
        .bind(arrivals.map_err(|error| sqlx::Error::Encode(error.into()))?)
        .bind(keys().map(|key| key.run_id.as_uuid()).collect::<Vec<_>>())
        .bind(keys().map(|key| key.seq).collect::<Vec<_>>())
        .bind(letters.iter().map(|(reason, _)| write_reason(reason)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn list(
    store: &PostgresStore,
    filter: &DeadLetterFilter,
    after: Option<DeadLetterId>,
    limit: u32,
) -> Result<Vec<DeadLetter>, StoreError> {
    if filter.workflow_id.as_deref().is_some_and(names_nothing) {
        return Ok(Vec::new());
    }
    let failed = failed("list_dead_letters");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<LetterRow> = sqlx::query_as(LIST)
        .bind(filter.workflow_id.as_deref())
        .bind(filter.run_id.map(|run_id| run_id.as_uuid()))
        .bind(after.map(|after| after.0))
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) async fn redeliver(
    store: &PostgresStore,
    ids: &[DeadLetterId],
) -> Result<Vec<RedeliverOutcome>, StoreError> {
    let failed = failed("redeliver_dead_letters");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let rows: Vec<LetterRow> = sqlx::query_as(FIND)
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let mut letters = HashMap::new();
    for row in rows {
        let letter = DeadLetter::try_from(row)?;
        letters.insert(letter.id, letter);
    }
    let mut there: HashSet<DeadLetterId> = letters.keys().copied().collect();
    let parcels: Vec<Parcel<DeadLetterId>> =
        ids.iter().filter_map(|id| letters.remove(id)).map(Parcel::from).collect();
    let now = store.given_time();
    let holders = find_holders(transaction.get(), &parcels).await.map_err(failed)?;
    let recipients = find_recipients(now, transaction.get(), &holders.question()).await;
    let mut recipients = recipients.map_err(failed)??;
    let mut sorted = Sorted::of(parcels, &holders, &recipients);
    let wanted: Vec<DeadLetterId> =
        sorted.deliverable.iter().map(|(_, parcel)| parcel.key).collect();
    let taken: Vec<i64> = sqlx::query_scalar(TAKE)
        .bind(wanted.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(transaction.get())
        .await
        .map_err(failed)?;
    let taken: HashSet<DeadLetterId> = taken.into_iter().map(DeadLetterId).collect();
    for id in wanted.iter().filter(|id| !taken.contains(id)) {
        there.remove(id);
    }
    sorted.keep_taken(&taken);
    let delivery = Delivery::of(sorted.deliverable, &mut recipients);
    let (woken, told) = recipients.grown();
    if !delivery.arrivals.is_empty() {
        let (arrivals, accepted) = (&delivery.arrivals, &delivery.accepted);
        write(now, transaction.get(), arrivals, accepted, (&woken, &told)).await?;
    }
    transaction.commit().await.map_err(failed)?;
    for (_, run_id, _) in delivery.delivered() {
        store.news.arrival(run_id, recipients.owner(run_id));
    }
    if !woken.is_empty() {
        store.news.due();
    }
    Ok(redelivered(ids, there, &delivery))
}

pub(super) async fn drop_letters(
    store: &PostgresStore,
    ids: &[DeadLetterId],
) -> Result<u64, StoreError> {
    let failed = failed("drop_dead_letters");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let dropped = sqlx::query(TAKE)
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .execute(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(dropped.rows_affected())
}
