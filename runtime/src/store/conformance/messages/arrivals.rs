//! Inboxes.

use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{Epoch, Handle, Payload, RunId, Timestamp};
use crate::store::conformance::fixture::{
    LONGER_THAN_LEASE, NOTHING, StoreUnderTest, accepted, activity, by_token, keep, key, keyed,
    outcome, retry, signal,
};
use crate::store::{
    ActivityKey, ArrivalKind, ArrivalOutcome, CommitStep, DeadLetterFilter, Effect, FinishOutcome,
    Inbox, NewArrival, NewDeadLetter, ReviewedRuns, WorkerLease,
};

crate::store::conformance::list_cases!("arrivals":
    arrivals_are_numbered_from_one_without_gaps,
    numbers_go_on_after_everything_was_used_up,
    each_run_counts_for_itself,
    each_run_has_its_own_inbox,
    every_kind_is_kept,
    what_cannot_be_read_is_kept_as_it_is_stored,
    an_arrival_for_an_unknown_run_is_unknown,
    a_dedup_key_is_taken_once,
    a_dedup_key_is_taken_once_within_a_batch,
    a_dedup_key_outlives_its_arrival,
    a_dedup_key_counts_per_run,
    a_duplicate_takes_no_number,
    an_arrival_for_an_owned_run_leaves_it_owned,
    an_owner_may_deliver_to_its_own_run,
    an_owner_that_has_lost_the_run_may_not,
    an_owner_that_never_had_the_run_may_not,
    an_owner_whose_lease_has_run_out_may_not,
    an_owner_of_another_epoch_may_not,
    a_token_used_through_the_inbox_is_known_to_its_attempt,
    a_token_used_on_its_attempt_is_known_to_the_inbox,
    a_refused_arrival_leaves_its_dedup_key_free,
    a_batch_has_mixed_outcomes_in_its_order,
    an_empty_batch_does_nothing,
    a_large_batch_is_delivered_whole,
    the_inbox_is_read_in_order_from_where_one_was,
    the_inbox_of_an_unknown_run_is_empty,
    a_review_tells_the_owner_of_unread_inboxes,
    a_review_tells_of_runs_that_are_somebody_else_s_or_nobody_s,
    many_inboxes_can_be_asked_for,
);

async fn arrivals_are_numbered_from_one_without_gaps(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    assert_eq!(t.deliver(signal(run_id, "x")).await, accepted(1));
    let batch = vec![signal(run_id, "y"), signal(run_id, "z")];
    assert_eq!(t.deliver_all(batch).await, [accepted(2), accepted(3)]);
    assert_eq!(t.deliver(signal(run_id, "x")).await, accepted(4));
    assert_eq!(t.inbox(run_id).await, [1, 2, 3, 4]);
}

async fn numbers_go_on_after_everything_was_used_up(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all(vec![signal(run_id, "x"), signal(run_id, "y")]).await;
    let mut step = keep(run_id, 0, "one");
    step.consumed = vec![1, 2];
    t.commit(worker, step).await;
    assert_eq!(t.deliver(signal(run_id, "z")).await, accepted(3));
}

async fn each_run_counts_for_itself(t: StoreUnderTest) {
    let (one, two) = (t.start("a").await, t.start("b").await);
    let batch = vec![signal(one, "x"), signal(two, "x"), signal(one, "y"), signal(two, "y")];
    assert_eq!(t.deliver_all(batch).await, [accepted(1), accepted(1), accepted(2), accepted(2)]);
}

async fn each_run_has_its_own_inbox(t: StoreUnderTest) {
    let (one, two) = (t.start("a").await, t.start("b").await);
    t.deliver_all(vec![signal(one, "x"), signal(two, "y")]).await;
    for (run_id, name) in [(one, "x"), (two, "y")] {
        let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("inboxes can be read");
        let [arrival] = &inbox.arrivals[..] else { panic!("one has arrived") };
        assert_eq!(arrival.kind, signal(run_id, name).kind);
    }
}

async fn every_kind_is_kept(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let outcome = |outcome| ArrivalKind::Outcome { handle: Handle(7), outcome };
    let kinds = [
        ArrivalKind::Signal { name: "approve".into(), payload: Payload(vec![2, b'{', b'}']) },
        outcome(OperationOutcome::Returned(Payload(vec![1, 0, 255]))),
        outcome(OperationOutcome::TimedOut(TimeoutKind::StartToClose)),
        outcome(OperationOutcome::Cancelled),
        outcome(OperationOutcome::Panicked("oh no".into())),
        outcome(OperationOutcome::Unusable("nobody knows it".into())),
        ArrivalKind::Interruption { handle: Handle(5), attempt: 2 },
        outcome(OperationOutcome::Unknown),
        ArrivalKind::Retry {
            handle: Handle(u64::MAX),
            attempt: 3,
            retry_at: Timestamp::MAX,
            failure: "busy".into(),
            details: Some(Payload(vec![1, 0, 255])),
        },
        ArrivalKind::Cancel { reason: "changed my mind".into() },
    ];
    for kind in kinds.clone() {
        let arrival = NewArrival { run_id, kind, dedup_key: None, owner: None };
        t.deliver(arrival).await;
    }
    let inbox = t.store.read_inbox(run_id, 0, 100).await.expect("inboxes can be read");
    let read: Vec<ArrivalKind> = inbox.arrivals.into_iter().map(|arrival| arrival.kind).collect();
    assert_eq!(read, kinds);
}

async fn what_cannot_be_read_is_kept_as_it_is_stored(t: StoreUnderTest) {
    let (bad, good) = (t.start("bad").await, t.start("good").await);
    let stored = b"\x01\xff\x02".to_vec();
    let unreadable = ArrivalKind::Unreadable { stored: stored.clone(), reason: "why".into() };
    let unreadable = NewArrival { kind: unreadable, ..signal(bad, "x") };
    let batch = vec![signal(bad, "x"), unreadable, signal(bad, "y"), signal(good, "z")];
    t.deliver_all(batch).await;
    let check = |inbox: &Inbox| {
        let kinds: Vec<_> = inbox.arrivals.iter().map(|arrival| &arrival.kind).collect();
        let [ArrivalKind::Signal { .. }, ArrivalKind::Unreadable { stored: read, .. }, last] =
            kinds[..]
        else {
            panic!("{kinds:?}")
        };
        assert_eq!((read, last), (&stored, &signal(bad, "y").kind));
    };
    check(&t.store.read_inbox(bad, 0, 10).await.expect("inboxes can be read"));
    let worker = t.worker().await;
    let claimed = t.claim(worker, 10).await;
    let inboxes: Vec<_> = claimed.iter().map(|run| (run.run_id == bad, &run.inbox)).collect();
    assert_eq!(inboxes.len(), 2, "neither run holds up the other");
    inboxes.iter().filter(|(is_bad, _)| *is_bad).for_each(|(_, inbox)| check(inbox));

    let letter = NewDeadLetter { seq: 2, reason: "by hand".into() };
    let step = CommitStep { effects: vec![Effect::SetAside(letter)], ..keep(bad, 0, "on") };
    t.commit(worker, step).await;
    assert_eq!(t.inbox(bad).await, [1, 3]);
    let letters = t.store.list_dead_letters(&DeadLetterFilter::default(), None, 9).await;
    let letters = letters.expect("dead letters can be listed");
    let ArrivalKind::Unreadable { stored: kept, .. } = &letters[0].arrival else {
        panic!("{letters:?}")
    };
    assert_eq!(*kept, stored);
}

async fn an_arrival_for_an_unknown_run_is_unknown(t: StoreUnderTest) {
    assert_eq!(t.deliver(signal(RunId::new(), "x")).await, ArrivalOutcome::Unknown);
    assert_eq!(t.deliver(keyed(RunId::new(), "x")).await, ArrivalOutcome::Unknown);
}

async fn a_dedup_key_is_taken_once(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    assert_eq!(t.deliver(keyed(run_id, "once")).await, accepted(1));
    assert_eq!(t.deliver(keyed(run_id, "once")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn a_dedup_key_is_taken_once_within_a_batch(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let batch = vec![keyed(run_id, "once"), keyed(run_id, "twice"), keyed(run_id, "once")];
    let outcomes = t.deliver_all(batch).await;
    assert_eq!(outcomes, [accepted(1), accepted(2), ArrivalOutcome::Duplicate]);
}

async fn a_dedup_key_outlives_its_arrival(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(keyed(run_id, "once")).await;
    let mut step = keep(run_id, 0, "one");
    step.consumed = vec![1];
    t.commit(worker, step).await;
    assert_eq!(t.deliver(keyed(run_id, "once")).await, ArrivalOutcome::Duplicate);
}

async fn a_dedup_key_counts_per_run(t: StoreUnderTest) {
    let (one, two) = (t.start("a").await, t.start("b").await);
    assert_eq!(t.deliver(keyed(one, "once")).await, accepted(1));
    assert_eq!(t.deliver(keyed(two, "once")).await, accepted(1));
}

async fn a_duplicate_takes_no_number(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let batch = vec![keyed(run_id, "x"), keyed(run_id, "x"), keyed(run_id, "y")];
    let outcomes = t.deliver_all(batch).await;
    assert_eq!(outcomes, [accepted(1), ArrivalOutcome::Duplicate, accepted(2)]);
}

async fn an_arrival_for_an_owned_run_leaves_it_owned(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(t.deliver(signal(run_id, "x")).await, accepted(1));
    let run = t.record(run_id).await;
    assert_eq!((run.owner, run.due_at), (Some(worker.worker_id), None));
}

fn from(owner: WorkerLease, run_id: RunId) -> NewArrival {
    NewArrival { owner: Some(owner), dedup_key: Some("key".into()), ..signal(run_id, "x") }
}

async fn an_owner_may_deliver_to_its_own_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(t.deliver(from(worker, run_id)).await, accepted(1));
}

async fn an_owner_that_has_lost_the_run_may_not(t: StoreUnderTest) {
    let (worker, next) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", worker).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    assert_eq!(t.deliver(from(worker, run_id)).await, ArrivalOutcome::NotOwner);
    t.claim(next, 1).await;
    assert_eq!(t.deliver(from(worker, run_id)).await, ArrivalOutcome::NotOwner);
    assert_eq!(t.deliver(from(next, run_id)).await, accepted(1));
}

async fn an_owner_that_never_had_the_run_may_not(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    assert_eq!(t.deliver(from(worker, run_id)).await, ArrivalOutcome::NotOwner);
    assert_eq!(t.inbox(run_id).await, NOTHING);
}

async fn an_owner_whose_lease_has_run_out_may_not(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    assert_eq!(t.deliver(from(worker, run_id)).await, ArrivalOutcome::NotOwner);
}

async fn an_owner_of_another_epoch_may_not(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = WorkerLease { epoch: Epoch(worker.epoch.0 + 1), ..worker };
    assert_eq!(t.deliver(from(other, run_id)).await, ArrivalOutcome::NotOwner);
}

/// The end of an attempt reported with a token, put into the inbox for an activity without a queue.
fn by_inbox(key: ActivityKey, attempt: u32) -> NewArrival {
    let outcome = OperationOutcome::Returned(Payload(b"done".to_vec()));
    let kind = ArrivalKind::Outcome { handle: key.handle, outcome };
    let dedup_key = Some(key.token_key(attempt));
    NewArrival { run_id: key.run_id, kind, dedup_key, owner: None }
}

async fn a_token_used_through_the_inbox_is_known_to_its_attempt(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let key = key(run_id, 3);
    assert_eq!(t.deliver(by_inbox(key, 1)).await, accepted(1));
    assert_eq!(t.deliver(by_inbox(key, 1)).await, ArrivalOutcome::Duplicate);
    for end in [outcome(), retry(t.now())] {
        let ends = [by_token(key, 1, end.clone()), by_token(key, 2, end)];
        // Of another attempt nothing has been said.
        let expected = [FinishOutcome::Repeated, FinishOutcome::Stale];
        assert_eq!(t.finish_all(ends.to_vec()).await, expected);
    }
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn a_token_used_on_its_attempt_is_known_to_the_inbox(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(0), activity(1)]).await;
    t.claim_activities(worker, 2).await;
    let (one, two) = (key(run_id, 0), key(run_id, 1));
    let ends = vec![by_token(one, 1, outcome()), by_token(two, 1, retry(t.now()))];
    assert_eq!(t.finish_all(ends).await, [FinishOutcome::Finished; 2]);
    let arrivals = [by_inbox(one, 1), by_inbox(two, 1), by_inbox(two, 2)];
    let known = || ArrivalOutcome::Duplicate;
    assert_eq!(t.deliver_all(arrivals.to_vec()).await, [known(), known(), accepted(2)]);
}

async fn a_refused_arrival_leaves_its_dedup_key_free(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    assert_eq!(t.deliver(from(worker, run_id)).await, ArrivalOutcome::NotOwner);
    assert_eq!(t.deliver(keyed(run_id, "key")).await, accepted(1));
}

async fn a_batch_has_mixed_outcomes_in_its_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (open, closed) = (t.start("open").await, t.start("closed").await);
    t.store.terminate_run(closed, "enough").await.expect("runs can be terminated");
    t.deliver(keyed(open, "once")).await;
    let batch = vec![
        signal(closed, "x"),
        keyed(open, "once"),
        signal(open, "x"),
        signal(RunId::new(), "x"),
        from(worker, open),
        signal(open, "y"),
    ];
    assert_eq!(
        t.deliver_all(batch).await,
        [
            ArrivalOutcome::Closed,
            ArrivalOutcome::Duplicate,
            accepted(2),
            ArrivalOutcome::Unknown,
            ArrivalOutcome::NotOwner,
            accepted(3),
        ]
    );
}

async fn an_empty_batch_does_nothing(t: StoreUnderTest) {
    assert_eq!(t.deliver_all(Vec::new()).await, []);
}

async fn a_large_batch_is_delivered_whole(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let batch = (0..600).map(|n| keyed(run_id, &format!("key-{n}"))).collect();
    assert_eq!(t.deliver_all(batch).await, (1..=600).map(accepted).collect::<Vec<_>>());
    assert_eq!(t.inbox(run_id).await.len(), 600);
}

async fn the_inbox_is_read_in_order_from_where_one_was(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    t.deliver_all((0..20).map(|_| signal(run_id, "x")).collect()).await;
    let inbox = t.store.read_inbox(run_id, 5, 7).await.expect("inboxes can be read");
    assert_eq!(
        inbox.arrivals.iter().map(|arrival| arrival.seq).collect::<Vec<_>>(),
        [6, 7, 8, 9, 10, 11, 12]
    );
    assert_eq!(
        t.store.read_inbox(run_id, 20, 7).await.expect("inboxes can be read"),
        Inbox::default()
    );
}

async fn the_inbox_of_an_unknown_run_is_empty(t: StoreUnderTest) {
    assert_eq!(t.inbox(RunId::new()).await, NOTHING);
}

async fn a_review_tells_the_owner_of_unread_inboxes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (read, unread) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let (empty, unasked) = (t.start_owned("c", worker).await, t.start_owned("d", worker).await);
    let batch = [read, unread, unread, unasked].map(|run_id| signal(run_id, "x"));
    t.deliver_all(batch.to_vec()).await;
    let seen = [(read, 1), (unread, 1), (empty, 0)];
    let told = t.store.review_runs(worker, &seen).await.expect("a worker can ask");
    assert_eq!(told, ReviewedRuns { unread: vec![unread], lost: vec![] });
}

async fn a_review_tells_of_runs_that_are_somebody_else_s_or_nobody_s(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    let ended = t.start_owned("a", worker).await;
    let (mine, theirs) = (t.start_owned("b", worker).await, t.start_owned("c", other).await);
    t.deliver(signal(theirs, "x")).await;
    t.store.terminate_run(ended, "enough").await.expect("runs can be ended");
    let held = [(ended, 0), (mine, 0), (theirs, 0)];
    let mut told = t.store.review_runs(worker, &held).await.expect("a worker can ask");
    told.lost.sort_unstable();
    assert_eq!(told, ReviewedRuns { unread: vec![], lost: vec![ended, theirs] });
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    let told = t.store.review_runs(worker, &[(mine, 0)]).await.expect("a worker can ask");
    assert_eq!(told, ReviewedRuns { unread: vec![], lost: vec![mine] });
}

async fn many_inboxes_can_be_asked_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "x")).await;
    let mut held: Vec<(RunId, i64)> = (0..700).map(|_| (RunId::new(), 0)).collect();
    held.push((run_id, 0));
    let told = t.store.review_runs(worker, &held).await.expect("a worker can ask");
    assert_eq!((told.unread, told.lost.len()), (vec![run_id], 700));
}
