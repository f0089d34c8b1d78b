//! The effects of the steps of a commit, grouped by kind, for stores that write all effects of a kind at once.

use super::contract::history::KeptState;
use super::{ActivityKey, CommitStep, Effect, MessageKey, NewActivity, NewDeadLetter};
use crate::error::StoreError;
use crate::model::{AttributeChanges, Memo, NewReply, OutgoingMessage, RunId};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Effects<'a> {
    /// Activities to put on queues.
    pub(super) enqueued: Vec<(RunId, &'a NewActivity)>,
    /// Activities to remove.
    pub(super) given_up: Vec<ActivityKey>,
    /// Messages to put into the outbox.
    pub(super) sent: Vec<(MessageKey, &'a OutgoingMessage)>,
    /// Arrivals to move to the dead letters.
    pub(super) set_aside: Vec<(RunId, &'a NewDeadLetter)>,
    /// Changes of attributes.
    pub(super) attributes: Vec<(RunId, AttributeChanges)>,
    /// New memos, one for each run.
    pub(super) memos: Vec<(RunId, &'a Memo)>,
    /// Answers to updates.
    pub(super) replied: Vec<(RunId, &'a NewReply)>,
    /// Runs to pause.
    pub(super) paused: Vec<RunId>,
    /// States to keep in the history.
    pub(super) kept: Vec<KeptState<'a>>,
}

impl<'a> Effects<'a> {
    /// The effects of these steps, in order. The steps must have passed [`check`].
    pub(super) fn of(steps: impl Iterator<Item = &'a CommitStep>) -> Self {
        let mut effects = Self::default();
        for step in steps {
            let run_id = step.run_id;
            effects.kept.extend(step.kept_state());
            let mut keys = (0..).map_while(|index| MessageKey::of(run_id, step.expected, index));
            for effect in &step.effects {
                match effect {
                    Effect::Enqueue(activity) => effects.enqueued.push((run_id, activity)),
                    Effect::GiveUp(handle) => {
                        effects.given_up.push(ActivityKey { run_id, handle: *handle });
                    }
                    Effect::Send(message) => {
                        effects.sent.extend(keys.next().map(|key| (key, message)));
                    }
                    Effect::SetAside(letter) => effects.set_aside.push((run_id, letter)),
                    Effect::SetAttributes(changes) => match effects.attributes.last_mut() {
                        Some((last, before)) if *last == run_id => before.extend(changes.clone()),
                        _ => effects.attributes.push((run_id, changes.clone())),
                    },
                    Effect::SetMemo(memo) => match effects.memos.last_mut() {
                        Some((last, before)) if *last == run_id => *before = memo,
                        _ => effects.memos.push((run_id, memo)),
                    },
                    Effect::Pause => effects.paused.push(run_id),
                    Effect::Reply(reply) => effects.replied.push((run_id, reply)),
                }
            }
        }
        effects
    }
}

/// Refuses steps with more messages than there are keys.
///
/// # Errors
/// [`StoreError::Unstorable`].
pub(super) fn check(steps: &[&CommitStep]) -> Result<(), StoreError> {
    const MAX: usize = MessageKey::MAX_PER_STEP;
    let is_sent = |effect: &&Effect| matches!(effect, Effect::Send(_));
    let sends_too_many = |step: &&&CommitStep| {
        step.effects.len() > MAX && step.effects.iter().filter(is_sent).count() > MAX
    };
    match steps.iter().find(sends_too_many) {
        None => Ok(()),
        Some(step) => {
            let run_id = step.run_id;
            let source = format!("a step of run {run_id} sends more than {MAX} messages").into();
            Err(StoreError::Unstorable { operation: "commit_steps", source })
        }
    }
}
