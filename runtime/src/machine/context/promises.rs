//! Promises in a step: creating, awaiting and completing them.

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
    /// A promise of this run: a value that a person or another program provides, by a token that the run gives to
    /// them.
    ///
    /// `T` is the type of the value and `E` the type of the error with which it can be rejected. In the type of a
    /// variable, `Promise` means one that is resolved with `()` and never rejected, and `Promise<T>` one that is
    /// never rejected. All promises of a run with the same name are the same promise. Nothing is written until it
    /// is awaited; it may be completed before that.
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

    /// The promise with this name that all runs of the database share. Any number of runs may await it, and each
    /// gets its outcome.
    pub fn shared_promise<T, E>(&self, name: impl Into<String>) -> Promise<T, E> {
        Promise::of(PromiseToken::shared(name))
    }

    /// The promise that a token names, for example one of another run.
    pub fn await_promise<T, E>(&self, token: PromiseToken) -> Promise<T, E> {
        Promise::of(token)
    }

    /// Completes a promise of any run with a value or an error. Does not wait. The completion is part of the step,
    /// like [`Context::signal_run`]. It has no effect if the promise has been completed before or its run is
    /// closed.
    ///
    /// The run fails if the promise's name is not valid. A value that cannot be encoded blocks the run, like such
    /// an argument of an activity.
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

    /// Completes a promise of any run with an untyped cause; otherwise like [`Context::complete_promise`].
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

    /// Withdraws the wait for a promise.
    pub(super) fn forget_promise(&self, token: PromiseToken, handle: Handle) {
        self.send_to_promise(Ok(PromiseMessage::Forget { token, handle }));
    }

    /// Withdraws all waits for promises, because the run has ended.
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
