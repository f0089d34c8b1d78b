//! Random calls of a store.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The number of operations in a history.
const LENGTH: usize = 150;

/// The number of workflow ids, and the maximum number of workers, in a history.
pub(super) const FEW: usize = 4;

/// An operation on a store. Numbers select one of the existing things.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Register,
    Renew(usize),
    Release(usize),
    FenceExpired,
    Fence(usize),
    Start { id: usize, owner: Option<usize>, delay: u64 },
    Claim { worker: usize, limit: u32 },
    Commit { worker: usize, run: usize, ahead: i64, step: Step },
    Deliver { run: usize, key: Option<u8>, owner: Option<usize> },
    Terminate(usize),
    Unblock(usize),
    Wait(u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Keep,
    Park { due_in: Option<u64>, behind: i64 },
    Close,
    Block,
}

fn action() -> impl Strategy<Value = Action> {
    let number = || 0..64_usize;
    let seconds = || 0..6_u64;
    let step = prop_oneof![
        3 => Just(Step::Keep),
        3 => (prop::option::of(seconds()), 0..2_i64)
            .prop_map(|(due_in, behind)| Step::Park { due_in, behind }),
        1 => Just(Step::Close),
        1 => Just(Step::Block),
    ];
    prop_oneof![
        1 => Just(Action::Register),
        2 => number().prop_map(Action::Renew),
        1 => number().prop_map(Action::Release),
        1 => Just(Action::FenceExpired),
        1 => number().prop_map(Action::Fence),
        3 => (number(), prop::option::of(number()), seconds())
            .prop_map(|(id, owner, delay)| Action::Start { id, owner, delay }),
        4 => (number(), 0..4_u32).prop_map(|(worker, limit)| Action::Claim { worker, limit }),
        8 => (number(), number(), prop_oneof![9 => Just(0), 1 => -1..2_i64], step)
            .prop_map(|(worker, run, ahead, step)| Action::Commit { worker, run, ahead, step }),
        4 => (number(), prop::option::of(0..3_u8), prop::option::of(number()))
            .prop_map(|(run, key, owner)| Action::Deliver { run, key, owner }),
        1 => number().prop_map(Action::Terminate),
        1 => number().prop_map(Action::Unblock),
        3 => seconds().prop_map(Action::Wait),
    ]
}

/// The history of this seed.
pub(super) fn history(seed: u8) -> Vec<Action> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let history = prop::collection::vec(action(), LENGTH).new_tree(&mut runner);
    history.expect("nothing is filtered out").current()
}
