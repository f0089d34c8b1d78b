//! The session: a connection that holds the locks of this process and receives notifications.
//!
//! Waiting for notifications also shows at once that the connection is broken. The session then reconnects, with a
//! bounded back-off, takes its locks again, and makes all loops look for due runs, because notifications may have
//! been missed.

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

/// How long to wait before retrying a lock that the previous connection still appears to hold.
const LOCK_RETRY: Duration = Duration::from_secs(1);

/// After this time without a message, the server is checked: if its host dies, the connection may stay open.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// How long the check may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The schema is part of the key, so that several stores in one database do not conflict.
const LOCK: &str = "SELECT pg_try_advisory_lock(hashtext('piton ' || current_schema()), $1)";

const UNLOCK: &str = "SELECT pg_advisory_unlock(hashtext('piton ' || current_schema()), $1)";

/// The check of a silent server.
const IS_THERE: &str = concat!("SELECT 1 WHERE ", takes_writes!());

/// A request to the session.
pub(super) enum Wish {
    /// Takes the lock of a worker and reports whether it is held. If the connection is broken, there is no report.
    Hold(WorkerId, oneshot::Sender<bool>),
    /// Releases it.
    LetGo(WorkerId),
}

/// The state that outlives each connection.
pub(super) struct Session {
    pub(super) connect: PgConnectOptions,
    pub(super) server: Arc<Server>,
    pub(super) wishes: mpsc::UnboundedReceiver<Wish>,
    pub(super) hub: Arc<Hub>,
    pub(super) origin: Origin,
    /// The channel of all notifications.
    pub(super) channel: Arc<str>,
    /// The workers whose locks are held.
    pub(super) held: BTreeSet<WorkerId>,
    /// Workers whose locks must still be taken.
    pub(super) missing: BTreeSet<WorkerId>,
    /// Before this time, the locks of others prove nothing.
    pub(super) settled_at: watch::Sender<Instant>,
}

/// The second part of a worker's lock key, with 31 bits.
fn key(worker: WorkerId) -> i32 {
    // The mask makes the conversion lossless.
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

    /// Uses one connection until it breaks or the store is dropped.
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
                // Cancellation safe: a message is received entirely or not at all.
                news = listener.try_recv() => match news? {
                    Some(news) => publish(news.payload(), self.origin, &self.hub),
                    None => return Err(sqlx::Error::Io(std::io::ErrorKind::UnexpectedEof.into())),
                },
                // The locks are useless once nobody checks them.
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
                // A caller that was dropped has not written the worker's row.
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

/// A connection that receives notifications.
pub(super) struct Lasting {
    pub(super) listener: PgListener,
    /// The [generation](Server::generation) of the server when it was opened.
    generation: u64,
    /// Not from a pool, since a connection that returned to a pool would keep its locks.
    _pool: PgPool,
}

/// Opens a connection that receives notifications.
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

/// Treats a server that does not respond as gone.
async fn answered<T>(
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let silence = |_| sqlx::Error::Io(ErrorKind::TimedOut.into());
    timeout(ANSWER_TIMEOUT, answer).await.map_err(silence)?
}
