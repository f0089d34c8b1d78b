//! Children with timeouts, retries, cron, attributes and a memo.

use piton::Result;
use piton::filter::Filter;
use piton::machine::ChildError;
use piton::model::{AttributeChanges, Link, Memo};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;
use crate::workflows::{long_wait, naps};

#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
enum Refusal {
    #[error("busy")]
    Busy,
    #[error("declined")]
    Declined,
}

/// Works for a minute and fails, unless it is the attempt of this number.
#[workflow]
async fn deliver_order(cx: &Context, refusal: Refusal, good: u32) -> Result<u32, Refusal> {
    cx.sleep(minutes(1)).await;
    if cx.attempt() == good { Ok(good) } else { Err(refusal) }
}

fn thrice() -> RetryPolicy {
    RetryPolicy { max_attempts: 3, jitter: 0.0, ..RetryPolicy::DEFAULT }
}

/// Counts the ends of its child that it receives.
#[workflow]
async fn order_delivery(cx: &Context, refusal: Refusal, good: u32) -> String {
    let child = cx.start_child(deliver_order(refusal, good)).id("delivery");
    let child = child.non_retryable("Declined").retry(thrice());
    let again = child.result();
    let (once, twice) = join!(child, again);
    format!("{once:?} and {twice:?}")
}

#[workflow]
async fn impatient_parent(cx: &Context, on_timeout: OnTimeout) -> String {
    let child = cx.start_child(long_wait()).id("slow").run_timeout(hours(1));
    let child = child.execution_timeout(minutes(150)).retry(thrice()).on_timeout(on_timeout);
    match child.cleanup_timeout(seconds(30)).await {
        Err(ChildError::TimedOut { reason }) => reason,
        other => format!("{other:?}"),
    }
}

#[workflow]
async fn hourly_child(cx: &Context) -> u32 {
    let child = cx.start_child(naps(1, 60_000)).id("nap").cron_after_cancel().cron("@hourly");
    child.execution_timeout(minutes(150)).await.unwrap_or_default()
}

#[workflow]
async fn label_child(cx: &Context, customer: String, note: String) -> Result<u32> {
    let labels = AttributeChanges::new().with("customer", customer).with("cents", 1_250);
    let memo: Memo = [("note", note)].into_iter().collect();
    let child = cx.start_child(naps(3, 1)).id("labelled-child");
    Ok(child.attributes(labels).memo(memo).await?)
}

#[workflow]
async fn misread_cron(cx: &Context) -> u32 {
    cx.start_child(naps(1, 1)).cron("at noon").await.unwrap_or_default()
}

#[workflow]
async fn overdue_cron(cx: &Context) -> u32 {
    cx.start_child(naps(1, 1)).cron("0 0 1 1 * 2020").await.unwrap_or_default()
}

#[workflow]
async fn prompt_child(cx: &Context) -> u32 {
    let child = cx.start_child(naps(1, 60_000)).id("prompt").cron("@hourly").cron_at_once();
    child.execution_timeout(minutes(150)).await.unwrap_or_default()
}

#[workflow]
async fn stand_by(cx: &Context) {
    cx.cancelled().await;
}

/// Lasts for three rounds: runs that continue as new, or attempts. Each starts a child that ends with it, and one that
/// stays.
#[workflow]
async fn three_rounds(cx: &Context, round: u32, by_retry: bool) -> Result<u32> {
    let this = if by_retry { cx.attempt() } else { round };
    let _ = cx.start_child(stand_by()).id(format!("helper-{this}")).ends_with_run();
    let _ = cx.start_child(stand_by()).id(format!("friend-{this}"));
    cx.sleep(minutes(1)).await;
    if this == 3 {
        return Ok(this);
    }
    if by_retry {
        return Err(piton::Error::msg("not yet"));
    }
    cx.continue_as_new(three_rounds(round + 1, by_retry))
}

async fn links(rig: &Rig, id: &str) -> Vec<(Option<Link>, RunStatus)> {
    let chain = rig.client.chain(id).await.unwrap();
    chain.iter().map(|run| (run.link, run.status)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_attempts_of_a_child_are_one_child() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(order_delivery(Refusal::Busy, 3)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "Ok(3) and Ok(3)");
    let (retry, failed) = (Some(Link::Retry), RunStatus::Failed);
    let expected = [(None, failed), (retry, failed), (retry, RunStatus::Completed)];
    assert_eq!(links(&rig, "delivery").await, expected);
    let children = rig.client.children(run.run_id(), 10).await.unwrap();
    assert_eq!(children.len(), 1);

    let run = rig.client.start(order_delivery(Refusal::Busy, 9)).await.unwrap();
    let busy = "Err(Failed(Busy))";
    assert_eq!(run.result().await.unwrap(), format!("{busy} and {busy}"));
    assert_eq!(links(&rig, "delivery").await.len(), 3);

    let run = rig.client.start(order_delivery(Refusal::Declined, 9)).await.unwrap();
    let declined = "Err(Failed(Declined))";
    assert_eq!(run.result().await.unwrap(), format!("{declined} and {declined}"));
    assert_eq!(links(&rig, "delivery").await, [(None, failed)]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_times_out_when_its_chain_does() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for on_timeout in [OnTimeout::Terminate, OnTimeout::Cancel] {
        let run = rig.client.start(impatient_parent(on_timeout)).await.unwrap();
        let reason = run.result().await.unwrap();
        assert!(reason.starts_with("its execution timeout of 9000s is over"), "{reason}");
        let (retry, over) = (Some(Link::Retry), RunStatus::TimedOut);
        assert_eq!(links(&rig, "slow").await, [(None, over), (retry, over), (retry, over)]);
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_that_cron_starts_again_is_over_with_its_chain() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let run = rig.client.start(hourly_child()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1);
    let (cron, completed) = (Some(Link::Cron), RunStatus::Completed);
    assert_eq!(links(&rig, "nap").await, [(None, completed), (cron, completed), (cron, completed)]);
    let ends = async |id: &str| {
        let chain = rig.client.chain(id).await.unwrap();
        let ends = chain.iter().filter_map(|run| run.closed_at);
        ends.map(|at| at.to_string()[..16].to_owned()).collect::<Vec<_>>()
    };
    let expected = ["2026-01-01T01:01", "2026-01-01T02:01", "2026-01-01T03:01"];
    assert_eq!(ends("nap").await, expected);
    // The parent's end is that of its child, an hour before the next time.
    let run = rig.client.start(prompt_child()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1);
    let expected = ["2026-01-01T03:02", "2026-01-01T04:01", "2026-01-01T05:01"];
    assert_eq!(ends("prompt").await, expected);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_has_labels_of_its_own() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let call = label_child("c-17".to_owned(), "fragile".to_owned());
    let start = rig.client.start(call).attributes(AttributeChanges::new().with("region", "eu"));
    assert_eq!(start.await.unwrap().result().await.unwrap(), 3);
    let filter: Filter = "customer = 'c-17' and cents > 1000".parse().unwrap();
    let found = rig.client.list_runs(filter).await.unwrap().runs;
    let ids: Vec<&str> = found.iter().map(|run| run.workflow_id.as_str()).collect();
    assert_eq!(ids, ["labelled-child"]);
    let memo: Memo = [("note", "fragile")].into_iter().collect();
    assert_eq!((&found[0].memo, found[0].attributes.get("region")), (&memo, None));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_parent_fails_whose_child_cannot_have_its_options() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(misread_cron()).await.unwrap();
    let error = format!("{:?}", run.result().await.unwrap_err());
    assert!(error.contains("the cron expression `at noon` cannot be used"), "{error}");
    let run = rig.client.start(overdue_cron()).await.unwrap();
    let error = format!("{:?}", run.result().await.unwrap_err());
    assert!(error.contains("it has no time after 2026-01-01T00:00:00"), "{error}");
    for (customer, note, expected) in [
        ("x".repeat(2_000), "", "the attribute `customer` has 2000 bytes"),
        ("c-1".to_owned(), "x", "the memo has"),
    ] {
        let run = rig.client.start(label_child(customer, note.repeat(20_000))).await.unwrap();
        let error = format!("{:?}", run.result().await.unwrap_err());
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(rig.client.list_runs(Filter::all()).await.unwrap().runs.len(), 4);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_ends_with_its_run_or_stays_with_the_chain() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for by_retry in [false, true] {
        let run = rig
            .client
            .start(three_rounds(1, by_retry))
            .retry(RetryPolicy { initial_interval: seconds(1), ..thrice() });
        let run = run.await.unwrap();
        let status = async |id: &str| rig.client.by_id(id).inspect().await.unwrap().status;
        tokio::time::sleep(seconds(90)).await;
        let (open, over) = (RunStatus::Running, RunStatus::Terminated);
        assert_eq!([status("helper-1").await, status("friend-1").await], [over, open]);
        assert_eq!([status("helper-2").await, status("friend-2").await], [open, open]);
        let kin = async |id: &str| rig.client.kin(id).await.unwrap();
        assert!(kin("helper-2").await.ends_with_run && !kin("friend-2").await.ends_with_run);
        assert_eq!(run.result().await.unwrap(), 3);
        for id in ["helper-1", "helper-2", "helper-3", "friend-1", "friend-2", "friend-3"] {
            rig.client.by_id(id).result().await.expect_err("it was terminated");
            assert_eq!(status(id).await, over);
        }
    }
    worker.shutdown().await.unwrap();
}
