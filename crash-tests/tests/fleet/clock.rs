//! A worker on a host whose clock is wrong, and is then set.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::naps::naps;

use crate::scene::{Scene, wait_until};

/// Renewed within each run, and too long to be lost on a busy machine.
const LEASE: Duration = Duration::from_secs(4);

const NAP: Duration = Duration::from_millis(400);

const NAPS: u32 = 4;

/// Timers and leases use the database's clock: no timer is early or late by the error of the host's clock, with runs in
/// memory and parked. Another worker with a correct clock keeps its runs and does not fence the wrong one.
pub(crate) async fn a_clock_that_jumps_moves_no_timer_and_no_lease(mut scene: Scene) {
    let library = library().expect("the test is not run without it");
    let wrong_by = scene.folder.path().join("wrong_by");
    let set_clock = |by: &str| std::fs::write(&wrong_by, by).expect("it can be written");
    set_clock("+1h");
    let environment = [
        ("LD_PRELOAD", library.to_str().expect("it is text")),
        ("FAKETIME_TIMESTAMP_FILE", wrong_by.to_str().expect("it is text")),
        ("FAKETIME_NO_CACHE", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("DONT_FAKE_MONOTONIC", "1"),
    ];
    let url = scene.url.clone();
    let room = [("PITON_MAX_RUNS", "2")];
    let steady = scene.worker_at("steady", &url, LEASE, &room).await;
    let mut held = Vec::new();
    for number in 0..2 {
        held.push(scene.client.start(gated(number)).await.expect("it can be started"));
    }
    let audit = &mut scene.audit;
    // The worker has no room for more runs.
    wait_until("they are owned", async || audit.owned_by("steady").await == 2).await;
    for park_after_ms in ["60000", "0"] {
        let name = format!("skewed_{park_after_ms}");
        let environment = [&environment[..], &[("PITON_PARK_AFTER_MS", park_after_ms)]].concat();
        let worker = scene.worker_at(&name, &url, LEASE, &environment).await;
        let run = scene.client.start(naps(NAP, NAPS)).await.expect("it can be started");
        for (step, by) in [(1, "-1h"), (2, "+24h"), (3, "+0")] {
            let audit = &mut scene.audit;
            let steps = format!("SELECT step_no FROM piton_runs WHERE run_id = '{}'", run.run_id());
            wait_until("it sleeps", async || audit.count(&steps).await >= step).await;
            set_clock(by);
        }
        run.result().await.expect("it completes");
        let sql = format!(
            "SELECT closed_at - started_at FROM piton_runs WHERE run_id = '{}'",
            run.run_id()
        );
        let took = Duration::from_micros(scene.audit.count(&sql).await.cast_unsigned());
        assert!(took >= NAP * NAPS, "timers were early: {took:?}");
        assert!(took < NAP * NAPS + Duration::from_secs(20), "timers were late: {took:?}");
        let fenced = scene.audit.fenced().await;
        assert!(fenced.is_empty(), "{fenced:?} have lost their leases");
        let claims =
            format!("SELECT count(*) FROM audit_claims WHERE run_id = '{}' AND who", run.run_id());
        assert_eq!(scene.audit.count(&format!("{claims} <> '{name}'")).await, 0, "of another");
        if park_after_ms != "0" {
            assert_eq!(scene.audit.count(&format!("{claims} = '{name}'")).await, 1, "given up");
        }
        scene.audit.check_steps().await;
        worker.leave().await;
    }
    let kept = "SELECT count(*) FROM audit_claims WHERE who = 'steady'";
    assert_eq!(scene.audit.count(kept).await, 2, "its runs have been another's meanwhile");
    assert_eq!(scene.audit.owned_by("steady").await, 2, "its runs were taken away");
    Gate::new(scene.folder.path()).open().expect("it can be written");
    for (number, run) in (0..).zip(held) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    let fenced = scene.audit.fenced().await;
    assert!(fenced.is_empty(), "{fenced:?}");
    scene.audit.check_steps().await;
    steady.leave().await;
}

/// The path of libfaketime on Debian and others.
pub(crate) fn library() -> Option<PathBuf> {
    let places = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let mut libraries = places
        .chain([Path::new("/usr/lib").to_owned(), Path::new("/usr/local/lib").to_owned()])
        .map(|place| place.join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists())
}
