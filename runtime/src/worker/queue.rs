//! The options of a queue that a worker serves.

use crate::engine::queues::Served;
use crate::error::KeyError;

/// A queue that a worker serves, with the limits of this worker.
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
    /// The queue with this name. One attempt is made at a time, unless [`Queue::max_concurrent`] sets another limit.
    ///
    /// # Panics
    /// If the name is empty, longer than 1,000 bytes, or contains the character NUL.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        if let Err(error) = KeyError::check(&name) {
            panic!("the name of a queue cannot be used: {error}");
        }
        Self { name, max_concurrent: 1, max_per_second: None }
    }

    /// Sets the maximum number of running attempts from this queue in this worker. All activities of the worker
    /// together are limited by [`Worker::max_activities`](super::Worker::max_activities). Default: 1.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_concurrent(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must make at least one attempt at a time");
        self.max_concurrent = limit;
        self
    }

    /// Sets how many attempts from this queue this worker begins per second, on average. After a pause, the
    /// attempts of one second may begin at once. Default: no limit.
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
