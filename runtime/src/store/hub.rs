//! In-process notifications: commits of a store reach waiting tasks without a query.
//!
//! Notifications are hints. Every waiter also polls slowly, so a lost or spurious notification costs time and
//! nothing else.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{Notify, mpsc, oneshot};

use super::ActivityKey;
use super::Ending;
use crate::model::RunId;

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// Its inbox has a new arrival.
    Arrival(RunId),
    /// It has closed or was blocked.
    Settled(RunId),
}

impl RunEvent {
    fn run_id(self) -> RunId {
        match self {
            Self::Arrival(run_id) | Self::Settled(run_id) => run_id,
        }
    }
}

/// The maximum number of runs to remember with messages in the outbox.
const MAX_SENT: usize = 10_000;

/// A subscriber to events of runs, with the key of the subscription.
type Subscribers = HashMap<RunId, Vec<(u64, Subscriber)>>;

#[derive(Debug)]
enum Subscriber {
    /// Gets all events.
    Events(mpsc::UnboundedSender<RunEvent>),
    /// Waits for the end.
    End(oneshot::Sender<Option<Arc<Ending>>>),
}

/// The waiter to wake, and the key of its watch.
type Watcher = (u64, Arc<Notify>);

/// Notifies tasks of this process that a run is due, has an arrival, or has settled, and that an activity on a
/// queue is due or was dropped.
#[derive(Debug, Default)]
pub struct Hub {
    due: Notify,
    schedules: Notify,
    subscribers: Mutex<Subscribers>,
    next_key: AtomicU64,
    arrivals: AtomicU64,
    /// The waiters by queue.
    queues: Mutex<HashMap<String, Vec<Weak<Notify>>>>,
    /// Runs for which the store has put messages into the outbox.
    sent: Mutex<BTreeSet<RunId>>,
    /// Notified when a run is added.
    sent_news: Notify,
    /// The waiters for commits of runs, each with the key of its watch.
    watchers: Mutex<HashMap<RunId, Vec<Watcher>>>,
    /// Their number, because commits are frequent and watchers rare.
    watcher_count: AtomicUsize,
    /// Workers that make attempts of queued activities.
    makers: Mutex<Vec<mpsc::UnboundedSender<ActivityKey>>>,
}

impl Hub {
    /// Notifies that at least one run may be due, now or later. Wakes one waiting task, or the next to wait.
    pub fn announce_due(&self) {
        self.due.notify_one();
    }

    /// Waits until a run may be due. Cancellation safe.
    pub async fn due(&self) {
        self.due.notified().await;
    }

    /// Notifies that a schedule may be due, now or later.
    pub fn announce_schedule(&self) {
        self.schedules.notify_one();
    }

    /// Waits until a schedule may be due. Cancellation safe.
    pub async fn schedule(&self) {
        self.schedules.notified().await;
    }

    /// Sends an event to the subscribers of its run.
    pub fn announce(&self, event: RunEvent) {
        self.pass_on(event, || None);
    }

    /// Notifies that a run has closed; waiters for its end get the ending.
    pub fn announce_end(&self, run_id: RunId, ending: impl FnOnce() -> Ending) {
        self.pass_on(RunEvent::Settled(run_id), || Some(Arc::new(ending())));
    }

    fn pass_on(&self, event: RunEvent, ending: impl FnOnce() -> Option<Arc<Ending>>) {
        if let RunEvent::Arrival(_) = event {
            self.arrivals.fetch_add(1, Ordering::Release);
        }
        if let RunEvent::Settled(run_id) = event {
            self.announce_changed([run_id].into_iter());
        }
        let mut waiting = Vec::new();
        if let Some(subscribers) = self.lock().get_mut(&event.run_id()) {
            for (_, subscriber) in subscribers.iter() {
                if let Subscriber::Events(sender) = subscriber {
                    // A receiver that is gone will remove itself.
                    let _ = sender.send(event);
                }
            }
            if let RunEvent::Settled(_) = event {
                let ends = |(_, subscriber): &mut (u64, Subscriber)| {
                    matches!(subscriber, Subscriber::End(_))
                };
                waiting.extend(subscribers.extract_if(.., ends));
            }
        }
        if waiting.is_empty() {
            return;
        }
        let ending = ending();
        for (_, subscriber) in waiting {
            if let Subscriber::End(sender) = subscriber {
                let _ = sender.send(ending.clone());
            }
        }
    }

    /// The number of arrivals announced so far, for all runs. A task that reads an inbox, then subscribes, and
    /// finds this number unchanged has missed nothing.
    pub fn arrivals(&self) -> u64 {
        self.arrivals.load(Ordering::Acquire)
    }

    /// Sends events of `run_id` to `sender` until the subscription is dropped.
    pub fn subscribe(
        self: &Arc<Self>,
        run_id: RunId,
        sender: mpsc::UnboundedSender<RunEvent>,
    ) -> Subscription {
        self.add(run_id, Subscriber::Events(sender))
    }

    /// Waits for the end of a run, from this call on.
    pub fn watch_end(self: &Arc<Self>, run_id: RunId) -> EndWatch {
        let (sender, ending) = oneshot::channel();
        EndWatch { _subscription: self.add(run_id, Subscriber::End(sender)), ending }
    }

    /// Wakes the watchers of these runs, which were changed by commits of this process.
    pub fn announce_changed(&self, run_ids: impl Iterator<Item = RunId>) {
        if self.watcher_count.load(Ordering::Acquire) == 0 {
            return;
        }
        let watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        for run_id in run_ids {
            let of_run = watchers.get(&run_id).into_iter().flatten();
            of_run.for_each(|(_, watcher)| watcher.notify_one());
        }
    }

    /// Watches the commits of a run in this process, from this call on.
    pub fn watch_run(self: &Arc<Self>, run_id: RunId) -> RunWatch {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let changed = Arc::new(Notify::new());
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.entry(run_id).or_default().push((key, Arc::clone(&changed)));
        self.watcher_count.fetch_add(1, Ordering::Release);
        RunWatch { hub: Arc::clone(self), run_id, key, changed }
    }

    fn add(self: &Arc<Self>, run_id: RunId, subscriber: Subscriber) -> Subscription {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        self.lock().entry(run_id).or_default().push((key, subscriber));
        Subscription { hub: Arc::clone(self), run_id, key }
    }

    /// Notifies that an activity on this queue may be due, now or earlier than known.
    pub fn announce_queued(&self, queue: &str) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listeners) = queues.get_mut(queue) {
            listeners.retain(|listener| {
                let listener = listener.upgrade();
                listener.iter().for_each(|listener| listener.notify_one());
                listener.is_some()
            });
        }
    }

    /// Returns a `Notify` that is notified whenever an activity on one of these queues may be due, as long as it is
    /// kept.
    pub fn listen_to_queues<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Arc<Notify> {
        let listener = Arc::new(Notify::new());
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            queues.entry(name.to_owned()).or_default().push(Arc::downgrade(&listener));
        }
        listener
    }

    /// Notifies that a run has dropped an activity with a running attempt.
    pub fn announce_given_up(&self, key: ActivityKey) {
        let mut makers = self.makers.lock().unwrap_or_else(PoisonError::into_inner);
        makers.retain(|maker| maker.send(key).is_ok());
    }

    /// Reports every dropped activity, until the receiver is dropped.
    pub fn listen_for_given_up(&self) -> mpsc::UnboundedReceiver<ActivityKey> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.makers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Notifies that the store itself has put a message of a run into the outbox, for example that the run has
    /// closed.
    pub fn announce_sent(&self, run_id: RunId) {
        let mut sent = self.lock_sent();
        // If no task relays messages, nobody takes these. Runs left out are found by a sweep.
        if sent.len() < MAX_SENT {
            sent.insert(run_id);
        }
        drop(sent);
        self.sent_news.notify_one();
    }

    /// The runs announced since the last call, ordered by id.
    pub fn take_sent(&self) -> Vec<RunId> {
        std::mem::take(&mut *self.lock_sent()).into_iter().collect()
    }

    /// Waits until a run may have been announced. Cancellation safe.
    pub async fn sent(&self) {
        self.sent_news.notified().await;
    }

    fn lock_sent(&self) -> MutexGuard<'_, BTreeSet<RunId>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Subscribers> {
        // The map is consistent after every operation, so a poisoned lock is usable.
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the end of one run.
#[derive(Debug)]
pub struct EndWatch {
    ending: oneshot::Receiver<Option<Arc<Ending>>>,
    _subscription: Subscription,
}

impl EndWatch {
    /// Waits until the run has settled since the watch began. `None` if it is blocked, or if this process does not
    /// know its ending: then query the database.
    pub async fn settled(self) -> Option<Arc<Ending>> {
        // The sender is not dropped before it has sent.
        self.ending.await.unwrap_or_default()
    }
}

/// Watches the commits of one run, until dropped.
#[derive(Debug)]
pub struct RunWatch {
    hub: Arc<Hub>,
    run_id: RunId,
    key: u64,
    changed: Arc<Notify>,
}

impl RunWatch {
    /// Waits until something may have been committed since the last call, or since the watch began. Cancellation
    /// safe.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Drop for RunWatch {
    fn drop(&mut self) {
        let mut watchers = self.hub.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        self.hub.watcher_count.fetch_sub(1, Ordering::Release);
        if let Some(of_run) = watchers.get_mut(&self.run_id) {
            of_run.retain(|(key, _)| *key != self.key);
            if of_run.is_empty() {
                watchers.remove(&self.run_id);
            }
        }
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
        if let Some(of_run) = subscribers.get_mut(&self.run_id) {
            of_run.retain(|(key, _)| *key != self.key);
            if of_run.is_empty() {
                subscribers.remove(&self.run_id);
            }
        }
    }
}
