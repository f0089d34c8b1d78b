//! What a worker is told of a queue.

use crate::engine::queues::Served;
use crate::error::KeyError;

/// A queue that a worker serves, and how much of it the worker takes on.
///
/// ```
/// use piton::worker::Queue;
///
/// let gpu = Queue::new("gpu").max_concurrent(2);
/// let mail = Queue::new("mail").max_per_second(10.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a queue is served by the worker that it is given to"]
pub struct Queue {
    pub(super) name: String,
    max_concurrent: usize,
    max_per_second: Option<f64>,
}

impl Queue {
    /// The queue of this name, with no limits but the worker's.
    ///
    /// # Panics
    /// If the name is empty, longer than 1,000 bytes, or contains the character NUL.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        if let Err(error) = KeyError::check(&name) {
            panic!("the name of a queue cannot be used: {error}");
        }
        Self { name, max_concurrent: usize::MAX, max_per_second: None }
    }

    /// Sets how many attempts from this queue the worker makes at a time at most. Default: as many
    /// as it makes at all, see [`Worker::max_activities`](super::Worker::max_activities).
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_concurrent(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must make at least one attempt at a time");
        self.max_concurrent = limit;
        self
    }

    /// Sets how many attempts from this queue the worker begins in a second, on average; after a
    /// pause, those of one second may begin at once. Each worker counts for itself. Default: no
    /// limit.
    ///
    /// # Panics
    /// If `rate` is not a positive and finite number.
    pub fn max_per_second(mut self, rate: f64) -> Self {
        assert!(
            rate.is_finite() && rate > 0.0,
            "`max_per_second({rate})`: the rate of a queue must be a positive number"
        );
        self.max_per_second = Some(rate);
        self
    }

    pub(super) fn into_served(self) -> Served {
        Served::new(self.name, self.max_concurrent, self.max_per_second)
    }
}

impl From<&str> for Queue {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Queue {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}
