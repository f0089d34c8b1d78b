//! Timeouts of runs and of chains.

use std::time::Duration;

use piton::error::RunError;
use piton::filter;
use piton::machine::Cancelled;
use piton::model::Link;
use piton::prelude::*;
use piton::store::RunRecord;
use tokio::time::{Instant, sleep};

use crate::activities::echo;
use crate::rig::Rig;
use crate::workflows::long_wait;

/// How late a timeout may be: a poll interval.
const LATE: Duration = Duration::from_secs(3);

#[workflow]
async fn tidy(cx: &Context, cleanup: Duration) -> Result<(), Cancelled> {
    if let Err(cancelled) = cx.sleep(hours(5)).or_cancelled().await {
        echo("tidy").await;
        cx.sleep(cleanup).await;
        echo("tidied").await;
        return Err(cancelled);
    }
    Ok(())
}

/// Continues as new every hour.
#[workflow]
async fn renew(cx: &Context, round: u32) -> u32 {
    cx.sleep(hours(1)).await;
    cx.continue_as_new(renew(round + 1))
}

fn is_timeout<T: std::fmt::Debug, E: std::fmt::Debug>(
    result: &Result<T, RunError<E>>,
    expected: &str,
) {
    let reason = match result {
        Err(RunError::TimedOut { reason }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason, expected);
}

async fn record<W: piton::machine::Workflow>(run: &RunHandle<W>) -> RunRecord {
    run.status().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_too_long_is_closed() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    let run = rig.client.start(long_wait()).run_timeout(minutes(10)).await.unwrap();
    is_timeout(&run.result().await, "its run timeout of 600s is over");
    assert!(begun.elapsed() >= minutes(10) && begun.elapsed() < minutes(10) + LATE);
    let record = record(&run).await;
    assert_eq!((record.status, record.owner), (RunStatus::TimedOut, None));
    let json = rig.client.by_id(run.run_id()).result().await;
    is_timeout(&json, "its run timeout of 600s is over");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_in_time_completes() {
    let rig = Rig::new();
    let worker = rig.patient_worker().start().await.unwrap();
    let start = rig.client.start(long_wait()).run_timeout(hours(6)).execution_timeout(days(1));
    let run = start.await.unwrap();
    assert_eq!(run.result().await.unwrap(), "woken");
    sleep(days(2)).await;
    assert_eq!(record(&run).await.status, RunStatus::Completed);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timeout_holds_while_no_worker_runs() {
    let rig = Rig::new();
    let run = rig.client.start(long_wait()).execution_timeout(hours(1)).await.unwrap();
    sleep(hours(3)).await;
    assert_eq!(record(&run).await.status, RunStatus::Running);
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    is_timeout(&run.result().await, "its execution timeout of 3600s is over");
    assert!(begun.elapsed() < LATE);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timeout_counts_from_when_the_run_is_due() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(long_wait()).start_delay(hours(2)).run_timeout(hours(6));
    assert_eq!(start.await.unwrap().result().await.unwrap(), "woken");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_may_clean_up_when_its_time_is_over() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(tidy(minutes(5)));
    let run = start.run_timeout(hours(1)).on_timeout(OnTimeout::Cancel).await.unwrap();
    is_timeout(&run.result().await, "its run timeout of 3600s is over");
    assert_eq!((rig.lab.begun("tidy").len(), rig.lab.begun("tidied").len()), (1, 1));
    assert_eq!(record(&run).await.status, RunStatus::TimedOut);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_time_for_clean_up_is_limited() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    let start = rig.client.start(tidy(hours(4))).run_timeout(hours(1));
    let start = start.on_timeout(OnTimeout::Cancel).cleanup_timeout(minutes(30));
    let run = start.await.unwrap();
    is_timeout(&run.result().await, "its run timeout of 3600s is over");
    assert!(begun.elapsed() < minutes(90) + 2 * LATE, "{:?}", begun.elapsed());
    assert_eq!((rig.lab.begun("tidy").len(), rig.lab.begun("tidied").len()), (1, 0));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_a_chain_goes_over_to_the_runs_that_follow() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(renew(0)).id("renewed");
    let run = start.run_timeout(minutes(90)).execution_timeout(minutes(210)).await.unwrap();
    is_timeout(&run.result().await, "its execution timeout of 12600s is over");
    let chain = rig.client.chain("renewed").await.unwrap();
    let links: Vec<_> = chain.iter().map(|run| (run.link, run.status)).collect();
    let (continued, over) = (Some(Link::Continued), RunStatus::ContinuedAsNew);
    assert_eq!(
        links,
        [(None, over), (continued, over), (continued, over), (continued, RunStatus::TimedOut)]
    );
    worker.shutdown().await.unwrap();
}

/// Continues as new this many times after a request to cancel.
#[workflow]
async fn hands_over(cx: &Context, times: u32) -> Result<(), Cancelled> {
    if let Err(cancelled) = cx.sleep(hours(5)).or_cancelled().await {
        if times > 0 {
            return cx.continue_as_new(hands_over(times - 1));
        }
        echo("handed over").await;
        return Err(cancelled);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn each_run_of_a_chain_is_requested_to_cancel_at_the_timeout() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(hands_over(1)).execution_timeout(minutes(10));
    let run = start.on_timeout(OnTimeout::Cancel).await.unwrap();
    is_timeout(&run.result().await, "its execution timeout of 600s is over");
    assert_eq!(rig.lab.begun("handed over"), [1]);

    // Its time to clean up ends, however often it continues as new.
    let begun = Instant::now();
    let start = rig.client.start(hands_over(u32::MAX)).execution_timeout(minutes(10));
    let start = start.on_timeout(OnTimeout::Cancel).cleanup_timeout(seconds(30));
    let run = start.await.unwrap();
    is_timeout(&run.result().await, "its execution timeout of 600s is over");
    assert!(begun.elapsed() < minutes(10) + seconds(60) + LATE, "{:?}", begun.elapsed());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_is_closed_by_a_worker_without_its_code() {
    let rig = Rig::new();
    let policy = RetryPolicy { max_attempts: 1, ..RetryPolicy::DEFAULT };
    let start = rig.client.start(long_wait()).run_timeout(minutes(10)).retry(policy);
    let run = start.await.unwrap();
    let worker = rig.worker().without_workflows().start().await.unwrap();
    is_timeout(&run.result().await, "its run timeout of 600s is over");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn however_many_runs_are_overdue_all_are_closed() {
    const RUNS: usize = 5_000;
    let rig = Rig::new();
    let mut last = None;
    for _ in 0..RUNS {
        last = Some(rig.client.start(long_wait()).run_timeout(hours(1)).await.unwrap());
    }
    sleep(hours(2)).await;
    let worker = rig.worker().without_workflows().start().await.unwrap();
    is_timeout(&last.unwrap().result().await, "its run timeout of 3600s is over");
    let count = rig.client.count(filter::status().equals(RunStatus::TimedOut)).await.unwrap();
    assert_eq!(count, RUNS as u64);
    worker.shutdown().await.unwrap();
}

/// A worker without the code of a workflow does not end runs that have successors.
#[tokio::test(start_paused = true)]
async fn overdue_runs_that_a_worker_must_leave_keep_no_other_open() {
    let rig = Rig::new();
    for _ in 0..2_500 {
        let start = rig.client.start(long_wait()).run_timeout(hours(1));
        start.retry(RetryPolicy::DEFAULT).await.unwrap();
    }
    let behind = rig.client.start(long_wait()).run_timeout(minutes(61)).await.unwrap();
    sleep(hours(2)).await;
    let worker = rig.worker().without_workflows().start().await.unwrap();
    is_timeout(&behind.result().await, "its run timeout of 3660s is over");
    worker.shutdown().await.unwrap();
}

/// The part of an outage that counts: a worker counts as present for some polls after its last sweep.
const UNNOTICED: Duration = Duration::from_secs(15);

#[tokio::test(start_paused = true)]
async fn a_timeout_may_not_count_time_without_a_worker() {
    let rig = Rig::new();
    let begun = Instant::now();
    let start = || rig.client.start(tidy(minutes(5))).run_timeout(hours(1));
    let attended = start().timeout_clock(TimeoutClock::Attended).await.unwrap();
    // At first there is no worker.
    sleep(hours(2)).await;
    let worker = rig.worker().start().await.unwrap();
    sleep(minutes(40)).await;
    let calendar = start().await.unwrap();
    worker.shutdown().await.unwrap();
    sleep(hours(3)).await;
    // A worker without the code does not count as attendance.
    let stranger = rig.worker().without_workflows().start().await.unwrap();
    sleep(minutes(1)).await;
    let open = rig.client.by_id(attended.run_id());
    assert_eq!(open.status().await.unwrap().status, RunStatus::Running);
    let inspected = open.inspect().await.unwrap().terms.unwrap();
    assert_eq!(inspected.timeout_clock, TimeoutClock::Attended);

    let worker = rig.worker().start().await.unwrap();
    is_timeout(&calendar.result().await, "its run timeout of 3600s is over");
    is_timeout(&attended.result().await, "its run timeout of 3600s is over");
    let expected = hours(2) + hours(3) + minutes(1) + hours(1);
    let took = begun.elapsed();
    assert!(took > expected - UNNOTICED && took < expected + LATE, "{took:?}");
    worker.shutdown().await.unwrap();
    stranger.shutdown().await.unwrap();
}

/// An outage makes each run of the chain late, but not the chain as a whole.
#[tokio::test(start_paused = true)]
async fn the_timeout_of_a_chain_that_goes_by_attendance_goes_over_as_it_is() {
    let rig = Rig::new();
    let start = rig.client.start(renew(0)).id("renewed").timeout_clock(TimeoutClock::Attended);
    let run = start.execution_timeout(minutes(150)).await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    sleep(minutes(30)).await;
    worker.shutdown().await.unwrap();
    sleep(hours(10)).await;
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    // It sleeps until full hours of the calendar, so the second run begins at once.
    is_timeout(&run.result().await, "its execution timeout of 9000s is over");
    let took = begun.elapsed();
    assert!(took > minutes(120) - UNNOTICED && took < minutes(120) + LATE, "{took:?}");
    assert_eq!(rig.client.chain("renewed").await.unwrap().len(), 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_a_child_may_not_count_time_without_a_worker() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(minds_a_child()).await.unwrap();
    sleep(minutes(30)).await;
    worker.shutdown().await.unwrap();
    sleep(hours(2)).await;
    let worker = rig.worker().start().await.unwrap();
    let begun = Instant::now();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("timed out"), "{error}");
    assert!(begun.elapsed() > minutes(30) - UNNOTICED, "{:?}", begun.elapsed());
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn minds_a_child(cx: &Context) -> Result<(), String> {
    let child = cx.start_child(tidy(seconds(1))).run_timeout(hours(1));
    let ended = child.timeout_clock(TimeoutClock::Attended).await;
    ended.map(drop).map_err(|error| error.to_string())
}
