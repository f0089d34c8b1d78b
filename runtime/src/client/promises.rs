//! Completing promises by their tokens, and reading them.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Client;
use crate::codec::schemas::{self, StoredSchema};
use crate::codec::{self, CodecError, Schema};
use crate::engine::backoff::patiently;
use crate::engine::evolution;
use crate::error::{CompleteError, KeyError, LookupError, StoreError};
use crate::machine::{Durable, PromiseError};
use crate::model::{Cause, Payload, PromiseKey, PromiseOutcome, PromiseToken, RunId, SchemaHash};
use crate::store::{CompletePromise, CompletionOutcome, PromiseFilter, PromiseRecord};

/// A promise, as seen from outside of its run; created by [`Client::promise`].
#[derive(Clone, Debug)]
pub struct PromiseHandle {
    client: Client,
    token: PromiseToken,
}

/// The result of a completion. The first completion of a promise counts.
#[derive(Clone, Debug)]
#[must_use = "somebody else may have completed the promise before"]
pub enum Completed {
    /// This completion was the first, and counts.
    First,
    /// The promise was completed before; its outcome stays.
    Already(SettledPromise),
}

impl Completed {
    /// Whether this completion counts.
    pub fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }
}

/// The stored outcome of a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct SettledPromise {
    token: PromiseToken,
    outcome: PromiseOutcome,
}

impl SettledPromise {
    /// The outcome as it is stored.
    pub fn outcome(&self) -> &PromiseOutcome {
        &self.outcome
    }

    /// The outcome as waiting runs get it.
    ///
    /// # Errors
    /// [`CompleteError::Unreadable`] if it does not fit these types.
    pub fn read<T: Durable, E: Durable>(
        &self,
    ) -> Result<Result<T, PromiseError<E>>, CompleteError> {
        crate::machine::read_promise(&self.outcome).map_err(|source| self.unreadable(source))
    }

    /// The value or the error as JSON, by the recorded schema; `null` if it is neither.
    ///
    /// # Errors
    /// [`CompleteError::Unreadable`] if the stored bytes do not fit their schema.
    pub fn to_json(&self) -> Result<Json, CompleteError> {
        let json = self.outcome.payload().map(codec::payload_to_json).transpose();
        json.map(Option::unwrap_or_default).map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: CodecError) -> CompleteError {
        CompleteError::Unreadable { token: self.token.clone(), source }
    }
}

/// The types with which runs wait for a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromiseSchemas {
    /// The type of its value.
    pub resolved: Schema,
    /// The type of its error.
    pub rejected: Schema,
}

impl Client {
    /// A promise, by its token. Does not query the database.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # use piton::machine::Never;
    /// # use piton::model::PromiseToken;
    /// # async fn approve(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let token: PromiseToken = "promise1.fulfill.id.order-42.approval".parse()?;
    /// let completed = client.promise(&token).resolve(&"Ada".to_owned()).await?;
    /// assert!(completed.is_first(), "somebody else was faster");
    /// # Ok(())
    /// # }
    /// ```
    pub fn promise(&self, token: &PromiseToken) -> PromiseHandle {
        PromiseHandle { client: self.clone(), token: token.clone() }
    }

    /// The promises that match, at most `limit`: those that runs have awaited or that were completed. With `after`,
    /// the key of the last promise of the previous page, those after it.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn promises(
        &self,
        filter: &PromiseFilter,
        after: Option<&PromiseKey>,
        limit: u32,
    ) -> Result<Vec<PromiseRecord>, StoreError> {
        let mut promises: Vec<PromiseRecord> = Vec::new();
        loop {
            let left = limit - promises.len() as u32;
            let after = promises.last().map(|last| last.token.key().clone()).or(after.cloned());
            let list = || self.store().list_promises(filter, after.as_ref(), left);
            let page = patiently(list).await?;
            let is_over = page.is_empty();
            promises.extend(page.into_iter().take(left as usize));
            if is_over || promises.len() as u32 >= limit {
                return Ok(promises);
            }
        }
    }
}

/// A completion is on disk when its method returns. It takes effect once, even if a response of the database is
/// lost. If the future is dropped, the promise may or may not have been completed.
///
/// Errors of all methods: [`CompleteError::Closed`] if the promise's run is closed, [`CompleteError::Unknown`] if
/// there is no such run, [`CompleteError::OtherWorkflow`] if it is of another workflow than the token names,
/// [`CompleteError::Token`] for a token that is invalid, and [`CompleteError::Store`] if the
/// database [is away](Client#when-the-database-is-away) for too long; calling again is safe.
impl PromiseHandle {
    /// The promise's token.
    pub fn token(&self) -> &PromiseToken {
        &self.token
    }

    /// Completes the promise with a value of the type that the run expects, or one that can be read as it. If a run has
    /// awaited the promise, a value that does not fit is refused. Completed earlier, such a value blocks the run, until a
    /// build that can read it is deployed.
    ///
    /// # Errors
    /// [`CompleteError::Unfit`] if the value does not fit; [`CompleteError::Encode`] if it cannot be encoded; see also
    /// [above](PromiseHandle#impl-PromiseHandle).
    pub async fn resolve<T: Durable>(&self, value: &T) -> Result<Completed, CompleteError> {
        let value = self.encoded(codec::to_payload(value))?;
        self.complete_as(PromiseOutcome::Resolved(value)).await
    }

    /// Completes the promise with an error; otherwise like [`PromiseHandle::resolve`].
    ///
    /// # Errors
    /// See [`PromiseHandle::resolve`].
    pub async fn reject<E: Durable>(&self, error: &E) -> Result<Completed, CompleteError> {
        let error = self.encoded(codec::to_payload(error))?;
        self.complete_as(PromiseOutcome::Rejected(error)).await
    }

    /// Completes the promise with an untyped cause: waiting runs get [`PromiseError::Broken`].
    ///
    /// # Errors
    /// See [above](PromiseHandle#impl-PromiseHandle).
    pub async fn reject_with(&self, cause: Cause) -> Result<Completed, CompleteError> {
        self.complete_as(PromiseOutcome::Broken(cause)).await
    }

    /// Completes the promise with a value or an error.
    ///
    /// # Errors
    /// See [`PromiseHandle::resolve`].
    pub async fn complete<T: Durable, E: Durable>(
        &self,
        result: &Result<T, E>,
    ) -> Result<Completed, CompleteError> {
        match result {
            Ok(value) => self.resolve(value).await,
            Err(error) => self.reject(error).await,
        }
    }

    /// Completes the promise with a value as JSON, for programs without its type. If a run has awaited the promise,
    /// JSON that does not fit the expected type is refused.
    ///
    /// # Errors
    /// [`CompleteError::Unfit`] if the JSON does not fit; see also [above](PromiseHandle#impl-PromiseHandle).
    pub async fn resolve_json(&self, value: &Json) -> Result<Completed, CompleteError> {
        let types = self.record().await?.and_then(|record| record.types);
        let value = self.of_json(value, types.map(|types| types.resolved)).await?;
        self.complete_as(PromiseOutcome::Resolved(value)).await
    }

    /// Completes the promise with an error as JSON; otherwise like [`PromiseHandle::resolve_json`].
    ///
    /// # Errors
    /// See [`PromiseHandle::resolve_json`].
    pub async fn reject_json(&self, error: &Json) -> Result<Completed, CompleteError> {
        let types = self.record().await?.and_then(|record| record.types);
        let error = self.of_json(error, types.map(|types| types.rejected)).await?;
        self.complete_as(PromiseOutcome::Rejected(error)).await
    }

    /// The outcome of the promise, if it has one. Does not wait and does not complete the promise.
    ///
    /// # Errors
    /// [`CompleteError::Store`] if the database [is away](Client#when-the-database-is-away) for too long.
    pub async fn peek(&self) -> Result<Option<SettledPromise>, CompleteError> {
        let Some(outcome) = self.record().await?.and_then(|record| record.outcome) else {
            return Ok(None);
        };
        self.settled(outcome).await.map(Some)
    }

    /// The promise, as stored; `None` before it is first awaited or completed.
    ///
    /// # Errors
    /// See [`PromiseHandle::peek`].
    pub async fn record(&self) -> Result<Option<PromiseRecord>, CompleteError> {
        let store = self.client.store();
        patiently(|| store.find_promise(self.token.key())).await.map_err(failed)
    }

    /// The types of its value and of its error, for programs that do not have them; `None` before a run has awaited it.
    /// Newtypes with the same content share a schema, which has the name of one of them.
    ///
    /// # Errors
    /// See [`PromiseHandle::peek`]; [`CompleteError::Encode`] if the database does not have the schemas.
    pub async fn schemas(&self) -> Result<Option<PromiseSchemas>, CompleteError> {
        let Some(types) = self.record().await?.and_then(|record| record.types) else {
            return Ok(None);
        };
        let resolved = self.schema(types.resolved).await?.clone();
        let rejected = self.schema(types.rejected).await?.clone();
        Ok(Some(PromiseSchemas { resolved, rejected }))
    }

    async fn complete_as(&self, outcome: PromiseOutcome) -> Result<Completed, CompleteError> {
        if let Some(queue) = self.token.queue() {
            return Err(CompleteError::OfQueue {
                token: self.token.clone(),
                queue: queue.to_owned(),
            });
        }
        let token = self.token.clone();
        let checked = token.workflow_id().map_or(Ok(()), KeyError::check);
        checked
            .and_then(|()| KeyError::check(token.name()))
            .map_err(|source| CompleteError::Token { token: token.clone(), source })?;
        if let Some(payload) = outcome.payload() {
            let store = &**self.client.store();
            let record = || self.client.recorded().schema_of(store, payload);
            patiently(record).await.map_err(failed)?;
        }
        let completion = self.client.store().new_run_id().as_uuid();
        let mut completion = CompletePromise::new(token, outcome, completion);
        loop {
            let completed = self.client.completions().submit(completion.clone()).await;
            return match completed.map_err(CompleteError::Store)? {
                CompletionOutcome::Completed => Ok(Completed::First),
                CompletionOutcome::Already(known) => {
                    Ok(Completed::Already(self.settled(known).await?))
                }
                CompletionOutcome::OtherType(expected) => {
                    self.check(&completion.outcome, expected).await?;
                    completion.fits = Some(expected);
                    continue;
                }
                CompletionOutcome::OtherWorkflow(run_id, workflow) => {
                    self.check_workflow(run_id, &workflow).await?;
                    completion.means = Some(workflow);
                    continue;
                }
                CompletionOutcome::Closed(run_id) => Err(CompleteError::Closed { run_id }),
                CompletionOutcome::Unknown(run_id) => Err(CompleteError::Unknown { run_id }),
            };
        }
    }

    /// Checks that the run, of this workflow, is one of the workflow that the token names: under a name that the workflow
    /// had, or in a chain that began as one.
    async fn check_workflow(&self, run_id: RunId, workflow: &str) -> Result<(), CompleteError> {
        let (client, expected) = (&self.client, self.token.workflow());
        let first = match client.kin(run_id).await {
            Ok(kin) => client.find(kin.first_run_id).await.map_err(failed)?,
            Err(LookupError::Store(error)) => return Err(failed(error)),
            Err(_) => None,
        };
        let first = first.map_or_else(|| workflow.to_owned(), |first| first.workflow);
        let definitions = client.all_definitions().await.map_err(failed)?;
        let is_meant = definitions.into_iter().any(|definition| {
            definition.is_named(expected)
                && (definition.is_named(workflow) || definition.is_named(&first))
        });
        if is_meant || first == expected {
            return Ok(());
        }
        let (token, workflow) = (self.token.clone(), workflow.to_owned());
        Err(CompleteError::OtherWorkflow { token, run_id, workflow })
    }

    /// Checks that the runs that wait can read an outcome whose schema is not the one that they expect.
    async fn check(
        &self,
        outcome: &PromiseOutcome,
        expected: SchemaHash,
    ) -> Result<(), CompleteError> {
        let Some(value) = outcome.payload() else { return Ok(()) };
        let checked = self.client.check_completion(&self.token, value, expected).await;
        checked.map_err(failed)?.map_err(|reason| {
            let token = self.token.clone();
            CompleteError::Unfit { token, reason }
        })
    }

    /// An outcome, with the schemas of its value loaded.
    async fn settled(&self, outcome: PromiseOutcome) -> Result<SettledPromise, CompleteError> {
        let store = &**self.client.store();
        let learn = || evolution::learn_schemas_of(store, outcome.payload().into_iter());
        patiently(learn).await.map_err(failed)?;
        Ok(SettledPromise { token: self.token.clone(), outcome })
    }

    async fn of_json(
        &self,
        json: &Json,
        hash: Option<SchemaHash>,
    ) -> Result<Payload, CompleteError> {
        let Some(hash) = hash else { return Ok(Payload::from_json(json)) };
        let schema = self.schema(hash).await?;
        codec::json_to_payload(json, schema).map_err(|error| CompleteError::Unfit {
            token: self.token.clone(),
            reason: codec::misfit(schema, error),
        })
    }

    /// A recorded schema.
    async fn schema(&self, hash: SchemaHash) -> Result<&'static Schema, CompleteError> {
        if codec::is_unknown(hash) {
            let store = &**self.client.store();
            patiently(|| evolution::learn_schemas(store, vec![hash])).await.map_err(failed)?;
        }
        match schemas::known(hash) {
            Some(StoredSchema::Value(schema)) => Ok(schema),
            _ => Err(CompleteError::Encode {
                token: self.token.clone(),
                source: CodecError::UnknownSchema(hash),
            }),
        }
    }

    fn encoded(&self, payload: Result<Payload, CodecError>) -> Result<Payload, CompleteError> {
        payload.map_err(|source| CompleteError::Encode { token: self.token.clone(), source })
    }
}

fn failed(error: StoreError) -> CompleteError {
    CompleteError::Store(Arc::new(error))
}
