//! All rows of a run.

use std::time::Duration;

use super::fixture::{
    ACTIVITY, QUEUE, StoreUnderTest, activity, block, by_worker, close, close_as, enqueue, keep,
    new_run, outcome, park, retry, signal,
};
use crate::model::{Handle, Message, OutgoingMessage, Payload, RunId, RunStatus, StepNo};
use crate::store::weight::MAX_ANSWER_BYTES;
use crate::store::{
    ActivityEnd, ArrivalKind, CommitStep, Effect, FinishOutcome, FirstArrival, MAX_DETAILS,
    NewArrival, NewRun, RelayMessages, RunDetails, Senders,
};

crate::store::conformance::list_cases!("details":
    a_run_is_found_with_what_belongs_to_it,
    a_run_that_is_not_there_has_no_details,
    a_blocked_run_has_details,
    of_a_run_that_is_over_what_is_left_is_found,
    an_activity_tells_how_far_it_is,
    what_has_arrived_in_any_way_has_a_time,
    long_lists_are_cut_and_counted,
    arrivals_that_do_not_fit_are_told_by_their_length,
);

async fn find(t: &StoreUnderTest, run_id: RunId) -> Option<RunDetails> {
    t.other.find_details(run_id).await.expect("details can be looked up")
}

async fn details(t: &StoreUnderTest, run_id: RunId) -> RunDetails {
    find(t, run_id).await.expect("the run is there")
}

async fn a_run_is_found_with_what_belongs_to_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = t.start_owned("b", worker).await;
    t.commit(worker, CommitStep { effects: enqueue(vec![activity(8)]), ..keep(other, 0, "other") })
        .await;
    t.deliver(signal(other, "other")).await;
    let effects = enqueue(vec![activity(4), activity(3)]);
    t.commit(worker, CommitStep { effects, ..park(run_id, 0, None, 0) }).await;
    let cancel = ArrivalKind::Cancel { reason: "enough".into() };
    let first_at = t.now();
    t.deliver(signal(run_id, "go")).await;
    t.clock.advance(Duration::from_secs(5));
    t.deliver(NewArrival { kind: cancel, ..signal(run_id, "") }).await;
    let found = details(&t, run_id).await;
    assert_eq!((found.run.run_id, found.run.workflow_id.as_str()), (run_id, "a"));
    assert_eq!((found.run.status, found.run.step_no), (RunStatus::Running, StepNo(1)));
    assert_eq!(found.run.definition, t.record(run_id).await.definition);
    assert!(found.run.definition.is_some());
    assert_eq!(found.arguments, Some(Payload(vec![1, 2, 3])));
    assert_eq!((&found.snapshot[..], found.takeovers), (&b"parked"[..], 0));
    let handles: Vec<_> = found.activities.iter().map(|activity| activity.handle).collect();
    assert_eq!((handles, found.activity_count), (vec![Handle(3), Handle(4)], 2));
    let unread: Vec<_> =
        found.unread.iter().map(|one| (one.seq, one.kind, one.name.as_deref())).collect();
    assert_eq!(unread, [(1, Some("signal"), Some("go")), (2, Some("cancel"), None)]);
    assert_eq!(found.unread_count, 2);
    let times: Vec<_> = found.unread.iter().map(|one| one.arrived_at).collect();
    assert_eq!(times, [Some(first_at), Some(t.now())]);
    assert!(found.unread.iter().all(|one| (1..100).contains(&one.bytes)));
}

async fn a_run_that_is_not_there_has_no_details(t: StoreUnderTest) {
    t.start("a").await;
    assert!(find(&t, RunId::new()).await.is_none());
}

async fn a_blocked_run_has_details(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    let found = details(&t, run_id).await;
    assert_eq!((found.run.status, found.run.blocked_at), (RunStatus::Blocked, Some(t.now())));
    assert!(found.run.blocked.is_some());
    assert_eq!(found.snapshot, b"start");
}

async fn of_a_run_that_is_over_what_is_left_is_found(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (well, ill) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.deliver(signal(well, "go")).await;
    t.commit(worker, close(well, 0)).await;
    t.commit(worker, close_as(ill, 0, RunStatus::Failed, None, Some("declined"))).await;
    let found = details(&t, well).await;
    assert_eq!((found.run.status, found.run.closed_at), (RunStatus::Completed, Some(t.now())));
    assert!(found.run.result.is_some() && found.arguments.is_some());
    assert_eq!((found.unread.len(), found.unread_count), (1, 1));
    let found = details(&t, ill).await;
    assert_eq!(
        (found.run.failure.as_deref(), &found.snapshot[..]),
        (Some("declined"), &b"start"[..])
    );
}

async fn an_activity_tells_how_far_it_is(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0)]).await;
    let claimed = t.claim_one(worker).await;
    let [made] = &details(&t, run_id).await.activities[..] else { panic!("there is one") };
    assert_eq!((made.attempt, made.worker, made.due_at), (1, Some(worker.worker_id), None));
    let end = by_worker(worker, &claimed, retry(t.now()));
    assert_eq!(t.finish(end).await, FinishOutcome::Finished);
    let [waits] = &details(&t, run_id).await.activities[..] else { panic!("there is one") };
    assert_eq!((waits.queue.as_str(), waits.activity.as_str()), (QUEUE, ACTIVITY));
    assert_eq!((waits.attempt, waits.worker, waits.due_at), (1, None, Some(t.now())));
    let failure = waits.last_failure.as_ref().expect("it has failed");
    assert_eq!((failure.attempt, failure.error.as_str()), (1, "declined"));
}

async fn long_lists_are_cut_and_counted(t: StoreUnderTest) {
    let worker = t.worker().await;
    let many = u64::from(MAX_DETAILS) + 1;
    let run_id = t.queue(worker, (0..many).map(activity).collect()).await;
    t.deliver_all((0..many).map(|_| signal(run_id, "go")).collect()).await;
    let found = details(&t, run_id).await;
    assert_eq!((found.activities.len() as u64, found.activity_count), (many - 1, many));
    assert_eq!((found.unread.len() as u64, found.unread_count), (many - 1, many));
    assert_eq!(found.unread[99].seq, 100);
}

async fn arrivals_that_do_not_fit_are_told_by_their_length(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let long = |length| {
        let kind = ArrivalKind::Signal { name: "long".into(), payload: Payload(vec![1; length]) };
        NewArrival { kind, ..signal(run_id, "") }
    };
    t.deliver_all(vec![long(1), long(MAX_ANSWER_BYTES), long(1)]).await;
    let found = details(&t, run_id).await;
    let kinds: Vec<_> = found.unread.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Some("signal"), None, None]);
    assert!(found.unread[1].bytes > MAX_ANSWER_BYTES as u64);
}

/// With the start, from a client, as the outcome of an attempt, and as a message.
async fn what_has_arrived_in_any_way_has_a_time(t: StoreUnderTest) {
    let worker = t.worker().await;
    let kind = ArrivalKind::Signal { name: "first".into(), payload: Payload::default() };
    let first = Some(FirstArrival { kind, dedup_key: None });
    let run = NewRun { first, owner: Some(worker), ..new_run("a") };
    let (run_id, mut times) = (run.run_id, vec![t.now()]);
    t.start_all(vec![run]).await;
    let body = Message::Signal { name: "go".into(), payload: Payload::default() };
    let mut effects = enqueue(vec![activity(0), activity(1)]);
    effects.push(Effect::Send(OutgoingMessage { to: "a".into(), body }));
    t.commit(worker, CommitStep { effects, ..keep(run_id, 0, "asked") }).await;
    let (by_report, by_token) = (t.claim_one(worker).await, t.claim_one(worker).await);
    let later = by_worker(worker, &by_token, ActivityEnd::Later);
    t.finish(later).await;
    for way in 0..4 {
        t.clock.advance(Duration::from_secs(1));
        times.push(t.now());
        match way {
            0 => drop(t.deliver(signal(run_id, "go")).await),
            1 => drop(t.finish(by_worker(worker, &by_report, outcome())).await),
            2 => drop(t.finish(super::fixture::by_token(by_token.key, 1, outcome())).await),
            _ => {
                let request = RelayMessages { senders: Senders::Runs(&[run_id]), limit: 10 };
                let relayed = t.store.relay_messages(request).await;
                assert_eq!(relayed.expect("messages can be relayed").delivered.len(), 1);
            }
        }
    }
    let found = details(&t, run_id).await.unread;
    let found: Vec<_> = found.iter().filter_map(|one| one.arrived_at).collect();
    assert_eq!(found, times);
}
