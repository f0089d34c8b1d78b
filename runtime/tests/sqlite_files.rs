//! SQLite files: opening them, refused files, and several processes on one file.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use piton::error::ConnectError;
use piton::model::{DefinitionHash, Payload, RunId, Timestamp};
use piton::store::{
    ArrivalKind, Clock, ManualClock, NewArrival, NewRun, NewWorker, Renewal, StartOutcome,
    StoreOptions, connect,
};

/// In the child processes of these tests: the file to open.
const FILE: &str = "PITON_TEST_FILE";

/// The same, for children without free space.
const FULL: &str = "PITON_TEST_FULL_FILE";

async fn refused(url: &str) -> ConnectError {
    connect(url).await.expect_err("it cannot be opened")
}

async fn refused_file(path: &Path) -> ConnectError {
    refused(&format!("sqlite:{}", path.display())).await
}

fn new_worker() -> NewWorker {
    NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(3_600) }
}

fn new_run() -> NewRun {
    NewRun {
        run_id: RunId::new(),
        workflow_id: "order-42".into(),
        workflow: "order".into(),
        arguments: Payload::default(),
        snapshot: Vec::new(),
        state: "start".into(),
        definition: DefinitionHash(1),
        owner: None,
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
        terms: None,
    }
}

#[tokio::test]
async fn urls_that_name_no_store_are_refused() {
    for url in ["orders.db", "mysql://db/orders", "sqlite:", "sqlite://", "sqlite:a.db?mode=ro"] {
        let error = refused(url).await;
        assert!(matches!(&error, ConnectError::Url { .. }), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn a_missing_directory_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = refused_file(&directory.path().join("no/such/runs.db")).await;
    assert!(
        matches!(&error, ConnectError::Unreachable { reason, .. } if reason.contains("no/such"))
    );
    assert!(!directory.path().join("no").exists());
}

#[tokio::test]
async fn a_directory_is_not_a_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = refused_file(directory.path()).await;
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_in_the_place_of_the_directory_is_named() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let error = refused_file(&file.path().join("runs.db")).await;
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error:?}");
}

/// A folder in which not even root may create files.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_place_that_cannot_be_written_is_unreachable() {
    let error = refused_file(Path::new("/proc/runs.db")).await;
    assert!(matches!(&error, ConnectError::Unreachable { source: Some(_), .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_of_something_else_is_not_a_database() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, content) in [("short", vec![b'x'; 10]), ("long", vec![b'x'; 100_000])] {
        let path = directory.path().join(name);
        std::fs::write(&path, &content).expect("it can be written");
        let error = refused_file(&path).await;
        assert!(matches!(error, ConnectError::NotADatabase { .. }), "{name}: {error:?}");
        assert_eq!(std::fs::read(&path).expect("it is there"), content, "{name} is untouched");
    }
}

#[tokio::test]
async fn a_damaged_database_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.db");
    let url = format!("sqlite:{}", path.display());
    connect(&url).await.expect("a new file").close().await;
    let mut content = std::fs::read(&path).expect("it is there");
    // The header stays, so that it still looks like a database.
    content[100..].fill(0xA5);
    std::fs::write(&path, content).expect("it can be written");
    let error = refused(&url).await;
    assert!(matches!(error, ConnectError::NotADatabase { .. }), "{error:?}");
}

#[tokio::test]
async fn a_schema_of_a_newer_piton_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.db");
    let url = format!("sqlite:{}", path.display());
    connect(&url).await.expect("a new file").close().await;
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it is a database");
    sqlx::raw_sql(
        "INSERT INTO piton_migrations (version, description, success, checksum, execution_time) \
         VALUES (9000, 'from the future', TRUE, x'00', 0)",
    )
    .execute(&pool)
    .await
    .expect("the table is there");
    pool.close().await;
    let error = refused(&url).await;
    assert!(
        matches!(error, ConnectError::NewerSchema { found: 9_000, known: 1.., .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn tables_of_an_application_are_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("app.db");
    let url = format!("sqlite:{}", path.display());
    let pool = sqlx::SqlitePool::connect(&format!("{url}?mode=rwc")).await.expect("a new file");
    let theirs = "CREATE TABLE _sqlx_migrations (version BIGINT); CREATE TABLE runs (id INTEGER)";
    sqlx::raw_sql(theirs).execute(&pool).await.expect("tables can be made");
    let store = connect(&url).await.expect("their tables do not matter");
    let outcomes = store.start_runs(vec![new_run()]).await.expect("runs can be started");
    assert_eq!(outcomes, [StartOutcome::Started { owned: false }]);
}

#[tokio::test]
async fn a_database_in_memory_keeps_runs() {
    let store = connect("sqlite::memory:").await.expect("memory is always there");
    let run = new_run();
    let key = piton::store::RunKey::RunId(run.run_id);
    store.start_runs(vec![run]).await.expect("runs can be started");
    assert!(store.find_run(&key).await.expect("runs can be looked up").is_some());
    let other = connect("sqlite::memory:").await.expect("memory is always there");
    assert!(other.find_run(&key).await.expect("runs can be looked up").is_none());
}

#[tokio::test]
async fn runs_outlive_the_store() {
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}", directory.path().join("runs.db").display());
    let run = new_run();
    let key = piton::store::RunKey::RunId(run.run_id);
    let store = connect(&url).await.expect("a new file");
    store.start_runs(vec![run]).await.expect("runs can be started");
    store.close().await;
    let store = StoreOptions::default().connect(&url).await.expect("the same file");
    assert!(store.find_run(&key).await.expect("runs can be looked up").is_some());
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let store = connect("sqlite::memory:").await.expect("memory is always there");
    store.close().await;
    store.close().await;
    let error = store.start_runs(vec![new_run()]).await.expect_err("it is closed");
    assert!(!error.is_retryable());
}

/// The child process of the tests below.
#[tokio::test]
async fn child() {
    let Ok(path) = std::env::var(FILE) else { return };
    let store = connect(&format!("sqlite:{path}")).await.expect("the file can be opened");
    let lease = store.register_worker(new_worker()).await.expect("it can register");
    println!("worker {}", lease.worker_id.0);
    // Until it is killed or its input ends.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("input can be read");
    store.release_worker(lease).await.expect("it can leave");
}

fn start_child(path: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["child", "--exact", "--nocapture"])
        .env(FILE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be started")
}

/// Waits until the child has registered.
fn worker_of(child: &mut std::process::Child) -> i64 {
    use std::io::BufRead as _;
    let output = std::io::BufReader::new(child.stdout.as_mut().expect("it is piped"));
    let mut lines = output.lines().map(|line| line.expect("the output is text"));
    let number = lines.find_map(|line| Some(line.split_once("worker ")?.1.to_owned()));
    number.expect("the child registers").parse().expect("a number")
}

#[tokio::test]
async fn ten_processes_may_start_on_an_empty_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.db");
    let mut children: Vec<_> = (0..10).map(|_| start_child(&path)).collect();
    let mut workers: Vec<i64> = children.iter_mut().map(worker_of).collect();
    workers.sort_unstable();
    assert_eq!(workers, (1..=10).collect::<Vec<_>>());
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().expect("it ends").success());
    }
}

#[tokio::test]
async fn a_killed_process_is_found_dead_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.db");
    let store = connect(&format!("sqlite:{}", path.display())).await.expect("a new file");
    let mut child = start_child(&path);
    let worker = piton::model::WorkerId(worker_of(&mut child));
    let dead = async || store.find_dead_workers().await.expect("the dead can be looked for");
    assert_eq!(dead().await, []);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert_eq!(dead().await, [worker]);
    store.fence_workers(&[worker]).await.expect("it can be fenced");
    assert_eq!(dead().await, []);
}

/// The machine's clock is set forward by an hour after the first process: leases continue, because they use the
/// monotonic clock.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_clock_that_is_set_ends_no_lease_and_keeps_none() {
    const MINUTE: i64 = 60_000_000;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("runs.db");
    let url = format!("sqlite:{}", path.display());
    let read = |path: &str| std::fs::read_to_string(path).expect("the system has it");
    let uptime: f64 =
        read("/proc/uptime").split(' ').next().expect("it is first").parse().expect("ok");
    let now = || Timestamp::now().as_micros();
    let origin = now() - (uptime * 1e6) as i64 - 60 * MINUTE;
    let workers = directory.path().join("runs.db.workers");
    std::fs::create_dir(&workers).expect("it is new");
    let boot = read("/proc/sys/kernel/random/boot_id");
    std::fs::write(workers.join(format!("boot-{}", boot.trim())), origin.to_string()).expect("ok");

    let (here, there) =
        (connect(&url).await.expect("a new file"), connect(&url).await.expect("ok"));
    let worker = here.register_worker(new_worker()).await.expect("it can register");
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it is a database");
    let lease = Duration::from_secs(60);
    let renew = async || here.renew_lease(worker, lease).await.expect("the file is there");
    for (ago, is_valid) in [(30 * MINUTE, true), (61 * MINUTE, false)] {
        sqlx::query("UPDATE piton_workers SET lease_expires_at = ?")
            .bind(now() - ago)
            .execute(&pool)
            .await
            .expect("the statement is right");
        match renew().await {
            Renewal::Renewed(until) => {
                assert!(is_valid && (until.as_micros() - now()).abs() < 2 * MINUTE, "{until}");
            }
            Renewal::Fenced => assert!(!is_valid),
        }
        let (fenced, _) = there.fence_expired_workers().await.expect("the file is there");
        assert_eq!(fenced.is_empty(), is_valid);
    }
}

/// Kept so that people can see what happened to it.
#[tokio::test]
async fn a_fenced_worker_is_kept_for_a_week() {
    const DAY: Duration = Duration::from_secs(86_400);
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}", directory.path().join("runs.db").display());
    let clock = ManualClock::new(Timestamp::now());
    let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
    let store = options.connect(&url).await.expect("a new file");
    let register = async || store.register_worker(new_worker()).await.expect("it can register");
    let fenced = register().await.worker_id;
    store.fence_workers(&[fenced]).await.expect("it can be fenced");
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it is a database");
    for (wait, kept) in [(7 * DAY, 1), (Duration::from_secs(1), 0)] {
        clock.advance(wait);
        register().await;
        let rows = "SELECT count(*) FROM piton_workers WHERE worker_id = ?";
        let rows = sqlx::query_scalar::<_, i64>(rows).bind(fenced.0).fetch_one(&pool);
        assert_eq!(rows.await.expect("they can be counted"), kept);
    }
}

#[tokio::test]
async fn a_file_that_is_locked_for_too_long_can_be_tried_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}", directory.path().join("runs.db").display());
    let store = connect(&url).await.expect("a new file");
    let pool = sqlx::SqlitePool::connect(&url).await.expect("it is a database");
    let mut other = pool.acquire().await.expect("it can be opened");
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut *other).await.expect("nobody else writes");
    let run = new_run();
    let key = piton::store::RunKey::RunId(run.run_id);
    let error = store.start_runs(vec![run.clone()]).await.expect_err("the other one writes");
    assert!(error.is_retryable(), "{error:?}");
    let error = piton::Error::from(error);
    assert!(format!("{error:#}").contains("locked"), "{error:#}");
    // Readers do not block anything.
    assert!(store.find_run(&key).await.expect("runs can be looked up").is_none());
    sqlx::raw_sql("ROLLBACK").execute(&mut *other).await.expect("it has begun");
    let outcomes = store.start_runs(vec![run]).await.expect("nobody writes any more");
    assert_eq!(outcomes, [StartOutcome::Started { owned: false }]);
}

/// Writes to a file that nobody can open any more are not acknowledged.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_gone_is_noticed_before_anything_is_acknowledged() {
    for end in ["", "-wal", "-shm"] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("runs.db");
        let store = connect(&format!("sqlite:{}", path.display())).await.expect("a new file");
        let start = async || {
            let run = NewRun { workflow_id: RunId::new().to_string(), ..new_run() };
            store.start_runs(vec![run]).await.map(drop)
        };
        let worker = store.register_worker(new_worker()).await.expect("it can register");
        let is_told = |told: Result<(), piton::error::StoreError>, what: &str| {
            let error = told.expect_err(what);
            assert!(error.is_retryable(), "{what}: {error:?}");
            let text = format!("{:#}", piton::Error::from(error));
            let name = format!("runs.db{end} was moved, deleted or replaced");
            assert!(text.contains(&name), "{what}: {text}");
        };
        let look = async || {
            let key = piton::store::RunKey::WorkflowId("order-42".into());
            store.find_run(&key).await.map(drop)
        };
        start().await.expect("the file is there");
        let again = RunId::new();
        let (file, aside) =
            (directory.path().join(format!("runs.db{end}")), path.with_extension("x"));
        std::fs::rename(&file, &aside).expect("it is there");
        is_told(start().await, "moved");
        is_told(look().await, "moved, and read");
        let renewal = store.renew_lease(worker, Duration::from_secs(60)).await;
        is_told(renewal.map(drop), "moved, and renewed");
        std::fs::copy(&aside, &file).expect("it can be copied");
        is_told(start().await, "replaced by a copy");
        std::fs::rename(&aside, &file).expect("it is there");
        start().await.expect("the file is there again");
        let open = new_run();
        store.start_runs(vec![open.clone()]).await.expect("the file is there");
        std::fs::remove_file(&file).expect("it is there");
        is_told(start().await, "deleted");
        // A repeated call finds what the previous one has written to the deleted file.
        for time in ["once", "twice"] {
            let kind = ArrivalKind::Signal { name: "go".into(), payload: Payload::default() };
            let dedup_key = Some("key".to_owned());
            let arrival = NewArrival { run_id: open.run_id, kind, dedup_key, owner: None };
            is_told(store.deliver(vec![arrival]).await.map(drop), &format!("sent {time}"));
            let started = NewRun { workflow_id: "another".into(), run_id: again, ..new_run() };
            let what = format!("started {time}");
            is_told(store.start_runs(vec![started]).await.map(drop), &what);
            let ended = store.terminate_run(open.run_id, "enough").await;
            is_told(ended.map(drop), &format!("terminated {time}"));
            is_told(look().await, &format!("read after it was asked {time}"));
        }
    }
}

/// The child process with a limit of the file size. It learns by its input when the limit is lifted.
#[tokio::test]
async fn child_without_space() {
    let Ok(path) = std::env::var(FULL) else { return };
    let store = connect(&format!("sqlite:{path}")).await.expect("there is enough for that");
    let bulky =
        || NewRun { workflow_id: RunId::new().to_string(), snapshot: vec![7; 20_000], ..new_run() };
    let mut started = Vec::new();
    let (error, refused) = loop {
        let run = bulky();
        match store.start_runs(vec![run.clone()]).await {
            Ok(_) => started.push(run.run_id),
            Err(error) => break (error, run),
        }
    };
    assert!(error.is_retryable() && !started.is_empty(), "{error:?}");
    println!("full {:#}", piton::Error::from(error));
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("input can be read");
    started.push(refused.run_id);
    store.start_runs(vec![refused]).await.expect("there is space again");
    for run_id in started {
        let key = piton::store::RunKey::RunId(run_id);
        assert!(store.find_run(&key).await.expect("runs can be looked up").is_some());
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_named_and_loses_nothing() {
    use std::io::BufRead as _;
    const LIMIT: &str = "--fsize=400000:unlimited";
    let directory = tempfile::tempdir().expect("a directory");
    let script = r#"trap '' XFSZ; exec prlimit "$@""#;
    let mut child = Command::new("sh")
        .args(["-c", script, "sh", LIMIT])
        .arg(std::env::current_exe().expect("this program has a path"))
        .args(["child_without_space", "--exact", "--nocapture"])
        .env(FULL, directory.path().join("runs.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell can be started");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let said = output.find_map(|line| Some(line.ok()?.split_once("full ")?.1.to_owned()));
    assert!(said.expect("it gets there").contains("disk"));
    let lifted = Command::new("prlimit")
        .args(["--fsize=unlimited:unlimited", "--pid"])
        .arg(child.id().to_string())
        .status();
    let lifted = lifted.expect("it can be started").success();
    drop(child.stdin.take());
    output.for_each(drop);
    assert!(lifted && child.wait().expect("it ends").success());
}
