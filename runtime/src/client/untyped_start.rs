//! Starting a run without the type of its workflow: compiled once, not for each workflow.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing::info_span;

use super::Client;
use super::labels::Labels;
use super::one_run::OneRun;
use super::start::OnConflict;
use crate::codec::CodecError;
use crate::engine::backoff::patiently;
use crate::engine::driver::{Origin, make_first};
use crate::engine::held::Starting;
use crate::engine::panics::catch;
use crate::engine::session::Adoption;
use crate::engine::transitions;
use crate::error::{BlockedHolder, KeyError, LookupError, OtherBuildsHolder, StartError};
use crate::evolution;
use crate::machine::{Machine, RunInfo, Workflow, WorkflowCall, WorkflowEntry};
use crate::model::{NewTerms, Payload, RunId, Terms, Timestamp};
use crate::store::{FirstArrival, IdPolicy, IdReuse, NewRun, RunRecord, StartOutcome};

/// A call of a workflow whose code this program has.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) entry: &'static WorkflowEntry,
    /// The stored name.
    pub(super) workflow: &'static str,
    workflow_id: Option<String>,
    arguments: Payload,
}

impl Call {
    pub(super) fn new<W: Workflow>(call: WorkflowCall<W>) -> Result<Self, StartError> {
        let name = W::registered_name().ok_or(std::any::type_name::<W>());
        Self::of(W::entry, name, call.workflow_id, call.arguments)
    }

    /// `name` is the stored name, or the name of a type that has none.
    fn of(
        entry: fn() -> &'static WorkflowEntry,
        name: Result<&'static str, &'static str>,
        workflow_id: Option<String>,
        arguments: Result<Payload, CodecError>,
    ) -> Result<Self, StartError> {
        let workflow = name.map_err(|workflow| StartError::NotRegistered { workflow })?;
        let arguments = arguments.map_err(|source| StartError::Arguments { workflow, source })?;
        Ok(Self { entry: entry(), workflow, workflow_id, arguments })
    }
}

/// How a run is started.
#[derive(Clone)]
pub(super) struct StartOptions {
    pub(super) client: Client,
    pub(super) workflow_id: Option<String>,
    pub(super) start: When,
    pub(super) on_conflict: OnConflict,
    pub(super) id_reuse: IdReuse,
    pub(super) request_id: Option<String>,
    pub(super) labels: Labels,
    pub(super) terms: NewTerms,
}

/// When a run is due.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    Now,
    After(Duration),
    At(Timestamp),
}

impl StartOptions {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            workflow_id: None,
            start: When::Now,
            on_conflict: OnConflict::default(),
            id_reuse: IdReuse::default(),
            request_id: None,
            labels: Labels::default(),
            terms: NewTerms::default(),
        }
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

    /// Starts the run, or gives the run that has its id, as [`OnConflict`] says.
    pub(super) async fn start(self, call: Call) -> Result<OneRun, StartError> {
        let (client, entry, fails) = (self.client.clone(), call.entry, self.fails_on_conflict());
        match self.try_start(call, None).await? {
            (StartOutcome::IdTaken { run_id }, run) if fails => {
                Err(already_started(&client, Some(entry), run.workflow_id, run_id).await)
            }
            (StartOutcome::IdTaken { .. }, run) => holder(run, entry).await,
            (_, run) => Ok(run),
        }
    }

    /// Starts the run with `first` in its inbox, if no open run has its id. Returns the run that has the id then.
    pub(super) async fn try_start(
        self,
        call: Call,
        first: Option<FirstArrival>,
    ) -> Result<(StartOutcome, OneRun), StartError> {
        let policy = self.policy();
        let Self { client, workflow_id, start, labels, terms, request_id, .. } = self;
        let Call { entry, workflow, workflow_id: of_call, arguments } = call;
        let workflow_id = workflow_id.or(of_call);
        workflow_id
            .iter()
            .try_for_each(|id| KeyError::check(id))
            .map_err(StartError::WorkflowId)?;
        request_id.iter().try_for_each(|id| KeyError::check(id)).map_err(StartError::RequestId)?;
        let (attributes, memo) = labels.checked()?;
        // Readers of the run must find the schemas of its values.
        let recorded = patiently(async || {
            client.recorded().definition_of(&**client.store(), entry).await?;
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
            Machine::start(entry, run.clone(), &arguments)
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
            StartOutcome::IdTaken { run_id } => OneRun::new(client, *run_id, workflow_id),
            StartOutcome::Started { .. } | StartOutcome::Repeated => {
                OneRun::started(client, run_id, workflow_id, watch)
            }
        };
        Ok((outcome, run))
    }
}

/// The run that has the workflow id, if it is of this workflow: a handle reads its result as one of it.
pub(super) async fn holder(
    run: OneRun,
    workflow: &'static WorkflowEntry,
) -> Result<OneRun, StartError> {
    let client = &run.client;
    match client.find_of(run.run_id.into(), workflow.name, workflow.formerly).await {
        // A run that has been deleted meanwhile has no result to read.
        Ok(_) | Err(LookupError::Unknown(_)) => Ok(run),
        Err(LookupError::OtherWorkflow { run_id, .. }) => {
            Err(already_started(client, Some(workflow), run.workflow_id.clone(), run_id).await)
        }
        Err(LookupError::Store(error)) => Err(StartError::Store(Arc::new(error))),
    }
}

/// The error for a workflow id that an open run has, with details of that run. `entry` is the workflow that was to be
/// started, if this program has its code.
pub(super) async fn already_started(
    client: &Client,
    entry: Option<&'static WorkflowEntry>,
    workflow_id: String,
    run_id: RunId,
) -> StartError {
    // The id is taken, whatever this query returns.
    let holder = client.find(run_id).await.ok().flatten();
    let workflow = holder.as_ref().map(|run| run.workflow.clone());
    let other_build = match &holder {
        Some(run) if run.blocked.is_none() => other_build(client, entry, run).await.map(Box::new),
        _ => None,
    };
    let blocked = holder.and_then(|run| {
        let (started_at, state) = (run.started_at, run.state);
        let (blocked_at, reason) = run.blocked_at.zip(run.blocked)?;
        Some(Box::new(BlockedHolder { started_at, blocked_at, state, reason }))
    });
    StartError::AlreadyStarted { workflow_id, run_id, workflow, blocked, other_build }
}

/// Details of a run that certainly does not fit this program, although the program has its workflow.
async fn other_build(
    client: &Client,
    entry: Option<&'static WorkflowEntry>,
    run: &RunRecord,
) -> Option<OtherBuildsHolder> {
    let hash = run.definition?;
    let all = || entry.into_iter().chain(WorkflowEntry::all());
    let versions = || all().filter(|entry| entry.names().contains(&&*run.workflow));
    versions().next()?;
    let before = client.definition(hash).await.ok().flatten()?;
    let finding = match versions().find(|entry| entry.version == before.version) {
        None => None,
        Some(entry) => {
            let concerns = catch(|| evolution::check(before, entry)).ok()?;
            let certain = concerns.into_iter().find(|concern| {
                let state = before.states.get(concern.state as usize);
                !concern.depends_on_value && state.is_some_and(|state| state.name == run.state)
            });
            Some(certain?.finding)
        }
    };
    Some(OtherBuildsHolder {
        definition: hash,
        version: before.version,
        state: run.state.clone(),
        finding,
    })
}
