//! A bounded number of seeds, and that a seed means one thing.

use simulation::{Options, simulate};

/// Takes some seconds; the command simulates as many as wanted.
const SEEDS: u64 = 100;

/// How many runs of a seed are played here at most.
const MAX_RUNS: usize = 50;

fn options(seed: u64) -> Options {
    Options { max_runs: Some(MAX_RUNS), ..Options::of(seed) }
}

#[test]
fn nothing_is_violated() {
    for seed in 0..SEEDS {
        let report = simulate(&options(seed));
        let violations = &report.violations;
        assert!(
            violations.is_empty(),
            "cargo run -p piton-simulation -- replay {}\n{violations:#?}",
            report.options
        );
    }
}

#[test]
fn a_seed_gives_the_same_events_each_time() {
    for seed in 20..30 {
        let recorded = || simulate(&Options { is_recorded: true, ..options(seed) });
        let (first, second) = (recorded(), recorded());
        assert!(!first.events.is_empty());
        let differ = first.events.lines().zip(second.events.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "seed {seed}");
        assert_eq!(first.events, second.events, "seed {seed}");
        assert_eq!(first.faults, second.faults, "seed {seed}");
    }
}
