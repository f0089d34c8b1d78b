//! Items of queues: activities with a key.

use std::time::Duration;

use super::fixture::{QUEUE, StoreUnderTest, by_worker, close, keep, key, limited, outcome, retry};
use super::promises::{tells, value};
use crate::machine::OperationOutcome;
use crate::model::{
    Handle, ItemFailure, Payload, PromiseMessage, PromiseOutcome, PromiseToken, QueueItem, RunId,
    TimeoutKind,
};
use crate::store::{
    ActivityEnd, ActivityKey, ActivityLimits, CommitStep, FinishActivity, FinishOutcome, Reporter,
    WorkerLease,
};

super::list_cases!("items":
    an_item_is_attempted_once_and_tells_all_who_offer_it,
    keys_of_two_queues_are_two_items,
    an_item_outlives_the_run_that_offered_it,
    an_item_is_kept_for_as_long_as_the_first_offer_says,
    an_item_that_is_offered_anew_is_another_activity,
    the_failure_of_an_item_is_told,
    a_token_ends_an_item_once,
    an_item_is_tried_again,
    an_offer_is_carried_out_once,
    the_end_of_an_item_and_of_an_activity_in_one_batch,
);

const RETENTION: Duration = Duration::from_secs(60);

pub(super) fn item(queue: &str) -> PromiseToken {
    PromiseToken::of_item(super::fixture::ACTIVITY, queue, "ada:hello")
}

pub(super) fn offers(token: &PromiseToken, handle: u64) -> PromiseMessage {
    let item = QueueItem {
        call: b"the call".to_vec(),
        due_at: None,
        schedule_to_start: None,
        start_to_close: Some(Duration::from_secs(5)),
        heartbeat: None,
        close_by: None,
        retention: RETENTION,
        priority: 0,
        partition: String::new(),
    };
    PromiseMessage::Offer { token: token.clone(), handle: Handle(handle), item: Box::new(item) }
}

async fn waits(t: &StoreUnderTest, token: &PromiseToken) -> Option<u64> {
    t.promise(token).await.map(|record| record.waits)
}

/// Ends an attempt and has the item tell its promise.
pub(super) async fn end(t: &StoreUnderTest, end: FinishActivity) {
    let item = end.key.run_id;
    assert_eq!(t.finish(end).await, FinishOutcome::Finished);
    t.relay(&[item]).await;
}

pub(super) async fn start(t: &StoreUnderTest, worker: WorkerLease) -> RunId {
    t.start_owned(&RunId::new().to_string(), worker).await
}

async fn an_item_is_attempted_once_and_tells_all_who_offer_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (first, second, third) =
        (start(&t, worker).await, start(&t, worker).await, start(&t, worker).await);
    t.tell(worker, first, 0, vec![offers(&item(QUEUE), 4)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!((claimed.attempt, claimed.call.as_slice()), (1, &b"the call"[..]));
    assert!(claimed.key.is_item());
    t.tell(worker, second, 0, vec![offers(&item(QUEUE), 0), offers(&item(QUEUE), 1)]).await;
    assert_eq!(t.claim_keys(worker, 9).await, []);
    assert_eq!(waits(&t, &item(QUEUE)).await, Some(3));

    end(&t, by_worker(worker, &claimed, outcome())).await;
    let done = value("done");
    assert_eq!(t.outcomes(first).await, [(4, done.clone())]);
    assert_eq!(t.outcomes(second).await, [(0, done.clone()), (1, done.clone())]);
    assert_eq!(t.activity(claimed.key).await, None);
    t.tell(worker, third, 0, vec![offers(&item(QUEUE), 7)]).await;
    assert_eq!(t.outcomes(third).await, [(7, done)]);
    assert_eq!(t.claim_keys(worker, 9).await, []);
    assert_eq!(waits(&t, &item(QUEUE)).await, Some(0));
}

async fn keys_of_two_queues_are_two_items(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0), offers(&item("another"), 1)]).await;
    let claimed = t.claim_one(worker).await;
    end(&t, by_worker(worker, &claimed, outcome())).await;
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
    assert_eq!(waits(&t, &item("another")).await, Some(1));
}

async fn an_item_outlives_the_run_that_offered_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let token = item(QUEUE);
    let forget = PromiseMessage::Forget { token: token.clone(), handle: Handle(0) };
    t.commit(worker, CommitStep { effects: vec![tells(forget)], ..close(run_id, 1) }).await;
    t.relay(&[run_id]).await;
    assert_eq!(waits(&t, &token).await, Some(0));
    let claimed = t.claim_one(worker).await;
    end(&t, by_worker(worker, &claimed, outcome())).await;
    let record = t.promise(&token).await.expect("it is kept");
    assert_eq!(record.outcome, Some(value("done")));

    // A run that is closed before its offer is carried out has offered all the same.
    let late = start(&t, worker).await;
    let other = PromiseToken::of_item(super::fixture::ACTIVITY, QUEUE, "bob:hello");
    let effects = vec![tells(offers(&other, 0))];
    t.commit(worker, CommitStep { effects, ..close(late, 0) }).await;
    t.relay(&[late]).await;
    assert_eq!(waits(&t, &other).await, Some(0));
    assert!(t.claim_one(worker).await.key.is_item());
}

async fn an_item_is_kept_for_as_long_as_the_first_offer_says(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let claimed = t.claim_one(worker).await;
    // It is kept from its end on.
    t.clock.advance(RETENTION - Duration::from_secs(58));
    end(&t, by_worker(worker, &claimed, outcome())).await;
    t.clock.advance(RETENTION - Duration::from_secs(1));
    t.store.settle_promises(100).await.expect("promises can be settled");
    // The lease of the other one is over.
    let worker = t.worker().await;
    let later = start(&t, worker).await;
    t.tell(worker, later, 0, vec![offers(&item(QUEUE), 0)]).await;
    assert_eq!(t.outcomes(later).await, [(0, value("done"))]);
    t.clock.advance(Duration::from_secs(1));
    t.store.settle_promises(100).await.expect("promises can be settled");
    assert_eq!(t.promise(&item(QUEUE)).await, None);
    assert_eq!(t.outcomes(run_id).await.len(), 1, "the outcome arrives once");
}

async fn an_item_that_is_offered_anew_is_another_activity(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let first = t.claim_one(worker).await;
    end(&t, by_worker(worker, &first, outcome())).await;
    // Nobody has removed it yet.
    t.clock.advance(RETENTION);
    let worker = t.worker().await;
    let other = start(&t, worker).await;
    t.tell(worker, other, 0, vec![offers(&item(QUEUE), 0)]).await;
    let second = t.claim_one(worker).await;
    assert_ne!(second.key, first.key);
    assert_eq!(second.attempt, 1);
    let again = ActivityEnd::Outcome(OperationOutcome::Returned(Payload(b"again".to_vec())));
    end(&t, by_worker(worker, &second, again)).await;
    assert_eq!(t.outcomes(other).await, [(0, value("again"))]);
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
}

async fn the_failure_of_an_item_is_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let claimed = t.claim_one(worker).await;
    t.clock.advance(Duration::from_secs(5));
    let [expired] = &t.expired().await[..] else { panic!("its limit has run out") };
    assert_eq!((expired.key, expired.limit), (claimed.key, TimeoutKind::StartToClose));
    let timed_out = ActivityEnd::Outcome(OperationOutcome::TimedOut(expired.limit));
    let reporter = Reporter::Expiry;
    end(&t, FinishActivity { key: claimed.key, attempt: 1, reporter, end: timed_out }).await;
    let failed = PromiseOutcome::Failed(ItemFailure::TimedOut(TimeoutKind::StartToClose));
    assert_eq!(t.outcomes(run_id).await, [(0, failed)]);
}

async fn a_token_ends_an_item_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!(
        t.finish(by_worker(worker, &claimed, ActivityEnd::Later)).await,
        FinishOutcome::Finished
    );
    let reporter = Reporter::Token;
    let by_token = FinishActivity { key: claimed.key, attempt: 1, reporter, end: outcome() };
    let both = t.finish_all(vec![by_token.clone(), by_token.clone()]).await;
    assert_eq!(both, [FinishOutcome::Finished, FinishOutcome::Repeated]);
    assert_eq!(t.finish(by_token.clone()).await, FinishOutcome::Repeated);
    t.relay(&[claimed.key.run_id]).await;
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
    // The key of the token goes with the item.
    t.clock.advance(RETENTION);
    t.store.settle_promises(100).await.expect("promises can be settled");
    assert_eq!(t.finish(by_token).await, FinishOutcome::Stale);
}

async fn an_item_is_tried_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.tell(worker, run_id, 0, vec![offers(&item(QUEUE), 0)]).await;
    let first = t.claim_one(worker).await;
    t.finish(by_worker(worker, &first, retry(t.now()))).await;
    let second = t.claim_one(worker).await;
    assert_eq!((second.key, second.attempt), (first.key, 2));
    let late = by_worker(worker, &first, outcome());
    assert_eq!(t.finish(late).await, FinishOutcome::Stale);
    end(&t, by_worker(worker, &second, outcome())).await;
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
}

async fn an_offer_is_carried_out_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    t.send(worker, run_id, 0, vec![tells(offers(&item(QUEUE), 0))]).await;
    assert_eq!(t.claim_keys(worker, 9).await, [], "it is a message until it is relayed");
    let senders = [run_id];
    tokio::join!(t.relay(&senders), t.relay(&senders));
    t.relay(&[run_id]).await;
    let [claimed] = &t.claim_activities(worker, 9).await[..] else { panic!("there is one") };
    let finish = by_worker(worker, claimed, outcome());
    assert_eq!(t.finish(finish.clone()).await, FinishOutcome::Finished);
    assert_eq!(t.finish(finish).await, FinishOutcome::Stale);
    let id = claimed.key.run_id;
    let senders = [id];
    tokio::join!(t.relay(&senders), t.relay(&senders));
    assert_eq!(t.outcomes(run_id).await, [(0, value("done"))]);
}

async fn the_end_of_an_item_and_of_an_activity_in_one_batch(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, worker).await;
    let mut effects = super::fixture::enqueue(vec![limited(1, ActivityLimits::default())]);
    effects.push(tells(offers(&item(QUEUE), 0)));
    t.commit(worker, CommitStep { effects, ..keep(run_id, 0, "asked") }).await;
    t.relay(&[run_id]).await;
    let claimed = t.claim_activities(worker, 9).await;
    assert_eq!(claimed.len(), 2);
    let ends = claimed.iter().map(|one| by_worker(worker, one, outcome())).collect();
    assert_eq!(t.finish_all(ends).await, [FinishOutcome::Finished; 2]);
    let ids: Vec<RunId> = claimed
        .iter()
        .map(|one| one.key)
        .filter(|key| key.is_item())
        .map(|key| key.run_id)
        .collect();
    assert_eq!(ids.len(), 1);
    t.relay(&ids).await;
    let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("inboxes can be read");
    assert_eq!(inbox.arrivals.len(), 2);
    let gone: [Option<ActivityKey>; 2] = [
        t.activity(key(run_id, 1)).await.map(|one| one.key),
        t.activity(claimed[0].key).await.map(|one| one.key),
    ];
    assert_eq!(gone, [None, None]);
}
