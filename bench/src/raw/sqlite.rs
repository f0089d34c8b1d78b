//! Bare sqlx on an SQLite file, with the connection settings of piton's store.

use std::str::FromStr as _;

use anyhow::Result;
use sqlx::error::BoxDynError;
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

/// Names of a workflow and of a state, as long as they usually are.
const WORKFLOW: &str = "ten_steps";
const STATE: &str = "activity#2";

/// The one connection that writes.
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    statements: Statements,
}

/// The statements for the batch size used last.
#[derive(Default)]
struct Statements {
    rows: usize,
    start: String,
    step: String,
    end: String,
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
    Ok(SqliteWriter {
        connection: options(url)?.connect().await?,
        statements: Statements::default(),
    })
}

fn options(url: &str) -> Result<SqliteConnectOptions> {
    Ok(SqliteConnectOptions::from_str(url)?
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging())
}

impl Statements {
    fn of(rows: usize) -> Self {
        let next_step = "UPDATE piton_runs INDEXED BY piton_runs_run_id SET step_no = step_no + 1";
        let guard = "WHERE run_id = column1 AND step_no = column2";
        Self {
            rows,
            start: format!(
                "BEGIN IMMEDIATE; INSERT INTO piton_runs \
                 (run_id, workflow_id, workflow, status, worker_id, epoch, started_at, state, \
                 snapshot) SELECT column1, column2, column3, 'running', 1, 1, 0, column4, column5 \
                 FROM ({}); INSERT INTO piton_run_inputs (run_id, arguments) {}; COMMIT",
                values(rows, 5),
                values(rows, 2)
            ),
            step: format!(
                "{next_step}, state = column3, snapshot = column4 FROM ({}) {guard}",
                values(rows, 4)
            ),
            end: format!(
                "{next_step}, status = 'completed', worker_id = NULL, epoch = NULL, closed_at = 0, \
                 result = column3 FROM ({}) {guard}",
                values(rows, 3)
            ),
        }
    }
}

/// One statement for many rows. It beats a statement per row in one transaction, each of which
/// costs a trip to the connection's thread.
fn values(rows: usize, columns: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(","));
    format!("VALUES {}", vec![row; rows].join(","))
}

impl SqliteWriter {
    fn statements(&mut self, rows: usize) -> &Statements {
        if self.statements.rows != rows {
            self.statements = Statements::of(rows);
        }
        &self.statements
    }

    async fn execute(
        &mut self,
        sql: String,
        bind: impl FnOnce(&mut SqliteArguments) -> Result<(), BoxDynError>,
    ) -> Result<u64, sqlx::Error> {
        let mut arguments = SqliteArguments::default();
        bind(&mut arguments).map_err(sqlx::Error::Encode)?;
        let query = sqlx::query_with(AssertSqlSafe(sql), arguments);
        Ok(query.execute(&mut self.connection).await?.rows_affected())
    }
}

impl Writer for SqliteWriter {
    async fn start(
        &mut self,
        rows: &[Row],
        state: &[u8],
        argument: &[u8],
    ) -> Result<(), sqlx::Error> {
        let sql = self.statements(rows.len()).start.clone();
        let bind = |arguments: &mut SqliteArguments| {
            for row in rows {
                arguments.add(row.run_id)?;
                arguments.add(row.run_id.to_string())?;
                arguments.add(WORKFLOW)?;
                arguments.add(STATE)?;
                arguments.add(state.to_vec())?;
            }
            for row in rows {
                arguments.add(row.run_id)?;
                arguments.add(argument.to_vec())?;
            }
            Ok(())
        };
        self.execute(sql, bind).await.map(drop)
    }

    async fn step(&mut self, rows: &[Row], state: &[u8]) -> Result<u64, sqlx::Error> {
        if let [row] = rows {
            let query =
                sqlx::query(UPDATE_ONE).bind(STATE).bind(state).bind(row.run_id).bind(row.step_no);
            return Ok(query.execute(&mut self.connection).await?.rows_affected());
        }
        let sql = self.statements(rows.len()).step.clone();
        let bind = |arguments: &mut SqliteArguments| {
            for row in rows {
                arguments.add(row.run_id)?;
                arguments.add(row.step_no)?;
                arguments.add(STATE)?;
                arguments.add(state.to_vec())?;
            }
            Ok(())
        };
        self.execute(sql, bind).await
    }

    async fn end(&mut self, rows: &[Row], result: &[u8]) -> Result<u64, sqlx::Error> {
        let sql = self.statements(rows.len()).end.clone();
        let bind = |arguments: &mut SqliteArguments| {
            for row in rows {
                arguments.add(row.run_id)?;
                arguments.add(row.step_no)?;
                arguments.add(result.to_vec())?;
            }
            Ok(())
        };
        self.execute(sql, bind).await
    }
}
