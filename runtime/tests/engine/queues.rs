//! Activities on queues: where they run, the rows that they write, and crashes.

use std::time::Duration;

use piton::error::RunError;
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::{MemoryStore, ResumeOutcome};
use piton::worker::Queue;
use tokio::time::Instant;

use crate::activities::*;
use crate::rig::Rig;

#[activity(queue = "gpu", retry(initial = "1s", jitter = 0.0, max_attempts = 4))]
pub async fn train(cx: &ActivityContext, what: &str) -> Result<String, String> {
    perform::call(cx, what).await
}

#[activity(queue = "gpu")]
pub async fn square(number: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(number)).await;
    number * number
}

#[workflow]
pub async fn study(what: String) -> Result<String, String> {
    train(&what).await.map_err(|error| error.to_string())
}

#[workflow]
pub async fn squares(count: u64) -> u64 {
    join_all((0..count).map(square)).await.iter().sum()
}

#[workflow]
async fn one_after_the_other(count: u64) -> u64 {
    let mut sum = 0;
    for number in 0..count {
        sum += square(number).await;
    }
    sum
}

/// The call chooses the queue.
#[workflow]
async fn elsewhere(what: String, queue: String) -> Result<String, String> {
    perform(&what).queue(queue).await.map_err(|error| error.to_string())
}

#[workflow]
async fn race(cx: &Context, what: String) -> Result<String, String> {
    select! {
        trained = train(&what) => trained.map_err(|error| error.to_string()),
        _ = cx.sleep(seconds(5)) => Err("too slow".to_owned()),
    }
}

/// Requests and drops a call within one step.
#[workflow]
async fn fickle(cx: &Context) -> String {
    select! {
        _ = cx.sleep(Duration::ZERO) => "at once".to_owned(),
        trained = train("never") => trained.unwrap_or_default(),
    }
}

pub fn text(name: &str) -> String {
    name.to_owned()
}

/// A queue whose attempts are limited by the worker alone.
pub fn wide(name: &str) -> Queue {
    Queue::new(name).max_concurrent(usize::MAX)
}

impl Rig {
    /// A worker, as in another process, that serves a queue and no workflows.
    pub fn server(&self, queue: impl Into<Queue>) -> Worker {
        self.remote_worker().without_workflows().queue(queue)
    }
}

pub async fn is_empty(store: &MemoryStore) -> bool {
    // Long after every limit that the tests use.
    store.move_clock(1_000_000_000_000);
    let expired = store.expired_activities(100).await.unwrap();
    store.move_clock(-1_000_000_000_000);
    expired.is_empty() && store.activities() == 0
}

#[tokio::test(start_paused = true)]
async fn an_activity_on_a_queue_runs_in_a_worker_that_serves_it() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study(text("model"))).await.unwrap();
    // The activity waits: no worker serves the queue, and the run is parked.
    rig.until_parked(&run).await;
    assert_eq!(rig.lab.begun("model"), [0_u32; 0]);
    let server = rig.server("gpu").start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "model done");
    assert_eq!(rig.lab.begun("model"), [1]);
    assert!(is_empty(&rig.store).await);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_can_serve_its_own_runs_queues() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(one_after_the_other(10)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 285);
    // Notifications drive it, not polls; and a run that waits for a moment stays in memory.
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    let counts = rig.store.counts();
    assert_eq!((counts.step_updates, counts.activity_inserts, counts.arrivals), (11, 10, 10));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_no_worker_can_serve_is_refused() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    for (name, reason) in [
        (String::new(), "it is empty"),
        (text("g\0pu"), "NUL"),
        ("gpu".repeat(1_000), "it has 3000 bytes"),
    ] {
        let run = rig.client.start(elsewhere(text("model"), name.clone())).await.unwrap();
        let error = run.result().await.unwrap_err().to_string();
        assert!(error.contains("`perform` cannot be on the queue"), "{error}");
        assert!(error.contains(reason), "{error}");
        let refused = rig.client.queue(name).pause("maintenance").await.unwrap_err().to_string();
        assert!(refused.contains(reason) && refused.len() < 200, "{refused}");
    }
    assert_eq!(rig.client.queues().await.unwrap(), []);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_paused_queue_stands_still_until_it_is_resumed() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server("gpu").start().await.unwrap();
    let queue = rig.client.queue("gpu");
    queue.pause("maintenance").await.unwrap();
    let run = rig.client.start(study(text("model"))).await.unwrap();
    rig.until_parked(&run).await;
    // Polls find nothing either.
    tokio::time::advance(Duration::from_secs(600)).await;
    assert_eq!(rig.lab.begun("model"), [0_u32; 0]);
    let status = queue.status().await.unwrap();
    let reason = status.paused.as_ref().map(|paused| paused.reason.as_str());
    assert_eq!((status.waiting, status.under_way, reason), (1, 0, Some("maintenance")));
    let began = Instant::now();
    assert_eq!(queue.resume().await.unwrap(), ResumeOutcome::Resumed);
    assert_eq!(run.result().await.unwrap(), "model done");
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(rig.client.queues().await.unwrap(), []);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_can_be_sent_to_a_queue() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server("far").start().await.unwrap();
    let run = rig.client.start(elsewhere(text("it"), text("far"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "it done");
    assert_eq!(rig.store.counts().activity_inserts, 1);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fan_out_is_spread_and_costs_the_run_little() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let servers = [
        rig.server(Queue::new("gpu").max_concurrent(5)).start().await.unwrap(),
        rig.server(Queue::new("gpu").max_concurrent(5)).start().await.unwrap(),
    ];
    let run = rig.client.start(squares(200)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), (0..200).map(|n| n * n).sum::<u64>());
    let counts = rig.store.counts();
    assert_eq!((counts.activity_inserts, counts.arrivals), (200, 200));
    assert_eq!(counts.step_updates, 2, "the run stays in memory while results come in");
    owner.shutdown().await.unwrap();
    for server in servers {
        server.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_attempts_are_made_than_a_queue_may_have() {
    for (queue, all_take) in [
        (Queue::new("gpu"), 6.0..6.1),
        (Queue::new("gpu").max_concurrent(2), 3.0..3.1),
        (wide("gpu"), 1.0..1.1),
    ] {
        let rig = Rig::new();
        let owner = rig.worker().start().await.unwrap();
        let server = rig.server(queue.clone()).start().await.unwrap();
        let began = Instant::now();
        let run = rig.client.start(slow_ones(6)).await.unwrap();
        assert_eq!(run.result().await.unwrap(), 6);
        let seconds = began.elapsed().as_secs_f64();
        assert!(all_take.contains(&seconds), "six of a second each: {seconds}, {queue:?}");
        owner.shutdown().await.unwrap();
        server.shutdown().await.unwrap();
    }
}

#[workflow]
pub async fn slow_ones(count: u32) -> u32 {
    join_all((0..count).map(|_| slow(1_001).queue("gpu"))).await.len() as u32
}

#[tokio::test(start_paused = true)]
async fn a_queue_can_have_a_rate() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server(Queue::new("gpu").max_per_second(2.0)).start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(squares(10)).await.unwrap();
    run.result().await.unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!((3.9..4.2).contains(&seconds), "two at once, then two a second: {seconds}");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_tried_again_after_the_policy_s_waits() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 2);
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server("gpu").start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(study(text("flaky"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "flaky done");
    assert_eq!(rig.lab.begun("flaky"), [1, 2, 3]);
    let waited = began.elapsed().as_secs_f64();
    assert!((3.0..3.1).contains(&waited), "1 s and 2 s: {waited}");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_last_error_is_the_workflow_s() {
    let rig = Rig::new();
    rig.lab.fail("broken", 10);
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(study(text("broken"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Failed(text) if text == "broken failed"), "{error:?}");
    assert_eq!(rig.lab.begun("broken"), [1, 2, 3, 4]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_the_activity_and_nothing_else() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(study(text("panic"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the activity panicked: as asked");
    let run = rig.client.start(study(text("fine"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dead_worker_s_attempts_are_made_by_others() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let doomed = rig.server("gpu").start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    // As if the process had been killed: nothing is handed back.
    drop(doomed);
    let server = rig.server("gpu").start().await.unwrap();
    rig.until_begun("hang", &[1, 2]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attempts_cut_off_by_death_do_not_use_up_the_policy_s() {
    let rig = Rig::new();
    rig.lab.fail("hang", 3);
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    let doomed = rig.server("gpu").start().await.unwrap();
    rig.until_begun("hang", &[1, 2, 3, 4]).await;
    drop(doomed);
    let server = rig.server("gpu").start().await.unwrap();
    rig.until_begun("hang", &[1, 2, 3, 4, 5]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_activity_that_kills_its_worker_is_given_up() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    let lab = rig.lab.clone();
    for attempt in 1..=10 {
        let doomed = rig.server("gpu").start().await.unwrap();
        rig.until_true(|| lab.begun("hang").last() == Some(&attempt)).await;
        let workers = rig.store.list_workers().await.unwrap();
        let newest = workers.iter().map(|(lease, _)| lease.worker_id).max().unwrap();
        drop(doomed);
        rig.store.fence_workers(&[newest]).await.unwrap();
    }
    let server = rig.server("gpu").start().await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
    assert_eq!(rig.lab.begun("hang").len(), 10);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fenced_worker_drops_its_attempts_and_registers_anew() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    rig.until_parked(&run).await;
    let server = rig.server("gpu").start().await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let workers = rig.store.list_workers().await.unwrap();
    let newest = workers.iter().map(|(lease, _)| lease.worker_id).max().unwrap();
    rig.store.fence_workers(&[newest]).await.unwrap();
    // It learns of that, drops its work, and registers again.
    rig.until_begun("hang", &[1, 2]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shutdown_lets_attempts_end_and_reports_them() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server("gpu").start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let (stopped, ()) = tokio::join!(server.shutdown(), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        rig.lab.open_gate();
    });
    stopped.unwrap();
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1]);
    owner.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_loser_s_row_goes_and_its_attempt_is_dropped() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(race(text("hang"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "too slow");
    assert!(is_empty(&rig.store).await);
    assert_eq!(rig.lab.begun("hang"), [1]);
    let began = Instant::now();
    worker.shutdown().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "nothing is left to wait for");
}

#[tokio::test(start_paused = true)]
async fn an_activity_given_up_in_the_step_that_asks_for_it_is_never_written() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(fickle()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "at once");
    assert!(is_empty(&rig.store).await);
    assert_eq!(rig.lab.begun("never"), [0_u32; 0]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_takes_its_activities_along() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(study(text("waiting"))).await.unwrap();
    rig.until_parked(&run).await;
    run.cancel("enough").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(error, RunError::Cancelled { .. }), "{error:?}");
    assert!(is_empty(&rig.store).await);
    owner.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_terminated_run_takes_its_activities_along() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(study(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    assert!(run.terminate("enough").await.unwrap());
    assert!(is_empty(&rig.store).await);
    worker.shutdown().await.unwrap();
}

#[activity(delay = "10s")]
async fn remind(what: &str) -> String {
    format!("{what} again")
}

/// Delayed by the attribute, by the call, and on a queue.
#[workflow]
async fn reminders(cx: &Context) -> (String, u64, u64) {
    let began = cx.now();
    let said = remind("pay").await;
    let first = cx.now().saturating_since(began).as_secs();
    square(3).delay(minutes(2)).await;
    (said, first, cx.now().saturating_since(began).as_secs())
}

#[tokio::test(start_paused = true)]
async fn delayed_activities_are_attempted_when_they_are_due() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server("gpu").start().await.unwrap();
    let run = rig.client.start(reminders()).await.unwrap();
    while rig.client.queue("gpu").status().await.unwrap().delayed == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(run.result().await.unwrap(), ("pay again".to_owned(), 10, 130));
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_what_is_under_way() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let server = rig.server(Queue::new("gpu").max_concurrent(1)).start().await.unwrap();
    // Each takes as many milliseconds as its number says.
    let runs = [rig.client.start(one_square(20_000)), rig.client.start(one_square(1))];
    let [first, second] = runs.map(|run| async { run.await.unwrap() });
    let first = first.await;
    let gpu = rig.client.queue("gpu");
    while gpu.status().await.unwrap().under_way == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let second = second.await;
    rig.until_parked(&second).await;
    let began = Instant::now();
    let drained = gpu.drain("new cards").await.unwrap();
    assert!(drained.is_drained());
    assert_eq!((drained.waiting, drained.under_way), (1, 0));
    assert!(began.elapsed() > Duration::from_secs(15), "{:?}", began.elapsed());
    assert_eq!(first.result().await.unwrap(), 400_000_000);
    assert_eq!(gpu.resume().await.unwrap(), ResumeOutcome::Resumed);
    assert_eq!(second.result().await.unwrap(), 1);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[workflow]
async fn one_square(number: u64) -> u64 {
    square(number).await
}
