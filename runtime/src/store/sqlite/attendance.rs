//! The workflows that each worker serves.

use std::time::Duration;

use async_trait::async_trait;

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::Attendance;
use crate::store::rows::{AttendanceRow, AttendedRow};

const ADD: &str = "INSERT INTO piton_attendance (workflow, attended_until) VALUES (?, ?) ON CONFLICT DO NOTHING; ";

const FIND: &str = "SELECT workflow, attended_until FROM piton_attendance ORDER BY workflow";

const EXTEND: &str = "UPDATE piton_attendance SET attended_until = ? \
    WHERE workflow = ? AND attended_until = ? RETURNING 1; ";

/// The open runs of a workflow whose deadlines had not passed then.
const ATTENDED: &str = "SELECT agreed.run_id, agreed.deadline_at, agreed.terms, agreed.last_result \
    FROM piton_terms AS agreed CROSS JOIN piton_runs AS run ON run.run_id = agreed.run_id \
    WHERE agreed.attended IS NOT NULL AND agreed.deadline_at > ? \
    AND run.workflow = ? AND run.closed_at IS NULL; ";

const MOVE: &str = "UPDATE piton_terms SET terms = ?, deadline_at = ? WHERE run_id = ?; ";

/// Inserts the row of a workflow, unless it exists.
pub(super) fn add_account(script: &mut Script, workflow: &str, now: Timestamp) {
    script.sql(ADD).bind(workflow.to_owned()).bind(now.as_micros());
}

#[async_trait]
impl Attendance for SqliteStore {
    async fn attend(&self, workflows: &[&str], hold: Duration) -> Result<u64, StoreError> {
        let failed = failed("attend");
        let now = self.time();
        let mut script = Script::new();
        script.sql(FIND);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<AttendanceRow>(0));
        let mut ending = rows.map_err(failed)?;
        ending.retain(|row| {
            workflows.contains(&&*row.workflow) && Timestamp(row.attended_until) <= now + hold / 2
        });
        if ending.is_empty() {
            return Ok(0);
        }
        let mut script = Script::new();
        script.sql("BEGIN IMMEDIATE; ");
        for AttendanceRow { workflow, attended_until } in &ending {
            script.sql(EXTEND).bind((now + hold).as_micros());
            script.bind(workflow.clone()).bind(*attended_until);
            script.sql(ATTENDED).bind(*attended_until).bind(workflow.clone());
        }
        let mut turn = self.turn().await;
        let mut rows = turn.begin(script).await.map_err(failed)?;
        let (mut script, mut moved) = (Script::new(), 0);
        for (place, AttendanceRow { attended_until, .. }) in ending.iter().enumerate() {
            let from = Timestamp(*attended_until);
            // Another process may have recorded a later time.
            if !rows.any(1 + 2 * place) || from >= now {
                continue;
            }
            for row in rows.read::<AttendedRow>(2 + 2 * place).map_err(failed)? {
                let Some(run) = row.moved(from, now)? else { continue };
                script.sql(MOVE).bind(run.terms).bind(run.deadline_at).bind(run.run_id);
                moved += 1;
            }
        }
        script.sql("COMMIT");
        turn.commit(script).await.map_err(failed)?;
        Ok(moved)
    }
}
