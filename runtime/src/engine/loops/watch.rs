//! Detects dead workers, so that their runs continue within a second.

use std::sync::Arc;

use tokio::time::sleep;

use crate::engine::fencing;
use crate::engine::outage::tried_again;
use crate::engine::session::Session;

/// Watches until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    loop {
        if let Err(error) = fencing::fence_dead_workers(&*session.store).await {
            tried_again!(
                &error,
                worker_id = session.lease().worker_id.0,
                "it is not known whether other workers have died"
            );
        }
        sleep(session.host.settings.intervals.watch).await;
    }
}
