//! Creating and changing schedules.

mod action;
mod change;
mod create;
mod describe;
mod list;
mod request;
mod signal;
mod terms;
mod update;

pub use create::CreateSchedule;
pub use describe::{Before, ScheduleDescription};
pub use list::ScheduleFilter;
pub use request::{Backfill, Trigger};
pub use update::UpdateSchedule;

use piton_schedule::Spec;

use self::action::Starts;
use super::Client;
use crate::engine::backoff::patiently;
use crate::error::ScheduleError;
use crate::machine::{Workflow, WorkflowCall};
use crate::model::Timestamp;
use crate::schedules::LogKind;

impl Client {
    /// A schedule by its id, whether or not it exists. Does not query the database.
    ///
    /// A schedule starts runs of a workflow at the times of a [`Spec`]. Workers that serve the workflow run it.
    pub fn schedule(&self, id: impl Into<String>) -> Schedule {
        Schedule { client: self.clone(), id: id.into() }
    }
}

/// A schedule, by its id. See [`Client::schedule`].
#[derive(Clone, Debug)]
pub struct Schedule {
    client: Client,
    id: String,
}

impl Schedule {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Creates the schedule: `client.schedule("bills").create(spec, bill(customer)).await?`, after setting options.
    /// Each run gets the same arguments.
    pub fn create<W: Workflow>(&self, spec: Spec, call: WorkflowCall<W>) -> CreateSchedule {
        CreateSchedule::new(self.clone(), spec, Starts::call(call))
    }

    /// Creates the schedule for a workflow that this program does not have, by its stored name, with its arguments as
    /// JSON: a list in the order of the parameters, or an object with their names. As of
    /// [`Client::start_json`], they are checked against the workflow's recorded definition, and
    /// [`ScheduleError::Start`] says what does not fit.
    pub fn create_json(
        &self,
        spec: Spec,
        workflow: impl Into<String>,
        arguments: &serde_json::Value,
    ) -> CreateSchedule {
        let (workflow, arguments) = (workflow.into(), arguments.clone());
        CreateSchedule::new(self.clone(), spec, Ok(Starts::Json { workflow, arguments }))
    }

    /// Changes the configuration. Await the returned value, after setting the changes. The old spec applies to
    /// times up to now, the new one to later times.
    pub fn update(&self) -> UpdateSchedule {
        UpdateSchedule::new(self.clone())
    }

    /// Pauses the schedule, until it is [unpaused](Self::unpause). Times that are due in between are skipped. Runs
    /// that wait for others to close still wait, and triggers and backfills still start runs. `note` is the reason,
    /// for people.
    ///
    /// # Errors
    /// [`ScheduleError::Unknown`] if there is no such schedule, [`ScheduleError::Store`].
    pub async fn pause(&self, note: impl Into<String>) -> Result<(), ScheduleError> {
        self.set_paused(true, note.into()).await
    }

    /// Ends the pause of the schedule. `note` is the reason, for people.
    ///
    /// # Errors
    /// Those of [`pause`](Self::pause).
    pub async fn unpause(&self, note: impl Into<String>) -> Result<(), ScheduleError> {
        self.set_paused(false, note.into()).await
    }

    async fn set_paused(&self, paused: bool, note: String) -> Result<(), ScheduleError> {
        self.change(None, |change| {
            change.state.paused = paused;
            change.state.note = note.clone();
            change.log.push(match paused {
                true => LogKind::Paused { note: note.clone() },
                false => LogKind::Unpaused { note: note.clone() },
            });
            Ok(())
        })
        .await
    }

    /// Starts a run now, even if the schedule is paused or has no [actions](CreateSchedule::max_actions) left.
    /// Await the returned value, after setting the overlap policy if needed. A worker starts the run soon after.
    pub fn trigger(&self) -> Trigger {
        Trigger::new(self.clone())
    }

    /// Starts the runs of all times of a period, including both ends, as if they were due now: side by side with
    /// [`Overlap::AllowAll`](super::Overlap::AllowAll), one after the other with
    /// [`Overlap::BufferAll`](super::Overlap::BufferAll). The period may be before the schedule was created, and ends
    /// now at the latest. Await the returned value, after setting the policy, or call its [times](Backfill::times).
    pub fn backfill(&self, from: impl Into<Timestamp>, to: impl Into<Timestamp>) -> Backfill {
        Backfill::new(self.clone(), from.into(), to.into())
    }

    /// Cancels the unfinished backfills of the schedule: their runs that wait for others to close are not started, and
    /// neither are those of their remaining times. Runs that were started continue.
    ///
    /// # Errors
    /// Those of [`pause`](Self::pause).
    pub async fn cancel_backfills(&self) -> Result<(), ScheduleError> {
        self.change(None, |change| {
            let waiting = change.state.cancel_backfills(&change.config, change.now);
            change.log.push(LogKind::BackfillsCancelled { waiting });
            Ok(())
        })
        .await
    }

    /// Removes the schedule with its log. Runs that it has started continue. Returns whether it existed.
    ///
    /// # Errors
    /// [`ScheduleError::Store`].
    pub async fn delete(&self) -> Result<bool, ScheduleError> {
        Ok(patiently(|| self.client.store().delete_schedule(&self.id)).await?)
    }
}
