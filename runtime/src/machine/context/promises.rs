//! Promises of a step: making, awaiting and completing them.

use super::Context;
use crate::codec;
use crate::error::{Error, KeyError};
use crate::machine::{Durable, Promise, StepError};
use crate::model::{
    Cause, Handle, Operation, PromiseMessage, PromiseOutcome, PromiseScope, PromiseToken,
    PromiseTypes, PromiseWait,
};

/// For workflow code.
impl Context {
    /// A promise of this run with this name: something that a person or another program completes, by a token that
    /// the run hands out.
    ///
    /// `T` is what it is resolved with and `E` what it is rejected with. As the type of a variable, `Promise` stands
    /// for one that is resolved with `()` and never rejected, `Promise<T>` for one that is never rejected. All that
    /// is made with the same name is the same promise. Nothing is written until it is awaited; it may be completed
    /// before that.
    ///
    /// ```
    /// use piton::machine::Promise;
    /// use piton::prelude::*;
    ///
    /// #[activity]
    /// async fn ask(approver: String, token: String) {}
    ///
    /// #[workflow]
    /// async fn approve(cx: &Context, approver: String) -> Result<String> {
    ///     let approval: Promise<String, String> = cx.promise("approval");
    ///     ask(approver, approval.token().to_string()).await;
    ///     let by = approval.await?;
    ///     Ok(by)
    /// }
    /// # use piton::Result;
    /// ```
    pub fn promise<T, E>(&self, name: impl Into<String>) -> Promise<T, E> {
        let fields = self.fields();
        let scope = PromiseScope::Run(fields.run.run_id);
        Promise::of(PromiseToken::new(fields.workflow, scope, name))
    }

    /// The promise that all runs of the database know by this name. Any number of runs may await it, and each gets
    /// what it comes to.
    pub fn shared_promise<T, E>(&self, name: impl Into<String>) -> Promise<T, E> {
        Promise::of(PromiseToken::shared(name))
    }

    /// The promise that a token names: one of another run, for example, that has sent it.
    pub fn await_promise<T, E>(&self, token: PromiseToken) -> Promise<T, E> {
        Promise::of(token)
    }

    /// Completes a promise, of whichever run, with a value or an error, without waiting for anything. It is a part
    /// of the step, as [`Context::signal_run`] is. If the promise has been completed before, or its run is closed,
    /// nothing happens.
    ///
    /// The run fails if no promise can have the name. A value that cannot be encoded is treated as such an
    /// argument of an activity.
    pub fn complete_promise<T: Durable, E: Durable>(
        &self,
        token: &PromiseToken,
        result: Result<T, E>,
    ) {
        let outcome = match result {
            Ok(value) => codec::to_payload(&value).map(PromiseOutcome::Resolved),
            Err(error) => codec::to_payload(&error).map(PromiseOutcome::Rejected),
        };
        self.send_outcome(token.clone(), outcome.map_err(StepError::Encode));
    }

    /// Completes a promise, of whichever run, with a reason that has no type; otherwise as
    /// [`Context::complete_promise`].
    pub fn break_promise(&self, token: &PromiseToken, cause: Cause) {
        self.send_outcome(token.clone(), Ok(PromiseOutcome::Broken(cause)));
    }
}

impl Context {
    /// Completes a promise.
    pub(crate) fn send_outcome(
        &self,
        token: PromiseToken,
        outcome: Result<PromiseOutcome, StepError>,
    ) {
        let checked = check(&token).and(outcome);
        self.send_to_promise(checked.map(|outcome| PromiseMessage::Complete { token, outcome }));
    }

    /// Awaits the outcome of a promise.
    pub(crate) fn ask_promise(
        &self,
        wait: PromiseWait,
        types: PromiseTypes,
    ) -> Result<Handle, StepError> {
        check(&wait.token)?;
        let PromiseWait { token, expires_at } = wait.clone();
        let handle = self.ask(Operation::Promise(Box::new(wait)));
        self.send_to_promise(Ok(PromiseMessage::Await { token, handle, expires_at, types }));
        Ok(handle)
    }

    /// Stops awaiting the outcome of a promise.
    pub(super) fn forget_promise(&self, token: PromiseToken, handle: Handle) {
        self.send_to_promise(Ok(PromiseMessage::Forget { token, handle }));
    }

    /// No longer awaits any promise: the run is over.
    #[cfg(feature = "engine")]
    pub(crate) fn forget_promises(&self) {
        self.send_forgotten();
        let fields = self.fields();
        let arrivals = fields.arrivals.borrow();
        for (handle, operation) in fields.operations.borrow().iter() {
            if let Operation::Promise(wait) = operation
                && !arrivals.has_outcome(*handle)
            {
                self.forget_promise(wait.token.clone(), *handle);
            }
        }
    }
}

fn check(token: &PromiseToken) -> Result<(), StepError> {
    let checked = token.workflow_id().map_or(Ok(()), KeyError::check);
    checked.and_then(|()| KeyError::check(token.name())).map_err(|error| {
        let shown = token.name().chars().take(40).collect::<String>();
        StepError::Failed(Error::from(error).context(format!("there is no promise {shown:?}")))
    })
}
