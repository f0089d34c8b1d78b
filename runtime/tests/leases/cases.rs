//! The cases for every database.

use std::time::Duration;

use piton::store::ArrivalOutcome;

use crate::scene::{Door, OpenAtLast, Scene};

/// An activity blocks the only thread of its runtime for several times the length of the lease. Meanwhile another
/// worker looks for expired leases.
pub fn blocked_threads_do_not_cost_the_lease(scene: &Scene) {
    const LEASE: Duration = Duration::from_secs(2);
    let (door, elsewhere) = (Door::default(), Door::default());
    elsewhere.open();
    let worker = scene.worker(&door, |worker| worker.lease(LEASE));
    let (worker_id, _) = scene.leases()[0];
    let other = scene.worker(&elsewhere, |worker| worker);
    let _at_last = OpenAtLast(&door);
    let run = worker.start();
    assert_eq!(door.attempts(), [1]);
    let end = |leases: &[(i64, i64)]| {
        let lease = leases.iter().find(|(id, _)| *id == worker_id);
        lease.expect("the worker keeps its lease").1
    };
    let later = end(&scene.leases()) + i64::try_from(3 * LEASE.as_micros()).unwrap();
    scene.until(|leases| end(leases) >= later);
    door.open();
    assert_eq!(worker.result_of(&run), 1);
    assert_eq!(door.attempts(), [1]);
    end(&scene.leases());
    worker.shut_down();
    other.shut_down();
    assert_eq!(scene.leases(), []);
}

/// Its runs continue on another worker, and its later writes have no effect.
pub fn a_worker_without_progress_gives_up_its_lease(scene: &Scene) {
    const LEASE: Duration = Duration::from_millis(900);
    let (door, elsewhere) = (Door::default(), Door::default());
    elsewhere.open();
    let worker = scene.worker(&door, |worker| worker.lease(LEASE).max_standstill(2 * LEASE));
    let (worker_id, _) = scene.leases()[0];
    let other = scene.worker(&elsewhere, |worker| worker);
    let _at_last = OpenAtLast(&door);
    let run = worker.start();
    assert_eq!(door.attempts(), [1]);
    scene.until(|leases| leases.iter().all(|(id, _)| *id != worker_id));
    assert_eq!(elsewhere.attempts(), [2]);
    door.open();
    assert_eq!(worker.result_of(&run), 2);
    // It has registered again, and serves as before.
    let next = worker.start();
    assert_eq!(worker.result_of(&next), 1);
    worker.shut_down();
    other.shut_down();
}

/// The writing connection is in the middle of a transaction when everything stops. SQLite has one such connection per
/// process, and one writer per file.
pub fn a_transaction_in_which_everything_stops_does_not_cost_the_lease(scene: &Scene) {
    const LEASE: Duration = Duration::from_secs(2);
    let door = Door::default();
    let worker = scene.worker(&door, |worker| worker.lease(LEASE));
    let lease = scene.leases()[0];
    let _at_last = OpenAtLast(&door);
    let delivered = worker.begins_to_deliver(&door);
    assert_eq!(door.attempts(), [0]);
    let later = lease.1 + i64::try_from(3 * LEASE.as_micros()).unwrap();
    scene.until(|leases| leases[0].0 == lease.0 && leases[0].1 >= later);
    door.open();
    // The transaction was rolled back if its first statement had been executed.
    match worker.end_of(delivered) {
        Ok(outcomes) => assert_eq!(outcomes, [ArrivalOutcome::Unknown]),
        Err(error) => assert!(error.is_retryable(), "{error}"),
    }
    assert_eq!(scene.leases()[0].0, lease.0);
    let run = worker.start();
    assert_eq!(worker.result_of(&run), 1);
    worker.shut_down();
}
