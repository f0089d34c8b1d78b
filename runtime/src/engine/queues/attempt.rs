//! One attempt of an activity on a queue, from the claim to the report.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;
use tracing::field::display;
use tracing::{info, warn};

use super::QueuedCall;
use crate::activities::{ActivityContext, ActivityInfo};
use crate::engine::driver::Attempt;
use crate::engine::events::attempt_event;
use crate::engine::evolution;
use crate::engine::link::Link;
use crate::engine::outage::tried_again;
use crate::engine::retry::{self, AttemptResult, Conclusion, MAX_INTERRUPTIONS};
use crate::engine::session::Session;
use crate::engine::slots::Places;
use crate::error::{StoreError, with_causes};
use crate::machine::OperationOutcome;
use crate::model::{ActivityToken, AttemptFailure};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ClaimedActivity, FinishActivity, FinishOutcome,
    HeartbeatOutcome, Reporter,
};

/// The wait before an activity that this build cannot read is offered again.
const OFFER_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The wait before a refused report is sent again.
const REPORT_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Makes an attempt in a task of the session. `permit` is its slot of the queue; `places` are its other slots, if
/// they were free.
pub(super) fn start(
    session: &Arc<Session>,
    claimed: ClaimedActivity,
    permit: OwnedSemaphorePermit,
    places: Option<Places>,
) {
    let (key, attempt) = (claimed.key, claimed.attempt);
    let token = ActivityToken { run_id: key.run_id, handle: key.handle, attempt };
    let link = Link::new(Some(token), claimed.details.clone());
    let held = session.attempts.hold(key, attempt, Arc::clone(&link));
    let task = Arc::clone(session);
    let task = session.spawn(async move {
        let Some(end) = make(&task, claimed, places, &link).await else { return };
        // Free the slot of the queue while this attempt is being reported.
        drop(permit);
        task.attempts.note_freed();
        report(
            &task,
            FinishActivity { key, attempt, reporter: Reporter::Worker(task.lease()), end },
        )
        .await;
        held.reported();
    });
    if let Some(task) = task {
        session.attempts.made_by(key, attempt, task);
    }
}

/// Makes the attempt and decides what follows; `None` if it was not begun because the worker's lease has expired.
async fn make(
    session: &Arc<Session>,
    claimed: ClaimedActivity,
    places: Option<Places>,
    link: &Arc<Link>,
) -> Option<ActivityEnd> {
    let ClaimedActivity { key, attempt, interruptions, call, .. } = claimed;
    let call = match QueuedCall::read(call, attempt.saturating_sub(1), interruptions) {
        Ok(call) => call,
        Err(error) => {
            warn!(
                error = %with_causes(&error),
                run_id = %key.run_id,
                handle = key.handle.0,
                attempt,
                "the call of an activity cannot be read"
            );
            return Some(put_back(session));
        }
    };
    let activity = &call.activity;
    if activity.at_most_once && attempt > 1 + activity.passed_over {
        return Some(failed(OperationOutcome::Unknown, "its only attempt was cut off"));
    }
    if interruptions >= MAX_INTERRUPTIONS {
        let message = format!("it was cut off during {MAX_INTERRUPTIONS} attempts");
        return Some(failed(OperationOutcome::Panicked(message.clone()), &message));
    }
    let Some(entry) = session.host.registry.activity(&activity.name) else {
        return Some(put_back(session));
    };
    if entry.connection.is_some() {
        // It was called before it became a transaction. A build in which it is none can make the attempt.
        warn!(
            run_id = %key.run_id,
            handle = key.handle.0,
            attempt,
            activity = entry.name,
            "an activity on a queue is a transaction now, whose writes only the worker of its run can commit"
        );
        return Some(put_back(session));
    }
    let store = &*session.store;
    if let Err(error) = evolution::learn_schemas_of(store, [&activity.arguments].into_iter()).await
    {
        tried_again!(
            &error,
            run_id = %key.run_id,
            handle = key.handle.0,
            attempt,
            "what wrote the arguments of an activity could not be read yet"
        );
        return Some(put_back(session));
    }
    let info = ActivityInfo {
        run_id: key.run_id,
        workflow_id: call.workflow_id.as_str().into(),
        handle: key.handle,
        name: entry.name,
        attempt,
    };
    let dependencies = Arc::clone(&session.host.dependencies);
    let deadline = retry::deadline(activity).map(|at| session.clock.instant_of(at));
    let function = Attempt {
        entry,
        context: ActivityContext::linked(info.clone(), dependencies, link.clone()),
        arguments: activity.arguments.clone(),
        places,
        start_by: None,
        start_to_close: activity.start_to_close,
        heartbeat: activity.heartbeat,
        deadline,
        link: Arc::clone(link),
        session: Arc::clone(session),
        begun: None,
    };
    let throttle = retry::throttle(activity.heartbeat);
    let result = tokio::select! {
        biased;
        ended = function.make() => ended.result,
        never = pass_on_heartbeats(session, link, key, attempt, throttle) => match never {},
    };
    match result {
        AttemptResult::Later { .. } => return Some(ActivityEnd::Later),
        AttemptResult::Lost => return None,
        _ => {}
    }
    let now = session.clock.now();
    let failure = result.failure();
    let draw = retry::draw(key.run_id, key.handle, attempt);
    let conclusion = retry::conclude(activity, attempt, result, now, draw);
    if let Some(error) = &failure {
        let next_attempt_at = conclusion.retry_at().map(display);
        attempt_event!(info, &info, error, next_attempt_at, "an attempt has failed");
    }
    Some(follow(conclusion, failure, &info, link, session))
}

/// The end of an activity that has failed for good.
fn failed(outcome: OperationOutcome, failure: &str) -> ActivityEnd {
    ActivityEnd::Failed { outcome, failure: failure.to_owned() }
}

/// The report of a conclusion. `failure` is the error of the attempt, if it has failed.
fn follow(
    conclusion: Conclusion,
    failure: Option<String>,
    info: &ActivityInfo,
    link: &Link,
    session: &Session,
) -> ActivityEnd {
    match conclusion {
        Conclusion::Outcome(outcome) => ActivityEnd::of(outcome, info.attempt, failure),
        Conclusion::Retry { retry_at, failure } => {
            let retry_at = session.clock.on_database(retry_at);
            let failure = AttemptFailure::new(info.attempt, failure).error;
            ActivityEnd::Retry { retry_at, failure, details: link.details() }
        }
        Conclusion::Block(reason) => {
            attempt_event!(warn, info, %reason, "an activity waits for a worker that can read it");
            put_back(session)
        }
    }
}

fn put_back(session: &Session) -> ActivityEnd {
    let due_at = session.clock.on_database(session.clock.now() + OFFER_AGAIN_AFTER);
    ActivityEnd::PutBack { due_at }
}

/// Writes heartbeats. Cancels an attempt that turns out to have ended.
async fn pass_on_heartbeats(
    session: &Session,
    link: &Link,
    key: ActivityKey,
    attempt: u32,
    throttle: Duration,
) -> Infallible {
    let reporter = Reporter::Worker(session.lease());
    loop {
        let details = link.next_beat().await;
        let beat = ActivityHeartbeat { key, attempt, reporter, details };
        let mut noted = session.reports.heartbeats.submit(beat).await;
        if let Err(error) = &noted
            && matches!(**error, StoreError::Unstorable { .. })
        {
            warn!(
                error = %with_causes(error),
                run_id = %key.run_id,
                handle = key.handle.0,
                attempt,
                "the database cannot store the details of a heartbeat"
            );
            // It is a heartbeat nevertheless.
            let beat = ActivityHeartbeat { key, attempt, reporter, details: None };
            noted = session.reports.heartbeats.submit(beat).await;
        }
        match noted {
            Ok(HeartbeatOutcome::Noted) => {}
            Ok(HeartbeatOutcome::Stale) => {
                if !is_ours(session, key, attempt).await {
                    session.attempts.cancel(key, Some(attempt));
                }
            }
            Err(error) => {
                tried_again!(
                    &error,
                    run_id = %key.run_id,
                    handle = key.handle.0,
                    attempt,
                    "a heartbeat could not be written"
                )
            }
        }
        sleep(throttle).await;
    }
}

/// Sends a report until it is written or stale. If the database cannot store a value of the report, the activity
/// ends without the value.
/// would not keep the next time either: then the activity ends without it.
async fn report(session: &Session, mut end: FinishActivity) {
    loop {
        match session.reports.ends.submit(end.clone()).await {
            Ok(FinishOutcome::Finished | FinishOutcome::Repeated) => return,
            Ok(FinishOutcome::Stale) => {
                if !is_ours(session, end.key, end.attempt).await {
                    return info!(run_id = %end.key.run_id, handle = end.key.handle.0,
                        attempt = end.attempt, "the attempt was no longer wanted");
                }
            }
            Err(error) => {
                let why = with_causes(&error).to_string();
                tried_again!(
                    &*error,
                    run_id = %end.key.run_id,
                    handle = end.key.handle.0,
                    attempt = end.attempt,
                    "the end of an attempt could not be written yet"
                );
                if matches!(*error, StoreError::Unstorable { .. }) {
                    end.end = without_values(end.end, &why);
                }
            }
        }
        sleep(REPORT_AGAIN_AFTER).await;
    }
}

/// The same end without the user's values, which the database cannot store.
fn without_values(end: ActivityEnd, why: &str) -> ActivityEnd {
    match end {
        ActivityEnd::Outcome(_) | ActivityEnd::Failed { .. } => {
            let reason = format!("the database refused its outcome: {why}");
            failed(OperationOutcome::Unusable(reason.clone()), &reason)
        }
        ActivityEnd::Retry { retry_at, failure, .. } => {
            ActivityEnd::Retry { retry_at, failure, details: None }
        }
        end @ (ActivityEnd::Later | ActivityEnd::PutBack { .. }) => end,
    }
}

/// Whether an attempt still belongs to this worker although its report was stale: the lease has expired and nobody
/// has fenced the worker. The lease may yet be renewed if the database's clock is set back. If the attempt were
/// dropped, it would then look like one that the worker has not begun.
async fn is_ours(session: &Session, key: ActivityKey, attempt: u32) -> bool {
    match session.store.find_activity(key).await {
        Ok(Some(row)) => row.worker == Some(session.lease()) && row.attempt == attempt,
        Ok(None) => false,
        Err(error) => {
            tried_again!(
                &error,
                run_id = %key.run_id,
                handle = key.handle.0,
                attempt,
                "it is not known whether an attempt is over"
            );
            true
        }
    }
}
