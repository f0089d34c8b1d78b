//! Promises that are awaited by a workflow id before a run has the id.

use std::time::Duration;

use super::fixture::{StoreUnderTest, close, keep};
use super::promises::{awaits, end_of, of_id, of_run, tells, value};
use crate::model::{Handle, PromiseMessage};
use crate::store::{CommitStep, CompletionOutcome, MAX_AT_ONCE};

super::list_cases!("promises_ahead":
    a_run_that_has_come_and_gone_tells_who_waited_ahead,
    a_run_that_has_come_takes_over_who_waited_ahead,
    nobody_looks_for_a_run_that_nobody_awaits,
    many_who_waited_ahead_are_told,
);

/// Later than any check that was planned before.
const LATER: Duration = Duration::from_mins(10);

impl StoreUnderTest {
    /// Settles due promises.
    async fn settle(&self) {
        while self.store.settle_promises(10).await.expect("promises can be settled") {}
    }
}

async fn a_run_that_has_come_and_gone_tells_who_waited_ahead(t: StoreUnderTest) {
    let worker = t.worker().await;
    let waiting = t.start_owned("waiting", worker).await;
    t.tell(worker, waiting, 0, vec![awaits(&of_id("later"), 4)]).await;
    for _ in 0..20 {
        t.settle().await;
        t.clock.advance(Duration::from_secs(40));
    }
    assert_eq!(t.outcomes(waiting).await, []);
    let waits = t.promise(&of_id("later")).await.map(|record| record.waits);
    assert_eq!(waits, Some(1), "it waits on");

    // The lease of the one before has run out.
    let worker = t.worker().await;
    let later = t.start_owned("later", worker).await;
    t.commit(worker, close(later, 0)).await;
    t.relay(&[later]).await;
    t.clock.advance(LATER);
    t.settle().await;
    assert_eq!(t.outcomes(waiting).await, [(4, end_of(later))]);
    t.clock.advance(LATER);
    t.settle().await;
    assert_eq!(t.outcomes(waiting).await.len(), 1, "the outcome arrives once");
    assert_eq!(t.promise(&of_id("later")).await, None);
}

async fn a_run_that_has_come_takes_over_who_waited_ahead(t: StoreUnderTest) {
    let worker = t.worker().await;
    let waiting = t.start_owned("waiting", worker).await;
    let tokens = ["closes", "resolves"].map(of_id);
    let messages = tokens.iter().zip(0..).map(|(token, handle)| awaits(token, handle));
    t.tell(worker, waiting, 0, messages.collect()).await;
    let closes = t.start_owned("closes", worker).await;
    let resolves = t.start_owned("resolves", worker).await;
    t.clock.advance(LATER);
    t.settle().await;
    assert_eq!(t.outcomes(waiting).await, []);
    for run_id in [closes, resolves] {
        let waits = t.promise(&of_run(run_id)).await.map(|record| record.waits);
        assert_eq!(waits, Some(1), "the run's own promise is awaited");
    }
    assert!(t.store.terminate_run(closes, "enough").await.expect("runs can be terminated"));
    t.relay(&[closes]).await;
    assert_eq!(t.outcomes(waiting).await, [(0, end_of(closes))]);
    let done = t.complete(&of_run(resolves), value("yes")).await;
    assert_eq!(done, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(waiting).await, [(0, end_of(closes)), (1, value("yes"))]);
}

async fn nobody_looks_for_a_run_that_nobody_awaits(t: StoreUnderTest) {
    let worker = t.worker().await;
    let waiting = t.start_owned("waiting", worker).await;
    let token = of_id("later");
    t.tell(worker, waiting, 0, vec![awaits(&token, 4)]).await;
    let forgets = PromiseMessage::Forget { token: token.clone(), handle: Handle(4) };
    t.tell(worker, waiting, 1, vec![forgets]).await;
    assert_eq!(t.promise(&token).await, None);
    // What has an outcome is not looked for either.
    assert_eq!(t.complete(&token, value("yes")).await, CompletionOutcome::Completed);
    t.clock.advance(LATER);
    let has_more = t.store.settle_promises(1).await.expect("promises can be settled");
    assert!(!has_more, "nothing is due");
}

async fn many_who_waited_ahead_are_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let count = 2 * MAX_AT_ONCE + 7;
    let run_ids = t.start_many_owned(count as usize, worker).await;
    let steps = run_ids.iter().map(|run_id| CommitStep {
        effects: vec![tells(awaits(&of_id("gone"), 1)), tells(awaits(&of_id("there"), 2))],
        ..keep(*run_id, 0, "waiting")
    });
    t.commit_all(worker, steps.collect()).await;
    while t.relay(&run_ids).await.has_more {}
    let (gone, there) = (t.start_owned("gone", worker).await, t.start_owned("there", worker).await);
    t.commit(worker, close(gone, 0)).await;
    t.relay(&[gone]).await;
    t.clock.advance(LATER);
    t.settle().await;
    for run_id in &run_ids {
        assert_eq!(t.outcomes(*run_id).await, [(1, end_of(gone))]);
    }
    let waits = t.promise(&of_run(there)).await.map(|record| record.waits);
    assert_eq!(waits, Some(u64::from(count)));
    assert_eq!(t.complete(&of_id("there"), value("yes")).await, CompletionOutcome::Completed);
    for run_id in run_ids {
        assert_eq!(t.outcomes(run_id).await, [(1, end_of(gone)), (2, value("yes"))]);
    }
}
