//! Messages that a run sends to other runs.

use std::borrow::Cow;
use std::sync::Arc;

use super::Context;
use crate::error::{Error, KeyError};
use crate::machine::{Signal, StartOfChild, StepError};
use crate::model::{Handle, Message, OutgoingMessage, PromiseMessage, RunId};

/// Messages of steps that are not committed yet.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    messages: Vec<Sent>,
    /// How many of them belong to steps before the current one.
    of_steps_before: usize,
    /// Messages of a failed step to promises that it no longer awaits. They are sent if the run ends in the step.
    forgotten: Vec<OutgoingMessage>,
    /// The error of the current step, if a message is not valid.
    failed: Option<StepError>,
}

/// A message of a step.
#[derive(Debug)]
enum Sent {
    /// A message.
    Message(OutgoingMessage),
    /// A start of a child, encoded at the end of the step.
    Start(Arc<StartOfChild>),
}

impl Sent {
    fn into_message(self) -> Option<OutgoingMessage> {
        match self {
            Self::Message(message) => Some(message),
            // Of a step that has failed.
            Self::Start(_) => None,
        }
    }
}

/// For workflow code.
impl Context {
    /// Sends a signal to the open run with this workflow id. Does not wait.
    ///
    /// The signal is part of the step: it is sent once, with the commit of the step, even if the workflow returns
    /// in the step. If the step panics, it is not sent. Signals from one run to another arrive in the order in
    /// which they were sent. If no open run has the workflow id when the signal arrives, it becomes a dead letter
    /// (`Client::dead_letters`), and this run does not learn of it. So start the receiving run first. Signals that
    /// nobody has taken when the last run of the chain closes stay with that run (`Inspection::unread`).
    ///
    /// The run fails if the workflow id is not valid (empty, longer than 1,000 bytes, or with the character NUL). A
    /// signal that cannot be encoded blocks the run, like such an argument of an activity.
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
        self.send(workflow_id.into(), "a signal", body);
    }

    /// Requests the open run with this workflow id to cancel, as
    /// [`RunHandle::cancel`](../client/struct.RunHandle.html#method.cancel) does from outside. Does not wait. The
    /// request is sent with the commit of the step, in order with [signals](Self::signal_run), and has the same
    /// conditions for the workflow id.
    pub fn cancel_run(&self, workflow_id: impl Into<String>, reason: impl Into<String>) {
        let cancel = Message::Cancel { reason: reason.into() };
        self.send(workflow_id.into(), "a request to cancel", Ok(cancel));
    }
}

impl Context {
    /// Sends an operation to a promise.
    pub(super) fn send_to_promise(&self, message: Result<PromiseMessage, StepError>) {
        let fields = self.fields();
        let mut outgoing = fields.outgoing.borrow_mut();
        match message {
            Ok(message) => {
                let to = fields.run.workflow_id.to_string();
                let body = Message::Promise(Box::new(message));
                outgoing.messages.push(Sent::Message(OutgoingMessage { to, body }));
            }
            Err(error) => _ = outgoing.failed.get_or_insert(error),
        }
    }

    fn send(&self, to: String, what: &str, body: Result<Message, StepError>) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        if let Err(error) = KeyError::check(&to) {
            let shown = to.chars().take(40).collect::<String>();
            let context = format!("{what} cannot be sent to the workflow id {shown:?}");
            outgoing.failed.get_or_insert(StepError::Failed(Error::from(error).context(context)));
            return;
        }
        match body {
            Ok(body) => outgoing.messages.push(Sent::Message(OutgoingMessage { to, body })),
            Err(error) => _ = outgoing.failed.get_or_insert(error),
        }
    }

    /// Sends a signal to a child.
    pub(crate) fn signal_child<S: Signal>(&self, child: RunId, workflow_id: &str, signal: S) {
        let body = signal.to_payload().map_err(StepError::Encode);
        let body = body.map(|payload| Message::Signal { name: Cow::Borrowed(S::NAME), payload });
        self.send_child(child, workflow_id, body);
    }

    /// Sends a message to a child.
    pub(crate) fn send_child(
        &self,
        child: RunId,
        workflow_id: &str,
        body: Result<Message, StepError>,
    ) {
        let body = body.map(|body| Message::ToChild { child, body: Box::new(body) });
        self.send(workflow_id.to_owned(), "a message", body);
    }

    /// Sends a message in which the run has no further part.
    pub(crate) fn send_plain(&self, to: String, body: Message) {
        self.fields()
            .outgoing
            .borrow_mut()
            .messages
            .push(Sent::Message(OutgoingMessage { to, body }));
    }

    /// Starts a child with the commit of the step.
    pub(crate) fn send_start(&self, start: Arc<StartOfChild>) {
        self.fields().outgoing.borrow_mut().messages.push(Sent::Start(start));
    }

    /// Records an error of the step.
    pub(crate) fn fail_step(&self, error: StepError) {
        self.fields().outgoing.borrow_mut().failed.get_or_insert(error);
    }

    /// Withdraws the item of a queue that the step adds by this operation. Returns whether the step did so.
    pub(super) fn take_offer(&self, handle: Handle) -> bool {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        let first = outgoing.of_steps_before;
        let offers = |sent: &Sent| match sent {
            Sent::Message(OutgoingMessage { body: Message::Promise(message), .. }) => {
                matches!(**message, PromiseMessage::Offer { handle: of, .. } if of == handle)
            }
            _ => false,
        };
        let found = outgoing.messages.iter().skip(first).position(offers);
        found.map(|index| outgoing.messages.remove(first + index)).is_some()
    }

    /// Starts to collect the messages of a step.
    pub(super) fn begin_sending(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        outgoing.of_steps_before = outgoing.messages.len();
        outgoing.forgotten.clear();
        outgoing.failed = None;
    }

    /// Encodes the messages of the step.
    ///
    /// # Errors
    /// The first message that is not valid.
    pub(crate) fn check_sent(&self) -> Result<(), StepError> {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        if let Some(error) = outgoing.failed.take() {
            return Err(error);
        }
        let of_steps_before = outgoing.of_steps_before;
        for sent in outgoing.messages.iter_mut().skip(of_steps_before) {
            if let Sent::Start(start) = sent {
                *sent = Sent::Message(Arc::clone(start).into_message(self.now())?);
            }
        }
        Ok(())
    }

    /// Drops the messages of a failed step.
    pub(crate) fn unsend(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        let kept = outgoing.of_steps_before;
        let dropped = outgoing.messages.split_off(kept);
        let forgets = |message: &OutgoingMessage| match &message.body {
            Message::Promise(message) => matches!(**message, PromiseMessage::Forget { .. }),
            _ => false,
        };
        let dropped = dropped.into_iter().filter_map(Sent::into_message);
        outgoing.forgotten = dropped.filter(forgets).collect();
    }

    /// Sends the messages of a failed step to promises that it no longer awaits.
    pub(crate) fn send_forgotten(&self) {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        let forgotten = std::mem::take(&mut outgoing.forgotten);
        outgoing.messages.extend(forgotten.into_iter().map(Sent::Message));
    }

    pub(crate) fn take_messages(&self) -> Vec<OutgoingMessage> {
        let mut outgoing = self.fields().outgoing.borrow_mut();
        outgoing.of_steps_before = 0;
        let sent = std::mem::take(&mut outgoing.messages).into_iter();
        sent.filter_map(Sent::into_message).collect()
    }
}
