//! The items of one call are processed in order, each as if it were alone.

use std::time::Duration;

use crate::model::Handle;
use crate::store::conformance::fixture::{
    LEASE, StoreUnderTest, activity, by_expiry, by_token, by_worker, keep, key, limited, outcome,
    retry, signal,
};
use crate::store::{ActivityEnd, ActivityLimits, CommitOutcome, CommitStep, Effect, FinishOutcome};

crate::store::conformance::list_cases!("batches":
    of_several_ends_of_an_attempt_by_its_worker_the_first_counts,
    of_several_ends_of_an_attempt_by_its_token_the_first_counts,
    of_several_ends_of_an_attempt_by_its_limit_the_first_counts,
    an_attempt_left_to_its_token_is_ended_by_it,
    an_end_beside_one_that_counts_is_judged_by_its_own_worker,
    a_lost_step_beside_others_has_no_consequences,
);

fn put_back(t: &StoreUnderTest) -> ActivityEnd {
    ActivityEnd::PutBack { due_at: t.now() }
}

async fn of_several_ends_of_an_attempt_by_its_worker_the_first_counts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ends = || [outcome(), retry(t.now()), put_back(&t), ActivityEnd::Later];
    for (first, second) in ends().into_iter().flat_map(|it| ends().map(|then| (it.clone(), then))) {
        let run_id = t.queue(worker, vec![activity(0)]).await;
        let made = t.claim_one(worker).await;
        let by_token = by_token(made.key, 1, outcome());
        let is_later = first == ActivityEnd::Later;
        let what = format!("{first:?}, {second:?}");
        let ends =
            vec![by_worker(worker, &made, first), by_worker(worker, &made, second), by_token];
        let last = if is_later { FinishOutcome::Finished } else { FinishOutcome::Stale };
        let expected = [FinishOutcome::Finished, FinishOutcome::Stale, last];
        assert_eq!(t.finish_all(ends).await, expected, "{what}");
        let arrived = t.inbox(run_id).await.len();
        assert!(arrived <= 1, "{what}");
        // Nothing of it is left to be claimed next.
        let gives_up =
            CommitStep { effects: vec![Effect::GiveUp(Handle(0))], ..keep(run_id, 1, "over") };
        t.commit(worker, gives_up).await;
    }
}

async fn of_several_ends_of_an_attempt_by_its_token_the_first_counts(t: StoreUnderTest) {
    let worker = t.worker().await;
    for (first, second) in [
        (outcome(), outcome()),
        (retry(t.now()), outcome()),
        (outcome(), retry(t.now())),
        (retry(t.now()), retry(t.now())),
    ] {
        let run_id = t.queue(worker, vec![activity(0)]).await;
        let made = t.claim_one(worker).await;
        let is_over = first == outcome();
        let what = format!("{first:?}, {second:?}");
        let ends = vec![
            by_token(made.key, 1, first),
            by_token(made.key, 1, second),
            by_worker(worker, &made, outcome()),
        ];
        let expected = [FinishOutcome::Finished, FinishOutcome::Repeated, FinishOutcome::Stale];
        assert_eq!(t.finish_all(ends).await, expected, "{what}");
        assert_eq!(t.inbox(run_id).await.len(), usize::from(is_over), "{what}");
        assert_eq!(t.activity(key(run_id, 0)).await.is_none(), is_over, "{what}");
        let gives_up =
            CommitStep { effects: vec![Effect::GiveUp(Handle(0))], ..keep(run_id, 1, "over") };
        t.commit(worker, gives_up).await;
    }
}

async fn of_several_ends_of_an_attempt_by_its_limit_the_first_counts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let limits = ActivityLimits {
        start_to_close: Some(Duration::from_secs(1)),
        ..ActivityLimits::default()
    };
    let run_id = t.queue(worker, vec![limited(0, limits)]).await;
    let made = t.claim_one(worker).await;
    t.clock.advance(Duration::from_secs(2));
    let ends = vec![
        by_expiry(made.key, 1, retry(t.now())),
        by_expiry(made.key, 1, outcome()),
        by_worker(worker, &made, outcome()),
    ];
    let expected = [FinishOutcome::Finished, FinishOutcome::Stale, FinishOutcome::Stale];
    assert_eq!(t.finish_all(ends).await, expected);
    assert!(t.inbox(run_id).await.is_empty());
    assert_eq!(t.claim_one(worker).await.attempt, 2);
}

async fn an_attempt_left_to_its_token_is_ended_by_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let made = t.claim_one(worker).await;
    let ends = vec![
        by_worker(worker, &made, ActivityEnd::Later),
        by_token(made.key, 1, outcome()),
        by_token(made.key, 1, outcome()),
    ];
    let expected = [FinishOutcome::Finished, FinishOutcome::Finished, FinishOutcome::Repeated];
    assert_eq!(t.finish_all(ends).await, expected);
    assert_eq!(t.inbox(run_id).await, [1]);
}

/// Of the same run, so that its row is locked whatever the result of the first.
async fn an_end_beside_one_that_counts_is_judged_by_its_own_worker(t: StoreUnderTest) {
    let (late, worker) = (t.worker().await, t.worker().await);
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    let (first, second) = (t.claim_one(late).await, t.claim_one(worker).await);
    t.clock.advance(LEASE / 2);
    t.store.renew_lease(worker, LEASE).await.expect("it can be renewed");
    t.clock.advance(LEASE / 2);
    let ends = vec![by_worker(late, &first, outcome()), by_worker(worker, &second, outcome())];
    assert_eq!(t.finish_all(ends).await, [FinishOutcome::Stale, FinishOutcome::Finished]);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn a_lost_step_beside_others_has_no_consequences(t: StoreUnderTest) {
    let worker = t.worker().await;
    let asked = t.queue(worker, vec![activity(0)]).await;
    let fine = t.start_owned("fine", worker).await;
    t.deliver_all(vec![signal(asked, "x"), signal(fine, "x")]).await;
    let changes = |step: CommitStep| CommitStep {
        consumed: vec![1],
        effects: vec![Effect::GiveUp(Handle(0)), Effect::Enqueue(activity(7))],
        ..step
    };
    let late = changes(keep(asked, 0, "late"));
    let outcomes = t.commit_all(worker, vec![late, changes(keep(fine, 0, "on"))]).await;
    assert_eq!(outcomes, [CommitOutcome::Lost, CommitOutcome::Committed]);
    assert_eq!(t.inbox(asked).await, [1]);
    assert!(t.inbox(fine).await.is_empty());
    assert!(t.activity(key(asked, 0)).await.is_some(), "nobody has given it up");
    assert!(t.activity(key(asked, 7)).await.is_none(), "nobody has asked for it");
    assert!(t.activity(key(fine, 7)).await.is_some());
}
