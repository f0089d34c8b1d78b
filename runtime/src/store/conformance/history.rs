//! Past states.

use std::time::Duration;

use super::fixture::{NOTHING, StoreUnderTest, block, close, keep, park};
use crate::model::{RunId, StepNo};
use crate::store::{
    CommitOutcome, CommitStep, Disposition, MAX_HISTORY_BYTES, PastState, WorkerLease,
};

crate::store::conformance::list_cases!("history":
    nothing_is_kept_unless_it_is_asked_for,
    past_states_are_kept_with_their_steps,
    the_last_ones_are_kept,
    the_history_of_a_run_is_bounded_in_bytes,
    what_leaves_no_state_keeps_none,
    a_step_that_is_lost_keeps_nothing,
    runs_have_histories_of_their_own,
);

async fn list(t: &StoreUnderTest, run_id: RunId) -> Vec<i64> {
    let past = t.other.list_history(run_id).await.expect("past states can be listed");
    past.iter().map(|past| past.step_no.0).collect()
}

async fn find(t: &StoreUnderTest, run_id: RunId, step_no: i64) -> Option<PastState> {
    let found = t.other.find_history(run_id, StepNo(step_no)).await;
    found.expect("past states can be looked up")
}

fn kept(keep: u32, step: CommitStep) -> CommitStep {
    CommitStep { keep_history: Some(keep), ..step }
}

async fn commit(t: &StoreUnderTest, worker: WorkerLease, step: CommitStep) {
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
}

async fn nothing_is_kept_unless_it_is_asked_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    commit(&t, worker, keep(run_id, 0, "one")).await;
    commit(&t, worker, kept(0, keep(run_id, 1, "two"))).await;
    assert_eq!(list(&t, run_id).await, NOTHING);
    assert_eq!(find(&t, run_id, 1).await, None);
    assert_eq!(list(&t, RunId::new()).await, NOTHING);
}

async fn past_states_are_kept_with_their_steps(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let at = t.now();
    commit(&t, worker, kept(9, keep(run_id, 0, "one"))).await;
    t.clock.advance(Duration::from_secs(1));
    commit(&t, worker, kept(9, park(run_id, 1, None, 0))).await;
    assert_eq!(list(&t, run_id).await, [2, 1]);
    let (state, snapshot) = ("one".into(), b"one".to_vec());
    let one = PastState { step_no: StepNo(1), at, state, snapshot };
    assert_eq!(find(&t, run_id, 1).await, Some(one));
    let parked = find(&t, run_id, 2).await.expect("it is kept");
    assert_eq!((parked.at, &parked.snapshot[..]), (at + Duration::from_secs(1), &b"parked"[..]));
    let listed = t.store.list_history(run_id).await.expect("past states can be listed");
    assert_eq!((listed[0].state.as_str(), listed[0].bytes), ("parked", 6));
    assert_eq!(find(&t, run_id, 3).await, None);
}

async fn the_last_ones_are_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    for step_no in 0..5 {
        commit(&t, worker, kept(3, keep(run_id, step_no, "on"))).await;
    }
    assert_eq!(list(&t, run_id).await, [5, 4, 3]);
    // A step that keeps none leaves what there is.
    commit(&t, worker, keep(run_id, 5, "on")).await;
    assert_eq!(list(&t, run_id).await, [5, 4, 3]);
    commit(&t, worker, kept(2, keep(run_id, 6, "on"))).await;
    assert_eq!(list(&t, run_id).await, [7, 5]);
}

async fn the_history_of_a_run_is_bounded_in_bytes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let long = |step_no, length| {
        let disposition = Disposition::Keep { snapshot: vec![7; length], state: "long".into() };
        kept(100, CommitStep::new(run_id, StepNo(step_no), disposition))
    };
    let third = MAX_HISTORY_BYTES / 3;
    for step_no in 0..4 {
        commit(&t, worker, long(step_no, third)).await;
    }
    assert_eq!(list(&t, run_id).await, [4, 3, 2]);
    commit(&t, worker, long(4, 2 * third)).await;
    assert_eq!(list(&t, run_id).await, [5, 4]);
    // What is longer by itself is not kept, and is committed all the same.
    commit(&t, worker, long(5, MAX_HISTORY_BYTES + 1)).await;
    assert_eq!(list(&t, run_id).await, [5, 4]);
    commit(&t, worker, long(6, MAX_HISTORY_BYTES)).await;
    assert_eq!(list(&t, run_id).await, [7]);
}

async fn what_leaves_no_state_keeps_none(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (a, b) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let steps = vec![kept(5, keep(a, 0, "one")), kept(5, keep(b, 0, "one"))];
    t.commit_all(worker, steps).await;
    let steps = vec![kept(5, close(a, 1)), kept(5, block(b, 1))];
    assert_eq!(t.commit_all(worker, steps).await, [CommitOutcome::Committed; 2]);
    assert_eq!((list(&t, a).await, list(&t, b).await), (vec![1], vec![1]));
}

async fn a_step_that_is_lost_keeps_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (a, b) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let steps = vec![kept(5, keep(a, 3, "late")), kept(5, keep(b, 0, "one"))];
    assert_eq!(t.commit_all(worker, steps).await, [CommitOutcome::Lost, CommitOutcome::Committed]);
    assert_eq!((list(&t, a).await, list(&t, b).await), (vec![], vec![1]));
}

/// Several at once, with different limits.
async fn runs_have_histories_of_their_own(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut run_ids = Vec::new();
    for n in 0..20 {
        run_ids.push(t.start_owned(&n.to_string(), worker).await);
    }
    for step_no in 0..3 {
        let steps = (1..).zip(&run_ids);
        let steps = steps.map(|(bound, run_id)| kept(bound, keep(*run_id, step_no, "on")));
        let outcomes = t.commit_all(worker, steps.collect()).await;
        assert_eq!(outcomes, [CommitOutcome::Committed; 20]);
    }
    assert_eq!(list(&t, run_ids[0]).await, [3]);
    assert_eq!(list(&t, run_ids[1]).await, [3, 2]);
    for run_id in &run_ids[2..] {
        assert_eq!(list(&t, *run_id).await, [3, 2, 1]);
    }
}
