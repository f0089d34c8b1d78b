//! The clocks that decide when a lease has expired and when a run is due.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::model::Timestamp;

/// The clock of a store.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The database's own clock. For SQLite this is the clock of the machine, which all processes that use the file
    /// share.
    #[default]
    Database,
    /// A clock that moves only when it is set, for tests.
    Manual(Arc<ManualClock>),
}

impl Clock {
    /// The time, unless the database has to be queried.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn manual_now(&self) -> Option<Timestamp> {
        match self {
            Self::Database => None,
            Self::Manual(clock) => Some(clock.now()),
        }
    }
}

/// A clock that moves only when it is set.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(start.as_micros())))
    }

    /// What the clock shows.
    pub fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.set(self.now() + by);
    }

    /// Moves the clock to `to`, which may be in its past.
    pub fn set(&self, to: Timestamp) {
        self.0.store(to.as_micros(), Ordering::SeqCst);
    }
}
