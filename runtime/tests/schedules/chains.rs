//! The options of started runs, and chains: a chain is one run to its schedule.

use std::time::Duration;

use piton::client::Overlap;
use piton::error::ScheduleError;
use piton::filter::Filter;
use piton::model::{AttributeChanges, Memo, OnTimeout, RunStatus, WorkflowRetry};
use piton::prelude::*;
use piton::store::RunRecord;

use crate::{Rig, job, tens};

/// Takes five seconds, and fails unless it is the attempt of this number.
#[workflow]
async fn flaky(cx: &Context, good: u32) -> Result<u32, String> {
    cx.sleep(seconds(5)).await;
    if cx.attempt() == good { Ok(good) } else { Err(format!("attempt {}", cx.attempt())) }
}

/// Continues as new after ten seconds, this many times.
#[workflow]
async fn relay_race(cx: &Context, left: u32) -> u32 {
    cx.sleep(seconds(10)).await;
    if left > 0 {
        return cx.continue_as_new(relay_race(left - 1));
    }
    left
}

/// Retries after eight seconds.
fn eight_seconds(max_attempts: u32) -> RetryPolicy {
    let initial_interval = Duration::from_secs(8);
    RetryPolicy {
        initial_interval,
        backoff: 1.0,
        jitter: 0.0,
        max_attempts,
        ..RetryPolicy::DEFAULT
    }
}

/// Each run: the seconds of its nominal time and its start, and its status.
async fn lines(rig: &Rig) -> Vec<(i64, i64, RunStatus)> {
    let runs = rig.runs().await.into_iter();
    runs.map(|(nominal, started, status)| (nominal, started / 10, status)).collect()
}

#[tokio::test(start_paused = true)]
async fn attempts_are_one_run_until_the_last_is_over() {
    use RunStatus::{Completed, Failed};
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let create = schedule.create(tens(40), flaky(2)).retry(eight_seconds(0));
    create.pause_on_failure(true).await.unwrap();
    rig.pass(100).await;
    // From 10 to 15, and from 23 to 28.
    let expected = [(10, 10, Failed), (10, 15, Completed), (30, 30, Failed), (30, 35, Completed)];
    assert_eq!(lines(&rig).await, expected);
    let described = schedule.describe().await.unwrap();
    let counts = described.counts;
    assert_eq!((counts.started, counts.skipped, described.paused), (2, 2, false));
    // The last run of the chain has completed, and has the same information as the first.
    let runs = rig.client.list_runs(Filter::all()).limit(10).await.unwrap().runs;
    let completed = |run: &&RunRecord| run.status == Completed;
    let mut completed: Vec<&RunRecord> = runs.iter().filter(completed).collect();
    completed.sort_by_key(|run| run.closed_at);
    let before = schedule.before(completed[1].run_id).await.unwrap().unwrap();
    assert_eq!(before.last_completed.map(|run| run.run_id), Some(completed[0].run_id));
    assert!(before.last_failed.is_none());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_that_fails_pauses_the_schedule() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let create = schedule.create(tens(100), flaky(9)).retry(eight_seconds(2));
    create.pause_on_failure(true).await.unwrap();
    rig.pass(27).await;
    assert!(!schedule.describe().await.unwrap().paused);
    rig.pass(73).await;
    let described = schedule.describe().await.unwrap();
    assert!(described.paused, "{described:?}");
    let runs = rig.client.chain(format!("job-{}", crate::at(10)).as_str()).await.unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(described.note, format!("run {} has failed", runs[1].run_id));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_latest_run_of_a_chain_is_ended() {
    use RunStatus::{Cancelled, Failed, Terminated};
    for (overlap, ended) in
        [(Overlap::CancelOther, Cancelled), (Overlap::TerminateOther, Terminated)]
    {
        let rig = Rig::new();
        let worker = rig.worker().start().await.unwrap();
        let schedule = rig.client.schedule("job");
        let create = schedule.create(tens(20), flaky(9)).retry(eight_seconds(3));
        create.overlap(overlap).await.unwrap();
        // The second attempt waits when the next run is due.
        rig.pass(22).await;
        assert_eq!(
            lines(&rig).await,
            [(10, 10, Failed), (10, 15, ended), (20, 20, RunStatus::Running)],
            "{overlap:?}"
        );
        rig.pass(60).await;
        assert_eq!(lines(&rig).await.len(), 5, "{overlap:?}: three attempts of the second");
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_continues_as_new_is_open() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(tens(60), relay_race(3)).await.unwrap();
    rig.pass(120).await;
    let mut nominal = rig.nominal().await;
    nominal.dedup();
    assert_eq!(nominal, [10, 60]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_have_the_terms_and_labels_of_the_schedule() {
    use RunStatus::{Completed, TimedOut};
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(seconds(1)).start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let labels = AttributeChanges::new().with("customer", "c-17").with("region", "eu");
    let memo: Memo = [("why", "monthly")].into_iter().collect();
    let create = schedule.create(tens(20), job(7)).run_timeout(seconds(5));
    create.on_timeout(OnTimeout::Cancel).attributes(labels).memo(memo.clone()).await.unwrap();
    rig.pass(25).await;
    assert_eq!(lines(&rig).await, [(10, 10, TimedOut), (20, 20, RunStatus::Running)]);
    let described = schedule.describe().await.unwrap();
    assert_eq!(described.run_timeout, Some(seconds(5)));
    assert_eq!((described.on_timeout, described.memo), (OnTimeout::Cancel, memo.clone()));
    let filter: Filter = "customer = 'c-17' and region = 'eu'".parse().unwrap();
    let found = rig.client.list_runs(filter).await.unwrap().runs;
    assert_eq!((found.len(), &found[0].memo), (2, &memo));

    let policy = WorkflowRetry { policy: eight_seconds(2), non_retryable: vec!["late".to_owned()] };
    let update = schedule.update().spec(tens(40)).run_timeout(None);
    let update = update.retry(Some(policy.clone())).execution_timeout(Some(hours(1)));
    update.attributes(AttributeChanges::new().with("region", None::<&str>)).await.unwrap();
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.run_timeout, described.execution_timeout), (None, Some(hours(1))));
    assert_eq!((described.retry, described.on_timeout), (Some(policy), OnTimeout::Cancel));
    rig.pass(60).await;
    assert_eq!(
        lines(&rig).await,
        [(10, 10, TimedOut), (20, 20, TimedOut), (30, 30, Completed), (40, 40, Completed)]
    );
    let filter: Filter = "customer = 'c-17' and region = 'eu'".parse().unwrap();
    assert_eq!(rig.client.list_runs(filter).await.unwrap().runs.len(), 2);
    let deadline = rig.client.inspect(format!("job-{}", crate::at(40)).as_str()).await.unwrap();
    let terms = deadline.terms.unwrap();
    assert_eq!(terms.deadline_at, Some(crate::at(40 + 3_600)));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn labels_that_cannot_be_stored_are_refused() {
    let rig = Rig::new();
    let schedule = rig.client.schedule("job");
    let long: Memo = [("long", "x".repeat(20_000))].into_iter().collect();
    let error = schedule.create(tens(20), job(7)).memo(long).await.unwrap_err();
    assert!(matches!(error, ScheduleError::Memo { bytes: 20_000.. }), "{error}");
    let labels = AttributeChanges::new().with("workflow", "other");
    let error = schedule.create(tens(20), job(7)).attributes(labels).await.unwrap_err();
    assert!(matches!(error, ScheduleError::Attributes(_)), "{error}");
    schedule.create(tens(20), job(7)).await.unwrap();
    let labels = AttributeChanges::new().with("1st", "no name");
    let error = schedule.update().attributes(labels).await.unwrap_err();
    assert!(matches!(error, ScheduleError::Attributes(_)), "{error}");
}
