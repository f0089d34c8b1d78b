//! The plans of the store's statements under the most misleading statistics: tables that were analyzed when they had
//! only the first few of many rows.
//!
//! The tests take the statements from the server's log while the store sends them, so each test has its own server.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::error::StoreError;
use piton::machine::OperationOutcome;
use piton::model::{
    BlockedReason, Handle, Message, NewReply, OutgoingMessage, Payload, RunId, RunStatus, StepNo,
    Timestamp, UpdateReply,
};
use piton::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, ArrivalKind, ClaimActivities,
    ClaimRequest, CommitStep, DeadLetterFilter, DeadLetterId, Disposition, EditOutcome, EditRun,
    Effect, FinishActivity, FoundUpdate, NewActivity, NewArrival, NewDeadLetter, NewRun,
    QueueLimits, RelayMessages, Reporter, RunKey, Senders, Store, UpdateKey, WorkerLease,
};
use piton_postgres_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::fixture::{keep, new_run, new_worker, open};
use crate::locks::edits::edit_of;

/// Makes the server log every statement on a line.
pub(crate) const SETTINGS: &str = "log_statement = 'all'\nautovacuum = off\n";

/// The settings of the store's sessions.
pub(crate) const AS_THE_STORE: &str = "SET enable_hashjoin = off; SET enable_mergejoin = off; \
    SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; \
    SET plan_cache_mode = force_generic_plan";

/// Tables that may hold any number of rows.
const TABLES: [&str; 10] = [
    "piton_runs",
    "piton_inbox",
    "piton_arrival_keys",
    "piton_update_replies",
    "piton_activities",
    "piton_partitions",
    "piton_outbox",
    "piton_dead_letters",
    "piton_history",
    "piton_audit",
];

async fn start_many(store: &dyn Store, owner: WorkerLease, count: usize) -> Vec<RunId> {
    let runs: Vec<NewRun> = (0..count).map(|_| new_run(Some(owner))).collect();
    let run_ids = runs.iter().map(|run| run.run_id).collect();
    store.start_runs(runs).await.expect("they can be started");
    run_ids
}

async fn worker(store: &dyn Store) -> WorkerLease {
    store.register_worker(new_worker()).await.expect("a worker can register")
}

fn signal(run_id: RunId, owner: Option<WorkerLease>) -> NewArrival {
    let kind = ArrivalKind::Signal { name: "go".into(), payload: Payload::default() };
    NewArrival { run_id, kind, dedup_key: Some(run_id.to_string()), owner }
}

fn activity(handle: u64) -> NewActivity {
    NewActivity {
        due_at: None,
        priority: 5,
        partition: String::new(),
        handle: Handle(handle),
        queue: "gpu".into(),
        activity: "train".into(),
        call: Vec::new(),
        limits: ActivityLimits::default(),
    }
}

fn park(run_id: RunId, expected: i64) -> CommitStep {
    let park = Disposition::Park {
        snapshot: vec![8; 300],
        state: "one".into(),
        due_at: Some(Timestamp(0)),
        inbox_read: 0,
    };
    CommitStep::new(run_id, StepNo(expected), park)
}

/// The same for a queue whose partitions take turns.
async fn claim_from_partitions(
    store: &dyn Store,
    worker: WorkerLease,
    run_id: RunId,
) -> Result<(), StoreError> {
    let limits = QueueLimits::default().max_concurrent(9).partition_concurrent(2);
    let limits = limits.partition_rate(2, Duration::from_secs(60));
    store.limit_queue("press", limits).await?;
    let of = |handle: u64| NewActivity {
        queue: "press".into(),
        partition: format!("tenant-{}", handle % 2),
        priority: (handle % 3) as i16,
        ..activity(handle)
    };
    let asks =
        CommitStep { effects: (10..18).map(of).map(Effect::Enqueue).collect(), ..keep(run_id, 2) };
    store.commit_steps(worker, &[&asks]).await?;
    for (room, expected) in [(3, 3), (9, 1), (9, 0)] {
        let (queues, activities) = (&[("press", room)], &[("train", 9)]);
        let claim = ClaimActivities { worker, queues, activities, limit: 9 };
        assert_eq!(store.claim_activities(claim).await?.activities.len(), expected);
    }
    Ok(())
}

/// Has the store send whatever it sends about rows that it knows by their keys.
async fn send_everything(store: &dyn Store, worker: WorkerLease) -> Result<(), StoreError> {
    let run_ids = start_many(store, worker, 4).await;
    let [first, second, third, last] = run_ids[..] else { unreachable!("four were started") };
    store.deliver(vec![signal(first, None), signal(second, Some(worker))]).await?;
    store.read_inbox(first, 0, 10).await?;
    store.review_runs(worker, &[(first, 0)]).await?;

    let asks = CommitStep {
        consumed: vec![1],
        effects: (0..4).map(activity).map(Effect::Enqueue).collect(),
        ..keep(first, 0)
    };
    store.commit_steps(worker, &[&asks]).await?;
    let (queues, activities) = (&[("gpu", 3)], &[("train", 3)]);
    let claim = ClaimActivities { worker, queues, activities, limit: 3 };
    assert_eq!(store.claim_activities(claim).await?.activities.len(), 3);
    let key = |handle| ActivityKey { run_id: first, handle: Handle(handle) };
    assert_eq!(store.review_activities(worker, &[(key(0), 1)]).await?.strays.len(), 2);
    let reporter = Reporter::Worker(worker);
    let details = Some(Payload(vec![1]));
    let beat = ActivityHeartbeat { key: key(0), attempt: 1, reporter, details: details.clone() };
    store.heartbeat_activities(vec![beat]).await?;
    let returned = ActivityEnd::Outcome(OperationOutcome::Returned(Payload(vec![1])));
    let fails =
        ActivityEnd::Failed { outcome: OperationOutcome::Unknown, failure: "declined".into() };
    let again = ActivityEnd::Retry { retry_at: Timestamp(0), failure: "declined".into(), details };
    let end =
        |handle, reporter, end| FinishActivity { key: key(handle), attempt: 1, reporter, end };
    let ends =
        vec![end(0, reporter, returned), end(1, reporter, again), end(2, Reporter::Token, fails)];
    store.finish_activities(ends).await?;
    store.find_activity(key(1)).await?;
    let gives_up = CommitStep { effects: vec![Effect::GiveUp(Handle(3))], ..keep(first, 1) };
    store.commit_steps(worker, &[&gives_up]).await?;
    claim_from_partitions(store, worker, first).await?;

    store.commit_steps(worker, &[&park(second, 0)]).await?;
    let claim = ClaimRequest { worker, workflows: &["order"], limit: 10, inbox_limit: 10 };
    assert_eq!(store.claim_runs(claim).await?.runs.len(), 1);
    let reason = BlockedReason::Undecodable("of another build".into());
    let block = CommitStep::new(second, StepNo(1), Disposition::Block { reason });
    store.commit_steps(worker, &[&block]).await?;
    assert_eq!(store.adopt_blocked(worker, &[second], 10).await?.len(), 1);
    send_messages(store, worker, third).await?;
    store.settle_run(first).await?;
    store.find_run(&RunKey::RunId(first)).await?;
    store.find_snapshot(first).await?;
    store.find_endings(&run_ids).await?;
    let (status, result, failure) = (RunStatus::Completed, None, None);
    let close = CommitStep::new(first, StepNo(3), Disposition::close(status, result, failure));
    store.commit_steps(worker, &[&keep(third, 1), &close]).await?;
    store.terminate_run(last, "enough").await?;
    let given_up = vec![Handle(0)];
    let edit = EditRun { reopen: true, given_up, ..edit_of(last, 0) };
    assert_eq!(store.edit_run(edit).await?, EditOutcome::Edited);
    assert_eq!(store.list_audit(Some(last), None, 10).await?.len(), 1);
    let kept = [2, 3].map(|step_no| CommitStep { keep_history: Some(1), ..keep(third, step_no) });
    for step in &kept {
        store.commit_steps(worker, &[step]).await?;
    }
    assert_eq!(store.list_history(third).await?.len(), 1);
    assert!(store.find_history(third, StepNo(4)).await?.is_some());
    assert!(store.find_details(third).await?.is_some());
    for is_fenced in [true, false] {
        let leaver = self::worker(store).await;
        let run_ids = start_many(store, leaver, 2).await;
        for run_id in run_ids {
            let asks =
                CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 0) };
            store.commit_steps(leaver, &[&asks]).await?;
        }
        let (queues, activities) = (&[("gpu", 1)], &[("train", 1)]);
        let claim = ClaimActivities { worker: leaver, queues, activities, limit: 1 };
        assert_eq!(store.claim_activities(claim).await?.activities.len(), 1);
        match is_fenced {
            true => assert_eq!(store.fence_workers(&[leaver.worker_id]).await?, 2),
            false => store.release_worker(leaver).await?,
        }
    }
    Ok(())
}

/// Makes a run send and set aside messages; relays them, keeps them as dead letters, delivers them again and deletes
/// them.
async fn send_messages(
    store: &dyn Store,
    worker: WorkerLease,
    sender: RunId,
) -> Result<(), StoreError> {
    store.deliver(vec![signal(sender, None)]).await?;
    let to = |to: String| {
        let body = Message::Signal { name: "go".into(), payload: Payload::default() };
        Effect::Send(OutgoingMessage { to, body })
    };
    let unread = NewDeadLetter { seq: 1, reason: "why".into() };
    let reply = NewReply { update: "one".into(), reply: UpdateReply::Dropped };
    let effects = vec![
        to(sender.to_string()),
        to("late".to_owned()),
        Effect::SetAside(unread),
        Effect::Reply(reply),
    ];
    store.commit_steps(worker, &[&CommitStep { effects, ..keep(sender, 0) }]).await?;
    let senders = Senders::Runs(&[sender]);
    let relayed = store.relay_messages(RelayMessages { senders, limit: 10 }).await?;
    assert_eq!((relayed.delivered.len(), relayed.set_aside.len()), (1, 1));
    let ids: Vec<DeadLetterId> = {
        let letters = store.list_dead_letters(&DeadLetterFilter::default(), None, 10).await?;
        letters.iter().map(|letter| letter.id).collect()
    };
    assert_eq!(store.redeliver_dead_letters(&ids).await?.len(), 2);
    store.drop_dead_letters(&ids).await?;
    let key = UpdateKey { run_id: sender, name: "Add".into(), update: "one".into() };
    assert_eq!(store.find_update(&key).await?, FoundUpdate::Answered(UpdateReply::Dropped));
    Ok(())
}

/// The statements about these tables that the server has been sent, each once.
fn sent(cluster: &Cluster) -> BTreeSet<String> {
    let log = std::fs::read_to_string(cluster.directory().join("log")).expect("there is a log");
    let statements = log.lines().filter_map(statement_in).map(str::to_owned);
    statements.filter(|sql| TABLES.iter().any(|table| sql.contains(table))).collect()
}

/// The statement that a line of the server's log tells of.
pub(crate) fn statement_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("LOG:  execute ")?;
    rest.split_once(": ").map(|(_, sql)| sql)
}

/// The generic plan of a statement.
async fn plan(connection: &mut PgConnection, sql: &str) -> Result<Vec<String>, sqlx::Error> {
    let prepare = format!("{AS_THE_STORE}; PREPARE it AS {sql}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await?;
    let arguments = "SELECT coalesce('(' || string_agg('NULL', ', ') || ')', '') \
        FROM pg_prepared_statements, unnest(parameter_types) WHERE name = 'it'";
    let arguments: String = sqlx::query_scalar(arguments).fetch_one(&mut *connection).await?;
    let explain = sqlx::query_scalar(AssertSqlSafe(format!("EXPLAIN EXECUTE it {arguments}")));
    let lines = explain.persistent(false).fetch_all(&mut *connection).await?;
    sqlx::raw_sql("DEALLOCATE it").execute(connection).await?;
    Ok(lines)
}

/// The tables that a plan reads in whole or without a key.
fn read_whole(plan: &[String]) -> Vec<&str> {
    let scans = plan.iter().enumerate().filter_map(|(at, line)| {
        let (_, scanned) = line.split_once("Scan ")?;
        let (_, table) = scanned.split_once("on ")?;
        let table = table.split_whitespace().next()?;
        let looks_up = plan.get(at + 1).is_some_and(|next| next.contains("Index Cond"));
        (TABLES.contains(&table) && !looks_up).then_some(table)
    });
    scans.collect()
}

/// With any statistics, and whenever the cached plan was made.
pub(crate) async fn rows_that_are_named_are_looked_up(_: String) {
    let cluster = Cluster::start_with(SETTINGS, &[]).expect("there is another");
    look_up_what_is_named(&cluster).await.expect("the server is there");
}

async fn look_up_what_is_named(cluster: &Cluster) -> piton::Result<()> {
    let url = cluster.new_database().await?;
    let store = open(&url).await;
    let mut connection = PgConnection::connect(&url).await?;
    let worker = worker(&*store).await;
    send_everything(&*store, worker).await?;
    let statements = sent(cluster);
    assert!(statements.len() > 20, "{statements:#?}");
    // Postgres assumes that tables that were never analyzed are larger.
    for count in [None, Some(1), Some(2), Some(3), Some(5), Some(20), Some(200), Some(1_000)] {
        if let Some(count) = count {
            let empty = format!("TRUNCATE {} CASCADE", TABLES.join(", "));
            sqlx::raw_sql(AssertSqlSafe(empty)).execute(&mut connection).await?;
            for run_id in start_many(&*store, worker, count).await {
                store.deliver(vec![signal(run_id, None)]).await?;
                let asks =
                    CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 0) };
                store.commit_steps(worker, &[&asks]).await?;
            }
            sqlx::raw_sql("ANALYZE").execute(&mut connection).await?;
        }
        for sql in &statements {
            let plan = plan(&mut connection, sql).await?;
            let whole = read_whole(&plan);
            assert!(whole.is_empty(), "{count:?} rows: {whole:?}\n{sql}\n{}", plan.join("\n"));
            // The index is read in the direction of the run's remaining entries.
            let ranges = plan.iter().find(|line| line.contains("ROW("));
            assert!(ranges.is_none(), "{count:?} rows: {ranges:?}\n{sql}");
        }
    }
    store.close().await;
    Ok(())
}

pub(crate) async fn the_look_for_blocked_runs_reads_no_others(_: String) {
    let cluster = Cluster::start_with(SETTINGS, &[]).expect("there is another");
    look_for_blocked(&cluster).await.expect("the server is there");
}

async fn look_for_blocked(cluster: &Cluster) -> piton::Result<()> {
    let url = cluster.new_database().await?;
    let store = open(&url).await;
    let worker = worker(&*store).await;
    let mut connection = PgConnection::connect(&url).await?;
    let run_ids = start_many(&*store, worker, 200).await;
    let reason = BlockedReason::Panicked("oh no".into());
    let block = |run_id: &RunId| {
        let disposition = Disposition::Block { reason: reason.clone() };
        CommitStep::new(*run_id, StepNo(0), disposition)
    };
    let steps: Vec<CommitStep> = run_ids.iter().map(block).collect();
    store.commit_steps(worker, &steps.iter().collect::<Vec<_>>()).await?;
    assert!(store.find_blocked(&["order"], None, 50).await?.is_empty());
    let look = sent(cluster)
        .into_iter()
        .find(|sql| sql.starts_with("SELECT run_id, step_no, workflow, blocked"));
    sqlx::raw_sql("ANALYZE").execute(&mut connection).await?;
    let plan = plan(&mut connection, &look.expect("it was sent")).await?.join("\n");
    assert!(plan.contains("Index Scan using piton_runs_adoptable on piton_runs"), "{plan}");
    let pages = "SELECT pg_relation_size('piton_runs_adoptable') / 8192";
    let pages: i64 = sqlx::query_scalar(pages).fetch_one(&mut connection).await?;
    assert_eq!(pages, 1, "what has panicked is not in the index");
    store.close().await;
    Ok(())
}
