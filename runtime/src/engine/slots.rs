//! The slots for attempts of activities in a worker, and the attempts that occupy them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::registry::Registry;
use super::session::Settings;
use crate::activities::{ActivityContext, ActivityEntry, ActivityInfo};
use crate::model::WorkerId;

/// The slots of one worker. An attempt takes one slot of every kind that applies to it, the scarcest kind first, so
/// that an attempt that waits for a slot of its own activity does not occupy the others.
#[derive(Debug)]
pub(crate) struct Slots {
    by_activity: HashMap<&'static str, Arc<Semaphore>>,
    blocking: Arc<Semaphore>,
    all: Arc<Semaphore>,
    under_way: Arc<UnderWay>,
}

/// The attempts that have slots and have begun.
#[derive(Debug, Default)]
struct UnderWay {
    attempts: Mutex<Begun>,
    /// Notified when slots become free.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Begun {
    /// The number of attempts begun so far.
    count: u64,
    /// Those whose functions have not ended, by number.
    by_number: HashMap<u64, (WorkerId, ActivityContext)>,
}

impl UnderWay {
    fn lock(&self) -> MutexGuard<'_, Begun> {
        // The value is consistent after every operation, so a poisoned lock is usable.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Slots reserved until the activities of a claim are known, and free again when this is dropped. That does not
/// wake waiters of [`Slots::freed`], since these are the ones who reserve slots.
#[derive(Debug)]
pub(crate) struct Reserved {
    by_activity: HashMap<&'static str, OwnedSemaphorePermit>,
    blocking: Option<OwnedSemaphorePermit>,
    all: Option<OwnedSemaphorePermit>,
    under_way: Arc<UnderWay>,
}

/// The slots of one attempt, free again when this is dropped: when its function has really ended. A function that
/// blocks its thread keeps them even if nobody waits for it.
#[derive(Debug)]
pub(crate) struct Places {
    permits: SmallVec<[OwnedSemaphorePermit; 1]>,
    /// The number of the attempt, once it has begun.
    begun: Option<u64>,
    under_way: Arc<UnderWay>,
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
            under_way: Arc::default(),
        }
    }

    /// Reserves free slots for up to `most` attempts of any activity.
    pub(crate) fn reserve(&self, most: usize) -> Reserved {
        let take = |semaphore: &Arc<Semaphore>| {
            let free = semaphore.available_permits().min(most);
            // At most `most`, which is small. If other tasks take permits between the check and this, the
            // reservation is empty, and the caller tries again when slots are free.
            Arc::clone(semaphore).try_acquire_many_owned(free as u32).ok()
        };
        let limited = self.by_activity.iter();
        Reserved {
            by_activity: limited.filter_map(|(name, free)| Some((*name, take(free)?))).collect(),
            blocking: take(&self.blocking),
            all: take(&self.all),
            under_way: Arc::clone(&self.under_way),
        }
    }

    /// Waits for the slots of an attempt, in the order of requests. Cancellation safe.
    pub(crate) async fn take(&self, entry: &ActivityEntry) -> Places {
        let mut places = self.none();
        for semaphore in self.needed(entry) {
            // Semaphores are never closed. If they were, attempts would run without a limit.
            places.permits.extend(Arc::clone(semaphore).acquire_owned().await.ok());
        }
        places
    }

    /// Takes the slots of an attempt, if they are free.
    pub(crate) fn try_take(&self, entry: &ActivityEntry) -> Option<Places> {
        let mut places = self.none();
        for semaphore in self.needed(entry) {
            places.permits.push(Arc::clone(semaphore).try_acquire_owned().ok()?);
        }
        Some(places)
    }

    /// Waits until slots become free. Cancellation safe. For a single waiter.
    pub(crate) async fn freed(&self) {
        self.under_way.freed.notified().await;
    }

    /// The attempts of this worker's session that have begun and whose functions have not ended, in the order in
    /// which they began.
    pub(crate) fn under_way(&self, worker: WorkerId) -> Vec<ActivityInfo> {
        let under_way = self.under_way.lock();
        let ours = under_way.by_number.iter().filter(|(_, (of, _))| *of == worker);
        let mut ours: Vec<_> = ours.map(|(number, (_, cx))| (*number, cx.info().clone())).collect();
        drop(under_way);
        ours.sort_unstable_by_key(|(number, _)| *number);
        ours.into_iter().map(|(_, info)| info).collect()
    }

    fn needed(&self, entry: &ActivityEntry) -> impl Iterator<Item = &Arc<Semaphore>> {
        let blocking = entry.options.blocking.then_some(&self.blocking);
        [self.by_activity.get(entry.name), blocking, Some(&self.all)].into_iter().flatten()
    }

    fn none(&self) -> Places {
        Places { permits: SmallVec::new(), begun: None, under_way: Arc::clone(&self.under_way) }
    }
}

impl Reserved {
    /// The number of attempts that have reserved slots.
    pub(crate) fn left(&self) -> usize {
        count(&self.all)
    }

    /// The number of blocking attempts that have reserved slots.
    pub(crate) fn left_blocking(&self) -> usize {
        count(&self.blocking).min(self.left())
    }

    /// The number of attempts of this activity that can get slots now.
    pub(crate) fn left_of(&self, entry: &ActivityEntry) -> usize {
        let own = match entry.options.max_concurrent {
            Some(_) => self.by_activity.get(entry.name).map_or(0, |kept| kept.num_permits()),
            None => usize::MAX,
        };
        own.min(if entry.options.blocking { self.left_blocking() } else { self.left() })
    }

    /// Takes the slots of an attempt, if they are reserved.
    pub(crate) fn take(&mut self, entry: &ActivityEntry) -> Option<Places> {
        if self.left_of(entry) == 0 {
            return None;
        }
        let own = self.by_activity.get_mut(entry.name);
        let blocking = self.blocking.as_mut().filter(|_| entry.options.blocking);
        let kept = [own, blocking, self.all.as_mut()].into_iter().flatten();
        let permits = kept.filter_map(|kept| kept.split(1)).collect();
        Some(Places { permits, begun: None, under_way: Arc::clone(&self.under_way) })
    }
}

fn count(kept: &Option<OwnedSemaphorePermit>) -> usize {
    kept.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
}

impl Places {
    /// Marks the attempt as begun, in the session of this worker.
    pub(crate) fn begin(&mut self, worker: WorkerId, context: &ActivityContext) {
        let mut under_way = self.under_way.lock();
        let number = under_way.count;
        under_way.count += 1;
        under_way.by_number.insert(number, (worker, context.clone()));
        self.begun = Some(number);
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.permits.clear();
        if let Some(number) = self.begun {
            // The context may hold the last reference to a dependency of the program.
            let ended = self.under_way.lock().by_number.remove(&number);
            drop(ended);
        }
        self.under_way.freed.notify_one();
    }
}
