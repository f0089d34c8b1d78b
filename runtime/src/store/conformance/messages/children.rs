//! Children: starting them, awaiting them, and the policies for the end of their parent.

use std::time::Duration;

use crate::machine::OperationOutcome;
use crate::model::{
    AttributeValue, ChildEnd, ChildOptions, ChildStart, DefinitionHash, Handle, Message,
    OutgoingMessage, ParentClose, Payload, RunId, RunStatus, Terms,
};
use crate::store::conformance::fixture::{
    StoreUnderTest, WORKFLOW, activity, close, close_as, edit_of, enqueue, keep, new_run, park,
    signal,
};
use crate::store::{
    ArrivalKind, ArrivalOutcome, CommitOutcome, CommitStep, DeadLetterFilter, DeadLetterReason,
    Effect, NewRun, RelayMessages, RemoveClosed, Removed, Senders, WaitingMessage, WorkerLease,
};

crate::store::conformance::list_cases!("children":
    a_child_is_started_once,
    a_child_that_is_to_be_started_is_listed,
    a_child_comes_with_its_terms_and_labels,
    a_child_whose_id_is_taken_tells_whoever_waits,
    the_end_of_a_child_is_told_once,
    a_child_that_is_over_is_told_to_who_waits_later,
    several_operations_wait_for_one_child,
    a_child_that_is_not_there_is_unknown,
    a_terminated_child_is_told,
    who_is_closed_is_told_nothing,
    children_are_dealt_with_by_their_policies,
    a_terminated_parent_takes_its_children_along,
    a_parent_that_starts_in_its_last_step_takes_them_along,
    many_children_are_dealt_with_in_parts,
    what_is_for_a_child_goes_to_no_other_run,
    racing_relays_start_and_tell_once,
    a_parent_that_is_open_again_keeps_its_children,
    children_are_listed,
    a_child_is_kept_while_its_parent_is_open,
);

/// A child whose end is not awaited.
pub(super) fn child(policy: ParentClose) -> ChildStart {
    ChildStart {
        run_id: RunId::new(),
        workflow: WORKFLOW.into(),
        arguments: Payload(vec![7]),
        snapshot: b"child".to_vec(),
        state: "born".into(),
        definition: DefinitionHash(u64::MAX - 7),
        on_parent_close: policy,
        awaited_by: None,
        options: None,
    }
}

pub(super) fn start(workflow_id: &str, start: ChildStart) -> Effect {
    let body = Message::Start(Box::new(start));
    Effect::Send(OutgoingMessage { to: workflow_id.into(), body })
}

fn awaiting(child: RunId, handle: u64) -> Effect {
    let body = Message::AwaitChild { child, handle: Handle(handle) };
    Effect::Send(OutgoingMessage { to: "child".into(), body })
}

impl StoreUnderTest {
    /// Relays until there is nothing to do, for these runs and those that the store announces.
    pub(super) async fn relay_all(&self, senders: &[RunId]) {
        let mut senders = senders.to_vec();
        for _ in 0..1_000 {
            let relayed = self.relay(&senders).await;
            let sent = self.store.hub().take_sent();
            if !relayed.has_more && sent.is_empty() {
                return;
            }
            senders.extend(sent);
        }
        panic!("there is no end to it");
    }

    /// A parent with a started child.
    async fn family(&self, worker: WorkerLease, child_start: ChildStart) -> (RunId, RunId) {
        let parent = self.start_owned("parent", worker).await;
        let child = child_start.run_id;
        self.send(worker, parent, 0, vec![start("child", child_start)]).await;
        self.relay_all(&[parent]).await;
        (parent, child)
    }

    /// The ends of children in a run's inbox, by operation.
    async fn ends(&self, run_id: RunId) -> Vec<(u64, ChildEnd)> {
        let inbox = self.store.read_inbox(run_id, 0, 1_000).await.expect("inboxes can be read");
        let end = |kind| match kind {
            ArrivalKind::Outcome { handle, outcome: OperationOutcome::Child(end) } => {
                (handle.0, *end)
            }
            other => panic!("{other:?} is no end of a child"),
        };
        inbox.arrivals.into_iter().map(|arrival| end(arrival.kind)).collect()
    }
}

fn completed() -> ChildEnd {
    let (status, result) = (RunStatus::Completed, Some(Payload(b"result".to_vec())));
    ChildEnd::Closed { status, result, failure: None }
}

async fn a_child_that_is_to_be_started_is_listed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let [one, other] = [t.start_owned("one", worker).await, t.start_owned("other", worker).await];
    let (born, awaited) = (child(ParentClose::Terminate), child(ParentClose::Abandon));
    let third = child(ParentClose::Terminate);
    let messages = vec![start("a", born.clone()), start("b", awaited.clone())];
    t.send(worker, one, 0, messages).await;
    t.send(worker, other, 0, vec![start("c", third.clone()), awaiting(third.run_id, 7)]).await;
    let all = t.store.list_outbox(None, 10).await.expect("the outbox can be listed");
    let told = |messages: &[WaitingMessage]| {
        let told =
            messages.iter().map(|message| (message.workflow_id.clone(), message.body.clone()));
        told.collect::<Vec<_>>()
    };
    let to_start = |id: &str, start: &ChildStart| {
        (id.to_owned(), Some(Message::Start(Box::new(start.clone()))))
    };
    let of_one = [to_start("a", &born), to_start("b", &awaited)];
    let to_await = Message::AwaitChild { child: third.run_id, handle: Handle(7) };
    let of_other = [to_start("c", &third), ("child".to_owned(), Some(to_await))];
    let expected = match one < other {
        true => [of_one, of_other].concat(),
        false => [of_other, of_one].concat(),
    };
    assert_eq!(told(&all), expected);
    assert!(all.is_sorted_by_key(|message| message.key));

    let page = t.store.list_outbox(Some(all[0].key), 2).await.expect("it can be listed");
    assert_eq!(told(&page), expected[1..3]);
    let rest = t.store.list_outbox(Some(all[3].key), 2).await.expect("it can be listed");
    assert_eq!(rest, []);
    t.relay_all(&[one, other]).await;
    let none = t.store.list_outbox(None, 10).await.expect("the outbox can be listed");
    assert_eq!(none, [], "all are started");
}

async fn a_child_is_started_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let child = child(ParentClose::Terminate);
    let child_id = child.run_id;
    t.send(worker, parent, 0, vec![start("child", child)]).await;
    let unknown = t.store.find_kin(child_id).await.expect("it can be read");
    assert!(unknown.is_none(), "it is not there before it is relayed");
    let relayed = t.relay(&[parent]).await;
    assert_eq!(relayed.carried_out.len(), 1, "{relayed:?}");
    let relayed = t.relay(&[parent]).await;
    assert!(relayed.carried_out.is_empty() && !relayed.has_more, "{relayed:?}");
    let run = t.record(child_id).await;
    assert_eq!((&*run.workflow_id, &*run.workflow, &*run.state), ("child", WORKFLOW, "born"));
    assert_eq!(
        (run.status, run.definition),
        (RunStatus::Running, Some(DefinitionHash(u64::MAX - 7)))
    );
    let claimed = t.claim(worker, 9).await;
    assert_eq!(claimed.iter().map(|run| run.run_id).collect::<Vec<_>>(), [child_id]);
    assert_eq!(claimed[0].snapshot, b"child");
    let kin = t.store.find_kin(child_id).await.expect("it can be read").expect("it is there");
    assert_eq!(kin.parent, Some((parent, ParentClose::Terminate)));
    let kin = t.store.find_kin(parent).await.expect("it can be read").expect("it is there");
    assert_eq!((kin.parent, kin.child_count), (None, 1));
}

async fn a_child_comes_with_its_terms_and_labels(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let timeouts = [Some(Duration::from_secs(60)), None];
    let (mut effects, mut children) = (Vec::new(), Vec::new());
    for (at, run_timeout) in timeouts.into_iter().enumerate() {
        let terms = Terms { run_timeout, ..Terms::default() };
        let terms = (!terms.is_empty()).then_some(terms);
        let attributes = [("customer".to_owned(), AttributeValue::Keyword("c-7".into()))].into();
        let memo = [("number", at as i64)].into_iter().collect();
        let options =
            Some(Box::new(ChildOptions { terms, attributes, memo, ends_with_run: false }));
        let child = ChildStart { options, ..child(ParentClose::Terminate) };
        children.push(child.clone());
        effects.push(start(&format!("child-{at}"), child));
    }
    let plain = child(ParentClose::Terminate);
    let plain_id = plain.run_id;
    effects.push(start("plain", plain));
    t.send(worker, parent, 0, effects).await;
    // Its time begins when it is started, not when its parent asks for that.
    t.clock.advance(Duration::from_secs(2));
    t.relay_all(&[parent]).await;
    let now = t.now();
    for (child, run_timeout) in children.into_iter().zip(timeouts) {
        let run = t.record(child.run_id).await;
        let options = child.options.expect("it has some");
        assert_eq!((&run.attributes, &run.memo), (&options.attributes, &options.memo));
        let terms = t.store.find_terms(child.run_id).await.expect("they can be read");
        assert_eq!(terms.is_some(), run_timeout.is_some());
        let deadline = terms.and_then(|terms| terms.deadline());
        assert_eq!(deadline, run_timeout.map(|timeout| now + timeout));
    }
    let plain = t.record(plain_id).await;
    assert!(plain.attributes.is_empty() && plain.memo.is_empty());
    let with_terms: Vec<bool> = t.claim(worker, 9).await.iter().map(|run| run.has_terms).collect();
    assert_eq!(with_terms.iter().filter(|has_terms| **has_terms).count(), 1, "{with_terms:?}");
    assert_eq!(with_terms.len(), 3);
}

async fn a_child_whose_id_is_taken_tells_whoever_waits(t: StoreUnderTest) {
    let worker = t.worker().await;
    let holder = t.start("child").await;
    let parent = t.start_owned("parent", worker).await;
    let (mut one, two) = (child(ParentClose::Terminate), child(ParentClose::Terminate));
    one.awaited_by = Some(Handle(4));
    let second = two.run_id;
    let effects = vec![start("child", one), start("child", two), awaiting(second, 5)];
    t.send(worker, parent, 0, effects).await;
    t.relay_all(&[parent]).await;
    let taken = ChildEnd::IdTaken { run_id: holder };
    assert_eq!(t.ends(parent).await, [(4, taken.clone()), (5, taken)]);
    t.commit(worker, close(parent, 1)).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(holder).await.status, RunStatus::Running, "it is nobody's child");
}

async fn the_end_of_a_child_is_told_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut start = child(ParentClose::Terminate);
    start.awaited_by = Some(Handle(3));
    let (parent, child) = t.family(worker, start).await;
    t.commit(worker, park(parent, 1, None, 0)).await;
    assert_eq!(t.claim_ids(worker, 9).await, [child]);
    assert_eq!(t.commit(worker, close(child, 0)).await, CommitOutcome::Committed);
    assert!(t.store.hub().take_sent().contains(&child), "it is said that there is something");
    assert!(t.ends(parent).await.is_empty(), "it is not told before it is relayed");
    t.relay_all(&[child]).await;
    assert_eq!(t.ends(parent).await, [(3, completed())]);
    assert_eq!(t.claim_ids(worker, 9).await, [parent], "the parent is due");
    t.relay_all(&[child, parent]).await;
    assert_eq!(t.ends(parent).await.len(), 1);
}

async fn a_child_that_is_over_is_told_to_who_waits_later(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, child) = t.family(worker, child(ParentClose::Terminate)).await;
    t.claim_ids(worker, 9).await;
    let failed = close_as(child, 0, RunStatus::Failed, None, Some("oh no"));
    assert_eq!(t.commit(worker, failed).await, CommitOutcome::Committed);
    t.relay_all(&[child]).await;
    assert!(t.ends(parent).await.is_empty(), "nobody waits");
    for (step_no, handle) in [(1, 8), (2, 9)] {
        t.send(worker, parent, step_no, vec![awaiting(child, handle)]).await;
        t.relay_all(&[parent]).await;
    }
    let failure = Some("oh no".to_owned());
    let failed = ChildEnd::Closed { status: RunStatus::Failed, result: None, failure };
    assert_eq!(t.ends(parent).await, [(8, failed.clone()), (9, failed)]);
}

async fn several_operations_wait_for_one_child(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, child) = t.family(worker, child(ParentClose::Terminate)).await;
    let other = t.start_owned("other", worker).await;
    t.send(worker, parent, 1, vec![awaiting(child, 1), awaiting(child, 2)]).await;
    t.send(worker, other, 0, vec![awaiting(child, 1)]).await;
    t.relay_all(&[parent, other]).await;
    t.claim_ids(worker, 9).await;
    t.commit(worker, close(child, 0)).await;
    t.relay_all(&[child]).await;
    assert_eq!(t.ends(parent).await, [(1, completed()), (2, completed())]);
    assert_eq!(t.ends(other).await, [(1, completed())]);
}

async fn a_child_that_is_not_there_is_unknown(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    t.send(worker, parent, 0, vec![awaiting(RunId::new(), 2)]).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.ends(parent).await, [(2, ChildEnd::Unknown)]);
}

async fn a_terminated_child_is_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut start = child(ParentClose::Terminate);
    start.awaited_by = Some(Handle(3));
    let (parent, child) = t.family(worker, start).await;
    assert!(t.store.terminate_run(child, "enough").await.expect("runs can be terminated"));
    t.relay_all(&[child]).await;
    let failure = Some("enough".to_owned());
    let end = ChildEnd::Closed { status: RunStatus::Terminated, result: None, failure };
    assert_eq!(t.ends(parent).await, [(3, end)]);
}

async fn who_is_closed_is_told_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut start = child(ParentClose::Abandon);
    start.awaited_by = Some(Handle(3));
    let (parent, child) = t.family(worker, start).await;
    t.claim_ids(worker, 9).await;
    t.commit(worker, close(parent, 1)).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(child).await.status, RunStatus::Running, "an abandoned child stays open");
    t.commit(worker, close(child, 0)).await;
    t.relay_all(&[child]).await;
    assert!(t.inbox(parent).await.is_empty());
    let letters = t.store.list_dead_letters(&DeadLetterFilter::default(), None, 9).await;
    assert!(letters.expect("they can be listed").is_empty());
}

async fn children_are_dealt_with_by_their_policies(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let policies = ParentClose::ALL.map(child);
    let [ended, cancelled, abandoned] = policies.clone().map(|start| start.run_id);
    let starts = policies.into_iter().enumerate();
    let starts = starts.map(|(number, child)| start(&format!("child-{number}"), child));
    t.send(worker, parent, 0, starts.collect()).await;
    t.relay_all(&[parent]).await;
    t.claim_ids(worker, 9).await;
    let step = CommitStep { effects: enqueue(vec![activity(0)]), ..keep(ended, 0, "asked") };
    t.commit(worker, step).await;
    t.deliver(signal(ended, "unread")).await;
    assert_eq!(t.commit(worker, close(parent, 1)).await, CommitOutcome::Committed);
    t.relay_all(&[parent]).await;
    let run = t.record(ended).await;
    assert_eq!((run.status, run.owner), (RunStatus::Terminated, None));
    assert!(run.failure.expect("a reason").contains(&parent.to_string()));
    assert_eq!(t.inbox(ended).await, [1], "it has not taken the signal");
    assert!(t.claim_keys(worker, 9).await.is_empty());
    assert_eq!(t.commit(worker, keep(ended, 1, "late")).await, CommitOutcome::Lost);
    let inbox = t.store.read_inbox(cancelled, 0, 9).await.expect("inboxes can be read");
    let [arrival] = &inbox.arrivals[..] else { panic!("one request: {inbox:?}") };
    assert!(matches!(arrival.kind, ArrivalKind::Cancel { .. }));
    assert_eq!(t.record(cancelled).await.status, RunStatus::Running);
    assert_eq!(t.record(abandoned).await.status, RunStatus::Running);
    assert!(t.inbox(abandoned).await.is_empty());
    t.relay_all(&[parent]).await;
    assert_eq!(t.inbox(cancelled).await.len(), 1, "it is asked once");
}

async fn a_terminated_parent_takes_its_children_along(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, middle) = t.family(worker, child(ParentClose::Terminate)).await;
    t.claim_ids(worker, 9).await;
    let last = child(ParentClose::Terminate);
    let last_id = last.run_id;
    t.send(worker, middle, 0, vec![start("grandchild", last)]).await;
    t.relay_all(&[middle]).await;
    assert!(t.store.terminate_run(parent, "enough").await.expect("runs can be terminated"));
    t.relay_all(&[parent]).await;
    for run_id in [middle, last_id] {
        assert_eq!(t.record(run_id).await.status, RunStatus::Terminated);
    }
}

async fn a_parent_that_starts_in_its_last_step_takes_them_along(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let child = child(ParentClose::Terminate);
    let child_id = child.run_id;
    let step = CommitStep { effects: vec![start("child", child)], ..close(parent, 0) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(child_id).await.status, RunStatus::Terminated);
}

async fn many_children_are_dealt_with_in_parts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let children: Vec<ChildStart> = (0..600).map(|_| child(ParentClose::Terminate)).collect();
    let ids: Vec<RunId> = children.iter().map(|child| child.run_id).collect();
    let starts = children.into_iter().map(|child| start(&child.run_id.to_string(), child));
    t.send(worker, parent, 0, starts.collect()).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.store.find_kin(parent).await.expect("read").expect("there").child_count, 600);
    t.commit(worker, close(parent, 1)).await;
    t.relay_all(&[parent]).await;
    for run_id in ids {
        assert_eq!(t.record(run_id).await.status, RunStatus::Terminated);
    }
}

async fn what_is_for_a_child_goes_to_no_other_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, child) = t.family(worker, child(ParentClose::Terminate)).await;
    let to_child = || {
        let body = Message::Cancel { reason: "enough".into() };
        let body = Message::ToChild { child, body: Box::new(body) };
        Effect::Send(OutgoingMessage { to: "child".into(), body })
    };
    t.send(worker, parent, 1, vec![to_child()]).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.inbox(child).await, [1]);
    t.store.terminate_run(child, "gone").await.expect("runs can be terminated");
    let other = t.start("child").await;
    t.send(worker, parent, 2, vec![to_child()]).await;
    t.relay_all(&[parent]).await;
    assert!(t.inbox(other).await.is_empty(), "it has the workflow id, and is another run");
    let letters = t.store.list_dead_letters(&DeadLetterFilter::default(), None, 9).await;
    let letters = letters.expect("they can be listed");
    assert_eq!(
        letters.iter().map(|letter| &letter.reason).collect::<Vec<_>>(),
        [&DeadLetterReason::Closed]
    );
}

async fn racing_relays_start_and_tell_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let children: Vec<ChildStart> = (0..20)
        .map(|handle| ChildStart {
            awaited_by: Some(Handle(handle)),
            ..child(ParentClose::Terminate)
        })
        .collect();
    let ids: Vec<RunId> = children.iter().map(|child| child.run_id).collect();
    let starts = children.into_iter().map(|child| start(&child.run_id.to_string(), child));
    t.send(worker, parent, 0, starts.collect()).await;
    let senders: Vec<RunId> = ids.iter().copied().chain([parent]).collect();
    let relay = || async {
        for store in [&t.store, &t.other, &t.store] {
            let request = RelayMessages { senders: Senders::Runs(&senders), limit: 7 };
            while store.relay_messages(request).await.expect("they can be relayed").has_more {}
        }
    };
    tokio::join!(relay(), relay(), relay());
    let mut claimed = t.claim_ids(worker, 100).await;
    claimed.sort_unstable();
    let mut expected = ids.clone();
    expected.sort_unstable();
    assert_eq!(claimed, expected);
    let closed = ids.iter().map(|child| close(*child, 0)).collect();
    t.commit_all(worker, closed).await;
    tokio::join!(relay(), relay(), relay());
    let mut told: Vec<u64> = t.ends(parent).await.into_iter().map(|(handle, _)| handle).collect();
    told.sort_unstable();
    assert_eq!(told, (0..20).collect::<Vec<_>>());
}

async fn a_parent_that_is_open_again_keeps_its_children(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, child) = t.family(worker, child(ParentClose::Terminate)).await;
    let failed = close_as(parent, 1, RunStatus::Failed, None, Some("oh no"));
    t.commit(worker, failed).await;
    let edit = crate::store::EditRun { reopen: true, ..edit_of(parent, 2) };
    let edited = t.store.edit_run(edit).await.expect("runs can be edited");
    assert_eq!(edited, crate::store::EditOutcome::Edited);
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(child).await.status, RunStatus::Running);
    t.store.terminate_run(parent, "enough").await.expect("runs can be terminated");
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(child).await.status, RunStatus::Terminated);
}

async fn children_are_listed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let holder = t.start("taken").await;
    let parent = t.start_owned("parent", worker).await;
    let children = [child(ParentClose::Abandon), child(ParentClose::RequestCancel)];
    let ids = children.clone().map(|child| child.run_id);
    let [one, two] = children;
    t.send(worker, parent, 0, vec![start("taken", one), start("free", two)]).await;
    t.relay_all(&[parent]).await;
    let listed = t.store.list_children(parent, None, 9).await.expect("they can be listed");
    let listed_ids: Vec<RunId> = listed.iter().map(|child| child.child).collect();
    assert_eq!(listed_ids, ids);
    assert_eq!((listed[0].run_id, listed[0].status), (None, None), "the run {holder} has its id");
    assert_eq!((listed[1].run_id, listed[1].status), (Some(ids[1]), Some(RunStatus::Running)));
    assert_eq!((&*listed[1].workflow_id, listed[1].parent), ("free", parent));
    assert_eq!(listed[1].on_parent_close, ParentClose::RequestCancel);
    let behind = t.store.list_children(parent, Some(ids[0]), 9).await.expect("they can be listed");
    assert_eq!(behind.iter().map(|child| child.child).collect::<Vec<_>>(), ids[1..]);
    t.clock.advance(Duration::from_secs(1));
    assert_eq!(t.deliver(signal(ids[0], "none")).await, ArrivalOutcome::Unknown);
}

async fn a_child_is_kept_while_its_parent_is_open(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parent, child) = t.family(worker, child(ParentClose::Terminate)).await;
    assert_eq!(t.claim(worker, 9).await.len(), 1);
    t.commit(worker, close(child, 0)).await;
    t.relay_all(&[child]).await;
    let remove = || {
        let age = Duration::from_secs(60);
        t.store.remove_closed(RemoveClosed { workflow: WORKFLOW, age, after: None, limit: 10 })
    };
    t.clock.advance(Duration::from_secs(60));
    assert_eq!(remove().await.expect("runs can be removed"), Removed::default());
    // The run is kept, so its result can still be looked up.
    let worker = t.worker().await;
    assert!(t.store.terminate_run(parent, "enough").await.expect("runs can be terminated"));
    t.relay_all(&[parent]).await;
    assert_eq!(remove().await.expect("runs can be removed").runs, 1);
    t.clock.advance(Duration::from_secs(60));
    assert_eq!(remove().await.expect("runs can be removed").runs, 1);
    // Nothing tells that one was a child of the other: ids that are used again have nothing of it.
    for run_id in [parent, child] {
        let run = NewRun { run_id, owner: Some(worker), ..new_run(&run_id.to_string()) };
        t.start_all(vec![run]).await;
        let kin = t.store.find_kin(run_id).await.expect("it can be read").expect("it is there");
        assert_eq!((kin.parent, kin.child_count), (None, 0));
    }
}
