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
    /// Told when one has ended and its place is free.
    freed: Notify,
    /// That the database has given attempts that are not held.
    pub(crate) strays: Suspicion,
    /// Those that were dropped before they began.
    unbegun: Mutex<Vec<(ActivityKey, u32)>>,
    /// Told of each of them.
    unbegun_news: Notify,
    /// Held from asking for activities until they are held: in between they look like strays.
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
    /// Takes an attempt in; it is held until what this returns is dropped.
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

    /// Says which task makes the attempt.
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

    /// Tells an attempt that it is no longer wanted. Without a number, whichever is being made.
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

    /// Waits until an attempt was dropped before it began. Cancellation safe, for one task.
    pub(crate) async fn has_unbegun(&self) {
        self.unbegun_news.notified().await;
    }

    /// Says that a place is free.
    pub(crate) fn note_freed(&self) {
        self.freed.notify_one();
    }

    /// Waits until an attempt has ended. Cancellation safe, for one task.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ActivityKey, Attempt>> {
        // Whole after every operation, so a panic elsewhere does not spoil it.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets go of an attempt when it is dropped.
#[derive(Debug)]
pub(crate) struct HeldAttempt {
    held: Arc<Held>,
    key: ActivityKey,
    number: u32,
    link: Arc<Link>,
    is_reported: bool,
}

impl HeldAttempt {
    /// Lets go of an attempt whose end is written.
    pub(crate) fn reported(mut self) {
        self.is_reported = true;
    }
}

impl Drop for HeldAttempt {
    fn drop(&mut self) {
        let mut attempts = self.held.lock();
        // The next attempt may be here already, even under the same number.
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
