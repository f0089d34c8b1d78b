//! Compensations of runs that do not complete.

use piton::error::RunError;
use piton::machine::OnFailure;
use piton::model::BlockedReason;
use piton::prelude::*;

use crate::activities::{Lab, echo, perform};
use crate::rig::Rig;

/// Undoes something; fails as often as the lab says.
#[activity(retry(initial = "1s", jitter = 0.0, max_attempts = 3))]
async fn undo(cx: &ActivityContext, what: &str) -> Result<(), String> {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, what);
    if lab.is_to_fail(what) { Err(format!("{what} failed")) } else { Ok(()) }
}

/// Undoes something behind the gate.
#[activity]
async fn undo_slowly(cx: &ActivityContext, what: &str) {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, what);
    lab.pass_gate().await;
}

#[workflow]
async fn saga(cx: &Context, what: String) -> Result<String, ActivityError<String>> {
    cx.on_failure(undo("undo 1"));
    echo("done 1").await;
    cx.on_failure(undo("undo 2"));
    echo("done 2").await;
    let third = cx.on_failure(undo("undo 3"));
    echo("done 3").await;
    third.disarm(cx);
    perform(&what).await
}

#[workflow]
async fn slow_saga(cx: &Context) -> Result<(), String> {
    cx.on_failure(undo("undo 1"));
    cx.on_failure(undo_slowly("undo 2"));
    echo("done").await;
    Err("out of stock".to_owned())
}

#[workflow]
async fn sleeping(cx: &Context) -> Result<(), String> {
    cx.on_failure(undo("undo 1"));
    cx.sleep(hours(1)).await;
    Ok(())
}

/// Fails in its first step.
#[workflow]
async fn at_once(cx: &Context) -> Result<(), String> {
    cx.on_failure(undo("undo 1"));
    Err("at once".to_owned())
}

/// Fails by an activity, without returning an error.
#[workflow]
async fn uncaught(cx: &Context) {
    cx.on_failure(undo("undo 1"));
    crash().await;
}

#[activity(retry(max_attempts = 1))]
async fn crash() {
    panic!("as asked");
}

#[workflow]
async fn on_a_queue(cx: &Context) -> Result<(), String> {
    cx.on_failure(undo("undo 1").queue("refunds"));
    cx.sleep(minutes(1)).await;
    Err("too late".to_owned())
}

#[workflow]
async fn part(cx: &Context) -> OnFailure {
    let handle = cx.on_failure(undo("undo 1"));
    echo("done 1").await;
    handle
}

/// Holds the handle across awaits and passes it from one workflow to another.
#[workflow]
async fn whole(cx: &Context, disarms: bool) -> Result<(), String> {
    let handle = part().await;
    cx.sleep(minutes(1)).await;
    if disarms {
        handle.disarm(cx);
        handle.disarm(cx);
    }
    Err("too late".to_owned())
}

/// Panics after it has registered a compensation.
#[workflow(allow(shared_state))]
async fn panicking(cx: &Context) {
    cx.on_failure(undo("undo 1"));
    echo("done 1").await;
    panic!("a bug");
}

#[workflow(durability = "relaxed")]
async fn relaxed(cx: &Context) -> Result<(), String> {
    cx.on_failure(undo("undo 1"));
    cx.on_failure(undo("undo 2"));
    echo("done").await;
    Err("out of stock".to_owned())
}

#[tokio::test(start_paused = true)]
async fn they_are_carried_out_in_reverse_order_when_the_run_fails() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.lab.fail("work", 4);
    rig.lab.fail("undo 2", 2);
    let run = rig.client.start(saga("work".to_owned())).await.unwrap();
    rig.until_begun("undo 2", &[1]).await;
    assert!(rig.lab.begun("undo 1").is_empty(), "one after the other");
    assert!(run.status().await.unwrap().status.is_open(), "the run closes after them");
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Failed(_)), "{error}");
    assert_eq!(error.to_string(), "work failed");
    // Each with the retries of its call.
    assert_eq!(rig.lab.begun("undo 2"), [1, 2, 3]);
    assert_eq!((rig.lab.begun("undo 1"), rig.lab.begun("undo 3")), (vec![1], vec![]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_completes_undoes_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(saga("work".to_owned())).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "work done");
    assert_eq!((rig.lab.begun("undo 1"), rig.lab.begun("undo 2")), (vec![], vec![]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_executes_its_compensations() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let working = rig.client.start(saga("hang".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    working.cancel("enough").await.unwrap();
    let error = working.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "enough"), "{error}");
    assert_eq!((rig.lab.begun("undo 1"), rig.lab.begun("undo 2")), (vec![1], vec![1]));

    // This one is cancelled at an await that returns no error.
    let run = rig.client.start(sleeping()).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "enough"), "{error}");
    assert_eq!(rig.lab.begun("undo 1"), [1, 1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_for_good_fails_the_run_and_keeps_no_other_from_it() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.lab.fail("undo 2", 9);
    let run = rig.client.start(saga("hang".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.cancel("enough").await.unwrap();
    let closed = rig.until(&run, |record| !record.status.is_open()).await;
    assert_eq!(closed.status, RunStatus::Failed);
    assert_eq!(
        closed.failure.unwrap(),
        "cancelled: enough; the compensation `undo` failed: undo 2 failed"
    );
    assert_eq!((rig.lab.begun("undo 1"), rig.lab.begun("undo 2")), (vec![1], vec![1, 2, 3]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_can_fail_in_its_first_step_and_without_an_error_of_its_own() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(at_once()).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "at once");
    assert_eq!(rig.lab.begun("undo 1"), [1]);
    let run = rig.client.start(uncaught()).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(
        matches!(&error, RunError::Uncaught { reason } if reason.contains("as asked")),
        "{error}"
    );
    assert_eq!(rig.lab.begun("undo 1"), [1, 1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn compensations_continue_on_another_worker() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(slow_saga()).await.unwrap();
    rig.until_begun("undo 2", &[1]).await;
    // The remaining compensations and the reason are visible from outside.
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    let ending = shown.ending.unwrap();
    assert_eq!((ending.status, &*ending.failure), (RunStatus::Failed, "out of stock"));
    let noted: Vec<_> = shown.compensations.iter().map(|noted| &*noted.activity).collect();
    assert_eq!(noted, ["undo"]);
    assert_eq!(shown.position.unwrap().waits[0].name, "undo_slowly");
    worker.shutdown().await.unwrap();

    // A request to cancel arrives too late.
    run.cancel("enough").await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    rig.until_begun("undo 2", &[1, 2]).await;
    rig.lab.open_gate();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "out of stock");
    assert_eq!((rig.lab.begun("done"), rig.lab.begun("undo 1")), (vec![1], vec![1]));

    // A compensated run cannot be reopened.
    let reopened = rig.client.edit(run.run_id()).reopen().by("ann").because("a mistake").await;
    let refused = reopened.unwrap_err().to_string();
    assert!(refused.contains("start the workflow again"), "{refused}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn they_are_seen_before_they_are_carried_out() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(sleeping()).await.unwrap();
    rig.until_parked(&run).await;
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    assert!(shown.ending.is_none());
    let [noted] = &shown.compensations[..] else { panic!("{shown:?}") };
    assert_eq!(
        (&*noted.activity, noted.arguments.value.to_string()),
        ("undo", "[\"undo 1\"]".to_owned())
    );
    assert_eq!(shown.position.unwrap().waits.len(), 1, "the code waits for its timer");
    // A terminated run executes no compensations, and shows those that are left to do by hand.
    assert!(run.terminate("enough").await.unwrap());
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    assert_eq!(shown.compensations.len(), 1);
    assert!(rig.lab.begun("undo 1").is_empty());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn they_can_be_on_queues() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(on_a_queue()).await.unwrap();
    tokio::time::sleep(minutes(2)).await;
    assert!(run.status().await.unwrap().status.is_open());
    let desk = rig.remote_worker().queue(Queue::new("refunds")).start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "too late");
    assert_eq!(rig.lab.begun("undo 1"), [1]);
    desk.shutdown().await.unwrap();
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_handle_is_kept_and_disarms_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for (disarms, undone) in [(true, vec![]), (false, vec![1])] {
        let run = rig.client.start(whole(disarms)).await.unwrap();
        run.result().await.unwrap_err();
        assert_eq!(rig.lab.begun("undo 1"), undone);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_panic_blocks_the_run_and_undoes_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(panicking()).await.unwrap();
    let blocked = rig.until_blocked(&run).await;
    assert_eq!(blocked.blocked, Some(BlockedReason::Panicked("a bug".to_owned())));
    assert!(rig.lab.begun("undo 1").is_empty());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_relaxed_run_does_not_run_ahead_of_them() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(relaxed()).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "out of stock");
    assert_eq!((rig.lab.begun("undo 1"), rig.lab.begun("undo 2")), (vec![1], vec![1]));
    worker.shutdown().await.unwrap();
}
