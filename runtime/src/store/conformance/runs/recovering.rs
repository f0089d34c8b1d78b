//! Recovering runs whose claims or starts lost their responses.

use crate::error::StoreError;
use crate::store::conformance::fixture::{LONGER_THAN_LEASE, StoreUnderTest, park, signal};

crate::store::conformance::list_cases!("recovering":
    what_is_owned_and_not_held_comes_back,
    what_is_held_does_not_come_back,
    what_others_own_does_not_come_back,
    what_was_parked_does_not_come_back,
    the_inbox_comes_along,
    a_worker_without_a_lease_recovers_nothing,
);

async fn what_is_owned_and_not_held_comes_back(t: StoreUnderTest) {
    let worker = t.worker().await;
    let started = t.start_owned("a", worker).await;
    let claimed = t.start("b").await;
    t.claim(worker, 1).await;
    let runs = t.store.recover_claims(worker, &[], 10).await.expect("a valid worker can ask");
    let mut run_ids: Vec<_> = runs.iter().map(|run| run.run_id).collect();
    run_ids.sort_unstable();
    let mut expected = [started, claimed];
    expected.sort_unstable();
    assert_eq!(run_ids, expected);
    assert!(runs.iter().all(|run| run.snapshot == b"start"));
}

async fn what_is_held_does_not_come_back(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (held, lost) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let runs = t.store.recover_claims(worker, &[held], 10).await.expect("a valid worker can ask");
    assert_eq!(runs.iter().map(|run| run.run_id).collect::<Vec<_>>(), [lost]);
}

async fn what_others_own_does_not_come_back(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    t.start_owned("a", other).await;
    t.start("b").await;
    let runs = t.store.recover_claims(worker, &[], 10).await.expect("a valid worker can ask");
    assert!(runs.is_empty());
}

async fn what_was_parked_does_not_come_back(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    let runs = t.store.recover_claims(worker, &[], 10).await.expect("a valid worker can ask");
    assert!(runs.is_empty());
}

async fn the_inbox_comes_along(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all((0..3).map(|_| signal(run_id, "x")).collect()).await;
    let runs = t.store.recover_claims(worker, &[], 2).await.expect("a valid worker can ask");
    let [run] = &runs[..] else { panic!("one run is owned") };
    assert_eq!((run.inbox.arrivals.len(), run.inbox_count), (2, 3));
}

async fn a_worker_without_a_lease_recovers_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start_owned("a", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    let recovered = t.store.recover_claims(worker, &[], 10).await;
    assert!(matches!(recovered, Err(StoreError::Fenced)));
}
