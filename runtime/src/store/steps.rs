//! Properties of committed steps, for all SQL stores.

use super::{CommitOutcome, CommitStep, Disposition, Effect};
use crate::model::{Message, RunId};

/// Whether the step writes more than the run's row.
#[cfg(feature = "sqlite")]
pub(super) fn has_consequences(step: &CommitStep) -> bool {
    has_effects(step) || is_close(step)
}

/// Whether the step changes more than the run's row: its inbox, its history, or by effects.
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

/// Whether the step closes the run.
pub(super) fn is_close(step: &CommitStep) -> bool {
    matches!(step.disposition, Disposition::Close { .. })
}

/// The outcomes of the steps, in their order.
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
