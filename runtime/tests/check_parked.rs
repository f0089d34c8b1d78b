//! The checks before a deploy: arguments of calls that are under way and of runs that are still to begin, compensations,
//! generic workflows, and workflows that are gone.

#![allow(missing_docs, clippy::unwrap_used)]

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton::client::{LogKind, ParkedReport};
use piton::error::{StartError, StoreError};
use piton::lock::Lock;
use piton::machine::{Workflow, WorkflowEntry};
use piton::model::{BlockedReason, Message, RunId, RunStatus, UnfitStart};
use piton::prelude::*;
use piton::schedule::Spec;
use piton::store::contract::Messages;
use piton::store::memory::Hook;
use piton::store::{MemoryStore, RunRecord};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

/// The build is the same for all, so they take turns.
static TURN: Mutex<()> = Mutex::const_new(());

/// The largest weight that this build accepts.
static LARGEST: AtomicU64 = AtomicU64::new(u64::MAX);

/// A type that refuses in the new build what the old one has written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
struct Weight(u64);

impl TryFrom<u64> for Weight {
    type Error = String;

    fn try_from(grams: u64) -> Result<Self, String> {
        match LARGEST.load(Ordering::SeqCst) {
            0 => panic!("there is no limit"),
            largest if grams > largest => Err(format!("{grams} g are too heavy")),
            _ => Ok(Self(grams)),
        }
    }
}

impl From<Weight> for u64 {
    fn from(Weight(grams): Weight) -> Self {
        grams
    }
}

/// Never returns.
#[activity]
async fn carry(weight: Weight) -> u64 {
    pending::<()>().await;
    weight.0
}

/// Never returns, on a queue.
#[activity(queue = "lorries")]
async fn load(weight: Weight) -> u64 {
    pending::<()>().await;
    weight.0
}

#[workflow]
async fn ships(grams: u64) -> u64 {
    load(Weight(grams)).await
}

/// Never returns, on a queue, under a key.
#[activity(queue = "lorries", key = "{label}")]
async fn stow(label: String, weight: Weight) -> u64 {
    pending::<()>().await;
    label.len() as u64 + weight.0
}

#[workflow]
async fn packs(label: String, grams: u64) -> u64 {
    stow(label, Weight(grams)).await
}

#[workflow]
async fn delivers(grams: u64) -> u64 {
    carry(Weight(grams)).await
}

/// Keeps nothing of the type.
#[workflow]
async fn hauls(cx: &Context, weight: Weight) -> Result<u64, String> {
    let grams = weight.0;
    cx.sleep(minutes(10)).await;
    Err(format!("{grams} g are lost"))
}

/// Starts a child, whose result it does not await for a while.
#[workflow]
async fn orders(cx: &Context, grams: u64) -> String {
    let child = cx.start_child(hauls(Weight(grams)));
    cx.sleep(days(1)).await;
    format!("{:?}", child.await)
}

/// A store that delivers no messages.
#[derive(Debug)]
struct NoRelay;

#[async_trait::async_trait]
impl Hook for NoRelay {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        match operation {
            "relay_messages" => {
                let source = std::io::Error::from(std::io::ErrorKind::ConnectionReset).into();
                Err(StoreError::Database { operation, retryable: true, source })
            }
            _ => Ok(()),
        }
    }

    async fn after(&self, _: &'static str) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The workflows above. Those below are of other builds.
fn workflows() -> Vec<&'static WorkflowEntry> {
    vec![delivers::entry(), ships::entry(), packs::entry(), hauls::entry(), orders::entry()]
}

fn worker_of(client: &Client) -> Worker {
    Worker::new(client).serving(workflows(), activities())
}

/// Checks the runs with a build that accepts this weight.
async fn checked(client: &Client, largest: u64) -> ParkedReport {
    LARGEST.store(largest, Ordering::SeqCst);
    client.check_parked(workflows()).await.unwrap()
}

/// The reason for which one run, this one, does not fit, and whether it is certain.
fn unfit(report: &ParkedReport, run_id: RunId) -> (String, bool) {
    let [unfit] = &report.unfit[..] else { panic!("one run does not fit: {report:?}") };
    assert_eq!((unfit.runs, unfit.example), (1, run_id));
    (unfit.reason.to_string(), unfit.is_certain)
}

async fn until(client: &Client, run_id: RunId, is_it: impl Fn(&RunRecord) -> bool) -> RunRecord {
    loop {
        if let Some(run) = client.find(run_id).await.unwrap().filter(|run| is_it(run)) {
            return run;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_not_begun_is_judged_by_its_arguments() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    LARGEST.store(7, Ordering::SeqCst);
    client.start(hauls(Weight(2))).await.unwrap();
    let heavy = client.start(hauls(Weight(7))).start_delay(minutes(1)).await.unwrap().run_id();

    assert!(checked(&client, 7).await.is_ok());
    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, heavy);
    assert!(reason.contains("in the argument `weight`: 7 g are too heavy"), "{reason}");
    assert!(is_certain && !report.is_ok() && report.runs == 2);

    // The worker blocks the run for the same reason.
    let worker = worker_of(&client).start().await.unwrap();
    let run = until(&client, heavy, |run| run.status == RunStatus::Blocked).await;
    let blocked = run.blocked.unwrap();
    assert!(blocked.is_of_the_build(), "{blocked:?}");
    assert!(blocked.to_string().contains("7 g are too heavy"), "{blocked}");
    worker.shutdown().await.unwrap();
    LARGEST.store(7, Ordering::SeqCst);
    let worker = worker_of(&client).start().await.unwrap();
    until(&client, heavy, |run| run.status == RunStatus::Failed).await;
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_still_to_be_started_is_judged_by_its_arguments() {
    let _turn = TURN.lock().await;
    let store = MemoryStore::new();
    let client = Client::new(store.clone());
    LARGEST.store(7, Ordering::SeqCst);
    let connection = store.connect();
    connection.set_hook(Arc::new(NoRelay));
    let worker = worker_of(&Client::new(connection)).start().await.unwrap();
    let parent = client.start(orders(7)).await.unwrap().run_id();
    until(&client, parent, |run| run.state == "sleep").await;
    worker.shutdown().await.unwrap();
    let [waiting] = &store.list_outbox(None, 10).await.unwrap()[..] else { panic!("one waits") };
    let Some(Message::Start(child)) = &waiting.body else { panic!("{waiting:?}") };

    let report = checked(&client, 7).await;
    assert!(report.is_ok() && report.runs == 2, "{report:?}");
    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, child.run_id);
    assert_eq!(report.unfit[0].workflow, "hauls");
    assert!(reason.contains("in the argument `weight`: 7 g are too heavy"), "{reason}");
    assert!(is_certain && !report.is_ok() && report.runs == 2);
    let mut lock = Lock::default();
    lock.record([hauls::entry(), orders::entry()]);
    let report = client.check_parked_by(&lock).await.unwrap();
    assert!(report.is_ok() && report.runs == 2, "{report:?}");

    // Once it is started, it counts as a run.
    let worker = worker_of(&client).start().await.unwrap();
    until(&client, child.run_id, |run| run.status == RunStatus::Blocked).await;
    worker.shutdown().await.unwrap();
    let report = checked(&client, 6).await;
    assert_eq!((unfit(&report, child.run_id), report.runs), ((reason, true), 2));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_followed_by_another_one_is_judged_by_the_arguments_of_both() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    LARGEST.store(7, Ordering::SeqCst);
    let worker = worker_of(&client).start().await.unwrap();
    client.start(hauls(Weight(7))).await.unwrap();
    let retried =
        client.start(hauls(Weight(7))).retry(RetryPolicy::DEFAULT).await.unwrap().run_id();
    until(&client, retried, |run| run.state == "sleep").await;
    worker.shutdown().await.unwrap();

    assert!(checked(&client, 7).await.is_ok());
    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, retried);
    assert!(reason.contains("the next run of its chain cannot be started"), "{reason}");
    assert!(reason.contains("7 g are too heavy"), "{reason}");
    assert!(!is_certain && report.is_ok(), "the run may end well");

    // It does not, and another build takes it from there.
    let worker = worker_of(&client).start().await.unwrap();
    let run = until(&client, retried, |run| run.status == RunStatus::Blocked).await;
    assert_eq!(run.blocked.unwrap().to_string(), reason);
    worker.shutdown().await.unwrap();
    LARGEST.store(7, Ordering::SeqCst);
    let worker = worker_of(&client).start().await.unwrap();
    until(&client, retried, |run| run.status == RunStatus::Failed).await;
    let kin = client.kin(retried).await.unwrap();
    assert!(kin.next_run_id.is_some(), "{kin:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_next_run_of_a_cron_expression_is_certain_to_come() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    LARGEST.store(7, Ordering::SeqCst);
    let worker = worker_of(&client).start().await.unwrap();
    let daily =
        client.start(hauls(Weight(7))).cron("@daily").cron_at_once().await.unwrap().run_id();
    until(&client, daily, |run| run.state == "sleep").await;
    worker.shutdown().await.unwrap();
    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, daily);
    assert!(reason.contains("the next run of its chain"), "{reason}");
    assert!(is_certain && !report.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_schedule_is_judged_by_its_arguments() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    LARGEST.store(7, Ordering::SeqCst);
    let spec = || Spec::new().cron("@daily");
    for (id, grams) in [("light", 2), ("heavy", 7)] {
        client.schedule(id).create(spec(), hauls(Weight(grams))).await.unwrap();
    }
    let report = checked(&client, 7).await;
    assert!(report.is_ok() && report.schedules == 2 && report.unfit_schedules.is_empty());

    let report = checked(&client, 6).await;
    let [unfit] = &report.unfit_schedules[..] else { panic!("{report:?}") };
    assert_eq!((&*unfit.schedule, &*unfit.workflow), ("heavy", "hauls"));
    let reason = unfit.reason.to_string();
    assert!(reason.contains("in the argument `weight`: 7 g are too heavy"), "{reason}");
    assert!(unfit.is_certain && !report.is_ok());

    let schedule = client.schedule("heavy");
    schedule.pause("it is Sunday").await.unwrap();
    let report = checked(&client, 6).await;
    assert!(report.is_ok() && !report.unfit_schedules[0].is_certain, "it starts nothing");
    schedule.unpause("it was").await.unwrap();

    // Code of a type that panics stops neither the check nor the worker.
    let report = checked(&client, 0).await;
    let reasons: Vec<_> = report.unfit_schedules.iter().map(|unfit| &unfit.reason).collect();
    let panicked = UnfitStart::Panicked("there is no limit".to_owned());
    assert_eq!(reasons, [&panicked, &panicked]);
    let worker = worker_of(&client).start().await.unwrap();
    schedule.trigger().await.unwrap();
    let reason = loop {
        let log = schedule.log(None, 10).await.unwrap();
        let reason = log.into_iter().find_map(|entry| match entry.what {
            LogKind::CannotStart { reason } => Some(reason),
            _ => None,
        });
        match reason {
            Some(reason) => break reason,
            None => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    };
    assert_eq!(reason, format!("{panicked}; {}", panicked.help()));
    LARGEST.store(7, Ordering::SeqCst);
    schedule.trigger().await.unwrap();
    while schedule.describe().await.unwrap().counts.started == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    worker.shutdown().await.unwrap();

    let report = client.check_parked([delivers::entry()]).await.unwrap();
    let reasons: Vec<_> = report.unfit_schedules.iter().map(|unfit| &unfit.reason).collect();
    assert_eq!(reasons, [&UnfitStart::MissingWorkflow, &UnfitStart::MissingWorkflow]);
    assert!(report.is_ok(), "another program may have the workflow");
}

#[tokio::test(start_paused = true)]
async fn arguments_that_cannot_be_read_are_reported() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    let worker = worker_of(&client).shutdown_grace(Duration::ZERO).start().await.unwrap();
    let light = client.start(delivers(2)).await.unwrap().run_id();
    let heavy = client.start(delivers(7)).await.unwrap().run_id();
    for run_id in [light, heavy] {
        until(&client, run_id, |run| run.state == "carry").await;
    }
    worker.shutdown().await.unwrap();

    let report = checked(&client, 7).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");

    let report = checked(&client, 6).await;
    let [unfit] = &report.unfit[..] else { panic!("one of them is refused: {report:?}") };
    let BlockedReason::Undecodable(reason) = &unfit.reason else { panic!("{report:?}") };
    assert!(reason.starts_with("the arguments of the activity `carry`: "), "{reason}");
    assert!(reason.contains("7 g are too heavy"), "{reason}");
    assert_eq!((report.runs, unfit.runs, unfit.example), (2, 1, heavy));
    assert!(!unfit.is_certain && report.is_ok(), "another build may accept the call");

    // Code of a type that panics is reported, too.
    let report = checked(&client, 0).await;
    let [unfit] = &report.unfit[..] else { panic!("both are for the same reason: {report:?}") };
    let reason = unfit.reason.to_string();
    assert!(reason.contains("`carry`") && reason.contains("there is no limit"), "{reason}");
    assert_eq!(unfit.runs, 2);
}

#[tokio::test(start_paused = true)]
async fn arguments_of_a_call_on_a_queue_are_read() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    let worker = worker_of(&client).shutdown_grace(Duration::ZERO).start().await.unwrap();
    let light = client.start(ships(2)).await.unwrap().run_id();
    let heavy = client.start(ships(7)).await.unwrap().run_id();
    for run_id in [light, heavy] {
        until(&client, run_id, |run| run.state == "load").await;
    }
    worker.shutdown().await.unwrap();

    let report = checked(&client, 7).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");

    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, heavy);
    assert!(reason.contains("the arguments of the activity `load`: "), "{reason}");
    assert!(reason.contains("7 g are too heavy"), "{reason}");
    assert!(reason.contains("the call stays on the queue `lorries`"), "{reason}");
    assert!(!is_certain && report.is_ok(), "another build may serve the queue");
}

#[tokio::test(start_paused = true)]
async fn arguments_of_a_call_with_a_key_are_read() {
    let _turn = TURN.lock().await;
    let client = Client::new(MemoryStore::new());
    let worker = worker_of(&client).shutdown_grace(Duration::ZERO).start().await.unwrap();
    client.start(packs("light".to_owned(), 2)).await.unwrap();
    let heavy = client.start(packs("heavy".to_owned(), 7)).await.unwrap().run_id();
    loop {
        let lorries = client.queue("lorries").status().await.unwrap();
        if lorries.waiting + lorries.under_way == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    worker.shutdown().await.unwrap();

    let report = checked(&client, 7).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");

    let report = checked(&client, 6).await;
    let (reason, is_certain) = unfit(&report, heavy);
    assert!(reason.contains("the arguments of the activity `stow`: "), "{reason}");
    assert!(reason.contains("7 g are too heavy"), "{reason}");
    assert!(reason.contains("the call stays on the queue `lorries`"), "{reason}");
    assert!(!is_certain && report.unfit[0].runs == 1, "{report:?}");
}

#[derive(Signal, Serialize, Deserialize)]
struct Go;

/// Never returns.
#[activity]
async fn take_back() {
    pending::<()>().await;
}

mod old {
    use super::*;

    #[workflow]
    pub async fn fails(cx: &Context) -> Result<(), String> {
        cx.on_failure(take_back());
        cx.signal::<Go>().await;
        Err("no".to_owned())
    }

    #[derive(Clone, Serialize, Deserialize)]
    pub(super) struct Pay {
        pub(super) cents: u64,
        pub(super) fee: u64,
    }

    #[workflow]
    pub async fn pays(cx: &Context, pay: Pay) -> u64 {
        cx.signal::<Go>().await;
        pay.cents + pay.fee
    }

    #[workflow]
    pub async fn held<T: Durable>(cx: &Context, value: T) -> T {
        cx.signal::<Go>().await;
        value
    }

    #[workflow]
    pub async fn holds(cx: &Context) -> String {
        let text = held("text".to_owned()).await;
        let number = held(7_u8).await;
        format!("{text} {number}")
    }
}

mod new {
    use super::*;

    /// No longer waits for the signal.
    #[workflow]
    pub async fn fails(cx: &Context) -> Result<(), String> {
        cx.on_failure(take_back());
        Err("no".to_owned())
    }

    #[derive(Clone, Serialize, Deserialize)]
    pub(super) struct Pay {
        pub(super) cents: u64,
    }

    #[workflow]
    pub async fn pays(cx: &Context, pay: Pay) -> u64 {
        cx.signal::<Go>().await;
        pay.cents
    }

    /// The number is another one, and is held first.
    #[workflow]
    pub async fn holds(cx: &Context) -> String {
        #[state("number")]
        let number = old::held(7_u64).await;
        let text = old::held("text".to_owned()).await;
        format!("{text} {number}")
    }
}

/// Waits until a run has made this number of steps.
async fn parked(client: &Client, run_id: piton::model::RunId, steps: i64) {
    while client.find(run_id).await.unwrap().unwrap().step_no.0 < steps {
        tokio::task::yield_now().await;
    }
}

/// The report about the runs of a database by the lock file of these workflows.
async fn by_lock(
    client: &Client,
    workflows: &[&'static piton::machine::WorkflowEntry],
) -> ParkedReport {
    let mut lock = Lock::default();
    lock.record(workflows.iter().copied());
    client.check_parked_by(&lock).await.unwrap()
}

#[tokio::test]
async fn the_state_of_a_run_that_makes_its_compensations_does_not_matter() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).serving(vec![old::fails::entry()], activities());
    let worker = worker.shutdown_grace(Duration::ZERO).start().await.unwrap();
    let waits = client.start(old::fails()).await.unwrap();
    let ends = client.start(old::fails()).await.unwrap();
    ends.signal(Go).await.unwrap();
    while client.inspect(ends.run_id()).await.unwrap().ending.is_none() {
        tokio::task::yield_now().await;
    }
    parked(&client, waits.run_id(), 1).await;
    worker.shutdown().await.unwrap();

    for report in [
        client.check_parked([new::fails::entry()]).await.unwrap(),
        by_lock(&client, &[new::fails::entry()]).await,
    ] {
        let [unfit] = &report.unfit[..] else { panic!("one of them waits: {report:?}") };
        assert_eq!((report.runs, unfit.runs, unfit.example), (2, 1, waits.run_id()), "{report:?}");
        assert!(unfit.is_certain);
    }
}

/// The schema does not say whether the type denies unknown fields.
#[tokio::test]
async fn a_field_that_is_gone_is_no_error() {
    let client = Client::new(MemoryStore::new());
    let run = client.start(old::pays(old::Pay { cents: 7, fee: 1 })).await.unwrap();
    let worker = Worker::new(&client).serving(vec![old::pays::entry()], activities());
    let worker = worker.start().await.unwrap();
    parked(&client, run.run_id(), 1).await;
    worker.shutdown().await.unwrap();
    let report = client.check_parked([new::pays::entry()]).await.unwrap();
    assert!(report.is_ok() && report.unfit.is_empty(), "{report:?}");
    let report = by_lock(&client, &[new::pays::entry()]).await;
    let [unfit] = &report.unfit[..] else { panic!("one may be blocked: {report:?}") };
    let reason = unfit.reason.to_string();
    assert!(
        !unfit.is_certain && reason.contains("which is ignored unless the type has"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_start_names_the_definition_of_a_run_of_another_build_that_has_its_id() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).serving(vec![old::fails::entry()], activities());
    let worker = worker.start().await.unwrap();
    let waits = client.start(old::fails()).id("f").await.unwrap();
    parked(&client, waits.run_id(), 1).await;
    worker.shutdown().await.unwrap();

    let refused = client.start(new::fails()).id("f").await.unwrap_err();
    let StartError::AlreadyStarted { other_build: Some(of), blocked: None, .. } = &refused else {
        panic!("{refused:?}")
    };
    let definition = old::fails::entry().definition().hash;
    assert_eq!((of.definition, &*of.state), (definition, "signal<Go>"));
    let text = refused.to_string();
    let expected = format!(
        "taken by the open run {} of `fails`, which is in the state `signal<Go>` of the definition {definition} \
         (version 1), which does not fit this build: ",
        waits.run_id()
    );
    assert!(text.contains(&expected), "{text}");
    assert!(text.ends_with("; a build with that definition continues it"), "{text}");

    // The same build knows better.
    let refused = client.start(old::fails()).id("f").await.unwrap_err();
    assert!(matches!(refused, StartError::AlreadyStarted { other_build: None, .. }), "{refused}");
}

#[tokio::test]
async fn a_run_in_an_instance_of_a_generic_workflow_is_compared_with_that() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).serving(vec![old::holds::entry()], Vec::new());
    let worker = worker.start().await.unwrap();
    let text = client.start(old::holds()).await.unwrap();
    let number = client.start(old::holds()).await.unwrap();
    number.signal(Go).await.unwrap();
    parked(&client, text.run_id(), 1).await;
    parked(&client, number.run_id(), 2).await;
    worker.shutdown().await.unwrap();

    let report = by_lock(&client, &[old::holds::entry()]).await;
    assert_eq!((report.runs, report.unfit.len()), (2, 0), "{report:?}");
    let report = by_lock(&client, &[new::holds::entry()]).await;
    let by_code = client.check_parked([new::holds::entry()]).await.unwrap();
    let reasons = |report: &ParkedReport| {
        let reasons = report.unfit.iter().map(|unfit| (unfit.runs, unfit.reason.to_string()));
        reasons.collect::<Vec<_>>()
    };
    assert_eq!(reasons(&report), reasons(&by_code));
}

#[tokio::test]
async fn runs_of_workflows_that_the_lock_file_does_not_have_are_counted() {
    let client = Client::new(MemoryStore::new());
    client.start(old::fails()).await.unwrap();
    client.start(old::fails()).await.unwrap();
    let report = by_lock(&client, &[new::holds::entry()]).await;
    assert_eq!((report.runs, report.is_ok()), (0, true), "{report:?}");
    assert_eq!(report.unchecked.into_iter().collect::<Vec<_>>(), [("fails".to_owned(), 2)]);
}

/// The activities of this program.
fn activities() -> Vec<&'static piton::activities::ActivityEntry> {
    piton::activities::ActivityEntry::all().collect()
}
