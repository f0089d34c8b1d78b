//! A process that is requested to end releases its runs, and no activity is repeated.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use piton::client::Client;
use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger;
use rustix::process::{Pid, Signal, kill_process};

/// Far longer than the release takes, and shorter than the grace period of ten seconds.
const PROMPT: Duration = Duration::from_secs(8);

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn signals_end_it_in_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    for signal in [Signal::TERM, Signal::INT, Signal::TERM] {
        let mut child = start(&url, folder.path(), "serve");
        let asked = Instant::now();
        send(&child, signal);
        let ended = child.wait().expect("it ran");
        assert!(ended.success(), "{signal:?}: {ended}");
        assert!(asked.elapsed() < PROMPT, "{signal:?}: {:?}", asked.elapsed());
        let client = Client::connect(&url).await.expect("the database is whole");
        for id in ["strict", "relaxed"] {
            let run = client.find(id).await.expect("readable").expect("it was started");
            assert_eq!(run.owner, None, "it was handed back");
        }
        let workers = client.store().list_workers().await.expect("readable");
        assert!(workers.is_empty(), "{workers:?}");
        client.close().await;
        for (key, call) in ledger::read(folder.path()).expect("a readable ledger") {
            assert_eq!(call.began, [1], "step {key} was made again");
        }
    }
}

/// The first activity outlasts the grace period: it is interrupted, which counts, and the run is released. The next
/// process makes another attempt.
#[tokio::test]
async fn an_activity_that_outlasts_the_grace_is_cut_off() {
    const GRACE: Duration = Duration::from_millis(300);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    for attempt in [1, 2] {
        let mut child = start(&url, folder.path(), "wait");
        until_begun(folder.path(), attempt).await;
        let asked = Instant::now();
        send(&child, Signal::TERM);
        let ended = child.wait().expect("it ran");
        assert!(ended.success(), "what was cut off is no failure of the worker: {ended}");
        let took = asked.elapsed();
        assert!((GRACE..PROMPT).contains(&took), "{took:?}");
        let client = Client::connect(&url).await.expect("the database is whole");
        let run = client.find("waits").await.expect("readable").expect("it was started");
        assert_eq!(run.owner, None, "it was handed back");
        assert!(run.due_at.is_some(), "whoever comes next goes on at once");
        assert!(client.store().list_workers().await.expect("readable").is_empty());
        client.close().await;
    }
    Gate::new(folder.path()).open().expect("it can be written");
    let child = start(&url, folder.path(), "wait");
    let client = Client::connect(&url).await.expect("the database is whole");
    let run = client.run::<gated>("waits").await.expect("it was started");
    assert_eq!(run.result().await.expect("it completes"), 3);
    send(&child, Signal::TERM);
    assert!(child.wait_with_output().expect("it ran").status.success());
    let calls = ledger::read(folder.path()).expect("a readable ledger");
    let (_, first) = calls.first_key_value().expect("the first activity");
    assert_eq!((&first.began[..], &first.returned[..]), (&[1, 2, 3][..], &[3][..]));
}

/// Waits until the first activity has begun this attempt.
async fn until_begun(folder: &Path, attempt: u32) {
    let started = Instant::now();
    while !ledger::read(folder)
        .is_ok_and(|calls| calls.values().any(|call| call.began.contains(&attempt)))
    {
        assert!(started.elapsed() < PATIENCE, "waited in vain for attempt {attempt}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Starts the program and waits until it serves.
fn start(url: &str, folder: &Path, mode: &str) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_piton-marcher"))
        .args([url, folder.to_str().expect("plain text"), mode])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let output = child.stdout.as_mut().expect("piped");
    BufReader::new(output).read_line(&mut line).expect("readable");
    assert_eq!(line, "ready\n");
    child
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id().cast_signed()).expect("it has one");
    kill_process(pid, signal).expect("it lives");
}
