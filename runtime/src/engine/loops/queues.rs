//! Claims due activities from the queues that the worker serves, and cancels attempts that are dropped.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use crate::engine::backoff::Backoff;
use crate::engine::clock::after;
use crate::engine::outage::tried_again;
use crate::engine::queues;
use crate::engine::session::Session;
use crate::error::StoreError;

/// Claims whenever an activity may be due on a queue of the worker, and cancels dropped attempts. Runs until
/// dropped, or until the lease is lost.
pub(super) async fn run(session: &Arc<Session>) {
    if session.host.queues.is_empty() {
        return std::future::pending().await;
    }
    tokio::select! {
        biased;
        () = tell_given_up(session) => {}
        () = claim_when_due(session) => {}
    }
}

async fn tell_given_up(session: &Session) {
    let mut given_up = session.store.hub().listen_for_given_up();
    while let Some(key) = given_up.recv().await {
        session.attempts.cancel(key, None);
    }
}

async fn claim_when_due(session: &Arc<Session>) {
    let names = session.host.queues.iter().map(|queue| queue.name.as_str());
    let news = session.store.hub().listen_to_queues(names);
    let mut backoff = Backoff::default();
    loop {
        // In a task, so that the result of a claim is not lost when a shutdown drops this loop.
        let (answer, pass) = oneshot::channel();
        let claims = Arc::clone(session);
        session.spawn(async move {
            let _ = answer.send(queues::claim(&claims).await);
        });
        let pass = match pass.await {
            Ok(Ok(pass)) => pass,
            Err(_) | Ok(Err(StoreError::Fenced)) => return,
            Ok(Err(error)) => {
                tried_again!(
                    &error,
                    worker_id = session.lease().worker_id.0,
                    "no activities could be claimed"
                );
                backoff.wait().await;
                continue;
            }
        };
        backoff = Backoff::default();
        if pass.is_full {
            continue;
        }
        let poll_at = after(Instant::now(), session.host.settings.intervals.poll);
        let due_at = pass.next_due_at.map(|at| session.clock.instant_of_database(at));
        let look_at = due_at.into_iter().chain(pass.next_room_at).fold(poll_at, Instant::min);
        tokio::select! {
            biased;
            () = news.notified() => {}
            () = session.attempts.freed(), if pass.lacks_room => {}
            () = session.host.slots.freed(), if pass.lacks_room => {}
            () = sleep_until(look_at) => {}
        }
    }
}
