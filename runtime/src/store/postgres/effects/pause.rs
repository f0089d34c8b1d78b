//! Runs that their owners have let go of are paused.

use sqlx::PgConnection;

use crate::model::RunId;

/// Unless the pause was withdrawn meanwhile. The commit has locked the runs.
const PAUSE: &str = "UPDATE piton_runs AS run SET status = 'paused', due_at = NULL FROM piton_pauses AS pause \
    WHERE run.run_id = ANY ($1) AND pause.run_id = run.run_id AND run.status = 'running' AND run.worker_id IS NULL";

pub(super) async fn write(
    connection: &mut PgConnection,
    paused: &[RunId],
) -> Result<(), sqlx::Error> {
    let run_ids: Vec<_> = paused.iter().map(|run_id| run_id.as_uuid()).collect();
    sqlx::query(PAUSE).bind(run_ids).execute(connection).await?;
    Ok(())
}
