//! Claims whose responses the worker does not get.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use piton::error::StoreError;
use piton::model::{Handle, Timestamp};
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::memory::{Hook, Late, Write};
use piton::store::{
    ActivityKey, ActivityLimits, ClaimActivities, ClaimRequest, CommitStep, Disposition, Effect,
    NewActivity, NewWorker,
};
use piton::worker::{Queue, RunningWorker};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::activities::{Approve, Lab};
use crate::faults::Failing;
use crate::queues::{slow_ones, study};
use crate::rig::{Rig, cut_off};
use crate::workflows::{chain, collect, work};

#[tokio::test(start_paused = true)]
async fn a_claim_whose_answer_was_lost_is_found_again() {
    let rig = Rig::new();
    let run = rig.client.start(chain(2)).await.unwrap();
    rig.store.set_hook(Failing::new("claim_runs", 1, true));
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1);
    worker.shutdown().await.unwrap();
}

/// At once, like runs, and not at the next poll.
#[tokio::test(start_paused = true)]
async fn an_attempt_whose_response_was_lost_begins_nevertheless() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let connection = rig.store.connect();
    let server = rig.worker_of(&Client::new(connection.clone())).without_workflows().queue("gpu");
    let server = server.poll_interval(hours(1)).start().await.unwrap();
    tokio::time::sleep(LONG).await;
    connection.set_hook(Failing::new("claim_activities", 1, true));
    let run = rig.client.start(study("model".to_owned())).await.unwrap();
    let soon = tokio::time::timeout(Duration::from_secs(5), run.result()).await;
    assert_eq!(soon.expect("it is looked for").unwrap(), "model done");
    assert_eq!(rig.lab.begun("model"), [1]);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

/// Makes the first claim of activities fail, and executes it a little later.
#[derive(Default)]
struct LateClaim(AtomicBool);

impl Hook for LateClaim {
    fn late(&self, operation: &'static str) -> Option<Late> {
        let is_first = operation == "claim_activities" && !self.0.swap(true, Ordering::SeqCst);
        is_first.then(|| Late {
            after: Duration::from_millis(80),
            error: cut_off(operation),
            hook: Arc::new(Self(AtomicBool::new(true))),
        })
    }
}

/// Another claim has used up the room in the meantime.
#[tokio::test(start_paused = true)]
async fn attempts_whose_answer_was_lost_keep_the_limits_of_their_queue() {
    for queue in [Queue::new("gpu").max_per_second(1.0), Queue::new("gpu").max_concurrent(1)] {
        let rig = Rig::new();
        let owner = rig.worker().start().await.unwrap();
        let run = rig.client.start(slow_ones(2)).await.unwrap();
        rig.until(&run, |record| record.step_no.0 > 0).await;
        let began = Instant::now();
        let connection = rig.store.connect();
        connection.set_hook(Arc::new(LateClaim::default()));
        let server = rig.worker_of(&Client::new(connection)).without_workflows().queue(queue);
        let server = server.poll_interval(Duration::from_millis(100)).start().await.unwrap();
        run.result().await.unwrap();
        let seconds = began.elapsed().as_secs_f64();
        assert!((2.0..2.3).contains(&seconds), "one each second: {seconds}");
        owner.shutdown().await.unwrap();
        server.shutdown().await.unwrap();
    }
}

/// Delays the first response that parks a run, and loses the second response that assigns something.
#[derive(Default)]
struct LateAndLost {
    given_up: AtomicU32,
    given: AtomicU32,
    is_lost: AtomicBool,
    answer: Notify,
}

#[async_trait::async_trait]
impl Hook for LateAndLost {
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        match operation {
            "commit_steps" | "finish_activities"
                if self.given_up.fetch_add(1, Ordering::SeqCst) == 0 =>
            {
                self.answer.notified().await;
            }
            "claim_runs" | "claim_activities" => {
                let is_second = self.given.load(Ordering::SeqCst) == 2;
                if is_second && !self.is_lost.swap(true, Ordering::SeqCst) {
                    return Err(cut_off(operation));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn wrote(&self, _: Timestamp, write: &Write<'_>) {
        if let Write::Claimed { again: false, .. } | Write::Attempted { again: false, .. } = write {
            self.given.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// A step is committed after all while the run has a new driver: the worker had dropped it because the database refused
/// its repetition.
#[tokio::test(start_paused = true)]
async fn a_run_whose_step_is_committed_late_continues_soon() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("hang".to_owned())).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let [(owner, _)] = rig.store.list_workers().await.unwrap()[..] else { panic!("there is one") };
    let snapshot = rig.store.snapshot(run.run_id()).expect("it is there");
    let as_it_is = Disposition::Keep { snapshot, state: "perform".into() };
    let expected = run.status().await.unwrap().step_no;
    let step = CommitStep::new(run.run_id(), expected, as_it_is);
    rig.store.commit_steps(owner, &[&step]).await.unwrap();
    rig.lab.open_gate();
    rig.lab.open_gate();
    let soon = tokio::time::timeout(Duration::from_secs(10), run.result()).await;
    assert_eq!(soon.expect("the worker finds that it owns it").unwrap(), "hang done");
    // The new driver cannot know of the running attempt.
    assert_eq!(rig.lab.begun("hang"), [1, 2]);
    worker.shutdown().await.unwrap();
}

/// Longer than the search for lost responses takes.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_lost_while_the_run_was_being_parked_is_found_again() {
    let rig = Rig::new();
    let (connection, faults) = (rig.store.connect(), Arc::new(LateAndLost::default()));
    connection.set_hook(faults.clone());
    let worker = rig.worker_of(&Client::new(connection)).start().await.unwrap();
    let run = rig.client.start(collect(1)).await.unwrap();
    rig.until_parked(&run).await;
    run.signal(Approve { by: "anybody".into() }).await.unwrap();
    rig.until_true(|| faults.is_lost.load(Ordering::SeqCst)).await;
    tokio::time::sleep(LONG).await;
    // Only now does the driver learn that the run is parked.
    faults.answer.notify_one();
    let result = tokio::time::timeout(LONG, run.result()).await;
    assert_eq!(result.expect("a worker continues the run").unwrap(), ["anybody"]);
    worker.shutdown().await.unwrap();
}

/// An activity on a queue that no build can read is released uncounted, to be offered again later.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_was_lost_while_it_was_being_put_back_is_found_again() {
    let rig = Rig::new();
    let owner = NewWorker { host: "none".to_owned(), pid: 0, lease: LONG * 60 };
    let owner = rig.store.register_worker(owner).await.unwrap();
    let run = rig.client.start(collect(1)).await.unwrap();
    let (run_id, workflows) = (run.run_id(), &["collect"]);
    let request = ClaimRequest { worker: owner, workflows, limit: 1, inbox_limit: 0 };
    let claimed = rig.store.claim_runs(request).await.unwrap().runs.pop().expect("it is due");
    let activity = NewActivity {
        due_at: None,
        priority: 0,
        partition: String::new(),
        handle: Handle(0),
        queue: "gpu".to_owned(),
        activity: "train".to_owned(),
        call: b"unreadable".to_vec(),
        limits: ActivityLimits::default(),
    };
    let as_it_was = Disposition::Keep { snapshot: claimed.snapshot, state: "start".into() };
    let step = CommitStep {
        effects: vec![Effect::Enqueue(activity)],
        ..CommitStep::new(run_id, claimed.step_no, as_it_was)
    };
    rig.store.commit_steps(owner, &[&step]).await.unwrap();

    let (connection, faults) = (rig.store.connect(), Arc::new(LateAndLost::default()));
    connection.set_hook(faults.clone());
    let worker = rig.worker_of(&Client::new(connection)).without_workflows().queue("gpu");
    // A released activity is offered again after a minute; an earlier sweep would find that it is no longer assigned.
    let worker = worker.poll_interval(seconds(80)).start().await.unwrap();
    rig.until_true(|| faults.is_lost.load(Ordering::SeqCst)).await;
    let key = ActivityKey { run_id, handle: Handle(0) };
    tokio::time::sleep(seconds(30)).await;
    let is_given = async || rig.store.find_activity(key).await.unwrap().unwrap().worker.is_some();
    assert!(is_given().await);
    faults.answer.notify_one();
    tokio::time::sleep(seconds(100)).await;
    assert!(!is_given().await, "it is put back once more");
    worker.shutdown().await.unwrap();
}

/// Delays the first call of one method and makes it fail; counts the calls of another.
struct Held {
    operation: &'static str,
    is_held: AtomicBool,
    opened: Notify,
    counted: &'static str,
    count: AtomicU32,
}

impl Held {
    fn new(operation: &'static str, counted: &'static str) -> Arc<Self> {
        let (is_held, opened, count) = (AtomicBool::new(false), Notify::new(), AtomicU32::new(0));
        Arc::new(Self { operation, is_held, opened, counted, count })
    }
}

#[async_trait::async_trait]
impl Hook for Held {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == self.counted {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
        if operation == self.operation && !self.is_held.swap(true, Ordering::SeqCst) {
            self.opened.notified().await;
            return Err(cut_off(operation));
        }
        Ok(())
    }
}

/// One fits an answer, and two do not.
const LONG_TEXT: usize = 3 << 20;

#[workflow]
async fn measure(text: String) -> usize {
    text.len()
}

/// In one review, although no response contains all of them: the next review may be a poll interval later.
#[tokio::test(start_paused = true)]
async fn runs_that_do_not_fit_one_answer_are_all_recovered_at_once() {
    const RUNS: usize = 4;
    let rig = Rig::new();
    let (connection, held) = (rig.store.connect(), Held::new("claim_runs", "recover_claims"));
    connection.set_hook(held.clone());
    let worker = rig.worker_of(&Client::new(connection)).poll_interval(hours(1));
    let worker = worker.lease(hours(1)).start().await.unwrap();
    rig.until_true(|| held.is_held.load(Ordering::SeqCst)).await;
    let [(owner, _)] = rig.store.list_workers().await.unwrap()[..] else { panic!("there is one") };
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(rig.client.start(measure("x".repeat(LONG_TEXT))).await.unwrap());
        // Like claims of the worker whose responses were lost.
        let workflows = &["measure"];
        let request = ClaimRequest { worker: owner, workflows, limit: 1, inbox_limit: 0 };
        assert_eq!(rig.store.claim_runs(request).await.unwrap().runs.len(), 1);
    }
    let before = held.count.load(Ordering::SeqCst);
    held.opened.notify_one();
    for run in runs {
        let soon = tokio::time::timeout(LONG, run.result()).await;
        assert_eq!(soon.expect("it is recovered").unwrap(), LONG_TEXT);
    }
    // One response for each run, and one that there are no more.
    assert_eq!(held.count.load(Ordering::SeqCst) - before, RUNS as u32 + 1);
    worker.shutdown().await.unwrap();
}

#[activity(queue = "gpu")]
async fn weigh(cx: &ActivityContext, text: &str) -> usize {
    cx.dependency::<Lab>().begin(cx, "weigh");
    text.len()
}

#[workflow]
async fn weigh_all(count: u64, length: usize) -> usize {
    join_all((0..count).map(|_| weigh(&"x".repeat(length)))).await.iter().sum()
}

/// Assigns attempts to a worker that serves the queue, without its knowledge; three of them do not fit in one response.
/// Returns the hook that hides them, and the run that waits for them.
async fn lose_long_calls(rig: &Rig) -> (RunningWorker, Arc<Held>, RunHandle<weigh_all>) {
    const CALLS: u64 = 3;
    let (connection, held) =
        (rig.store.connect(), Held::new("claim_activities", "review_activities"));
    connection.set_hook(held.clone());
    let server = rig.worker_of(&Client::new(connection)).without_workflows().queue("gpu");
    let server = server.poll_interval(hours(1)).lease(hours(1)).start().await.unwrap();
    rig.until_true(|| held.is_held.load(Ordering::SeqCst)).await;
    let [.., (worker, _)] = rig.store.list_workers().await.unwrap()[..] else {
        panic!("it is there")
    };
    let run = rig.client.start(weigh_all(CALLS, LONG_TEXT)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 > 0).await;
    for _ in 0..CALLS {
        let (queues, activities) = (&[("gpu", 1)], &[("weigh", 1)]);
        let request = ClaimActivities { worker, queues, activities, limit: 1 };
        assert_eq!(rig.store.claim_activities(request).await.unwrap().activities.len(), 1);
    }
    (server, held, run)
}

#[tokio::test(start_paused = true)]
async fn attempts_that_do_not_fit_one_answer_all_begin_at_once() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let (server, held, run) = lose_long_calls(&rig).await;
    held.opened.notify_one();
    let soon = tokio::time::timeout(LONG, run.result()).await;
    assert_eq!(soon.expect("they begin").unwrap(), 3 * LONG_TEXT);
    assert_eq!(rig.lab.begun("weigh"), [1; 3]);
    assert_eq!(held.count.load(Ordering::SeqCst), 3, "one answer for each");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

/// Uncounted, so that the next worker makes the first attempt.
#[tokio::test(start_paused = true)]
async fn attempts_that_do_not_fit_one_answer_are_all_handed_back() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let (server, held, run) = lose_long_calls(&rig).await;
    let (shutdown, ()) = tokio::join!(server.shutdown(), async { held.opened.notify_one() });
    shutdown.unwrap();
    assert!(rig.lab.begun("weigh").is_empty());
    let next = rig.server("gpu").start().await.unwrap();
    let soon = tokio::time::timeout(LONG, run.result()).await;
    assert_eq!(soon.expect("they begin").unwrap(), 3 * LONG_TEXT);
    assert_eq!(rig.lab.begun("weigh"), [1; 3]);
    owner.shutdown().await.unwrap();
    next.shutdown().await.unwrap();
}
