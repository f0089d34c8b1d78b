//! Requests to cancel as errors of awaits, and shields.

use std::time::Duration;

use piton::error::RunError;
use piton::machine::{Cancelled, WorkflowCall};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::activities::{Approve, echo, perform};
use crate::rig::Rig;

#[workflow]
async fn sleeper(cx: &Context) -> Result<(), Cancelled> {
    if let Err(cancelled) = cx.sleep(hours(5)).or_cancelled().await {
        echo("tidy").await;
        cx.sleep(hours(1)).await;
        echo("tidied").await;
        return Err(cancelled);
    }
    Ok(())
}

#[workflow]
async fn waiter(cx: &Context) -> String {
    match cx.signal::<Approve>().timeout(days(1)).or_cancelled().await {
        Ok(approve) => approve.map_or("nobody".to_owned(), |approve| approve.by),
        Err(cancelled) => cancelled.to_string(),
    }
}

#[workflow]
async fn ignores(cx: &Context) -> String {
    if cx.sleep(hours(5)).or_cancelled().await.is_ok() {
        return "slept".to_owned();
    }
    match cx.timeout(hours(1), cx.cancelled()).await {
        Ok(by) => by.reason,
        Err(_) => "was asked once".to_owned(),
    }
}

#[workflow]
async fn inner(cx: &Context) -> u32 {
    // In either order of polling: the other branch has partly continued when the request ends it.
    join!(
        async {
            echo("left").await;
            cx.sleep(hours(1)).await;
        },
        async {
            echo("right").await;
            cx.sleep(hours(1)).await;
        },
    );
    7
}

#[workflow]
async fn outer(cx: &Context) -> String {
    match inner().or_cancelled().await {
        Ok(number) => number.to_string(),
        Err(cancelled) => {
            cx.sleep(hours(1)).await;
            format!("caught {}", cancelled.reason)
        }
    }
}

#[workflow]
async fn list(cx: &Context) -> Vec<String> {
    let sleeps = [1, 2, 3].map(|hour| cx.sleep(hours(hour)).or_cancelled());
    let ended = join_all(sleeps).await;
    ended.into_iter().map(|end| end.map_or_else(|by| by.reason, |()| "slept".to_owned())).collect()
}

#[workflow]
async fn shielded(cx: &Context) -> Result<String, ActivityError<String>> {
    let booked = cx.shield(perform("hang")).await?;
    echo(&booked).await;
    perform("after").await
}

#[workflow]
async fn half_shielded(
    cx: &Context,
) -> (Result<String, ActivityError<String>>, Result<(), Cancelled>) {
    join!(cx.shield(perform("hang")), cx.sleep(hours(1)).or_cancelled())
}

#[workflow]
async fn shielded_sleep(cx: &Context) -> Result<(), Cancelled> {
    let (_, slept) = join!(cx.shield(cx.sleep(minutes(10))), cx.sleep(hours(10)).or_cancelled());
    slept
}

#[workflow]
async fn shielded_block(cx: &Context, by: String) -> Result<String, Cancelled> {
    let done = cx
        .shield(async {
            let first = perform("hang").await;
            cx.sleep(minutes(10)).await;
            format!("{by}: {} and {}", first.is_ok(), echo("second").await)
        })
        .await;
    echo(&done).await;
    cx.sleep(hours(1)).or_cancelled().await?;
    Ok(done)
}

#[workflow]
async fn shielded_branch(cx: &Context) -> Result<u32, Cancelled> {
    let (first, second) = join!(
        cx.shield(async {
            cx.sleep(minutes(10)).await;
            echo("first").await;
            1
        }),
        cx.sleep(hours(10)).or_cancelled(),
    );
    second.map(|()| first)
}

#[workflow]
async fn shield_that_loses(cx: &Context) -> Result<(), Cancelled> {
    select! {
        _ = cx.shield(perform("hang")) => {}
        _ = cx.sleep(minutes(5)) => {}
    }
    cx.sleep(hours(1)).or_cancelled().await
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
enum Trouble {
    #[error("the work was not done")]
    Work(#[from] ActivityError<String>),
    #[error("the cleaning up failed")]
    Tidying,
}

/// How it ends once it is cancelled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum End {
    Back,
    Other,
    Fine,
}

#[workflow]
async fn typed(end: End) -> Result<u32, Trouble> {
    match perform("hang").await {
        Ok(_) => Ok(1),
        Err(error) => {
            echo("tidy").await;
            match end {
                End::Back => Err(error.into()),
                End::Other => Err(Trouble::Tidying),
                End::Fine => Ok(2),
            }
        }
    }
}

#[workflow]
async fn general(end: End) -> piton::Result<u32> {
    match perform("hang").await {
        Ok(_) => Ok(1),
        Err(error) => match end {
            End::Back => {
                let error = piton::Error::from(error).context("working");
                echo("tidy").await;
                Err(error)
            }
            End::Other => bail!("the cleaning up failed"),
            End::Fine => Ok(2),
        },
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_sleeps_cleans_up_when_it_is_cancelled() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sleeper()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    rig.until_begun("tidy", &[1]).await;
    // The request is delivered once, so it does not interrupt the clean-up.
    run.cancel("I said enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "enough"), "{error}");
    assert_eq!((rig.lab.begun("tidy"), rig.lab.begun("tidied")), (vec![1], vec![1]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_second_request_is_consumed_while_the_run_is_parked_in_its_clean_up() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sleeper()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    rig.until(&run, |record| record.state == "sleep#2" && record.owner.is_none()).await;
    run.cancel("I said enough").await.unwrap();
    rig.until(&run, |record| record.owner.is_none() && record.due_at.is_some()).await;
    assert_eq!(run.status().await.unwrap().state, "sleep#2");
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run was cancelled: enough");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_the_code_has_ignored_is_over_and_further_ones_do_not_arrive() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(ignores()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 2 && record.owner.is_none()).await;
    run.cancel("I said enough").await.unwrap();
    assert_eq!(run.result().await.unwrap(), "was asked once");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn waits_of_every_kind_give_the_request_as_an_error() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let waiting = rig.client.start(waiter()).await.unwrap();
    let listed = rig.client.start(list()).await.unwrap();
    rig.until_parked(&waiting).await;
    rig.until_parked(&listed).await;
    waiting.cancel("enough").await.unwrap();
    assert_eq!(waiting.result().await.unwrap(), "cancelled: enough");
    assert_eq!(waiting.status().await.unwrap().status, RunStatus::Completed);
    // One of them has ended by then.
    tokio::time::sleep(minutes(90)).await;
    listed.cancel("enough").await.unwrap();
    assert_eq!(listed.result().await.unwrap(), ["slept", "enough", "enough"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_inline_workflow_is_cancelled_as_a_whole() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(outer()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    rig.until(&run, |record| record.state == "sleep" && record.owner.is_none()).await;
    // No operation of the call is left.
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    assert_eq!(shown.position.unwrap().waits.len(), 1);
    assert_eq!(run.result().await.unwrap(), "caught enough");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shielded_operation_ends_before_the_request_is_delivered() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shielded()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.cancel("enough").await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(
        rig.lab.begun("hang done").is_empty(),
        "the request has not ended the shielded operation"
    );
    rig.lab.open_gate();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    assert!(rig.lab.begun("after").is_empty());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shield_survives_the_worker() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(half_shielded()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    worker.shutdown().await.unwrap();
    run.cancel("enough").await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    rig.until_begun("hang", &[1, 2]).await;
    rig.lab.open_gate();
    let (booked, slept) = run.result().await.unwrap();
    assert_eq!(booked.unwrap(), "hang done");
    assert_eq!(slept.unwrap_err().reason, "enough", "what is beside it is ended then");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_wakes_the_run_when_a_shielded_timer_has_fired() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shielded_sleep()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    let closed = run.status().await.unwrap();
    let took = closed.closed_at.unwrap().saturating_since(closed.started_at);
    assert!(took >= minutes(10) && took < minutes(11), "{took:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shielded_block_runs_to_its_end() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shielded_block("ann".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.cancel("enough").await.unwrap();
    rig.lab.open_gate();
    rig.until(&run, |record| record.owner.is_none() && record.due_at.is_some()).await;
    assert!(rig.lab.begun("second").is_empty(), "it sleeps, and is not interrupted");
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    assert_eq!(rig.lab.begun("second"), [1]);
    let took = run.status().await.unwrap();
    let took = took.closed_at.unwrap().saturating_since(took.started_at);
    assert!(took >= minutes(10) && took < minutes(11), "{took:?}");

    let run = rig.client.start(shielded_branch()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    assert_eq!(rig.lab.begun("first"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_shield_delays_no_request() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shield_that_loses()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    rig.until(&run, |record| record.state == "sleep").await;
    run.cancel("enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
    worker.shutdown().await.unwrap();
}

async fn cancelled_end<W: piton::machine::Workflow>(
    call: WorkflowCall<W>,
) -> (RunStatus, Option<String>) {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(call).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.cancel("enough").await.unwrap();
    let closed = rig.until(&run, |record| !record.status.is_open()).await;
    worker.shutdown().await.unwrap();
    (closed.status, closed.failure)
}

/// Fails, with an error that has no sources, before the code can receive a request that arrives in the meantime.
#[workflow]
async fn fails_on_its_own(cx: &Context) -> Result<(), String> {
    cx.shield(perform("hang")).await.map_err(|error| error.to_string())?;
    Err("the disk is full".to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_before_it_receives_the_request_has_failed() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(fails_on_its_own()).id("once").await.unwrap();
    let policy = RetryPolicy { max_attempts: 2, ..RetryPolicy::DEFAULT };
    let retried = rig.client.start(fails_on_its_own()).id("twice").retry(policy).await.unwrap();
    rig.until_begun("hang", &[1, 1]).await;
    run.cancel("enough").await.unwrap();
    retried.cancel("enough").await.unwrap();
    rig.lab.open_gate();
    let closed = rig.until(&run, |record| !record.status.is_open()).await;
    assert_eq!(closed.failure.as_deref(), Some("the disk is full"));
    assert_eq!(closed.status, RunStatus::Failed);
    // The request is for the workflow id: the next attempt receives it.
    assert!(matches!(retried.result().await, Err(RunError::Cancelled { .. })));
    let chain = rig.client.chain("twice").await.unwrap();
    let statuses: Vec<_> = chain.iter().map(|run| run.status).collect();
    assert_eq!(statuses, [RunStatus::Failed, RunStatus::Cancelled]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_return_value_decides_how_a_cancelled_run_ends() {
    let cancelled = (RunStatus::Cancelled, Some("enough".to_owned()));
    let failed = (RunStatus::Failed, Some("the cleaning up failed".to_owned()));
    assert_eq!(cancelled_end(typed(End::Back)).await, cancelled);
    assert_eq!(cancelled_end(typed(End::Other)).await, failed);
    assert_eq!(cancelled_end(typed(End::Fine)).await, (RunStatus::Completed, None));
    assert_eq!(cancelled_end(general(End::Back)).await, cancelled);
    assert_eq!(cancelled_end(general(End::Other)).await, failed);
    assert_eq!(cancelled_end(general(End::Fine)).await, (RunStatus::Completed, None));
}
