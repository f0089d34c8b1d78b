//! Taking due activities from queues, as many as there is room for.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};
use tracing::{debug, warn};

use super::attempt;
use crate::engine::backoff::Backoff;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::failpoints;
use crate::model::Timestamp;
use crate::store::{ClaimActivities, ReviewedActivities};

/// The most activities of one queue in one claim, so that several workers share a backlog.
const MAX_CLAIM: usize = 100;

/// Claims whenever an activity may be due on a queue that the worker serves, and tells attempts
/// that are given up, until dropped or until the lease is lost.
pub(crate) async fn queue_loop(session: &Arc<Session>) {
    if session.host.queues.is_empty() {
        return std::future::pending().await;
    }
    tokio::select! {
        biased;
        () = cancel_loop(session) => {}
        () = claim_loop(session) => {}
    }
}

async fn cancel_loop(session: &Session) {
    let mut given_up = session.store.hub().listen_for_given_up();
    while let Some(key) = given_up.recv().await {
        session.attempts.cancel(key, None);
    }
}

async fn claim_loop(session: &Arc<Session>) {
    let names = session.host.queues.iter().map(|queue| queue.name.as_str());
    let news = session.store.hub().listen_to_queues(names);
    let mut backoff = Backoff::default();
    loop {
        let pass = match claim_once(session).await {
            Ok(pass) => pass,
            Err(StoreError::Fenced) => return,
            Err(error) => {
                warn!(%error, "no activities could be claimed");
                // The answer may be what was lost.
                session.attempts.suspect_strays();
                backoff.wait().await;
                continue;
            }
        };
        backoff = Backoff::default();
        if pass.is_full {
            continue;
        }
        let poll_at = Instant::now() + session.host.settings.poll_interval;
        let due_at = pass.next_due_at.map(|at| session.clock.instant_of(at));
        let look_at = due_at.into_iter().chain(pass.next_room_at).fold(poll_at, Instant::min);
        tokio::select! {
            biased;
            () = news.notified() => {}
            () = session.attempts.freed(), if pass.lacks_room => {}
            () = sleep_until(look_at) => {}
        }
    }
}

/// What a claim found.
#[derive(Default)]
struct Pass {
    /// Whether there may be more, and room for it.
    is_full: bool,
    /// Whether some queue had no room.
    lacks_room: bool,
    /// When the next activity falls due.
    next_due_at: Option<Timestamp>,
    /// When a queue's rate allows for more.
    next_room_at: Option<Instant>,
}

async fn claim_once(session: &Arc<Session>) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let mut queues = Vec::with_capacity(session.host.queues.len());
    let mut places = session.host.slots.available();
    for queue in &session.host.queues {
        match queue.room() {
            Ok(room) if places > 0 => {
                let room = room.min(places).min(MAX_CLAIM);
                places -= room;
                // At most a hundred.
                queues.push((queue.name.as_str(), room as u32));
            }
            Ok(_) | Err(None) => pass.lacks_room = true,
            Err(Some(at)) => {
                pass.next_room_at = Some(pass.next_room_at.map_or(at, |next| next.min(at)));
            }
        }
    }
    if queues.is_empty() {
        return Ok(pass);
    }
    let _claiming = session.attempts.claiming.lock().await;
    let activities = session.host.registry.activity_names();
    let request = ClaimActivities { worker: session.lease(), queues: &queues, activities };
    let asked_at = Instant::now();
    let claimed = session.store.claim_activities(request).await?;
    failpoints::hit("after_claim_activities");
    session.clock.observe(claimed.now, asked_at);
    pass.next_due_at = claimed.next_due_at;
    pass.is_full = claimed.next_due_at.is_some_and(|due_at| due_at <= claimed.now);
    if !claimed.activities.is_empty() {
        debug!(activities = claimed.activities.len(), "claimed");
    }
    for activity in claimed.activities {
        let queue = session.host.queues.iter().find(|queue| queue.name == activity.queue);
        // Nobody else takes places, and no more was asked for than there were.
        if let Some(permit) = queue.and_then(|queue| queue.enter()) {
            attempt::start(session, activity, permit);
        }
    }
    Ok(pass)
}

/// Compares the attempts that the worker makes with those that the database says it makes.
pub(crate) async fn review(session: &Arc<Session>) -> Result<(), StoreError> {
    let _claiming = session.attempts.claiming.lock().await;
    let held = session.attempts.list();
    let suspects = session.attempts.take_suspicion();
    if held.is_empty() && !suspects {
        return Ok(());
    }
    let reviewed = session.store.review_activities(session.lease(), &held).await;
    let ReviewedActivities { lost, strays } =
        reviewed.inspect_err(|_| session.attempts.suspect_strays())?;
    for (key, attempt) in held.iter().filter(|(key, _)| lost.contains(key)) {
        session.attempts.cancel(*key, Some(*attempt));
    }
    for stray in strays {
        let queue = session.host.queues.iter().find(|queue| queue.name == stray.queue);
        match queue.and_then(|queue| queue.enter()) {
            Some(permit) => attempt::start(session, stray, permit),
            None => session.attempts.suspect_strays(),
        }
    }
    Ok(())
}
