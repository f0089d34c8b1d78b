//! What every SQL store asks of the steps that it commits.

use super::{CommitOutcome, CommitStep, Disposition, Effect};
use crate::model::{Message, RunId};

/// Whether more is to be written than the run's row.
#[cfg(feature = "sqlite")]
pub(super) fn has_consequences(step: &CommitStep) -> bool {
    has_effects(step) || is_close(step)
}

/// Whether something changes beside the run: what has arrived for it, its history, or by effects.
pub(super) fn has_effects(step: &CommitStep) -> bool {
    !step.consumed.is_empty()
        || !step.effects.is_empty()
        || step.keep_history.is_some()
        || step.disposition.successor().is_some()
}

/// Whether the run starts children.
pub(super) fn starts_children(step: &CommitStep) -> bool {
    let starts = |effect: &Effect| match effect {
        Effect::Send(message) => matches!(message.body, Message::Start(_)),
        _ => false,
    };
    step.effects.iter().any(starts)
}

/// Whether the run is over.
pub(super) fn is_close(step: &CommitStep) -> bool {
    matches!(step.disposition, Disposition::Close { .. })
}

/// What became of the steps, in their order.
pub(super) fn outcomes(
    steps: &[&CommitStep],
    is_committed: impl Fn(RunId) -> bool,
) -> Vec<CommitOutcome> {
    let outcome = |step: &&CommitStep| match is_committed(step.run_id) {
        true => CommitOutcome::Committed,
        false => CommitOutcome::Lost,
    };
    steps.iter().map(outcome).collect()
}
