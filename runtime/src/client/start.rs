//! Starting runs.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use super::start_json::JsonCall;
use super::untyped_start::{Call, StartOptions, When};
use super::{Client, RunHandle};
use crate::error::StartError;
use crate::machine::{Workflow, WorkflowCall};
use crate::model::{Attributes, Memo, Timestamp};
use crate::store::IdReuse;

/// A run, ready to be started: await it.
#[must_use = "a run is not started until this is awaited"]
pub struct Start<W> {
    pub(super) call: WorkflowCall<W>,
    pub(super) options: StartOptions,
    /// The call, if the program does not have the workflow's type.
    pub(super) json: Option<JsonCall>,
}

/// What a start does if an open run has the same workflow id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnConflict {
    /// The start fails with [`StartError::AlreadyStarted`].
    #[default]
    Fail,
    /// Nothing is started, and the handle is that of the open run. The start fails with
    /// [`StartError::AlreadyStarted`] if that run is of another workflow.
    UseExisting,
    /// The open run is terminated, in the transaction that starts the new one.
    TerminateExisting,
}

impl<W> Start<W> {
    pub(super) fn new(client: Client, call: WorkflowCall<W>) -> Self {
        Self { call, options: StartOptions::new(client), json: None }
    }

    /// Sets the workflow id: no two open runs share one. 1 to 1,000 bytes, without the character NUL. Default: the
    /// run id.
    pub fn id(mut self, workflow_id: impl Into<String>) -> Self {
        self.options.workflow_id = Some(workflow_id.into());
        self
    }

    /// Delays the first step until this time; with [`Start::cron`], to the first time of the expression from this
    /// time on. Default: at once.
    pub fn start_at(mut self, at: impl Into<Timestamp>) -> Self {
        self.options.start = When::At(at.into());
        self
    }

    /// Delays the first step by this duration, as [`Start::start_at`] does. Default: at once.
    pub fn start_delay(mut self, delay: Duration) -> Self {
        self.options.start = When::After(delay);
        self
    }

    /// Sets what happens if an open run has the same workflow id. Default: [`OnConflict::Fail`].
    pub fn on_conflict(mut self, on_conflict: OnConflict) -> Self {
        self.options.on_conflict = on_conflict;
        self
    }

    /// Sets after which runs the workflow id may be used again. The policy looks at the last run with the id, while
    /// that run is [kept](crate::worker::Worker::retention). A start that the policy forbids fails with
    /// [`StartError::IdUsed`], even with [`OnConflict::TerminateExisting`]. Default: after any run.
    pub fn id_reuse(mut self, reuse: IdReuse) -> Self {
        self.options.id_reuse = reuse;
        self
    }

    /// Sets an id of this start, so that the program can repeat it: a second start with the same request id and
    /// workflow id starts nothing and returns the handle of the first run, even if that is closed. 1 to 1,000
    /// bytes. Default: none; a start whose response is lost is repeated safely without it.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.options.request_id = Some(id.into());
        self
    }

    /// Starts the run with these attributes, by which [filters](crate::filter) find it: those of a struct with
    /// [`#[derive(Attributes)]`](macro@crate::Attributes), or [`AttributeChanges`](crate::model::AttributeChanges).
    /// Further calls add attributes. Default: none.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # use piton::Attributes;
    /// # #[workflow]
    /// # async fn fulfill(cx: &Context, order: String) { cx.sleep(hours(1)).await; }
    /// #[derive(Attributes)]
    /// struct Order {
    ///     customer: String,
    ///     cents: i64,
    /// }
    ///
    /// # async fn demo(client: Client) -> piton::Result<()> {
    /// let order = Order { customer: "c-17".to_owned(), cents: 1_250 };
    /// client.start(fulfill("order-42".to_owned())).attributes(order).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn attributes(mut self, attributes: impl Attributes) -> Self {
        self.options.labels.add(attributes.into_changes());
        self
    }

    /// Starts the run with a memo: small values that lists show and that filters cannot use. The workflow
    /// may [replace it](crate::machine::Context::set_memo). At most [`Memo::MAX_BYTES`] as JSON. Default: none.
    pub fn memo(mut self, memo: impl Into<Memo>) -> Self {
        self.options.labels.memo = memo.into();
        self
    }
}

impl<W> Clone for Start<W> {
    fn clone(&self) -> Self {
        let Self { call, options, json } = self;
        Self { call: call.clone(), options: options.clone(), json: json.clone() }
    }
}

impl<W: Workflow> std::fmt::Debug for Start<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Start")
            .field("workflow", &W::NAME)
            .field("workflow_id", &self.options.workflow_id)
            .field("start", &self.options.start)
            .finish_non_exhaustive()
    }
}

impl<W: Workflow> IntoFuture for Start<W> {
    type Output = Result<RunHandle<W>, StartError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// Starts the run. If the future is dropped, the run may or may not have been started.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { Ok(RunHandle::of(self.options.start(Call::new(self.call)?).await?)) })
    }
}
