//! Calls on queues that have failed for good.

use std::time::Duration;

use super::fixture::{
    ACTIVITY, QUEUE, StoreUnderTest, activity, by_expiry, by_token, by_worker, close, key, outcome,
};
use super::items::{end, item, offers, start};
use super::promises::value;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{Handle, ItemFailure, Payload, PromiseOutcome, RunId};
use crate::store::{
    ActivityEnd, ActivityKey, ActivityLimits, ClaimedActivity, FailedCall, FailedCallId,
    FailedCallQuery, FinishOutcome, NewActivity, RedriveCall, RemoveClosed, WorkerLease,
};

super::list_cases!("failed_calls":
    a_call_that_has_failed_is_kept_until_it_is_discarded,
    a_call_whose_end_is_stale_is_not_kept,
    a_token_and_a_limit_make_a_call_fail,
    failed_calls_are_listed_in_pages,
    a_failed_call_is_found_by_the_activity_that_it_was,
    a_call_without_a_key_is_redriven_for_nobody,
    a_redriven_call_that_fails_again_is_listed_again,
    a_redriven_item_stands_under_its_key,
    a_failure_that_is_not_told_yet_is_told_before_the_item_is_redriven,
    an_item_whose_key_is_taken_is_not_redriven,
    an_item_is_redriven_after_its_key_was_forgotten,
    those_who_redrive_at_a_time_redrive_once,
    failed_calls_are_removed_with_age_and_with_their_runs,
);

const MINUTE: Duration = Duration::from_secs(60);

fn fails(failure: &str) -> ActivityEnd {
    let outcome = OperationOutcome::Returned(Payload(failure.as_bytes().to_vec()));
    ActivityEnd::Failed { outcome, failure: failure.to_owned() }
}

fn told(failure: &str) -> PromiseOutcome {
    PromiseOutcome::Resolved(Payload(failure.as_bytes().to_vec()))
}

fn all(queue: &str) -> FailedCallQuery<'_> {
    FailedCallQuery { queue, ids: None, after: None, limit: 100 }
}

async fn list(t: &StoreUnderTest, query: FailedCallQuery<'_>) -> Vec<FailedCall> {
    t.other.list_failed_calls(query).await.expect("they can be listed")
}

async fn the_one(t: &StoreUnderTest) -> FailedCall {
    let mut calls = list(t, all(QUEUE)).await;
    assert_eq!(calls.len(), 1);
    calls.remove(0)
}

pub(super) fn again(failed: &FailedCall) -> RedriveCall {
    let limits = ActivityLimits::default();
    RedriveCall { id: failed.id, run_id: RunId::new(), call: b"again".to_vec(), limits }
}

async fn redrive(t: &StoreUnderTest, failed: &FailedCall) -> u64 {
    let redriven = t.store.redrive_calls(QUEUE, vec![again(failed)]).await;
    t.relay(&[failed.key.run_id]).await;
    redriven.expect("they can be put on their queue again")
}

/// Puts an activity on the queue and lets it fail.
async fn fail_one(t: &StoreUnderTest, worker: WorkerLease) -> (RunId, FailedCall) {
    let run_id = t.queue(worker, vec![activity(3)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!(t.finish(by_worker(worker, &claimed, fails("no"))).await, FinishOutcome::Finished);
    (run_id, the_one(t).await)
}

/// Offers an item, lets it fail, and tells those who wait.
async fn fail_item(t: &StoreUnderTest, worker: WorkerLease) -> (RunId, FailedCall) {
    let run_id = start(t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let claimed = t.claim_one(worker).await;
    end(t, by_worker(worker, &claimed, fails("no"))).await;
    assert_eq!(t.outcomes(run_id).await, [(0, told("no"))]);
    (run_id, the_one(t).await)
}

async fn take(t: &StoreUnderTest, worker: WorkerLease) -> ClaimedActivity {
    let [claimed] = &t.claim_activities(worker, 9).await[..] else { panic!("there is one") };
    claimed.clone()
}

async fn a_call_that_has_failed_is_kept_until_it_is_discarded(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (run_id, failed) = fail_one(&t, worker).await;
    assert_eq!(
        t.inbox(run_id).await.len(),
        1,
        "the failed call reaches the inbox like any other end"
    );
    assert_eq!(t.activity(key(run_id, 3)).await, None);
    let expected = FailedCall {
        id: failed.id,
        key: key(run_id, 3),
        queue: QUEUE.to_owned(),
        activity: ACTIVITY.to_owned(),
        call: b"call 3".to_vec(),
        attempts: 1,
        failure: "no".to_owned(),
        failed_at: t.now(),
        priority: 0,
        partition: String::new(),
        item: None,
    };
    assert_eq!(failed, expected);
    let discard = async |queue| t.store.discard_failed_calls(queue, &[failed.id]).await;
    assert_eq!(discard("another").await.expect("they can be discarded"), 0);
    assert_eq!(discard(QUEUE).await.expect("they can be discarded"), 1);
    assert_eq!(discard(QUEUE).await.expect("they can be discarded"), 0);
    assert_eq!(list(&t, all(QUEUE)).await, []);
}

async fn a_failed_call_is_found_by_the_activity_that_it_was(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (run_id, failed) = fail_one(&t, worker).await;
    let find = async |key| t.other.find_failed_call(key).await.expect("it can be looked for");
    assert_eq!(find(key(run_id, 3)).await, Some(failed.clone()));
    assert_eq!(find(key(run_id, 2)).await, None);
    assert_eq!(find(key(RunId::new(), 3)).await, None);
    let discarded = t.store.discard_failed_calls(QUEUE, &[failed.id]).await;
    assert_eq!(discarded.expect("they can be discarded"), 1);
    assert_eq!(find(key(run_id, 3)).await, None);
}

async fn a_call_whose_end_is_stale_is_not_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    let claimed = t.claim_activities(worker, 9).await;
    let done = by_worker(worker, &claimed[0], outcome());
    let late = by_worker(worker, &claimed[0], fails("late"));
    assert_eq!(
        t.finish_all(vec![done, late]).await,
        [FinishOutcome::Finished, FinishOutcome::Stale]
    );
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(t.finish(by_worker(worker, &claimed[1], fails("no"))).await, FinishOutcome::Stale);
    assert_eq!(list(&t, all(QUEUE)).await, []);
}

async fn a_token_and_a_limit_make_a_call_fail(t: StoreUnderTest) {
    let worker = t.worker().await;
    let limits =
        ActivityLimits { start_to_close: Some(Duration::from_secs(5)), ..Default::default() };
    let both = [0, 1].map(|handle| NewActivity { limits, ..activity(handle) });
    let run_id = t.queue(worker, both.to_vec()).await;
    assert_eq!(t.claim_activities(worker, 9).await.len(), 2);
    let by_token = by_token(key(run_id, 0), 1, fails("refused"));
    assert_eq!(t.finish(by_token.clone()).await, FinishOutcome::Finished);
    assert_eq!(t.finish(by_token).await, FinishOutcome::Repeated);
    t.clock.advance(Duration::from_secs(5));
    let outcome = OperationOutcome::TimedOut(TimeoutKind::StartToClose);
    let late = ActivityEnd::Failed { outcome, failure: "late".to_owned() };
    assert_eq!(t.finish(by_expiry(key(run_id, 1), 1, late)).await, FinishOutcome::Finished);
    let failures: Vec<String> =
        list(&t, all(QUEUE)).await.into_iter().map(|call| call.failure).collect();
    assert_eq!(failures, ["refused", "late"]);
}

async fn failed_calls_are_listed_in_pages(t: StoreUnderTest) {
    let worker = t.worker().await;
    let elsewhere = NewActivity { queue: "another".into(), ..activity(9) };
    t.queue(worker, (0..5).map(activity).chain([elsewhere]).collect()).await;
    let claimed = t.claim_activities(worker, 9).await;
    let ends = claimed.iter().map(|one| by_worker(worker, one, fails("no"))).collect();
    t.finish_all(ends).await;
    let mut pages: Vec<Vec<FailedCallId>> = Vec::new();
    let mut after = None;
    loop {
        let page = list(&t, FailedCallQuery { after, limit: 2, ..all(QUEUE) }).await;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        pages.push(page.iter().map(|call| call.id).collect());
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    let ids = pages.concat();
    assert!(ids.is_sorted());
    let some = [ids[3], ids[1], FailedCallId(i64::MAX)];
    let named = list(&t, FailedCallQuery { ids: Some(&some), ..all(QUEUE) }).await;
    assert_eq!(named.iter().map(|call| call.id).collect::<Vec<_>>(), [ids[1], ids[3]]);
    assert_eq!(list(&t, FailedCallQuery { ids: Some(&some), ..all("another") }).await, []);
}

async fn a_call_without_a_key_is_redriven_for_nobody(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (run_id, failed) = fail_one(&t, worker).await;
    assert_eq!(redrive(&t, &failed).await, 1);
    assert_eq!(redrive(&t, &failed).await, 0, "it is no longer there");
    assert_eq!(list(&t, all(QUEUE)).await, []);
    let claimed = take(&t, worker).await;
    assert!(claimed.key.is_item(), "it belongs to no run");
    assert_eq!((claimed.attempt, claimed.call.as_slice()), (2, &b"again"[..]));
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(t.activity(claimed.key).await, None);
    t.relay(&[claimed.key.run_id]).await;
    assert_eq!(t.inbox(run_id).await.len(), 1, "the run is not told again");
}

async fn a_redriven_call_that_fails_again_is_listed_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (_, first) = fail_one(&t, worker).await;
    redrive(&t, &first).await;
    let claimed = take(&t, worker).await;
    assert_eq!(
        t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await,
        FinishOutcome::Finished
    );
    let by_token = by_token(claimed.key, 2, fails("still no"));
    assert_eq!(t.finish(by_token).await, FinishOutcome::Finished);
    let second = the_one(&t).await;
    assert!(second.id > first.id);
    assert_eq!((second.key, second.attempts), (claimed.key, 2));
    assert_eq!(redrive(&t, &second).await, 1);
    let claimed = take(&t, worker).await;
    assert_eq!((claimed.key, claimed.attempt), (second.key, 3));
    assert_eq!(t.finish(by_worker(worker, &claimed, outcome())).await, FinishOutcome::Finished);
    assert_eq!(list(&t, all(QUEUE)).await, []);
}

async fn a_redriven_item_stands_under_its_key(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (first, failed) = fail_item(&t, worker).await;
    assert_eq!(failed.item, Some(("ada:hello".to_owned(), MINUTE)));
    assert_eq!(redrive(&t, &failed).await, 1);
    let claimed = take(&t, worker).await;
    assert_eq!((claimed.key, claimed.attempt), (failed.key, 2));
    // An offer meanwhile waits for the new outcome.
    let second = start(&t, worker).await;
    t.tell(worker, second, 0, vec![offers(&item(QUEUE), 4)]).await;
    assert_eq!(t.claim_keys(worker, 9).await, []);
    end(&t, by_worker(worker, &claimed, outcome())).await;
    let third = start(&t, worker).await;
    t.tell(worker, third, 0, vec![offers(&item(QUEUE), 7)]).await;
    assert_eq!(t.outcomes(first).await, [(0, told("no"))], "the outcome arrives once");
    assert_eq!(t.outcomes(second).await, [(4, value("done"))]);
    assert_eq!(t.outcomes(third).await, [(7, value("done"))]);
    let kept = t.promise(&item(QUEUE)).await.and_then(|record| record.outcome);
    assert_eq!(kept, Some(value("done")));
}

async fn a_failure_that_is_not_told_yet_is_told_before_the_item_is_redriven(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let claimed = t.claim_one(worker).await;
    // The process dies before it relays the end.
    t.finish(by_worker(worker, &claimed, fails("no"))).await;
    let failed = the_one(&t).await;
    let redriven = t.store.redrive_calls(QUEUE, vec![again(&failed)]).await;
    assert_eq!(redriven.expect("it can be put on its queue again"), 1);
    let senders = [failed.key.run_id];
    tokio::join!(t.relay(&senders), t.relay(&senders));
    t.relay(&senders).await;
    assert_eq!(t.outcomes(run_id).await, [(0, told("no"))]);
    let claimed = take(&t, worker).await;
    end(&t, by_worker(worker, &claimed, outcome())).await;
    let kept = t.promise(&item(QUEUE)).await.and_then(|record| record.outcome);
    assert_eq!(kept, Some(value("done")));
    assert_eq!(t.outcomes(run_id).await.len(), 1);
}

async fn an_item_whose_key_is_taken_is_not_redriven(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (_, failed) = fail_item(&t, worker).await;
    t.clock.advance(MINUTE);
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let other = take(&t, worker).await;
    assert_ne!(other.key, failed.key);
    assert_eq!(redrive(&t, &failed).await, 1);
    assert_eq!(t.claim_keys(worker, 9).await, []);
    end(&t, by_worker(worker, &other, outcome())).await;
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
}

async fn an_item_is_redriven_after_its_key_was_forgotten(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (_, failed) = fail_item(&t, worker).await;
    t.clock.advance(MINUTE);
    t.store.settle_promises(100).await.expect("promises can be settled");
    assert_eq!(t.promise(&item(QUEUE)).await, None);
    assert_eq!(redrive(&t, &failed).await, 1);
    let worker = t.worker().await;
    let claimed = take(&t, worker).await;
    let limit = OperationOutcome::TimedOut(TimeoutKind::Heartbeat);
    let silent = ActivityEnd::Failed { outcome: limit, failure: "silent".to_owned() };
    end(&t, by_worker(worker, &claimed, silent)).await;
    let kept = t.promise(&item(QUEUE)).await.and_then(|record| record.outcome);
    assert_eq!(kept, Some(PromiseOutcome::Failed(ItemFailure::TimedOut(TimeoutKind::Heartbeat))));
    assert_eq!(the_one(&t).await.failure, "silent");
}

async fn those_who_redrive_at_a_time_redrive_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (_, failed) = fail_one(&t, worker).await;
    let one = t.store.redrive_calls(QUEUE, vec![again(&failed)]);
    let other = t.other.redrive_calls(QUEUE, vec![again(&failed)]);
    let (one, other) = tokio::join!(one, other);
    let both = [one, other].map(|count| count.expect("it can be put on its queue again"));
    assert_eq!(both.iter().sum::<u64>(), 1);
    assert_eq!(t.claim_activities(worker, 9).await.len(), 1);
}

async fn failed_calls_are_removed_with_age_and_with_their_runs(t: StoreUnderTest) {
    let worker = t.worker().await;
    let remove = async |age, limit| {
        t.store.remove_failed_calls(age, limit).await.expect("they can be removed")
    };
    let first = t.queue(worker, (0..3).map(activity).collect()).await;
    let claimed = t.claim_activities(worker, 9).await;
    t.finish_all(claimed.iter().map(|one| by_worker(worker, one, fails("no"))).collect()).await;
    assert_eq!(remove(MINUTE, 9).await, 0);
    t.clock.advance(MINUTE);
    assert_eq!(remove(MINUTE, 2).await, 2, "as many as are asked for");
    let left = the_one(&t).await;
    assert_eq!(left.key, ActivityKey { run_id: first, handle: Handle(2) });

    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let claimed = t.claim_one(worker).await;
    t.finish(by_worker(worker, &claimed, fails("no"))).await;
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(list(&t, all(QUEUE)).await.len(), 2);
    let workflow = super::fixture::WORKFLOW;
    let closed = RemoveClosed { workflow, age: Duration::ZERO, after: None, limit: 9 };
    assert_eq!(t.store.remove_closed(closed).await.expect("they can be removed").runs, 1);
    assert_eq!(the_one(&t).await.id, left.id);
}
