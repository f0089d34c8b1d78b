//! Postgres servers: what is refused and why, and how processes on one database get along.
//!
//! Without Postgres binaries the tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed};
use piton::error::ConnectError;
use piton::model::{DefinitionHash, Handle, Payload, RunId, RunStatus, StepNo, WorkerId};
use piton::prelude::*;
use piton::store::{
    ActivityLimits, ArrivalKind, ClaimActivities, ClaimRequest, CommitOutcome, CommitStep,
    Disposition, NewActivity, NewArrival, NewRun, NewWorker, Renewal, RunEvent, Store, WorkerLease,
    connect,
};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::{Connection as _, PgConnection};
use tokio::sync::mpsc::unbounded_channel;

/// In the child processes of these tests: the database to connect to.
const URL: &str = "PITON_TEST_URL";

/// Every test gets a new database.
const NEVER_REUSED: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

type Test = fn(String) -> Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        &[$((stringify!($name), |url| Box::pin($name(url)))),*]
    };
}

const TESTS: &[(&str, Test)] = tests![
    a_database_that_is_not_there_is_named,
    a_server_that_is_not_there_is_unreachable,
    a_schema_of_a_newer_piton_is_refused,
    ten_processes_may_start_on_an_empty_database,
    a_killed_process_is_found_dead_soon,
    news_reaches_other_processes,
    other_processes_hear_of_queues,
    connections_that_are_cut_are_made_again,
    a_look_outlasts_a_way_without_a_server,
    a_kept_run_stays_in_its_page,
    reads_that_hang_hold_up_no_commit_and_no_renewal,
    commits_that_hang_hold_up_no_renewal,
    a_failure_with_nul_is_kept_without_it,
    a_step_that_cannot_be_kept_blocks_its_run,
];

fn main() {
    if let Ok(url) = std::env::var(URL) {
        return run(child(url)).expect("a child does its part");
    }
    run_tests(&Arguments::from_args(), "", |cluster| {
        let trials = TESTS.iter().map(|(name, test)| {
            trial((*name).to_owned(), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(NEVER_REUSED).await?;
                    test(database.url().to_owned()).await;
                    Ok(())
                })
            })
        });
        trials.collect()
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

/// Registers a worker and lives until it is killed or its input ends.
async fn child(url: String) -> Result<(), Failed> {
    let store = connect(&url).await?;
    let lease = store.register_worker(new_worker()).await?;
    println!("worker {}", lease.worker_id.0);
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()))
        .await??;
    store.release_worker(lease).await?;
    Ok(())
}

fn start_child(url: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program has a path"))
        .env(URL, url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be started")
}

/// Waits until the child has registered.
fn worker_of(child: &mut Child) -> i64 {
    let output = BufReader::new(child.stdout.as_mut().expect("it is piped"));
    let line = output.lines().next().expect("the child registers").expect("the output is text");
    line.trim_start_matches("worker ").parse().expect("a number")
}

fn new_worker() -> NewWorker {
    NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(3_600) }
}

fn new_run(owner: Option<WorkerLease>) -> NewRun {
    let run_id = RunId::new();
    NewRun {
        run_id,
        workflow_id: run_id.to_string(),
        workflow: "order".into(),
        arguments: Payload::default(),
        snapshot: vec![7; 300],
        state: "start".into(),
        owner,
        start_at: None,
        first: None,
    }
}

async fn open(url: &str) -> Arc<dyn Store> {
    connect(url).await.expect("the server is there")
}

async fn start(store: &dyn Store, owner: Option<WorkerLease>) -> RunId {
    let run = new_run(owner);
    let run_id = run.run_id;
    store.start_runs(vec![run]).await.expect("runs can be started");
    run_id
}

/// Runs statements as somebody else would.
async fn execute(url: &str, sql: &'static str) {
    let mut connection = PgConnection::connect(url).await.expect("the server is there");
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("the statements are right");
}

async fn a_database_that_is_not_there_is_named(url: String) {
    let (server, parameters) = url.split_once('?').expect("it has parameters");
    let (server, _) = server.rsplit_once('/').expect("it has a path");
    let error = connect(&format!("{server}/nowhere?{parameters}")).await.expect_err("refused");
    assert!(
        matches!(&error, ConnectError::Unreachable { reason, .. } if reason.contains("database")),
        "{error:?}"
    );
}

async fn a_server_that_is_not_there_is_unreachable(_: String) {
    let error = connect("postgres://ann:secret@127.0.0.1:1/orders").await.expect_err("refused");
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error:?}");
    assert!(!error.to_string().contains("secret"));
}

async fn a_schema_of_a_newer_piton_is_refused(url: String) {
    open(&url).await.close().await;
    let newer = "INSERT INTO piton_migrations \
        (version, description, success, checksum, execution_time) \
        VALUES (9000, 'from the future', TRUE, '', 0)";
    execute(&url, newer).await;
    let error = connect(&url).await.expect_err("refused");
    assert!(matches!(error, ConnectError::NewerSchema { found: 9_000, .. }), "{error:?}");
}

async fn ten_processes_may_start_on_an_empty_database(url: String) {
    let mut children: Vec<Child> = (0..10).map(|_| start_child(&url)).collect();
    let mut workers: Vec<i64> = children.iter_mut().map(worker_of).collect();
    workers.sort_unstable();
    assert_eq!(workers, (1..=10).collect::<Vec<_>>());
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().expect("it ends").success());
    }
}

async fn a_killed_process_is_found_dead_soon(url: String) {
    let store = open(&url).await;
    store.register_worker(new_worker()).await.expect("a worker can register");
    let mut child = start_child(&url);
    let worker = WorkerId(worker_of(&mut child));
    let dead = async || store.find_dead_workers().await.expect("the dead can be looked for");
    assert_eq!(dead().await, []);
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

async fn news_reaches_other_processes(url: String) {
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

async fn other_processes_hear_of_queues(url: String) {
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
        handle: Handle(0),
        queue: "gpu".into(),
        activity: "train".into(),
        call: Vec::new(),
        limits: ActivityLimits::default(),
    };
    let asks = CommitStep { activities: vec![activity], ..step(0) };
    here.commit_steps(worker, &[&asks]).await.expect("it can be committed");
    tokio::time::timeout(PATIENCE, queued.notified()).await.expect("an activity is due");
    let (queues, activities) = (&[("gpu", 1)], &[("train", 1)]);
    let claim = ClaimActivities { worker, queues, activities, limit: 1 };
    let claimed = there.claim_activities(claim).await.expect("it can be claimed");
    assert_eq!(claimed.activities.len(), 1);
    let gives_up = CommitStep { given_up: vec![Handle(0)], ..step(1) };
    here.commit_steps(worker, &[&gives_up]).await.expect("it can be committed");
    let heard = tokio::time::timeout(PATIENCE, given_up.recv()).await.expect("in time");
    assert_eq!(heard, Some(claimed.activities[0].key));
}

async fn connections_that_are_cut_are_made_again(url: String) {
    let (here, there) = (open(&url).await, open(&url).await);
    let worker = here.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*here, Some(worker)).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'piton' AND datname = current_database()";
    execute(&url, cut).await;
    let keep = Disposition::Keep { snapshot: Vec::new(), state: "one".into() };
    let step = || CommitStep::new(run_id, StepNo(0), keep.clone());
    let started = Instant::now();
    let outcome = loop {
        match here.commit_steps(worker, &[&step()]).await {
            Ok(outcome) => break outcome,
            Err(error) => assert!(error.is_retryable() && started.elapsed() < PATIENCE, "{error}"),
        }
    };
    assert_eq!(outcome, [CommitOutcome::Committed]);
    // Both hear of each other again, which also means that the lock has been taken again.
    let heard = async {
        loop {
            let due = there.hub().due();
            tokio::pin!(due);
            if let Err(error) = here.start_runs(vec![new_run(None)]).await {
                assert!(error.is_retryable(), "{error}");
            }
            if tokio::time::timeout(Duration::from_millis(50), due).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, heard).await.expect("in time");
    here.renew_lease(worker, PATIENCE).await.expect("the worker lives on");
}

/// A way to the server that can be closed: then it takes connections and hangs up without a word, as what
/// stands before a server does that is being replaced.
struct Way {
    address: SocketAddr,
    is_open: Arc<AtomicBool>,
    hung_up: Arc<AtomicUsize>,
}

impl Way {
    /// Ends with the process.
    fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (is_open, hung_up) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
        let (way_is_open, count) = (Arc::clone(&is_open), Arc::clone(&hung_up));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if !way_is_open.load(Ordering::SeqCst) {
                    count.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let server = UnixStream::connect(&socket).expect("the server is there");
                let (mut from_client, mut to_server) =
                    (client.try_clone().expect("ok"), server.try_clone().expect("ok"));
                std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
                let (mut from_server, mut to_client) = (server, client);
                std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
            }
        });
        Self { address, is_open, hung_up }
    }
}

async fn a_look_outlasts_a_way_without_a_server(url: String) {
    let (path, parameters) = url.split_once('?').expect("it has parameters");
    let socket = parameters.split('&').find_map(|it| it.strip_prefix("host=")).expect("a folder");
    let way = Way::to(Path::new(socket).join(".s.PGSQL.5432"));
    let database = path.rsplit('/').next().expect("it has a name");
    let url = format!("postgres://piton@{}/{database}", way.address);
    let client = Client::connect(&url).await.expect("the way is open");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    way.is_open.store(false, Ordering::SeqCst);
    let looks = tokio::spawn({
        let client = client.clone();
        async move { client.find("there").await }
    });
    while way.hung_up.load(Ordering::SeqCst) < 2 && !looks.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    way.is_open.store(true, Ordering::SeqCst);
    let found = looks.await.expect("no panic").expect("it is asked for again");
    assert_eq!(found.map(|found| found.run_id), Some(run.run_id()));
    client.close().await;
}

/// What keeps the table from growing under a steady load: a new version of a row takes the place of
/// one that nobody sees any more, in the same page, and no index hears of it.
///
/// On a server of its own, because whoever looks on at the old versions keeps them, in other databases
/// too for a while.
async fn a_kept_run_stays_in_its_page(_: String) {
    const RUNS: u64 = 50;
    const WARM_UP: i64 = 50;
    const STEPS: i64 = 250;
    let cluster = Cluster::start_with("autovacuum = off\n", &[]).expect("there is another");
    let url = cluster.new_database().await.expect("databases can be made");
    let store = open(&url).await;
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let mut run_ids = Vec::new();
    for _ in 0..RUNS {
        run_ids.push(start(&*store, Some(worker)).await);
    }
    let mut sizes = Vec::new();
    for expected in 0..STEPS {
        let steps: Vec<_> = run_ids.iter().map(|run_id| keep(*run_id, expected)).collect();
        let steps: Vec<_> = steps.iter().collect();
        store.commit_steps(worker, &steps).await.expect("a valid worker can commit");
        if [WARM_UP, STEPS - 1].contains(&expected) {
            const SIZE: &str = "SELECT pg_relation_size('piton_runs')";
            let mut connection = PgConnection::connect(&url).await.expect("the server is there");
            let size: i64 = sqlx::query_scalar(SIZE).fetch_one(&mut connection).await.expect("ok");
            sizes.push(size);
        }
    }
    // Two hundred more versions of each row, of which those that are read may be kept for a moment.
    assert!(sizes[1] * 4 <= sizes[0] * 5, "the table has grown: {sizes:?} bytes");
    store.close().await;
    let mut connection = PgConnection::connect(&url).await.expect("the server is there");
    let counts = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables \
        WHERE relname = 'piton_runs'";
    let (mut updated, mut hot) = (0_i64, 0_i64);
    let expected = RUNS.cast_signed() * STEPS;
    // The server counts with a delay.
    for _ in 0..200 {
        sqlx::raw_sql("SELECT pg_stat_clear_snapshot()")
            .execute(&mut connection)
            .await
            .expect("ok");
        (updated, hot) = sqlx::query_as(counts).fetch_one(&mut connection).await.expect("ok");
        if updated == expected {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(updated, expected);
    println!("{hot} of {updated} updates stayed in their page; {} bytes", sizes[1]);
    assert!(hot * 100 >= updated * 99, "{hot} of {updated}");
}

/// All connections for reading hang, more callers than there are wait for one, and the worker goes
/// on as ever.
async fn reads_that_hang_hold_up_no_commit_and_no_renewal(url: String) {
    let store = open(&url).await;
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*store, Some(worker)).await;
    let mut lock = PgConnection::connect(&url).await.expect("the server is there");
    let locked = "BEGIN; LOCK TABLE piton_definitions IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(locked).execute(&mut lock).await.expect("nobody else has it");
    let mut reads = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let store = Arc::clone(&store);
        reads.spawn(async move { store.find_definition("order", DefinitionHash(1)).await });
    }
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    let mut observer = PgConnection::connect(&url).await.expect("the server is there");
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.expect("ok") < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let own = async {
        let request = ClaimRequest { worker, workflows: &["order"], limit: 1, inbox_limit: 1 };
        let outcome = store.commit_steps(worker, &[&keep(run_id, 0)]).await;
        assert_eq!(outcome.expect("it can commit"), [CommitOutcome::Committed]);
        store.renew_lease(worker, PATIENCE).await.expect("it can renew");
        store.claim_runs(request).await.expect("it can claim");
    };
    tokio::time::timeout(PATIENCE / 2, own).await.expect("they wait for nobody");
    assert!(reads.try_join_next().is_none(), "none of them has got through");
    sqlx::raw_sql("ROLLBACK").execute(&mut lock).await.expect("it has begun");
    while let Some(read) = reads.join_next().await {
        assert!(read.expect("no panic").expect("it can be read").is_none());
    }
}

/// Commits hang on all connections for them, each with its worker's row locked, and the lease is
/// renewed all the same. Whoever fences the worker waits for them.
async fn commits_that_hang_hold_up_no_renewal(url: String) {
    const LANES: i64 = 3;
    let (store, other) = (open(&url).await, open(&url).await);
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let mut lock = PgConnection::connect(&url).await.expect("the server is there");
    sqlx::raw_sql("BEGIN").execute(&mut lock).await.expect("ok");
    let mut commits = tokio::task::JoinSet::new();
    for _ in 0..LANES {
        let run_id = start(&*store, Some(worker)).await;
        let locked = sqlx::query("SELECT 1 FROM piton_runs WHERE run_id = $1 FOR UPDATE");
        let locked = locked.bind(run_id.as_uuid()).execute(&mut lock).await;
        locked.expect("nobody else has it");
        let store = Arc::clone(&store);
        commits.spawn(async move { store.commit_steps(worker, &[&keep(run_id, 0)]).await });
    }
    until_waiting(&url, LANES).await;
    let renewal = tokio::time::timeout(PATIENCE / 2, store.renew_lease(worker, PATIENCE)).await;
    let renewal = renewal.expect("it waits for nobody").expect("it can renew");
    assert!(matches!(renewal, Renewal::Renewed(_)), "{renewal:?}");
    let fenced = tokio::spawn(async move { other.fence_workers(&[worker.worker_id]).await });
    until_waiting(&url, LANES + 1).await;
    sqlx::raw_sql("ROLLBACK").execute(&mut lock).await.expect("it has begun");
    let let_go = fenced.await.expect("no panic").expect("it can be fenced");
    assert_eq!(let_go, LANES.cast_unsigned());
    while let Some(outcome) = commits.join_next().await {
        // They came first.
        assert_eq!(outcome.expect("no panic").expect("it can commit"), [CommitOutcome::Committed]);
    }
}

/// Waits until so many statements in this database wait for locks.
async fn until_waiting(url: &str, count: i64) {
    let waiting = "SELECT count(*) FROM pg_stat_activity \
        WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let mut observer = PgConnection::connect(url).await.expect("the server is there");
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.expect("ok") < count
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn keep(run_id: RunId, expected: i64) -> CommitStep {
    let disposition = Disposition::Keep { snapshot: vec![8; 300], state: "one".into() };
    CommitStep::new(run_id, StepNo(expected), disposition)
}

#[activity]
async fn stamp(cx: &ActivityContext) -> piton::Result<String> {
    Ok(cx.idempotency_key())
}

#[workflow]
async fn fails_with(text: String) -> piton::Result<()> {
    Err(piton::Error::msg(text))
}

#[workflow]
async fn asks_queue(queue: String) -> piton::Result<String> {
    let first = stamp().await?;
    let second = stamp().queue(queue).await?;
    Ok(first + &second)
}

async fn a_failure_with_nul_is_kept_without_it(url: String) {
    let client = Client::connect(&url).await.expect("the server is here");
    let worker = Worker::new(&client).start().await.expect("it can be started");
    let failed = client.start(fails_with("bad \0 byte".into())).await.expect("it can be started");
    failed.result().await.expect_err("it fails");
    let failure = failed.status().await.expect("it is known").failure;
    assert_eq!(failure.as_deref(), Some("bad \u{FFFD} byte"));
    let ended = client.start(asks_queue("nobody's".into())).await.expect("it can be started");
    for time in ["first", "second"] {
        assert!(ended.terminate("no \0 more").await.expect("it can be terminated"), "{time} time");
    }
    let failure = ended.status().await.expect("it is known").failure;
    assert_eq!(failure.as_deref(), Some("no \u{FFFD} more"));
    worker.shutdown().await.expect("it ends");
    client.close().await;
}

/// As a text with NUL cannot, and a text that is longer than an entry of an index may be.
async fn a_step_that_cannot_be_kept_blocks_its_run(url: String) {
    let client = Client::connect(&url).await.expect("the server is here");
    let worker = Worker::new(&client).start().await.expect("it can be started");
    // Of random characters, since what repeats itself is kept in little room.
    let long: String = (0..500).map(|_| RunId::new().to_string()).collect();
    for queue in ["gp\0u".to_owned(), long] {
        let run = client.start(asks_queue(queue)).await.expect("it can be started");
        let blocked = loop {
            let record = run.status().await.expect("it is known");
            if let Some(reason) = record.blocked {
                break reason.to_string();
            }
            assert_eq!(record.status, RunStatus::Running);
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let why = "a step could not be saved: the database does not keep it: ";
        assert!(blocked.starts_with(why), "{blocked}");
    }
    // Others go on.
    let run = client.start(fails_with("as it should".into())).await.expect("it can be started");
    run.result().await.expect_err("it fails");
    worker.shutdown().await.expect("it ends");
    client.close().await;
}
