//! The workflows that each worker serves, in the in-memory store.

use std::time::Duration;

use async_trait::async_trait;

use super::MemoryStore;
use super::state::State;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::Attendance;

#[async_trait]
impl Attendance for MemoryStore {
    async fn attend(&self, workflows: &[&str], hold: Duration) -> Result<u64, StoreError> {
        let workflows: Vec<String> = workflows.iter().map(|name| (*name).to_owned()).collect();
        self.request("attend", move |state, now, _| Ok(state.attend(&workflows, hold, now))).await
    }
}

impl State {
    fn attend(&mut self, workflows: &[String], hold: Duration, now: Timestamp) -> u64 {
        let mut moved = 0;
        for workflow in workflows {
            let Some(until) = self.attendance.get_mut(workflow) else { continue };
            if *until > now + hold / 2 {
                continue;
            }
            let from = std::mem::replace(until, now + hold);
            let runs = self.runs.values_mut();
            for row in runs.filter(|row| row.status.is_open() && row.workflow == *workflow) {
                let Some(deadline_at) = row.deadline_at.filter(|at| *at > from && from < now)
                else {
                    continue;
                };
                let Some(terms) = row.terms.as_deref_mut().filter(|it| it.goes_by_attendance())
                else {
                    continue;
                };
                let (left, deadline_at) = terms.leaving_out(deadline_at, from, now);
                moved += u64::from(left != *terms);
                (*terms, row.deadline_at) = (left, Some(deadline_at));
            }
        }
        moved
    }
}
