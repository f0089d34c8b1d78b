//! Opening the file: checking that it is a piton database, and migrating it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tracing::debug;

use super::clock::LeaseClock;
use super::files::Files;
use super::liveness::Liveness;
use super::writer::Writer;
use super::{SqliteStore, primary_code};
use crate::error::ConnectError;
use crate::store::{Hub, StoreOptions};

static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = sqlx::migrate!("./migrations/sqlite");
    // The file may hold an application's own tables and migrations as well.
    migrator.dangerous_set_table_name("piton_migrations");
    migrator
});

/// How long a connection waits for another process's lock before it reports that it is busy.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many rows the connection's thread may be ahead of their reader; more than a batch returns.
const ROW_BUFFER: usize = 1024;

/// The number of prepared statements per connection. There is one for each combination of list sizes in a commit.
const STATEMENT_CACHE: usize = 400;

/// The number of pages of log after which a commit writes them back to the database. A process that opens the file
/// after a crash reads the whole log; 1.6 MB instead of SQLite's 4 MB does not reduce throughput.
const CHECKPOINT_PAGES: &str = "400";

const NEWEST_APPLIED: &str = "SELECT max(version) FROM piton_migrations";

const HAS_MIGRATIONS: &str =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'piton_migrations'";

/// Reads the first page of every table, to find a damaged file.
const LOOK_AROUND: &str = "SELECT \
    (SELECT 1 FROM piton_workers LIMIT 1), (SELECT 1 FROM piton_runs LIMIT 1), \
    (SELECT 1 FROM piton_run_inputs LIMIT 1), (SELECT 1 FROM piton_inbox LIMIT 1), \
    (SELECT 1 FROM piton_arrival_keys LIMIT 1), \
    (SELECT 1 FROM piton_definitions LIMIT 1), (SELECT 1 FROM piton_activities LIMIT 1)";

/// Opens the database file at `path`, creates it if it is missing, and migrates it.
pub(in crate::store) async fn open_file(
    path: &Path,
    options: &StoreOptions,
) -> Result<SqliteStore, ConnectError> {
    let target = path.display().to_string();
    check_path(path, &target)?;
    let connect = connect_options().filename(path).create_if_missing(true);
    let mut connection = connect.connect().await.map_err(|error| classify(&target, error))?;
    switch_to_wal(&mut connection).await.map_err(|error| classify(&target, error))?;
    migrate(&mut connection, &target).await?;
    // A file that was deleted must not be created again.
    let connect = connect.create_if_missing(false);
    let readers = SqlitePoolOptions::new()
        .max_connections(options.readers.max(1))
        .test_before_acquire(false)
        .connect_lazy_with(connect.clone().read_only(true));
    let mut locks = path.as_os_str().to_owned();
    locks.push(".workers");
    let files = Files::of(path).map_err(|error| classify(&target, sqlx::Error::Io(error)))?;
    let writer = Writer::new(connection, Some((connect, files)));
    Ok(assemble(writer, Some(readers), Some(locks.into()), options))
}

/// Opens a database that lives in memory and ends with the store.
pub(in crate::store) async fn open_memory(
    options: &StoreOptions,
) -> Result<SqliteStore, ConnectError> {
    let target = ":memory:";
    let connect = connect_options().in_memory(true);
    let mut connection = connect.connect().await.map_err(|error| classify(target, error))?;
    migrate(&mut connection, target).await?;
    Ok(assemble(Writer::new(connection, None), None, None, options))
}

fn assemble(
    writer: Writer,
    readers: Option<SqlitePool>,
    locks: Option<PathBuf>,
    options: &StoreOptions,
) -> SqliteStore {
    let lease_clock = locks.as_deref().map(LeaseClock::open).and_then(|clock| {
        let known =
            clock.inspect_err(|error| debug!(%error, "leases go by the clock of the machine"));
        known.ok()
    });
    SqliteStore {
        hub: std::sync::Arc::new(Hub::default()),
        clock: options.clock.clone(),
        writer,
        readers,
        liveness: Liveness::new(locks),
        lease_clock,
    }
}

fn connect_options() -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // Otherwise the planner may read the whole table and look up each of its rows in the list, instead of
        // looking up each row of the list.
        .pragma("automatic_index", "OFF")
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROW_BUFFER)
        .statement_cache_capacity(STATEMENT_CACHE)
        .disable_statement_logging()
}

/// Finds the reason for what SQLite only reports as "unable to open".
fn check_path(path: &Path, target: &str) -> Result<(), ConnectError> {
    let unreachable = |reason: String| ConnectError::Unreachable {
        target: target.to_owned(),
        reason,
        source: None,
    };
    if path.is_dir() {
        return Err(unreachable("it is a directory".into()));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent.map(|parent| (parent, parent.metadata())) {
        Some((parent, Err(error))) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(unreachable(format!("the directory {} does not exist", parent.display())))
        }
        Some((parent, Err(error))) => {
            Err(unreachable(format!("the directory {}: {error}", parent.display())))
        }
        Some((parent, Ok(metadata))) if !metadata.is_dir() => {
            Err(unreachable(format!("{} is not a directory", parent.display())))
        }
        _ => Ok(()),
    }
}

/// In this mode, writers do not block readers. It is stored in the file.
///
/// The switch needs the file exclusively for a moment, and SQLite does not wait for that, so processes that start
/// at the same time on a new file take turns here.
async fn switch_to_wal(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    const BUSY: i32 = 5;
    const ATTEMPTS: u32 = 200;
    let mut attempt = 0;
    loop {
        let switched = sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut *connection).await;
        match switched {
            Err(error) if attempt < ATTEMPTS && code_of(&error) == Some(BUSY) => {
                attempt += 1;
                tokio::time::sleep(Duration::from_millis(5) + BUSY_TIMEOUT / ATTEMPTS).await;
            }
            other => return other.map(drop),
        }
    }
}

async fn migrate(connection: &mut SqliteConnection, target: &str) -> Result<(), ConnectError> {
    let failed = |error| classify(target, error);
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
    if newest_applied(connection).await.map_err(failed)? != Some(known) {
        // The write lock makes processes that start at the same time take turns.
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        if let Some(found) = newest_applied(&mut transaction).await.map_err(failed)?
            && found > known
        {
            return Err(ConnectError::NewerSchema { target: target.to_owned(), found, known });
        }
        MIGRATIONS
            .run_direct(None, &mut *transaction, false)
            .await
            .map_err(|source| classify_migration(target, source))?;
        transaction.commit().await.map_err(failed)?;
    }
    sqlx::query(LOOK_AROUND).fetch_one(connection).await.map_err(failed)?;
    Ok(())
}

async fn newest_applied(connection: &mut SqliteConnection) -> Result<Option<i64>, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar(HAS_MIGRATIONS).fetch_one(&mut *connection).await?;
    if tables == 0 {
        return Ok(None);
    }
    sqlx::query(NEWEST_APPLIED).fetch_one(connection).await?.try_get(0)
}

fn classify_migration(target: &str, source: MigrateError) -> ConnectError {
    match source {
        MigrateError::Execute(error) => classify(target, error),
        source => ConnectError::Migration { target: target.to_owned(), source },
    }
}

fn code_of(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error().and_then(|error| primary_code(&error.code()?))
}

/// Explains the result code to somebody who wants to open a file.
fn classify(target: &str, error: sqlx::Error) -> ConnectError {
    const PERM: i32 = 3;
    const READONLY: i32 = 8;
    const CORRUPT: i32 = 11;
    const CANTOPEN: i32 = 14;
    const NOTADB: i32 = 26;
    let target = target.to_owned();
    let unreachable = |reason: &str, error| ConnectError::Unreachable {
        target: target.clone(),
        reason: reason.to_owned(),
        source: Some(error),
    };
    match code_of(&error) {
        Some(NOTADB) => ConnectError::NotADatabase {
            target,
            reason: "the file is something else, or encrypted".to_owned(),
            source: Some(error),
        },
        Some(CORRUPT) => ConnectError::NotADatabase {
            target,
            reason: "the file is damaged".to_owned(),
            source: Some(error),
        },
        Some(READONLY | PERM) => unreachable("this user may not write it", error),
        Some(CANTOPEN) => unreachable("it cannot be opened or created", error),
        _ => unreachable("the database refused", error),
    }
}
