//! Creating and changing schedules.

mod change;
mod create;
mod describe;
mod request;
mod signal;
mod terms;
mod update;

pub use create::CreateSchedule;
pub use describe::{Before, ScheduleDescription};
pub use request::{Backfill, Trigger};
pub use update::UpdateSchedule;

use piton_schedule::Spec;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::{ScheduleError, StoreError};
use crate::machine::{Workflow, WorkflowCall};
use crate::model::{Payload, Timestamp};
use crate::schedules::LogKind;

impl Client {
    /// A schedule by its id, whether or not it is there. Asks nothing of the database.
    ///
    /// A schedule starts runs of a workflow at the times of a [`Spec`]. Workers that serve the workflow look
    /// after it.
    pub fn schedule(&self, id: impl Into<String>) -> Schedule {
        Schedule { client: self.clone(), id: id.into() }
    }

    /// The schedules of a workflow, or all, in the order of their ids, at most `limit`; with `after`, only those
    /// behind that id.
    ///
    /// # Errors
    /// [`ScheduleError::Store`] if the database [is away](Client#when-the-database-is-away) for too long or holds
    /// what cannot be read.
    pub async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleDescription>, ScheduleError> {
        let mut found: Vec<ScheduleDescription> = Vec::new();
        loop {
            let left = limit - found.len() as u32;
            let behind = found.last().map(|schedule| schedule.id.as_str()).or(after);
            let page = patiently(|| self.store().list_schedules(workflow, behind, left)).await?;
            let is_over = page.is_empty();
            for record in page {
                found.push(describe::described(record)?);
            }
            if is_over || found.len() as u32 >= limit {
                return Ok(found);
            }
        }
    }

    /// How many schedules of a workflow, or at all, there are.
    ///
    /// # Errors
    /// [`StoreError`] if the database [is away](Client#when-the-database-is-away) for too long.
    pub async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError> {
        patiently(|| self.store().count_schedules(workflow)).await
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

    /// Creates it: `client.schedule("bills").create(spec, bill(customer)).await?`, after setting options. Each run is
    /// started with these arguments.
    pub fn create<W: Workflow>(&self, spec: Spec, call: WorkflowCall<W>) -> CreateSchedule {
        CreateSchedule::of_call(self.clone(), spec, call)
    }

    /// Creates it for a workflow that this program does not have, by its stored name, with a list of arguments as
    /// JSON. Whether they fit the workflow shows when a run is started.
    pub fn create_json(
        &self,
        spec: Spec,
        workflow: impl Into<String>,
        arguments: &serde_json::Value,
    ) -> CreateSchedule {
        CreateSchedule::new(self.clone(), spec, workflow.into(), Payload::from_json(arguments))
    }

    /// Changes what it says. Await what this returns, after saying what is to be changed. The times up to now are dealt
    /// with, by the old spec; the new one begins with the time after now.
    pub fn update(&self) -> UpdateSchedule {
        UpdateSchedule::new(self.clone())
    }

    /// Has the spec have no effect, until it is [unpaused](Self::unpause). What is due in between is not caught up with.
    /// Runs that wait for others to close wait on, but triggers and backfills are carried out. `note` says why, for
    /// people.
    ///
    /// # Errors
    /// [`ScheduleError::Unknown`] if it is not there, [`ScheduleError::Store`].
    pub async fn pause(&self, note: impl Into<String>) -> Result<(), ScheduleError> {
        self.set_paused(true, note.into()).await
    }

    /// Has the spec have an effect again. `note` says why, for people.
    ///
    /// # Errors
    /// As [`pause`](Self::pause).
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

    /// Starts a run now, also if it is paused or has no [actions](CreateSchedule::max_actions) left. Await what this
    /// returns, after setting the policy if it is to be another one. The run is started soon after.
    pub fn trigger(&self) -> Trigger {
        Trigger::new(self.clone())
    }

    /// Starts the runs of all times of a period, both ends included, as if they fell due now: side by side with
    /// [`Overlap::AllowAll`](super::Overlap::AllowAll), one after the other with
    /// [`Overlap::BufferAll`](super::Overlap::BufferAll). The period may lie before the schedule was created.
    /// Await what this returns, after setting the policy, or ask it for its [times](Backfill::times).
    pub fn backfill(&self, from: impl Into<Timestamp>, to: impl Into<Timestamp>) -> Backfill {
        Backfill::new(self.clone(), from.into(), to.into())
    }

    /// Removes it with its log. Runs that it has started continue. Returns whether it existed.
    ///
    /// # Errors
    /// [`ScheduleError::Store`].
    pub async fn delete(&self) -> Result<bool, ScheduleError> {
        Ok(patiently(|| self.client.store().delete_schedule(&self.id)).await?)
    }
}
