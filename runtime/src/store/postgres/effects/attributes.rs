//! Attributes are set and unset, and memos are replaced.

use sqlx::PgConnection;

use crate::model::{AttributeChanges, Memo, RunId};
use crate::store::NewRun;
use crate::store::postgres::named_by;
use crate::store::rows::AttributeRow;

const UNSET: &str = concat!(
    "DELETE FROM piton_attributes AS attribute \
     USING unnest($1::uuid[], $2::text[]) AS unset (run_id, name) WHERE ",
    named_by!("attribute", "unset", "name")
);

const SET: &str = "INSERT INTO piton_attributes \
    (run_id, name, place, kind, text, integer, float, truth, time) \
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], \
    $7::double precision[], $8::bigint[], $9::bigint[])";

const REMOVE_MEMOS: &str = "DELETE FROM piton_memos WHERE run_id = ANY ($1)";

const ADD_MEMOS: &str =
    "INSERT INTO piton_memos (run_id, memo) SELECT * FROM unnest($1::uuid[], $2::text[])";

pub(super) async fn write(
    connection: &mut PgConnection,
    changed: &[(RunId, AttributeChanges)],
) -> Result<(), sqlx::Error> {
    let changes: Vec<_> = changed
        .iter()
        .flat_map(|(run_id, changes)| {
            changes.iter().map(move |(name, value)| (*run_id, name, value))
        })
        .collect();
    let (run_ids, names): (Vec<_>, Vec<_>) =
        changes.iter().map(|(run_id, name, _)| (run_id.as_uuid(), *name)).unzip();
    sqlx::query(UNSET).bind(run_ids).bind(names).execute(&mut *connection).await?;
    let set = changes.into_iter().filter_map(|(run_id, name, value)| Some((run_id, name, value?)));
    let rows = set.flat_map(|(run_id, name, value)| AttributeRow::of(run_id, name, value));
    set_rows(connection, rows.collect()).await
}

async fn set_rows(
    connection: &mut PgConnection,
    rows: Vec<AttributeRow<'_>>,
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(SET)
        .bind(rows.iter().map(|row| row.run_id).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.name).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.place).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.kind).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.text).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.integer).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.float).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.truth).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.time).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// The memos of steps.
pub(super) async fn write_memos(
    connection: &mut PgConnection,
    memos: &[(RunId, &Memo)],
) -> Result<(), sqlx::Error> {
    let run_ids: Vec<_> = memos.iter().map(|(run_id, _)| run_id.as_uuid()).collect();
    sqlx::query(REMOVE_MEMOS).bind(run_ids).execute(&mut *connection).await?;
    insert_memos(connection, memos.iter().copied()).await
}

async fn insert_memos(
    connection: &mut PgConnection,
    memos: impl Iterator<Item = (RunId, &Memo)>,
) -> Result<(), sqlx::Error> {
    let memos = memos.filter(|(_, memo)| !memo.is_empty());
    let (run_ids, memos): (Vec<_>, Vec<_>) =
        memos.map(|(run_id, memo)| (run_id.as_uuid(), memo.to_json())).unzip();
    if !run_ids.is_empty() {
        sqlx::query(ADD_MEMOS).bind(run_ids).bind(memos).execute(connection).await?;
    }
    Ok(())
}

/// The attributes with which inserted runs are started.
pub(in crate::store::postgres) async fn write_new(
    connection: &mut PgConnection,
    runs: &[&NewRun],
) -> Result<(), sqlx::Error> {
    let rows = runs.iter().flat_map(|run| {
        let attributes = run.attributes.iter();
        attributes.flat_map(|(name, value)| AttributeRow::of(run.run_id, name, value))
    });
    set_rows(connection, rows.collect()).await?;
    insert_memos(connection, runs.iter().map(|run| (run.run_id, &run.memo))).await
}
