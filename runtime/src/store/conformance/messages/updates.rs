//! Updates: they are accepted once and answered once.

use crate::model::{NewReply, Payload, RunId, RunStatus, UpdateReply};
use crate::store::conformance::fixture::{
    NOTHING, StoreUnderTest, accepted, close, close_as, keep, new_run, park,
};
use crate::store::conformance::runs::chains::continued;
use crate::store::{
    ArrivalKind, ArrivalOutcome, CommitOutcome, CommitStep, Effect, FirstArrival, FoundUpdate,
    NewArrival, NewRun, StartOutcome, UpdateKey,
};

crate::store::conformance::list_cases!("updates":
    an_update_is_accepted_once,
    an_id_belongs_to_one_update,
    an_update_is_answered_with_the_commit,
    the_first_answer_stays,
    what_is_not_committed_answers_nothing,
    answers_of_many_steps_are_written_together,
    answers_outlive_the_run,
    a_run_that_closes_without_an_answer_says_so,
    a_run_can_be_started_with_an_update,
    an_update_goes_over_to_the_run_that_follows,
    the_last_state_of_a_completed_run_can_be_kept,
);

fn key(run_id: RunId, id: &str) -> UpdateKey {
    UpdateKey { run_id, name: "AddItem".to_owned(), update: id.to_owned() }
}

fn update(run_id: RunId, id: &str) -> NewArrival {
    let kind = ArrivalKind::Update {
        name: "AddItem".into(),
        id: id.into(),
        payload: Payload(id.as_bytes().to_vec()),
    };
    let dedup_key = Some(key(run_id, id).dedup_key());
    NewArrival { run_id, kind, dedup_key, owner: None }
}

fn replied(text: &str) -> UpdateReply {
    UpdateReply::Replied(Payload(text.as_bytes().to_vec()))
}

fn answering(step: CommitStep, id: &str, reply: UpdateReply) -> CommitStep {
    CommitStep { effects: vec![Effect::Reply(NewReply { update: id.into(), reply })], ..step }
}

impl StoreUnderTest {
    async fn send_update(&self, arrival: NewArrival) -> ArrivalOutcome {
        let outcomes = self.store.deliver(vec![arrival]).await;
        outcomes.expect("updates can be delivered").remove(0)
    }

    /// As another process reads it.
    async fn found(&self, run_id: RunId, id: &str) -> FoundUpdate {
        self.other.find_update(&key(run_id, id)).await.expect("updates can be looked up")
    }
}

async fn an_update_is_accepted_once(t: StoreUnderTest) {
    let (a, b) = (t.start("a").await, t.start("b").await);
    assert_eq!(t.found(a, "one").await, FoundUpdate::Unknown);
    assert_eq!(t.send_update(update(a, "one")).await, accepted(1));
    assert_eq!(t.send_update(update(a, "one")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.found(a, "one").await, FoundUpdate::Accepted);
    assert_eq!(t.found(a, "two").await, FoundUpdate::Unknown);
    assert_eq!(t.found(b, "one").await, FoundUpdate::Unknown, "ids are those of a run");
    assert_eq!(t.found(RunId::new(), "one").await, FoundUpdate::Unknown);
    let inbox = t.store.read_inbox(a, 0, 10).await.expect("it can be read");
    assert_eq!(inbox.arrivals.len(), 1);
    assert_eq!(inbox.arrivals[0].kind, update(a, "one").kind);
}

async fn an_id_belongs_to_one_update(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let named = |run_id, name: &str| {
        let kind = ArrivalKind::Update {
            name: name.to_owned(),
            id: "one".into(),
            payload: Payload::default(),
        };
        NewArrival { run_id, kind, dedup_key: Some(key(run_id, "one").dedup_key()), owner: None }
    };
    let of = |run_id, name: &str| UpdateKey { name: name.to_owned(), ..key(run_id, "one") };
    let taken = || ArrivalOutcome::KeyTaken { by: Some("AddItem".into()) };
    // In one batch, and in a later one.
    let batch = ["AddItem", "Clear", "AddItem"].map(|name| named(run_id, name)).to_vec();
    let outcomes = t.store.deliver(batch).await.expect("updates can be delivered");
    assert_eq!(outcomes, [accepted(1), taken(), ArrivalOutcome::Duplicate]);
    assert_eq!(t.send_update(named(run_id, "Clear")).await, taken());
    let found = async |run_id, name| t.other.find_update(&of(run_id, name)).await.expect("found");
    let other = || FoundUpdate::Other { name: "AddItem".into() };
    assert_eq!(found(run_id, "Clear").await, other());

    let step = answering(keep(run_id, 0, "on"), "one", replied("12"));
    let step = CommitStep { consumed: vec![1], ..step };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(found(run_id, "AddItem").await, FoundUpdate::Answered(replied("12")));
    assert_eq!(found(run_id, "Clear").await, other());

    // The id goes over to the run that follows, with its name.
    let new = new_run("a");
    let next = new.run_id;
    let step = continued(run_id, 1, new);
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.send_update(named(next, "AddItem")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.send_update(named(next, "Clear")).await, taken());
    assert_eq!(found(next, "Clear").await, other());

    // A run that was started with an update knows its name as well. No name differs from any name.
    let new = new_run("b");
    let begun = new.run_id;
    let NewArrival { kind, dedup_key, .. } = named(begun, "AddItem");
    let first = Some(FirstArrival { kind, dedup_key });
    let started =
        t.store.start_runs(vec![NewRun { first, ..new }]).await.expect("it can be started");
    assert!(matches!(started[..], [StartOutcome::Started { .. }]), "{started:?}");
    assert_eq!(t.send_update(named(begun, "Clear")).await, taken());
    let unnamed = ArrivalKind::Cancel { reason: "enough".into() };
    assert_eq!(t.send_update(NewArrival { kind: unnamed, ..named(begun, "Clear") }).await, taken());
}

async fn an_update_is_answered_with_the_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.send_update(update(run_id, "one")).await;
    let step = answering(keep(run_id, 0, "on"), "one", replied("12"));
    let step = CommitStep { consumed: vec![1], ..step };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.found(run_id, "one").await, FoundUpdate::Answered(replied("12")));
    assert_eq!(t.inbox(run_id).await, NOTHING);
    // Asked again it is known, whatever has become of it.
    assert_eq!(t.send_update(update(run_id, "one")).await, ArrivalOutcome::Duplicate);
}

async fn the_first_answer_stays(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.send_update(update(run_id, "one")).await;
    for (step_no, reply) in [(0, replied("first")), (1, UpdateReply::Dropped)] {
        let step = answering(keep(run_id, step_no, "on"), "one", reply);
        assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    }
    assert_eq!(t.found(run_id, "one").await, FoundUpdate::Answered(replied("first")));
}

async fn what_is_not_committed_answers_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.send_update(update(run_id, "one")).await;
    let late = answering(keep(run_id, 5, "on"), "one", replied("late"));
    assert_eq!(t.commit(worker, late).await, CommitOutcome::Lost);
    assert_eq!(t.found(run_id, "one").await, FoundUpdate::Accepted);
}

async fn answers_of_many_steps_are_written_together(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut steps = Vec::new();
    for n in 0..20 {
        let run_id = t.start_owned(&n.to_string(), worker).await;
        t.send_update(update(run_id, "one")).await;
        let reply = match n % 4 {
            0 => replied(&n.to_string()),
            1 => UpdateReply::Refused(Payload(vec![n])),
            2 => UpdateReply::Dropped,
            _ => UpdateReply::Unreadable(format!("{n} is no request")),
        };
        steps.push(answering(keep(run_id, 0, "on"), "one", reply));
    }
    let outcomes = t.commit_all(worker, steps.clone()).await;
    assert_eq!(outcomes, vec![CommitOutcome::Committed; 20]);
    for step in steps {
        let [Effect::Reply(NewReply { reply, .. })] = &step.effects[..] else { panic!("one") };
        assert_eq!(t.found(step.run_id, "one").await, FoundUpdate::Answered(reply.clone()));
    }
}

async fn answers_outlive_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.send_update(update(run_id, "one")).await;
    let last = answering(close(run_id, 0), "one", replied("last"));
    assert_eq!(t.commit(worker, last).await, CommitOutcome::Committed);
    assert_eq!(t.found(run_id, "one").await, FoundUpdate::Answered(replied("last")));
    assert_eq!(t.send_update(update(run_id, "one")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.send_update(update(run_id, "two")).await, ArrivalOutcome::Closed);
    assert_eq!(t.found(run_id, "two").await, FoundUpdate::Unknown);
}

async fn a_run_that_closes_without_an_answer_says_so(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (a, b) = (t.start_owned("a", worker).await, t.start("b").await);
    t.send_update(update(a, "one")).await;
    t.send_update(update(b, "one")).await;
    assert_eq!(t.commit(worker, close(a, 0)).await, CommitOutcome::Committed);
    assert!(t.store.terminate_run(b, "enough").await.expect("it is open"));
    for run_id in [a, b] {
        assert_eq!(t.found(run_id, "one").await, FoundUpdate::Closed);
    }
}

async fn an_update_goes_over_to_the_run_that_follows(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    for id in ["answered", "taken", "unread"] {
        t.send_update(update(run_id, id)).await;
    }
    let next = new_run("a");
    let next_id = next.run_id;
    let step = answering(continued(run_id, 0, next), "answered", replied("yes"));
    let step = CommitStep { consumed: vec![1, 2], ..step };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.found(run_id, "answered").await, FoundUpdate::Answered(replied("yes")));
    for id in ["taken", "unread"] {
        assert_eq!(t.found(run_id, id).await, FoundUpdate::Closed);
        assert_eq!(t.found(next_id, id).await, FoundUpdate::Accepted);
        assert_eq!(t.send_update(update(next_id, id)).await, ArrivalOutcome::Duplicate);
    }
    // The next run answers both, of which it has one in its inbox.
    let claimed = t.claim(worker, 9).await;
    let [run] = &claimed[..] else { panic!("it is due: {claimed:?}") };
    let ids = run.inbox.arrivals.iter().map(|arrival| match &arrival.kind {
        ArrivalKind::Update { id, .. } => id.as_str(),
        kind => panic!("nothing else was sent: {kind:?}"),
    });
    assert_eq!((run.run_id, ids.collect::<Vec<_>>()), (next_id, vec!["unread"]));
    let last = answering(close(next_id, 0), "taken", replied("late"));
    assert_eq!(t.commit(worker, last).await, CommitOutcome::Committed);
    assert_eq!(t.found(next_id, "taken").await, FoundUpdate::Answered(replied("late")));
    assert_eq!(t.found(next_id, "unread").await, FoundUpdate::Closed);
}

async fn a_run_can_be_started_with_an_update(t: StoreUnderTest) {
    let run = new_run("a");
    let run_id = run.run_id;
    let NewArrival { kind, dedup_key, .. } = update(run_id, "one");
    let run = NewRun { first: Some(FirstArrival { kind, dedup_key }), ..run };
    assert_eq!(t.start_all(vec![run]).await, [StartOutcome::Started { owned: false }]);
    assert_eq!(t.found(run_id, "one").await, FoundUpdate::Accepted);
    assert_eq!(t.send_update(update(run_id, "one")).await, ArrivalOutcome::Duplicate);
}

async fn the_last_state_of_a_completed_run_can_be_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let last = |step: CommitStep| CommitStep { last_snapshot: Some(b"last".to_vec()), ..step };
    type End = fn(RunId) -> CommitStep;
    let ends: [(&str, End, &[u8]); 4] = [
        ("kept", |run_id| close(run_id, 1), b"last"),
        ("failed", |run_id| close_as(run_id, 1, RunStatus::Failed, None, Some("no")), b"on"),
        ("parked", |run_id| park(run_id, 1, None, 0), b"parked"),
        ("on", |run_id| keep(run_id, 1, "still on"), b"still on"),
    ];
    for (id, end, expected) in ends {
        let run_id = t.start_owned(id, worker).await;
        t.commit(worker, keep(run_id, 0, "on")).await;
        assert_eq!(t.commit(worker, last(end(run_id))).await, CommitOutcome::Committed);
        let snapshot = t.other.find_snapshot(run_id).await.expect("it can be looked up");
        assert_eq!(snapshot.as_deref(), Some(expected), "{id}");
    }
    let run_id = t.start_owned("gone", worker).await;
    t.commit(worker, keep(run_id, 0, "on")).await;
    t.commit(worker, close(run_id, 1)).await;
    let snapshot = t.other.find_snapshot(run_id).await.expect("it can be looked up");
    assert_eq!(snapshot.as_deref(), Some(&b""[..]));
}
