//! Updates: requests from outside, which a run answers.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::future::sealed::Sealed;
use super::named::{NameOf, OfUpdate};
use super::pending::{PendingLimited, PendingOne};
use super::{Arrived, Awaited, Context, Durable, DurableFuture, StepError, replies};
use crate::codec::{self, Described};
use crate::model::{Operation, Payload, UpdateReply};

/// A type whose values are requests to a run, each of which it answers. Derive it:
/// `#[derive(Update, Serialize, Deserialize)]`, with `#[update(reply = Money, error = OutOfStock)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an update",
    note = "add `#[derive(Update, Serialize, Deserialize)]` to the type, with `#[update(reply = …, error = …)]`"
)]
pub trait Update: Durable + 'static {
    /// The stored name; by default the type's name.
    const NAME: &'static str;
    /// The type of the answer. Default of the derive: `()`.
    type Reply: Durable + 'static;
    /// The type of a refusal. Default of the derive: [`Never`], so that it cannot be refused.
    type Error: Durable + 'static;
}

/// A type without values: the error of an update that cannot be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Never {}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

/// A wait for the next update of a type, created by [`Context::update`].
#[must_use = "an update is not waited for until the wait is awaited"]
pub struct UpdateWait<U>(PhantomData<fn() -> U>);

impl<U> UpdateWait<U> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<U: Update> fmt::Debug for UpdateWait<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UpdateWait").field(&U::NAME).finish()
    }
}

impl<U: Update> UpdateWait<U> {
    /// Waits for at most `limit`, and returns `None` after that. As with [signals](super::SignalWait::timeout), an
    /// update that has arrived by the time of the step still counts.
    pub fn timeout(self, limit: Duration) -> UpdateWithin<U> {
        UpdateWithin { limit, update: PhantomData }
    }
}

/// A wait for the next update of a type with a time limit, created by [`UpdateWait::timeout`].
#[must_use = "an update is not waited for until the wait is awaited"]
pub struct UpdateWithin<U> {
    limit: Duration,
    update: PhantomData<fn() -> U>,
}

impl<U: Update> fmt::Debug for UpdateWithin<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UpdateWithin").field(&U::NAME).field(&self.limit).finish()
    }
}

/// An update that a run has taken and has to answer. It derefs to the request.
///
/// It is plain data: it may be held across awaits, put into a `Vec`, or passed to a branch. The sender waits until
/// it is answered. The answer is part of the step that gives it, and durable with its commit. If the run drops the
/// request without an answer, the sender gets [`UpdateError::Dropped`](crate::error::UpdateError::Dropped); if the
/// run closes before it has answered, [`UpdateError::Closed`](crate::error::UpdateError::Closed).
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "U: Update")]
#[must_use = "whoever has sent the update waits for an answer"]
pub struct UpdateRequest<U: Update> {
    request: U,
    answer: Answer<U>,
}

impl<U: Update> UpdateRequest<U> {
    /// The id of the update, which identifies repetitions.
    pub fn id(&self) -> &str {
        self.answer.id()
    }

    /// Answers the update.
    pub fn reply(self, reply: U::Reply) {
        self.answer.reply(reply);
    }

    /// Refuses the update: its sender gets this error.
    pub fn refuse(self, error: U::Error) {
        self.answer.refuse(error);
    }

    /// Answers or refuses the update.
    pub fn complete(self, result: Result<U::Reply, U::Error>) {
        self.answer.complete(result);
    }

    /// Splits this into the request and the answer still to be given.
    pub fn into_parts(self) -> (U, Answer<U>) {
        (self.request, self.answer)
    }
}

impl<U: Update> Deref for UpdateRequest<U> {
    type Target = U;

    fn deref(&self) -> &U {
        &self.request
    }
}

/// The unanswered side of an update: see [`UpdateRequest`].
#[derive(Serialize, Deserialize)]
#[serde(bound = "U: Update")]
#[must_use = "whoever has sent the update waits for an answer"]
pub struct Answer<U> {
    /// The update, so that it is not answered as another one.
    update: NameOf<OfUpdate<U>>,
    /// The token of the run's operation. A text, so that it is a contiguous part of the saved state in every form.
    token: String,
    id: String,
}

impl<U: Update> Answer<U> {
    /// The id of the update.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Answers the update.
    pub fn reply(self, reply: U::Reply) {
        let reply = codec::to_payload(&reply).map(UpdateReply::Replied);
        replies::give(self.token, reply);
    }

    /// Refuses the update: its sender gets this error.
    pub fn refuse(self, error: U::Error) {
        let reply = codec::to_payload(&error).map(UpdateReply::Refused);
        replies::give(self.token, reply);
    }

    /// Answers or refuses the update.
    pub fn complete(self, result: Result<U::Reply, U::Error>) {
        match result {
            Ok(reply) => self.reply(reply),
            Err(error) => self.refuse(error),
        }
    }
}

impl<U> fmt::Debug for Answer<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An update in the inbox.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedUpdate {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) payload: Payload,
}

/// Takes the first waiting update whose request can be read as the type. An update sent as JSON that cannot be read is
/// answered with an error; for one encoded by another build, the run is blocked until a build can read it.
fn take<U: Update>(cx: &Context, is_late: bool) -> Result<Option<UpdateRequest<U>>, StepError> {
    while let Some(ReceivedUpdate { id, payload, .. }) = cx.take_update(U::NAME, is_late) {
        let request = match codec::from_payload(&payload) {
            Err(error) if codec::schema_of(&payload).is_some() => {
                return Err(StepError::Update { name: U::NAME, error });
            }
            request => request,
        };
        let token = cx.owe_answer(&id);
        match request {
            Ok(request) => {
                let answer = Answer { update: NameOf::new(), token, id };
                return Ok(Some(UpdateRequest { request, answer }));
            }
            Err(error) => replies::give(token, Ok(UpdateReply::Unreadable(error.to_string()))),
        }
    }
    Ok(None)
}

impl<U> Sealed for UpdateWait<U> {}

#[diagnostic::do_not_recommend]
impl<U: Update> DurableFuture for UpdateWait<U> {
    type Output = UpdateRequest<U>;
    type Pending = PendingOne;
    const AWAITED: Awaited = Awaited::Update {
        name: U::NAME,
        value: Described::of::<U>(),
        reply: Described::of::<U::Reply>(),
        is_limited: false,
    };

    fn start(self, cx: &Context) -> Result<PendingOne, StepError> {
        let name = U::NAME.to_owned();
        Ok(PendingOne(cx.ask(Operation::Update { name, until: None })))
    }

    fn poll(pending: &mut PendingOne, cx: &Context) -> Result<Poll<UpdateRequest<U>>, StepError> {
        cx.poll_one(pending.0, take(cx, false)?)
    }

    fn arrived(pending: &PendingOne, cx: &Context) -> Arrived {
        cx.arrived(pending.0)
    }

    fn cancel(pending: PendingOne, cx: &Context) -> Result<(), StepError> {
        cx.settle(pending.0);
        Ok(())
    }
}

impl<U> Sealed for UpdateWithin<U> {}

#[diagnostic::do_not_recommend]
impl<U: Update> DurableFuture for UpdateWithin<U> {
    type Output = Option<UpdateRequest<U>>;
    type Pending = PendingLimited;
    // As for a signal with a time limit.
    const ENDS_AT_ONCE: bool = false;
    const AWAITED: Awaited = Awaited::Update {
        name: U::NAME,
        value: Described::of::<U>(),
        reply: Described::of::<U::Reply>(),
        is_limited: true,
    };

    fn start(self, cx: &Context) -> Result<PendingLimited, StepError> {
        let name = U::NAME.to_owned();
        PendingLimited::start(cx, self.limit, |until| {
            Ok(cx.ask(Operation::Update { name, until: Some(until) }))
        })
    }

    fn poll(
        pending: &mut PendingLimited,
        cx: &Context,
    ) -> Result<Poll<Option<UpdateRequest<U>>>, StepError> {
        pending.poll(cx, |is_late| take(cx, is_late))
    }

    fn arrived(pending: &PendingLimited, cx: &Context) -> Arrived {
        pending.arrived(cx)
    }

    fn cancel(pending: PendingLimited, cx: &Context) -> Result<(), StepError> {
        pending.settle(cx);
        Ok(())
    }
}
