//! The state that all connections to an in-memory store share.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::MemoryStore;
use super::state::{News, State};
use crate::model::{RunId, Timestamp};
use crate::store::{ActivityKey, Ending, Hub, ManualClock, RunEvent};

pub(super) struct Database {
    /// All rows.
    pub(super) state: Mutex<State>,
    /// The clock.
    pub(super) clock: MemoryClock,
    /// The connections to notify.
    pub(super) connections: Mutex<Vec<Weak<MemoryStore>>>,
}

pub(super) enum MemoryClock {
    /// Follows tokio's clock.
    Tokio {
        /// Zero of the clock, on tokio's clock.
        started: Instant,
        /// The clock's time at that moment.
        base: Timestamp,
        /// By how many microseconds the clock was set forward since.
        moved: AtomicI64,
    },
    /// Moves only when set.
    Manual(Arc<ManualClock>),
}

impl MemoryClock {
    pub(super) fn now(&self) -> Timestamp {
        match self {
            Self::Tokio { started, base, moved } => {
                let now = *base + started.elapsed();
                Timestamp(now.0.saturating_add(moved.load(Ordering::Relaxed)))
            }
            Self::Manual(clock) => clock.now(),
        }
    }
}

impl MemoryStore {
    /// Notifies this connection at once, including how runs have ended, and the others after their delays.
    pub(super) fn spread(&self, news: &News<'_>) {
        // As with a database, other processes are not notified of every commit.
        self.hub.announce_changed(news.changed.iter().copied());
        if news.is_empty() {
            return;
        }
        Told::of(news, true).tell(&self.hub);
        news.sent.iter().for_each(|run_id| self.hub.announce_sent(*run_id));
        let mut connections = self.database.lock_connections();
        connections.retain(|connection| connection.strong_count() > 0);
        let others = connections.iter().filter_map(Weak::upgrade);
        for other in others.filter(|other| !std::ptr::eq(&**other, self)) {
            let told = Told::of(news, false);
            match other.hook().map_or(Some(Duration::ZERO), |hook| hook.news_delay()) {
                None => {}
                Some(Duration::ZERO) => told.tell(&other.hub),
                Some(delay) => {
                    let hub = Arc::clone(&other.hub);
                    tokio::spawn(async move {
                        tokio::time::sleep(delay).await;
                        told.tell(&hub);
                    });
                }
            }
        }
    }
}

/// The notifications of a transition for one connection.
struct Told {
    arrivals: Vec<RunId>,
    settled: Vec<(RunId, Option<Ending>)>,
    due: bool,
    queues: BTreeSet<String>,
    given_up: Vec<ActivityKey>,
}

impl Told {
    /// Only the connection that closed a run knows how it ended.
    fn of(news: &News<'_>, is_own: bool) -> Self {
        let ending = |ending: &Option<Ending>| ending.clone().filter(|_| is_own);
        let settled = news.settled.iter().map(|(run_id, how)| (*run_id, ending(how)));
        Self {
            arrivals: news.arrivals.clone(),
            settled: settled.collect(),
            due: news.due,
            queues: news.queues.clone(),
            given_up: news.given_up.clone(),
        }
    }

    fn tell(self, hub: &Hub) {
        for run_id in self.arrivals {
            hub.announce(RunEvent::Arrival(run_id));
        }
        for (run_id, ending) in self.settled {
            match ending {
                Some(ending) => hub.announce_end(run_id, || ending),
                None => hub.announce(RunEvent::Settled(run_id)),
            }
        }
        if self.due {
            hub.announce_due();
        }
        self.queues.iter().for_each(|queue| hub.announce_queued(queue));
        self.given_up.into_iter().for_each(|key| hub.announce_given_up(key));
    }
}

impl Database {
    pub(super) fn lock_connections(&self) -> MutexGuard<'_, Vec<Weak<MemoryStore>>> {
        // The state is consistent after every operation, so a poisoned lock is usable.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
