//! The retry policy of activities.

use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

/// How an activity is retried. Default: the first retry after 1 s, then twice as long each time, at most 100 times
/// the first interval, each wait randomly up to a tenth shorter, without a limit of attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// The wait before the second attempt.
    pub initial_interval: Duration,
    /// The factor of each further wait; 1.0 keeps it constant. Values below 1.0 and NaN count as 1.0.
    #[serde(serialize_with = "finite_backoff")]
    pub backoff: f64,
    /// The longest wait; `None` means 100 × `initial_interval`.
    pub max_interval: Option<Duration>,
    /// The maximum number of attempts, including the first; 0 means no limit. Interrupted attempts (by a crash of
    /// their worker, or because it lost the run) do not count; after 10 of those, an activity is given up whatever
    /// the policy is.
    pub max_attempts: u32,
    /// The fraction by which a wait may be shortened at random, from 0.0 (never) to 1.0, so that activities that
    /// failed together are not retried together. Default: 0.1. Waits that an error has
    /// [set](crate::machine::Retryable::retry_after) are not shortened. Values outside of this range count as the nearest
    /// one in it, and NaN as 0.0.
    #[serde(serialize_with = "finite_jitter")]
    pub jitter: f64,
}

impl RetryPolicy {
    /// The documented default, usable in constants.
    pub const DEFAULT: Self = Self {
        initial_interval: Duration::from_secs(1),
        backoff: 2.0,
        max_interval: None,
        max_attempts: 0,
        jitter: 0.1,
    };

    /// One attempt and no retry.
    pub const NEVER: Self = Self { max_attempts: 1, ..Self::DEFAULT };

    /// The wait after attempt number `attempt` (the first is 1) has failed, or `None` if that was the last one.
    pub fn delay_after(&self, attempt: u32) -> Option<Duration> {
        if self.max_attempts != 0 && attempt >= self.max_attempts {
            return None;
        }
        let longest =
            self.max_interval.unwrap_or_else(|| self.initial_interval.saturating_mul(100));
        let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        // 0 × infinity is NaN.
        let factor = factor(self.backoff).powi(exponent).min(f64::MAX);
        let wait = Duration::try_from_secs_f64(self.initial_interval.as_secs_f64() * factor);
        Some(wait.map_or(longest, |wait| wait.min(longest)))
    }

    /// The wait, shortened by a part of the jitter: `draw` is from 0 to 1.
    #[cfg(any(test, feature = "engine"))]
    pub(crate) fn shortened(&self, wait: Duration, draw: f64) -> Duration {
        let less = Duration::try_from_secs_f64(wait.as_secs_f64() * fraction(self.jitter) * draw);
        wait.saturating_sub(less.unwrap_or(wait))
    }
}

/// The factor that a `backoff` counts as.
fn factor(backoff: f64) -> f64 {
    if backoff > 1.0 { backoff.min(f64::MAX) } else { 1.0 }
}

/// The fraction that a `jitter` counts as.
fn fraction(jitter: f64) -> f64 {
    if jitter > 0.0 { jitter.min(1.0) } else { 0.0 }
}

// JSON has neither infinities nor NaN.

fn finite_backoff<S: Serializer>(backoff: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(factor(*backoff))
}

fn finite_jitter<S: Serializer>(jitter: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(fraction(*jitter))
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The longest pause between interrupted attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long to wait before the next attempt after this number of interruptions by deaths of workers. Another run
/// may be what kills the workers, and an activity may lose only a few attempts to that. No wait after the first
/// interruption, which is an ordinary crash; then 1 s, and twice as long each time, up to 60 s.
pub(crate) fn pause_after_interruptions(interruptions: u32) -> Option<Duration> {
    let doublings = interruptions.checked_sub(2)?;
    Some(LONGEST_PAUSE.min(Duration::from_secs(1 << doublings.min(6))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_that_are_cut_off_pause_from_the_second_on() {
        let seconds = |count| pause_after_interruptions(count).map(|pause| pause.as_secs());
        let pauses: Vec<_> = (0..10).map(seconds).collect();
        let expected = [0, 0, 1, 2, 4, 8, 16, 32, 60, 60].map(|pause| (pause > 0).then_some(pause));
        assert_eq!(pauses, expected);
        assert_eq!(seconds(u32::MAX), Some(60));
    }

    #[test]
    fn waits_double_up_to_a_hundred_times_the_first() {
        let policy = RetryPolicy::DEFAULT;
        assert_eq!(policy.delay_after(1), Some(Duration::from_secs(1)));
        assert_eq!(policy.delay_after(2), Some(Duration::from_secs(2)));
        assert_eq!(policy.delay_after(40), Some(Duration::from_secs(100)));
        assert_eq!(policy.delay_after(u32::MAX), Some(Duration::from_secs(100)));
    }

    #[test]
    fn policies_without_sense_give_waits_all_the_same() {
        let wait =
            |policy: RetryPolicy, attempt| policy.delay_after(attempt).expect("it is tried again");
        let endless = RetryPolicy { initial_interval: Duration::MAX, ..RetryPolicy::DEFAULT };
        assert_eq!(wait(endless.clone(), 1), Duration::MAX);
        assert_eq!(wait(endless.clone(), 9), Duration::MAX);
        let limited = RetryPolicy { max_interval: Some(Duration::from_secs(7)), ..endless };
        assert_eq!(wait(limited, 1), Duration::from_secs(7));
        for backoff in [f64::NAN, f64::NEG_INFINITY, -2.0, 0.0] {
            let policy = RetryPolicy { backoff, ..RetryPolicy::DEFAULT };
            assert_eq!(wait(policy, 40), Duration::from_secs(1), "{backoff}");
        }
        let steep = RetryPolicy { backoff: f64::INFINITY, ..RetryPolicy::DEFAULT };
        assert_eq!((wait(steep.clone(), 1).as_secs(), wait(steep, 2).as_secs()), (1, 100));
        let at_once = RetryPolicy {
            initial_interval: Duration::ZERO,
            max_interval: Some(Duration::from_secs(7)),
            ..RetryPolicy::DEFAULT
        };
        assert_eq!(wait(at_once, u32::MAX), Duration::ZERO);
    }

    #[test]
    fn jitter_shortens_any_wait() {
        let shortened = |jitter, wait, draw| {
            RetryPolicy { jitter, ..RetryPolicy::DEFAULT }.shortened(wait, draw)
        };
        let second = Duration::from_secs(1);
        for jitter in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0] {
            assert_eq!(shortened(jitter, second, 1.0), second, "{jitter}");
            assert_eq!(shortened(jitter, Duration::MAX, 1.0), Duration::MAX, "{jitter}");
        }
        for jitter in [1.0, 7.0, f64::INFINITY] {
            assert_eq!(shortened(jitter, second, 1.0), Duration::ZERO, "{jitter}");
            assert_eq!(shortened(jitter, Duration::MAX, 1.0), Duration::ZERO, "{jitter}");
        }
        let half = shortened(0.5, Duration::MAX, 1.0);
        assert!((0.499..0.501).contains(&half.div_duration_f64(Duration::MAX)), "{half:?}");
        assert_eq!(RetryPolicy::DEFAULT.shortened(second, 1.0), Duration::from_millis(900));
        assert_eq!(RetryPolicy::DEFAULT.shortened(second, 0.0), second);
    }

    #[test]
    fn any_policy_can_be_read_again_and_gives_the_same_waits() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 0.5, 1.0, f64::MAX] {
            let policy = RetryPolicy { backoff: number, jitter: number, ..RetryPolicy::DEFAULT };
            let json = serde_json::to_string(&policy).expect("it has a JSON form");
            let read: RetryPolicy = serde_json::from_str(&json).expect("it was written so");
            for attempt in [1, 2, 9] {
                let wait = policy.delay_after(attempt).expect("it is tried again");
                assert_eq!(read.delay_after(attempt), Some(wait), "{number}");
                assert_eq!(read.shortened(wait, 0.5), policy.shortened(wait, 0.5), "{number}");
            }
        }
    }

    #[test]
    fn the_last_attempt_has_no_successor() {
        let policy = RetryPolicy { max_attempts: 3, ..RetryPolicy::DEFAULT };
        assert!(policy.delay_after(2).is_some());
        assert_eq!(policy.delay_after(3), None);
        assert_eq!(RetryPolicy::NEVER.delay_after(1), None);
    }
}
