//! Ending attempts of queued activities whose time limits have expired, in any worker.

use tracing::field::display;
use tracing::info;

use super::QueuedCall;
use super::reports::Reports;
use crate::engine::outage::tried_again;
use crate::engine::retry::{self, AttemptResult, Conclusion};
use crate::error::StoreError;
use crate::machine::OperationOutcome;
use crate::store::{ActivityEnd, ExpiredActivity, FinishActivity, FinishOutcome, Reporter, Store};

/// The number of activities per round.
const PAGE: u32 = 200;

/// Ends expired activities. Several workers may do this at the same time.
pub(crate) async fn expire(store: &dyn Store, reports: &Reports) -> Result<(), StoreError> {
    loop {
        let expired = store.expired_activities(PAGE).await?;
        let mut is_last = true;
        let ends = expired.into_iter().map(|expired| {
            let (key, attempt) = (expired.key, expired.attempt);
            let limit = expired.limit;
            let end = conclude(expired);
            let next_attempt_at = match &end {
                ActivityEnd::Retry { retry_at, .. } => Some(display(*retry_at)),
                _ => None,
            };
            info!(run_id = %key.run_id, handle = key.handle.0, attempt, ?limit, next_attempt_at,
                "a time limit of an activity has run out");
            reports.ends.submit(FinishActivity { key, attempt, reporter: Reporter::Expiry, end })
        });
        for ended in futures_util::future::join_all(ends).await {
            match ended {
                // There may be more. Stale ones were ended by another worker.
                Ok(outcome) => is_last &= outcome != FinishOutcome::Finished,
                Err(error) => {
                    tried_again!(&error, "an activity whose time is over could not be ended yet");
                    return Ok(());
                }
            }
        }
        if is_last {
            return Ok(());
        }
    }
}

fn conclude(expired: ExpiredActivity) -> ActivityEnd {
    let ExpiredActivity { key, attempt, interruptions, limit, call, now } = expired;
    let result = AttemptResult::TimedOut(limit);
    let failure = result.failure();
    let gives_up = ActivityEnd::of(OperationOutcome::TimedOut(limit), attempt, failure.clone());
    let Ok(call) = QueuedCall::read(call, attempt, interruptions) else { return gives_up };
    let draw = retry::draw(key.run_id, key.handle, attempt);
    match retry::conclude(&call.activity, attempt, result, now, draw) {
        Conclusion::Outcome(outcome) => ActivityEnd::of(outcome, attempt, failure),
        Conclusion::Retry { retry_at, failure } => {
            ActivityEnd::Retry { retry_at, failure, details: None }
        }
        Conclusion::Block(_) => gives_up,
    }
}
