//! Starting runs.

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing::info_span;

use super::labels::Labels;
use super::start_json::JsonCall;
use super::{Client, RunHandle};
use crate::engine::backoff::patiently;
use crate::engine::driver::{Origin, make_first};
use crate::engine::held::Starting;
use crate::engine::session::Adoption;
use crate::engine::transitions;
use crate::error::{BlockedHolder, KeyError, LookupError, StartError};
use crate::machine::{Machine, RunInfo, Workflow, WorkflowCall};
use crate::model::{Attributes, Memo, NewTerms, RunId, Terms, Timestamp};
use crate::store::{FirstArrival, IdPolicy, IdReuse, NewRun, StartOutcome};

/// A run, ready to be started: await it.
#[must_use = "a run is not started until this is awaited"]
pub struct Start<W> {
    pub(super) client: Client,
    pub(super) call: WorkflowCall<W>,
    pub(super) workflow_id: Option<String>,
    pub(super) start: When,
    on_conflict: OnConflict,
    id_reuse: IdReuse,
    pub(super) request_id: Option<String>,
    pub(super) labels: Labels,
    /// The call, if the program does not have the workflow's type.
    pub(super) json: Option<JsonCall>,
    pub(super) terms: NewTerms,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    Now,
    After(Duration),
    At(Timestamp),
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
        let on_conflict = OnConflict::default();
        let labels = Labels::default();
        let (id_reuse, terms) = (IdReuse::default(), NewTerms::default());
        let (workflow_id, request_id, start) = (None, None, When::Now);
        Self {
            client,
            call,
            workflow_id,
            start,
            on_conflict,
            id_reuse,
            request_id,
            labels,
            json: None,
            terms,
        }
    }

    /// Sets the workflow id: no two open runs share one. 1 to 1,000 bytes, without the character NUL. Default: the
    /// run id.
    pub fn id(mut self, workflow_id: impl Into<String>) -> Self {
        self.workflow_id = Some(workflow_id.into());
        self
    }

    /// Delays the first step until this time; with [`Start::cron`], to the first time of the expression from this
    /// time on. Default: at once.
    pub fn start_at(mut self, at: impl Into<Timestamp>) -> Self {
        self.start = When::At(at.into());
        self
    }

    /// Delays the first step by this duration, as [`Start::start_at`] does. Default: at once.
    pub fn start_delay(mut self, delay: Duration) -> Self {
        self.start = When::After(delay);
        self
    }

    /// Sets what happens if an open run has the same workflow id. Default: [`OnConflict::Fail`].
    pub fn on_conflict(mut self, on_conflict: OnConflict) -> Self {
        self.on_conflict = on_conflict;
        self
    }

    /// Sets after which runs the workflow id may be used again. The policy looks at the last run with the id, while
    /// that run is [kept](crate::worker::Worker::retention). A start that the policy forbids fails with
    /// [`StartError::IdUsed`], even with [`OnConflict::TerminateExisting`]. Default: after any run.
    pub fn id_reuse(mut self, reuse: IdReuse) -> Self {
        self.id_reuse = reuse;
        self
    }

    /// Sets an id of this start, so that the program can repeat it: a second start with the same request id and
    /// workflow id starts nothing and returns the handle of the first run, even if that is closed. 1 to 1,000
    /// bytes. Default: none; a start whose response is lost is repeated safely without it.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
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
        self.labels.add(attributes.into_changes());
        self
    }

    /// Starts the run with a memo: small values that lists show and that filters cannot use. A memo does not
    /// change. At most [`Memo::MAX_BYTES`] as JSON. Default: none.
    pub fn memo(mut self, memo: impl Into<Memo>) -> Self {
        self.labels.memo = memo.into();
        self
    }

    /// The policy for the workflow id.
    pub(super) fn policy(&self) -> IdPolicy {
        let ends_open = self.on_conflict == OnConflict::TerminateExisting;
        IdPolicy { reuse: self.id_reuse, ends_open }
    }

    /// Whether the start fails if an open run has the workflow id.
    pub(super) fn fails_on_conflict(&self) -> bool {
        self.on_conflict == OnConflict::Fail
    }

    /// When the run is due, if not at once, and its terms, counted from then.
    pub(super) async fn due(
        client: &Client,
        start: When,
        terms: Option<Terms>,
    ) -> Result<(Option<Timestamp>, Option<Box<Terms>>), StartError> {
        let now = async || {
            let now = patiently(|| client.store().now()).await;
            now.map_err(|error| StartError::Store(Arc::new(error)))
        };
        let (now, start_at) = match start {
            When::Now if terms.is_none() => return Ok((None, None)),
            When::At(at) if terms.is_none() => return Ok((Some(at), None)),
            When::Now => (now().await?, None),
            When::At(at) => (now().await?, Some(at)),
            When::After(delay) => {
                let now = now().await?;
                (now, Some(now + delay))
            }
        };
        let Some(terms) = terms else { return Ok((start_at, None)) };
        let start_at = terms.first_due(now, start_at).map_err(|reason| {
            let expression = terms.cron.as_ref().map(|cron| cron.expression.clone());
            StartError::Cron { expression: expression.unwrap_or_default(), reason }
        })?;
        let terms = Some(Box::new(terms.begin(start_at.unwrap_or(now))));
        Ok((start_at, terms))
    }
}

impl<W: Workflow> Start<W> {
    async fn start(self) -> Result<RunHandle<W>, StartError> {
        let (client, on_conflict) = (self.client.clone(), self.on_conflict);
        match self.try_start(None).await? {
            (StartOutcome::IdTaken { run_id }, run) if on_conflict == OnConflict::Fail => {
                let workflow_id = run.workflow_id().to_owned();
                Err(already_started(&client, workflow_id, run_id).await)
            }
            (StartOutcome::IdTaken { .. }, run) => holder(run).await,
            (_, run) => Ok(run),
        }
    }

    /// Starts the run with `first` in its inbox, if no open run has its id. Returns the run that has the id then.
    pub(super) async fn try_start(
        self,
        first: Option<FirstArrival>,
    ) -> Result<(StartOutcome, RunHandle<W>), StartError> {
        let policy = self.policy();
        let Self { client, call, workflow_id, start, labels, terms, request_id, .. } = self;
        let workflow_id = workflow_id.or_else(|| call.workflow_id.clone());
        let Some(workflow) = W::registered_name() else {
            return Err(StartError::NotRegistered { workflow: std::any::type_name::<W>() });
        };
        let arguments =
            call.into_arguments().map_err(|source| StartError::Arguments { workflow, source })?;
        workflow_id
            .iter()
            .try_for_each(|id| KeyError::check(id))
            .map_err(StartError::WorkflowId)?;
        request_id.iter().try_for_each(|id| KeyError::check(id)).map_err(StartError::RequestId)?;
        let (attributes, memo) = labels.checked()?;
        // Readers of the run must find the schemas of its values.
        let recorded = patiently(async || {
            client.recorded().definition_of(&**client.store(), W::entry()).await?;
            client.recorded().schema_of(&**client.store(), &arguments).await
        });
        recorded.await.map_err(|error| StartError::Store(Arc::new(error)))?;
        let run_id = match &request_id {
            Some(request_id) => RunId::of_request(workflow, workflow_id.as_deref(), request_id),
            None => client.store().new_run_id(),
        };
        let workflow_id = workflow_id.unwrap_or_else(|| run_id.to_string());
        let run = RunInfo { run_id, workflow_id: workflow_id.as_str().into() };
        let cannot_begin = |reason: String| StartError::Begin { workflow, reason };
        let begin = || {
            Machine::start(W::entry(), run.clone(), &arguments)
                .map_err(|error| cannot_begin(error.to_string()))
        };
        let mut machine = begin()?;
        let (start_at, terms) = Self::due(&client, start, terms.into_terms()).await?;
        // The worker's own run is claimed if the start has a delay, or may be a repetition. Two starts with one
        // request id may be in one batch, which would treat them as two runs with one workflow id.
        let by_policy = policy != IdPolicy::default() || request_id.is_some();
        let is_plain = terms.is_none() && !by_policy;
        // A worker of this process that has room drives the run without a claim.
        let host = client.host(workflow).filter(|_| start_at.is_none() && is_plain);
        let host = host.and_then(|session| {
            let permit = Arc::clone(&session.capacity).try_acquire_owned().ok()?;
            Some((session, permit))
        });
        if let Some((session, _)) = host.as_ref().filter(|_| first.is_none()) {
            let span = info_span!("run", %run_id, %workflow_id);
            machine = match span.in_scope(|| make_first(machine, &session.clock)) {
                Some(machine) => machine,
                None => begin()?,
            };
            let recorded = patiently(|| client.recorded().kept_schemas(&**client.store()));
            recorded.await.map_err(|error| StartError::Store(Arc::new(error)))?;
        }
        let snapshot =
            machine.encode_snapshot().map_err(|error| cannot_begin(error.to_string()))?;
        let state = machine.state().to_owned();
        let definition = machine.entry().definition().hash();
        let adoption = host.map(|(session, permit)| {
            // An impossible number of arrivals, so that the driver reads the inbox.
            let heard = first.is_none().then(|| session.store.hub().arrivals());
            let heard = heard.unwrap_or(u64::MAX);
            let origin = Origin::Started { run, machine: Box::new(machine), heard };
            let starting = Some(Starting::new(&session, run_id));
            Adoption { session, origin, permit, starting }
        });
        let new_run = NewRun {
            run_id,
            workflow_id: workflow_id.clone(),
            workflow: workflow.to_owned(),
            arguments,
            snapshot,
            state,
            definition,
            owner: adoption.as_ref().map(|adoption| adoption.session.lease()),
            start_at,
            first,
            attributes,
            memo,
            terms,
        };
        let adoption = adoption.map(|adoption| Arc::new(Mutex::new(Some(adoption))));
        let watch = client.store().hub().watch_end(run_id);
        let started = match by_policy {
            false => client.starts().submit(transitions::Start { run: new_run, adoption }).await,
            true => {
                let store = client.store();
                patiently(|| store.start_by_policy(new_run.clone(), policy)).await.map_err(Arc::new)
            }
        };
        if start_at.is_some() {
            // A claim loop of this process checks again when the next run is due.
            client.store().hub().announce_due();
        }
        let outcome = started.map_err(StartError::Store)?;
        let run = match &outcome {
            StartOutcome::IdUsed { run_id } => {
                return Err(StartError::IdUsed { workflow_id, run_id: *run_id });
            }
            StartOutcome::IdTaken { run_id } => RunHandle::new(client, *run_id, workflow_id),
            StartOutcome::Started { .. } | StartOutcome::Repeated => {
                RunHandle::started(client, run_id, workflow_id, watch)
            }
        };
        Ok((outcome, run))
    }
}

/// The run that has the workflow id, if it is of the workflow `W`: the handle reads its result as one of `W`.
pub(super) async fn holder<W: Workflow>(run: RunHandle<W>) -> Result<RunHandle<W>, StartError> {
    let client = run.client();
    match client.run::<W>(run.run_id()).await {
        // A run that has been deleted meanwhile has no result to read.
        Ok(_) | Err(LookupError::Unknown(_)) => Ok(run),
        Err(LookupError::OtherWorkflow { run_id, .. }) => {
            Err(already_started(client, run.workflow_id().to_owned(), run_id).await)
        }
        Err(LookupError::Store(error)) => Err(StartError::Store(Arc::new(error))),
    }
}

/// The error for a workflow id that an open run has, with details of that run.
pub(super) async fn already_started(
    client: &Client,
    workflow_id: String,
    run_id: RunId,
) -> StartError {
    // The id is taken, whatever this query returns.
    let holder = client.find(run_id).await.ok().flatten();
    let workflow = holder.as_ref().map(|run| run.workflow.clone());
    let blocked = holder.and_then(|run| {
        let (started_at, state) = (run.started_at, run.state);
        let (blocked_at, reason) = run.blocked_at.zip(run.blocked)?;
        Some(Box::new(BlockedHolder { started_at, blocked_at, state, reason }))
    });
    StartError::AlreadyStarted { workflow_id, run_id, workflow, blocked }
}

impl<W> Clone for Start<W> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            call: self.call.clone(),
            workflow_id: self.workflow_id.clone(),
            start: self.start,
            on_conflict: self.on_conflict,
            id_reuse: self.id_reuse,
            request_id: self.request_id.clone(),
            labels: self.labels.clone(),
            json: self.json.clone(),
            terms: self.terms.clone(),
        }
    }
}

impl<W: Workflow> std::fmt::Debug for Start<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Start")
            .field("workflow", &W::NAME)
            .field("workflow_id", &self.workflow_id)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl<W: Workflow> IntoFuture for Start<W> {
    type Output = Result<RunHandle<W>, StartError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + std::marker::Send>>;

    /// Starts the run. If the future is dropped, the run may or may not have been started.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}
