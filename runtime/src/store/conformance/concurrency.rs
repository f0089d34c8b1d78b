//! Concurrent calls through two connections to one database.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::fixture::{
    LONGER_THAN_LEASE, QUEUE, StoreUnderTest, WORKFLOW, activity, by_worker, claim_of, close, keep,
    keyed, new_run, new_worker, outcome, park, signal,
};
use crate::model::{RunId, StepNo};
use crate::store::{
    Arrival, ArrivalOutcome, ClaimRequest, CommitOutcome, CommitStep, FinishOutcome, NewRun,
    StartOutcome, Store, WorkerLease,
};

crate::store::conformance::list_cases!("concurrency":
    claimers_never_share_a_run,
    takers_never_share_an_activity,
    an_expired_worker_is_fenced_by_one_of_many,
    one_of_many_starts_with_the_same_workflow_id_wins,
    one_of_many_starts_with_the_same_run_id_wins,
    one_of_many_arrivals_with_the_same_key_wins,
    arrivals_at_once_are_numbered_without_gaps,
    outcomes_and_signals_at_once_are_numbered_without_gaps,
    inboxes_read_at_once_are_not_mixed_up,
    what_arrives_during_a_claim_is_counted_or_does_not_come_with_it,
    one_of_many_commits_of_the_same_step_wins,
    no_arrival_is_lost_between_reading_and_parking,
    fencing_and_committing_exclude_each_other,
    a_dropped_call_has_its_whole_effect_or_none,
);

impl StoreUnderTest {
    /// One of the two connections, alternating.
    fn either(&self, turn: usize) -> Arc<dyn Store> {
        Arc::clone(if turn.is_multiple_of(2) { &self.store } else { &self.other })
    }
}

/// Runs `count` tasks concurrently and returns their results.
async fn at_once<F, T>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let tasks: Vec<_> = (0..count).map(|number| tokio::spawn(task(number))).collect();
    join_all(tasks).await.into_iter().map(|done| done.expect("no task panics")).collect()
}

async fn claim_through(store: &Arc<dyn Store>, worker: WorkerLease, limit: u32) -> Vec<RunId> {
    let request = ClaimRequest { worker, workflows: &[WORKFLOW], limit, inbox_limit: 10 };
    let claimed = store.claim_runs(request).await.expect("a valid worker can claim");
    claimed.runs.iter().map(|run| run.run_id).collect()
}

async fn claimers_never_share_a_run(t: StoreUnderTest) {
    t.start_all((0..200).map(|n| new_run(&n.to_string())).collect()).await;
    let claims = at_once(6, |number| {
        let store = t.either(number);
        async move {
            let worker = store.register_worker(new_worker()).await.expect("a worker can register");
            let mut claimed = Vec::new();
            // Enough tries for each to find nothing more, whatever the others leave.
            for _ in 0..60 {
                claimed.extend(claim_through(&store, worker, 7).await);
            }
            claimed
        }
    })
    .await;
    let all: Vec<RunId> = claims.concat();
    let distinct: HashSet<RunId> = all.iter().copied().collect();
    assert_eq!((all.len(), distinct.len()), (200, 200));
}

async fn takers_never_share_an_activity(t: StoreUnderTest) {
    let owner = t.worker().await;
    t.queue(owner, (0..100).map(activity).collect()).await;
    let taken = at_once(8, |number| {
        let store = t.either(number);
        async move {
            let worker = store.register_worker(new_worker()).await.expect("a worker can register");
            let mut taken = Vec::new();
            for _ in 0..30 {
                let claim = store.claim_activities(claim_of(worker, &[(QUEUE, 7)])).await;
                taken.extend(claim.expect("a valid worker can claim").activities);
            }
            taken
        }
    })
    .await;
    let all: Vec<_> = taken.concat().into_iter().map(|taken| (taken.key, taken.attempt)).collect();
    assert!(all.iter().all(|(_, attempt)| *attempt == 1), "{all:?}");
    let distinct: HashSet<_> = all.iter().copied().collect();
    assert_eq!((all.len(), distinct.len()), (100, 100));
}

async fn an_expired_worker_is_fenced_by_one_of_many(t: StoreUnderTest) {
    for round in 0..10 {
        let worker = t.worker().await;
        let run_id = t.start_owned(&round.to_string(), worker).await;
        t.clock.advance(LONGER_THAN_LEASE);
        let fenced = at_once(4, |number| {
            let store = t.either(number);
            async move { store.fence_expired_workers().await.expect("workers can be fenced") }
        })
        .await;
        let of_it: Vec<_> = fenced.into_iter().filter(|(workers, _)| !workers.is_empty()).collect();
        assert_eq!(of_it, [(vec![worker.worker_id], 1)]);
        t.store.terminate_run(run_id, "enough").await.expect("it can be terminated");
    }
}

async fn one_of_many_starts_with_the_same_workflow_id_wins(t: StoreUnderTest) {
    let outcomes = at_once(8, |number| {
        let store = t.either(number);
        async move { store.start_runs(vec![new_run("a")]).await.expect("runs can be started") }
    })
    .await;
    let key = crate::store::RunKey::WorkflowId("a".into());
    let winner = t.store.find_run(&key).await.expect("runs can be looked up").expect("one won");
    let taken = vec![StartOutcome::IdTaken { run_id: winner.run_id }];
    let started = vec![StartOutcome::Started { owned: false }];
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == started).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == taken).count(), 7);
}

async fn one_of_many_starts_with_the_same_run_id_wins(t: StoreUnderTest) {
    let run = new_run("a");
    let outcomes = at_once(8, |number| {
        let (store, run) = (t.either(number), run.clone());
        async move { store.start_runs(vec![run]).await.expect("runs can be started") }
    })
    .await;
    let repeated = outcomes.iter().filter(|outcome| outcome[..] == [StartOutcome::Repeated]);
    assert_eq!(repeated.count(), 7);
}

async fn one_of_many_arrivals_with_the_same_key_wins(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let outcomes = at_once(8, |number| {
        let store = t.either(number);
        async move {
            let outcomes = store.deliver(vec![keyed(run_id, "once")]).await;
            outcomes.expect("arrivals can be delivered").remove(0)
        }
    })
    .await;
    let duplicates = outcomes.iter().filter(|outcome| **outcome == ArrivalOutcome::Duplicate);
    assert_eq!(duplicates.count(), 7);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn arrivals_at_once_are_numbered_without_gaps(t: StoreUnderTest) {
    let (one, two) = (t.start("a").await, t.start("b").await);
    at_once(8, |number| {
        let store = t.either(number);
        // In both orders, which a store with row locks has to cope with.
        let pair = if number < 4 { [one, two] } else { [two, one] };
        async move {
            for _ in 0..10 {
                let batch = pair.map(|run_id| signal(run_id, "x")).to_vec();
                store.deliver(batch).await.expect("arrivals can be delivered");
            }
        }
    })
    .await;
    let expected: Vec<i64> = (1..=80).collect();
    assert_eq!(t.inbox(one).await, expected);
    assert_eq!(t.inbox(two).await, expected);
}

/// Different runs, and the same run repeatedly, with different offsets and limits.
async fn outcomes_and_signals_at_once_are_numbered_without_gaps(t: StoreUnderTest) {
    const COUNT: usize = 20;
    let worker = t.worker().await;
    let run_id = t.queue(worker, (0..COUNT as u64).map(activity).collect()).await;
    let made = t.claim_activities(worker, COUNT as u32).await;
    assert_eq!(made.len(), COUNT);
    at_once(2 * COUNT, |number| {
        let (store, made) = (t.either(number / 2), made[number / 2].clone());
        async move {
            if number.is_multiple_of(2) {
                let ended =
                    store.finish_activities(vec![by_worker(worker, &made, outcome())]).await;
                assert_eq!(ended.expect("attempts can be ended"), [FinishOutcome::Finished]);
            } else {
                store.deliver(vec![signal(run_id, "x")]).await.expect("it can be delivered");
            }
        }
    })
    .await;
    assert_eq!(t.inbox(run_id).await, (1..=2 * COUNT as i64).collect::<Vec<_>>());
}

async fn inboxes_read_at_once_are_not_mixed_up(t: StoreUnderTest) {
    const RUNS: usize = 40;
    let mut run_ids = Vec::new();
    for number in 0..RUNS {
        let run_id = t.start(&number.to_string()).await;
        let arrivals = (0..number % 5).map(|at| signal(run_id, &format!("{number} {at}")));
        t.store.deliver(arrivals.collect()).await.expect("arrivals are accepted");
        run_ids.push(run_id);
    }
    let read = at_once(RUNS * 4, |turn| {
        let (store, number) = (t.either(turn / 2), turn / 4);
        let run_id = run_ids[number];
        let (after, limit) = [(0, 10), (0, 2), (1, 10), (3, 1)][turn % 4];
        async move {
            let inbox = store.read_inbox(run_id, after, limit).await.expect("it can be read");
            let range = i64::from(limit).min((number as i64 % 5 - after).max(0));
            let expected: Vec<_> = (after..after + range)
                .map(|at| Arrival {
                    seq: at + 1,
                    kind: signal(run_id, &format!("{number} {at}")).kind,
                })
                .collect();
            (inbox.arrivals, expected)
        }
    })
    .await;
    for (inbox, expected) in read {
        assert_eq!(inbox, expected);
    }
}

async fn what_arrives_during_a_claim_is_counted_or_does_not_come_with_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    for round in 0..20 {
        let run_id = t.start(&round.to_string()).await;
        let arrivals = |store: Arc<dyn Store>| async move {
            for _ in 0..4 {
                store.deliver(vec![signal(run_id, "x")]).await.expect("it can be delivered");
            }
        };
        let claim = async {
            loop {
                // A run that something is arriving for may be passed over.
                if let Some(run) = t.claim(worker, 1).await.pop() {
                    return run;
                }
            }
        };
        let ((), (), run) = tokio::join!(arrivals(t.either(0)), arrivals(t.either(1)), claim);
        let numbers: Vec<i64> = run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect();
        assert_eq!(numbers, (1..=run.inbox_count).collect::<Vec<_>>());
    }
}

async fn one_of_many_commits_of_the_same_step_wins(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let outcomes = at_once(8, |number| {
        let store = t.either(number);
        async move {
            let step = keep(run_id, 0, &number.to_string());
            store.commit_steps(worker, &[&step]).await.expect("a valid worker can commit")[0]
        }
    })
    .await;
    let lost = outcomes.iter().filter(|outcome| **outcome == CommitOutcome::Lost).count();
    assert_eq!(lost, 7);
    let winner = outcomes.iter().position(|outcome| *outcome == CommitOutcome::Committed);
    let run = t.record(run_id).await;
    assert_eq!((Some(run.state), run.step_no), (winner.map(|n| n.to_string()), StepNo(1)));
}

async fn no_arrival_is_lost_between_reading_and_parking(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs: Vec<NewRun> =
        (0..40).map(|n| NewRun { owner: Some(worker), ..new_run(&n.to_string()) }).collect();
    let run_ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    t.start_all(runs).await;
    at_once(2 * run_ids.len(), |number| {
        let store = t.either(number);
        let run_id = run_ids[number / 2];
        async move {
            if number.is_multiple_of(2) {
                let parked = store.commit_steps(worker, &[&park(run_id, 0, None, 0)]).await;
                parked.expect("a valid worker can commit");
            } else {
                store.deliver(vec![signal(run_id, "x")]).await.expect("it can be delivered");
            }
        }
    })
    .await;
    assert_eq!(t.claim(worker, 100).await.len(), run_ids.len());
}

async fn fencing_and_committing_exclude_each_other(t: StoreUnderTest) {
    for round in 0..10 {
        let worker = t.worker().await;
        let run_id = t.start_owned(&round.to_string(), worker).await;
        let step = close(run_id, 0);
        let steps = [&step];
        let (commit, fence) = tokio::join!(
            t.store.commit_steps(worker, &steps),
            t.other.fence_workers(std::slice::from_ref(&worker.worker_id)),
        );
        let committed = commit.is_ok_and(|outcomes| outcomes == [CommitOutcome::Committed]);
        let let_go = fence.expect("workers can be fenced");
        assert_eq!(let_go, u64::from(!committed), "either the step or the fence came first");
        assert_eq!(t.record(run_id).await.status.is_open(), !committed);
    }
}

async fn a_dropped_call_has_its_whole_effect_or_none(t: StoreUnderTest) {
    let worker = t.worker().await;
    for polls in 0..20 {
        let run_id = t.start_owned(&polls.to_string(), worker).await;
        t.deliver(signal(run_id, "x")).await;
        let step = CommitStep { consumed: vec![1], ..keep(run_id, 0, "one") };
        let steps = [&step];
        let mut call = t.store.commit_steps(worker, &steps);
        for _ in 0..polls {
            if call.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(call);
        // Whatever the dropped call left behind has been settled before the next one is answered.
        let outcome = t.commit(worker, keep(run_id, 1, "two")).await;
        let committed = outcome == CommitOutcome::Committed;
        let run = t.record(run_id).await;
        assert_eq!(run.step_no, StepNo(if committed { 2 } else { 0 }));
        assert_eq!(t.inbox(run_id).await.is_empty(), committed);
    }
}
