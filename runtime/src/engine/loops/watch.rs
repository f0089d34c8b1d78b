//! Looks for workers that have died, so that their runs go on well within a second.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::warn;

use crate::engine::fencing;
use crate::engine::session::Session;
use crate::error::with_causes;

/// How often to look. With the time that a store takes to be sure and a claim, the runs of a dead worker
/// go on well within a second.
const INTERVAL: Duration = Duration::from_millis(300);

/// Looks until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    let interval = INTERVAL.min(session.host.settings.poll_interval);
    loop {
        if let Err(error) = fencing::fence_dead_workers(&*session.store).await {
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
                "it is not known whether other workers have died"
            );
        }
        sleep(interval).await;
    }
}
