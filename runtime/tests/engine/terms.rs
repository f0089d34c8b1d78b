//! Timeouts and retries of workflows, and the use of ids at a start.

use std::time::Duration;

use piton::error::{KeyError, RunError, StartError};
use piton::model::Link;
use piton::prelude::*;
use piton::store::RunKey;
use piton::store::contract::*;
use serde::{Deserialize, Serialize};

use crate::activities::{Approve, echo, once};
use crate::rig::Rig;
use crate::workflows::{approval, careful, collect, long_wait, work};

#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
enum PayError {
    #[error("the card was declined")]
    Declined,
    #[error("busy: {0}")]
    Busy(String),
}

/// Fails as often as the lab says, each time in a run of its own.
#[workflow]
async fn pay(card: String) -> Result<String, PayError> {
    if card == "stolen" {
        echo("stolen").await;
        return Err(PayError::Declined);
    }
    once(&card).await.map_err(|error| PayError::Busy(error.to_string()))
}

/// Does not end when it is asked to.
#[workflow]
async fn stubborn(cx: &Context) -> u32 {
    let mut requests = 0;
    loop {
        match cx.sleep(hours(5)).or_cancelled().await {
            Ok(()) => return requests,
            Err(_) => requests += 1,
        }
    }
}

/// Goes on as new until the count is down.
#[workflow]
async fn count_down(cx: &Context, count: u32) -> u32 {
    cx.sleep(seconds(10)).await;
    match count {
        0 => 0,
        count => cx.continue_as_new(count_down(count - 1)),
    }
}

fn policy(max_attempts: u32) -> RetryPolicy {
    RetryPolicy { max_attempts, jitter: 0.0, ..RetryPolicy::DEFAULT }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_closes_a_run_wherever_it_is() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let parked = rig.client.start(collect(1)).run_timeout(seconds(60)).await.unwrap();
    let working = rig.client.start(work("hang".to_owned())).execution_timeout(seconds(60));
    let working = working.await.unwrap();
    let blocked = rig.client.start(long_wait()).run_timeout(seconds(60)).await.unwrap();
    let unlimited = rig.client.start(collect(1)).await.unwrap();
    rig.until_parked(&parked).await;
    rig.until_begun("hang", &[1]).await;
    rig.until_parked(&blocked).await;
    rig.spoil(&blocked);
    tokio::time::sleep(Duration::from_secs(58)).await;
    assert!(parked.status().await.unwrap().status.is_open());
    tokio::time::sleep(Duration::from_secs(5)).await;
    for (status, reason) in [
        (parked.status().await.unwrap(), "its run timeout of 60s is over"),
        (working.status().await.unwrap(), "its execution timeout of 60s is over"),
        (blocked.status().await.unwrap(), "its run timeout of 60s is over"),
    ] {
        assert_eq!(status.status, RunStatus::TimedOut);
        assert_eq!(status.failure.as_deref(), Some(reason));
    }
    let error = working.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run has timed out: its execution timeout of 60s is over");
    assert!(unlimited.status().await.unwrap().status.is_open());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_deadline_goes_on_while_no_worker_runs() {
    let rig = Rig::new();
    let late = rig.client.start(approval(10)).run_timeout(seconds(60)).await.unwrap();
    let delayed = rig.client.start(approval(10)).start_delay(hours(2)).run_timeout(hours(1));
    let delayed = delayed.await.unwrap();
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let worker = rig.worker().start().await.unwrap();
    // Its code may get a step before the sweep, and none that is committed after it.
    rig.until(&late, |record| record.status == RunStatus::TimedOut).await;
    let record = delayed.status().await.unwrap();
    assert!(record.status.is_open(), "its time counts from when it is due: {record:?}");
    tokio::time::sleep(Duration::from_secs(2 * 3_600)).await;
    assert!(matches!(delayed.result().await, Err(RunError::Failed(_))));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_can_clean_up_when_its_time_is_over() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(careful()).run_timeout(seconds(5)).on_timeout(OnTimeout::Cancel);
    let run = run.await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::TimedOut { .. }), "{error}");
    assert_eq!(rig.lab.begun("undo"), [1]);

    let asked = rig.client.start(careful()).run_timeout(hours(5)).on_timeout(OnTimeout::Cancel);
    let asked = asked.await.unwrap();
    rig.until_begun("hang", &[1, 1]).await;
    asked.cancel("enough").await.unwrap();
    let error = asked.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "its time is not over: {error}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_time_to_clean_up_is_limited() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(stubborn()).run_timeout(seconds(60));
    let start = start.on_timeout(OnTimeout::Cancel).cleanup_timeout(seconds(30));
    let run = start.await.unwrap();
    tokio::time::sleep(Duration::from_secs(80)).await;
    assert!(run.status().await.unwrap().status.is_open());
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(run.status().await.unwrap().status, RunStatus::TimedOut);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_fails_is_retried_and_its_result_is_that_of_the_last_run() {
    let rig = Rig::new();
    rig.lab.fail("visa", 2);
    let worker = rig.worker().start().await.unwrap();
    let begun = tokio::time::Instant::now();
    let run = rig.client.start(pay("visa".to_owned())).id("payment").retry(policy(0));
    let run = run.await.unwrap();
    assert_eq!(run.result().await.unwrap(), "visa done");
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(3), "1 s, and then 2: {waited:?}");
    let first = run.result_of_this_run().await.unwrap_err();
    assert!(matches!(first, RunError::Failed(PayError::Busy(_))), "{first}");
    let by_id = rig.client.by_id(run.run_id()).result().await.unwrap();
    assert_eq!(by_id, "visa done");

    let mut at = run.run_id();
    for attempt in 2..=3 {
        let kin = rig.store.find_kin(at).await.unwrap().unwrap();
        at = kin.next_run_id.unwrap();
        let next = rig.store.find_kin(at).await.unwrap().unwrap();
        assert_eq!((next.first_run_id, next.link), (run.run_id(), Some(Link::Retry)));
        assert_eq!(rig.store.find_terms(at).await.unwrap().unwrap().attempt, attempt);
        let record = rig.store.find_run(&RunKey::RunId(at)).await.unwrap().unwrap();
        assert_eq!(record.workflow_id, "payment");
    }
    assert_eq!(rig.store.find_kin(at).await.unwrap().unwrap().next_run_id, None);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn retries_end_with_the_attempts_the_time_or_an_error_that_is_final() {
    let rig = Rig::new();
    rig.lab.fail("visa", 100);
    let worker = rig.worker().start().await.unwrap();
    let attempts = |card: &str| rig.lab.begun(card).len();

    let run = rig.client.start(pay("visa".to_owned())).retry(policy(3)).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(PayError::Busy(_)))));
    assert_eq!(attempts("visa"), 3);

    // After 0 s, 1 s and 3 s; the next would begin after 7 s.
    let run = rig.client.start(pay("visa".to_owned())).retry(policy(0));
    let run = run.execution_timeout(seconds(6)).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(PayError::Busy(_)))));
    assert_eq!(attempts("visa"), 6);

    let start = rig.client.start(pay("stolen".to_owned())).non_retryable(["Declined"]);
    let run = start.retry(policy(0)).await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Failed(PayError::Declined))));
    assert_eq!(attempts("stolen"), 1);

    let run = rig.client.start(work("hang".to_owned())).retry(policy(0)).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.cancel("enough").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::Cancelled { .. })));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_timeout_is_over_is_retried_until_that_of_the_chain_is() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(collect(1)).id("order").retry(policy(0));
    let run = start.run_timeout(seconds(60)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(70)).await;
    let next = rig.client.run::<collect>("order").await.unwrap();
    assert_ne!(next.run_id(), run.run_id());
    next.signal(Approve { by: "Ada".to_owned() }).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["Ada"]);

    let start = rig.client.start(collect(1)).retry(policy(0));
    let start = start.run_timeout(seconds(60)).execution_timeout(seconds(100));
    let run = start.await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run has timed out: its execution timeout of 100s is over");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_continues_as_new_keeps_its_terms() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(count_down(2));
    let run = start.run_timeout(seconds(15)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 0, "each run has its own time");
    let start = rig.client.start(count_down(9)).run_timeout(seconds(15));
    let run = start.execution_timeout(seconds(35)).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run has timed out: its execution timeout of 35s is over");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_workflow_id_is_used_again_as_the_start_says() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = |card: &str| rig.client.start(pay(card.to_owned())).id("payment");
    let failed = start("stolen").await.unwrap();
    assert!(failed.result().await.is_err());
    let refused = start("visa").id_reuse(IdReuse::Reject).await.unwrap_err();
    assert!(
        matches!(&refused, StartError::IdUsed { workflow_id, run_id }
            if workflow_id == "payment" && *run_id == failed.run_id()),
        "{refused}"
    );
    let again = start("visa").id_reuse(IdReuse::AfterFailure).await.unwrap();
    assert_eq!(again.result().await.unwrap(), "visa done");
    let refused = start("visa").id_reuse(IdReuse::AfterFailure).await.unwrap_err();
    assert!(matches!(refused, StartError::IdUsed { .. }), "{refused}");
    assert!(start("visa").await.is_ok(), "by default after any");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_open_run_can_make_room_for_another() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = || rig.client.start(work("hang".to_owned())).id("job");
    let first = start().await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let second = start().on_conflict(OnConflict::TerminateExisting).await.unwrap();
    assert_ne!(first.run_id(), second.run_id());
    let error = first.result().await.unwrap_err();
    assert!(matches!(error, RunError::Terminated { .. }), "{error}");
    rig.lab.open_gate();
    assert_eq!(second.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_repeated_gives_the_run_of_the_first() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = |request: &str| {
        rig.client.start(pay("visa".to_owned())).id("payment").request_id(request)
    };
    let (first, same) = tokio::join!(start("r-1"), start("r-1"));
    let (first, same) = (first.unwrap(), same.unwrap());
    assert_eq!(first.run_id(), same.run_id());
    assert_eq!(same.result().await.unwrap(), "visa done");
    let later = start("r-1").await.unwrap();
    assert_eq!(later.run_id(), first.run_id(), "also when that is closed");
    assert_eq!(later.result().await.unwrap(), "visa done");
    assert_eq!(rig.lab.begun("visa"), [1]);
    let other = start("r-2").await.unwrap();
    assert_ne!(other.run_id(), first.run_id());
    assert_eq!(other.result().await.unwrap(), "visa done");

    let without_id = || rig.client.start(pay("visa".to_owned())).request_id("r-1");
    let (one, two) = (without_id().await.unwrap(), without_id().await.unwrap());
    assert_eq!(one.run_id(), two.run_id());
    assert_ne!(one.run_id(), first.run_id());
    let empty = start("").await.unwrap_err();
    assert!(matches!(empty, StartError::RequestId(KeyError::Empty)), "{empty}");
    worker.shutdown().await.unwrap();
}
