//! Claiming due activities from queues, up to the number of free places.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{debug, warn};

use super::attempt;
use crate::activities::ActivityEntry;
use crate::engine::batch::BatchError;
use crate::engine::session::Session;
use crate::engine::slots::{Places, Reserved};
use crate::error::{StoreError, with_causes};
use crate::failpoints;
use crate::model::Timestamp;
use crate::store::{
    ActivityEnd, ActivityKey, ClaimActivities, ClaimedActivity, FinishActivity, Reporter,
};

/// The most activities of one queue in one claim, so that several workers share a backlog.
const MAX_CLAIM: usize = 100;

/// Takes the activities that the worker has been given already, which nobody else can take, and then due
/// ones.
pub(crate) async fn claim(session: &Arc<Session>) -> Result<Pass, StoreError> {
    if session.attempts.strays.stands() {
        review(session).await?;
    }
    claim_due(session).await
}

/// What a claim found.
#[derive(Default)]
pub(crate) struct Pass {
    /// Whether there may be more, and room for it.
    pub(crate) is_full: bool,
    /// Whether some queue or activity had no room.
    pub(crate) lacks_room: bool,
    /// When the next activity falls due for which there is room.
    pub(crate) next_due_at: Option<Timestamp>,
    /// When a queue's rate allows for more.
    pub(crate) next_room_at: Option<Instant>,
}

async fn claim_due(session: &Arc<Session>) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let _claiming = session.attempts.claiming.lock().await;
    // What runs ask for meanwhile waits, and not what is claimed, whose time is running.
    let mut places = session.host.slots.reserve(MAX_CLAIM);
    for (group, limit) in groups(session, &places) {
        claim_group(session, group, limit, &mut places, &mut pass).await.inspect_err(|_| {
            // The answer may be what was lost.
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

/// In what parts to claim, each with how many attempts. A claim knows how many there may be of each
/// activity and in all, not how many of all that block. As many as of these are enough in all, unless
/// they are far fewer: then they are claimed by themselves, and first, for they cannot take all places.
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

/// Has an attempt made, in places that `take` gives or else waits for. Returns it if its queue has no
/// room for it: nobody else takes any, and no more is asked for than there is, but answers may be lost.
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

/// Compares the attempts that the worker makes with those that the database says it makes. Those for
/// which there is no room are handed back.
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
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
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

/// Waits for what has begun to end, and hands back meanwhile what has not: its time is running, and
/// others may be free to begin it.
pub(crate) async fn hand_back_until(session: &Session, ended: impl Future<Output = ()>) {
    let mut ended = std::pin::pin!(ended);
    let mut is_claim_over = false;
    loop {
        tokio::select! {
            biased;
            () = &mut ended => return,
            // One may be under way; what is lost of its answer is known only then.
            _ = session.attempts.claiming.lock(), if !is_claim_over => is_claim_over = true,
            () = session.attempts.has_unbegun() => {}
        }
        hand_back(session, &session.attempts.list()).await;
    }
}

/// Hands back, uncounted, the attempts that the worker has been given and has not begun, where none
/// begins any more. `held` are those of which it knows.
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
                    warn!(
                        worker_id = session.lease().worker_id.0,
                        error = %with_causes(&error),
                        "activities that were not begun may count as interrupted"
                    );
                    (inquiry, has_more) = (None, false);
                }
            }
        }
        if let Err(error) = put_back(session, std::mem::take(&mut unbegun)).await {
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
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

/// Makes attempts due again, for anybody, as if they had not been given. After an error some may be.
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
