//! The signals, updates, results and promises that a workflow awaits, in all builds with a recorded definition.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value as Json;

use super::Client;
use crate::codec::schemas::{self, StoredSchema};
use crate::codec::{self, Described, Schema};
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_schemas;
use crate::engine::panics::catch;
use crate::error::StoreError;
use crate::evolution::{self, StoredAwaited, StoredDefinition};
use crate::machine::{Awaited, WorkflowEntry};
use crate::model::{Payload, PromiseScope, PromiseToken, SchemaHash};

/// A kind of message to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sent {
    Signal,
    Update,
    /// What an activity has returned.
    Result,
}

/// A workflow's stored name, and the kind and name of a message.
pub(super) type Message = (String, Sent, String);

/// The types of messages to workflows.
pub(super) type SentTypes = HashMap<Message, Vec<&'static Schema>>;

impl Client {
    /// Whether a run of this workflow may await this message, in any build. If not, returns what it awaits. Returns
    /// `Ok` if a definition is missing, because a newer build may not have recorded it yet.
    pub(super) async fn check_awaited(
        &self,
        workflow: &str,
        sent: Sent,
        name: &str,
    ) -> Result<Result<(), Vec<String>>, StoreError> {
        let key = (workflow.to_owned(), sent, name.to_owned());
        if self.lock_awaited().contains(&key) {
            return Ok(Ok(()));
        }
        let (mut awaited, mut is_known, mut goes_on) = (BTreeSet::new(), false, false);
        let mut todo = vec![workflow.to_owned()];
        for entry in WorkflowEntry::all().filter(|entry| entry.names().contains(&workflow)) {
            is_known = true;
            goes_on |= evolution::own(entry).continues_as_another;
            add(evolution::own(entry), sent, &mut awaited, &mut todo);
        }
        if !awaited.contains(name) {
            let definitions = self.all_definitions().await?;
            each_build(&definitions, todo, |definition, todo| {
                is_known = true;
                goes_on |= definition.continues_as_another;
                add(definition, sent, &mut awaited, todo);
            });
            // Only the run shows which workflow it continues as.
            if goes_on && definitions.iter().any(|definition| awaits(definition, sent, name)) {
                awaited.insert(name.to_owned());
            }
        }
        if is_known && !awaited.contains(name) {
            return Ok(Err(awaited.into_iter().collect()));
        }
        self.lock_awaited().insert(key);
        Ok(Ok(()))
    }

    /// Whether a run of this workflow, or of any if it is `None`, can read the JSON as this message, in any build that
    /// the database knows. If not, returns why. Returns `Ok` if no build has recorded the message. The types of this
    /// program decide by their code, those of other builds by their schemas.
    pub(super) async fn check_json(
        &self,
        workflow: Option<&str>,
        sent: Sent,
        name: &str,
        json: &Json,
    ) -> Result<Result<(), String>, StoreError> {
        let own = own_types(workflow, sent, name);
        let mut refusal = match read_as_any(&own, json) {
            Ok(()) if !own.is_empty() => return Ok(Ok(())),
            refusal => refusal,
        };
        let is_own = |schema: &Schema| {
            !own.is_empty() && {
                let hash = schema.hash();
                own.iter().any(|described| schemas::of_type(*described).hash == hash)
            }
        };
        let fits = |schema: &Schema| !is_own(schema) && codec::json_to_saved(json, schema).is_ok();
        let key = (workflow.unwrap_or_default().to_owned(), sent, name.to_owned());
        let known = self.lock_sent_types().get(&key).cloned().unwrap_or_default();
        if known.iter().any(|schema| fits(schema)) {
            return Ok(Ok(()));
        }
        let recorded = self.sent_schemas(workflow, sent, name).await?;
        if recorded.iter().any(|schema| fits(schema)) {
            self.lock_sent_types().insert(key, recorded);
            return Ok(Ok(()));
        }
        // A schema says better where the value differs.
        for schema in recorded {
            if let Err(error) = codec::json_to_saved(json, schema) {
                refusal = Err(codec::misfit(schema, error));
            }
        }
        Ok(refusal)
    }

    /// The types of messages in all builds of a workflow and of those that it awaits inline.
    async fn sent_schemas(
        &self,
        workflow: Option<&str>,
        sent: Sent,
        sent_name: &str,
    ) -> Result<Vec<&'static Schema>, StoreError> {
        let definitions = self.all_definitions().await?;
        let all = || definitions.iter().map(|definition| definition.workflow.clone()).collect();
        let todo = workflow.map_or_else(all, |workflow| vec![workflow.to_owned()]);
        let mut schemas = Vec::new();
        each_build(&definitions, todo, |definition, todo| {
            for awaited in definition.all_awaited() {
                match awaited {
                    StoredAwaited::Signal { name, value, .. }
                        if sent == Sent::Signal && name == sent_name =>
                    {
                        schemas.extend(definition.schema(*value));
                    }
                    StoredAwaited::Update { name, value, .. }
                        if sent == Sent::Update && name == sent_name =>
                    {
                        schemas.extend(definition.schema(*value));
                    }
                    StoredAwaited::Activity { name, returned, .. }
                        if sent == Sent::Result && name == sent_name =>
                    {
                        schemas.extend(definition.schema(*returned));
                    }
                    StoredAwaited::Workflow { name, .. } => todo.push(name.clone()),
                    _ => {}
                }
            }
        });
        Ok(schemas)
    }

    /// Whether a value fits a promise although its schema is not the one of those who await it. If not, returns why.
    ///
    /// Code that has changed since they began to wait may read other values. It counts if none of its promises has the
    /// schema `expected` any more.
    pub(super) async fn check_completion(
        &self,
        token: &PromiseToken,
        value: &Payload,
        expected: SchemaHash,
    ) -> Result<Result<(), String>, StoreError> {
        let store = &**self.store();
        let hashes = [Some(expected), codec::schema_of(value)].into_iter().flatten();
        let unknown: Vec<_> = hashes.filter(|hash| codec::is_unknown(*hash)).collect();
        if !unknown.is_empty() {
            patiently(|| learn_schemas(store, unknown.clone())).await?;
        }
        let Some(StoredSchema::Value(schema)) = schemas::known(expected) else { return Ok(Ok(())) };
        let Err(misfit) = codec::check_fits(value, schema) else { return Ok(Ok(())) };
        let definitions = self.all_definitions().await?;
        let is_shared = *token.scope() == PromiseScope::Shared;
        let fits_another = definitions.into_iter().any(|definition| {
            let awaited = definition.all_awaited();
            let hashes = awaited.filter_map(|awaited| match awaited {
                StoredAwaited::Promise { resolved, rejected, .. } => Some([*resolved, *rejected]),
                _ => None,
            });
            let hashes: BTreeSet<SchemaHash> = hashes.flatten().collect();
            let mut schemas = hashes.iter().filter_map(|hash| definition.schema(*hash));
            (is_shared || definition.is_named(token.workflow()))
                && !hashes.contains(&expected)
                && schemas.any(|schema| codec::check_fits(value, schema).is_ok())
        });
        Ok(if fits_another { Ok(()) } else { Err(codec::misfit(schema, misfit)) })
    }

    /// The recorded definitions, and those of this program.
    pub(super) async fn all_definitions(
        &self,
    ) -> Result<Vec<&'static StoredDefinition>, StoreError> {
        let store = &**self.store();
        let mut definitions = Vec::new();
        for summary in patiently(|| store.list_definitions(None)).await? {
            definitions.extend(self.definition(summary.hash).await?);
        }
        definitions.extend(WorkflowEntry::all().map(evolution::own));
        Ok(definitions)
    }
}

/// The types that this program has for a message to a workflow, or to any if it is `None`.
fn own_types(workflow: Option<&str>, sent: Sent, sent_name: &str) -> Vec<Described> {
    let entries = WorkflowEntry::all()
        .filter(|entry| workflow.is_none_or(|workflow| entry.names().contains(&workflow)));
    let entries = evolution::with_awaited(entries).into_iter();
    let states = entries.flat_map(|entry| &entry.definition().states);
    let awaited = states.flat_map(|state| &state.awaited).map(|awaited| awaited.innermost());
    let types = awaited.filter_map(|awaited| match (awaited, sent) {
        (Awaited::Signal { name, value, .. }, Sent::Signal)
        | (Awaited::Update { name, value, .. }, Sent::Update)
            if *name == sent_name =>
        {
            Some(*value)
        }
        _ => None,
    });
    types.collect()
}

/// Reads JSON as a run does, by the code of one of these types. If none can read it, returns why the last one cannot.
fn read_as_any(types: &[Described], json: &Json) -> Result<(), String> {
    let payload = Payload::from_json(json);
    let mut refusal = Ok(());
    for described in types {
        match catch(|| described.check(&payload)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => refusal = Err(error.to_string()),
            Err(message) => refusal = Err(message),
        }
    }
    refusal
}

/// Calls `look` for each build of the workflows in `todo`; `look` adds the workflows that these await inline.
fn each_build(
    definitions: &[&'static StoredDefinition],
    mut todo: Vec<String>,
    mut look: impl FnMut(&'static StoredDefinition, &mut Vec<String>),
) {
    let mut seen = BTreeSet::new();
    while let Some(workflow) = todo.pop() {
        if !seen.insert(workflow.clone()) {
            continue;
        }
        let is_build = |definition: &&&'static StoredDefinition| definition.is_named(&workflow);
        definitions.iter().filter(is_build).for_each(|definition| look(definition, &mut todo));
    }
}

/// Whether a definition awaits this message.
fn awaits(definition: &StoredDefinition, sent: Sent, name: &str) -> bool {
    let mut awaited = BTreeSet::new();
    add(definition, sent, &mut awaited, &mut Vec::new());
    awaited.contains(name)
}

/// Adds the messages that a definition awaits, and the workflows that it awaits inline.
fn add(
    definition: &StoredDefinition,
    sent: Sent,
    awaited: &mut BTreeSet<String>,
    workflows: &mut Vec<String>,
) {
    for operation in definition.all_awaited() {
        match (operation, sent) {
            (StoredAwaited::Signal { name, .. }, Sent::Signal)
            | (StoredAwaited::Update { name, .. }, Sent::Update) => {
                awaited.insert(name.clone());
            }
            (StoredAwaited::Workflow { name, .. }, _) => workflows.push(name.clone()),
            _ => {}
        }
    }
}
