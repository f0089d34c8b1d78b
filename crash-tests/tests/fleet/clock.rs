//! A worker on a host whose clock is wrong, and is then set.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_crash_tests::naps::naps;

use crate::scene::{Scene, wait_until};

/// Renewed within each run, and too long to be lost on a busy machine.
const LEASE: Duration = Duration::from_secs(4);

const NAP: Duration = Duration::from_millis(400);

const NAPS: u32 = 4;

/// Timers and leases go by the database's clock: none is early, none waits for the hour that the
/// host is wrong by, whether the run is held in memory or parked.
pub(crate) async fn a_clock_that_jumps_moves_no_timer_and_no_lease(mut scene: Scene) {
    let Some(library) = library() else {
        let required = std::env::var("PITON_REQUIRE_FAKETIME").is_ok_and(|value| value == "1");
        assert!(!required, "libfaketime is not installed");
        println!("not run: libfaketime is not installed");
        return;
    };
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
    for park_after_ms in ["60000", "0"] {
        let name = format!("skewed_{park_after_ms}");
        let environment = [&environment[..], &[("PITON_PARK_AFTER_MS", park_after_ms)]].concat();
        let worker = scene.worker_at(&name, &scene.url.clone(), LEASE, &environment).await;
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
        let fenced = "SELECT count(*) FROM piton_workers WHERE fenced_at IS NOT NULL";
        assert_eq!(scene.audit.count(fenced).await, 0, "the worker has lost its lease");
        scene.audit.check_steps().await;
        worker.leave().await;
    }
}

/// Where Debian and others put it.
fn library() -> Option<PathBuf> {
    let places = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let mut libraries = places
        .chain([Path::new("/usr/lib").to_owned(), Path::new("/usr/local/lib").to_owned()])
        .map(|place| place.join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists())
}
