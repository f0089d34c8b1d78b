//! Checking whether schedules can start runs with the arguments that they have stored.

use super::starts::Judged;
use super::{ParkedReport, UnfitSchedule};
use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_schemas_of;
use crate::error::StoreError;
use crate::model::{Payload, UnfitStart};
use crate::schedules::{NO_WORKFLOW, State};
use crate::store::ScheduleRecord;

/// The number of schedules to read at a time.
const PAGE: u32 = 200;

/// Whether the schedule will start a run unless it is changed.
fn is_to_start(schedule: &ScheduleRecord) -> bool {
    let state = serde_json::from_str::<State>(&schedule.state);
    schedule.due_at.is_some() && state.is_ok_and(|state| state.is_live())
}

impl Client {
    /// Judges every schedule that starts runs by the name of its workflow and its arguments, whose schemas are loaded by
    /// then. `judge` returns `None` if there is no such workflow.
    pub(super) async fn check_schedules(
        &self,
        report: &mut ParkedReport,
        judge: impl Fn(&str, &Payload) -> Option<Judged>,
    ) -> Result<(), StoreError> {
        let store = &**self.store();
        let mut after: Option<String> = None;
        loop {
            let page = patiently(|| store.list_schedules(None, after.as_deref(), PAGE)).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            let arguments = || page.iter().map(|schedule| &schedule.arguments);
            patiently(|| learn_schemas_of(store, arguments())).await?;
            for schedule in page.iter().filter(|schedule| schedule.workflow != NO_WORKFLOW) {
                report.schedules += 1;
                let judged = judge(&schedule.workflow, &schedule.arguments);
                // Another program that shares the database may have it.
                let judged = judged.unwrap_or(Err((UnfitStart::MissingWorkflow, false)));
                let Err((reason, is_certain)) = judged else { continue };
                report.unfit_schedules.push(UnfitSchedule {
                    schedule: schedule.id.clone(),
                    workflow: schedule.workflow.clone(),
                    reason,
                    is_certain: is_certain && is_to_start(schedule),
                });
            }
        }
    }
}
