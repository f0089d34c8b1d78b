//! Pseudorandom offsets that are always the same for a given time.

use std::time::Duration;

use crate::time::UnixSeconds;

/// The delay of the nominal time `at` in a schedule with the jitter `max`, in microseconds: at least 0, less than
/// `max`, and before `next`, the next nominal time. The same for the same `seed` and time, on every machine.
pub fn jitter(seed: &str, at: UnixSeconds, max: Duration, next: Option<UnixSeconds>) -> Duration {
    let gap = next.map(|next| next.0.saturating_sub(at.0).max(0).unsigned_abs());
    let bound = gap.map_or(max, |gap| max.min(Duration::from_secs(gap)));
    let bound = u64::try_from(bound.as_micros()).unwrap_or(u64::MAX);
    // FNV-1a (Fowler, Noll, Vo) over seed and time, then the finalizer of SplitMix64 (Steele, Lea, Flood), which
    // spreads times that differ in their last bits.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in seed.bytes().chain(at.0.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    // The high half of the product is uniform below the bound.
    let micros = (u128::from(hash) * u128::from(bound)) >> 64;
    Duration::from_micros(micros as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_spread_bounded_and_the_same_again() {
        let max = Duration::from_secs(60);
        let offsets: Vec<Duration> =
            (0..1_000).map(|at| jitter("bills", UnixSeconds(at * 3_600), max, None)).collect();
        assert!(offsets.iter().all(|offset| *offset < max));
        let early = offsets.iter().filter(|offset| **offset < max / 2).count();
        assert!((400..600).contains(&early), "{early} of 1,000 in the first half");
        assert_eq!(jitter("bills", UnixSeconds(7_200), max, None), offsets[2]);
        assert_ne!(jitter("other", UnixSeconds(7_200), max, None), offsets[2]);
    }

    #[test]
    fn it_never_reaches_the_time_that_follows() {
        for at in 0..1_000 {
            let offset =
                jitter("x", UnixSeconds(at), Duration::from_secs(60), Some(UnixSeconds(at + 2)));
            assert!(offset < Duration::from_secs(2));
        }
        assert_eq!(jitter("x", UnixSeconds(0), Duration::ZERO, None), Duration::ZERO);
    }
}
