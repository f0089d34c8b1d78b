//! Connections for what an owner must not wait for: claims, commits and renewals of the lease.
//!
//! They are few and nobody else may take them, so thousands of callers that read cannot hold up a
//! commit. A connection goes back only from a call that has ended well: sqlx's pool, which cannot
//! know that, asks the server at every return instead, a round trip for every commit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// A connection this old is replaced, so that a server behind a name can be replaced too. The same
/// as that of sqlx's pool.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// A few connections to one server, made when they are needed.
#[derive(Debug)]
pub(super) struct Lanes {
    shared: Arc<Shared>,
    /// One permit for each connection.
    permits: Arc<Semaphore>,
    /// How long to wait for a permit, and for a connection to be made.
    patience: Duration,
}

#[derive(Debug)]
struct Shared {
    connect: PgConnectOptions,
    /// Connections that wait for a call.
    idle: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    connection: PgConnection,
    made_at: Instant,
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
    pub(super) fn new(connect: PgConnectOptions, count: usize, patience: Duration) -> Self {
        let shared = Arc::new(Shared { connect, idle: Mutex::default() });
        Self { shared, permits: Arc::new(Semaphore::new(count)), patience }
    }

    /// Waits for a connection.
    pub(super) async fn lane(&self) -> Result<Lane, Error> {
        let permit = timeout(self.patience, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)?;
        let home = Arc::clone(&self.shared);
        let idle = home.idle().pop().filter(|open| open.made_at.elapsed() < MAX_LIFETIME);
        let open = match idle {
            Some(open) => open,
            None => {
                let made = timeout(self.patience, home.connect.connect()).await;
                let connection = made.map_err(|_| Error::PoolTimedOut)??;
                Open { connection, made_at: Instant::now() }
            }
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
    fn idle(&self) -> MutexGuard<'_, Vec<Open>> {
        // The list is whole after every operation, so a panic elsewhere does not spoil it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    pub(super) fn get(&mut self) -> &mut PgConnection {
        &mut self.open.as_mut().expect("only `done` takes it").connection
    }

    /// Leaves the connection to the next call.
    pub(super) fn done(mut self) {
        if let Some(open) = self.open.take() {
            self.home.idle().push(open);
        }
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
