//! The successor of a run that continues as new.

use super::written::record_call;
use crate::engine::first_state::first_state;
use crate::engine::session::Session;
use crate::machine::{NextRun, RunInfo};
use crate::model::{BlockedReason, Link};
use crate::store::Successor;

/// The run that follows `run`, with what it is written by recorded.
///
/// # Errors
/// Why its first state cannot be made.
pub(super) async fn successor(
    session: &Session,
    run: &RunInfo,
    next: NextRun,
) -> Result<Box<Successor>, BlockedReason> {
    let NextRun { workflow, entry, arguments } = next;
    record_call(session, entry, &arguments).await;
    let run_id = session.store.new_run_id();
    let run = RunInfo { run_id, workflow_id: run.workflow_id.clone() };
    let run = first_state(entry, workflow, run, arguments);
    let run = run.map_err(|error| BlockedReason::Invalid(error.to_string()))?;
    Ok(Box::new(Successor { run, link: Link::Continued }))
}
