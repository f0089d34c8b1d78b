//! Heartbeats and cancellation, with and without queues.

use std::time::Duration;

use piton::prelude::*;
use piton::store::contract::*;
use tokio::time::{Instant, sleep};

use crate::activities::Lab;
use crate::rig::Rig;

/// Counts to `upto` in its last attempt, one per second, with heartbeats. Earlier attempts hang, fail, or send no
/// heartbeats.
#[activity(heartbeat = "3s", retry(initial = "1s", jitter = 0.0, max_attempts = 3))]
async fn count(cx: &ActivityContext, how: &str, upto: u32) -> Result<Vec<u32>, String> {
    cx.dependency::<Lab>().begin(cx, how);
    let mut counted: Vec<u32> = cx.last_heartbeat().unwrap_or_default();
    let from = counted.last().map_or(0, |last| last + 1);
    for number in from..upto {
        counted.push(number);
        cx.heartbeat(&counted).map_err(|error| error.to_string())?;
        sleep(Duration::from_secs(1)).await;
        if how == "falls silent" && number == 4 && cx.info().attempt < 3 {
            std::future::pending::<()>().await;
        }
        if how == "fails" && number == 4 {
            return Err("at four".into());
        }
    }
    Ok(counted)
}

#[workflow]
async fn counting(how: String, upto: u32) -> Result<Vec<u32>, String> {
    count(&how, upto).await.map_err(|error| error.to_string())
}

#[workflow]
async fn counting_far_away(how: String, upto: u32) -> Result<Vec<u32>, String> {
    count(&how, upto).queue("far").await.map_err(|error| error.to_string())
}

/// Sends several heartbeats at once and fails; the next attempt returns the details that it gets.
#[activity(heartbeat = "3s", retry(initial = "1s"))]
async fn stutter(cx: &ActivityContext) -> Result<Option<u32>, String> {
    if cx.info().attempt > 1 {
        return Ok(cx.last_heartbeat());
    }
    for number in 0..=7_u32 {
        cx.heartbeat(&number).map_err(|error| error.to_string())?;
    }
    Err("out of breath".to_owned())
}

#[workflow]
async fn stuttering() -> Result<(Option<u32>, Option<u32>), String> {
    let here = stutter().await.map_err(|error| error.to_string())?;
    let far_away = stutter().queue("far").await.map_err(|error| error.to_string())?;
    Ok((here, far_away))
}

/// Waits until it is cancelled, and returns `after` seconds later.
#[activity]
async fn listen(cx: &ActivityContext, after: u64) -> u64 {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, "listen");
    cx.cancelled().await;
    assert!(cx.is_cancelled());
    lab.begin(cx, "heard");
    sleep(Duration::from_secs(after)).await;
    lab.begin(cx, "tidied up");
    after
}

/// Checks regularly whether it is cancelled.
#[activity]
async fn poll(cx: &ActivityContext) -> u64 {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, "poll");
    while !cx.is_cancelled() {
        sleep(Duration::from_millis(100)).await;
    }
    lab.begin(cx, "seen");
    0
}

#[workflow]
async fn the_listener_loses(cx: &Context, after: u64, far: bool) -> String {
    let call = if far { listen(after).queue("far") } else { listen(after) };
    select! {
        _ = call => "ended".to_owned(),
        _ = cx.sleep(seconds(5)) => "gave up".to_owned(),
    }
}

#[workflow]
async fn the_poller_loses(cx: &Context, far: bool) -> String {
    let call = if far { poll().queue("far") } else { poll() };
    select! {
        _ = call => "ended".to_owned(),
        _ = cx.sleep(seconds(5)) => "gave up".to_owned(),
    }
}

/// Sends a heartbeat every so many milliseconds.
#[activity(heartbeat = "9s")]
async fn chat(cx: &ActivityContext, times: u32, every: u64) -> u32 {
    for said in 0..times {
        cx.heartbeat(&said).expect("a number");
        sleep(Duration::from_millis(every)).await;
    }
    times
}

#[workflow]
async fn chatting(times: u32, every: u64) -> u32 {
    chat(times, every).await
}

fn text(name: &str) -> String {
    name.to_owned()
}

fn upto(number: u32) -> Vec<u32> {
    (0..number).collect()
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_says_that_it_lives_may_take_long() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    for far in [false, true] {
        let result = match far {
            false => rig.client.start(counting(text("calm"), 20)).await.unwrap().result().await,
            true => {
                rig.client.start(counting_far_away(text("far"), 20)).await.unwrap().result().await
            }
        };
        assert_eq!(result.unwrap(), upto(20));
    }
    assert_eq!((rig.lab.begun("calm"), rig.lab.begun("far")), (vec![1], vec![1]));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_silent_attempt_is_retried_with_its_details() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(counting(text("falls silent"), 8)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), upto(8));
    assert_eq!(rig.lab.begun("falls silent"), [1, 2]);
    // 4 s, 3 s of silence, 1 s of waiting, 3 s more.
    let seconds = began.elapsed().as_secs_f64();
    assert!((11.0..11.1).contains(&seconds), "{seconds}");
    worker.shutdown().await.unwrap();
}

/// Details that were sent at least a third of the limit before the worker died are kept.
#[tokio::test(start_paused = true)]
async fn without_a_queue_another_worker_goes_on_nearly_where_it_was() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(counting(text("moves"), 8)).await.unwrap();
    let lab = rig.lab.clone();
    rig.until_true(|| lab.begun("moves") == [1]).await;
    sleep(Duration::from_millis(5_500)).await;
    // As if the process had been killed, in the middle of a second.
    drop(doomed);
    let began = Instant::now();
    let other = rig.remote_worker().start().await.unwrap();
    rig.until_true(|| lab.begun("moves") == [1, 2]).await;
    let taken_over_after = began.elapsed();
    assert_eq!(run.result().await.unwrap(), upto(8));
    // It had counted to 5, and 4 was on disk; the rest is counted again, one a second.
    let seconds = (began.elapsed() - taken_over_after).as_secs_f64();
    assert!((1.9..3.1).contains(&seconds), "{seconds}");
    other.shutdown().await.unwrap();
}

/// An attempt that ends within the limit causes no commit for heartbeats; a longer one causes one for each third of the
/// limit.
#[tokio::test(start_paused = true)]
async fn signs_of_life_are_not_written_more_often_than_promised() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(chatting(20, 100)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 20);
    let quick = run.status().await.unwrap().step_no.0;
    let run = rig.client.start(chatting(300, 100)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 300);
    // Ten heartbeats per second for 30 s, with a limit of 9 s.
    let long = run.status().await.unwrap().step_no.0;
    assert!((9..=10).contains(&(long - quick)), "{quick} and {long} commits");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn on_a_queue_another_worker_goes_on_where_it_was() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(counting_far_away(text("moves"), 8)).await.unwrap();
    let doomed = rig.remote_worker().without_workflows().queue("far").start().await.unwrap();
    rig.until_begun("moves", &[1]).await;
    sleep(Duration::from_millis(5_500)).await;
    // As if the process had been killed, in the middle of a second.
    drop(doomed);
    let began = Instant::now();
    let other = rig.remote_worker().without_workflows().queue("far").start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), upto(8));
    assert_eq!(rig.lab.begun("moves"), [1, 2]);
    // Waits until the heartbeat limit or the lease has expired; then it does not start over.
    assert!(began.elapsed() < Duration::from_secs(3 + 2 + 1 + 4), "{:?}", began.elapsed());
    owner.shutdown().await.unwrap();
    other.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_words_of_an_attempt_that_fails_are_known() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    let run = rig.client.start(stuttering()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (Some(7), Some(7)));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn details_outlive_a_failed_attempt_and_its_worker() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(counting(text("fails"), 8)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 1).await;
    sleep(Duration::from_millis(5_500)).await;
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), upto(8));
    assert_eq!(rig.lab.begun("fails")[0], 1);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn heartbeats_are_written_no_more_often_than_is_said() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    let before = rig.store.counts().transactions;
    let run = rig.client.start(counting_far_away(text("calm"), 30)).await.unwrap();
    run.result().await.unwrap();
    // 30 s with one heartbeat per second, each written at most once, and the writes of the run itself.
    let written = rig.store.counts().transactions - before;
    assert!(written <= 30 + 8, "{written}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_loser_that_listens_may_tidy_up() {
    for far in [false, true] {
        let rig = Rig::new();
        let worker = rig.worker().queue("far").start().await.unwrap();
        let run = rig.client.start(the_listener_loses(3, far)).await.unwrap();
        assert_eq!(run.result().await.unwrap(), "gave up");
        rig.until_begun("heard", &[1]).await;
        rig.until_begun("tidied up", &[1]).await;
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_loser_that_does_not_end_is_dropped() {
    for far in [false, true] {
        let rig = Rig::new();
        let worker = rig.worker().queue("far").start().await.unwrap();
        let run = rig.client.start(the_listener_loses(60, far)).await.unwrap();
        assert_eq!(run.result().await.unwrap(), "gave up");
        rig.until_begun("heard", &[1]).await;
        sleep(Duration::from_secs(120)).await;
        assert_eq!(rig.lab.begun("tidied up"), [0_u32; 0], "far: {far}");
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_loser_that_looks_sees_that_it_is_cancelled() {
    for far in [false, true] {
        let rig = Rig::new();
        let worker = rig.worker().queue("far").start().await.unwrap();
        let run = rig.client.start(the_poller_loses(far)).await.unwrap();
        assert_eq!(run.result().await.unwrap(), "gave up");
        rig.until_begun("seen", &[1]).await;
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn without_news_a_poll_tells_that_an_attempt_is_no_longer_wanted() {
    let rig = Rig::new();
    let worker = rig.worker().queue("far").start().await.unwrap();
    let run = rig.client.start(the_listener_loses(1, true)).await.unwrap();
    rig.until_begun("listen", &[1]).await;
    // Ends the attempt like another worker's sweep, without a notification.
    let (lease, _) = rig.store.list_workers().await.unwrap()[0].clone();
    let record = rig.store.find_activity(key(&run)).await.unwrap().unwrap();
    assert_eq!(record.worker, Some(lease));
    let end = piton::store::FinishActivity {
        key: key(&run),
        attempt: 1,
        reporter: piton::store::Reporter::Token,
        end: piton::store::ActivityEnd::Retry {
            retry_at: rig.store.now().await.unwrap() + hours(1),
            failure: "declined".into(),
            details: None,
        },
    };
    rig.store.finish_activities(vec![end]).await.unwrap();
    let asked = Instant::now();
    rig.until_begun("heard", &[1]).await;
    assert!(asked.elapsed() <= Duration::from_millis(2_100), "{:?}", asked.elapsed());
    worker.shutdown().await.unwrap();
}

fn key<W: piton::machine::Workflow>(run: &RunHandle<W>) -> piton::store::ActivityKey {
    piton::store::ActivityKey { run_id: run.run_id(), handle: piton::model::Handle(0) }
}

#[tokio::test]
async fn heartbeats_outside_of_an_engine_have_no_effect() {
    let info = piton::activities::ActivityInfo {
        run_id: piton::model::RunId::new(),
        workflow_id: "test".into(),
        handle: piton::model::Handle(0),
        name: "count",
        attempt: 1,
    };
    let mut dependencies = piton::activities::Dependencies::default();
    dependencies.insert(Lab::default());
    let cx = ActivityContext::new(info, std::sync::Arc::new(dependencies));
    assert!(!cx.is_cancelled());
    assert_eq!(cx.last_heartbeat::<u32>(), None);
    cx.heartbeat(&7).unwrap();
    assert_eq!(count::call(&cx, "unit test", 0).await, Ok(vec![]));
}
