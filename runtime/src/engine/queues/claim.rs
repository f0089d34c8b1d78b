//! Claiming due activities from queues, up to the number of free slots.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{debug, warn};

use super::attempt;
use crate::activities::ActivityEntry;
use crate::engine::batch::BatchError;
use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::engine::slots::{Places, Reserved};
use crate::error::{StoreError, with_causes};
use crate::failpoints;
use crate::model::Timestamp;
use crate::store::{
    ActivityEnd, ActivityKey, ClaimActivities, ClaimedActivity, FinishActivity, Reporter,
};

/// The maximum number of activities of one queue in one claim, so that several workers share a backlog.
const MAX_CLAIM: usize = 100;

/// Takes the activities that are already assigned to this worker, which no other worker can take, and then due
/// ones.
pub(crate) async fn claim(session: &Arc<Session>) -> Result<Pass, StoreError> {
    if session.attempts.strays.stands() {
        review(session).await?;
    }
    claim_due(session).await
}

/// The result of a claim.
#[derive(Default)]
pub(crate) struct Pass {
    /// Whether there may be more activities, and room for them.
    pub(crate) is_full: bool,
    /// Whether a queue or an activity had no room.
    pub(crate) lacks_room: bool,
    /// When the next activity that there is room for is due.
    pub(crate) next_due_at: Option<Timestamp>,
    /// When a queue's rate allows the next attempt.
    pub(crate) next_room_at: Option<Instant>,
}

async fn claim_due(session: &Arc<Session>) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let _claiming = session.attempts.claiming.lock().await;
    // Attempts requested by runs wait meanwhile, since the time limits of claimed activities are already running.
    let mut places = session.host.slots.reserve(MAX_CLAIM);
    for (group, limit) in groups(session, &places) {
        claim_group(session, group, limit, &mut places, &mut pass).await.inspect_err(|_| {
            // The lost response may be that of the last claim.
            session.attempts.strays.note();
        })?;
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

/// The parts in which to claim, each with its maximum. A claim can limit the attempts per activity and in total,
/// but not those of all blocking activities. If there are far fewer slots for blocking activities, these are
/// claimed separately and first, since they cannot take all slots.
fn groups(session: &Session, places: &Reserved) -> Vec<(Group, usize)> {
    let entries = session.host.registry.activities();
    let blocking = entries.filter(|entry| entry.options.blocking).count();
    match (places.left_blocking(), places.left()) {
        (_, left) if blocking < 2 => vec![(Group::All, left)],
        (blocking, left) if blocking >= left / 2 => vec![(Group::All, blocking)],
        (blocking, left) => vec![(Group::Blocking, blocking), (Group::Others, left - blocking)],
    }
}

async fn claim_group(
    session: &Arc<Session>,
    group: Group,
    limit: usize,
    places: &mut Reserved,
    pass: &mut Pass,
) -> Result<(), StoreError> {
    let queues = queues_with_room(session, pass);
    let activities = activities_with_room(session, group, places, pass);
    if queues.is_empty() || activities.is_empty() {
        return Ok(());
    }
    let (queues, activities, limit) = (&queues[..], &activities[..], at_most(limit));
    let request = ClaimActivities { worker: session.lease(), queues, activities, limit };
    let asked_at = Instant::now();
    let claimed = session.store.claim_activities(request).await?;
    if !claimed.activities.is_empty() {
        failpoints::hit("after_claim_activities");
    }
    session.clock.observe(claimed.now, asked_at);
    pass.next_due_at = pass.next_due_at.into_iter().chain(claimed.next_due_at).min();
    let activities = claimed.activities;
    // When an attempt of this worker ends, the queue's limits may allow another.
    pass.lacks_room |= claimed.is_held_back;
    pass.is_full |= claimed.next_due_at.is_some_and(|due_at| due_at <= claimed.now);
    let (uses_up, count) = (uses_up(&request, &activities), activities.len());
    if count > 0 {
        debug!(activities = count, "claimed");
    }
    for activity in activities {
        if begin(session, activity, |entry| places.take(entry)).is_err() {
            session.attempts.strays.stand();
        }
    }
    pass.is_full |= count >= limit as usize && places.left() > 0 && group != Group::Blocking;
    if uses_up {
        // There may be more when there is room again.
        pass.lacks_room = true;
        queues_with_room(session, pass);
    }
    Ok(())
}

/// Whether a claim has used up a capacity of its request.
fn uses_up(request: &ClaimActivities<'_>, claimed: &[ClaimedActivity]) -> bool {
    let is_used_up = |rooms: &[(&str, u32)], name: fn(&ClaimedActivity) -> &str| {
        let count = |asked| claimed.iter().filter(|one| name(one) == asked).count();
        rooms.iter().any(|(asked, room)| count(*asked) >= *room as usize)
    };
    claimed.len() >= request.limit as usize
        || is_used_up(request.queues, |one| &one.queue)
        || is_used_up(request.activities, |one| &one.activity)
}

/// The queues of which attempts may begin, with their numbers.
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

/// The activities of which attempts may begin, with their numbers.
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

/// Limits the number to that of one claim.
fn at_most(room: usize) -> u32 {
    // At most a hundred.
    room.min(MAX_CLAIM) as u32
}

/// Starts an attempt, in slots that `take` returns or else waits for. Returns the activity if its queue has no room
/// for it, which can happen only after a lost response.
fn begin(
    session: &Arc<Session>,
    activity: ClaimedActivity,
    take: impl FnOnce(&ActivityEntry) -> Option<Places>,
) -> Result<(), (ActivityKey, u32)> {
    let queue = session.host.queues.iter().find(|queue| queue.name == activity.queue);
    let permit = queue.and_then(|queue| queue.enter()).ok_or((activity.key, activity.attempt))?;
    let places = session.host.registry.activity(&activity.activity).and_then(take);
    attempt::start(session, activity, permit, places);
    Ok(())
}

/// Compares the attempts that the worker makes with those in the database. Releases those for which there is no
/// room.
pub(crate) async fn review(session: &Arc<Session>) -> Result<(), StoreError> {
    let _claiming = session.attempts.claiming.lock().await;
    let inquiry = session.attempts.strays.look_into();
    let mut has_more = inquiry.is_some() || !session.attempts.list().is_empty();
    while has_more {
        let held = session.attempts.list();
        let reviewed = session.store.review_activities(session.lease(), &held).await;
        let reviewed = reviewed.inspect_err(|_| session.attempts.strays.stand())?;
        has_more = reviewed.has_more;
        for (key, attempt) in held.iter().filter(|(key, _)| reviewed.lost.contains(key)) {
            session.attempts.cancel(*key, Some(*attempt));
        }
        let strays = reviewed.strays.into_iter();
        let begun =
            strays.map(|stray| begin(session, stray, |entry| session.host.slots.try_take(entry)));
        let unbegun = begun.filter_map(Result::err).collect();
        if let Err(error) = put_back(session, unbegun).await {
            tried_again!(
                &error,
                worker_id = session.lease().worker_id.0,
                "activities for which there is no room could not be handed back yet"
            );
            session.attempts.strays.stand();
            // They would come again.
            has_more = false;
        }
    }
    if let Some(inquiry) = inquiry {
        inquiry.answered();
    }
    Ok(())
}

/// Waits for running attempts to end, and meanwhile releases those that have not begun, because their time limits
/// are running and other workers may be free.
pub(crate) async fn hand_back_until(session: &Session, ended: impl Future<Output = ()>) {
    let mut ended = std::pin::pin!(ended);
    let mut is_claim_over = false;
    loop {
        tokio::select! {
            biased;
            () = &mut ended => return,
            // A claim may be in progress; strays of a lost response are known only after it.
            _ = session.attempts.claiming.lock(), if !is_claim_over => is_claim_over = true,
            () = session.attempts.has_unbegun() => {}
        }
        hand_back(session, &session.attempts.list()).await;
    }
}

/// Releases, uncounted, the attempts that are assigned to the worker and have not begun, when no more attempts
/// begin. `held` are those that it knows of.
pub(crate) async fn hand_back(session: &Session, held: &[(ActivityKey, u32)]) {
    let mut unbegun = session.attempts.take_unbegun();
    let mut inquiry = session.attempts.strays.look_into();
    let mut has_more = inquiry.is_some();
    loop {
        if has_more {
            match session.store.review_activities(session.lease(), held).await {
                Ok(reviewed) => {
                    has_more = reviewed.has_more;
                    unbegun.extend(reviewed.strays.iter().map(|stray| (stray.key, stray.attempt)));
                }
                Err(error) => {
                    tried_again!(
                        &error,
                        worker_id = session.lease().worker_id.0,
                        "activities that were not begun may count as interrupted"
                    );
                    (inquiry, has_more) = (None, false);
                }
            }
        }
        if let Err(error) = put_back(session, std::mem::take(&mut unbegun)).await {
            warn!(
                error = %with_causes(&error),
                worker_id = session.lease().worker_id.0,
                "activities that were not begun count as interrupted"
            );
            // They would come again.
            has_more = false;
        }
        if !has_more {
            break;
        }
    }
    if let Some(inquiry) = inquiry {
        inquiry.answered();
    }
}

/// Makes attempts due again for any worker, as if they had not been claimed. After an error, this may have been
/// done for some.
async fn put_back(session: &Session, unbegun: Vec<(ActivityKey, u32)>) -> Result<(), BatchError> {
    let now = session.clock.on_database(session.clock.now());
    let end = ActivityEnd::PutBack { due_at: now };
    let ends = unbegun.into_iter().map(|(key, attempt)| {
        let reporter = Reporter::Worker(session.lease());
        session.reports.ends.submit(FinishActivity { key, attempt, reporter, end: end.clone() })
    });
    let ended = futures_util::future::join_all(ends).await;
    ended.into_iter().try_for_each(|ended| ended.map(drop))
}
