//! Bare sqlx on Postgres.

use anyhow::Result;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use uuid::Uuid;

use super::{Row, Writer};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/postgres");

const INSERT: &str = "INSERT INTO piton_runs \
    (run_id, workflow, status, worker_id, epoch, started_at, state, snapshot) \
    SELECT run_id, 'ten_steps', 'running', 1, 1, 0, 'start', $2 \
    FROM unnest($1::uuid[]) AS run_id";

const UPDATE_ONE: &str = "UPDATE piton_runs SET step_no = step_no + 1, state = $1, snapshot = $2 \
    WHERE run_id = $3 AND step_no = $4";

const UPDATE_MANY: &str = "UPDATE piton_runs SET step_no = piton_runs.step_no + 1, \
    state = step.state, snapshot = step.snapshot \
    FROM (SELECT unnest($1::uuid[]) AS run_id, unnest($2::bigint[]) AS step_no, \
    unnest($3::text[]) AS state, unnest($4::bytea[]) AS snapshot) AS step \
    WHERE piton_runs.run_id = step.run_id AND piton_runs.step_no = step.step_no";

const START_MANY: &str = "INSERT INTO piton_runs \
    (run_id, workflow, status, worker_id, epoch, started_at, state, snapshot, arguments) \
    SELECT unnest($1::uuid[]), unnest($2::text[]), 'running', 1, 1, 0, unnest($3::text[]), \
    unnest($4::bytea[]), unnest($5::bytea[])";

const END_MANY: &str = "UPDATE piton_runs SET step_no = piton_runs.step_no + 1, \
    status = 'completed', worker_id = NULL, epoch = NULL, closed_at = 0, result = step.result \
    FROM (SELECT unnest($1::uuid[]) AS run_id, unnest($2::bigint[]) AS step_no, \
    unnest($3::bytea[]) AS result) AS step \
    WHERE piton_runs.run_id = step.run_id AND piton_runs.step_no = step.step_no";

/// Names of a workflow and of a state, as long as they usually are.
const WORKFLOW: &str = "ten_steps";
const STATE: &str = "activity#2";

/// One connection.
pub(super) struct PostgresWriter(PgConnection);

/// Migrates an empty database and inserts `rows` owned runs; returns their ids.
pub(super) async fn fill(url: &str, rows: usize, state_bytes: usize) -> Result<Vec<Uuid>> {
    let mut connection = options(url)?.connect().await?;
    MIGRATIONS.run_direct(None, &mut connection, false).await?;
    let keys: Vec<Uuid> = std::iter::repeat_with(Uuid::now_v7).take(rows).collect();
    sqlx::query(INSERT)
        .bind(&keys)
        .bind(super::noise(state_bytes))
        .execute(&mut connection)
        .await?;
    // Planner statistics, as a database that has been in use has them.
    sqlx::query("ANALYZE piton_runs").execute(&mut connection).await?;
    connection.close().await?;
    Ok(keys)
}

/// Opens a connection.
pub(super) async fn connect(url: &str) -> Result<PostgresWriter> {
    Ok(PostgresWriter(options(url)?.connect().await?))
}

fn options(url: &str) -> Result<PgConnectOptions> {
    Ok(url.parse::<PgConnectOptions>()?.disable_statement_logging())
}

fn ids(rows: &[Row]) -> Vec<Uuid> {
    rows.iter().map(|row| row.run_id).collect()
}

fn step_numbers(rows: &[Row]) -> Vec<i64> {
    rows.iter().map(|row| row.step_no).collect()
}

impl Writer for PostgresWriter {
    async fn start(
        &mut self,
        rows: &[Row],
        state: &[u8],
        arguments: &[u8],
    ) -> Result<(), sqlx::Error> {
        let query = sqlx::query(START_MANY)
            .bind(ids(rows))
            .bind(vec![WORKFLOW; rows.len()])
            .bind(vec![STATE; rows.len()])
            .bind(vec![state; rows.len()])
            .bind(vec![arguments; rows.len()]);
        query.execute(&mut self.0).await.map(drop)
    }

    async fn end(&mut self, rows: &[Row], result: &[u8]) -> Result<u64, sqlx::Error> {
        let query = sqlx::query(END_MANY)
            .bind(ids(rows))
            .bind(step_numbers(rows))
            .bind(vec![result; rows.len()]);
        Ok(query.execute(&mut self.0).await?.rows_affected())
    }

    async fn step(&mut self, rows: &[Row], state: &[u8]) -> Result<u64, sqlx::Error> {
        let query = match rows {
            [row] => {
                sqlx::query(UPDATE_ONE).bind(STATE).bind(state).bind(row.run_id).bind(row.step_no)
            }
            _ => sqlx::query(UPDATE_MANY)
                .bind(ids(rows))
                .bind(step_numbers(rows))
                .bind(vec![STATE; rows.len()])
                .bind(vec![state; rows.len()]),
        };
        Ok(query.execute(&mut self.0).await?.rows_affected())
    }
}
