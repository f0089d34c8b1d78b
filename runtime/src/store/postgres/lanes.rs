//! Connections for frequent calls: commits, claims and renewals of owners; starts, signals and queries of results
//! of programs; and notifications.
//!
//! Owners have connections of their own, so thousands of reading callers cannot delay a commit. A connection is
//! reused only after a call that has ended well. sqlx's pool cannot know that and queries the server at every
//! return, twice with the pool's own check, so that each call would be three round trips.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::probe::silence;
use super::server::Server;

/// A connection of this age is replaced, so that clients notice when the server behind a name is replaced. The same
/// as in sqlx's pool.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// How long after its last use a connection is used without a check.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// How long a call waits for a free connection.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long connecting may take. More than a [probe](super::probe) needs to find that there is no server: a call
/// that gave up earlier would end the probe, and later calls would wait for another one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection may take to respond to a check.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// A few connections to one server, opened when needed. Cheap to clone; clones share the connections.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    shared: Arc<Shared>,
    /// One permit for each connection.
    permits: Arc<Semaphore>,
}

#[derive(Debug)]
struct Shared {
    connect: PgConnectOptions,
    server: Arc<Server>,
    /// Idle connections.
    idle: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    connection: PgConnection,
    /// The [generation](Server::generation) of the server when it was opened.
    generation: u64,
    made_at: Instant,
    used_at: Instant,
}

/// A connection for one call. Dropping it without [`Lane::done`] closes it.
#[derive(Debug)]
pub(super) struct Lane {
    /// `None` once it was returned.
    open: Option<Open>,
    home: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Lanes {
    pub(super) fn new(connect: PgConnectOptions, server: Arc<Server>, count: usize) -> Self {
        let shared = Arc::new(Shared { connect, server, idle: Mutex::default() });
        Self { shared, permits: Arc::new(Semaphore::new(count)) }
    }

    /// Waits for a free connection.
    pub(super) async fn lane(&self) -> Result<Lane, Error> {
        let permit = timeout(BUSY_TIMEOUT, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| busy())?.map_err(|_| Error::PoolClosed)?;
        let home = Arc::clone(&self.shared);
        let alive = match home.pop() {
            Some(open) => open.if_alive().await,
            None => None,
        };
        let open = match alive {
            Some(open) => open,
            None => home.make().await?,
        };
        Ok(Lane { open: Some(open), home, _permit: permit })
    }

    /// Closes the connections; later calls fail with [`Error::PoolClosed`].
    pub(super) fn close(&self) {
        self.permits.close();
        self.shared.idle().clear();
    }
}

impl Shared {
    /// An idle connection that is not too old.
    fn pop(&self) -> Option<Open> {
        let generation = self.server.generation();
        let mut idle = self.idle();
        idle.retain(|open| open.generation == generation && open.made_at.elapsed() < MAX_LIFETIME);
        idle.pop()
    }

    async fn make(&self) -> Result<Open, Error> {
        let made = async {
            let mut connection = self.connect.connect().await.map_err(hung_up)?;
            let generation = self.server.meet(&mut connection).await.map_err(hung_up)?;
            let now = Instant::now();
            Ok(Open { connection, generation, made_at: now, used_at: now })
        };
        timeout(CONNECT_TIMEOUT, made).await.map_err(|_| silence())?
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Open>> {
        // The list is consistent after every operation, so a poisoned lock is usable.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// An idle connection may have been closed meanwhile.
    async fn if_alive(mut self) -> Option<Self> {
        let is_trusted = self.used_at.elapsed() < TRUSTED_FOR;
        (is_trusted || is_alive(&mut self.connection).await.is_ok()).then_some(self)
    }
}

/// Checks that the server responds.
async fn is_alive(connection: &mut PgConnection) -> Result<(), Error> {
    timeout(PING_TIMEOUT, connection.ping()).await.map_err(|_| silence())?
}

impl Lane {
    pub(super) fn get(&mut self) -> &mut PgConnection {
        &mut self.open.as_mut().expect("only `done` takes it").connection
    }

    /// Returns the connection for the next call.
    pub(super) fn done(mut self) {
        if let Some(open) = self.open.take() {
            self.home.idle().push(Open { used_at: Instant::now(), ..open });
        }
    }
}

fn busy() -> Error {
    let reason = "all connections to the server were in use for 10 s";
    Error::Io(std::io::Error::new(ErrorKind::TimedOut, reason))
}

/// A proxy in front of a server that is being replaced may accept a connection and close it at once. To sqlx that
/// is an invalid response, which would not be retryable.
fn hung_up(error: Error) -> Error {
    match error {
        Error::Protocol(_) => Error::Io(ErrorKind::ConnectionAborted.into()),
        error => error,
    }
}

impl Drop for Lane {
    /// The cause of one broken connection has probably broken all of them.
    fn drop(&mut self) {
        if self.open.is_some() {
            self.home.idle().clear();
        }
    }
}
