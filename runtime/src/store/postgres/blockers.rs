//! Finds and logs the sessions for which statements wait. A worker may be blocked by a session that it does not
//! know, for example one that was left open in a transaction, or a migration of another program.
//!
//! Nothing depends on the result. The query runs when a call takes long, on its own connection, because all others may
//! be waiting as well.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::FromRow;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{Instant, timeout};
use tracing::{debug, warn};

/// The minimum time between two queries, however many calls take long.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The time limit of the query, which normally takes milliseconds.
const LOOK_TIMEOUT: Duration = Duration::from_secs(5);

/// One row for each session that others wait for. The server shows the activity of sessions only to privileged
/// users.
const BLOCKERS: &str = "SELECT waiting.pid AS waiting, left(waiting.query, 80) AS statement, \
    extract(epoch FROM clock_timestamp() - waiting.query_start)::float8 AS seconds, \
    blocking.pid AS blocker, other.application_name, other.state, other.query_start::text \
    FROM pg_stat_activity AS waiting \
    CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid) \
    LEFT JOIN pg_stat_activity AS other ON other.pid = blocking.pid \
    WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock' \
    AND waiting.application_name = current_setting('application_name') \
    ORDER BY waiting.query_start, blocking.pid LIMIT 5";

#[derive(FromRow)]
struct Blocker {
    waiting: i32,
    statement: Option<String>,
    seconds: Option<f64>,
    /// 0 means a prepared transaction.
    blocker: i32,
    application_name: Option<String>,
    state: Option<String>,
    query_start: Option<String>,
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Blockers {
    connect: PgConnectOptions,
    looked_at: Mutex<Option<Instant>>,
}

impl Blockers {
    pub(super) fn new(connect: PgConnectOptions) -> Self {
        Self { connect, looked_at: Mutex::default() }
    }

    /// Logs the sessions for which statements wait, unless that was done recently. Returns at once.
    pub(super) fn name(&self, operation: &'static str) {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        if looked_at.is_some_and(|at| at.elapsed() < LOOK_AGAIN_AFTER) {
            return;
        }
        *looked_at = Some(Instant::now());
        let connect = self.connect.clone();
        tokio::spawn(async move {
            match timeout(LOOK_TIMEOUT, look(&connect)).await {
                Ok(Ok(blockers)) => blockers.iter().for_each(|blocker| blocker.name(operation)),
                Ok(Err(error)) => debug!(%error, "it is not known what a slow call waits for"),
                Err(_) => debug!("it is not known what a slow call waits for"),
            }
        });
    }
}

async fn look(connect: &PgConnectOptions) -> Result<Vec<Blocker>, sqlx::Error> {
    let mut connection = connect.connect().await?;
    let blockers = sqlx::query_as(BLOCKERS).fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(blockers)
}

impl Blocker {
    fn name(&self, operation: &'static str) {
        warn!(
            operation,
            process = self.waiting,
            statement = self.statement,
            waits_for_seconds = self.seconds,
            blocked_by = self.blocker,
            application = self.application_name,
            state = self.state,
            since = self.query_start,
            "a call takes long, and a statement waits for a lock that another session has"
        );
    }
}
