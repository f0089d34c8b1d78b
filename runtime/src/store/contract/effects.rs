//! The effects of a step other than the change of its run.

use crate::model::{AttributeChanges, Handle, Memo, NewReply, OutgoingMessage};
use crate::store::{NewActivity, NewDeadLetter};

/// A write of a step other than the update of its run's row. It is part of the step's commit. An effect touches
/// only rows of the run that makes the step.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Puts an activity on a queue.
    Enqueue(NewActivity),
    /// Removes an activity from its queue, because the run no longer waits for it. A step that closes its run
    /// removes all.
    GiveUp(Handle),
    /// Puts a message to a workflow id into the outbox. It is delivered once, after the run's earlier messages to
    /// that id. The sender does not wait and may be closed when it is delivered.
    Send(OutgoingMessage),
    /// Moves an arrival from the run's inbox to the dead letters, because the run cannot read it. The arrival
    /// counts as consumed.
    SetAside(NewDeadLetter),
    /// Answers an update. Of several answers to one update, the first counts.
    Reply(NewReply),
    /// Pauses the run, which the step parks, unless the pause was withdrawn.
    Pause,
    /// Sets and removes attributes of the run. Of several changes in a step, the last counts for each name.
    SetAttributes(AttributeChanges),
    /// Replaces the memo of the run; an empty one removes it. Of several in a step, the last counts.
    SetMemo(Memo),
}
