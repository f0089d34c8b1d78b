//! Taking due activities from queues, as many as there is room for.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};
use tracing::{debug, warn};

use super::attempt;
use crate::activities::ActivityEntry;
use crate::engine::backoff::Backoff;
use crate::engine::session::Session;
use crate::engine::slots::{Places, Reserved};
use crate::error::StoreError;
use crate::failpoints;
use crate::model::Timestamp;
use crate::store::{ClaimActivities, ClaimedActivity, ReviewedActivities};

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
            () = session.host.slots.freed(), if pass.lacks_room => {}
            () = sleep_until(look_at) => {}
        }
    }
}

/// What a claim found.
#[derive(Default)]
struct Pass {
    /// Whether there may be more, and room for it.
    is_full: bool,
    /// Whether some queue or activity had no room.
    lacks_room: bool,
    /// When the next activity falls due for which there is room.
    next_due_at: Option<Timestamp>,
    /// When a queue's rate allows for more.
    next_room_at: Option<Instant>,
}

async fn claim_once(session: &Arc<Session>) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let _claiming = session.attempts.claiming.lock().await;
    // What runs ask for meanwhile waits, and not what is claimed, whose time is running.
    let mut places = session.host.slots.reserve(MAX_CLAIM);
    for group in groups(session, &places) {
        claim_group(session, group, &mut places, &mut pass).await?;
    }
    Ok(pass)
}

/// Activities that are claimed together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Group {
    All,
    Blocking,
    Others,
}

impl Group {
    fn has(self, entry: &ActivityEntry) -> bool {
        match self {
            Self::All => true,
            Self::Blocking => entry.options.blocking,
            Self::Others => !entry.options.blocking,
        }
    }
}

/// In what parts to claim. A claim knows how many attempts there may be of each activity and in all,
/// not how many of all that block: where that is less than in all, they are claimed by themselves,
/// and first, for they cannot take all places.
fn groups(session: &Session, places: &Reserved) -> &'static [Group] {
    let entries = session.host.registry.activities();
    let blocking = entries.filter(|entry| entry.options.blocking).count();
    if blocking > 1 && places.left_blocking() < places.left() {
        &[Group::Blocking, Group::Others]
    } else {
        &[Group::All]
    }
}

async fn claim_group(
    session: &Arc<Session>,
    group: &Group,
    places: &mut Reserved,
    pass: &mut Pass,
) -> Result<(), StoreError> {
    let queues = queues_with_room(session, pass);
    let activities = activities_with_room(session, *group, places, pass);
    if queues.is_empty() || activities.is_empty() {
        return Ok(());
    }
    let limit = match group {
        Group::Blocking => places.left_blocking(),
        Group::All | Group::Others => places.left(),
    };
    let (queues, activities, limit) = (&queues[..], &activities[..], at_most(limit));
    let request = ClaimActivities { worker: session.lease(), queues, activities, limit };
    let asked_at = Instant::now();
    let claimed = session.store.claim_activities(request).await?;
    failpoints::hit("after_claim_activities");
    session.clock.observe(claimed.now, asked_at);
    pass.next_due_at = pass.next_due_at.into_iter().chain(claimed.next_due_at).min();
    let activities = claimed.activities;
    pass.is_full |= activities.len() >= MAX_CLAIM
        || claimed.next_due_at.is_some_and(|due_at| due_at <= claimed.now);
    let uses_up = uses_up(&request, &activities);
    if !activities.is_empty() {
        debug!(activities = activities.len(), "claimed");
    }
    for activity in activities {
        begin(session, activity, |entry| places.take(entry));
    }
    if uses_up {
        // There may be more behind, for when there is room again.
        pass.lacks_room = true;
        queues_with_room(session, pass);
    }
    Ok(())
}

/// Whether a claim has used up some of the room that it was told of.
fn uses_up(request: &ClaimActivities<'_>, claimed: &[ClaimedActivity]) -> bool {
    let is_used_up = |rooms: &[(&str, u32)], name: fn(&ClaimedActivity) -> &str| {
        let count = |asked| claimed.iter().filter(|one| name(one) == asked).count();
        rooms.iter().any(|(asked, room)| count(*asked) >= *room as usize)
    };
    claimed.len() >= request.limit as usize
        || is_used_up(request.queues, |one| &one.queue)
        || is_used_up(request.activities, |one| &one.activity)
}

/// The queues from which something may be begun, each with how many.
fn queues_with_room<'a>(session: &'a Session, pass: &mut Pass) -> Vec<(&'a str, u32)> {
    let mut queues = Vec::with_capacity(session.host.queues.len());
    for queue in &session.host.queues {
        match queue.room() {
            Ok(room) => queues.push((queue.name.as_str(), at_most(room))),
            Err(None) => pass.lacks_room = true,
            Err(Some(at)) => {
                pass.next_room_at = Some(pass.next_room_at.map_or(at, |next| next.min(at)));
            }
        }
    }
    queues
}

/// The activities of which attempts may be begun, each with how many.
fn activities_with_room(
    session: &Session,
    group: Group,
    places: &Reserved,
    pass: &mut Pass,
) -> Vec<(&'static str, u32)> {
    let entries = session.host.registry.activities_in_order().filter(|entry| group.has(entry));
    let rooms = entries.map(|entry| (entry.name, at_most(places.left_of(entry))));
    let (free, full): (Vec<_>, Vec<_>) = rooms.partition(|(_, room)| *room > 0);
    pass.lacks_room |= !full.is_empty();
    free
}

/// So many, as far as one claim may give them.
fn at_most(room: usize) -> u32 {
    // At most a hundred.
    room.min(MAX_CLAIM) as u32
}

/// Has an attempt made, in places that `take` gives or else waits for. Returns whether its queue had
/// a place for it: nobody else takes places, and no more is asked for than there are, but answers
/// may be lost.
fn begin(
    session: &Arc<Session>,
    activity: ClaimedActivity,
    take: impl FnOnce(&ActivityEntry) -> Option<Places>,
) -> bool {
    let queue = session.host.queues.iter().find(|queue| queue.name == activity.queue);
    let Some(permit) = queue.and_then(|queue| queue.enter()) else { return false };
    let places = session.host.registry.activity(&activity.activity).and_then(take);
    attempt::start(session, activity, permit, places);
    true
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
        if !begin(session, stray, |entry| session.host.slots.try_take(entry)) {
            session.attempts.suspect_strays();
        }
    }
    Ok(())
}
