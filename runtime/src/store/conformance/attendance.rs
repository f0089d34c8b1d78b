//! Timeouts that do not count time without a worker.

use std::time::Duration;

use crate::model::{RunId, Terms, TimeoutClock, Timestamp};
use crate::store::NewRun;
use crate::store::conformance::fixture::{StoreUnderTest, close, new_run};

crate::store::conformance::list_cases!("attendance":
    a_deadline_moves_by_the_time_without_a_worker,
    time_counts_while_a_worker_is_there,
    only_what_has_begun_and_is_not_over_moves,
    each_workflow_has_an_account_of_its_own,
    what_goes_by_the_calendar_stays,
    runs_that_are_over_stay,
    nobody_says_that_another_is_there_for_less,
    of_ten_workers_at_once_one_moves_the_deadlines,
);

const HOLD: Duration = Duration::from_secs(10);

const HOUR: Duration = Duration::from_secs(3600);

/// The workflow of [`new_run`].
fn workflow() -> String {
    new_run("any").workflow
}

fn timed(t: &StoreUnderTest, id: &str, clock: TimeoutClock, delay: Duration) -> NewRun {
    let terms = Terms { run_timeout: Some(HOUR), clock, ..Terms::default() };
    let due_at = t.now() + delay;
    NewRun { terms: Some(Box::new(terms.begin(due_at))), ..new_run(id) }
}

async fn started(t: &StoreUnderTest, id: &str) -> RunId {
    let run = timed(t, id, TimeoutClock::Attended, Duration::ZERO);
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    run_id
}

async fn attend(t: &StoreUnderTest, workflow: &str) -> u64 {
    t.store.attend(&[workflow], HOLD).await.expect("a worker can say that it is there")
}

async fn deadline(t: &StoreUnderTest, run_id: RunId) -> Option<Timestamp> {
    let terms = t.store.find_terms(run_id).await.expect("they can be read");
    terms.expect("it has some").deadline()
}

async fn expired(t: &StoreUnderTest) -> Vec<(RunId, Timestamp)> {
    let expired = t.store.find_expired(None, 9).await.expect("they can be found");
    expired.runs.iter().map(|run| (run.run_id, run.deadline_at)).collect()
}

async fn a_deadline_moves_by_the_time_without_a_worker(t: StoreUnderTest) {
    let begun = t.now();
    let run_id = started(&t, "a").await;
    t.clock.advance(2 * HOUR);
    assert_eq!(attend(&t, &workflow()).await, 1);
    assert_eq!(deadline(&t, run_id).await, Some(begun + 3 * HOUR));
    assert_eq!(expired(&t).await, []);
    // A second outage, after the time for which the worker was there.
    t.clock.advance(HOLD + HOUR);
    assert_eq!(attend(&t, &workflow()).await, 1);
    assert_eq!(deadline(&t, run_id).await, Some(begun + 4 * HOUR));
    t.clock.advance(HOUR - HOLD);
    assert_eq!(expired(&t).await, [(run_id, begun + 4 * HOUR)]);
}

async fn time_counts_while_a_worker_is_there(t: StoreUnderTest) {
    attend(&t, &workflow()).await;
    let begun = t.now();
    let run_id = started(&t, "a").await;
    for _ in 0..20 {
        assert_eq!(attend(&t, &workflow()).await, 0);
        t.clock.advance(HOLD);
    }
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR));
}

async fn only_what_has_begun_and_is_not_over_moves(t: StoreUnderTest) {
    let begun = t.now();
    let first = started(&t, "first").await;
    attend(&t, &workflow()).await;
    t.clock.advance(HOLD);
    let run = timed(&t, "later", TimeoutClock::Attended, HOUR);
    let later = run.run_id;
    t.start_all(vec![run]).await;
    let over = timed(&t, "over", TimeoutClock::Attended, Duration::ZERO);
    let short = Terms { run_timeout: Some(HOLD / 2), ..*over.terms.clone().expect("it has some") };
    let over = NewRun { terms: Some(Box::new(short.begin(begun))), ..over };
    let over_id = over.run_id;
    t.start_all(vec![over]).await;
    t.clock.advance(2 * HOUR);
    assert_eq!(attend(&t, &workflow()).await, 2);
    assert_eq!(deadline(&t, first).await, Some(begun + 3 * HOUR));
    // It was due after half of the outage.
    assert_eq!(deadline(&t, later).await, Some(begun + HOLD + 3 * HOUR));
    assert_eq!(expired(&t).await, [(over_id, begun + HOLD / 2)]);
}

async fn each_workflow_has_an_account_of_its_own(t: StoreUnderTest) {
    let begun = t.now();
    let run_id = started(&t, "a").await;
    t.clock.advance(HOUR / 2);
    assert_eq!(attend(&t, "another").await, 0);
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR));
    let both = [&*workflow(), "another"];
    assert_eq!(t.store.attend(&both, HOLD).await.expect("they are there"), 1);
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR + HOUR / 2));
}

async fn what_goes_by_the_calendar_stays(t: StoreUnderTest) {
    let begun = t.now();
    started(&t, "attended").await;
    let run = timed(&t, "calendar", TimeoutClock::Calendar, Duration::ZERO);
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    t.clock.advance(2 * HOUR);
    assert_eq!(attend(&t, &workflow()).await, 1);
    assert_eq!(expired(&t).await, [(run_id, begun + HOUR)]);
}

async fn runs_that_are_over_stay(t: StoreUnderTest) {
    let begun = t.now();
    let worker = t.worker().await;
    let run = timed(&t, "a", TimeoutClock::Attended, Duration::ZERO);
    let run_id = run.run_id;
    t.start_all(vec![NewRun { owner: Some(worker), ..run }]).await;
    t.commit(worker, close(run_id, 0)).await;
    t.clock.advance(HOUR / 2);
    assert_eq!(attend(&t, &workflow()).await, 0);
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR));
}

async fn nobody_says_that_another_is_there_for_less(t: StoreUnderTest) {
    let begun = t.now();
    let run_id = started(&t, "a").await;
    let other = NewRun {
        workflow: "another".into(),
        ..timed(&t, "b", TimeoutClock::Attended, Duration::ZERO)
    };
    t.start_all(vec![other]).await;
    let long = t.store.attend(&[&workflow()], HOUR).await;
    assert_eq!(long.expect("it is there"), 0);
    // The account of the other workflow is at its end.
    t.clock.advance(HOLD);
    let both = [&*workflow(), "another"];
    assert_eq!(t.store.attend(&both, HOLD).await.expect("they are there"), 1);
    t.clock.advance(HOUR / 2);
    assert_eq!(attend(&t, &workflow()).await, 0);
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR));
}

async fn of_ten_workers_at_once_one_moves_the_deadlines(t: StoreUnderTest) {
    let begun = t.now();
    let run_id = started(&t, "a").await;
    t.clock.advance(HOUR / 2);
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (store, workflow) = (t.store.clone(), workflow());
        racing.spawn(async move { store.attend(&[&workflow], HOLD).await });
    }
    let moved = racing.join_all().await;
    let moved: u64 = moved.into_iter().map(|moved| moved.expect("it can say so")).sum();
    assert_eq!(moved, 1);
    assert_eq!(deadline(&t, run_id).await, Some(begun + HOUR + HOUR / 2));
}
