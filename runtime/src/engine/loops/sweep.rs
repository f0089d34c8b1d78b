//! The slow poll: finds work left behind by lost notifications, lost responses and dead workers.
//!
//! Each part is in the module of its subject and has one line here.

use std::sync::Arc;

use tokio::time::sleep;

use super::relay;
use crate::engine::deadlines::Overdue;
use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::engine::{blocked, fencing, held, promises, queues, strays};
use crate::error::StoreError;

/// Sweeps at every poll interval until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    let mut overdue = Overdue::default();
    loop {
        if let Err(error) = run_once(session, &mut overdue).await {
            tried_again!(
                &error,
                worker_id = session.lease().worker_id.0,
                "the sweep could not be completed"
            );
        }
        sleep(session.host.settings.intervals.poll).await;
    }
}

/// Runs every part, even after one has failed: for example, fencing may wait for the fenced worker until the
/// database gives up. Returns the first error.
async fn run_once(session: &Arc<Session>, overdue: &mut Overdue) -> Result<(), StoreError> {
    let parts = [
        fencing::fence_expired_workers(&*session.store).await,
        queues::expire(&*session.store, &session.reports).await,
        queues::review(session).await,
        held::review(session).await,
        strays::look(session).await,
        blocked::adopt_blocked(session).await,
        relay::sweep(session).await,
        promises::settle(&*session.store).await,
        overdue.expire(session).await,
    ];
    parts.into_iter().collect()
}
