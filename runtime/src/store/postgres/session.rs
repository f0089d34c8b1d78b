//! The connection that lasts: it holds locks that live as long as the process, and hears news.
//!
//! Waiting for news is also how the session learns at once that its connection has gone. It then
//! makes another, with a bounded back-off, takes its locks again, and has everybody look for due
//! runs, because news may have been missed.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{Acquire as _, PgPool};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, timeout};

use super::liveness::SETTLE;
use super::news::{Origin, publish};
use super::server::{Server, takes_writes};
use crate::model::WorkerId;
use crate::store::Hub;

/// The first wait after a failed attempt to connect; it doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(50);

const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// How long to wait before asking again for a lock that the last connection still seems to hold.
const LOCK_RETRY: Duration = Duration::from_secs(1);

/// After this much silence the server is asked whether it is still there: the end of its host need
/// not end the connection.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// How long it may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The schema is part of the key, so that several in one database do not meet.
const LOCK: &str = "SELECT pg_try_advisory_lock(hashtext('piton ' || current_schema()), $1)";

const UNLOCK: &str = "SELECT pg_advisory_unlock(hashtext('piton ' || current_schema()), $1)";

/// Asked of a server that has been silent.
const IS_THERE: &str = concat!("SELECT 1 WHERE ", takes_writes!());

/// Something for the session to do.
pub(super) enum Wish {
    /// Take the lock of a worker and say whether that worked. If the connection has gone, nothing is said.
    Hold(WorkerId, oneshot::Sender<bool>),
    /// Release it.
    LetGo(WorkerId),
}

/// What outlives each connection.
pub(super) struct Session {
    pub(super) connect: PgConnectOptions,
    pub(super) server: Arc<Server>,
    pub(super) wishes: mpsc::UnboundedReceiver<Wish>,
    pub(super) hub: Arc<Hub>,
    pub(super) origin: Origin,
    /// That of all notifications.
    pub(super) channel: Arc<str>,
    /// The workers whose locks are held.
    pub(super) held: BTreeSet<WorkerId>,
    /// Those whose locks should be held and are not yet.
    pub(super) missing: BTreeSet<WorkerId>,
    /// Before this time the locks of others mean nothing.
    pub(super) settled_at: watch::Sender<Instant>,
}

/// The second part of a worker's lock key, which has 31 bits.
fn key(worker: WorkerId) -> i32 {
    // The mask leaves nothing to be cut off.
    i32::try_from(worker.0 & i64::from(i32::MAX)).unwrap_or_default()
}

impl Session {
    /// Runs until the store is dropped.
    pub(super) async fn run(mut self, first: Lasting) {
        let mut lasting = Some(first);
        let mut wait = FIRST_WAIT;
        loop {
            let served = match lasting.take() {
                Some(lasting) => self.serve(lasting).await,
                None => match listen(&self.connect, &self.server, &self.channel).await {
                    Ok(lasting) => {
                        wait = FIRST_WAIT;
                        self.settled_at.send_replace(Instant::now() + SETTLE);
                        self.hub.announce_due();
                        self.serve(lasting).await
                    }
                    Err(error) => Err(error),
                },
            };
            match served {
                Ok(()) => return,
                Err(error) => tracing::debug!(%error, "the lasting connection has been lost"),
            }
            self.settled_at.send_replace(Instant::now() + SETTLE);
            self.missing.append(&mut self.held);
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Uses one connection for as long as it works, or until the store is dropped.
    async fn serve(&mut self, lasting: Lasting) -> Result<(), sqlx::Error> {
        let Lasting { mut listener, generation, .. } = lasting;
        loop {
            for worker in self.missing.clone() {
                if lock(&mut listener, worker).await? {
                    self.missing.remove(&worker);
                    self.held.insert(worker);
                }
            }
            tokio::select! {
                wish = self.wishes.recv() => match wish {
                    Some(wish) => self.grant(&mut listener, wish).await?,
                    None => return Ok(()),
                },
                // Cancellation safe: a message is taken from the connection whole or not at all.
                news = listener.try_recv() => match news? {
                    Some(news) => publish(news.payload(), self.origin, &self.hub),
                    None => return Err(sqlx::Error::Io(std::io::ErrorKind::UnexpectedEof.into())),
                },
                // The locks are of no use where nobody looks for them any more.
                () = self.server.distrusted(generation) => {
                    return Err(sqlx::Error::Io(ErrorKind::ConnectionAborted.into()));
                }
                () = sleep(LOCK_RETRY), if !self.missing.is_empty() => {}
                () = sleep(PING_INTERVAL) => {
                    let asked = answered(sqlx::query(IS_THERE).execute(&mut listener)).await;
                    asked.inspect_err(|error| self.server.judge(error))?;
                }
            }
        }
    }

    async fn grant(&mut self, listener: &mut PgListener, wish: Wish) -> Result<(), sqlx::Error> {
        match wish {
            Wish::Hold(worker, answer) => {
                let is_held = lock(listener, worker).await?;
                if is_held {
                    self.held.insert(worker);
                }
                // Whoever no longer waits for the answer has not written the worker's row.
                let _ = answer.send(is_held);
                Ok(())
            }
            Wish::LetGo(worker) => {
                self.missing.remove(&worker);
                if self.held.remove(&worker) {
                    answered(sqlx::query(UNLOCK).bind(key(worker)).execute(listener)).await?;
                }
                Ok(())
            }
        }
    }
}

/// A connection that hears news.
pub(super) struct Lasting {
    pub(super) listener: PgListener,
    /// That of the [server](Server::generation) when it was made.
    generation: u64,
    /// Its alone: a connection that went back to a pool would keep its locks.
    _pool: PgPool,
}

/// Makes a connection that hears news.
pub(super) async fn listen(
    connect: &PgConnectOptions,
    server: &Server,
    channel: &str,
) -> Result<Lasting, sqlx::Error> {
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .acquire_timeout(ANSWER_TIMEOUT)
        .connect_lazy_with(connect.clone());
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    let generation = answered(server.meet((&mut listener).acquire().await?)).await?;
    listener.listen(channel).await?;
    Ok(Lasting { listener, generation, _pool: pool })
}

async fn lock(listener: &mut PgListener, worker: WorkerId) -> Result<bool, sqlx::Error> {
    answered(sqlx::query_scalar(LOCK).bind(key(worker)).fetch_one(listener)).await
}

/// Takes a server that does not answer for one that has gone.
async fn answered<T>(
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let silence = |_| sqlx::Error::Io(ErrorKind::TimedOut.into());
    timeout(ANSWER_TIMEOUT, answer).await.map_err(silence)?
}
