//! Checking that the loops around an await have kept their order.

use super::StoredState;
use super::names::{base, variable};
use crate::model::{Difference, loop_variable};

/// Checks that of two saved loops, the same one is inside the other. A run that has done a part of the inner loop cannot
/// continue in the other order: it would repeat some pairs of items, and leave others out.
pub(super) fn check_nesting(saved: &StoredState, found: &StoredState) -> Result<(), Difference> {
    let (before, now) = (loops(saved), loops(found));
    let kept: Vec<_> =
        now.iter().filter_map(|now| before.iter().position(|it| it == now)).collect();
    match kept.windows(2).find(|pair| pair[0] > pair[1]) {
        Some(pair) => Err(Difference::OtherNesting {
            outer: before[pair[1]].to_owned(),
            inner: before[pair[0]].to_owned(),
        }),
        None => Ok(()),
    }
}

/// The variables of the loops whose iterators or positions a state saves, from the outermost to the innermost. Locals are
/// saved in the order of their declaration.
fn loops(state: &StoredState) -> Vec<&str> {
    let names = state.locals.iter().map(|local| base(variable(&local.name).0));
    names.filter_map(loop_variable).collect()
}
