//! A bounded number of seeds, that a seed means one thing, and that what is wrong is seen.

use std::collections::BTreeSet;
use std::ops::Range;

use piton::store::memory::Guard;
use simulation::{Fault, Options, Totals, simulate};

/// Takes some seconds; the command simulates as many as wanted.
const SEEDS: u64 = 30;

/// As many show whether a seed means one thing.
const SEEDS_PLAYED_TWICE: Range<u64> = 20..23;

/// How many seeds are tried until one shows that a guard of the database is left out.
const SEEDS_WITHOUT: u64 = 200;

/// How many runs of a seed are played here at most.
const MAX_RUNS: usize = 50;

fn options(seed: u64) -> Options {
    Options { max_runs: Some(MAX_RUNS), ..Options::of(seed) }
}

#[test]
fn nothing_is_violated() {
    let mut totals = Totals::default();
    for seed in 0..SEEDS {
        let report = simulate(&options(seed));
        let violations = &report.violations;
        assert!(
            violations.is_empty(),
            "cargo run -p piton-simulation -- replay {}\n{violations:#?}",
            report.options
        );
        totals.add(&report);
    }
    let struck: BTreeSet<Fault> = totals.faults.into_keys().collect();
    assert_eq!(struck, Fault::ALL.into());
}

#[test]
fn a_seed_gives_the_same_events_each_time() {
    for seed in SEEDS_PLAYED_TWICE {
        let recorded = || simulate(&Options { is_recorded: true, ..options(seed) });
        // A process asks the database for a schema once. In what follows, all of them are known.
        let _ = simulate(&options(seed));
        let (first, second) = (recorded(), recorded());
        assert!(!first.events.is_empty());
        let differ = first.events.lines().zip(second.events.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "seed {seed}");
        assert_eq!(first.events, second.events, "seed {seed}");
        assert_eq!(first.faults, second.faults, "seed {seed}");
    }
}

fn is_missed(guard: Guard) -> bool {
    (0..SEEDS_WITHOUT).any(|seed| {
        let left_out = BTreeSet::from([guard]);
        let options = Options { left_out, ends_when_violated: true, ..options(seed) };
        !simulate(&options).violations.is_empty()
    })
}

#[test]
fn each_guard_is_missed() {
    std::thread::scope(|scope| {
        for guard in Guard::ALL {
            scope.spawn(move || assert!(is_missed(guard), "{guard:?}"));
        }
    });
}
