//! The SQL views for users: each has the same rows on both databases.
//!
//! Without Postgres binaries its tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::model::{
    BlockedReason, DefinitionHash, Handle, Message, OutgoingMessage, Payload, RunId, RunStatus,
    StepNo, Timestamp,
};
use piton::store::{
    ActivityEnd, ActivityLimits, ArrivalKind, ClaimActivities, Clock, CommitStep, DefinitionRecord,
    Disposition, Effect, FinishActivity, ManualClock, NewActivity, NewArrival, NewDeadLetter,
    NewRun, NewWorker, RelayMessages, Reporter, Senders, Store, StoreOptions, WorkerLease,
};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};

/// 2026-01-01T00:00:00.000042Z.
const START: Timestamp = Timestamp(1_767_225_600_000_042);
const AT_START: &str = "2026-01-01T00:00:00.000042Z";
const A_MINUTE_LATER: &str = "2026-01-01T00:01:00.000042Z";

/// A hash above the range of signed numbers.
const DEFINITION: DefinitionHash = DefinitionHash(0xfedc_ba98_0000_0001);
const AS_HEX: &str = "fedcba9800000001";

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        vec![
            Trial::test("views_of_sqlite", || {
                let directory = tempfile::tempdir()?;
                let url = format!("sqlite:{}", directory.path().join("runs.db").display());
                block_on(check(&url))
            }),
            trial("views_of_postgres".into(), cluster, |cluster: Arc<Cluster>| {
                block_on(async { check(&cluster.new_database().await?).await })
            }),
        ]
    })
}

fn block_on(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

/// The database of a test, with one row of each kind.
struct Scene {
    store: Arc<dyn Store>,
    worker: WorkerLease,
}

impl Scene {
    async fn start(&self, workflow_id: Option<&str>) -> Result<RunId, Failed> {
        let run_id = RunId::new();
        let run = NewRun {
            run_id,
            workflow_id: workflow_id.map_or_else(|| run_id.to_string(), str::to_owned),
            workflow: "order".into(),
            arguments: Payload::default(),
            snapshot: vec![7],
            state: "start".into(),
            definition: DEFINITION,
            owner: Some(self.worker),
            start_at: None,
            first: None,
            attributes: Default::default(),
            memo: Default::default(),
            terms: None,
        };
        self.store.start_runs(vec![run]).await?;
        Ok(run_id)
    }

    async fn commit(
        &self,
        run_id: RunId,
        disposition: Disposition,
        effects: Vec<Effect>,
    ) -> Result<(), Failed> {
        let step = CommitStep { effects, ..CommitStep::new(run_id, StepNo(0), disposition) };
        self.store.commit_steps(self.worker, &[&step]).await?;
        Ok(())
    }
}

fn park(due_at: Option<Timestamp>) -> Disposition {
    Disposition::Park { snapshot: vec![8], state: "paid".into(), due_at, inbox_read: 9 }
}

fn signal(run_id: RunId) -> NewArrival {
    let kind = ArrivalKind::Signal { name: "go".into(), payload: Payload::default() };
    NewArrival { run_id, kind, dedup_key: None, owner: None }
}

fn activity(handle: u64) -> Effect {
    Effect::Enqueue(NewActivity {
        due_at: None,
        priority: 0,
        partition: "acme".into(),
        handle: Handle(handle),
        queue: "gpu".into(),
        activity: "train".into(),
        call: Vec::new(),
        limits: ActivityLimits::default(),
    })
}

async fn check(url: &str) -> Result<(), Failed> {
    let clock = ManualClock::new(START);
    let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
    let store = options.connect(url).await?;
    let lease = Duration::from_secs(3_600);
    let worker = NewWorker { host: "here".into(), pid: 1, lease };
    let worker = store.register_worker(worker).await?;
    let scene = Scene { store, worker };
    let descriptions = [("order", DEFINITION), ("other", DefinitionHash(5))];
    let definitions = descriptions.map(|(workflow, hash)| DefinitionRecord {
        workflow: workflow.into(),
        hash,
        description: "{}".into(),
    });
    scene.store.record_definitions(&definitions).await?;

    let owned = scene.start(None).await?;
    let sleeps = scene.start(Some("sleeps")).await?;
    let far = scene.start(Some("far")).await?;
    let queues = scene.start(Some("queues")).await?;
    let waits = scene.start(Some("waits")).await?;
    let blocked = scene.start(Some("blocked")).await?;
    let failed = scene.start(Some("failed")).await?;
    clock.advance(Duration::from_secs(60));
    scene.commit(sleeps, park(Some(START)), vec![]).await?;
    scene.commit(far, park(Some(Timestamp(i64::MAX))), vec![]).await?;
    scene.commit(queues, park(None), (0..3).map(activity).collect()).await?;
    scene.store.deliver(vec![signal(waits)]).await?;
    let letter = Effect::SetAside(NewDeadLetter { seq: 1, reason: "no \0 go".into() });
    let body = Message::Signal { name: "go".into(), payload: Payload::default() };
    let message = Effect::Send(OutgoingMessage { to: "nobody".into(), body });
    scene.commit(waits, park(None), vec![letter, message]).await?;
    let relay = RelayMessages { senders: Senders::Runs(&[waits]), limit: 10 };
    assert_eq!(scene.store.relay_messages(relay).await?.set_aside.len(), 1);
    let reason = BlockedReason::Panicked("oh \0 no".into());
    scene.commit(blocked, Disposition::Block { reason }, vec![]).await?;
    scene.store.deliver(vec![signal(blocked)]).await?;
    let (status, failure) = (RunStatus::Failed, Some("declined".to_owned()));
    scene.commit(failed, Disposition::close(status, None, failure), vec![]).await?;
    let (queues_of, activities) = (&[("gpu", 2)], &[("train", 2)]);
    let claim = ClaimActivities { worker, queues: queues_of, activities, limit: 2 };
    let claimed = scene.store.claim_activities(claim).await?.activities;
    let retry_at = START + Duration::from_secs(120);
    let retry = ActivityEnd::Retry { retry_at, failure: "declined".into(), details: None };
    let ends = claimed.iter().zip([retry, ActivityEnd::Later]).map(|(claimed, end)| {
        let (key, reporter) = (claimed.key, Reporter::Worker(worker));
        FinishActivity { key, attempt: 1, reporter, end }
    });
    scene.store.finish_activities(ends.collect()).await?;
    scene.store.close().await;

    let by_worker = worker.worker_id.0.to_string();
    let (owned_id, queues_id, waits_id) =
        (owned.to_string(), queues.to_string(), waits.to_string());
    let runs = select(url, "piton_view_runs", &RUNS, "started_at, run_id").await?;
    assert_eq!(runs.len(), 7);
    let row = |run_id: RunId| {
        let run_id = Some(run_id.to_string());
        runs.iter().find(|row| row[0] == run_id).expect("it has a row")
    };
    let expected = [
        &owned_id, "order", &owned_id, "running", "start", "0", AS_HEX, &by_worker, AT_START, "",
        "", "", "", "", "",
    ];
    assert_eq!(words(row(owned)), expected);
    let expected = ["order", "sleeps", "running", "paid", "1", AS_HEX, "", AT_START, AT_START];
    assert_eq!(words(row(sleeps))[1..10], expected);
    let blocked = words(row(blocked));
    assert_eq!(blocked[3], "blocked");
    assert_eq!(blocked[11..13], [A_MINUTE_LATER, "panicked"]);
    assert!(blocked[13].starts_with("oh "), "{blocked:?}");
    let failed = words(row(failed));
    assert_eq!((failed[3], failed[10], failed[14]), ("failed", A_MINUTE_LATER, "declined"));
    assert_eq!(words(row(far))[9], "", "no calendar has it");

    let rows = select(url, "piton_view_waits", &WAITS, "workflow_id").await?;
    let mut rows: Vec<_> = rows.iter().map(|row| words(row)).collect();
    rows.sort_unstable_by_key(|row| row[1] == owned_id);
    let expected: [[&str; 8]; 6] = [
        ["order", "blocked", "unblock", "", A_MINUTE_LATER, "0", "1", A_MINUTE_LATER],
        ["order", "far", "time", "", A_MINUTE_LATER, "0", "0", ""],
        ["order", "queues", "activity", "", A_MINUTE_LATER, "3", "0", ""],
        ["order", "sleeps", "time", AT_START, A_MINUTE_LATER, "0", "0", ""],
        ["order", "waits", "arrival", "", A_MINUTE_LATER, "0", "0", ""],
        ["order", &owned_id, "worker", "", AT_START, "0", "0", ""],
    ];
    assert_eq!(rows, expected);

    let rows = select(url, "piton_view_activities", &ACTIVITIES, "handle").await?;
    let expected: [[&str; 10]; 3] = [
        [
            &queues_id,
            "queues",
            "0",
            "gpu",
            "acme",
            "train",
            "waiting",
            "1",
            "2026-01-01T00:02:00.000042Z",
            "declined",
        ],
        [&queues_id, "queues", "1", "gpu", "acme", "train", "awaiting token", "1", "", ""],
        [&queues_id, "queues", "2", "gpu", "acme", "train", "waiting", "0", A_MINUTE_LATER, ""],
    ];
    assert_eq!(rows.iter().map(|row| words(row)).collect::<Vec<_>>(), expected);

    let rows = select(url, "piton_view_dead_letters", &LETTERS, "letter_id").await?;
    let rows: Vec<_> = rows.iter().map(|row| words(row)).collect();
    assert_eq!(rows[0][..4], [&waits_id, "waits", "", "unreadable"]);
    assert!(rows[0][4].starts_with("no "), "{rows:?}");
    assert_eq!(rows[1], ["", "nobody", &waits_id, "unknown", "", A_MINUTE_LATER]);

    let rows = select(url, "piton_view_definitions", &DEFINITIONS, "workflow").await?;
    let expected = [["order", AS_HEX, "6"], ["other", "0000000000000005", "0"]];
    assert_eq!(rows.iter().map(|row| words(row)).collect::<Vec<_>>(), expected);
    Ok(())
}

const RUNS: [&str; 15] = [
    "run_id",
    "workflow",
    "workflow_id",
    "status",
    "state",
    "step",
    "definition",
    "worker_id",
    "started_at",
    "due_at",
    "closed_at",
    "blocked_at",
    "blocked_kind",
    "blocked_reason",
    "failure",
];
const WAITS: [&str; 8] = [
    "workflow",
    "workflow_id",
    "waits_for",
    "due_at",
    "since",
    "activities",
    "unread",
    "unread_since",
];
const ACTIVITIES: [&str; 10] = [
    "run_id",
    "workflow_id",
    "handle",
    "queue",
    "partition",
    "activity",
    "status",
    "attempt",
    "due_at",
    "failure",
];
const LETTERS: [&str; 6] = ["run_id", "workflow_id", "sender_id", "kind", "reason", "set_aside_at"];
const DEFINITIONS: [&str; 3] = ["workflow", "definition", "open_runs"];

type Row = Vec<Option<String>>;

/// The texts of a row, without nulls.
fn words(row: &Row) -> Vec<&str> {
    row.iter().map(|value| value.as_deref().unwrap_or_default()).collect()
}

/// These columns of a view, as texts.
async fn select(url: &str, view: &str, columns: &[&str], order: &str) -> Result<Vec<Row>, Failed> {
    let rows: Vec<String> = if url.starts_with("sqlite") {
        let columns = columns.iter().map(|column| format!("CAST({column} AS TEXT)"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT json_array({columns}) FROM {view} ORDER BY {order}");
        let pool = SqlitePool::connect(url).await?;
        let rows = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&pool).await?;
        pool.close().await;
        rows
    } else {
        let columns = columns.iter().map(|column| match *column {
            time if time.ends_with("_at") || time.ends_with("since") => {
                format!("to_char({time} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
            }
            other => format!("{other}::text"),
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT json_build_array({columns})::text FROM {view} ORDER BY {order}");
        let pool = PgPool::connect(url).await?;
        let rows = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&pool).await?;
        pool.close().await;
        rows
    };
    Ok(rows.iter().map(|row| serde_json::from_str(row)).collect::<Result<_, _>>()?)
}
