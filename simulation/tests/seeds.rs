//! A bounded number of seeds, and that a seed means one thing.

use simulation::{Options, simulate};

/// Takes a few seconds; the command simulates as many as wanted.
const SEEDS: u64 = 100;

#[test]
fn nothing_is_violated() {
    for seed in 0..SEEDS {
        let report = simulate(&Options::of(seed));
        let violations = &report.violations;
        assert!(
            violations.is_empty(),
            "cargo run -p piton-simulation -- replay {seed}\n{violations:#?}"
        );
    }
}

#[test]
fn a_seed_gives_the_same_events_each_time() {
    for seed in 20..40 {
        let recorded = || simulate(&Options { is_recorded: true, ..Options::of(seed) });
        let (first, second) = (recorded(), recorded());
        assert!(!first.events.is_empty());
        let differ = first.events.lines().zip(second.events.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "seed {seed}");
        assert_eq!(first.events, second.events, "seed {seed}");
        assert_eq!(first.faults, second.faults, "seed {seed}");
    }
}
