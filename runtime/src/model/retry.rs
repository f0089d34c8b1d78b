//! When a failed activity is tried again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How an activity is retried. The default: first retry after 1 s, twice as long each time, at most
/// 100 times the first interval, for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// The wait before the second attempt.
    pub initial_interval: Duration,
    /// What each further wait is multiplied by; 1.0 keeps it constant. Values under 1.0 count as 1.0.
    pub backoff: f64,
    /// The longest wait; `None` means 100 × `initial_interval`.
    pub max_interval: Option<Duration>,
    /// Attempts in all, the first included; 0 means no limit. Attempts that were cut off (by a crash
    /// of their worker, or because it lost the run) do not count; after 10 of those an activity is
    /// given up whatever the policy says.
    pub max_attempts: u32,
    /// By which part of itself a wait may be shortened at random, from 0.0 (never) to 1.0, so that
    /// activities that failed together are not tried again together.
    pub jitter: f64,
}

impl RetryPolicy {
    /// The documented default, usable in constants.
    pub const DEFAULT: Self = Self {
        initial_interval: Duration::from_secs(1),
        backoff: 2.0,
        max_interval: None,
        max_attempts: 0,
        jitter: 0.0,
    };

    /// One attempt and no retry.
    pub const NEVER: Self = Self { max_attempts: 1, ..Self::DEFAULT };

    /// The wait after attempt number `attempt` (the first is 1) has failed, or `None` if that was
    /// the last one.
    pub fn delay_after(&self, attempt: u32) -> Option<Duration> {
        if self.max_attempts != 0 && attempt >= self.max_attempts {
            return None;
        }
        let longest =
            self.max_interval.unwrap_or_else(|| self.initial_interval.saturating_mul(100));
        let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        let factor = self.backoff.max(1.0).powi(exponent);
        let wait = self.initial_interval.as_secs_f64() * factor;
        // `min` also turns an infinite product into the limit, so the conversion cannot fail.
        Some(Duration::from_secs_f64(wait.min(longest.as_secs_f64())))
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_hundred_times_the_first() {
        let policy = RetryPolicy::DEFAULT;
        assert_eq!(policy.delay_after(1), Some(Duration::from_secs(1)));
        assert_eq!(policy.delay_after(2), Some(Duration::from_secs(2)));
        assert_eq!(policy.delay_after(40), Some(Duration::from_secs(100)));
        assert_eq!(policy.delay_after(u32::MAX), Some(Duration::from_secs(100)));
    }

    #[test]
    fn the_last_attempt_has_no_successor() {
        let policy = RetryPolicy { max_attempts: 3, ..RetryPolicy::DEFAULT };
        assert!(policy.delay_after(2).is_some());
        assert_eq!(policy.delay_after(3), None);
        assert_eq!(RetryPolicy::NEVER.delay_after(1), None);
    }
}
