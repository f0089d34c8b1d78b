//! Several processes on one database.

use std::time::Instant;

use piton::model::{Handle, Payload, StepNo, WorkerId};
use piton::store::{
    ActivityLimits, ArrivalKind, ClaimActivities, CommitStep, Disposition, Effect, NewActivity,
    NewArrival, RunEvent,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::mpsc::unbounded_channel;

use crate::child::{start_child, worker_of};
use crate::fixture::{PATIENCE, execute, new_worker, open, start};

pub(crate) async fn a_killed_process_is_found_dead_soon(url: String) {
    let store = open(&url).await;
    store.register_worker(new_worker()).await.expect("a worker can register");
    let mut child = start_child(&url);
    let worker = WorkerId(worker_of(&mut child));
    let dead = async || store.find_dead_workers().await.expect("the dead can be looked for");
    assert_eq!(dead().await, []);
    let _alike = hold_locks_that_look_alike(&url, worker).await;
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let killed = Instant::now();
    let mut found = dead().await;
    while found.is_empty() && killed.elapsed() < PATIENCE {
        found = dead().await;
    }
    assert_eq!(found, [worker]);
    store.fence_workers(&[worker]).await.expect("it can be fenced");
    assert_eq!(dead().await, []);
}

/// Holds locks of another database, of another program, and with one number instead of two.
async fn hold_locks_that_look_alike(url: &str, worker: WorkerId) -> [PgConnection; 2] {
    const CLASS: &str = "hashtext('piton ' || current_schema())";
    let (_, parameters) = url.split_once('?').expect("it has parameters");
    let elsewhere = format!("postgres:///postgres?{parameters}");
    let id = worker.0;
    let locks = [
        format!(
            "SELECT pg_advisory_lock(1, {id}), \
             pg_advisory_lock((({CLASS}::bigint & 4294967295) << 32) | {id})"
        ),
        format!("SELECT pg_advisory_lock({CLASS}, {id})"),
    ];
    let connect = async |url: &str| PgConnection::connect(url).await.expect("the server is there");
    let mut holders = [connect(url).await, connect(&elsewhere).await];
    for (holder, lock) in holders.iter_mut().zip(locks) {
        sqlx::raw_sql(AssertSqlSafe(lock)).execute(holder).await.expect("nobody has them");
    }
    holders
}

/// Only its lease shows its death.
pub(crate) async fn a_worker_whose_lock_is_held_by_another_expires_by_its_lease(url: String) {
    let store = open(&url).await;
    let mut holder = PgConnection::connect(&url).await.expect("the server is there");
    let lock = "SELECT pg_advisory_lock(hashtext('piton ' || current_schema()), 1)";
    sqlx::raw_sql(lock).execute(&mut holder).await.expect("nobody has it");
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    assert_eq!(worker.worker_id, WorkerId(1));
    let unlock = "SELECT pg_advisory_unlock(hashtext('piton ' || current_schema()), 1)";
    sqlx::raw_sql(unlock).execute(&mut holder).await.expect("it has it");
    assert_eq!(store.find_dead_workers().await.expect("the dead can be looked for"), []);
}

/// Makes the server close the connection during the first check of a lock.
const HANG_UP_ONCE: &str = "CREATE SEQUENCE asked; \
    CREATE FUNCTION pg_try_advisory_lock(class int, key int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN \
    IF nextval('asked') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; \
    RETURN pg_catalog.pg_try_advisory_lock(class, key); END $$";

/// Otherwise only its lease would show its death.
pub(crate) async fn a_worker_whose_session_breaks_during_registration_gets_its_lock(url: String) {
    execute(&url, HANG_UP_ONCE).await;
    let before_the_server_s = format!("{url}&options=-c%20search_path%3Dpublic,pg_catalog");
    let store = open(&before_the_server_s).await;
    let registered = tokio::time::timeout(PATIENCE, store.register_worker(new_worker())).await;
    registered.expect("in time").expect("a worker can register");
    let mut observer = PgConnection::connect(&url).await.expect("the server is there");
    let is_locked = "SELECT is_locked AND last_value > 1 FROM piton_workers, asked";
    let is_locked: bool = sqlx::query_scalar(is_locked).fetch_one(&mut observer).await.expect("ok");
    assert!(is_locked);
}

pub(crate) async fn news_reaches_other_processes(url: String) {
    let (here, there) = (open(&url).await, open(&url).await);
    start(&*here, None).await;
    let patiently = async |what| tokio::time::timeout(PATIENCE, what).await;
    patiently(Box::pin(there.hub().due())).await.expect("a run is due");
    let owner = there.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*here, Some(owner)).await;
    let (sender, mut news) = unbounded_channel();
    let _subscription = there.hub().subscribe(run_id, sender);
    let kind = ArrivalKind::Signal { name: "x".into(), payload: Payload::default() };
    let arrival = NewArrival { run_id, kind, dedup_key: None, owner: None };
    here.deliver(vec![arrival]).await.expect("it can be delivered");
    let heard = tokio::time::timeout(PATIENCE, news.recv()).await;
    assert_eq!(heard.expect("in time"), Some(RunEvent::Arrival(run_id)));
    here.terminate_run(run_id, "enough").await.expect("it can be terminated");
    let heard = tokio::time::timeout(PATIENCE, news.recv()).await;
    assert_eq!(heard.expect("in time"), Some(RunEvent::Settled(run_id)));
}

pub(crate) async fn other_processes_hear_of_queues(url: String) {
    let (here, there) = (open(&url).await, open(&url).await);
    let worker = here.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*here, Some(worker)).await;
    let queued = there.hub().listen_to_queues(["gpu"]);
    let mut given_up = there.hub().listen_for_given_up();
    let step = |step_no| {
        let keep = Disposition::Keep { snapshot: Vec::new(), state: "one".into() };
        CommitStep::new(run_id, StepNo(step_no), keep)
    };
    let activity = NewActivity {
        due_at: None,
        priority: 0,
        partition: String::new(),
        handle: Handle(0),
        queue: "gpu".into(),
        activity: "train".into(),
        call: Vec::new(),
        limits: ActivityLimits::default(),
    };
    let asks = CommitStep { effects: vec![Effect::Enqueue(activity)], ..step(0) };
    here.commit_steps(worker, &[&asks]).await.expect("it can be committed");
    tokio::time::timeout(PATIENCE, queued.notified()).await.expect("an activity is due");
    let (queues, activities) = (&[("gpu", 1)], &[("train", 1)]);
    let claim = ClaimActivities { worker, queues, activities, limit: 1 };
    let claimed = there.claim_activities(claim).await.expect("it can be claimed");
    assert_eq!(claimed.activities.len(), 1);
    let gives_up = CommitStep { effects: vec![Effect::GiveUp(Handle(0))], ..step(1) };
    here.commit_steps(worker, &[&gives_up]).await.expect("it can be committed");
    let heard = tokio::time::timeout(PATIENCE, given_up.recv()).await.expect("in time");
    assert_eq!(heard, Some(claimed.activities[0].key));
}
