//! A run whose step kills its process is blocked, and the other runs complete.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use piton::client::Client;
use piton::model::{BlockedReason, RunStatus};
use piton_crash_tests::dive::{dive, stroll};

/// The number of healthy runs.
const STROLLS: u64 = 10;

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Two workers, each restarted after its death.
struct Supervisor {
    url: String,
    workers: [Child; 2],
    deaths: u32,
}

impl Supervisor {
    fn new(url: String) -> Self {
        let workers = [start(&url), start(&url)];
        Self { url, workers, deaths: 0 }
    }

    fn look(&mut self) {
        for worker in &mut self.workers {
            if let Some(status) = worker.try_wait().expect("it can be looked at") {
                assert!(!status.success(), "nobody has asked it to end");
                *worker = start(&self.url);
                self.deaths += 1;
            }
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            // It may have died already.
            let _ = worker.kill().and_then(|()| worker.wait().map(drop));
        }
    }
}

fn start(url: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_piton-diver"))
        .arg(url)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

#[tokio::test]
async fn a_run_that_ends_its_process_is_blocked_and_ends_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new database");
    let bad = client.start(dive(0)).await.expect("it can be started");
    let mut strolls = Vec::new();
    for number in 0..STROLLS {
        strolls.push(client.start(stroll(number)).await.expect("it can be started"));
    }
    let mut supervisor = Supervisor::new(url);
    let asked = Instant::now();
    let record = loop {
        supervisor.look();
        let record = bad.status().await.expect("it is there");
        if record.status == RunStatus::Blocked {
            break record;
        }
        assert!(asked.elapsed() < PATIENCE, "{} deaths, {record:?}", supervisor.deaths);
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(matches!(record.blocked, Some(BlockedReason::WorkersDied(_))), "{record:?}");
    assert!((16..32).contains(&supervisor.deaths), "{} deaths", supervisor.deaths);
    let deaths = supervisor.deaths;
    for (number, stroll) in (0..).zip(strolls) {
        let result = tokio::time::timeout(PATIENCE, stroll.result()).await.expect("it goes on");
        assert_eq!(result.expect("it has done nothing wrong"), 5 * number);
    }
    supervisor.look();
    assert_eq!(supervisor.deaths, deaths, "nobody dies any more");
}
