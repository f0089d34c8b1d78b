//! Random operations on a store, from a fixed seed.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The number of operations in a history.
const LENGTH: usize = 300;

/// An operation on a store. Numbers select one of the existing things.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Register,
    Renew(usize),
    Release(usize),
    Fence(usize),
    FenceExpired,
    /// A worker takes over all runs without an owner.
    Adopt(usize),
    Ask {
        run: usize,
        queue: usize,
        activity: usize,
        limits: [Option<u64>; 4],
    },
    GiveUp(usize),
    Close(usize),
    Terminate(usize),
    Take {
        worker: usize,
        queues: [u32; 2],
        activities: [u32; 2],
        limit: u32,
    },
    Beat {
        activity: usize,
        by: By,
        behind: u32,
        details: Option<u8>,
    },
    Finish {
        activity: usize,
        by: By,
        behind: u32,
        end: End,
    },
    Wait(u64),
}

/// The right to report on an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// The worker that makes the attempt, if there is one.
    Maker,
    Worker(usize),
    Token,
    Expiry,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Outcome,
    Retry(u64, Option<u8>),
    Later,
    PutBack(u64),
}

pub(super) fn action() -> impl Strategy<Value = Action> {
    let number = || 0..64_usize;
    let seconds = || 0..5_u64;
    let by = || {
        prop_oneof![
            6 => Just(By::Maker),
            1 => number().prop_map(By::Worker),
            3 => Just(By::Token),
            3 => Just(By::Expiry),
        ]
    };
    let behind = || prop_oneof![8 => Just(0), 1 => Just(1_u32)];
    let limit = || prop::option::of(2..9_u64);
    let end = prop_oneof![
        3 => Just(End::Outcome),
        3 => (seconds(), prop::option::of(any::<u8>())).prop_map(|(at, said)| End::Retry(at, said)),
        2 => Just(End::Later),
        1 => seconds().prop_map(End::PutBack),
    ];
    prop_oneof![
        4 => Just(Action::Register),
        6 => number().prop_map(Action::Renew),
        1 => number().prop_map(Action::Release),
        1 => number().prop_map(Action::Fence),
        1 => Just(Action::FenceExpired),
        8 => number().prop_map(Action::Adopt),
        16 => (number(), 0..2_usize, 0..2_usize, [limit(), limit(), limit(), limit()]).prop_map(
            |(run, queue, activity, limits)| Action::Ask { run, queue, activity, limits }
        ),
        1 => number().prop_map(Action::GiveUp),
        1 => number().prop_map(Action::Close),
        1 => number().prop_map(Action::Terminate),
        16 => (number(), [0..4_u32, 0..4_u32], [0..4_u32, 0..3_u32], 0..6_u32).prop_map(
            |(worker, queues, activities, limit)| Action::Take { worker, queues, activities, limit }
        ),
        10 => (number(), by(), behind(), prop::option::of(any::<u8>())).prop_map(
            |(activity, by, behind, details)| Action::Beat { activity, by, behind, details }
        ),
        20 => (number(), by(), behind(), end).prop_map(
            |(activity, by, behind, end)| Action::Finish { activity, by, behind, end }
        ),
        4 => (0..3_u64).prop_map(Action::Wait),
    ]
}

/// The histories are the same for every store and every run of the suite.
pub(super) fn history(seed: u8) -> Vec<Action> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let history = prop::collection::vec(action(), LENGTH).new_tree(&mut runner);
    history.expect("nothing is filtered out").current()
}
