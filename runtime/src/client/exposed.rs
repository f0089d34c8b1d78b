//! Exposed variables of runs, and queries of them.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::inspect::Shown;
use super::{Client, RunHandle};
use crate::codec::{self, CodecError, Schema};
use crate::engine::backoff::patiently;
use crate::error::{LookupError, QueryError};
use crate::evolution::{self, StoredDefinition};
use crate::machine::branches::RUNS;
use crate::machine::frame::{FrameHead, damaged, take_apart};
use crate::machine::{StepError, Workflow, WorkflowEntry};
use crate::model::{DefinitionHash, RunId};
use crate::store::RunKey;

/// The exposed variables of a run in one state, after its last commit.
#[derive(Clone, Debug)]
pub struct Exposed {
    run_id: RunId,
    variables: Vec<ExposedVariable>,
}

#[derive(Clone, Debug)]
struct ExposedVariable {
    name: String,
    redacted: bool,
    saved: Vec<u8>,
    schema: Result<&'static Schema, CodecError>,
}

impl Exposed {
    /// The names of the variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| &*variable.name)
    }

    /// Reads a variable. If another build has written the value, it is converted by its schema to `T`, as saved
    /// variables are.
    ///
    /// # Errors
    /// [`QueryError::NotExposed`] if there is no such variable, and [`QueryError::Variable`] if its value does not
    /// fit `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, QueryError> {
        let variable = self.find(name)?;
        let read = |schema| codec::read_by(&variable.saved, schema)?.read();
        variable.schema.clone().and_then(read).map_err(|error| self.unreadable(name, error))
    }

    /// Reads a variable as JSON, without its type. A variable that is also marked `#[redact]` is `"(secret)"`, and
    /// so is the content of a [`Secret`](crate::Secret).
    ///
    /// # Errors
    /// Those of [`Exposed::read`].
    pub fn json(&self, name: &str) -> Result<Json, QueryError> {
        self.find(name)?.json().map_err(|error| self.unreadable(name, error))
    }

    /// All variables as JSON, by name. Variables that cannot be read are `null`.
    pub fn to_json(&self) -> Map<String, Json> {
        let json = |variable: &ExposedVariable| {
            (variable.name.clone(), variable.json().unwrap_or_default())
        };
        self.variables.iter().map(json).collect()
    }

    fn find(&self, name: &str) -> Result<&ExposedVariable, QueryError> {
        let found = self.variables.iter().find(|variable| variable.name == name);
        found.ok_or_else(|| QueryError::NotExposed {
            run_id: self.run_id,
            name: name.to_owned(),
            exposed: self.names().map(str::to_owned).collect(),
        })
    }

    fn unreadable(&self, name: &str, source: CodecError) -> QueryError {
        QueryError::Variable { run_id: self.run_id, name: name.to_owned(), source }
    }

    /// Gives variables that another build has saved under a former name their present names.
    pub(super) fn rename(&mut self, formerly: Vec<(&'static str, &'static str)>) {
        for (name, former) in formerly {
            if self.find(name).is_err()
                && let Some(known) =
                    self.variables.iter_mut().find(|variable| variable.name == former)
            {
                name.clone_into(&mut known.name);
            }
        }
    }

    /// The exposed variables of a snapshot. The outer error is the definition that must be loaded first.
    fn of(run_id: RunId, snapshot: &[u8]) -> Result<Result<Self, StepError>, DefinitionHash> {
        let mut exposed = Self { run_id, variables: Vec::new() };
        if snapshot.is_empty() {
            return Ok(Ok(exposed));
        }
        let snapshot = match codec::decode_snapshot(snapshot) {
            Ok(snapshot) => snapshot,
            Err(error) => return Ok(Err(StepError::Decode(error))),
        };
        let head = match FrameHead::read(&mut &snapshot.frame[..]) {
            Ok(head) => head,
            Err(error) => return Ok(Err(error)),
        };
        let definition = evolution::find(head.hash).ok_or(head.hash)?;
        Ok(exposed.add(definition, &snapshot.frame).map(|()| exposed))
    }

    /// Adds the variables of a state, then those of the `async` blocks that it awaits.
    fn add(
        &mut self,
        definition: &'static StoredDefinition,
        frame: &[u8],
    ) -> Result<(), StepError> {
        let (head, locals, operations) = take_apart(frame, |head| definition.locals_of(head))?;
        let state = &definition.states[head.state as usize];
        for (local, saved) in state.locals.iter().zip(locals).filter(|(local, _)| local.exposed) {
            // A name is stored with a number if several variables share it; none of those is exposed.
            let name = local.name.split('#').next().unwrap_or_default();
            if self.variables.iter().any(|known| known.name == name) {
                continue;
            }
            let schema = definition.schema(local.schema);
            self.variables.push(ExposedVariable {
                name: name.to_owned(),
                redacted: local.redacted,
                saved: saved.to_vec(),
                schema: schema.ok_or(CodecError::UnknownSchema(local.schema)),
            });
        }
        let blocks = state.branches.iter().zip(operations);
        for (_, saved) in blocks.filter(|(branch, _)| branch.awaited.is_none()) {
            if let Some((&RUNS, frame)) = saved.split_first() {
                self.add(definition, frame)?;
            }
        }
        Ok(())
    }
}

impl ExposedVariable {
    fn json(&self) -> Result<Json, CodecError> {
        if self.redacted {
            return Ok(Shown::SECRET.into());
        }
        codec::saved_to_json(&self.saved, self.schema.clone()?)
    }
}

/// The function of a query, with its arguments.
type Ask<'a, R> = dyn FnOnce(&Exposed) -> Result<R, QueryError> + Send + 'a;

/// A query of runs of the workflow `W`, with its arguments. Created by the function `args` beside a
/// [`#[query]`](macro@crate::query), and executed by [`RunHandle::query`].
#[must_use = "a query is not answered until a run is asked"]
pub struct QueryCall<'a, W, R> {
    ask: Box<Ask<'a, R>>,
    workflow: std::marker::PhantomData<fn() -> W>,
}

impl<'a, W: Workflow, R> QueryCall<'a, W, R> {
    #[doc(hidden)]
    pub fn new(ask: impl FnOnce(&Exposed) -> Result<R, QueryError> + Send + 'a) -> Self {
        Self { ask: Box::new(ask), workflow: std::marker::PhantomData }
    }
}

impl<W: Workflow, R> std::fmt::Debug for QueryCall<'_, W, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryCall").field("workflow", &W::NAME).finish_non_exhaustive()
    }
}

impl<W: Workflow> RunHandle<W> {
    /// Executes a query: a pure function of exposed variables. It runs in this process, on the state after the
    /// run's last commit, so it needs no worker and does not affect the run. The run may be running, parked,
    /// blocked or closed. The state of a run with relaxed durability may be a few steps old. A completed run keeps
    /// the state of its last await, without the changes that its code made afterwards.
    ///
    /// ```ignore
    /// let total = run.query(total::args("EUR")).await?;
    /// ```
    ///
    /// # Errors
    /// [`QueryError::NotExposed`] if the state lacks a variable that the query reads, for example because the run
    /// has not reached its declaration; [`QueryError::Variable`] if a value does not fit the query's type.
    pub async fn query<R>(&self, call: QueryCall<'_, W, R>) -> Result<R, QueryError> {
        let exposed = self.exposed().await?;
        (call.ask)(&exposed)
    }

    /// The exposed variables of the run.
    ///
    /// # Errors
    /// Those of [`Client::exposed`].
    pub async fn exposed(&self) -> Result<Exposed, QueryError> {
        let mut exposed = self.client().exposed(self.run_id()).await?;
        if !W::EXPOSED.is_empty() {
            exposed.rename(formerly(W::entry()));
        }
        Ok(exposed)
    }
}

/// The present names of a workflow's exposed variables, each with one former name.
pub(super) fn formerly(entry: &'static WorkflowEntry) -> Vec<(&'static str, &'static str)> {
    let states = entry.definition().states.iter();
    let locals = states.flat_map(|state| state.node.locals.iter());
    let exposed = locals.filter(|local| local.exposed && !local.formerly.is_empty());
    let names = exposed.flat_map(|local| {
        let name = local.name.split('#').next().unwrap_or_default();
        local.formerly.split('\x1f').map(move |former| (name, former))
    });
    names.collect()
}

impl Client {
    /// The exposed variables of a run of any workflow, after its last commit: see [`RunHandle::query`].
    ///
    /// # Errors
    /// [`QueryError::Lookup`] if there is no such run or the database [is away](Client#when-the-database-is-away)
    /// for too long, [`QueryError::Unreadable`] if the saved state cannot be read.
    pub async fn exposed(&self, run: impl Into<RunKey>) -> Result<Exposed, QueryError> {
        let key = run.into();
        let run_id = self.run_id_of(key.clone()).await?;
        let snapshot = patiently(|| self.store().find_snapshot(run_id)).await?;
        let snapshot = snapshot.ok_or(LookupError::Unknown(key))?;
        self.exposed_in(run_id, &snapshot).await
    }

    /// The exposed variables in a snapshot.
    pub(super) async fn exposed_in(
        &self,
        run_id: RunId,
        snapshot: &[u8],
    ) -> Result<Exposed, QueryError> {
        let unreadable =
            |error: StepError| QueryError::Unreadable { run_id, reason: error.to_string() };
        let hash = match Exposed::of(run_id, snapshot) {
            Ok(exposed) => return exposed.map_err(unreadable),
            Err(hash) => hash,
        };
        self.definition(hash).await?;
        Exposed::of(run_id, snapshot)
            .unwrap_or_else(|hash| {
                Err(damaged(&format!("the database does not have the definition {hash}")))
            })
            .map_err(unreadable)
    }

    /// The run that a key names.
    pub(super) async fn run_id_of(&self, key: RunKey) -> Result<RunId, LookupError> {
        match key {
            RunKey::RunId(run_id) => Ok(run_id),
            key @ RunKey::WorkflowId(_) => {
                let found = self.find(key.clone()).await?;
                Ok(found.ok_or(LookupError::Unknown(key))?.run_id)
            }
        }
    }
}
