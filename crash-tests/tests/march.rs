//! What each mode of durability promises of a crash, on real processes that are really killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use piton::client::Client;
use piton::model::RunStatus;
use piton_crash_tests::ledger;
use piton_crash_tests::march::{AHEAD, RUNS, STEPS};

/// Points on the way, in the order in which a step passes them.
const POINTS: [&str; 4] = ["before_commit", "after_commit", "before_activity", "after_activity"];

/// Any state of a run is on disk before what it asks for is begun: nothing that was begun is unknown
/// to the database, and only what was under way is made again.
#[tokio::test]
async fn a_strict_march_repeats_what_was_under_way() {
    for point in POINTS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for count in [1, 40, 120] {
            let before = repeats(folder.path());
            let begun_before = begun(folder.path());
            let killed = march(folder.path(), "strict", Some((point, count)));
            assert!(!killed.status.success(), "{point}:{count} was never reached");
            let begun = begun(folder.path());
            let known = known(folder.path()).await;
            for (run, steps) in &begun {
                assert!(known[run] >= *steps, "{point}:{count}: {steps} begun, {known:?} known");
            }
            assert!(begun >= begun_before);
            let repeated = repeats(folder.path()) - before;
            assert!(repeated <= RUNS as usize, "{point}:{count}: {repeated} repeated at once");
        }
        arrive(folder.path(), "strict");
        let repeated = repeats(folder.path());
        assert!(repeated <= 3 * RUNS as usize, "{repeated} steps were made again after 3 kills");
    }
}

#[tokio::test]
async fn a_relaxed_march_repeats_no_more_than_it_may() {
    for point in POINTS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let kills = kill_on_the_way(folder.path(), "relaxed", point);
        arrive(folder.path(), "relaxed");
        let repeated = repeats(folder.path());
        let most = kills * RUNS as usize * (AHEAD + 1);
        assert!(repeated <= most, "{repeated} steps were made again after {kills} kills");
    }
}

/// A run that may be ahead of its checkpoint waits for it before it asks for what is made at most once,
/// and after that.
#[tokio::test]
async fn a_relaxed_march_makes_no_leap_twice() {
    for point in POINTS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let kills = kill_on_the_way(folder.path(), "careful", point);
        let ended = march(folder.path(), "careful", None);
        assert!(ended.status.success(), "{ended:?}");
        let calls = ledger::read(folder.path()).expect("a readable ledger");
        let is_leap = |key: &str| !key.ends_with(['0', '2', '4', '6', '8']);
        let leaps: Vec<_> = calls.iter().filter(|(key, _)| is_leap(key)).collect();
        for (key, leap) in &leaps {
            assert_eq!(leap.began, [1], "{point}: {key} was made again");
        }
        // One that was under way at a kill may not have begun.
        let least = RUNS as usize * (STEPS as usize / 2 - kills);
        assert!(leaps.len() >= least, "{point}: only {} of {kills} kills", leaps.len());
    }
}

/// Has the program die at a point early, in the middle and late. Returns how often it got there.
fn kill_on_the_way(folder: &Path, mode: &str, point: &str) -> usize {
    let lives = [5, 30, 60].map(|count| march(folder, mode, Some((point, count))));
    let kills = lives.iter().filter(|ended| !ended.status.success()).count();
    assert!(kills > 0, "{point} was never reached");
    kills
}

fn march(folder: &Path, mode: &str, kill: Option<(&str, u32)>) -> Output {
    let url = format!("sqlite:{}", folder.join("runs.db").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_piton-marcher"));
    command.arg(url).arg(folder).arg(mode).env_remove("PITON_FAILPOINT");
    if let Some((point, count)) = kill {
        command.env("PITON_FAILPOINT", format!("{point}:{count}=kill"));
    }
    command.output().expect("the program starts")
}

fn arrive(folder: &Path, mode: &str) {
    let ended = march(folder, mode, None);
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stdout, b"arrived\n");
    let begun = begun(folder);
    assert!(begun.values().all(|steps| *steps == i64::from(STEPS)), "{begun:?}");
}

/// How many steps have been begun more than once, each as often as it was too many.
fn repeats(folder: &Path) -> usize {
    let Ok(calls) = ledger::read(folder) else { return 0 };
    calls.values().map(|call| call.began.len() - 1).sum()
}

/// How many steps each run has begun.
fn begun(folder: &Path) -> BTreeMap<String, i64> {
    let mut begun = BTreeMap::new();
    for key in ledger::read(folder).unwrap_or_default().keys() {
        let (run, _) = key.split_once('/').expect("the march has written it");
        *begun.entry(run.to_owned()).or_default() += 1;
    }
    begun
}

/// How many steps of each run the database knows: the start and each commit of a strict march ask
/// for one.
async fn known(folder: &Path) -> BTreeMap<String, i64> {
    let url = format!("sqlite:{}", folder.join("runs.db").display());
    let client = Client::connect(&url).await.expect("the database is whole");
    let mut known = BTreeMap::new();
    for number in 0..RUNS {
        let id = format!("march-{number}");
        if let Some(run) = client.find(id.as_str()).await.expect("readable") {
            assert_eq!(run.status, RunStatus::Running);
            known.insert(id, run.step_no.0 + 1);
        }
    }
    client.close().await;
    known
}
