//! Which server answers, and whether it is still the one that takes writes.
//!
//! Another may take its place behind the same name: the old one is made read-only, or follows the new one,
//! while the sessions on it stay open. Whoever goes on asking there is told what was true before. So every
//! new connection says which server it has come to, whoever reads there asks in the same statement whether
//! it still [takes writes](takes_writes), and the first sign of another server ends the trust in all
//! connections that were made before, also the lasting one with its locks.
//!
//! What tells servers apart is their history: a server that takes the place of one it followed begins a new
//! timeline. Where a server does not say which one it is, its answers are believed.

use std::sync::{Mutex, PoisonError};

use sqlx::postgres::PgConnection;
use sqlx::{Error, FromRow as _};
use tokio::sync::watch;
use tracing::warn;

/// What a server answers to a write, or to [`takes_writes`], that takes none.
const REFUSED_WRITE: [&str; 2] = ["25006", "25001"];

const NO_WRITES: &str = "it is read-only";

/// That the server takes writes. Where it does not, the statement fails: in a read-only transaction no
/// setting can be made that says otherwise. Elsewhere it changes nothing.
macro_rules! takes_writes {
    () => {
        "(SELECT set_config('transaction_read_only', 'off', true)) IS NOT NULL"
    };
}
pub(super) use takes_writes;

/// The first eight digits of the name of a file of the log are the timeline.
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

/// What is known of the server that a store writes to.
#[derive(Debug)]
pub(super) struct Server {
    /// Its system and timeline, once one has said so.
    known: Mutex<Option<(String, String)>>,
    /// Counts how often the trust in all connections has ended.
    generation: watch::Sender<u64>,
}

impl Server {
    pub(super) fn new() -> Self {
        Self { known: Mutex::default(), generation: watch::Sender::new(0) }
    }

    /// Connections that were made in another generation are not to be used any more.
    pub(super) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    /// Returns once connections of this generation are not to be used any more.
    pub(super) async fn distrusted(&self, generation: u64) {
        let mut generations = self.generation.subscribe();
        // It is open for as long as `self` is.
        let _ = generations.wait_for(|now| *now != generation).await;
    }

    /// Ends the trust in all connections if `error` says that the server takes no writes.
    pub(super) fn judge(&self, error: &Error) {
        let code = error.as_database_error().and_then(|error| error.code());
        if code.is_some_and(|code| REFUSED_WRITE.contains(&&*code)) {
            warn!("the server is read-only now; all connections to it are replaced");
            self.generation.send_modify(|generation| *generation += 1);
        }
    }

    /// Sees which server a new connection has come to. Returns the generation of the connection.
    ///
    /// # Errors
    /// The server takes no writes, or is one whose place another has taken.
    pub(super) async fn meet(&self, connection: &mut PgConnection) -> Result<u64, Error> {
        let row = match sqlx::raw_sql(WHO).fetch_one(connection).await {
            Ok(row) => row,
            // It does not let this user know.
            Err(Error::Database(_)) => return Ok(self.generation()),
            Err(error) => return Err(error),
        };
        let Who { system, takes_writes, timeline } = Who::from_row(&row)?;
        let Some(timeline) = timeline.filter(|_| takes_writes) else {
            return Err(refused(NO_WRITES));
        };
        // Whole after every operation, so a panic elsewhere does not spoil it.
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

/// Another try may find the server that takes writes.
fn refused(reason: &'static str) -> Error {
    Error::Io(std::io::Error::other(reason))
}

/// Whether a server was met that takes no writes.
pub(super) fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.to_string() == NO_WRITES)
}
