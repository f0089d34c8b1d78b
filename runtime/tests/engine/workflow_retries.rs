//! Retries of workflows.

use std::time::Duration;

use piton::error::{EditError, RunError};
use piton::model::Link;
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::activities::Lab;
use crate::rig::Rig;
use crate::workflows::long_wait;

#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
enum Refusal {
    #[error("busy")]
    Busy,
    #[error("declined: {code}")]
    Declined { code: u32 },
}

/// The number of calls with this name, including this one.
#[activity]
async fn calls(cx: &ActivityContext, name: &str) -> usize {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, name);
    lab.begun(name).len()
}

/// Works for a minute and fails, unless it is the attempt of this number.
#[workflow]
async fn stubborn(cx: &Context, refusal: Refusal, until: usize) -> Result<String, Refusal> {
    let id = cx.workflow_id().to_owned();
    let attempt = calls(&id).await;
    cx.sleep(minutes(1)).await;
    if attempt < until { Err(refusal) } else { Ok(format!("attempt {attempt}")) }
}

fn policy(max_attempts: u32) -> RetryPolicy {
    RetryPolicy { max_attempts, jitter: 0.0, ..RetryPolicy::DEFAULT }
}

async fn links(rig: &Rig, id: &str) -> Vec<(Option<Link>, RunStatus)> {
    let chain = rig.client.chain(id).await.unwrap();
    chain.iter().map(|run| (run.link, run.status)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_fails_is_tried_again_after_the_waits_of_its_policy() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    let start = rig.client.start(stubborn(Refusal::Busy, 3)).id("stubborn").retry(policy(5));
    assert_eq!(start.await.unwrap().result().await.unwrap(), "attempt 3");
    // Three minutes of work, and waits of 1 s and 2 s.
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(183) && took < Duration::from_secs(185), "{took:?}");
    let (retry, failed) = (Some(Link::Retry), RunStatus::Failed);
    let expected = [(None, failed), (retry, failed), (retry, RunStatus::Completed)];
    assert_eq!(links(&rig, "stubborn").await, expected);
    let json = rig.client.by_id("stubborn").result().await.unwrap();
    assert_eq!(json, "attempt 3");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempts_and_errors_that_are_not_tried_again_are_the_end() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(stubborn(Refusal::Busy, 9)).id("often").retry(policy(2));
    let error = start.await.unwrap().result().await.unwrap_err();
    assert!(matches!(error, RunError::Failed(Refusal::Busy)), "{error:?}");
    assert_eq!(links(&rig, "often").await.len(), 2);

    let declined = Refusal::Declined { code: 7 };
    // The order of the options does not matter.
    for is_first in [false, true] {
        let id = format!("once, {is_first}");
        let start = rig.client.start(stubborn(declined.clone(), 99)).id(&id);
        let start = match is_first {
            true => start.non_retryable("Declined").non_retryable("Gone").retry(policy(5)),
            false => start.retry(policy(5)).non_retryable("Gone").non_retryable("Declined"),
        };
        let error = start.await.unwrap().result().await.unwrap_err();
        assert!(matches!(error, RunError::Failed(error) if error == declined));
        assert_eq!(links(&rig, &id).await, [(None, RunStatus::Failed)]);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_times_out_is_tried_again_and_the_chain_has_a_limit() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for on_timeout in [OnTimeout::Terminate, OnTimeout::Cancel] {
        let start = rig.client.start(long_wait()).id("slow").retry(policy(0));
        let start = start.run_timeout(hours(1)).execution_timeout(minutes(150));
        let run = start.on_timeout(on_timeout).await.unwrap();
        let error = run.result().await.unwrap_err();
        assert!(matches!(error, RunError::TimedOut { .. }), "{error:?}");
        let (retry, over) = (Some(Link::Retry), RunStatus::TimedOut);
        assert_eq!(links(&rig, "slow").await, [(None, over), (retry, over), (retry, over)]);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn terminated_and_cancelled_runs_are_not_retried() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(long_wait()).id("ended").retry(policy(5)).await.unwrap();
    rig.until_parked(&run).await;
    run.terminate("enough").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Terminated { .. })));
    let run = rig.client.start(long_wait()).id("called off").retry(policy(5)).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Cancelled { .. })));
    for id in ["ended", "called off"] {
        assert_eq!(links(&rig, id).await.len(), 1);
    }
    worker.shutdown().await.unwrap();
}

/// Also on workers that have not seen the run before.
#[tokio::test(start_paused = true)]
async fn attempts_continue_on_other_workers() {
    let rig = Rig::new();
    let start = rig.client.start(stubborn(Refusal::Busy, 4)).id("handed on").retry(policy(0));
    let run = start.await.unwrap();
    for _ in 0..3 {
        let worker = rig.remote_worker().start().await.unwrap();
        tokio::time::sleep(Duration::from_secs(50)).await;
        worker.shutdown().await.unwrap();
    }
    let worker = rig.remote_worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "attempt 4");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_another_one_follows_cannot_be_opened_again() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(stubborn(Refusal::Busy, 2)).id("followed").retry(policy(5));
    start.await.unwrap().result().await.unwrap();
    let chain = rig.client.chain("followed").await.unwrap();
    let edit = rig.client.edit(chain[0].run_id).reopen().by("Ann").because("a try");
    let error = edit.await.unwrap_err();
    let expected = chain[1].run_id;
    assert!(matches!(error, EditError::Followed { next_run_id, .. } if next_run_id == expected));
    worker.shutdown().await.unwrap();
}
