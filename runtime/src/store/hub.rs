//! In-process news: what a store has committed reaches waiting tasks without a query.
//!
//! News is a hint. Whoever waits for it also polls slowly, so a lost or spurious message costs time
//! and nothing else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc};

use crate::model::RunId;

/// What can be told of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// Its inbox has grown.
    Arrival(RunId),
    /// It has closed or become blocked.
    Settled(RunId),
}

impl RunEvent {
    fn run_id(self) -> RunId {
        match self {
            Self::Arrival(run_id) | Self::Settled(run_id) => run_id,
        }
    }
}

/// Who wants news of which run, each under the key of its subscription.
type Subscribers = HashMap<RunId, Vec<(u64, mpsc::UnboundedSender<RunEvent>)>>;

/// Tells tasks of this process that a run is due, has got something, or has settled.
#[derive(Debug, Default)]
pub struct Hub {
    due: Notify,
    subscribers: Mutex<Subscribers>,
    next_key: AtomicU64,
    arrivals: AtomicU64,
}

impl Hub {
    /// Says that at least one run may be due. One waiting task is woken, or the next to wait.
    pub fn announce_due(&self) {
        self.due.notify_one();
    }

    /// Waits until some run may be due. Cancellation safe.
    pub async fn due(&self) {
        self.due.notified().await;
    }

    /// Passes news to whoever subscribed to the run.
    pub fn announce(&self, event: RunEvent) {
        if let RunEvent::Arrival(_) = event {
            self.arrivals.fetch_add(1, Ordering::Release);
        }
        let subscribers = self.lock();
        if let Some(senders) = subscribers.get(&event.run_id()) {
            for (_, sender) in senders {
                // A receiver that is gone is about to remove itself.
                let _ = sender.send(event);
            }
        }
    }

    /// How many arrivals have been announced, of whatever run. Whoever reads an inbox, subscribes,
    /// and finds the number unchanged has missed nothing.
    pub fn arrivals(&self) -> u64 {
        self.arrivals.load(Ordering::Acquire)
    }

    /// Has news of `run_id` sent to `sender` until the subscription is dropped.
    pub fn subscribe(
        self: &Arc<Self>,
        run_id: RunId,
        sender: mpsc::UnboundedSender<RunEvent>,
    ) -> Subscription {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        self.lock().entry(run_id).or_default().push((key, sender));
        Subscription { hub: Arc::clone(self), run_id, key }
    }

    fn lock(&self) -> MutexGuard<'_, Subscribers> {
        // The map is whole after every operation, so a panic elsewhere does not spoil it.
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a subscription when dropped.
#[derive(Debug)]
pub struct Subscription {
    hub: Arc<Hub>,
    run_id: RunId,
    key: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut subscribers = self.hub.lock();
        if let Some(senders) = subscribers.get_mut(&self.run_id) {
            senders.retain(|(key, _)| *key != self.key);
            if senders.is_empty() {
                subscribers.remove(&self.run_id);
            }
        }
    }
}
