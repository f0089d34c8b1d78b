//! Statistics of the database, read on a separate connection.

use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Result;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::database::{Database, StoreKind};

/// How old the statistics of the server may be, with some to spare: a connection that falls silent reports its last
/// second of work 10 s later.
pub(crate) const STATISTICS_DELAY: Duration = Duration::from_secs(12);

const COMMITTED_STEPS: &str = "SELECT CAST(coalesce(sum(step_no), 0) AS BIGINT) FROM piton_runs";

/// An open connection.
#[derive(Debug)]
pub(crate) enum Inspector {
    /// To the file.
    Sqlite(SqliteConnection),
    /// To the server.
    Postgres(PgConnection),
}

impl Inspector {
    /// Connects to a database that has been migrated.
    pub(crate) async fn connect(database: &Database) -> Result<Self> {
        Ok(match database.kind {
            StoreKind::Sqlite => {
                let options = SqliteConnectOptions::from_str(&database.url)?;
                Self::Sqlite(options.read_only(true).connect().await?)
            }
            StoreKind::Postgres => {
                Self::Postgres(PgConnectOptions::from_str(&database.url)?.connect().await?)
            }
        })
    }

    /// How many steps have been committed, by all runs that there are.
    pub(crate) async fn committed_steps(&mut self) -> Result<u64> {
        let steps: i64 = match self {
            Self::Sqlite(connection) => {
                sqlx::query_scalar(COMMITTED_STEPS).fetch_one(connection).await?
            }
            Self::Postgres(connection) => {
                sqlx::query_scalar(COMMITTED_STEPS).fetch_one(connection).await?
            }
        };
        Ok(u64::try_from(steps)?)
    }

    /// The size of the whole database.
    pub(crate) async fn bytes(&mut self) -> Result<u64> {
        self.size("SELECT pg_database_size(current_database())").await
    }

    /// The size of the table that every step writes, without its indexes; on SQLite, which does not
    /// tell, of the whole database.
    pub(crate) async fn hot_table_bytes(&mut self) -> Result<u64> {
        self.size("SELECT pg_table_size('piton_runs')").await
    }

    async fn size(&mut self, on_postgres: &'static str) -> Result<u64> {
        const ON_SQLITE: &str =
            "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
        let bytes: i64 = match self {
            Self::Sqlite(connection) => sqlx::query_scalar(ON_SQLITE).fetch_one(connection).await?,
            Self::Postgres(connection) => {
                sqlx::query_scalar(on_postgres).fetch_one(connection).await?
            }
        };
        Ok(u64::try_from(bytes)?)
    }

    /// How many bytes have ever been written to the log of the server; `None` on SQLite, whose log
    /// begins anew after each checkpoint.
    pub(crate) async fn log_position(&mut self) -> Result<Option<u64>> {
        const POSITION: &str = "SELECT CAST(pg_current_wal_lsn() - '0/0'::pg_lsn AS BIGINT)";
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(connection) => {
                let position: i64 = sqlx::query_scalar(POSITION).fetch_one(connection).await?;
                Ok(Some(u64::try_from(position)?))
            }
        }
    }

    /// How many updates of the hot table stayed in their page without touching an index, and how
    /// many there were; `None` on SQLite. The server's count is up to a second old.
    pub(crate) async fn hot_updates(&mut self) -> Result<Option<(u64, u64)>> {
        const UPDATES: &str = "SELECT n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables \
            WHERE relname = 'piton_runs'";
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(connection) => {
                let (hot, all): (i64, i64) = sqlx::query_as(UPDATES).fetch_one(connection).await?;
                Ok(Some((u64::try_from(hot)?, u64::try_from(all)?)))
            }
        }
    }

    /// How many transactions the database has seen, queries outside of one counted as one each;
    /// `None` on SQLite. The server's count is up to a second old.
    pub(crate) async fn transactions(&mut self) -> Result<Option<u64>> {
        const TRANSACTIONS: &str = "SELECT xact_commit + xact_rollback FROM pg_stat_database \
            WHERE datname = current_database()";
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(connection) => {
                let count: i64 = sqlx::query_scalar(TRANSACTIONS).fetch_one(connection).await?;
                Ok(Some(u64::try_from(count)?))
            }
        }
    }

    /// How many rows have been inserted, updated and deleted in all tables; `None` on SQLite. The server's count is up to
    /// [`STATISTICS_DELAY`] old.
    pub(crate) async fn written_rows(&mut self) -> Result<Option<u64>> {
        const ROWS: &str = "SELECT CAST(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS BIGINT) \
            FROM pg_stat_user_tables";
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(connection) => {
                let count: i64 = sqlx::query_scalar(ROWS).fetch_one(connection).await?;
                Ok(Some(u64::try_from(count)?))
            }
        }
    }

    /// Gives the planner statistics of the rows, as the maintenance of Postgres does after a while; SQLite plans without.
    pub(crate) async fn analyze(&mut self) -> Result<()> {
        if let Self::Postgres(connection) = self {
            sqlx::query("VACUUM ANALYZE").execute(connection).await?;
        }
        Ok(())
    }

    /// Closes the connection.
    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(connection) => connection.close().await?,
            Self::Postgres(connection) => connection.close().await?,
        }
        Ok(())
    }
}
