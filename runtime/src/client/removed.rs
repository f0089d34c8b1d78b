//! Results that were removed before their runs.

use std::sync::Arc;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::RunError;
use crate::machine::Never;
use crate::model::{RunId, RunStatus};

/// Returns an error if a run has no result because the result was
/// [removed](crate::worker::Retention::payloads_of_all).
///
/// # Errors
/// [`RunError::ResultRemoved`], [`RunError::Store`].
pub(super) async fn check(
    client: &Client,
    run_id: RunId,
    status: RunStatus,
    has_result: bool,
) -> Result<(), RunError<Never>> {
    // Runs with other statuses have no result, and a failed run may have none.
    if has_result || !matches!(status, RunStatus::Completed | RunStatus::Failed) {
        return Ok(());
    }
    let details = patiently(|| client.store().find_details(run_id)).await;
    let details = details.map_err(|error| RunError::Store(Arc::new(error)))?;
    // The arguments are removed with the result, and every run has some.
    match details.is_some_and(|details| details.arguments.is_none()) {
        true => Err(RunError::ResultRemoved { run_id }),
        false => Ok(()),
    }
}
