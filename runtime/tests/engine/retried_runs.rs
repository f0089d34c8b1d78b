//! Failed runs that return to the await at which they failed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use piton::error::{EditError, RunError, StoreError};
use piton::filter::{self, Filter};
use piton::model::{PromiseToken, RunStatus};

use piton::prelude::*;
use piton::store::memory::Hook;
use piton::worker::Queue;

use crate::activities::{once, perform};
use crate::rig::Rig;

#[workflow]
async fn purchase() -> Result<String, ActivityError<String>> {
    let paid = perform("pay").await?;
    let sent = perform("send").await?;
    Ok(format!("{paid}, {sent}"))
}

#[workflow]
async fn queued() -> Result<String, ActivityError<String>> {
    let sent = perform("send").queue("parcels").await?;
    Ok(sent)
}

#[workflow]
async fn parent(cx: &Context) -> Result<String, String> {
    let bought = cx.start_child(purchase()).id("child").await;
    bought.map_err(|error| error.to_string())
}

#[workflow]
async fn unrepeated() -> Result<String, ActivityError<String>> {
    once("pay").await
}

/// Fails over its promise, over an activity beside it, or over neither.
#[workflow]
async fn approved(cx: &Context) -> Result<String, String> {
    let approval: Promise<String, String> = cx.promise("approval");
    let (told, sent) = join!(approval, perform("send"));
    Ok(format!(
        "{}, {}",
        told.map_err(|error| error.to_string())?,
        sent.map_err(|error| error.to_string())?
    ))
}

#[workflow]
async fn fine() -> u32 {
    7
}

#[tokio::test(start_paused = true)]
async fn activities_before_the_failure_are_not_repeated() {
    let rig = Rig::new();
    rig.lab.fail("send", 5);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(purchase()).id("a").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    assert_eq!((rig.lab.begun("pay").len(), rig.lab.begun("send").len()), (1, 4));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(run.retry().by("ann").because("the carrier is back").await.unwrap());
    assert_eq!(run.result().await.unwrap(), "pay done, send done");
    // One more attempt fails, and the count starts over.
    assert_eq!((rig.lab.begun("pay").len(), rig.lab.begun("send").len()), (1, 6));
    let audit = rig.client.audit(run.run_id(), 10).await.unwrap();
    let [entry] = &audit[..] else { panic!("one entry, not {audit:?}") };
    assert_eq!((&*entry.entry.action, &*entry.entry.who), ("retry", "ann"));
    let error = run.retry().await.unwrap_err();
    assert!(matches!(error, EditError::Closed { status: RunStatus::Completed, .. }), "{error}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_on_a_queue_is_made_again_as_long_as_it_is_kept() {
    let rig = Rig::new();
    rig.lab.fail("send", 12);
    let worker = rig.worker().queue(Queue::new("parcels")).start().await.unwrap();
    let run = rig.client.start(queued()).await.unwrap();
    let parcels = rig.client.queue("parcels");
    for failures in [4, 8] {
        assert!(matches!(run.result().await, Err(RunError::Failed(_))));
        assert_eq!(rig.lab.begun("send").len(), failures);
        // One row, also after it has failed again.
        assert_eq!(parcels.failed(None, 9).await.unwrap().len(), 1);
        assert!(run.retry().await.unwrap());
    }
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    let failed: Vec<_> =
        parcels.failed(None, 9).await.unwrap().iter().map(|call| call.id).collect();
    assert_eq!(parcels.discard(&failed).await.unwrap(), 1);
    let error = run.retry().await.unwrap_err();
    assert!(matches!(&error, EditError::OnQueue { queue, .. } if queue == "parcels"), "{error}");
    assert_eq!(run.status().await.unwrap().status, RunStatus::Failed);

    let run = rig.client.start(queued()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "send done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_on_a_queue_that_is_made_again_ends_the_run() {
    let rig = Rig::new();
    rig.lab.fail("send", 4);
    let worker = rig.worker().queue(Queue::new("parcels")).start().await.unwrap();
    let run = rig.client.start(queued()).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    assert!(run.retry().await.unwrap());
    assert_eq!(run.result().await.unwrap(), "send done");
    assert_eq!(rig.client.queue("parcels").failed(None, 9).await.unwrap(), []);
    worker.shutdown().await.unwrap();
}

/// Somebody who puts the failed calls on their queue again just before a run is opened.
struct Rival(Client);

#[async_trait]
impl Hook for Rival {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "edit_run" {
            self.0.queue("parcels").redrive_all().await?;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_somebody_redrives_at_the_same_time_is_made_once() {
    let rig = Rig::new();
    rig.lab.fail("send", 4);
    let worker = rig.worker_of(&Client::new(rig.store.connect()));
    let worker = worker.queue(Queue::new("parcels")).start().await.unwrap();
    let run = rig.client.start(queued()).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    rig.store.set_hook(Arc::new(Rival(Client::new(rig.store.connect()))));
    let error = run.retry().await.unwrap_err();
    assert!(matches!(&error, EditError::OnQueue { queue, .. } if queue == "parcels"), "{error}");
    rig.until_true(|| rig.lab.begun("send").len() == 5).await;
    tokio::time::sleep(minutes(10)).await;
    assert_eq!(rig.lab.begun("send"), [1, 2, 3, 4, 5]);
    assert_eq!(run.status().await.unwrap().status, RunStatus::Failed);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_activity_that_is_made_once_is_made_again_only_where_that_is_allowed() {
    let rig = Rig::new();
    rig.lab.fail("pay", 1);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(unrepeated()).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    let error = run.retry().await.unwrap_err();
    assert!(
        matches!(&error, EditError::AtMostOnce { activity, .. } if activity == "once"),
        "{error}"
    );
    let all = filter::status().equals(RunStatus::Failed);
    let done = rig.client.retry_all(all).by("ann").because("the bank is back").await.unwrap();
    assert_eq!((done.matched, done.changed), (1, 0));
    assert_eq!(rig.lab.begun("pay").len(), 1);
    assert!(run.retry().repeat_at_most_once().await.unwrap());
    assert_eq!(run.result().await.unwrap(), "pay done");
    assert_eq!(rig.lab.begun("pay").len(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_promise_is_awaited_again_and_keeps_its_outcome() {
    let rig = Rig::new();
    rig.lab.fail("send", 4);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approved()).await.unwrap();
    rig.until_parked(&run).await;
    let token = PromiseToken::of_run("approved", run.run_id(), "approval");
    // The activity has failed by now, and the promise is completed last.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(rig.client.promise(&token).resolve(&"yes".to_owned()).await.unwrap().is_first());
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    assert!(run.retry().await.unwrap());
    assert_eq!(run.result().await.unwrap(), "yes, send done");

    let run = rig.client.start(approved()).await.unwrap();
    rig.until_parked(&run).await;
    let token = PromiseToken::of_run("approved", run.run_id(), "approval");
    assert!(rig.client.promise(&token).reject(&"no".to_owned()).await.unwrap().is_first());
    let reason = format!("{:?}", run.result().await.unwrap_err());
    assert!(reason.contains("no"), "{reason}");
    assert!(run.retry().await.unwrap());
    // The rejection is final.
    assert_eq!(format!("{:?}", run.result().await.unwrap_err()), reason);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_child_is_reported_again() {
    let rig = Rig::new();
    rig.lab.fail("send", 4);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(parent()).id("parent").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    // The child has failed as before.
    assert!(run.retry().await.unwrap());
    assert!(matches!(run.result().await, Err(RunError::Failed(_))));
    let child = rig.client.by_id("child");
    assert!(child.retry().await.unwrap());
    child.result().await.unwrap();
    assert!(run.retry().await.unwrap());
    assert_eq!(run.result().await.unwrap(), "pay done, send done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_workflow_id_is_taken_stays_over() {
    let rig = Rig::new();
    rig.lab.fail("pay", 4);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(purchase()).id("a").await.unwrap();
    assert!(run.result().await.is_err());
    let late = rig.client.start(purchase()).id("a").start_delay(Duration::from_secs(3600));
    let late = late.await.unwrap();
    let error = run.retry().await.unwrap_err();
    let expected = late.run_id();
    assert!(matches!(error, EditError::IdTaken { run_id } if run_id == expected), "{error}");
    assert_eq!(run.status().await.unwrap().status, RunStatus::Failed);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_runs_of_a_filter_try_again() {
    let rig = Rig::new();
    rig.lab.fail("pay", 8);
    let worker = rig.worker().start().await.unwrap();
    let mut failed = Vec::new();
    for _ in 0..2 {
        let run = rig.client.start(purchase()).await.unwrap();
        assert!(run.result().await.is_err());
        failed.push(run);
    }
    let well = rig.client.start(fine()).await.unwrap();
    well.result().await.unwrap();
    let filter: Filter = "started_at > now() - interval '1 day'".parse().unwrap();
    let done = rig.client.retry_all(filter).by("ann").because("the bank is back").await.unwrap();
    assert_eq!((done.matched, done.changed), (2, 2));
    for run in failed {
        run.result().await.unwrap();
    }
    worker.shutdown().await.unwrap();
}
