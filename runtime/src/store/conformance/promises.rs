//! Promises: values that runs await and others provide.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::fixture::{StoreUnderTest, close, keep, new_run, park};
use super::runs::chains::continued;
use crate::machine::OperationOutcome;
use crate::model::{
    Cause, Handle, Message, OutgoingMessage, Payload, PromiseKey, PromiseMessage, PromiseOutcome,
    PromiseScope, PromiseToken, PromiseTypes, RunId, SchemaHash, Timestamp,
};
use crate::store::{
    ArrivalKind, CommitStep, CompletePromise, CompletionOutcome, Effect, MAX_AT_ONCE, NewRun,
    PromiseFilter, PromiseRecord, RelayMessages, Senders, Store, WorkerLease,
};

super::list_cases!("promises":
    an_awaited_promise_is_completed_once,
    a_promise_is_completed_before_it_is_awaited,
    a_promise_is_completed_before_its_run_is_there,
    a_workflow_id_names_the_open_run_or_the_last,
    a_repeated_completion_is_told_the_same,
    a_completion_makes_a_run_due_that_sleeps,
    a_promise_of_a_closed_run_cannot_be_completed,
    a_promise_of_no_run_is_not_awaited_for_ever,
    whoever_waits_for_a_run_that_closes_is_told,
    many_wait_for_a_run_that_closes,
    the_next_run_of_a_chain_does_not_keep_promises,
    a_shared_promise_goes_to_all_who_wait,
    a_run_completes_the_promise_of_another,
    what_is_no_longer_awaited_is_not_delivered,
    a_promise_expires,
    a_message_to_a_promise_is_carried_out_once,
    messages_and_what_promises_are_told_stay_in_order,
    promises_are_listed,
    completions_race_with_waits,
    first_completions_race_with_starts,
);

pub(super) const NAME: &str = "approval";

pub(super) fn value(text: &str) -> PromiseOutcome {
    PromiseOutcome::Resolved(Payload(text.as_bytes().to_vec()))
}

pub(super) fn of_run(run_id: RunId) -> PromiseToken {
    PromiseToken::of_run("order", run_id, NAME)
}

pub(super) fn of_id(workflow_id: &str) -> PromiseToken {
    PromiseToken::of_workflow_id("order", workflow_id, NAME)
}

pub(super) fn completion(token: &PromiseToken, outcome: PromiseOutcome) -> CompletePromise {
    let completion = RunId::new().as_uuid();
    CompletePromise::new(token.clone(), outcome, completion)
}

pub(super) const TYPES: PromiseTypes =
    PromiseTypes { resolved: SchemaHash(u64::MAX - 1), rejected: SchemaHash(2) };

pub(super) fn awaits(token: &PromiseToken, handle: u64) -> PromiseMessage {
    let handle = Handle(handle);
    PromiseMessage::Await { token: token.clone(), handle, expires_at: None, types: TYPES }
}

pub(super) fn tells(message: PromiseMessage) -> Effect {
    let body = Message::Promise(Box::new(message));
    Effect::Send(OutgoingMessage { to: "whoever".into(), body })
}

impl StoreUnderTest {
    pub(super) async fn complete(
        &self,
        token: &PromiseToken,
        outcome: PromiseOutcome,
    ) -> CompletionOutcome {
        complete_through(&self.store, completion(token, outcome)).await
    }

    /// Makes the run's next step send these messages to promises, and relays them.
    pub(super) async fn tell(
        &self,
        owner: WorkerLease,
        run_id: RunId,
        step_no: i64,
        messages: Vec<PromiseMessage>,
    ) {
        self.send(owner, run_id, step_no, messages.into_iter().map(tells).collect()).await;
        self.relay(&[run_id]).await;
    }

    /// The outcomes of promises in a run's inbox, by operation.
    pub(super) async fn outcomes(&self, run_id: RunId) -> Vec<(u64, PromiseOutcome)> {
        let inbox = self.store.read_inbox(run_id, 0, 1_000).await.expect("inboxes can be read");
        let outcome = |kind| match kind {
            ArrivalKind::Outcome { handle, outcome: OperationOutcome::Promise(outcome) } => {
                (handle.0, outcome)
            }
            other => panic!("{other:?} is not of a promise"),
        };
        inbox.arrivals.into_iter().map(|arrival| outcome(arrival.kind)).collect()
    }

    pub(super) async fn promise(&self, token: &PromiseToken) -> Option<PromiseRecord> {
        self.store.find_promise(token.key()).await.expect("promises can be looked up")
    }
}

pub(super) async fn complete_through(
    store: &Arc<dyn Store>,
    completion: CompletePromise,
) -> CompletionOutcome {
    let outcomes = store.complete_promises(vec![completion]).await;
    outcomes.expect("promises can be completed").remove(0)
}

async fn an_awaited_promise_is_completed_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let token = of_run(run_id);
    assert_eq!(t.promise(&token).await, None);
    t.tell(worker, run_id, 0, vec![awaits(&token, 3)]).await;
    let record = t.promise(&token).await.expect("it is awaited");
    assert_eq!((record.token.clone(), record.outcome, record.waits), (token.clone(), None, 1));
    assert_eq!((record.types, record.made_at, record.completed_at), (Some(TYPES), t.now(), None));

    t.clock.advance(Duration::from_secs(1));
    assert_eq!(t.complete(&token, value("yes")).await, CompletionOutcome::Completed);
    let rejected = PromiseOutcome::Rejected(Payload(b"no".to_vec()));
    let second = t.complete(&token, rejected).await;
    assert_eq!(second, CompletionOutcome::Already(value("yes")));
    assert_eq!(t.outcomes(run_id).await, [(3, value("yes"))]);
    let record = t.promise(&token).await.expect("it is there");
    assert_eq!((record.outcome, record.waits), (Some(value("yes")), 0));
    assert_eq!(record.completed_at, Some(t.now()));
}

async fn a_promise_is_completed_before_it_is_awaited(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let token = of_run(run_id);
    let broken = PromiseOutcome::Broken(Cause::panic("oh").because("no"));
    assert_eq!(t.complete(&token, broken.clone()).await, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(run_id).await, []);
    t.tell(worker, run_id, 0, vec![awaits(&token, 0)]).await;
    assert_eq!(t.outcomes(run_id).await, [(0, broken.clone())]);
    // As often as it is awaited.
    t.tell(worker, run_id, 1, vec![awaits(&token, 1), awaits(&token, 2)]).await;
    let outcomes = [(0, broken.clone()), (1, broken.clone()), (2, broken)];
    assert_eq!(t.outcomes(run_id).await, outcomes);
}

async fn a_promise_is_completed_before_its_run_is_there(t: StoreUnderTest) {
    let worker = t.worker().await;
    let token = of_id("later");
    assert_eq!(t.complete(&token, value("early")).await, CompletionOutcome::Completed);
    let again = t.complete(&token, value("second")).await;
    assert_eq!(again, CompletionOutcome::Already(value("early")));
    let outcome = |record: Option<PromiseRecord>| record.and_then(|record| record.outcome);
    assert_eq!(outcome(t.promise(&token).await), Some(value("early")));

    let run_id = t.start_owned("later", worker).await;
    assert_eq!(outcome(t.promise(&token).await), Some(value("early")), "by workflow id");
    assert_eq!(outcome(t.promise(&of_run(run_id)).await), Some(value("early")), "by run id");
    let late = t.complete(&of_run(run_id), value("late")).await;
    assert_eq!(late, CompletionOutcome::Already(value("early")), "it is the same promise");
    t.tell(worker, run_id, 0, vec![awaits(&of_run(run_id), 7)]).await;
    assert_eq!(t.outcomes(run_id).await, [(7, value("early"))]);

    // It was that of the first run.
    t.commit(worker, close(run_id, 1)).await;
    let next = t.start_owned("later", worker).await;
    t.tell(worker, next, 0, vec![awaits(&of_run(next), 0)]).await;
    assert_eq!(t.outcomes(next).await, []);
}

async fn a_workflow_id_names_the_open_run_or_the_last(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    assert_eq!(t.complete(&of_id("a"), value("first")).await, CompletionOutcome::Completed);
    t.commit(worker, close(first, 0)).await;
    let late = t.complete(&of_id("a"), value("late")).await;
    assert_eq!(late, CompletionOutcome::Already(value("first")));

    t.clock.advance(Duration::from_secs(1));
    let second = t.start_owned("a", worker).await;
    t.tell(worker, second, 0, vec![awaits(&of_run(second), 0)]).await;
    assert_eq!(t.outcomes(second).await, [], "each run has its own");
    assert_eq!(t.complete(&of_id("a"), value("second")).await, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(second).await, [(0, value("second"))]);

    // A run whose id stands for its workflow id.
    let named = NewRun { owner: Some(worker), ..new_run("") };
    let named = NewRun { workflow_id: named.run_id.to_string(), ..named };
    let run_id = named.run_id;
    t.start_all(vec![named]).await;
    t.tell(worker, run_id, 0, vec![awaits(&of_run(run_id), 0)]).await;
    let by_id = of_id(&run_id.to_string());
    assert_eq!(t.complete(&by_id, value("named")).await, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(run_id).await, [(0, value("named"))]);
}

async fn a_repeated_completion_is_told_the_same(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let once = completion(&of_run(run_id), value("yes"));
    for _ in 0..3 {
        let outcome = complete_through(&t.store, once.clone()).await;
        assert_eq!(outcome, CompletionOutcome::Completed);
    }
    let twice = vec![once.clone(), completion(&of_run(run_id), value("no"))];
    let outcomes = t.store.complete_promises(twice).await.expect("promises can be completed");
    let already = CompletionOutcome::Already(value("yes"));
    assert_eq!(outcomes, [CompletionOutcome::Completed, already]);
}

async fn a_completion_makes_a_run_due_that_sleeps(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.tell(worker, run_id, 0, vec![awaits(&of_run(run_id), 0)]).await;
    t.commit(worker, park(run_id, 1, None, 0)).await;
    assert!(t.claim_ids(worker, 9).await.is_empty(), "it sleeps");
    t.complete(&of_run(run_id), value("wake up")).await;
    let claimed = t.claim(worker, 9).await;
    let [run] = &claimed[..] else { panic!("it is due") };
    assert_eq!((run.run_id, run.inbox.arrivals.len()), (run_id, 1));
    // Nothing more comes of it.
    t.commit(worker, park(run_id, 2, None, 1)).await;
    t.complete(&of_run(run_id), value("again")).await;
    assert!(t.claim_ids(worker, 9).await.is_empty());
}

async fn a_promise_of_a_closed_run_cannot_be_completed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.tell(worker, run_id, 0, vec![awaits(&of_run(run_id), 0)]).await;
    t.commit(worker, close(run_id, 1)).await;
    let closed = CompletionOutcome::Closed(run_id);
    assert_eq!(t.complete(&of_run(run_id), value("late")).await, closed);
    assert_eq!(t.complete(&of_id("a"), value("late")).await, closed);
    let nobody = RunId::new();
    let unknown = CompletionOutcome::Unknown(nobody);
    assert_eq!(t.complete(&of_run(nobody), value("lost")).await, unknown);
}

async fn a_promise_of_no_run_is_not_awaited_for_ever(t: StoreUnderTest) {
    let worker = t.worker().await;
    let closed = t.start_owned("closed", worker).await;
    t.commit(worker, close(closed, 0)).await;
    let run_id = t.start_owned("a", worker).await;
    let nobody = of_run(RunId::new());
    t.tell(worker, run_id, 0, vec![awaits(&of_run(closed), 0), awaits(&nobody, 1)]).await;
    let outcomes = t.outcomes(run_id).await;
    let is_broken = |outcome: &PromiseOutcome| matches!(outcome, PromiseOutcome::Broken(_));
    assert!(outcomes.iter().all(|(_, outcome)| is_broken(outcome)), "{outcomes:?}");
    assert_eq!(outcomes.len(), 2);
}

/// The outcome for waits for a promise of a closed run.
pub(super) fn end_of(run_id: RunId) -> PromiseOutcome {
    PromiseOutcome::Broken(Cause::interruption(format!("the run {run_id} is closed")))
}

async fn whoever_waits_for_a_run_that_closes_is_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (owner, stopped) = (t.start_owned("owner", worker).await, t.start("stopped").await);
    let waiting = t.start_owned("waiting", worker).await;
    let other = of_run(owner).for_attempt(2);
    let awaited = vec![
        awaits(&of_run(owner), 0),
        awaits(&of_id("owner").for_attempt(2), 1),
        awaits(&of_run(stopped), 2),
        awaits(&PromiseToken::shared("go"), 3),
    ];
    t.tell(worker, waiting, 0, awaited).await;
    // It awaits its own promise as well, and closes by itself.
    t.tell(worker, owner, 0, vec![awaits(&of_run(owner), 0)]).await;
    assert_eq!(t.complete(&other, value("yes")).await, CompletionOutcome::Completed);
    t.commit(worker, close(owner, 1)).await;
    t.relay(&[owner]).await;
    let mut expected = vec![(1, value("yes")), (0, end_of(owner))];
    assert_eq!(t.outcomes(waiting).await, expected);

    t.commit(worker, park(waiting, 1, None, 2)).await;
    assert!(t.store.terminate_run(stopped, "enough").await.expect("runs can be terminated"));
    t.relay(&[stopped]).await;
    expected.push((2, end_of(stopped)));
    assert_eq!(t.outcomes(waiting).await, expected);
    assert_eq!(t.claim_ids(worker, 9).await, [waiting], "it is woken");
    // Nothing is said twice, and nobody waits any more.
    t.relay(&[owner, stopped]).await;
    assert_eq!(t.outcomes(waiting).await, expected);
    assert_eq!(t.promise(&of_run(owner)).await, None);
    let late = t.complete(&of_run(owner), value("late")).await;
    assert_eq!(late, CompletionOutcome::Closed(owner));
}

async fn many_wait_for_a_run_that_closes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let owner = t.start_owned("owner", worker).await;
    let count = MAX_AT_ONCE + 7;
    let run_ids = t.start_many_owned(count as usize, worker).await;
    let steps = run_ids.iter().map(|run_id| CommitStep {
        effects: vec![tells(awaits(&of_run(owner), 5))],
        ..keep(*run_id, 0, "waiting")
    });
    t.commit_all(worker, steps.collect()).await;
    t.relay(&run_ids).await;
    t.commit(worker, close(owner, 0)).await;
    t.relay(&[owner]).await;
    for run_id in run_ids {
        assert_eq!(t.outcomes(run_id).await, [(5, end_of(owner))]);
    }
}

async fn the_next_run_of_a_chain_does_not_keep_promises(t: StoreUnderTest) {
    let worker = t.worker().await;
    let owner = t.start_owned("owner", worker).await;
    let waiting = t.start_owned("waiting", worker).await;
    t.tell(worker, waiting, 0, vec![awaits(&of_id("owner"), 0)]).await;
    let next = new_run("owner");
    let next_id = next.run_id;
    t.commit(worker, continued(owner, 0, next)).await;
    t.relay(&[owner]).await;
    assert_eq!(t.outcomes(waiting).await, [(0, end_of(owner))]);
    // Its own is another promise.
    t.tell(worker, waiting, 1, vec![awaits(&of_id("owner"), 1)]).await;
    assert_eq!(t.complete(&of_run(next_id), value("yes")).await, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(waiting).await, [(0, end_of(owner)), (1, value("yes"))]);
}

async fn a_shared_promise_goes_to_all_who_wait(t: StoreUnderTest) {
    let worker = t.worker().await;
    let token = PromiseToken::shared("go");
    let count = 2 * MAX_AT_ONCE as usize + 7;
    let run_ids = t.start_many_owned(count, worker).await;
    let steps = run_ids.iter().map(|run_id| CommitStep {
        effects: vec![tells(awaits(&token, 5))],
        ..keep(*run_id, 0, "waiting")
    });
    t.commit_all(worker, steps.collect()).await;
    t.relay(&run_ids).await;
    assert_eq!(t.promise(&token).await.expect("it is awaited").waits, count as u64);
    assert_eq!(t.complete(&token, value("go")).await, CompletionOutcome::Completed);
    while t.store.settle_promises(100).await.expect("promises can be settled") {}
    for run_id in run_ids {
        assert_eq!(t.outcomes(run_id).await, [(5, value("go"))]);
    }
    assert_eq!(t.promise(&token).await.expect("it is there").waits, 0);
}

async fn a_run_completes_the_promise_of_another(t: StoreUnderTest) {
    let worker = t.worker().await;
    let one = t.start_owned("one", worker).await;
    let other = t.start_owned("other", worker).await;
    t.tell(worker, one, 0, vec![awaits(&of_run(one), 0)]).await;
    let complete = |text| PromiseMessage::Complete { token: of_run(one), outcome: value(text) };
    t.tell(worker, other, 0, vec![complete("first"), complete("second")]).await;
    assert_eq!(t.outcomes(one).await, [(0, value("first"))]);
    let late = t.complete(&of_run(one), value("third")).await;
    assert_eq!(late, CompletionOutcome::Already(value("first")));
    // And awaits it as well.
    t.tell(worker, other, 1, vec![awaits(&of_run(one), 9)]).await;
    assert_eq!(t.outcomes(other).await, [(9, value("first"))]);
}

async fn what_is_no_longer_awaited_is_not_delivered(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let token = of_run(run_id);
    let forget = |handle| PromiseMessage::Forget { token: token.clone(), handle: Handle(handle) };
    t.tell(worker, run_id, 0, vec![awaits(&token, 0), awaits(&token, 1), forget(0)]).await;
    assert_eq!(t.promise(&token).await.expect("it is awaited").waits, 1);
    t.tell(worker, run_id, 1, vec![forget(1), forget(1)]).await;
    assert_eq!(t.promise(&token).await, None, "nothing is known of it any more");
    assert_eq!(t.complete(&token, value("yes")).await, CompletionOutcome::Completed);
    assert_eq!(t.outcomes(run_id).await, []);
}

async fn a_promise_expires(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let token = of_run(run_id);
    let expiring = |handle, at: Timestamp| PromiseMessage::Await {
        token: token.clone(),
        handle: Handle(handle),
        expires_at: Some(at),
        types: TYPES,
    };
    let at = t.now() + Duration::from_secs(5);
    // The first wait decides.
    let later = at + Duration::from_secs(10);
    t.tell(worker, run_id, 0, vec![expiring(0, at), expiring(1, later)]).await;
    assert_eq!(t.promise(&token).await.and_then(|record| record.expires_at), Some(at));
    let settle = || async { t.store.settle_promises(1).await.expect("promises can be settled") };
    assert!(!settle().await, "nothing is due");
    t.clock.advance(Duration::from_secs(5));
    let late = t.complete(&token, value("late")).await;
    assert_eq!(late, CompletionOutcome::Already(PromiseOutcome::Expired));
    let expired = [(0, PromiseOutcome::Expired), (1, PromiseOutcome::Expired)];
    assert_eq!(t.outcomes(run_id).await, expired);

    let other = t.start_owned("b", worker).await;
    let token = of_run(other);
    let at = t.now() + Duration::from_secs(1);
    let wait = PromiseMessage::Await {
        token: token.clone(),
        handle: Handle(0),
        expires_at: Some(at),
        types: TYPES,
    };
    t.tell(worker, other, 0, vec![wait]).await;
    t.commit(worker, park(other, 1, None, 0)).await;
    t.clock.advance(Duration::from_secs(1));
    while settle().await {}
    assert_eq!(t.claim_ids(worker, 9).await, [other], "the expired promise makes the run due");
    assert_eq!(t.outcomes(other).await, [(0, PromiseOutcome::Expired)]);
}

async fn a_message_to_a_promise_is_carried_out_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let token = of_run(run_id);
    t.complete(&token, value("yes")).await;
    t.send(worker, run_id, 0, vec![tells(awaits(&token, 0))]).await;
    let relays = [&t.store, &t.other, &t.store, &t.other].map(|store| {
        let store = Arc::clone(store);
        async move {
            let request = RelayMessages { senders: Senders::Runs(&[run_id]), limit: 10 };
            store.relay_messages(request).await.expect("messages can be relayed")
        }
    });
    join_all(relays).await;
    assert_eq!(t.outcomes(run_id).await, [(0, value("yes"))]);
}

async fn messages_and_what_promises_are_told_stay_in_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    t.tell(worker, receiver, 0, vec![awaits(&of_run(receiver), 0)]).await;
    let complete = PromiseMessage::Complete { token: of_run(receiver), outcome: value("yes") };
    let signal = |text: &str| super::messages::to("receiver", text);
    let effects = vec![signal("before"), tells(complete), signal("after")];
    t.send(worker, sender, 0, effects).await;
    while t.relay(&[sender]).await.has_more {}
    let inbox = t.store.read_inbox(receiver, 0, 10).await.expect("inboxes can be read");
    let words: Vec<&str> = inbox.arrivals.iter().map(|arrival| arrival.kind.word()).collect();
    assert_eq!(words, ["signal", "outcome", "signal"]);
}

async fn promises_are_listed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let named = |name: &str| PromiseToken::of_run("order", run_id, name);
    t.tell(worker, run_id, 0, vec![awaits(&named("x"), 0), awaits(&named("y"), 1)]).await;
    t.complete(&named("y"), value("yes")).await;
    t.complete(&of_id("nobody"), value("early")).await;
    t.complete(&PromiseToken::shared("go"), value("go")).await;
    let list = |filter: PromiseFilter, after: Option<PromiseKey>, limit| {
        let store = Arc::clone(&t.store);
        async move {
            let list = store.list_promises(&filter, after.as_ref(), limit).await;
            let list = list.expect("promises can be listed");
            list.into_iter().map(|record| record.token).collect::<Vec<_>>()
        }
    };
    let all = [of_id("nobody"), named("x"), named("y"), PromiseToken::shared("go")];
    let any = PromiseFilter::default();
    assert_eq!(list(any.clone(), None, 9).await, all);
    assert_eq!(list(any.clone(), None, 2).await, all[..2]);
    assert_eq!(list(any, Some(named("x").key().clone()), 9).await, all[2..]);
    let of_run = PromiseFilter { run_id: Some(run_id), is_open: None };
    assert_eq!(list(of_run.clone(), None, 9).await, all[1..3]);
    let open = PromiseFilter { is_open: Some(true), ..of_run };
    assert_eq!(list(open, None, 9).await, [named("x")]);
    let done = PromiseFilter { run_id: None, is_open: Some(false) };
    assert_eq!(list(done, None, 9).await, [all[0].clone(), all[2].clone(), all[3].clone()]);
    let key = PromiseKey { scope: PromiseScope::Run(RunId::new()), name: "x".into() };
    let found = t.store.find_promise(&key).await.expect("promises can be looked up");
    assert_eq!(found, None);
}

/// Many runs start to wait while their promises are completed by workflow id, twice each: every run gets an
/// outcome, and one completion counts.
async fn completions_race_with_waits(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids: Vec<String> = (0..24).map(|number| format!("race-{number}")).collect();
    let mut run_ids = Vec::new();
    for id in &ids {
        let run_id = t.start_owned(id, worker).await;
        t.send(worker, run_id, 0, vec![tells(awaits(&of_run(run_id), 0))]).await;
        run_ids.push(run_id);
    }
    let relays = run_ids.iter().map(|run_id| {
        let store = Arc::clone(&t.store);
        let senders = [*run_id];
        async move {
            let request = RelayMessages { senders: Senders::Runs(&senders), limit: 10 };
            store.relay_messages(request).await.expect("messages can be relayed");
        }
    });
    let complete = |store: &Arc<dyn Store>, text: &'static str| {
        let store = Arc::clone(store);
        let ids = ids.clone();
        async move {
            let all =
                ids.iter().map(|id| complete_through(&store, completion(&of_id(id), value(text))));
            join_all(all).await
        }
    };
    let (_, first, second) =
        tokio::join!(join_all(relays), complete(&t.store, "one"), complete(&t.other, "two"));
    for (number, run_id) in run_ids.into_iter().enumerate() {
        let won = match (&first[number], &second[number]) {
            (CompletionOutcome::Completed, CompletionOutcome::Already(known)) => {
                assert_eq!(known, &value("one"));
                "one"
            }
            (CompletionOutcome::Already(known), CompletionOutcome::Completed) => {
                assert_eq!(known, &value("two"));
                "two"
            }
            other => panic!("one completion counts: {other:?}"),
        };
        assert_eq!(t.outcomes(run_id).await, [(0, value(won))]);
    }
}

/// Runs are started and begin to wait while their promises are completed by a workflow id that no run had.
async fn first_completions_race_with_starts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids: Vec<String> = (0..16).map(|number| format!("first-{number}")).collect();
    let starts = ids.iter().map(|id| {
        let t = &t;
        async move {
            let run_id = t.start_owned(id, worker).await;
            t.tell(worker, run_id, 0, vec![awaits(&of_run(run_id), 0)]).await;
            run_id
        }
    });
    let completions = ids.iter().map(|id| {
        let store = Arc::clone(&t.other);
        async move { complete_through(&store, completion(&of_id(id), value("yes"))).await }
    });
    let (run_ids, completed) = tokio::join!(join_all(starts), join_all(completions));
    assert!(completed.iter().all(|outcome| *outcome == CompletionOutcome::Completed));
    for run_id in run_ids {
        assert_eq!(t.outcomes(run_id).await, [(0, value("yes"))]);
    }
}
