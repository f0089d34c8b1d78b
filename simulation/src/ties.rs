//! Parts of programs that bind a run to others: children and promises.

use std::collections::BTreeSet;

use fastrand::Rng;
use piton::model::ParentClose;
use serde::{Deserialize, Serialize};

use crate::program::{Op, signals};

/// A child that a run starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// What it plays.
    pub program: Vec<Op>,
    /// The number of the workflow id that it shares with other children, if it does not have its own.
    pub shares: Option<u32>,
    /// What happens to it when its parent is over.
    pub on_close: OnClose,
    /// What its parent does about it.
    pub care: Care,
}

/// What happens to a child when its parent is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnClose {
    /// It is terminated.
    Terminate,
    /// It is asked to cancel.
    Cancel,
    /// Nothing.
    Abandon,
}

/// What a parent does about a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Care {
    /// Nothing. The child has no end of its own, unless it is abandoned.
    Leave,
    /// It awaits the child's result.
    Await,
    /// The same, twice.
    AwaitTwice,
    /// It asks the child to cancel, and awaits its result.
    Cancel,
}

impl From<OnClose> for ParentClose {
    fn from(on_close: OnClose) -> Self {
        match on_close {
            OnClose::Terminate => Self::Terminate,
            OnClose::Cancel => Self::RequestCancel,
            OnClose::Abandon => Self::Abandon,
        }
    }
}

/// A promise that a run awaits or completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Promised {
    /// One of its own, by number.
    Own(u32),
    /// One that all runs share, by number.
    Shared(u32),
    /// That of the run with the first number.
    Of(u32, u32),
}

impl Promised {
    /// The name of the promise.
    pub fn name(self) -> String {
        match self {
            Self::Own(number) | Self::Of(_, number) => format!("own-{number}"),
            Self::Shared(number) => format!("shared-{number}"),
        }
    }
}

/// How many promises a run has, and how many all runs share.
pub const PROMISES: u32 = 3;

/// Longer than a simulation takes.
const FOR_EVER: u64 = 30 * 24 * 3_600 * 1_000;

/// Draws a child that plays `program`.
pub fn draw_child(rng: &mut Rng, mut program: Vec<Op>) -> Child {
    program.retain(|op| !is_fed(op));
    let shares = (rng.u32(0..6) == 0).then(|| rng.u32(0..3));
    let on_close = [OnClose::Terminate, OnClose::Cancel, OnClose::Abandon][rng.usize(0..3)];
    let care = [Care::Leave, Care::Await, Care::Await, Care::AwaitTwice, Care::Cancel];
    let care = care[rng.usize(0..care.len())];
    // It stays open if nothing happens to it.
    if care == Care::Leave && on_close != OnClose::Abandon {
        program.push(Op::Sleep(FOR_EVER));
    }
    Child { program, shares, on_close, care }
}

/// Draws a wait for a promise, and how long it takes at most.
pub fn draw_wait(rng: &mut Rng, other: u32, millis: u64) -> (Promised, Option<u64>) {
    let number = rng.u32(0..PROMISES);
    let is_limited = rng.bool();
    match rng.u32(0..3) {
        0 => (Promised::Own(number), is_limited.then_some(millis)),
        1 => (Promised::Shared(number), is_limited.then_some(millis)),
        // That run may never be there.
        _ => (Promised::Of(other, number), Some(millis)),
    }
}

/// Draws a promise that a run completes.
pub fn draw_settled(rng: &mut Rng, other: u32) -> Promised {
    let number = rng.u32(0..PROMISES);
    [Promised::Own(number), Promised::Shared(number), Promised::Of(other, number)][rng.usize(0..3)]
}

/// Whether something of it waits for ever unless a client that knows the run sends it something.
fn is_fed(op: &Op) -> bool {
    let ops = std::slice::from_ref(op);
    signals(ops) > 0 || !promises(ops).is_empty()
}

/// The numbers of a run's own promises that its program awaits without a limit.
pub fn promises(ops: &[Op]) -> BTreeSet<u32> {
    let of = |op: &Op| match op {
        Op::Promise(Promised::Own(number), None) => BTreeSet::from([*number]),
        Op::Repeat(_, inner) | Op::Inline(inner) => promises(inner),
        Op::Branches(first, second) => promises(first).union(&promises(second)).copied().collect(),
        _ => BTreeSet::new(),
    };
    ops.iter().flat_map(of).collect()
}
