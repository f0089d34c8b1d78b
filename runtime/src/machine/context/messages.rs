//! What a run sends to others.

use std::borrow::Cow;

use super::Context;
use crate::error::{Error, KeyError};
use crate::machine::{Signal, StepError};
use crate::model::{Message, OutgoingMessage, PromiseMessage};

/// What steps have sent that nobody has taken yet.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    messages: Vec<OutgoingMessage>,
    /// How many of them are of steps before the one that is being made.
    of_steps_before: usize,
    /// What a step that has failed had to say to promises that it no longer awaits: that holds if the run ends by it.
    forgotten: Vec<OutgoingMessage>,
    /// Why the step cannot be made, if it has tried to send what cannot be sent.
    failed: Option<StepError>,
}

/// For workflow code.
impl Context {
    /// Sends a signal to the open run with this workflow id, without waiting for anything.
    ///
    /// The signal is a part of the step: it is sent once, with the commit of the step, also if the workflow returns
    /// in it, with a value or an error. It is not sent if the step panics. Signals from this run to another arrive in the order in which they were sent. If
    /// nobody has this workflow id when the signal arrives, or only runs that have closed, it becomes a
    /// dead letter (`Client::dead_letters`); this run does not learn of that. So start the run that is to
    /// get a signal before the one that sends it. A signal that the other run has not taken when it closes is
    /// deleted with its inbox.
    ///
    /// The run fails if no run can have the workflow id (it is empty, has more than 1,000 bytes or the
    /// character NUL in it). A signal that cannot be encoded is treated as such an argument of an
    /// activity.
    ///
    /// ```
    /// use piton::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Signal, Serialize, Deserialize)]
    /// struct Shipped {
    ///     parcel: String,
    /// }
    ///
    /// #[workflow]
    /// async fn ship(cx: &Context, order: String, parcel: String) {
    ///     cx.sleep(hours(1)).await;
    ///     cx.signal_run(order, Shipped { parcel });
    /// }
    /// ```
    pub fn signal_run<S: Signal>(&self, workflow_id: impl Into<String>, signal: S) {
        let body = signal.to_payload().map_err(StepError::Encode);
        let body = body.map(|payload| Message::Signal { name: Cow::Borrowed(S::NAME), payload });
        self.send(workflow_id.into(), body);
    }
}

impl Context {
    /// Says something to a promise.
    pub(super) fn send_to_promise(&self, message: Result<PromiseMessage, StepError>) {
        let fields = self.fields();
        let mut outgoing = fields.outgoing.borrow_mut();
        match message {
            Ok(message) => {
                let to = fields.run.workflow_id.to_string();
                let body = Message::Promise(Box::new(message));
                outgoing.messages.push(OutgoingMessage { to, body });
            }
            Err(error) => _ = outgoing.failed.get_or_insert(error),
        }
    }

    fn send(&self, to: String, body: Result<Message, StepError>) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        if let Err(error) = KeyError::check(&to) {
            let shown = to.chars().take(40).collect::<String>();
            let context = format!("a signal cannot be sent to the workflow id {shown:?}");
            outgoing.failed.get_or_insert(StepError::Failed(Error::from(error).context(context)));
            return;
        }
        match body {
            Ok(body) => outgoing.messages.push(OutgoingMessage { to, body }),
            Err(error) => _ = outgoing.failed.get_or_insert(error),
        }
    }

    /// Notes that the step cannot be made.
    pub(crate) fn fail_step(&self, error: StepError) {
        self.fields().outgoing.borrow_mut().failed.get_or_insert(error);
    }

    /// Begins to collect what a step sends.
    pub(super) fn begin_sending(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        outgoing.of_steps_before = outgoing.messages.len();
        outgoing.forgotten.clear();
        outgoing.failed = None;
    }

    /// Whether all that the step has sent can be sent.
    ///
    /// # Errors
    /// Why it cannot.
    pub(crate) fn check_sent(&self) -> Result<(), StepError> {
        self.fields().outgoing.borrow_mut().failed.take().map_or(Ok(()), Err)
    }

    /// Drops what a step has sent that has failed.
    pub(crate) fn unsend(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        let kept = outgoing.of_steps_before;
        let dropped = outgoing.messages.split_off(kept);
        let forgets = |message: &OutgoingMessage| match &message.body {
            Message::Promise(message) => matches!(**message, PromiseMessage::Forget { .. }),
            Message::Signal { .. } => false,
        };
        outgoing.forgotten = dropped.into_iter().filter(forgets).collect();
    }

    /// Sends what a step that has failed had to say to promises that it no longer awaits.
    pub(crate) fn send_forgotten(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        let forgotten = std::mem::take(&mut outgoing.forgotten);
        outgoing.messages.extend(forgotten);
    }

    pub(crate) fn take_messages(&self) -> Vec<OutgoingMessage> {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        outgoing.of_steps_before = 0;
        std::mem::take(&mut outgoing.messages)
    }
}
