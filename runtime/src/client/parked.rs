//! Checking, before a deploy, whether the open runs of a database can continue in this build.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value as Json;

use super::Client;
use super::inspect::{Position, Wait, WaitFor};
use crate::activities::ActivityEntry;
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::evolution::{evolve, learn_definition};
use crate::engine::panics::catch;
use crate::error::{LookupError, StoreError};
use crate::evolution::{self, Inside, StoredAwaited, StoredDefinition, StoredState, Unfit};
use crate::filter::{self, Column};
use crate::lock::Lock;
use crate::machine::WorkflowEntry;
use crate::model::{BlockedReason, Difference, Finding, Operation, RunId, RunStatus, Snapshot};
use crate::store::{RunQuery, RunRecord};

/// The number of runs to read at a time.
const PAGE: u32 = 200;

/// The result of a check of the open runs of a database.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParkedReport {
    /// Number of runs checked.
    pub runs: u64,
    /// Runs that would be blocked, by reason.
    pub unfit: Vec<UnfitRuns>,
    /// The numbers of open runs that were not checked, by their workflow: those of workflows that a lock file does not
    /// have.
    pub unchecked: BTreeMap<String, u64>,
}

/// Open runs that would be blocked for the same reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnfitRuns {
    /// The stored name of the workflow of the runs.
    pub workflow: String,
    /// The reason.
    pub reason: BlockedReason,
    /// Whether the block is certain. It is not if only the code can decide whether a value fits, as with
    /// `#[serde(default)]`.
    pub is_certain: bool,
    /// Number of runs.
    pub runs: u64,
    /// One of them.
    pub example: RunId,
}

impl ParkedReport {
    /// Whether no run would certainly be blocked.
    pub fn is_ok(&self) -> bool {
        self.unfit.iter().all(|unfit| !unfit.is_certain)
    }

    fn note(&mut self, run: &RunRecord, reason: BlockedReason, is_certain: bool) {
        let is_it = |unfit: &&mut UnfitRuns| {
            unfit.workflow == run.workflow
                && unfit.reason == reason
                && unfit.is_certain == is_certain
        };
        match self.unfit.iter_mut().find(is_it) {
            Some(unfit) => unfit.runs += 1,
            None => self.unfit.push(UnfitRuns {
                workflow: run.workflow.clone(),
                reason,
                is_certain,
                runs: 1,
                example: run.run_id,
            }),
        }
    }
}

/// Why a step could not read a local of a state that fits. The code of the types may panic.
fn unread(snapshot: &Snapshot, entry: &'static WorkflowEntry) -> Option<BlockedReason> {
    match catch(|| evolution::try_locals(snapshot, entry)) {
        Ok(Err(Unfit::Finding(finding))) => Some(BlockedReason::Evolution(finding)),
        Ok(Err(Unfit::Damaged(error))) => Some(BlockedReason::Undecodable(error.to_string())),
        // This build has the definitions and the schemas of what fits it.
        Ok(Ok(()) | Err(Unfit::UnknownDefinition(_) | Unfit::UnknownSchema(_))) => None,
        Err(message) => Some(BlockedReason::Panicked(message)),
    }
}

/// A call that is under way, or noted as a compensation, which this program cannot make. Of those on queues, others may
/// serve the queue, but no worker of this program makes them if the activity is a transaction.
fn lost_call(snapshot: &Snapshot) -> Option<BlockedReason> {
    let mut calls = snapshot.operations.iter().filter_map(|(_, operation)| match operation {
        Operation::Activity(call) => Some(&**call),
        Operation::Compensation(compensation) => Some(&compensation.activity),
        _ => None,
    });
    calls.find_map(|call| {
        let of_name = || ActivityEntry::all().filter(|entry| entry.name == call.name);
        if let Some(queue) = &call.queue {
            let is_transaction = of_name().next().is_some()
                && of_name().all(|entry| entry.connection.is_some());
            return is_transaction.then(|| {
                BlockedReason::Undecodable(format!(
                    "the activity `{}` is on the queue `{queue}`, and is a transaction now, whose writes only the \
                     worker of its run can commit",
                    call.name
                ))
            });
        }
        let mut unreadable = None;
        for entry in of_name() {
            unreadable = match catch(|| entry.check(&call.arguments)) {
                Ok(Ok(())) => return None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(message) => Some(message),
            };
        }
        let name = call.name.clone().into_owned();
        Some(match unreadable {
            None => BlockedReason::Unregistered(name),
            Some(error) => BlockedReason::Undecodable(format!(
                "the arguments of the activity `{name}`: {error}"
            )),
        })
    })
}

impl Client {
    /// Checks for every open run of these workflows whether its saved state can continue in this program. To check
    /// all workflows of the program, pass [`WorkflowEntry::all`]. Uses the same function as a worker that loads a
    /// run, reads each saved local, which also shows what a type refuses, and looks for the activities of calls that are
    /// under way or noted to be compensated. Writes nothing, so a new build can check the database of the old one before
    /// it is deployed. Does not try the steps that the runs would make next.
    ///
    /// Reads the saved states one by one.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> piton::Result<()> {
    /// let report = client.check_parked(piton::machine::WorkflowEntry::all()).await?;
    /// for unfit in &report.unfit {
    ///     eprintln!("{} runs of `{}`, such as {}: {}", unfit.runs, unfit.workflow, unfit.example, unfit.reason);
    /// }
    /// assert!(report.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn check_parked(
        &self,
        workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
    ) -> Result<ParkedReport, StoreError> {
        let mut report = ParkedReport::default();
        let store = &**self.store();
        let workflows: Vec<_> = workflows.into_iter().collect();
        let names: BTreeSet<_> =
            workflows.iter().flat_map(|entry| entry.names()).copied().collect();
        for name in names {
            let versions = workflows.iter().filter(|entry| entry.names().contains(&name));
            let mut versions: Vec<_> = versions.copied().collect();
            versions.sort_by_key(|entry| std::cmp::Reverse(entry.version));
            self.for_each_open(name, async |run| {
                let saved = patiently(|| store.find_snapshot(run.run_id)).await?;
                // A run that has closed meanwhile has no saved state.
                let Some(saved) = saved.filter(|saved| !saved.is_empty()) else { return Ok(()) };
                report.runs += 1;
                let unfit = match codec::decode_snapshot(&saved) {
                    Err(error) => Some((BlockedReason::Undecodable(error.to_string()), true)),
                    Ok(snapshot) => {
                        let evolved = patiently(|| {
                            let mut snapshot = snapshot.clone();
                            let versions = &versions;
                            async move {
                                let evolved = evolve(store, versions, &mut snapshot).await?;
                                Ok(evolved.map(|evolved| (evolved.entry, snapshot)))
                            }
                        });
                        match evolved.await? {
                            Err(reason) => Some((reason, true)),
                            // Code that never reads a local can do without.
                            Ok((entry, snapshot)) => {
                                let unread = unread(&snapshot, entry);
                                unread.or_else(|| lost_call(&snapshot)).map(|it| (it, false))
                            }
                        }
                    }
                };
                if let Some((reason, is_certain)) = unfit {
                    report.note(&run, reason, is_certain);
                }
                Ok(())
            })
            .await?;
        }
        Ok(report)
    }

    /// Like [`Client::check_parked`], without the code: uses the definitions in a `piton.lock`, the last one of
    /// each workflow and version. Checks states, branches and locals. Whether a value of another type fits is
    /// decided by the schemas, which do not contain serde's attributes. A state that a `#[migrate]` converts may be
    /// blocked, because only the code knows the result. Values of activities and signals are not
    /// checked.
    ///
    /// Runs of workflows that are not in the lock file are only counted, in [`ParkedReport::unchecked`].
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
        for name in names {
            self.for_each_open(name, async |run| {
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
                for (finding, is_certain) in check.unfit {
                    report.note(&run, BlockedReason::Evolution(Box::new(finding)), is_certain);
                }
                Ok(())
            })
            .await?;
        }
        Ok(report)
    }

    /// Calls `look` with every open run of a workflow.
    async fn for_each_open(
        &self,
        workflow: &str,
        mut look: impl AsyncFnMut(RunRecord) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for status in RunStatus::ALL.into_iter().filter(|status| status.is_open()) {
            let filter = filter::workflow().equals(workflow) & filter::status().equals(status);
            let mut query = RunQuery { limit: PAGE, ..RunQuery::of(&filter) };
            loop {
                let runs = patiently(|| self.store().list_runs(query)).await?;
                let Some(last) = runs.last() else { break };
                query.after = Some(last.run_id.into());
                for run in runs {
                    look(run).await?;
                }
            }
        }
        Ok(())
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

/// The definitions in a lock file in which runs go on: the last one of each workflow and version.
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

    /// The one in which a run goes on that has saved a state of `before`, where the code around it awaits `awaited` now.
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
}

/// Compares the saved state of a run with the newest definitions of a lock file.
struct Check<'a> {
    newest: &'a Newest<'a>,
    unfit: Vec<(Finding, bool)>,
}

impl Check<'_> {
    /// Checks a state and everything inside it. `inside` is set for the state of an `async` block in a branch, `awaited`
    /// for that of a workflow: what the code around it awaits there now.
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
                Some(value) => match codec::json_to_saved(value, schema) {
                    Ok(_) => continue,
                    Err(error) => codec::misfit(schema, error),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        ActivityOperation, Compensation, Handle, Payload, RetryPolicy, Timestamp,
        Wait as MachineWait,
    };

    /// A state that has noted a compensation by an activity that this program does not have.
    fn noted(queue: Option<&str>) -> Snapshot {
        let activity = ActivityOperation {
            name: "refund".into(),
            arguments: Payload::default(),
            retry: RetryPolicy::DEFAULT,
            start_to_close: None,
            schedule_to_close: None,
            at_most_once: false,
            scheduled_at: Timestamp::MIN,
            attempts: 0,
            interruptions: 0,
            priority: 0,
            passed_over: 0,
            retry_at: None,
            queue: queue.map(str::to_owned),
            partition: String::new(),
            schedule_to_start: None,
            heartbeat: None,
            details: None,
            awaited: None,
            last_failure: None,
        };
        let compensation = Compensation { activity, may_fail: false };
        let compensation = Operation::Compensation(Box::new(compensation));
        Snapshot {
            frame: Vec::new(),
            state: "signal<Go>".to_owned(),
            next_handle: 1,
            operations: vec![(Handle(0), compensation)],
            wait: MachineWait::All(Vec::new()),
            steps: 1,
            cancelled: None,
            clock: Timestamp::MIN,
            ending: None,
        }
    }

    #[test]
    fn a_noted_compensation_needs_its_activity() {
        assert_eq!(lost_call(&noted(None)), Some(BlockedReason::Unregistered("refund".into())));
        assert_eq!(lost_call(&noted(Some("cards"))), None, "others may serve the queue");
    }
}
