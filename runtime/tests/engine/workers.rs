//! Several workers, and their shutdown.

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use piton::error::{StoreError, WorkerError};
use piton::filter::Filter;
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::memory::Hook;
use tokio::time::Instant;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{approval, chain, collect, fan_out, naps, risk, work};

fn text(name: &str) -> String {
    name.to_owned()
}

#[tokio::test(start_paused = true)]
async fn shutdown_hands_runs_back_at_once() {
    let rig = Rig::new();
    let first = rig.worker().start().await.unwrap();
    let run = rig.client.start(naps(100, 1_000)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 >= 3).await;
    let asked = Instant::now();
    first.shutdown().await.unwrap();
    assert!(asked.elapsed() < Duration::from_millis(10), "a timer keeps nobody from going");
    let record = run.status().await.unwrap();
    assert_eq!((record.status, record.owner), (RunStatus::Running, None));
    assert!(rig.store.list_workers().await.unwrap().is_empty());
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), 100);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shutdown_lets_activities_end_and_keeps_what_they_return() {
    let rig = Rig::new();
    let first = rig.worker().start().await.unwrap();
    let run = rig.client.start(fan_out(8)).await.unwrap();
    let other = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let (stopped, ()) = tokio::join!(first.shutdown(), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        rig.lab.open_gate();
    });
    stopped.unwrap();
    // The results of both are in the database; nothing new has begun.
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), 28);
    assert_eq!(other.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1]);
    second.shutdown().await.unwrap();
}

/// A notification goes to one of two workers in a process. It must be the one with room.
#[tokio::test(start_paused = true)]
async fn a_worker_without_room_leaves_the_news_to_others() {
    let rig = Rig::new();
    let full = rig.worker().max_runs(1).poll_interval(hours(1)).start().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let free = rig.worker().park_after(Duration::ZERO).poll_interval(hours(1));
    let free = free.start().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let busy = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let asked = Instant::now();
    let run = rig.client.start(naps(5, 1_000)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 5);
    assert!(asked.elapsed() < Duration::from_secs(6), "{:?}", asked.elapsed());
    rig.lab.open_gate();
    assert_eq!(busy.result().await.unwrap(), "hang done");
    full.shutdown().await.unwrap();
    free.shutdown().await.unwrap();
}

/// Although an attempt of another run delays the end of the worker.
#[tokio::test(start_paused = true)]
async fn shutdown_hands_runs_back_at_once_that_wait() {
    let rig = Rig::new();
    let first = rig.worker().shutdown_grace(Duration::from_secs(600)).start().await.unwrap();
    let waiting = rig.client.start(naps(5, 1_000)).await.unwrap();
    let busy = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let second = rig.remote_worker().start().await.unwrap();
    let shutdown = tokio::spawn(first.shutdown());
    let soon = tokio::time::timeout(Duration::from_secs(8), waiting.result()).await;
    assert_eq!(soon.expect("the other worker continues the run").unwrap(), 5);
    assert!(!shutdown.is_finished(), "the attempt is still under way");
    rig.lab.open_gate();
    shutdown.await.unwrap().unwrap();
    assert_eq!(busy.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1]);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shutdown_may_take_longer_than_the_lease() {
    let rig = Rig::new();
    let worker = rig.worker().lease(Duration::from_secs(1)).start().await.unwrap();
    let other = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let (stopped, ()) = tokio::join!(worker.shutdown(), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        rig.lab.open_gate();
    });
    stopped.unwrap();
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1], "nobody has taken the run away");
    other.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shutdown_does_not_wait_for_ever() {
    let rig = Rig::new();
    let grace = Duration::from_secs(3);
    let first = rig.worker().shutdown_grace(grace).start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let asked = Instant::now();
    first.shutdown().await.unwrap();
    assert!((3.0..3.1).contains(&asked.elapsed().as_secs_f64()));
    rig.lab.open_gate();
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "hang done");
    assert_eq!(rig.lab.begun("hang"), [1, 2], "the interrupted attempt is counted");
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dead_worker_s_runs_continue_after_lease_and_poll() {
    let rig = Rig::new();
    let dead = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(naps(100, 1_000)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 >= 3).await;
    let worker = rig.worker().start().await.unwrap();
    let died = Instant::now();
    drop(dead);
    let record = run.status().await.unwrap();
    let before = record.owner;
    rig.until(&run, |record| record.owner.is_some() && record.owner != before).await;
    assert!(died.elapsed() <= Duration::from_secs(15 + 2), "{:?}", died.elapsed());
    assert_eq!(run.result().await.unwrap(), 100);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fenced_worker_commits_nothing_and_registers_anew() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let (old, _) = rig.store.list_workers().await.unwrap()[0].clone();
    assert_eq!(rig.store.fence_workers(&[old.worker_id]).await.unwrap(), 1);
    // Its result arrives too late: another attempt is made under the new registration.
    rig.lab.open_gate();
    rig.until_begun("hang", &[1, 2]).await;
    let (new, _) = rig.store.list_workers().await.unwrap()[0].clone();
    assert_ne!(new.worker_id, old.worker_id);
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_is_taken_over_from_the_store_alone() {
    let rig = Rig::new();
    let first = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(collect(2)).await.unwrap();
    rig.until_parked(&run).await;
    run.signal(crate::activities::Approve { by: "one".into() }).await.unwrap();
    rig.until(&run, |record| record.step_no.0 == 2).await;
    first.shutdown().await.unwrap();
    let second = rig.remote_worker().start().await.unwrap();
    run.signal(crate::activities::Approve { by: "two".into() }).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["one", "two"]);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_holds_no_more_runs_than_it_may() {
    let rig = Rig::new();
    let worker = rig.worker().max_runs(3).start().await.unwrap();
    let began = Instant::now();
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(rig.client.start(naps(3, 5_000)).await.unwrap());
    }
    let all = Filter::all();
    loop {
        let records = rig.client.list_runs(&all).await.unwrap().runs;
        let held = records.iter().filter(|run| run.owner.is_some()).count();
        assert!(held <= 3, "{held} are held");
        // Sleeping runs make room for others, so that all sleep at the same time.
        assert!(began.elapsed() < Duration::from_secs(17), "{:?}", began.elapsed());
        if records.iter().all(|run| !run.status.is_open()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    worker.shutdown().await.unwrap();
}

/// Gets no notifications of other processes.
struct Deaf;

impl Hook for Deaf {
    fn news_delay(&self) -> Option<Duration> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn an_arrival_without_news_is_found_by_the_next_poll() {
    let rig = Rig::new();
    let connection = rig.store.connect();
    connection.set_hook(Arc::new(Deaf));
    let worker = rig.worker_of(&Client::new(connection)).start().await.unwrap();
    let run = rig.client.start(approval(50)).await.unwrap();
    // Its timer keeps it in memory.
    rig.until(&run, |record| record.owner.is_some() && record.step_no.0 > 0).await;
    let sent = Instant::now();
    run.signal(Approve { by: text("ada") }).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ada");
    assert!(sent.elapsed() < Duration::from_secs(5), "{:?}", sent.elapsed());
    worker.shutdown().await.unwrap();
}

/// Counts commits, and delays each.
#[derive(Default)]
struct Commits(AtomicUsize);

#[async_trait::async_trait]
impl Hook for Commits {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "commit_steps" {
            self.0.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}

/// The default maximum of runs in a worker.
#[tokio::test(start_paused = true)]
async fn a_shutdown_hands_ten_thousand_runs_back_in_a_few_commits() {
    const RUNS: usize = 10_000;
    let rig = Rig::new();
    // With one slot to spare: a worker without a free slot parks its waiting runs.
    let worker = rig.worker().max_runs(RUNS + 1).start().await.unwrap();
    let starts = (0..RUNS).map(|_| rig.client.start(naps(1, 50_000)).into_future());
    futures_util::future::try_join_all(starts).await.unwrap();
    let owned = async || {
        let runs = rig.client.list_runs(Filter::all()).limit(u32::MAX).await.unwrap().runs;
        runs.iter().filter(|run| run.owner.is_some()).count()
    };
    assert_eq!(owned().await, RUNS);
    let commits = Arc::new(Commits::default());
    rig.store.set_hook(commits.clone());
    let asked = Instant::now();
    worker.shutdown().await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert_eq!(owned().await, 0);
    let count = commits.0.load(Ordering::SeqCst);
    assert!(count <= RUNS / 500 + 5, "{count} commits");
}

#[tokio::test(start_paused = true)]
async fn two_workers_share_a_backlog() {
    let rig = Rig::new();
    let mut runs = Vec::new();
    for _ in 0..500 {
        runs.push(rig.client.start(chain(3)).await.unwrap());
    }
    let first = rig.remote_worker().max_runs(50).start().await.unwrap();
    let second = rig.remote_worker().max_runs(50).start().await.unwrap();
    for run in runs {
        assert_eq!(run.result().await.unwrap(), 3);
    }
    assert_eq!(rig.store.counts().step_updates, 500 * 4);
    first.shutdown().await.unwrap();
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_backlog_is_drained_at_the_worker_s_rate_and_in_order() {
    let rig = Rig::new();
    let mut runs = Vec::new();
    for number in 0..100 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        runs.push(rig.client.start(risk(number.to_string())).await.unwrap());
    }
    let began = Instant::now();
    let worker = rig.remote_worker().max_claim_rate(20).start().await.unwrap();
    let mut ended = Vec::new();
    for run in &runs {
        run.result().await.unwrap();
        ended.push(began.elapsed());
    }
    assert!(ended.is_sorted(), "the oldest come first");
    let took = began.elapsed().as_secs_f64();
    assert!((4.5..5.5).contains(&took), "100 runs at 20 a second took {took} s");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_ended_by_another_process_is_let_go_soon() {
    let rig = Rig::new();
    let elsewhere = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    assert!(run.terminate("enough").await.unwrap());
    // The sweep, which runs every two seconds, finds it at the latest.
    tokio::time::sleep(Duration::from_secs(3)).await;
    rig.lab.open_gate();
    let next = rig.client.start(work(text("hang"))).await.unwrap();
    assert_eq!(next.result().await.unwrap(), "hang done", "the gate was there for the next");
    elsewhere.shutdown().await.unwrap();
}

#[workflow]
async fn nap_and_tell(cx: &Context, id: u32) -> String {
    cx.sleep(seconds(100)).await;
    crate::activities::echo(&format!("nap {id}")).await
}

/// The timers fall due while no worker runs, and then for all workers at once.
#[tokio::test(start_paused = true)]
async fn a_timer_fires_once_however_many_workers_there_are() {
    let rig = Rig::new();
    let first = rig.remote_worker().park_after(Duration::ZERO).start().await.unwrap();
    let mut runs = Vec::new();
    for id in 0..50 {
        let run = rig.client.start(nap_and_tell(id)).await.unwrap();
        rig.until_parked(&run).await;
        runs.push(run);
    }
    first.shutdown().await.unwrap();
    tokio::time::sleep(Duration::from_secs(200)).await;
    let mut workers = Vec::new();
    for _ in 0..4 {
        workers.push(rig.remote_worker().start().await.unwrap());
    }
    for (id, run) in runs.into_iter().enumerate() {
        assert_eq!(run.result().await.unwrap(), format!("nap {id}"));
        assert_eq!(rig.lab.begun(&format!("nap {id}")), [1]);
    }
    for worker in workers {
        worker.shutdown().await.unwrap();
    }
}

/// Its timers would never fire, and nothing would report that.
#[tokio::test(start_paused = true)]
async fn a_worker_on_a_clock_that_is_paused_needs_a_store_that_follows_it() {
    let client = Client::connect("sqlite::memory:").await.unwrap();
    let error = Worker::new(&client).start().await.unwrap_err();
    assert!(matches!(error, WorkerError::PausedClock), "{error:?}");
    assert!(client.store().list_workers().await.unwrap().is_empty());
    tokio::time::resume();
    Worker::new(&client).start().await.unwrap().shutdown().await.unwrap();
}

/// Counts the calls of the store.
#[derive(Default)]
struct Calls(AtomicUsize);

#[async_trait::async_trait]
impl Hook for Calls {
    async fn before(&self, _: &'static str) -> Result<(), StoreError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// With a poll every two seconds, skipping a month would take minutes.
#[tokio::test(start_paused = true)]
async fn a_worker_on_a_paused_clock_stops_it_for_little_but_timers() {
    let rig = Rig::new();
    let calls = Arc::new(Calls::default());
    rig.store.set_hook(calls.clone());
    let worker = Worker::new(&rig.client).start().await.unwrap();
    let run = rig.client.start(naps(30, 86_400_000)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 30);
    let calls = calls.0.load(Ordering::Relaxed);
    assert!(calls < 200_000, "{calls}");
    worker.shutdown().await.unwrap();
}
