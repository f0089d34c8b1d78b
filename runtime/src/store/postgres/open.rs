//! Connecting to the server and migrating the schema.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::str::FromStr as _;
use std::sync::{Arc, LazyLock};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Acquire as _, ConnectOptions as _, Connection as _, Row as _};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::Instant;
use tracing::warn;

use super::PostgresStore;
use super::blockers::Blockers;
use super::lanes::Lanes;
use super::liveness::Liveness;
use super::messages::Reads;
use super::namespace;
use super::news::{self, News, Origin};
use super::probe::Probe;
use super::server::{Server, is_refused};
use super::session::{Session, listen};
use crate::error::ConnectError;
use crate::store::connect::without_password;
use crate::store::{Hub, StoreOptions};

static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = sqlx::migrate!("./migrations/postgres");
    // The database may hold an application's own tables and migrations as well.
    migrator.dangerous_set_table_name("piton_migrations");
    migrator
});

const NEWEST_APPLIED: &str = "SELECT max(version) FROM piton_migrations";

/// A pooler that assigns connections per transaction: notifications would not arrive, and locks would outlive their
/// sessions.
const NO_SESSIONS: &str = "what stands before it lets sessions share a connection, as a pooler does that is \
    set to transactions; piton needs sessions of its own";

/// The errors of a prepared statement in such a session: another client has used its name, or the statement is in
/// another session.
const DUPLICATE_STATEMENT: &str = "42P05";
const UNKNOWN_STATEMENT: &str = "26000";

/// With a placeholder for the database's name, as it is quoted in statements.
const ENCODING: &str = "SELECT current_setting('server_encoding') AS encoding, \
    quote_ident(current_database() || '_utf8') AS name";

const HAS_MIGRATIONS: &str = "SELECT to_regclass('piton_migrations') IS NOT NULL";

/// Two concurrent batches of commits keep server and worker busy; three gained nothing in measurements.
const MAX_COMMIT_LANES: usize = 2;

/// The certificate is not trusted, or the URL requires a feature that this build lacks.
#[cfg(feature = "tls")]
const NO_TLS: &str = "no connection over TLS can be made";
#[cfg(not(feature = "tls"))]
const NO_TLS: &str = "connections over TLS need the feature `tls` of piton";

/// Rows of lists are looked up one by one in the given order, whatever the statistics are, and plans do not depend
/// on the length of a list.
const SETTINGS: [(&str, &str); 6] = [
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("jit", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// How long the server keeps sending to a process that does not read, in milliseconds: as long as the process waits
/// for a response. Meanwhile the locks of the statement are held, and neither the limit for statements nor that for
/// idle transactions applies. It is a network setting, so Unix sockets do not have it.
const SENDING: &str = "tcp_user_timeout";

/// Whether the response to a commit means that it is on disk. For this server, every value except `off` does; what
/// it means for replicas is up to the operator.
const COMMITS: &str = "synchronous_commit";

/// Whether the server itself flushes to its disk, which clients cannot set.
const DISK: &str = "fsync";

const OFF: &str = "off";

const NOT_DURABLE: &str = "synchronous_commit is off for this user, so a crash of the server would lose what \
    it has acknowledged, and what stands before it keeps piton from turning it on; turn it on with ALTER ROLE";

/// In the order of their names in the list.
const CURRENT_SETTINGS: &str = "SELECT current_setting(name) \
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place) ORDER BY place";

pub(in crate::store) async fn open(
    url: &str,
    options: &StoreOptions,
) -> Result<PostgresStore, ConnectError> {
    let target = without_password(url);
    let mut connect = PgConnectOptions::from_str(url)
        .map_err(|error| ConnectError::Url { url: target.clone(), reason: error.to_string() })?
        .application_name("piton")
        .options(SETTINGS)
        .options([(SENDING, options.answer_timeout.as_millis().to_string())])
        .disable_statement_logging();
    if let Some(name) = &options.namespace {
        connect = namespace::within(connect, name);
    }
    let failed = |error| unreachable(&target, error);
    let mut connection = connect.connect().await.map_err(failed)?;
    check_encoding(&mut connection, &target).await?;
    if let Some(name) = &options.namespace {
        namespace::enter(&mut connection, name, &target).await?;
    }
    migrate(&mut connection, &target).await?;
    if check_settings(&mut connection).await.map_err(failed)? == Commits::TooEarly {
        connection.close().await.map_err(failed)?;
        connect = connect.options([(COMMITS, "on")]);
        connection = connect.connect().await.map_err(failed)?;
        if check_settings(&mut connection).await.map_err(failed)? == Commits::TooEarly {
            let reason = NOT_DURABLE.to_owned();
            return Err(ConnectError::Unreachable { target, reason, source: None });
        }
        warn!("synchronous_commit is off for this user; the sessions of piton turn it on");
    }
    let server = Arc::new(Server::new());
    server.meet(&mut connection).await.map_err(failed)?;
    // One is for renewals. Of the rest, a third is for owners: commits, and one for claims. A quarter is for
    // frequent calls of programs.
    let lanes = (options.connections / 3).max(2);
    let calls = (options.connections / 4).max(1);
    let others = options.connections.saturating_sub(1 + lanes + calls).max(1);
    let commit_lanes = (lanes as usize - 1).min(MAX_COMMIT_LANES);
    let to = |count: usize| Lanes::new(connect.clone(), Arc::clone(&server), count);
    let (lanes, leases) = (to(lanes as usize), to(1));
    let (calls, pool) = (to(calls as usize), to(others as usize));
    let hub = Arc::new(Hub::default());
    let origin = Origin::new();
    let channel = news::channel(&mut connection).await.map_err(failed)?;
    let news = News::start(calls.clone(), Arc::clone(&hub), origin, Arc::clone(&channel));
    let reads = Reads::start(calls.clone(), options.answer_timeout);
    let blockers = Blockers::new(connect.clone());
    let probe = Probe::new(connect.clone());
    let mut lasting = listen(&connect, &server, &channel).await.map_err(failed)?;
    // Two concurrent sessions have separate server processes.
    let process = process_of(&mut connection).await.map_err(failed)?;
    let other = (&mut lasting.listener).acquire().await.map_err(failed)?;
    if process == process_of(other).await.map_err(failed)? {
        return Err(ConnectError::Unreachable {
            target,
            reason: NO_SESSIONS.to_owned(),
            source: None,
        });
    }
    connection.close().await.map_err(failed)?;
    let (wishes, receiver) = mpsc::unbounded_channel();
    // Locks that were free before this store was opened prove a death.
    let (settled_at, settled) = watch::channel(Instant::now());
    let session = Session {
        connect,
        server: Arc::clone(&server),
        wishes: receiver,
        hub: Arc::clone(&hub),
        origin,
        channel,
        held: BTreeSet::new(),
        missing: BTreeSet::new(),
        settled_at,
    };
    let liveness = Liveness::new(wishes, tokio::spawn(session.run(lasting)), settled);
    let answer_timeout = options.answer_timeout;
    let clock = options.clock.clone();
    // Half of them, so that signals and lookups find a free one.
    let lendable = Arc::new(Semaphore::new((others as usize / 2).max(1)));
    Ok(PostgresStore {
        hub,
        clock,
        lanes,
        commit_lanes,
        leases,
        calls,
        pool,
        server,
        probe,
        lendable,
        answer_timeout,
        news,
        reads,
        liveness,
        blockers,
    })
}

/// Without a prepared statement, which a pooler may not keep.
async fn check_encoding(connection: &mut PgConnection, target: &str) -> Result<(), ConnectError> {
    let failed = |error| unreachable(target, error);
    let found = sqlx::raw_sql(ENCODING).fetch_one(connection).await.map_err(failed)?;
    let encoding: String = found.try_get("encoding").map_err(failed)?;
    if encoding == "UTF8" {
        return Ok(());
    }
    let name: String = found.try_get("name").map_err(failed)?;
    let command = format!("CREATE DATABASE {name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
    Err(ConnectError::Encoding { target: target.to_owned(), encoding, command })
}

/// Without a prepared statement, whose name may be taken in a shared session.
async fn process_of(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// When the server acknowledges a commit.
#[derive(PartialEq)]
enum Commits {
    OnDisk,
    TooEarly,
}

/// Warns if sessions lack the settings with which they were started. Returns the meaning of a commit.
async fn check_settings(connection: &mut PgConnection) -> Result<Commits, sqlx::Error> {
    let names = SETTINGS.map(|(name, _)| name);
    let names = [&[COMMITS, DISK], &names[..]].concat();
    let found: Vec<String> =
        sqlx::query_scalar(CURRENT_SETTINGS).bind(names).fetch_all(connection).await?;
    let mut found = found.into_iter();
    let commits =
        if found.next().as_deref() == Some(OFF) { Commits::TooEarly } else { Commits::OnDisk };
    if found.next().as_deref() == Some(OFF) {
        warn!("fsync is off on this server: a crash of its host can destroy the database");
    }
    for ((name, wanted), found) in SETTINGS.into_iter().zip(found) {
        if found != wanted {
            warn!(
                name,
                found,
                wanted,
                "what stands before the server keeps settings back, so statements may read whole \
                 tables; give them to the user with ALTER ROLE"
            );
        }
    }
    Ok(commits)
}

async fn migrate(connection: &mut PgConnection, target: &str) -> Result<(), ConnectError> {
    let failed = |error| unreachable(target, error);
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
    let found = newest_applied(connection).await.map_err(failed)?;
    match found {
        Some(found) if found > known => {
            Err(ConnectError::NewerSchema { target: target.to_owned(), found, known })
        }
        Some(found) if found == known => Ok(()),
        // An advisory lock makes processes that start at the same time take turns.
        _ => MIGRATIONS.run_direct(None, connection, false).await.map_err(|source| match source {
            MigrateError::Execute(error) => unreachable(target, error),
            source => ConnectError::Migration { target: target.to_owned(), source },
        }),
    }
}

async fn newest_applied(connection: &mut PgConnection) -> Result<Option<i64>, sqlx::Error> {
    if !sqlx::query_scalar(HAS_MIGRATIONS).fetch_one(&mut *connection).await? {
        return Ok(None);
    }
    sqlx::query(NEWEST_APPLIED).fetch_one(connection).await?.try_get(0)
}

fn is_refused_by_tls(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Tls(_) => true,
        // The form in which rustls reports certificate errors.
        sqlx::Error::Io(error) => error.kind() == ErrorKind::InvalidData,
        _ => false,
    }
}

/// Explains the SQLSTATE to somebody who wants to connect.
pub(super) fn unreachable(target: &str, error: sqlx::Error) -> ConnectError {
    let state = error.as_database_error().and_then(|error| error.code());
    let reason = match state.as_deref() {
        Some("3D000") => "there is no such database",
        Some("42501") => "this user may not do that",
        Some("25006") => "it is read-only",
        Some(DUPLICATE_STATEMENT | UNKNOWN_STATEMENT) => NO_SESSIONS,
        Some("53300") => "it has too many connections",
        Some("57P03") => "it is starting up or shutting down",
        Some(state) if state.starts_with("28") => "it does not let this user in",
        Some(_) => "the server refused",
        None if is_refused_by_tls(&error) => NO_TLS,
        None if is_refused(&error) => "it is read-only",
        None => "the server does not answer",
    };
    ConnectError::Unreachable {
        target: target.to_owned(),
        reason: reason.to_owned(),
        source: Some(error),
    }
}
