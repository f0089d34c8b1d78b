//! A process that is asked to end hands back what it has, and nothing is made twice.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use piton::client::Client;
use piton_crash_tests::ledger;
use rustix::process::{Pid, Signal, kill_process};

/// Far longer than handing back takes, and shorter than the grace of ten seconds that running
/// activities have.
const PROMPT: Duration = Duration::from_secs(8);

#[tokio::test]
async fn signals_end_it_in_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    for signal in [Signal::TERM, Signal::INT, Signal::TERM] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_piton-marcher"))
            .args([url.as_str(), folder.path().to_str().expect("plain text"), "serve"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        assert_eq!(line, "ready\n");
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

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id().cast_signed()).expect("it has one");
    kill_process(pid, signal).expect("it lives");
}
