//! The attempts of queued activities that a session makes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::engine::link::Link;
use crate::engine::suspicion::Suspicion;
use crate::store::ActivityKey;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Held {
    attempts: Mutex<BTreeMap<ActivityKey, Attempt>>,
    /// Notified when an attempt has ended and its slots are free.
    freed: Notify,
    /// Suspects that the database assigns attempts to the session that are not held.
    pub(crate) strays: Suspicion,
    /// Attempts dropped before they began.
    unbegun: Mutex<Vec<(ActivityKey, u32)>>,
    /// Notified of each of them.
    unbegun_news: Notify,
    /// Locked from a claim until its attempts are held. In between they look like strays.
    pub(crate) claiming: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Attempt {
    number: u32,
    link: Arc<Link>,
    /// `None` until the task has been spawned.
    task: Option<AbortHandle>,
}

impl Held {
    /// Registers an attempt, until the returned value is dropped.
    pub(crate) fn hold(
        self: &Arc<Self>,
        key: ActivityKey,
        number: u32,
        link: Arc<Link>,
    ) -> HeldAttempt {
        self.lock().insert(key, Attempt { number, link: Arc::clone(&link), task: None });
        let held = Arc::clone(self);
        HeldAttempt { held, key, number, link, is_reported: false }
    }

    /// Sets the task that makes the attempt.
    pub(crate) fn made_by(&self, key: ActivityKey, number: u32, task: AbortHandle) {
        let mut attempts = self.lock();
        if let Some(attempt) = attempts.get_mut(&key).filter(|attempt| attempt.number == number) {
            if attempt.link.is_called_off() {
                task.abort();
            }
            attempt.task = Some(task);
        }
    }

    /// Calls off the attempts that have not begun.
    pub(crate) fn call_off(&self) {
        for attempt in self.lock().values() {
            if attempt.link.call_off() {
                attempt.task.iter().for_each(AbortHandle::abort);
            }
        }
    }

    /// All attempts, in order.
    pub(crate) fn list(&self) -> Vec<(ActivityKey, u32)> {
        self.lock().iter().map(|(key, attempt)| (*key, attempt.number)).collect()
    }

    /// Cancels an attempt; without a number, the current one.
    pub(crate) fn cancel(&self, key: ActivityKey, number: Option<u32>) {
        let attempts = self.lock();
        if let Some(Attempt { number: known, link, task: Some(task) }) = attempts.get(&key)
            && number.is_none_or(|number| number == *known)
        {
            link.cancel(task);
        }
    }

    /// Takes the attempts that were dropped before they began.
    pub(crate) fn take_unbegun(&self) -> Vec<(ActivityKey, u32)> {
        std::mem::take(&mut self.unbegun.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until an attempt was dropped before it began. Cancellation safe. For a single waiter.
    pub(crate) async fn has_unbegun(&self) {
        self.unbegun_news.notified().await;
    }

    /// Notifies that slots are free.
    pub(crate) fn note_freed(&self) {
        self.freed.notify_one();
    }

    /// Waits until an attempt has ended. Cancellation safe. For a single waiter.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ActivityKey, Attempt>> {
        // The map is consistent after every operation, so a poisoned lock is usable.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Unregisters an attempt when dropped.
#[derive(Debug)]
pub(crate) struct HeldAttempt {
    held: Arc<Held>,
    key: ActivityKey,
    number: u32,
    link: Arc<Link>,
    is_reported: bool,
}

impl HeldAttempt {
    /// Unregisters an attempt whose end is written.
    pub(crate) fn reported(mut self) {
        self.is_reported = true;
    }
}

impl Drop for HeldAttempt {
    fn drop(&mut self) {
        let mut attempts = self.held.lock();
        // The next attempt may already be registered, even under the same number.
        if attempts.get(&self.key).is_some_and(|attempt| Arc::ptr_eq(&attempt.link, &self.link)) {
            attempts.remove(&self.key);
        }
        drop(attempts);
        if !self.is_reported && self.link.call_off() {
            let unbegun = self.held.unbegun.lock();
            unbegun.unwrap_or_else(PoisonError::into_inner).push((self.key, self.number));
            self.held.unbegun_news.notify_one();
        }
        self.held.note_freed();
    }
}
