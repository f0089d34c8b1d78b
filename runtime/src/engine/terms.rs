//! What is agreed on runs: which of them are tried again, and timeouts, which fire whether or not a worker holds the run.

use tracing::warn;

use super::backoff::Backoff;
use super::chain::NextOfChain;
use super::evolution::learn_schemas_of;
use super::retry::draw;
use super::session::Session;
use crate::codec;
use crate::error::{StoreError, with_causes};
use crate::machine::{NextRun, RunInfo};
use crate::model::{Handle, Link, OnTimeout, Payload, RunId, RunStatus, Terms, Timestamp};
use crate::store::{ArrivalKind, ExpireRun, ExpiredRun, NewArrival, RESERVED_KEYS};

/// How many runs whose deadlines are over are read at a time.
const MAX_EXPIRED: u32 = 100;

/// The most pages of one sweep, so that a sweep comes to its other parts.
const MAX_ROUNDS: usize = 20;

/// When the run that tries this one again is due, if it is tried again. It has closed so at `now`, which is the
/// database's time.
pub(crate) fn retry_at(
    terms: &Terms,
    run_id: RunId,
    status: RunStatus,
    result: Option<&Payload>,
    now: Timestamp,
) -> Option<Timestamp> {
    let retry = terms.retry.as_ref()?;
    let wait = retry.policy.delay_after(terms.attempt)?;
    if !matches!(status, RunStatus::Failed | RunStatus::TimedOut) {
        return None;
    }
    if !retry.non_retryable.is_empty()
        && let Some(kind) = result.and_then(codec::error_kind)
        && retry.non_retryable.contains(&kind)
    {
        return None;
    }
    let wait = retry.policy.shortened(wait, draw(run_id, Handle(0), terms.attempt));
    let retry_at = now + wait;
    // A run that would begin when the time of the chain is over is not begun.
    terms.execution_deadline.is_none_or(|deadline| retry_at < deadline).then_some(retry_at)
}

/// Deals with the runs whose deadlines are over.
pub(crate) async fn expire(session: &Session) -> Result<(), StoreError> {
    let mut after = None;
    let mut first_error = Ok(());
    for _ in 0..MAX_ROUNDS {
        let expired = session.store.find_expired(after, MAX_EXPIRED).await?;
        after = expired.runs.last().map(|run| (run.deadline_at, run.run_id));
        for run in expired.runs {
            // One that cannot be dealt with does not keep the others open.
            first_error = first_error.and(expire_one(session, run, expired.now).await);
        }
        if !expired.has_more {
            break;
        }
    }
    first_error
}

async fn expire_one(session: &Session, run: ExpiredRun, now: Timestamp) -> Result<(), StoreError> {
    let store = &*session.store;
    let ExpiredRun { run_id, workflow_id, workflow, arguments, terms, deadline_at } = run;
    let reason = terms.reason_of_timeout();
    // Later deadlines are those of the clean-up.
    if terms.on_timeout == OnTimeout::Cancel && terms.deadline() == Some(deadline_at) {
        // A worker that has died in between has sent it already.
        let dedup_key = Some(format!("{RESERVED_KEYS}timeout:{run_id}"));
        let kind = ArrivalKind::TimedOut { reason };
        store.deliver(vec![NewArrival { run_id, kind, dedup_key, owner: None }]).await?;
        store.defer_deadline(run_id, deadline_at, now + terms.cleanup_timeout).await?;
        return Ok(());
    }
    let retry_at = retry_at(&terms, run_id, RunStatus::TimedOut, None, now);
    let successor = match (retry_at, arguments) {
        (Some(retry_at), Some(arguments)) => {
            let Some(entry) = session.host.registry.workflow(&workflow) else {
                // A worker that serves the workflow closes this run and begins the next.
                return Ok(());
            };
            let run = RunInfo { run_id, workflow_id: workflow_id.as_str().into() };
            let next = NextRun { workflow: entry.name, entry, arguments };
            learn_schemas_of(store, std::iter::once(&next.arguments)).await?;
            let (due_at, terms) = (Some(retry_at), Some(terms.retried(retry_at)));
            let next = NextOfChain { next, link: Link::Retry, due_at, terms };
            match next.begin(session, &run).await {
                Ok(successor) => Some(successor),
                Err(reason) => {
                    warn!(
                        %run_id, workflow_id, workflow, %reason,
                        "the timeout of a run is over, and this build cannot try it again"
                    );
                    return Ok(());
                }
            }
        }
        _ => None,
    };
    store.expire_run(ExpireRun { run_id, deadline_at, reason, successor }).await?;
    Ok(())
}

/// Asks for something about a run until the database answers.
pub(crate) async fn until_answered<T, A>(run_id: RunId, ask: impl Fn() -> A) -> T
where
    A: Future<Output = Result<T, StoreError>>,
{
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => {
                let error = with_causes(&error);
                warn!(%run_id, %error, "how a run closes could not be looked up yet");
            }
        }
        backoff.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{RetryPolicy, WorkflowRetry};

    fn terms(max_attempts: u32, execution_timeout: Option<u64>) -> Terms {
        let policy = RetryPolicy { max_attempts, jitter: 0.0, ..RetryPolicy::DEFAULT };
        let non_retryable = vec!["Declined".to_owned()];
        Terms {
            retry: Some(WorkflowRetry { policy, non_retryable }),
            execution_timeout: execution_timeout.map(Duration::from_secs),
            ..Terms::default()
        }
        .begin(Timestamp(0))
    }

    #[test]
    fn what_has_failed_is_tried_again_as_long_as_there_are_attempts_and_time() {
        let run_id = RunId::new();
        let at = |terms: &Terms, status| retry_at(terms, run_id, status, None, Timestamp(0));
        let two = terms(2, None);
        for status in [RunStatus::Failed, RunStatus::TimedOut] {
            assert_eq!(at(&two, status), Some(Timestamp(1_000_000)));
            assert_eq!(at(&two.clone().retried(Timestamp(0)), status), None);
        }
        for status in [RunStatus::Completed, RunStatus::Cancelled, RunStatus::Terminated] {
            assert_eq!(at(&two, status), None, "{status}");
        }
        // The second run would begin when the time is over.
        assert_eq!(at(&terms(0, Some(1)), RunStatus::Failed), None);
        assert!(at(&terms(0, Some(2)), RunStatus::Failed).is_some());
        assert_eq!(at(&Terms::default(), RunStatus::Failed), None);
    }

    #[test]
    fn an_error_of_a_kind_that_is_named_is_final() {
        #[derive(serde::Serialize, serde::Deserialize)]
        enum Payment {
            Declined,
            Busy { seconds: u8 },
        }
        let terms = terms(0, None);
        let at = |error: Payment| {
            let result = codec::to_payload(&Err::<(), _>(error)).expect("plain data");
            retry_at(&terms, RunId::new(), RunStatus::Failed, Some(&result), Timestamp(0))
        };
        assert_eq!(at(Payment::Declined), None);
        assert_eq!(at(Payment::Busy { seconds: 3 }), Some(Timestamp(1_000_000)));
    }
}
