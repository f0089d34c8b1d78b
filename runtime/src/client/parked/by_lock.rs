//! Checking the open runs and the schedules of a database by a `piton.lock`, without the code.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value as Json;

use super::ParkedReport;
use super::starts::{Judged, arguments_of_start, cannot_begin, cannot_follow};
use crate::client::Client;
use crate::client::inspect::{Position, Wait, WaitFor};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_schemas_of;
use crate::error::{LookupError, StoreError};
use crate::evolution::{self, Inside, StoredAwaited, StoredDefinition, StoredState};
use crate::filter::{self, Column};
use crate::lock::Lock;
use crate::model::{
    AwaitKind, BlockedReason, DefinitionHash, Difference, Finding, Payload, RunStatus, UnfitStart,
};
use crate::store::RunRecord;

impl Client {
    /// Like [`Client::check_parked`], without the code: uses the definitions in a `piton.lock`, the last one of
    /// each workflow and version. Checks states, branches and locals. Whether a value of another type fits is
    /// decided by the schemas, which do not contain serde's attributes. A state that a `#[migrate]` converts may be
    /// blocked, because only the code knows the result. The arguments of runs that have not begun, of children that
    /// are still to be started, of runs that a retry or a cron expression starts again, and of schedules are checked
    /// by their names and schemas. Values of activities and signals are not checked.
    ///
    /// Runs of workflows that are not in the lock file are only counted, in [`ParkedReport::unchecked`]. Schedules of such
    /// workflows are reported: the build would not start their runs.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn check_parked_by(&self, lock: &Lock) -> Result<ParkedReport, StoreError> {
        let mut report = ParkedReport::default();
        let newest = Newest::of(lock);
        let names = newest.names();
        for status in RunStatus::ALL.into_iter().filter(|status| status.is_open()) {
            let open = self.count(filter::status().equals(status));
            for count in open.group_by(Column::Workflow).await? {
                let Some(name) = count.key.filter(|name| !names.contains(name.as_str())) else {
                    continue;
                };
                *report.unchecked.entry(name).or_default() += count.runs;
            }
        }
        // One that is started meanwhile is not to count twice.
        let mut children = HashSet::new();
        self.for_each_child_to_start(async |child| {
            if !names.contains(&*child.workflow) || !children.insert(child.run_id) {
                return Ok(());
            }
            report.runs += 1;
            let judged = self.judge_start(child.definition, &child.snapshot, &newest).await?;
            if let Some((reason, is_certain)) = judged {
                report.note(&child.workflow, child.run_id, reason, is_certain);
            }
            Ok(())
        })
        .await?;
        for name in names {
            self.for_each_open(name, async |run| {
                if children.contains(&run.run_id) {
                    return Ok(());
                }
                let inspection = match self.inspect(run.run_id).await {
                    Ok(inspection) => inspection,
                    Err(LookupError::Store(error)) => return Err(error),
                    Err(_) => return Ok(()),
                };
                let Some(position) = inspection.position else { return Ok(()) };
                report.runs += 1;
                if inspection.ending.is_some() {
                    // The run's own code makes no more steps.
                    return Ok(());
                }
                let mut check = Check { newest: &newest, unfit: Vec::new() };
                self.learn_definitions_of(&position).await?;
                check.position(&position, None, None);
                let mut is_unfit = false;
                for (finding, is_certain) in check.unfit {
                    let reason = BlockedReason::Evolution(Box::new(finding));
                    report.note(&run.workflow, run.run_id, reason, is_certain);
                    is_unfit = true;
                }
                let start = match position.kind {
                    _ if is_unfit => None,
                    AwaitKind::Start => {
                        let saved = patiently(|| self.store().find_snapshot(run.run_id)).await?;
                        let saved = saved.unwrap_or_default();
                        self.judge_start(position.definition, &saved, &newest).await?
                    }
                    _ => self.judge_next(&run, &newest).await?,
                };
                if let Some((reason, is_certain)) = start {
                    report.note(&run.workflow, run.run_id, reason, is_certain);
                }
                Ok(())
            })
            .await?;
        }
        #[cfg(feature = "schedules")]
        self.check_schedules(&mut report, |workflow, arguments| {
            Some(check_arguments(newest.of_workflow(workflow)?, arguments))
        })
        .await?;
        Ok(report)
    }

    /// Why a run that has not begun would be blocked, and whether that is certain.
    async fn judge_start(
        &self,
        definition: DefinitionHash,
        saved: &[u8],
        newest: &Newest<'_>,
    ) -> Result<Option<(BlockedReason, bool)>, StoreError> {
        let Some(before) = self.definition(definition).await? else { return Ok(None) };
        let Some(now) = newest.after(before, None) else { return Ok(None) };
        let snapshot = codec::decode_snapshot(saved).ok();
        let arguments = snapshot.as_ref().and_then(arguments_of_start);
        let Some(arguments) = arguments else { return Ok(None) };
        patiently(|| learn_schemas_of(&**self.store(), std::iter::once(&arguments))).await?;
        let unfit = check_arguments(now, &arguments).err();
        Ok(unfit.map(|(unfit, is_certain)| (cannot_begin(&unfit), is_certain)))
    }

    /// Why a run would be blocked when it is to be followed by another one, and whether that is certain.
    async fn judge_next(
        &self,
        run: &RunRecord,
        newest: &Newest<'_>,
    ) -> Result<Option<(BlockedReason, bool)>, StoreError> {
        Ok(match self.arguments_of_next(run.run_id).await? {
            Err(reason) => Some((reason, false)),
            Ok(None) => None,
            Ok(Some((arguments, is_followed))) => {
                let now = newest.of_workflow(&run.workflow);
                let unfit = now.and_then(|now| check_arguments(now, &arguments).err());
                unfit.map(|(unfit, is_certain)| (cannot_follow(&unfit), is_certain && is_followed))
            }
        })
    }

    async fn learn_definitions_of(&self, position: &Position) -> Result<(), StoreError> {
        let mut all = vec![position];
        while let Some(position) = all.pop() {
            self.definition(position.definition).await?;
            all.extend(position.waits.iter().flat_map(positions_in));
        }
        Ok(())
    }
}

/// The positions directly inside a wait.
fn positions_in(wait: &Wait) -> Vec<&Position> {
    match &wait.on {
        WaitFor::Workflow { position } | WaitFor::Block { position } => vec![position],
        WaitFor::All { items } => items.iter().flat_map(positions_in).collect(),
        _ => Vec::new(),
    }
}

/// The definitions in which runs continue: the last one of each workflow and version in a lock file.
struct Newest<'a> {
    /// By the name of the workflow, its version, and the types of an instance of a generic workflow. Names that a workflow
    /// takes over are among the names.
    of_instance: HashMap<(&'a str, u32, Option<&'a str>), &'a StoredDefinition>,
    /// By the name and the version: the last one of whatever instance.
    of_any: HashMap<(&'a str, u32), &'a StoredDefinition>,
}

impl<'a> Newest<'a> {
    fn of(lock: &'a Lock) -> Self {
        let (mut of_instance, mut of_any) = (HashMap::new(), HashMap::new());
        let mut taken_over = Vec::new();
        let mut add = |name: &'a str, definition: &'a StoredDefinition| {
            let (version, instance) = (definition.version, definition.instance.as_deref());
            of_instance.insert((name, version, instance), definition);
            of_any.insert((name, version), definition);
        };
        // Those of one workflow and version are in the order of their release.
        for definition in lock.definitions() {
            add(&definition.workflow, definition);
            taken_over.extend(definition.formerly.iter().map(|name| (&**name, definition)));
        }
        taken_over.into_iter().for_each(|(name, taker)| add(name, taker));
        Self { of_instance, of_any }
    }

    fn names(&self) -> BTreeSet<&'a str> {
        self.of_any.keys().map(|(name, _)| *name).collect()
    }

    /// The definition in which a run with a saved state of `before` continues. `awaited` is the operation that the enclosing
    /// code awaits now.
    fn after(
        &self,
        before: &StoredDefinition,
        awaited: Option<&StoredAwaited>,
    ) -> Option<&'a StoredDefinition> {
        let (name, version) = (&*before.workflow, before.version);
        let of_instance = match awaited.map(StoredAwaited::innermost) {
            Some(StoredAwaited::Workflow { instance, .. }) => {
                self.of_instance.get(&(name, version, instance.as_deref()))
            }
            _ => None,
        };
        of_instance.or_else(|| self.of_any.get(&(name, version))).copied()
    }

    /// The one in which a new run of a workflow starts.
    fn of_workflow(&self, workflow: &str) -> Option<&'a StoredDefinition> {
        let versions = self.of_any.iter().filter(|((name, _), _)| *name == workflow);
        versions.max_by_key(|((_, version), _)| *version).map(|(_, definition)| *definition)
    }
}

/// Checks that a run of this definition can begin with stored arguments, whose schemas are loaded.
fn check_arguments(definition: &StoredDefinition, arguments: &Payload) -> Judged {
    let parameters = definition.parameters.iter();
    let parameters: Vec<_> = parameters
        .map(|parameter| (&*parameter.name, definition.schema(parameter.schema)))
        .collect();
    codec::check_arguments_fit(arguments, &parameters)
        .map_err(|(reason, is_certain)| (UnfitStart::Arguments(reason), is_certain))
}

/// Compares the saved state of a run with the newest definitions of a lock file.
struct Check<'a> {
    newest: &'a Newest<'a>,
    unfit: Vec<(Finding, bool)>,
}

impl Check<'_> {
    /// Checks a state and everything inside it. `inside` is set for the state of an `async` block in a branch. `awaited` is
    /// set for the state of a workflow: the operation that the enclosing code awaits there now.
    fn position(
        &mut self,
        position: &Position,
        inside: Option<&Inside>,
        awaited: Option<&StoredAwaited>,
    ) {
        let Some(before) = evolution::find(position.definition) else { return };
        let number = before.states.iter().position(|state| state.name == position.state);
        let Some(number) = number else { return };
        let Some(now) = self.newest.after(before, awaited) else { return };
        if before.hash == now.hash {
            // The type of what it awaits may have changed.
            for (branch, wait) in position.waits.iter().enumerate() {
                let awaited = awaited_in(&before.states[number], branch);
                positions_in(wait).into_iter().for_each(|it| self.position(it, None, awaited));
            }
            return;
        }
        let plan = match evolution::plan(before, now, number as u32, inside) {
            Ok(plan) => plan,
            Err(finding) => {
                let is_certain = !now.migrated.contains(&position.state);
                return self.unfit.push((finding, is_certain));
            }
        };
        let (saved, found) = (&before.states[number], plan.state_in(now));
        for (old, path, local) in plan.read_anew() {
            let (Some(variable), local) = (position.variables.get(old), &found.locals[local])
            else {
                continue;
            };
            let Some(schema) = now.schema(local.schema) else { continue };
            let part = path.iter().try_fold(&variable.value.value, part_of);
            let reason = match part {
                None => format!("there is no field `{}`", path.join(".")),
                // Values that people must not see cannot be checked.
                Some(_) if variable.value.note.is_some() || variable.value.is_secret() => continue,
                Some(_) if schema.format.is_none() => {
                    "its type does not describe its values, so only the code knows whether it takes this one"
                        .to_owned()
                }
                Some(value) => match codec::check_saved_json(value, schema) {
                    Ok(()) => continue,
                    Err(reason) => reason,
                },
            };
            let difference = Difference::Unreadable { value: local.name.clone(), reason };
            self.unfit.push((evolution::finding(now, saved, Some(found), difference), false));
        }
        for (branch, wait) in position.waits.iter().enumerate() {
            match (&wait.on, plan.branch_now(branch)) {
                (WaitFor::Block { position }, Some(now)) => {
                    let inside = Inside::of((saved, branch), (found, now));
                    self.position(position, Some(&inside), None);
                }
                (_, now) => {
                    let awaited = awaited_in(found, now.unwrap_or(branch));
                    positions_in(wait).into_iter().for_each(|it| self.position(it, None, awaited));
                }
            }
        }
    }
}

/// A field of a value, or an item of a tuple. A newtype is shown as its content.
fn part_of<'a>(value: &'a Json, field: &String) -> Option<&'a Json> {
    match (value, field.parse::<usize>()) {
        (Json::Object(fields), _) if fields.contains_key(field) => fields.get(field),
        (Json::Array(items), Ok(number)) => items.get(number),
        (content, Ok(0)) => Some(content),
        _ => None,
    }
}

/// The operation of a branch of the state, or that of a state without branches.
fn awaited_in(state: &StoredState, branch: usize) -> Option<&StoredAwaited> {
    match state.branches.get(branch) {
        Some(branch) => branch.awaited.as_ref(),
        None => state.awaited.as_ref(),
    }
}
