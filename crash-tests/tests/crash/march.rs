//! The guarantees of each mode of durability after a crash, with real processes that are killed.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicI64, Ordering};

use piton::client::Client;
use piton::codec::decode_snapshot;
use piton::model::RunStatus;
use piton_crash_tests::at_once::at_once_async;
use piton_crash_tests::ledger;
use piton_crash_tests::march::{AHEAD, RUNS, STEPS};

/// Fail points, in the order in which a step passes them.
const POINTS: [&str; 4] = ["before_commit", "after_commit", "before_activity", "after_activity"];

/// Each state is on disk before its operations begin: the database knows every begun step, and only running ones are
/// repeated.
#[test]
fn a_strict_march_repeats_what_was_under_way() {
    at_once_async(POINTS, async |point| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for count in [1, 40, 120] {
            let before = repeats(folder.path());
            let begun_before = begun(folder.path());
            let killed = march(folder.path(), "strict", Some((point, count)));
            assert!(was_killed(&killed), "{point}:{count} was never reached: {killed:?}");
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
    });
}

/// A run is at most this many steps ahead of its checkpoint. These steps and the operation of the checkpoint itself are
/// repeated.
#[test]
fn a_relaxed_march_repeats_no_more_than_it_may() {
    let furthest = AtomicI64::new(0);
    at_once_async(POINTS, async |point| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Of 800 activities, and of commits that make 64 steps durable at the most.
        let counts = if point.ends_with("activity") { [100, 200, 250] } else { [3, 4, 5] };
        for count in counts {
            let before = repeats_by_run(folder.path());
            let killed = march(folder.path(), "relaxed", Some((point, count)));
            assert!(was_killed(&killed), "{point}:{count} was never reached: {killed:?}");
            check_repeats(folder.path(), &before);
            let known = known(folder.path()).await;
            for (run, steps) in begun(folder.path()) {
                let ahead = steps - known[&run];
                assert!(ahead <= AHEAD as i64, "{point}:{count}: {steps} begun, {known:?} known");
                furthest.fetch_max(ahead, Ordering::Relaxed);
            }
        }
        let before = repeats_by_run(folder.path());
        arrive(folder.path(), "relaxed");
        check_repeats(folder.path(), &before);
    });
    let furthest = furthest.into_inner();
    assert!(furthest > AHEAD as i64 / 2, "a march that is {furthest} ahead at most shows nothing");
}

/// A relaxed run waits for its checkpoint before and after an at-most-once activity.
#[test]
fn a_relaxed_march_makes_no_leap_twice() {
    at_once_async(POINTS, async |point| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let counts = [5, 30, 60];
        for count in counts {
            let killed = march(folder.path(), "careful", Some((point, count)));
            assert!(was_killed(&killed), "{point}:{count} was never reached: {killed:?}");
        }
        let ended = march(folder.path(), "careful", None);
        assert!(ended.status.success(), "{ended:?}");
        let calls = ledger::read(folder.path()).expect("a readable ledger");
        let is_leap = |key: &str| !key.ends_with(['0', '2', '4', '6', '8']);
        let leaps: Vec<_> = calls.iter().filter(|(key, _)| is_leap(key)).collect();
        for (key, leap) in &leaps {
            assert_eq!(leap.began, [1], "{point}: {key} was made again");
        }
        // An activity that was requested at a kill may not have begun.
        let least = RUNS as usize * (STEPS as usize / 2 - counts.len());
        assert!(leaps.len() >= least, "{point}: only {}", leaps.len());
    });
}

/// Checks the repeated steps of an interrupted run: those ahead of its checkpoint, and the one that the checkpoint
/// requests.
fn check_repeats(folder: &Path, before: &BTreeMap<String, usize>) {
    for (run, repeated) in repeats_by_run(folder) {
        let repeated = repeated - before.get(&run).copied().unwrap_or_default();
        assert!(repeated <= AHEAD + 1, "{repeated} steps of {run} were made again after a kill");
    }
}

fn was_killed(ended: &Output) -> bool {
    const SIGKILL: i32 = 9;
    ended.status.signal() == Some(SIGKILL)
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

/// The number of surplus begins over all steps.
fn repeats(folder: &Path) -> usize {
    repeats_by_run(folder).values().sum()
}

fn repeats_by_run(folder: &Path) -> BTreeMap<String, usize> {
    let mut repeats = BTreeMap::new();
    for (key, call) in ledger::read(folder).unwrap_or_default() {
        let (run, _) = key.split_once('/').expect("the march has written it");
        *repeats.entry(run.to_owned()).or_default() += call.began.len() - 1;
    }
    repeats
}

/// The number of begun steps of each run.
fn begun(folder: &Path) -> BTreeMap<String, i64> {
    let mut begun = BTreeMap::new();
    for key in ledger::read(folder).unwrap_or_default().keys() {
        let (run, _) = key.split_once('/').expect("the march has written it");
        *begun.entry(run.to_owned()).or_default() += 1;
    }
    begun
}

/// The number of steps of each run that the state on disk has requested.
async fn known(folder: &Path) -> BTreeMap<String, i64> {
    let url = format!("sqlite:{}", folder.join("runs.db").display());
    let client = Client::connect(&url).await.expect("the database is whole");
    let mut known = BTreeMap::new();
    for number in 0..RUNS {
        let id = format!("march-{number}");
        if let Some(run) = client.find(id.as_str()).await.expect("readable") {
            assert_eq!(run.status, RunStatus::Running);
            let snapshot = client.store().find_snapshot(run.run_id).await.expect("readable");
            let snapshot = decode_snapshot(&snapshot.expect("it is running"));
            known.insert(id, snapshot.expect("it is whole").steps.cast_signed());
        }
    }
    client.close().await;
    known
}
