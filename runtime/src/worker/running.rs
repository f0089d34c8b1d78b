//! A worker at work, and the protocol that ends it.
//!
//! Shutdown: the worker stops claiming and starting; steps that are being made are committed;
//! activities that run may end within the grace period, and what they return is committed; then
//! the worker gives up its registration, which hands everything it still owned to others at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::client::Client;
use crate::engine::loops::{self, lease};
use crate::engine::panics::caught;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::process;

/// The wait before a worker that cannot register tries again, or one that has panicked goes on.
const REGISTER_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A worker that has been started. Dropping it stops it without the protocol: others take over its
/// runs when they notice.
#[derive(Debug)]
#[must_use = "dropping a running worker stops it"]
pub struct RunningWorker {
    /// Told to stop.
    stop: watch::Sender<bool>,
    /// Ends when the worker has handed back its runs.
    supervisor: JoinHandle<Result<(), StoreError>>,
}

impl RunningWorker {
    pub(super) fn start(client: Client, session: Arc<Session>, grace: Duration) -> Self {
        let (stop, stopping) = watch::channel(false);
        client.add_host(&session);
        let supervisor = Supervisor { client, stopping, grace };
        Self { stop, supervisor: process::spawn(supervisor.run(session)) }
    }

    /// Ends the worker in order: it stops claiming, finishes and commits steps, lets activities end
    /// within the grace period, and hands back what it owns.
    ///
    /// Not cancellation safe: dropping the future is dropping the worker. Nothing is handed back then; the
    /// others take over its runs when its lease has run out, or at once if the process ends. Limit the time
    /// with [`Worker::shutdown_grace`](super::Worker::shutdown_grace) and not with a timeout around this.
    ///
    /// # Errors
    /// The runs could not be handed back because the database failed or the lease was lost before;
    /// others take them over when the lease has run out. Nothing is lost.
    pub async fn shutdown(mut self) -> crate::Result<()> {
        self.stop.send_replace(true);
        match (&mut self.supervisor).await {
            Ok(released) => released.map_err(crate::Error::from),
            Err(stopped) => Err(crate::Error::from(stopped).context("the worker has stopped")),
        }
    }

    /// Lets the worker work until the process is asked to end (SIGTERM, SIGINT or Ctrl-C), then
    /// shuts it down. Such signals are heard from the call on, also before the future is polled.
    /// Activities that run then may end within
    /// [`Worker::shutdown_grace`](super::Worker::shutdown_grace). Those that do not are cut off: the
    /// attempt counts as interrupted, another worker makes the next one, and the worker has still
    /// ended well.
    ///
    /// Dropping the future is dropping the worker, as with [`RunningWorker::shutdown`].
    ///
    /// # Errors
    /// As [`RunningWorker::shutdown`], or if signals of the process cannot be received.
    pub fn run_until_signal(self) -> impl Future<Output = crate::Result<()>> + Send {
        let asked = asked_to_end();
        async move {
            asked?.await?;
            info!("shutting down");
            self.shutdown().await
        }
    }
}

/// Listens for signals that ask the process to end. The future is done when one has come.
#[cfg(unix)]
fn asked_to_end() -> std::io::Result<impl Future<Output = std::io::Result<()>> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(())
    })
}

#[cfg(not(unix))]
fn asked_to_end() -> std::io::Result<impl Future<Output = std::io::Result<()>> + Send> {
    Ok(tokio::signal::ctrl_c())
}

impl Drop for RunningWorker {
    fn drop(&mut self) {
        self.supervisor.abort();
    }
}

/// Keeps a worker in session.
struct Supervisor {
    client: Client,
    stopping: watch::Receiver<bool>,
    grace: Duration,
}

/// How a session ended.
enum End {
    Stopped,
    Lost,
    Broken,
}

impl Supervisor {
    async fn run(mut self, mut session: Arc<Session>) -> Result<(), StoreError> {
        loop {
            let guard = AbandonOnDrop(Arc::clone(&session));
            // To the very end: activities may take longer to end than the lease lasts.
            let leased = Arc::clone(&session);
            let mut lease = Box::pin(lease::run(&leased));
            let served = caught(self.serve(&session, lease.as_mut())).await;
            self.client.remove_host(&session);
            let end = served.unwrap_or_else(|message| {
                error!(%message, "the worker has panicked, and registers anew");
                End::Broken
            });
            match end {
                End::Stopped => {
                    let drained = tokio::select! {
                        biased;
                        drained = session.drain(Instant::now() + self.grace) => drained,
                        () = &mut lease => return Err(StoreError::Fenced),
                    };
                    drop(lease);
                    return session.release(drained).await;
                }
                End::Lost => drop(guard),
                End::Broken => {
                    drop((lease, guard));
                    // What has led to it may still be there.
                    tokio::time::sleep(REGISTER_AGAIN_AFTER).await;
                }
            }
            match self.register(&session).await {
                Some(next) => {
                    self.client.add_host(&next);
                    session = next;
                }
                None => return Ok(()),
            }
        }
    }

    async fn serve(&mut self, session: &Arc<Session>, lease: impl Future<Output = ()>) -> End {
        tokio::select! {
            biased;
            // The worker's handle is gone or has asked.
            _ = self.stopping.wait_for(|stop| *stop) => End::Stopped,
            () = session.phases().lost() => End::Lost,
            () = lease => End::Lost,
            () = loops::run(session) => End::Lost,
        }
    }

    /// Opens the next session; `None` if the worker is to stop.
    async fn register(&mut self, lost: &Session) -> Option<Arc<Session>> {
        loop {
            let store = Arc::clone(self.client.store());
            let deliveries = self.client.deliveries().clone();
            let reports = self.client.reports().clone();
            let open = async {
                let opened =
                    Session::open(store, deliveries, reports, Arc::clone(&lost.host)).await;
                if let Err(error) = &opened {
                    warn!(%error, "the worker cannot register yet");
                    tokio::time::sleep(REGISTER_AGAIN_AFTER).await;
                }
                opened
            };
            tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stop| *stop) => return None,
                opened = open => if let Ok(session) = opened {
                    return Some(session);
                }
            }
        }
    }
}

/// Stops a session's drivers when its supervisor ends out of order.
struct AbandonOnDrop(Arc<Session>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
