//! Checking, before a deploy, whether the open runs of a database can continue in this build, and whether its schedules
//! can start runs.

mod by_lock;
mod calls;
#[cfg(feature = "schedules")]
mod schedules;
mod starts;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Client;
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::evolution::evolve;
use crate::engine::first_state::check_start;
use crate::engine::panics::catch;
use crate::error::StoreError;
use crate::evolution::{self, Unfit};
use crate::filter;
use crate::machine::WorkflowEntry;
use crate::model::{BlockedReason, RunId, RunStatus, Snapshot, UnfitStart};
use crate::store::{RunQuery, RunRecord};
use calls::lost_call;
use starts::{arguments_of_start, cannot_begin, cannot_follow};

/// The number of runs to read at a time.
const PAGE: u32 = 200;

/// The result of a check of the open runs and the schedules of a database.
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
    /// Number of schedules checked; those that only send signals do not count.
    pub schedules: u64,
    /// Schedules that could not start runs.
    pub unfit_schedules: Vec<UnfitSchedule>,
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

/// A schedule that could not start runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnfitSchedule {
    /// The id of the schedule.
    pub schedule: String,
    /// The stored name of the workflow that it starts.
    pub workflow: String,
    /// The reason, and [how to fix it](UnfitStart::help).
    pub reason: UnfitStart,
    /// Whether it will certainly fail to start a run. This is not certain if only the code can decide whether a value
    /// fits, as with `#[serde(default)]`; if the workflow is missing, because another program that shares the database
    /// may have it; if the schedule is paused; and if it has no further times.
    pub is_certain: bool,
}

impl ParkedReport {
    /// Whether no run would certainly be blocked, and no schedule would certainly fail to start a run.
    pub fn is_ok(&self) -> bool {
        self.unfit.iter().all(|unfit| !unfit.is_certain)
            && self.unfit_schedules.iter().all(|unfit| !unfit.is_certain)
    }

    fn note(&mut self, workflow: &str, run_id: RunId, reason: BlockedReason, is_certain: bool) {
        let is_it = |unfit: &&mut UnfitRuns| {
            unfit.workflow == workflow && unfit.reason == reason && unfit.is_certain == is_certain
        };
        match self.unfit.iter_mut().find(is_it) {
            Some(unfit) => unfit.runs += 1,
            None => self.unfit.push(UnfitRuns {
                workflow: workflow.to_owned(),
                reason,
                is_certain,
                runs: 1,
                example: run_id,
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

impl Client {
    /// Checks for every open run of these workflows whether its saved state can continue in this program. To check
    /// all workflows of the program, pass [`WorkflowEntry::all`]. Uses the same function as a worker that loads a
    /// run, reads each saved local, which also shows what a type refuses, and looks for the activities of calls that are
    /// under way, also on queues, or noted to be compensated. Writes nothing, so a new build can check the database of
    /// the old one before it is deployed. Does not try the steps that the runs would make next.
    ///
    /// Reads the arguments of runs that have not begun, of children that are still to be started, of runs that a retry
    /// or a cron expression starts again, and of schedules, as a worker does when it starts them. A schedule of a
    /// workflow that is not among these is reported as well: this program would not start its runs. Programs with
    /// different workflows are apart if each has a [namespace](crate::store::StoreOptions::namespace) of its own.
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
        let versions_of = |name: &str| {
            let versions = workflows.iter().filter(|entry| entry.names().contains(&name));
            let mut versions: Vec<_> = versions.copied().collect();
            versions.sort_by_key(|entry| std::cmp::Reverse(entry.version));
            versions
        };
        // One that is started meanwhile is not to count twice.
        let mut children = HashSet::new();
        self.for_each_child_to_start(async |child| {
            let versions = versions_of(&child.workflow);
            if versions.is_empty() || !children.insert(child.run_id) {
                return Ok(());
            }
            report.runs += 1;
            let judged = self.judge(None, &child.snapshot, &versions).await?;
            if let Some((reason, is_certain)) = judged {
                report.note(&child.workflow, child.run_id, reason, is_certain);
            }
            Ok(())
        })
        .await?;
        for name in names {
            let versions = versions_of(name);
            self.for_each_open(name, async |run| {
                let saved = patiently(|| store.find_snapshot(run.run_id)).await?;
                // A run that has closed meanwhile has no saved state.
                let Some(saved) = saved.filter(|saved| !saved.is_empty()) else { return Ok(()) };
                if children.contains(&run.run_id) {
                    return Ok(());
                }
                report.runs += 1;
                let judged = self.judge(Some(run.run_id), &saved, &versions).await?;
                if let Some((reason, is_certain)) = judged {
                    report.note(&run.workflow, run.run_id, reason, is_certain);
                }
                Ok(())
            })
            .await?;
        }
        #[cfg(feature = "schedules")]
        self.check_schedules(&mut report, |workflow, arguments| {
            let newest = *versions_of(workflow).first()?;
            Some(check_start(newest, arguments).map_err(|unfit| (unfit, true)))
        })
        .await?;
        Ok(report)
    }

    /// Why this build would block a run, and whether that is certain. `versions` are those of its workflow, the newest
    /// first. A child that is still to be started has no row, so `run_id` is `None`.
    async fn judge(
        &self,
        run_id: Option<RunId>,
        saved: &[u8],
        versions: &[&'static WorkflowEntry],
    ) -> Result<Option<(BlockedReason, bool)>, StoreError> {
        let store = &**self.store();
        let saved = match codec::decode_snapshot(saved) {
            Err(error) => return Ok(Some((BlockedReason::Undecodable(error.to_string()), true))),
            Ok(snapshot) => snapshot,
        };
        let evolved = patiently(|| {
            let mut snapshot = saved.clone();
            async move {
                let evolved = evolve(store, versions, &mut snapshot).await?;
                Ok(evolved.map(|evolved| (evolved.entry, snapshot)))
            }
        });
        let (entry, snapshot) = match evolved.await? {
            Err(reason) => return Ok(Some((reason, true))),
            Ok(evolved) => evolved,
        };
        if let Some(arguments) = arguments_of_start(&snapshot) {
            let unfit = check_start(entry, &arguments).err();
            return Ok(unfit.map(|unfit| (cannot_begin(&unfit), true)));
        }
        // The workflow may never read the local.
        if let Some(reason) = unread(&snapshot, entry) {
            return Ok(Some((reason, false)));
        }
        // Another program may make the call.
        if let Some(reason) = lost_call(&snapshot) {
            return Ok(Some((reason, false)));
        }
        let Some(run_id) = run_id else { return Ok(None) };
        if let Some(reason) = self.lost_queued_call(run_id, &snapshot).await? {
            return Ok(Some((reason, false)));
        }
        Ok(match self.arguments_of_next(run_id).await? {
            Err(reason) => Some((reason, false)),
            Ok(None) => None,
            Ok(Some((arguments, is_certain))) => {
                // It is a run of the newest version.
                let unfit = versions.first().and_then(|entry| check_start(entry, &arguments).err());
                unfit.map(|unfit| (cannot_follow(&unfit), is_certain))
            }
        })
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
}
