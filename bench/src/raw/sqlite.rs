//! Bare sqlx on an SQLite file, with the connection settings of piton's store.

use std::fmt::Write as _;
use std::str::FromStr as _;

use anyhow::Result;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sqlx::{Arguments as _, AssertSqlSafe, ConnectOptions as _, Connection as _};
use uuid::Uuid;

use super::{Row, Writer};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/sqlite");

const INSERT: &str = "INSERT INTO piton_runs \
    (run_id, workflow_id, workflow, status, worker_id, epoch, started_at, state, snapshot) \
    VALUES (?, ?, 'ten_steps', 'running', 1, 1, 0, 'start', ?)";

/// One row has a statement of its own: there is no list to join with.
const UPDATE_ONE: &str = "UPDATE piton_runs SET step_no = step_no + 1, state = ?, snapshot = ? \
    WHERE run_id = ? AND step_no = ?";

/// The name of a state, as long as they usually are.
const STATE: &str = "activity#2";

/// The one connection that writes.
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    /// The statement for the batch size used last.
    many: (usize, String),
}

/// Migrates an empty file and inserts `rows` owned runs; returns their ids.
pub(super) async fn fill(url: &str, rows: usize, state_bytes: usize) -> Result<Vec<Uuid>> {
    let mut connection = options(url)?.create_if_missing(true).connect().await?;
    MIGRATIONS.run_direct(None, &mut connection, false).await?;
    let state = super::noise(state_bytes);
    let mut transaction = connection.begin().await?;
    let mut keys = Vec::with_capacity(rows);
    for _ in 0..rows {
        let run_id = Uuid::now_v7();
        sqlx::query(INSERT)
            .bind(run_id)
            .bind(run_id.to_string())
            .bind(&state)
            .execute(&mut *transaction)
            .await?;
        keys.push(run_id);
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(keys)
}

/// Opens the writing connection.
pub(super) async fn connect(url: &str) -> Result<SqliteWriter> {
    Ok(SqliteWriter { connection: options(url)?.connect().await?, many: (0, String::new()) })
}

fn options(url: &str) -> Result<SqliteConnectOptions> {
    Ok(SqliteConnectOptions::from_str(url)?
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging())
}

impl Writer for SqliteWriter {
    async fn write(&mut self, rows: &[Row], state: &[u8]) -> Result<u64, sqlx::Error> {
        if let [row] = rows {
            let query =
                sqlx::query(UPDATE_ONE).bind(STATE).bind(state).bind(row.run_id).bind(row.step_no);
            return Ok(query.execute(&mut self.connection).await?.rows_affected());
        }
        if self.many.0 != rows.len() {
            self.many = (rows.len(), update_many(rows.len()));
        }
        let mut arguments = SqliteArguments::default();
        for row in rows {
            let added = arguments
                .add(row.run_id)
                .and_then(|()| arguments.add(row.step_no))
                .and_then(|()| arguments.add(STATE))
                .and_then(|()| arguments.add(state.to_vec()));
            added.map_err(sqlx::Error::Encode)?;
        }
        let query = sqlx::query_with(AssertSqlSafe(self.many.1.clone()), arguments);
        Ok(query.execute(&mut self.connection).await?.rows_affected())
    }
}

/// One statement for many rows. It beats a statement per row in one transaction, each of which
/// costs a trip to the connection's thread.
fn update_many(rows: usize) -> String {
    let mut sql = String::from(
        "UPDATE piton_runs INDEXED BY piton_runs_run_id SET step_no = step_no + 1, \
         state = column3, snapshot = column4 FROM (VALUES ",
    );
    for row in 0..rows {
        // Writing to a String cannot fail.
        let _ = write!(sql, "{}(?,?,?,?)", if row == 0 { "" } else { "," });
    }
    sql.push_str(") WHERE run_id = column1 AND step_no = column2");
    sql
}
