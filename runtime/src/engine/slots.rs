//! How many attempts of activities a worker makes at a time.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::registry::Registry;
use super::session::Settings;
use crate::activities::ActivityEntry;

/// The places for attempts of one worker. An attempt takes one of every kind that concerns it, the
/// scarcest first, so that one that waits for the places of its activity takes none of the others.
#[derive(Debug)]
pub(crate) struct Slots {
    by_activity: HashMap<&'static str, Arc<Semaphore>>,
    blocking: Arc<Semaphore>,
    all: Arc<Semaphore>,
    /// Told when places have become free.
    freed: Arc<Notify>,
}

/// The places of one attempt, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Places {
    permits: Vec<OwnedSemaphorePermit>,
    freed: Arc<Notify>,
}

impl Slots {
    pub(crate) fn new(registry: &Registry, settings: &Settings) -> Self {
        let limited = registry.activities().filter_map(|entry| {
            let limit = entry.options.max_concurrent? as usize;
            Some((entry.name, Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS)))))
        });
        Self {
            by_activity: limited.collect(),
            blocking: Arc::new(Semaphore::new(settings.max_blocking)),
            all: Arc::new(Semaphore::new(settings.max_activities)),
            freed: Arc::default(),
        }
    }

    /// How many more attempts may be made now, whatever they are.
    pub(crate) fn available(&self) -> usize {
        self.all.available_permits()
    }

    /// How many more attempts of this activity may be made now, as far as others do not take the
    /// places.
    pub(crate) fn room(&self, entry: &ActivityEntry) -> usize {
        let permits = self.needed(entry).map(|semaphore| semaphore.available_permits());
        permits.min().unwrap_or(0)
    }

    /// Waits for the places of an attempt, in the order of asking. Cancellation safe.
    pub(crate) async fn take(&self, entry: &ActivityEntry) -> Places {
        let mut places = self.none();
        for semaphore in self.needed(entry) {
            // The semaphores are never closed; were they, attempts would run without a limit.
            places.permits.extend(Arc::clone(semaphore).acquire_owned().await.ok());
        }
        places
    }

    /// Takes the places of an attempt, if they are free.
    pub(crate) fn try_take(&self, entry: &ActivityEntry) -> Option<Places> {
        let mut places = self.none();
        for semaphore in self.needed(entry) {
            places.permits.push(Arc::clone(semaphore).try_acquire_owned().ok()?);
        }
        Some(places)
    }

    /// Waits until places have become free. Cancellation safe, for one task.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn needed(&self, entry: &ActivityEntry) -> impl Iterator<Item = &Arc<Semaphore>> {
        let blocking = entry.options.blocking.then_some(&self.blocking);
        [self.by_activity.get(entry.name), blocking, Some(&self.all)].into_iter().flatten()
    }

    fn none(&self) -> Places {
        Places { permits: Vec::with_capacity(3), freed: Arc::clone(&self.freed) }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.permits.clear();
        self.freed.notify_one();
    }
}
