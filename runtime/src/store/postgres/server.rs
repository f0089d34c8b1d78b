//! Identifies the server, and checks that it still accepts writes.
//!
//! Another server may take the place of this one behind the same name: the old one becomes read-only or follows the
//! new one, while its sessions stay open and would return outdated rows. So every new connection reads the server's
//! identity, and every read also checks whether the server [accepts writes](takes_writes). At the first sign of
//! another server, all earlier connections are discarded, including the session with its locks.
//!
//! Servers are identified by their history: a server that is promoted begins a new timeline. If a server does not
//! report its identity, it is trusted.

use std::sync::{Mutex, PoisonError};

use sqlx::postgres::PgConnection;
use sqlx::{Error, FromRow as _};
use tokio::sync::watch;
use tracing::warn;

/// The errors of a server that accepts no writes, for a write or for [`takes_writes`].
const REFUSED_WRITE: [&str; 2] = ["25006", "25001"];

const NO_WRITES: &str = "it is read-only";

/// A condition that fails the statement if the server accepts no writes: a read-only transaction cannot be set to
/// read-write. Otherwise it has no effect.
macro_rules! takes_writes {
    () => {
        "(SELECT set_config('transaction_read_only', 'off', true)) IS NOT NULL"
    };
}
pub(super) use takes_writes;

/// The first eight digits of a log file's name are the timeline.
const WHO: &str = "SELECT system_identifier::text AS system, \
    current_setting('transaction_read_only') = 'off' AS takes_writes, \
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline \
    FROM pg_control_system()";

#[derive(sqlx::FromRow)]
struct Who {
    system: String,
    takes_writes: bool,
    /// As a number of eight digits.
    timeline: Option<String>,
}

/// The server to which a store writes.
#[derive(Debug)]
pub(super) struct Server {
    /// Its system identifier and timeline, once reported.
    known: Mutex<Option<(String, String)>>,
    /// Counts how often all connections were discarded.
    generation: watch::Sender<u64>,
}

impl Server {
    pub(super) fn new() -> Self {
        Self { known: Mutex::default(), generation: watch::Sender::new(0) }
    }

    /// Connections opened in another generation must not be used.
    pub(super) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    /// Returns once connections of this generation must not be used.
    pub(super) async fn distrusted(&self, generation: u64) {
        let mut generations = self.generation.subscribe();
        // The channel is open as long as `self` exists.
        let _ = generations.wait_for(|now| *now != generation).await;
    }

    /// Discards all connections if `error` means that the server accepts no writes.
    pub(super) fn judge(&self, error: &Error) {
        let code = error.as_database_error().and_then(|error| error.code());
        if code.is_some_and(|code| REFUSED_WRITE.contains(&&*code)) {
            warn!("the server is read-only now; all connections to it are replaced");
            self.generation.send_modify(|generation| *generation += 1);
        }
    }

    /// Checks the identity of the server of a new connection. Returns the generation of the connection.
    ///
    /// # Errors
    /// The server accepts no writes, or was replaced by another one.
    pub(super) async fn meet(&self, connection: &mut PgConnection) -> Result<u64, Error> {
        let row = match sqlx::raw_sql(WHO).fetch_one(connection).await {
            Ok(row) => row,
            // This user has no permission to read it.
            Err(Error::Database(_)) => return Ok(self.generation()),
            Err(error) => return Err(error),
        };
        let Who { system, takes_writes, timeline } = Who::from_row(&row)?;
        let Some(timeline) = timeline.filter(|_| takes_writes) else {
            return Err(refused(NO_WRITES));
        };
        // The value is consistent after every operation, so a poisoned lock is usable.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((same, newest)) if *same == system && *newest > timeline => {
                return Err(refused("another server has taken its place"));
            }
            Some((same, newest)) if *same == system && *newest == timeline => {}
            before => {
                if before.is_some() {
                    warn!(system, timeline, "another server has taken the place of the one before");
                    self.generation.send_modify(|generation| *generation += 1);
                }
                *known = Some((system, timeline));
            }
        }
        Ok(self.generation())
    }
}

/// A retry may reach the server that accepts writes.
fn refused(reason: &'static str) -> Error {
    Error::Io(std::io::Error::other(reason))
}

/// Whether a server without writes was reached.
pub(super) fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.to_string() == NO_WRITES)
}
