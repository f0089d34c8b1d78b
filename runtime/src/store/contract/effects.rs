//! The effects of a step other than the change of its run.

use crate::model::{AttributeChanges, Handle, NewReply, OutgoingMessage};
use crate::store::{NewActivity, NewDeadLetter};

/// Something that a step does beside changing its run, written with the commit of the step or not at all.
///
/// An effect touches rows of the run that makes the step and of no other.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Puts an activity on a queue.
    Enqueue(NewActivity),
    /// Gives up an activity on a queue, which the run no longer wants. A step that closes its run gives
    /// up all that are there.
    GiveUp(Handle),
    /// Sends a message to whoever has a workflow id, by way of the outbox: it is delivered once, after the
    /// messages that the run has sent there before. The sender does not wait, and may be closed by then.
    Send(OutgoingMessage),
    /// Moves an arrival from the run's inbox to the dead letters, because the run cannot read it. It counts
    /// as used up.
    SetAside(NewDeadLetter),
    /// Answers an update. Of several answers to one update the first stays.
    Reply(NewReply),
    /// Pauses the run, which the step parks, unless nobody wants that any more.
    Pause,
    /// Sets attributes of the run, and unsets others. Of several in a step the last counts for each name.
    SetAttributes(AttributeChanges),
}
