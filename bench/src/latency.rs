//! Durations and their percentiles.

use std::time::Duration;

/// Sorted lengths of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest length that at least `share` of all do not exceed; zero if there are none.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let rank = (share * self.0.len() as f64).ceil() as usize;
        let index = rank.saturating_sub(1).min(self.0.len().saturating_sub(1));
        self.0.get(index).copied().unwrap_or_default()
    }

    /// The median.
    pub(crate) fn p50(&self) -> Duration {
        self.quantile(0.5)
    }

    /// The length that one in a hundred exceeds.
    pub(crate) fn p99(&self) -> Duration {
        self.quantile(0.99)
    }
}

impl FromIterator<Duration> for Latencies {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort_unstable();
        Self(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_ranks() {
        let latencies: Latencies = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(latencies.p50(), Duration::from_millis(50));
        assert_eq!(latencies.p99(), Duration::from_millis(99));
        assert_eq!(latencies.quantile(1.0), Duration::from_millis(100));
        assert_eq!(Latencies::default().p99(), Duration::ZERO);
    }
}
