//! Detects dead workers, so that their runs continue within a second.

use std::sync::Arc;

use tokio::time::sleep;
use tracing::warn;

use crate::engine::fencing;
use crate::engine::session::Session;
use crate::error::with_causes;

/// Watches until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    loop {
        if let Err(error) = fencing::fence_dead_workers(&*session.store).await {
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
                "it is not known whether other workers have died"
            );
        }
        sleep(session.host.settings.intervals.watch).await;
    }
}
