//! Lists and counts of runs.
//!
//! Filters differ each time, and the best index depends on their values. These statements are therefore planned
//! each time with all features of the planner, unlike the engine's statements, whose sessions restrict it.

use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, AssertSqlSafe};

use super::server::takes_writes;
use super::transaction::Transaction;
use super::{PostgresStore, definition, failed, workflow_id};
use crate::error::StoreError;
use crate::filter::literal::DAY;
use crate::filter::sql::{Bound, Dialect, Sql};
use crate::filter::{Column, Filter};
use crate::model::Timestamp;
use crate::store::rows::{CountRow, RunRow, in_order, read_run_counts, select_attribute_names};
use crate::store::weight::{ending_bytes, fits};
use crate::store::{RunCount, RunOrder, RunQuery, RunRecord, Store as _};

/// The columns of a record in other tables.
macro_rules! labels {
    ($run:literal) => {
        concat!(
            "(SELECT json_agg(json_build_array(name, kind, text, coalesce(integer, truth, time), \
             float::text) ORDER BY name, place)::text FROM piton_attributes AS attribute \
             WHERE attribute.run_id = ",
            $run,
            ".run_id) AS attributes, (SELECT memo FROM piton_memos AS noted WHERE noted.run_id = ",
            $run,
            ".run_id) AS memo"
        )
    };
}
pub(super) use labels;

/// Wraps the runs that match. Rows that do not fit in the response are not read.
const LISTED: &str = concat!(
    "SELECT *, ",
    ending_bytes!(),
    " + coalesce(octet_length(attributes), 0) + coalesce(octet_length(memo), 0) AS bytes \
     FROM (SELECT *, ",
    labels!("listed"),
    " FROM (SELECT run.run_id, ",
    workflow_id!("run"),
    ", ",
    definition!("run"),
    ", run.workflow, run.status, run.state, run.step_no, run.worker_id, run.due_at, run.blocked, \
     run.blocked_at, run.started_at, run.stepped_at, run.closed_at, run.result, run.failure"
);

const FROM: &str = " FROM piton_runs AS run";

pub(super) async fn list(
    store: &PostgresStore,
    query: RunQuery<'_>,
) -> Result<Vec<RunRecord>, StoreError> {
    let failed = failed("list_runs");
    let condition = query.condition(moment(store, query.filter).await?);
    let sql = Sql::of(Dialect::Postgres, 0, &condition);
    let statement = list_statement(&sql, query.order, query.limit);
    let read = async {
        let mut moment = Transaction::begin_for_people(store).await?;
        let rows: Vec<RunRow> = sqlx::query_as_with(AssertSqlSafe(statement), bound(sql.bound)?)
            .persistent(false)
            .fetch_all(moment.get())
            .await?;
        moment.commit().await?;
        Ok(rows)
    };
    let rows = read.await.map_err(failed)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

fn list_statement(sql: &Sql, order: RunOrder, limit: u32) -> String {
    let Sql { joins, condition, run_id, .. } = sql;
    let (outer, inner) = (in_order(order, "", "run_id"), in_order(order, "run.", run_id));
    let (fits, takes_writes) = (fits!("sized"), takes_writes!());
    format!(
        "SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY {outer} ROWS UNBOUNDED PRECEDING) AS upto \
         FROM ({LISTED}{FROM}{joins} WHERE {takes_writes} AND {condition} ORDER BY {inner} LIMIT {limit}) \
         AS listed) AS labelled) AS weighed) AS sized WHERE {fits} ORDER BY {outer}"
    )
}

const ATTRIBUTE_NAMES: &str = select_attribute_names!("$1");

pub(super) async fn attribute_names(
    store: &PostgresStore,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let read = async {
        let mut moment = Transaction::begin_for_people(store).await?;
        let names = sqlx::query_scalar(ATTRIBUTE_NAMES)
            .bind(i64::from(limit))
            .persistent(false)
            .fetch_all(moment.get())
            .await?;
        moment.commit().await?;
        Ok(names)
    };
    read.await.map_err(failed("list_attribute_names"))
}

/// The time to which relative times of a filter refer.
async fn moment(store: &PostgresStore, filter: &Filter) -> Result<Timestamp, StoreError> {
    match filter.is_relative() {
        true => store.now().await,
        false => Ok(Timestamp::default()),
    }
}

fn bound(values: Vec<Bound>) -> Result<PgArguments, sqlx::Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        let added = match value {
            Bound::Text(text) => arguments.add(text),
            Bound::Integer(number) => arguments.add(number),
            Bound::Float(number) => arguments.add(number),
            Bound::Uuid(uuid) => arguments.add(uuid),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

pub(super) async fn count(
    store: &PostgresStore,
    filter: &Filter,
    group_by: Option<Column>,
) -> Result<Vec<RunCount>, StoreError> {
    let failed = failed("count_runs");
    let condition = filter.for_store(moment(store, filter).await?);
    let sql = Sql::of(Dialect::Postgres, 0, &condition);
    let (group, takes_writes) = (sql.group(group_by, DAY), takes_writes!());
    let Sql { joins, condition, .. } = &sql;
    let grouped = if group_by.is_some() { " GROUP BY 1, 2" } else { "" };
    let statement = format!(
        "SELECT {group}, count(*) AS runs{FROM}{joins} WHERE {takes_writes} AND {condition}{grouped}"
    );
    let read = async {
        let mut moment = Transaction::begin_for_people(store).await?;
        let rows: Vec<CountRow> = sqlx::query_as_with(AssertSqlSafe(statement), bound(sql.bound)?)
            .persistent(false)
            .fetch_all(moment.get())
            .await?;
        moment.commit().await?;
        Ok(rows)
    };
    Ok(read_run_counts(read.await.map_err(failed)?))
}
