//! Connections for what is called all the time: by owners, claims, commits and renewals of the lease;
//! by programs, starts, signals and looks for results; and news.
//!
//! Owners have some of their own that nobody else may take, so thousands of callers that read cannot
//! hold up a commit. A connection goes back only from a call that has ended well: sqlx's pool, which
//! cannot know that, asks the server at every return instead, twice with the pool's own question, so
//! that each call would be three round trips.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::probe::silence;
use super::server::Server;

/// A connection this old is replaced, so that a server behind a name can be replaced too. The same
/// as that of sqlx's pool.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// How long after its last use a connection is taken for alive without asking.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// How long a call waits for one of the connections, all of which others use.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may take to be made. More than a [probe](super::probe) takes to find that there is no
/// server: a call that gave up before would end the probe, and those behind it would wait for another.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection that has nothing to do may take to answer.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// A few connections to one server, made when they are needed. Cheap to clone; the clones are the
/// same.
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
    /// Connections that wait for a call.
    idle: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    connection: PgConnection,
    /// That of the [server](Server::generation) when it was made.
    generation: u64,
    made_at: Instant,
    used_at: Instant,
}

/// A connection for one call. Dropped without [`Lane::done`], it is closed.
#[derive(Debug)]
pub(super) struct Lane {
    /// `None` once it has gone back.
    open: Option<Open>,
    home: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Lanes {
    pub(super) fn new(connect: PgConnectOptions, server: Arc<Server>, count: usize) -> Self {
        let shared = Arc::new(Shared { connect, server, idle: Mutex::default() });
        Self { shared, permits: Arc::new(Semaphore::new(count)) }
    }

    /// Waits for a connection.
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
    /// A connection that waits for a call and is not too old.
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
        // The list is whole after every operation, so a panic elsewhere does not spoil it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// What has not been used for a while may have been cut since.
    async fn if_alive(mut self) -> Option<Self> {
        let is_trusted = self.used_at.elapsed() < TRUSTED_FOR;
        (is_trusted || is_alive(&mut self.connection).await.is_ok()).then_some(self)
    }
}

/// Asks the server.
async fn is_alive(connection: &mut PgConnection) -> Result<(), Error> {
    timeout(PING_TIMEOUT, connection.ping()).await.map_err(|_| silence())?
}

impl Lane {
    pub(super) fn get(&mut self) -> &mut PgConnection {
        &mut self.open.as_mut().expect("only `done` takes it").connection
    }

    /// Leaves the connection to the next call.
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

/// What stands before a server that is being replaced may take a connection and close it without a word.
/// To sqlx that is an answer that it does not understand, and would not be worth another try.
fn hung_up(error: Error) -> Error {
    match error {
        Error::Protocol(_) => Error::Io(ErrorKind::ConnectionAborted.into()),
        error => error,
    }
}

impl Drop for Lane {
    /// What has broken one connection may well have broken all.
    fn drop(&mut self) {
        if self.open.is_some() {
            self.home.idle().clear();
        }
    }
}
