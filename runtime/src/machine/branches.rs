//! Advancing a machine, and the machines inside it: branches that are `async` blocks.

use std::task::Poll;

use bytes::Bytes;

use super::{Context, Halt, Parked, StepError};
use crate::model::AwaitKind;

/// The first byte of a saved branch: its frame follows.
pub(crate) const RUNS: u8 = 0;
/// The first byte of a saved branch: its output follows.
pub(crate) const DONE: u8 = 1;

/// The names of the states that the `async` blocks in the branches of a parked state are in, each before those in its
/// own branches. A completed block has none.
pub(crate) fn states_of_branches(parked: &Parked) -> Result<Vec<&'static str>, StepError> {
    let (mut names, states) = (Vec::new(), parked.states);
    let Some(outer) = states.get(parked.state()) else { return Ok(names) };
    for index in 0.. {
        let Ok(saved) = parked.operation(index) else { break };
        let begins = format!("{}.{index}", outer.node.name);
        let mut nodes = states.iter().map(|state| &state.node);
        let is_block = nodes.any(|node| node.kind == AwaitKind::Start && node.name == begins);
        if let (true, Some((&RUNS, frame))) = (is_block, saved.split_first()) {
            let inner = Parked::take_apart(Bytes::copy_from_slice(frame), states)?;
            names.extend(states.get(inner.state()).map(|state| state.node.name));
            names.extend(states_of_branches(&inner)?);
        }
    }
    Ok(names)
}

/// Runs from a state until the code has to wait.
pub(crate) fn advance<T>(
    parked: &mut Parked,
    cx: &Context,
    step: &mut impl FnMut(&mut Parked) -> Result<T, Halt>,
) -> Result<Poll<T>, StepError> {
    loop {
        let (outcome, goes_on) = cx.run_on(|| step(parked));
        match outcome {
            Ok(value) => return Ok(Poll::Ready(value)),
            Err(Halt::Suspended) if goes_on => {
                #[cfg(feature = "tracing")]
                tracing::trace!("continues within the step");
            }
            Err(Halt::Suspended) => return Ok(Poll::Pending),
            Err(Halt::Failed(error)) => return Err(error),
        }
    }
}
