//! Notifications of a store to the tasks of its own process.
//!
//! Notifications are only hints, but a store that does not announce its own commits is slow.

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::fixture::{StoreUnderTest, block, close, keep, new_run, park, signal};
use crate::model::RunId;
use crate::store::{Ending, NewArrival, NewRun, RunEvent, Subscription};

crate::store::conformance::list_cases!("news":
    a_start_without_an_owner_is_announced,
    a_start_with_an_owner_is_not,
    an_arrival_wakes_a_parked_run,
    parking_with_a_time_is_announced,
    a_time_to_come_is_announced,
    letting_go_is_announced,
    unblocking_is_announced,
    subscribers_learn_of_arrivals,
    an_owner_learns_nothing_of_what_it_delivered,
    subscribers_learn_of_the_end,
    subscribers_learn_of_a_block,
    subscribers_learn_of_a_termination,
    nobody_learns_of_a_lost_step,
    who_waits_for_the_end_learns_how_it_was,
    who_waits_for_the_end_learns_of_a_block,
    who_waits_for_the_end_learns_nothing_else,
);

/// Whether something was announced as due since the last call.
fn is_due(t: &StoreUnderTest) -> bool {
    t.store.hub().due().now_or_never().is_some()
}

fn subscribe(t: &StoreUnderTest, run_id: RunId) -> (Subscription, UnboundedReceiver<RunEvent>) {
    let (sender, receiver) = unbounded_channel();
    (t.store.hub().subscribe(run_id, sender), receiver)
}

async fn a_start_without_an_owner_is_announced(t: StoreUnderTest) {
    assert!(!is_due(&t));
    t.start("a").await;
    assert!(is_due(&t));
    assert!(!is_due(&t));
}

async fn a_start_with_an_owner_is_not(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start_owned("a", worker).await;
    assert!(!is_due(&t));
}

async fn an_arrival_wakes_a_parked_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    assert!(!is_due(&t));
    t.deliver(signal(run_id, "x")).await;
    assert!(is_due(&t));
}

async fn parking_with_a_time_is_announced(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, Some(t.now()), 0)).await;
    assert!(is_due(&t));
}

/// A task that waits for the next due time has to recompute it.
async fn a_time_to_come_is_announced(t: StoreUnderTest) {
    let worker = t.worker().await;
    let later = t.now() + Duration::from_secs(3_600);
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, Some(later), 0)).await;
    assert!(is_due(&t));
    t.start_all(vec![NewRun { start_at: Some(later), ..new_run("b") }]).await;
    assert!(is_due(&t));
}

async fn letting_go_is_announced(t: StoreUnderTest) {
    let (leaving, dying) = (t.worker().await, t.worker().await);
    t.start_owned("a", leaving).await;
    t.start_owned("b", dying).await;
    t.store.release_worker(leaving).await.expect("a worker can leave");
    assert!(is_due(&t));
    t.store.fence_workers(&[dying.worker_id]).await.expect("workers can be fenced");
    assert!(is_due(&t));
}

async fn unblocking_is_announced(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert!(!is_due(&t));
    t.store.unblock_runs(&[], Some(run_id)).await.expect("runs can be unblocked");
    assert!(is_due(&t));
}

async fn subscribers_learn_of_arrivals(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = t.start_owned("b", worker).await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.deliver_all(vec![signal(other, "x"), signal(run_id, "x")]).await;
    assert_eq!(news.try_recv(), Ok(RunEvent::Arrival(run_id)));
    assert!(news.try_recv().is_err());
}

async fn an_owner_learns_nothing_of_what_it_delivered(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.deliver(NewArrival { owner: Some(worker), ..signal(run_id, "x") }).await;
    assert!(news.try_recv().is_err());
}

async fn subscribers_learn_of_the_end(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.commit(worker, keep(run_id, 0, "one")).await;
    assert!(news.try_recv().is_err());
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(news.try_recv(), Ok(RunEvent::Settled(run_id)));
}

async fn subscribers_learn_of_a_block(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(news.try_recv(), Ok(RunEvent::Settled(run_id)));
}

async fn subscribers_learn_of_a_termination(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated");
    assert_eq!(news.try_recv(), Ok(RunEvent::Settled(run_id)));
}

async fn nobody_learns_of_a_lost_step(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let (_subscription, mut news) = subscribe(&t, run_id);
    t.commit_all(worker, vec![close(run_id, 5)]).await;
    assert!(news.try_recv().is_err());
}

async fn who_waits_for_the_end_learns_how_it_was(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = t.start("b").await;
    let [first, second, terminated] = [run_id, run_id, other].map(|id| t.store.hub().watch_end(id));
    t.commit(worker, close(run_id, 0)).await;
    t.store.terminate_run(other, "enough").await.expect("runs can be terminated");
    let ending = first.settled().now_or_never().flatten().expect("it was told");
    assert_eq!(
        close(run_id, 0).disposition.ending().map(|ending| ending()),
        Some((*ending).clone())
    );
    assert_eq!(second.settled().now_or_never(), Some(Some(ending)));
    let ending = terminated.settled().now_or_never().flatten().expect("it was told");
    assert_eq!(*ending, Ending::terminated("enough"));
}

async fn who_waits_for_the_end_learns_of_a_block(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let watch = t.store.hub().watch_end(run_id);
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(watch.settled().now_or_never(), Some(None));
}

async fn who_waits_for_the_end_learns_nothing_else(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (run_id, other) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let watch = t.store.hub().watch_end(run_id);
    t.deliver(signal(run_id, "x")).await;
    t.commit_all(worker, vec![keep(run_id, 0, "one"), close(other, 0)]).await;
    t.commit_all(worker, vec![close(run_id, 5)]).await;
    assert_eq!(watch.settled().now_or_never(), None);
}
