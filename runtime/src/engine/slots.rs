//! How many attempts of activities a worker makes at a time.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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
}

/// The places of one attempt, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Places(#[expect(dead_code, reason = "held")] Vec<OwnedSemaphorePermit>);

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
        }
    }

    /// How many more attempts may be made now, whatever they are.
    pub(crate) fn available(&self) -> usize {
        self.all.available_permits()
    }

    /// Waits for the places of an attempt, in the order of asking. Cancellation safe.
    pub(crate) async fn take(&self, entry: &ActivityEntry) -> Places {
        let blocking = entry.options.blocking.then_some(&self.blocking);
        let needed = [self.by_activity.get(entry.name), blocking, Some(&self.all)];
        let mut places = Vec::with_capacity(1);
        for semaphore in needed.into_iter().flatten() {
            // The semaphores are never closed; were they, attempts would run without a limit.
            places.extend(Arc::clone(semaphore).acquire_owned().await.ok());
        }
        Places(places)
    }
}
