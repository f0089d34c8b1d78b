//! Starting runs without the code of their workflows, by their recorded definitions.

use std::collections::BTreeSet;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value as Json;

use super::untyped_start::{StartOptions, already_started};
use super::{Client, Start, UntypedRun, kin};
use crate::codec::{self, CodecError};
use crate::engine::backoff::patiently;
use crate::error::{KeyError, LookupError, StartError, StoreError};
use crate::evolution::StoredDefinition;
use crate::filter;
use crate::machine::frame::{FrameHead, add_entry};
use crate::machine::id_pattern::IdPattern;
use crate::machine::{WorkflowCall, WorkflowEntry};
use crate::model::{DefinitionHash, Payload, RunId, Snapshot, Timestamp, Wait};
use crate::store::{NewRun, StartOutcome};

/// A workflow whose type this program does not have: see [`Client::start_json`].
#[derive(Clone, Copy, Debug)]
pub enum AnyWorkflow {}

/// The start of such a run.
#[derive(Clone, Debug)]
pub(super) struct JsonCall {
    workflow: String,
    arguments: Json,
}

impl Client {
    /// Starts a run of a workflow by its stored name, for programs without its code. The arguments are a list in
    /// the order of the parameters, or an object with their names. They are checked against the schemas in the
    /// workflow's recorded definition before anything is written. Await the returned value, after setting options:
    /// all those of [`Client::start`] apply.
    ///
    /// Without [`id`](Start::id), the workflow id is the one that `#[workflow(id = "…")]` derives from the arguments,
    /// as in a start with the code. Patterns of texts, integers, `bool` and `char` can be applied without the code; a
    /// start by another pattern needs an id.
    ///
    /// If several definitions are recorded, those of the newest version are used; of these, the one that the last
    /// run was started with, or else one that the arguments fit.
    ///
    /// ```no_run
    /// # use serde_json::json;
    /// # async fn demo(client: piton::client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let arguments = json!([{ "id": 42, "cents": 1_250 }]);
    /// let run = client.start_json("fulfill", arguments).id("order-42").await?;
    /// println!("{}", run.result().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Errors: [`StartError::UnknownWorkflow`], [`StartError::JsonArguments`], [`StartError::NoWorkflowId`], and those of [`Client::start`].
    pub fn start_json(&self, workflow: impl Into<String>, arguments: Json) -> Start<AnyWorkflow> {
        let call = WorkflowCall {
            workflow_id: None,
            arguments: Ok(Payload::default()),
            workflow: PhantomData,
        };
        let mut start = Start::new(self.clone(), call);
        start.json = Some(JsonCall { workflow: workflow.into(), arguments });
        start
    }

    /// The definitions that a run can be started with, the best first.
    async fn definitions_to_start(
        &self,
        workflow: &str,
    ) -> Result<Vec<&'static StoredDefinition>, StoreError> {
        let store = &**self.store();
        let mut preferred: Vec<DefinitionHash> = Vec::new();
        for entry in WorkflowEntry::all().filter(|entry| entry.name == workflow) {
            patiently(|| self.recorded().definition_of(store, entry)).await?;
            preferred.push(entry.definition().hash());
        }
        let last = self.list_runs(filter::workflow().equals(workflow.to_owned())).limit(1).await?;
        preferred.extend(last.runs.first().and_then(|run| run.definition));
        let mut definitions = Vec::new();
        for summary in patiently(|| store.list_definitions(Some(workflow))).await? {
            definitions.extend(self.definition(summary.hash).await?);
        }
        let newest = definitions.iter().map(|definition| definition.version).max();
        definitions.retain(|definition| Some(definition.version) == newest);
        let place = |definition: &&StoredDefinition| {
            preferred.iter().position(|hash| *hash == definition.hash).unwrap_or(preferred.len())
        };
        definitions.sort_by_key(place);
        Ok(definitions)
    }

    /// The definition that a run with these arguments can be started with, and the arguments encoded for it.
    ///
    /// # Errors
    /// [`StartError::UnknownWorkflow`], [`StartError::JsonArguments`], [`StartError::Store`].
    pub(super) async fn arguments_by_name(
        &self,
        workflow: &str,
        arguments: &Json,
    ) -> Result<(&'static StoredDefinition, Payload), StartError> {
        let definitions = self.definitions_to_start(workflow).await.map_err(failed)?;
        let fitting = definitions.iter().map(|known| (*known, encode(known, arguments)));
        let fitting = fitting.reduce(|best, next| {
            let is_better = best.1.is_err() && next.1.is_ok();
            if is_better { next } else { best }
        });
        let workflow = workflow.to_owned();
        match fitting {
            None => Err(self.no_such_workflow(workflow).await),
            Some((definition, Ok(arguments))) => Ok((definition, arguments)),
            Some((_, Err(reason))) => Err(StartError::JsonArguments { workflow, reason }),
        }
    }

    /// Whether a run is of this workflow. A run that has been deleted meanwhile counts as one.
    async fn is_of(&self, run_id: RunId, of: &StoredDefinition) -> Result<bool, StartError> {
        let Some(run) = self.find(run_id).await.map_err(failed)? else { return Ok(true) };
        let is_name = |name: &str| of.workflow == name || of.formerly.iter().any(|it| it == name);
        match kin::belongs_to(self, &run, is_name).await {
            Err(LookupError::Store(error)) => Err(failed(error)),
            Err(_) => Ok(true),
            Ok(belongs) => Ok(belongs),
        }
    }

    async fn no_such_workflow(&self, workflow: String) -> StartError {
        let known = patiently(|| self.store().list_definitions(None)).await;
        match known {
            Ok(known) => {
                let known: BTreeSet<_> = known.into_iter().map(|known| known.workflow).collect();
                StartError::UnknownWorkflow { workflow, known: known.into_iter().collect() }
            }
            Err(error) => StartError::Store(Arc::new(error)),
        }
    }
}

impl Start<AnyWorkflow> {
    async fn start(self) -> Result<UntypedRun, StartError> {
        let JsonCall { workflow, arguments } = self.json.expect("`start_json` sets it");
        let (policy, fails) = (self.options.policy(), self.options.fails_on_conflict());
        let StartOptions { client, workflow_id, start, labels, terms, request_id, .. } =
            self.options;
        request_id.iter().try_for_each(|id| KeyError::check(id)).map_err(StartError::RequestId)?;
        let (attributes, memo) = labels.checked()?;
        let (definition, arguments) = client.arguments_by_name(&workflow, &arguments).await?;
        let workflow_id = match (workflow_id, &definition.id) {
            (None, Some(pattern)) => Some(id_by(pattern, &workflow, &arguments)?),
            (workflow_id, _) => workflow_id,
        };
        workflow_id
            .iter()
            .try_for_each(|id| KeyError::check(id))
            .map_err(StartError::WorkflowId)?;
        let recorded = patiently(|| client.recorded().schema_of(&**client.store(), &arguments));
        recorded.await.map_err(failed)?;
        let run_id = match &request_id {
            Some(request_id) => RunId::of_request(&workflow, workflow_id.as_deref(), request_id),
            None => client.store().new_run_id(),
        };
        let workflow_id = workflow_id.unwrap_or_else(|| run_id.to_string());
        let (start_at, terms) = StartOptions::due(&client, start, terms.into_terms()).await?;
        let snapshot = codec::encode_snapshot(&first_snapshot(definition, &arguments));
        let cannot_begin = |error: CodecError| StartError::JsonArguments {
            workflow: workflow.clone(),
            reason: error.to_string(),
        };
        let run = NewRun {
            run_id,
            workflow_id: workflow_id.clone(),
            workflow: workflow.clone(),
            snapshot: snapshot.map_err(cannot_begin)?,
            state: definition.states[0].name.clone(),
            definition: definition.hash,
            arguments,
            owner: None,
            start_at,
            first: None,
            attributes,
            memo,
            terms,
        };
        let store = client.store();
        let started = patiently(|| store.start_by_policy(run.clone(), policy)).await;
        store.hub().announce_due();
        match started.map_err(failed)? {
            StartOutcome::IdUsed { run_id } => Err(StartError::IdUsed { workflow_id, run_id }),
            StartOutcome::IdTaken { run_id } => {
                let is_usable = !fails && client.is_of(run_id, definition).await?;
                match is_usable {
                    true => Ok(client.by_id(run_id)),
                    false => Err(already_started(&client, None, workflow_id, run_id).await),
                }
            }
            StartOutcome::Started { .. } | StartOutcome::Repeated => Ok(client.by_id(run_id)),
        }
    }
}

fn failed(error: StoreError) -> StartError {
    StartError::Store(Arc::new(error))
}

/// The workflow id that the code gives a run with these arguments.
fn id_by(pattern: &IdPattern, workflow: &str, arguments: &Payload) -> Result<String, StartError> {
    pattern.id_of(arguments).map_err(|reason| StartError::NoWorkflowId {
        workflow: workflow.to_owned(),
        pattern: pattern.to_string(),
        reason: reason.to_string(),
    })
}

/// The arguments of a run of this definition, or why the JSON does not fit.
fn encode(definition: &StoredDefinition, json: &Json) -> Result<Payload, String> {
    let names: Vec<&str> =
        definition.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let signature = || match &names[..] {
        [] => "it has no parameters; write []".to_owned(),
        names => format!("its parameters are ({})", names.join(", ")),
    };
    let given: Vec<&Json> = match json {
        Json::Array(values) if values.len() == names.len() => values.iter().collect(),
        Json::Array(values) => {
            return Err(format!("{} arguments are given, and {}", values.len(), signature()));
        }
        Json::Object(fields) => {
            if let Some(unknown) = fields.keys().find(|field| !names.contains(&field.as_str())) {
                let signature = signature();
                return Err(format!("it has no parameter `{unknown}`; {signature}"));
            }
            let value = |name: &&str| {
                let missing = || format!("the parameter `{name}` is missing; {}", signature());
                fields.get(*name).ok_or_else(missing)
            };
            names.iter().map(value).collect::<Result<_, _>>()?
        }
        _ => {
            let signature = signature();
            return Err(format!(
                "they are neither a list of arguments nor an object by names; {signature}"
            ));
        }
    };
    let schemas = definition.parameters.iter().map(|parameter| {
        let schema = definition.schema(parameter.schema);
        let schema =
            schema.ok_or_else(|| format!("the type of `{}` is not recorded", parameter.name));
        Ok((parameter.name.as_str(), schema?))
    });
    let parameters: Vec<_> = schemas.collect::<Result<_, String>>()?;
    codec::json_to_arguments(&parameters, &given).map_err(|(number, error)| {
        let (name, schema) = parameters[number];
        let reason = match error {
            CodecError::Encode { reason, .. } => reason,
            error => error.to_string(),
        };
        format!("`{name}: {}`: {reason}", schema.short_name())
    })
}

/// A run of this definition before its first step, as created by
/// [`Machine::start`](crate::machine::Machine::start).
fn first_snapshot(definition: &StoredDefinition, arguments: &Payload) -> Snapshot {
    let mut frame = Vec::new();
    FrameHead { hash: definition.hash, state: 0 }.write(&mut frame);
    add_entry(&mut frame, arguments.as_bytes());
    Snapshot {
        frame,
        state: definition.states[0].name.clone(),
        next_handle: 0,
        operations: Vec::new(),
        wait: Wait::All(Vec::new()),
        steps: 0,
        cancelled: None,
        clock: Timestamp::MIN,
        ending: None,
    }
}

impl IntoFuture for Start<AnyWorkflow> {
    type Output = Result<UntypedRun, StartError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Starts the run. If the future is dropped, the run may or may not have been started.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}
