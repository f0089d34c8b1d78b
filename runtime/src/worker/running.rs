//! A running worker, and its shutdown.
//!
//! Shutdown: the worker stops claiming and starting; steps in progress are committed; running activities may end
//! within the grace period, and their results are committed; then the worker is removed, which releases everything
//! it still owns at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tracing::{error, info};

use crate::client::Client;
use crate::engine::clock::after;
use crate::engine::keeper;
use crate::engine::loops::{self, lease};
use crate::engine::outage::tried_again;
use crate::engine::panics::caught;
use crate::engine::session::Session;
use crate::engine::stuck::Stuck;
use crate::error::StoreError;
use crate::process;

/// The wait before another try after a failed registration or a panic.
const REGISTER_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A started worker. Dropping it stops it without the shutdown: others take over its runs when they notice.
#[derive(Debug)]
#[must_use = "dropping a running worker stops it"]
pub struct RunningWorker {
    /// Signals the worker to stop.
    stop: watch::Sender<bool>,
    /// Ends when the worker has released its runs.
    supervisor: JoinHandle<crate::Result<()>>,
    /// The current session of the supervisor.
    current: Current,
    /// See [`Worker::shutdown_grace`](super::Worker::shutdown_grace).
    grace: Duration,
}

/// The current session of a worker. Cheap to clone.
#[derive(Clone, Debug)]
struct Current(Arc<Mutex<Arc<Session>>>);

impl Current {
    fn get(&self) -> Arc<Session> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, session: &Arc<Session>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(session);
    }
}

impl RunningWorker {
    pub(super) fn start(client: Client, session: Arc<Session>, grace: Duration) -> Self {
        let (stop, stopping) = watch::channel(false);
        client.add_host(&session);
        let current = Current(Arc::new(Mutex::new(Arc::clone(&session))));
        let supervisor = Supervisor { client, stopping, current: current.clone(), grace };
        Self { stop, supervisor: process::spawn(supervisor.run(session)), current, grace }
    }

    /// Shuts the worker down: it stops claiming, finishes and commits steps, lets activities end within the grace
    /// period, and releases what it owns.
    ///
    /// Not cancellation safe: dropping the future drops the worker. Nothing is released then; others take over its
    /// runs when its lease has expired, or at once if the process ends. To limit the time, use
    /// [`Worker::shutdown_grace`](super::Worker::shutdown_grace) instead of a timeout around this call.
    ///
    /// # Errors
    /// The runs could not be released, because the database failed or the lease was lost before. Others take them
    /// over when the lease has expired. Nothing is lost.
    ///
    /// Or a function blocks its thread after the grace period: an `#[activity(blocking)]`, or an async one that
    /// blocks without awaiting. The error is returned within a second after the grace period, and names each such
    /// activity and its run. By then the worker has released everything else, and the function's result no longer
    /// counts: another worker makes the next attempt. Only the end of the process ends such a function. Dropping a
    /// runtime waits for it, as at the end of `#[tokio::main]`; call [`std::process::exit`] instead.
    pub async fn shutdown(mut self) -> crate::Result<()> {
        self.stop.send_replace(true);
        let overdue = overdue(self.current.clone(), self.grace);
        tokio::select! {
            biased;
            ended = &mut self.supervisor => match ended {
                Ok(released) => released,
                Err(stopped) => Err(crate::Error::from(stopped).context("the worker has stopped")),
            },
            stuck = overdue => Err(left_behind(&stuck)),
        }
    }

    /// Runs the worker until the process receives SIGTERM, SIGINT or Ctrl-C, then shuts it down. Signals are
    /// handled from the call on, even before the future is polled. Running activities may end within
    /// [`Worker::shutdown_grace`](super::Worker::shutdown_grace). Those that do not are aborted and count as
    /// interrupted; another worker makes the next attempt. This is not an error.
    ///
    /// Dropping the future drops the worker, as with [`RunningWorker::shutdown`].
    ///
    /// # Errors
    /// Those of [`RunningWorker::shutdown`], or signals of the process cannot be received.
    pub fn run_until_signal(self) -> impl Future<Output = crate::Result<()>> + Send {
        let asked = asked_to_end();
        async move {
            asked?.await?;
            info!("shutting down");
            self.shutdown().await
        }
    }
}

/// How long after the grace period the worker's runtime must have begun to end its tasks.
const OVERDUE_AFTER: Duration = Duration::from_millis(600);

/// Waits, on a separate thread, until a shutdown is overdue because the worker's runtime makes no progress. Returns
/// what blocks it. Never returns if the worker ends by itself.
async fn overdue(current: Current, grace: Duration) -> Stuck {
    let apart = current.get().store.renews_apart().then(keeper::runtime).flatten();
    let Some(keeper) = apart else { return std::future::pending().await };
    let mut looked = AbortOnDrop(keeper.spawn(async move {
        sleep_until(after(after(Instant::now(), grace), OVERDUE_AFTER)).await;
        current.get().end_from_outside().await
    }));
    match (&mut looked.0).await {
        Ok(Some(stuck)) => stuck,
        _ => std::future::pending().await,
    }
}

/// A task that is aborted when this is dropped.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn left_behind(stuck: &Stuck) -> crate::Error {
    crate::Error::msg(format_args!(
        "the worker has stopped and leaves behind what blocks its thread: {stuck}"
    ))
}

/// Listens for signals that ask the process to end. The future is ready when one was received.
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

/// Runs the sessions of a worker, one after the other.
struct Supervisor {
    client: Client,
    stopping: watch::Receiver<bool>,
    /// Publishes its current session.
    current: Current,
    grace: Duration,
}

/// How a session ended.
enum End {
    Stopped,
    Lost,
    Broken,
}

impl Supervisor {
    async fn run(mut self, mut session: Arc<Session>) -> crate::Result<()> {
        loop {
            let guard = AbandonOnDrop(Arc::clone(&session));
            // Until the very end, because activities may take longer to end than the lease lasts.
            let leased = Arc::clone(&session);
            let mut lease = Box::pin(lease::run(&leased));
            let served = caught(self.serve(&session, lease.as_mut())).await;
            self.client.remove_host(&session);
            let end = served.unwrap_or_else(|message| {
                error!(
                    worker_id = session.lease().worker_id.0,
                    %message,
                    "the worker has panicked, and registers anew"
                );
                End::Broken
            });
            match end {
                End::Stopped => {
                    let drained = tokio::select! {
                        biased;
                        drained = session.drain(after(Instant::now(), self.grace)) => drained,
                        () = &mut lease => return Err(StoreError::Fenced.into()),
                    };
                    drop(lease);
                    let released = session.release(&drained).await;
                    return match drained.stuck.is_empty() {
                        true => Ok(released?),
                        false => Err(left_behind(&drained.stuck)),
                    };
                }
                End::Lost => drop(guard),
                End::Broken => {
                    drop((lease, guard));
                    // The cause may still exist.
                    tokio::time::sleep(REGISTER_AGAIN_AFTER).await;
                }
            }
            match self.register(&session).await {
                Some(next) => {
                    self.client.add_host(&next);
                    self.current.set(&next);
                    session = next;
                }
                None => return Ok(()),
            }
        }
    }

    async fn serve(&mut self, session: &Arc<Session>, lease: impl Future<Output = ()>) -> End {
        tokio::select! {
            biased;
            // The worker's handle was dropped, or has requested to stop.
            _ = self.stopping.wait_for(|stop| *stop) => End::Stopped,
            () = session.phases().lost() => End::Lost,
            () = lease => End::Lost,
            () = loops::run(session) => End::Lost,
        }
    }

    /// Opens the next session; `None` if the worker has to stop.
    async fn register(&mut self, lost: &Session) -> Option<Arc<Session>> {
        loop {
            let store = Arc::clone(self.client.store());
            let deliveries = self.client.deliveries().clone();
            let reports = self.client.reports().clone();
            let open = async {
                let opened =
                    Session::open(store, deliveries, reports, Arc::clone(&lost.host), Some(lost))
                        .await;
                if let Err(error) = &opened {
                    tried_again!(error, "the worker cannot register yet");
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

/// Stops a session's drivers if its supervisor ends unexpectedly.
struct AbandonOnDrop(Arc<Session>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
