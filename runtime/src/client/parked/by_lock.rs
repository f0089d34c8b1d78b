//! Checking the open runs and the schedules of a database by a `piton.lock`, without the code.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::ParkedReport;
use super::starts::{Judged, arguments_of_start, cannot_begin, cannot_follow};
use crate::client::Client;
use crate::client::inspect::{Position, Wait, WaitFor};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::evolution::{learn_definition, learn_schemas_of};
use crate::error::{LookupError, StoreError};
use crate::evolution::{self, Inside, StoredDefinition};
use crate::lock::Lock;
use crate::model::{
    AwaitKind, BlockedReason, DefinitionHash, Difference, Finding, Payload, UnfitStart,
};
use crate::store::RunRecord;

/// The definitions in which runs go on, by the names and versions of their workflows.
type Newest<'a> = HashMap<(&'a str, u32), &'a StoredDefinition>;

impl Client {
    /// Like [`Client::check_parked`], without the code: uses the definitions in a `piton.lock`, the last one of
    /// each workflow and version. Checks states, branches and locals. Whether a value of another type fits is
    /// decided by the schemas, which do not contain serde's attributes. A state that a `#[migrate]` converts may be
    /// blocked, because only the code knows the result. The arguments of runs that have not begun, of children that
    /// are still to be started, of runs that a retry or a cron expression starts again, and of schedules are checked
    /// by their names and schemas. Values of activities and signals are not checked.
    ///
    /// Runs of workflows that are not in the lock file are skipped. Schedules of such workflows are reported: the build
    /// would not start their runs.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn check_parked_by(&self, lock: &Lock) -> Result<ParkedReport, StoreError> {
        let mut report = ParkedReport::default();
        let newest = newest(lock);
        let names: BTreeSet<_> = newest.keys().map(|(name, _)| *name).collect();
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
                let mut check = Check { newest: &newest, unfit: Vec::new() };
                self.learn_definitions_of(&position).await?;
                check.position(&position, None);
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
            Some(check_arguments(newest_of(&newest, workflow)?, arguments))
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
        let store = &**self.store();
        if evolution::find(definition).is_none() {
            patiently(|| learn_definition(store, definition)).await?;
        }
        let Some(before) = evolution::find(definition) else { return Ok(None) };
        let Some(now) = newest.get(&(&*before.workflow, before.version)) else { return Ok(None) };
        let snapshot = codec::decode_snapshot(saved).ok();
        let arguments = snapshot.as_ref().and_then(arguments_of_start);
        let Some(arguments) = arguments else { return Ok(None) };
        patiently(|| learn_schemas_of(store, std::iter::once(&arguments))).await?;
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
                let now = newest_of(newest, &run.workflow);
                let unfit = now.and_then(|now| check_arguments(now, &arguments).err());
                unfit.map(|(unfit, is_certain)| (cannot_follow(&unfit), is_certain && is_followed))
            }
        })
    }

    async fn learn_definitions_of(&self, position: &Position) -> Result<(), StoreError> {
        let mut all = vec![position];
        while let Some(position) = all.pop() {
            let hash = position.definition;
            if evolution::find(hash).is_none() {
                patiently(|| learn_definition(&**self.store(), hash)).await?;
            }
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

/// The definitions by the names and versions of the workflows whose runs go on in them: the last one of each workflow and
/// version, also under the names that it takes over.
fn newest(lock: &Lock) -> Newest<'_> {
    // Those of one workflow and version are in the order of their release.
    let all = lock.definitions().iter();
    let own = all.map(|definition| ((&*definition.workflow, definition.version), definition));
    let mut newest: HashMap<_, _> = own.collect();
    let taken_over: Vec<_> = newest
        .values()
        .flat_map(|definition| definition.formerly.iter().map(|name| (&**name, *definition)))
        .collect();
    newest.extend(taken_over.into_iter().map(|(name, taker)| ((name, taker.version), taker)));
    newest
}

/// The definition in which a new run of a workflow starts.
fn newest_of<'a>(newest: &Newest<'a>, workflow: &str) -> Option<&'a StoredDefinition> {
    let versions = newest.iter().filter(|((name, _), _)| *name == workflow);
    versions.max_by_key(|((_, version), _)| *version).map(|(_, definition)| *definition)
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
    /// Checks a state and everything inside it. `inside` is set for the state of an `async` block in a branch.
    fn position(&mut self, position: &Position, inside: Option<&Inside>) {
        let Some(before) = evolution::find(position.definition) else { return };
        let number = before.states.iter().position(|state| state.name == position.state);
        let Some(number) = number else { return };
        let key = (&*before.workflow, before.version);
        let Some(now) = self.newest.get(&key).copied() else { return };
        if before.hash == now.hash {
            // The type of what it awaits may have changed.
            let inner = position.waits.iter().flat_map(positions_in);
            return inner.for_each(|inner| self.position(inner, None));
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
            let part = path.iter().try_fold(&variable.value.value, |value, field| value.get(field));
            let reason = match part {
                None => format!("there is no field `{}`", path.join(".")),
                // Values that people must not see cannot be checked.
                Some(_) if variable.value.note.is_some() || variable.value.is_secret() => continue,
                Some(value) => match codec::json_to_saved(value, schema) {
                    Ok(_) => continue,
                    Err(error) => error.to_string(),
                },
            };
            let difference = Difference::Unreadable { value: local.name.clone(), reason };
            self.unfit.push((evolution::finding(now, saved, Some(found), difference), false));
        }
        for (branch, wait) in position.waits.iter().enumerate() {
            match (&wait.on, plan.branch_now(branch)) {
                (WaitFor::Block { position }, Some(now)) => {
                    let inside = Inside::of((saved, branch), (found, now));
                    self.position(position, Some(&inside));
                }
                _ => positions_in(wait).into_iter().for_each(|inner| self.position(inner, None)),
            }
        }
    }
}
