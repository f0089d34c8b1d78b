//! Messages between runs, through the outbox.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{Message, OutgoingMessage, Payload, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{
    StoreUnderTest, block, close, keep, new_run, park, signal,
};
use crate::store::{
    ArrivalKind, CommitOutcome, CommitStep, DeadLetterFilter, DeadLetterReason, Effect,
    MAX_ANSWER_BYTES, MessageKey, NewRun, RelayMessages, Relayed, RunEvent, Senders, Store,
    WorkerLease,
};

crate::store::conformance::list_cases!("outbox":
    a_message_reaches_the_open_run_of_its_workflow_id,
    a_message_makes_a_run_due_that_sleeps,
    a_message_to_a_blocked_run_waits_for_it,
    a_message_is_announced,
    a_run_sends_to_itself_and_to_an_id_that_is_a_run_id,
    a_lost_step_sends_nothing,
    messages_of_several_steps_arrive_in_order,
    a_message_is_relayed_once,
    what_a_closed_run_has_sent_is_relayed,
    a_message_to_nobody_becomes_a_dead_letter,
    a_message_goes_to_whoever_has_the_id_now,
    a_relay_takes_the_first_of_each_sender_up_to_its_limit,
    messages_are_relayed_as_far_as_they_fit,
    messages_of_hundreds_of_runs_are_relayed,
    what_has_waited_is_swept,
    any_text_can_be_sent,
    racing_relays_deliver_each_message_once_and_in_order,
    relays_race_with_ends_and_new_starts,
);

const MANY: u32 = 1_000;

/// A signal to a workflow id, whose payload is its text.
pub(in crate::store::conformance) fn to(workflow_id: &str, text: &str) -> Effect {
    let payload = Payload(text.as_bytes().to_vec());
    let body = Message::Signal { name: "news".into(), payload };
    Effect::Send(OutgoingMessage { to: workflow_id.into(), body })
}

impl StoreUnderTest {
    /// Makes a run's next step send these messages.
    pub(in crate::store::conformance) async fn send(
        &self,
        owner: WorkerLease,
        run_id: RunId,
        step_no: i64,
        effects: Vec<Effect>,
    ) {
        let step = keep(run_id, step_no, "sent");
        let step = CommitStep { effects, ..step };
        assert_eq!(self.commit(owner, step).await, CommitOutcome::Committed);
    }

    pub(in crate::store::conformance) async fn relay(&self, senders: &[RunId]) -> Relayed {
        relay_through(&self.store, senders, MANY).await
    }

    /// The texts of the signals in an inbox.
    pub(in crate::store::conformance) async fn texts(&self, run_id: RunId) -> Vec<String> {
        let inbox = self.store.read_inbox(run_id, 0, MANY).await.expect("inboxes can be read");
        let text = |kind| match kind {
            ArrivalKind::Signal { payload, .. } => String::from_utf8(payload.0).expect("a text"),
            other => panic!("{other:?} is no signal"),
        };
        inbox.arrivals.into_iter().map(|arrival| text(arrival.kind)).collect()
    }
}

async fn relay_through(store: &Arc<dyn Store>, senders: &[RunId], limit: u32) -> Relayed {
    let request = RelayMessages { senders: Senders::Runs(senders), limit };
    store.relay_messages(request).await.expect("messages can be relayed")
}

fn numbers(relayed: &Relayed) -> Vec<i64> {
    relayed.delivered.iter().map(|message| message.seq).collect()
}

async fn a_message_reaches_the_open_run_of_its_workflow_id(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    t.send(worker, sender, 0, vec![to("receiver", "hello")]).await;
    assert!(t.texts(receiver).await.is_empty(), "it is not there before it is relayed");
    let relayed = t.relay(&[sender]).await;
    let [delivered] = relayed.delivered[..] else { panic!("one message: {relayed:?}") };
    assert_eq!((delivered.key.run_id, delivered.run_id, delivered.seq), (sender, receiver, 1));
    assert!(relayed.set_aside.is_empty() && !relayed.has_more, "{relayed:?}");
    assert_eq!(t.texts(receiver).await, ["hello"]);
    let inbox = t.store.read_inbox(receiver, 0, 1).await.expect("inboxes can be read");
    let [arrival] = &inbox.arrivals[..] else { panic!("one arrival") };
    let ArrivalKind::Signal { name, .. } = &arrival.kind else { panic!("a signal") };
    assert_eq!(name, "news");
}

async fn a_message_makes_a_run_due_that_sleeps(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    t.commit(worker, park(receiver, 0, None, 0)).await;
    t.send(worker, sender, 0, vec![to("receiver", "wake up")]).await;
    assert!(t.claim_ids(worker, 9).await.is_empty(), "it sleeps");
    t.relay(&[sender]).await;
    let claimed = t.claim(worker, 9).await;
    let [run] = &claimed[..] else { panic!("it is due") };
    assert_eq!((run.run_id, run.inbox_count, run.inbox.arrivals.len()), (receiver, 1, 1));
}

async fn a_message_to_a_blocked_run_waits_for_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    t.commit(worker, block(receiver, 0)).await;
    t.send(worker, sender, 0, vec![to("receiver", "later")]).await;
    assert_eq!(numbers(&t.relay(&[sender]).await), [1]);
    assert!(t.claim_ids(worker, 9).await.is_empty(), "nobody unblocks it");
    assert_eq!(t.record(receiver).await.status, RunStatus::Blocked);
    assert_eq!(t.texts(receiver).await, ["later"]);
}

async fn a_message_is_announced(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    let (events, mut news) = tokio::sync::mpsc::unbounded_channel();
    let _subscription = t.store.hub().subscribe(receiver, events);
    t.send(worker, sender, 0, vec![to("receiver", "hello")]).await;
    assert!(news.try_recv().is_err(), "nothing has arrived");
    t.relay(&[sender]).await;
    assert_eq!(news.try_recv(), Ok(RunEvent::Arrival(receiver)));
    t.relay(&[sender]).await;
    assert!(news.try_recv().is_err(), "nothing more has");
}

async fn a_run_sends_to_itself_and_to_an_id_that_is_a_run_id(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let named = RunId::new();
    let run = NewRun { run_id: named, owner: Some(worker), ..new_run(&named.to_string()) };
    t.start_all(vec![run]).await;
    let other = RunId::new().to_string();
    let taken = t.start_owned(&other, worker).await;
    let sent = vec![to("sender", "me"), to(&named.to_string(), "own"), to(&other, "other")];
    t.send(worker, sender, 0, sent).await;
    assert_eq!(t.relay(&[sender]).await.delivered.len(), 3);
    for (run_id, text) in [(sender, "me"), (named, "own"), (taken, "other")] {
        assert_eq!(t.texts(run_id).await, [text]);
    }
}

async fn a_lost_step_sends_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start_owned("receiver", worker).await;
    let effects = vec![to("receiver", "late")];
    let late = CommitStep { effects, ..keep(sender, 7, "late") };
    assert_eq!(t.commit(worker, late).await, CommitOutcome::Lost);
    assert_eq!(t.relay(&[sender]).await, Relayed::default());
    assert!(t.texts(receiver).await.is_empty());
}

async fn messages_of_several_steps_arrive_in_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let (one, two) = (t.start("one").await, t.start("two").await);
    for step in 0..5 {
        let text = |number: i64| (3 * step + number).to_string();
        let sent = vec![to("one", &text(0)), to("two", &text(1)), to("one", &text(2))];
        t.send(worker, sender, step, sent).await;
    }
    let relayed = t.relay(&[sender]).await;
    assert_eq!(relayed.delivered.len(), 15);
    assert!(relayed.delivered.is_sorted_by_key(|message| message.key), "{relayed:?}");
    assert_eq!(t.texts(one).await, ["0", "2", "3", "5", "6", "8", "9", "11", "12", "14"]);
    assert_eq!(t.texts(two).await, ["1", "4", "7", "10", "13"]);
}

async fn a_message_is_relayed_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start("receiver").await;
    t.send(worker, sender, 0, vec![to("receiver", "once")]).await;
    assert_eq!(numbers(&t.relay(&[sender, sender]).await), [1]);
    assert_eq!(t.relay(&[sender]).await, Relayed::default());
    assert_eq!(relay_through(&t.other, &[sender], MANY).await, Relayed::default());
    assert_eq!(t.texts(receiver).await, ["once"]);
    t.send(worker, sender, 1, vec![to("receiver", "more")]).await;
    assert_eq!(numbers(&t.relay(&[sender]).await), [2]);
    assert_eq!(t.texts(receiver).await, ["once", "more"]);
}

async fn what_a_closed_run_has_sent_is_relayed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (ends, ended) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let receiver = t.start("receiver").await;
    let effects = vec![to("receiver", "goodbye")];
    let last = CommitStep { effects, ..close(ends, 0) };
    assert_eq!(t.commit(worker, last).await, CommitOutcome::Committed);
    t.send(worker, ended, 0, vec![to("receiver", "last words")]).await;
    assert!(t.store.terminate_run(ended, "enough").await.expect("it can be terminated"));
    assert_eq!(numbers(&t.relay(&[ends, ended]).await), [1, 2]);
    assert_eq!(t.texts(receiver).await, ["goodbye", "last words"]);
}

async fn a_message_to_nobody_becomes_a_dead_letter(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let over = t.start_owned("over", worker).await;
    t.commit(worker, close(over, 0)).await;
    let named = RunId::new();
    let run = NewRun { run_id: named, owner: Some(worker), ..new_run(&named.to_string()) };
    t.start_all(vec![run]).await;
    t.commit(worker, close(named, 0)).await;
    let named = named.to_string();
    let sent = vec![to("nobody", "one"), to("over", "two"), to(&named, "three")];
    t.send(worker, sender, 0, sent).await;
    let relayed = t.relay(&[sender]).await;
    assert!(relayed.delivered.is_empty() && !relayed.has_more, "{relayed:?}");
    let key = |index| MessageKey::of(sender, StepNo(0), index).expect("one of few");
    let expected = [
        (key(0), DeadLetterReason::Unknown),
        (key(1), DeadLetterReason::Closed),
        (key(2), DeadLetterReason::Closed),
    ];
    assert_eq!(relayed.set_aside, expected);
    assert_eq!(t.relay(&[sender]).await, Relayed::default());
    let listed = t.store.list_dead_letters(&DeadLetterFilter::default(), None, 10).await;
    let listed = listed.expect("dead letters can be listed");
    assert_eq!(listed.len(), 3);
    for (letter, (key, reason)) in listed.iter().zip(expected) {
        assert_eq!((letter.message, &letter.reason), (Some(key), &reason));
        assert_eq!((letter.run_id, letter.set_aside_at), (None, t.now()));
    }
    let ids: Vec<&str> = listed.iter().map(|letter| letter.workflow_id.as_str()).collect();
    assert_eq!(ids, ["nobody", "over", &named]);
    let payload = Payload(b"one".to_vec());
    assert_eq!(listed[0].arrival, ArrivalKind::Signal { name: "news".into(), payload });
    assert!(t.texts(over).await.is_empty());
}

async fn a_message_goes_to_whoever_has_the_id_now(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let first = t.start_owned("receiver", worker).await;
    t.send(worker, sender, 0, vec![to("receiver", "one"), to("receiver", "two")]).await;
    assert_eq!(numbers(&relay_through(&t.store, &[sender], 1).await), [1]);
    t.commit(worker, close(first, 0)).await;
    let second = t.start("receiver").await;
    let relayed = t.relay(&[sender]).await;
    let [delivered] = relayed.delivered[..] else { panic!("one message: {relayed:?}") };
    assert_eq!((delivered.run_id, delivered.seq), (second, 1));
    assert_eq!(t.texts(second).await, ["two"], "the first one has got the other");
}

async fn a_relay_takes_the_first_of_each_sender_up_to_its_limit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, two) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let receiver = t.start("receiver").await;
    for sender in [one, two] {
        let name = if sender == one { "a" } else { "b" };
        let text = |number: usize| to("receiver", &format!("{name}{number}"));
        t.send(worker, sender, 0, (0..3).map(text).collect()).await;
    }
    let mut calls = 0;
    loop {
        calls += 1;
        let relayed = relay_through(&t.store, &[two, one], 2).await;
        assert!(relayed.delivered.len() <= 2, "{relayed:?}");
        if !relayed.has_more {
            break;
        }
    }
    assert_eq!(calls, 3);
    assert_eq!(t.texts(receiver).await, ["b0", "b1", "b2", "a0", "a1", "a2"]);
}

async fn messages_are_relayed_as_far_as_they_fit(t: StoreUnderTest) {
    const HALF: usize = MAX_ANSWER_BYTES / 2 - 1_000;
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let receiver = t.start("receiver").await;
    let long = |length: usize| to("receiver", &"x".repeat(length));
    t.send(worker, sender, 0, vec![long(HALF), long(HALF)]).await;
    t.send(worker, sender, 1, vec![long(HALF), long(MAX_ANSWER_BYTES + 1), long(1)]).await;
    let mut counts = Vec::new();
    loop {
        let relayed = t.relay(&[sender]).await;
        counts.push(relayed.delivered.len());
        if !relayed.has_more {
            break;
        }
    }
    assert_eq!(counts, [2, 1, 1, 1]);
    let mut lengths = Vec::new();
    for after in 0..5 {
        let inbox = t.store.read_inbox(receiver, after, 1).await.expect("inboxes can be read");
        let ArrivalKind::Signal { payload, .. } = &inbox.arrivals[0].kind else { panic!("one") };
        lengths.push(payload.as_bytes().len());
    }
    assert_eq!(lengths, [HALF, HALF, HALF, MAX_ANSWER_BYTES + 1, 1]);
}

async fn messages_of_hundreds_of_runs_are_relayed(t: StoreUnderTest) {
    const COUNT: usize = 300;
    let worker = t.worker().await;
    let run = |n: usize| NewRun { owner: Some(worker), ..new_run(&n.to_string()) };
    let runs: Vec<NewRun> = (0..COUNT).map(run).collect();
    let run_ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    t.start_all(runs).await;
    let step = |n: usize| {
        let effects = vec![to(&(COUNT - 1 - n).to_string(), &n.to_string())];
        CommitStep { effects, ..keep(run_ids[n], 0, "sent") }
    };
    t.commit_all(worker, (0..COUNT).map(step).collect()).await;
    let mut delivered = 0;
    loop {
        let relayed = t.relay(&run_ids).await;
        delivered += relayed.delivered.len();
        if !relayed.has_more {
            break;
        }
    }
    assert_eq!(delivered, COUNT);
    for n in [0, 7, COUNT - 1] {
        assert_eq!(t.texts(run_ids[n]).await, [(COUNT - 1 - n).to_string()]);
    }
}

async fn what_has_waited_is_swept(t: StoreUnderTest) {
    const AGE: Duration = Duration::from_secs(5);
    let sweep = async || {
        let request = RelayMessages { senders: Senders::WaitingFor(AGE), limit: MANY };
        t.other.relay_messages(request).await.expect("messages can be relayed")
    };
    let worker = t.worker().await;
    let (one, two) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let receiver = t.start("receiver").await;
    t.send(worker, one, 0, vec![to("receiver", "old"), to("nobody", "old")]).await;
    t.clock.advance(Duration::from_secs(3));
    t.send(worker, two, 0, vec![to("receiver", "young")]).await;
    assert_eq!(sweep().await, Relayed::default());
    t.clock.advance(Duration::from_secs(2));
    t.send(worker, one, 1, vec![to("receiver", "new")]).await;
    let swept = sweep().await;
    assert_eq!((swept.delivered.len(), swept.set_aside.len()), (2, 1), "{swept:?}");
    assert_eq!(t.texts(receiver).await, ["old", "new"]);
    t.clock.advance(AGE);
    assert_eq!(numbers(&sweep().await), [3]);
    assert_eq!(sweep().await, Relayed::default());
    // The clock is set back after a message was sent.
    let worker = t.worker().await;
    let three = t.start_owned("c", worker).await;
    t.send(worker, three, 0, vec![to("receiver", "early")]).await;
    t.clock.set(t.clock.now() - Duration::from_secs(2));
    assert_eq!(numbers(&sweep().await), [4]);
}

async fn any_text_can_be_sent(t: StoreUnderTest) {
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let id = "ünïcode 'quoted' {} 🧗";
    let receiver = t.start(id).await;
    let payload = Payload(vec![0, 255]);
    let body = Message::Signal { name: "a\0b".into(), payload: payload.clone() };
    t.send(worker, sender, 0, vec![Effect::Send(OutgoingMessage { to: id.into(), body })]).await;
    assert_eq!(numbers(&t.relay(&[sender]).await), [1]);
    let inbox = t.store.read_inbox(receiver, 0, 1).await.expect("inboxes can be read");
    assert_eq!(inbox.arrivals[0].kind, ArrivalKind::Signal { name: "a\0b".into(), payload });
}

async fn racing_relays_deliver_each_message_once_and_in_order(t: StoreUnderTest) {
    const STEPS: i64 = 20;
    let worker = t.worker().await;
    let senders: Vec<RunId> = {
        let mut senders = Vec::new();
        for name in ["s0", "s1", "s2"] {
            senders.push(t.start_owned(name, worker).await);
        }
        senders
    };
    let receivers = [t.start("r0").await, t.start("r1").await];
    let relays: Vec<_> = (0..4)
        .map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &t.store } else { &t.other });
            let mut senders = senders.clone();
            senders.rotate_left(number % 3);
            tokio::spawn(async move {
                let mut delivered = 0;
                for _ in 0..2 * STEPS {
                    delivered += relay_through(&store, &senders, 5).await.delivered.len();
                }
                delivered
            })
        })
        .collect();
    for step in 0..STEPS {
        for (number, sender) in senders.iter().enumerate() {
            let text = format!("s{number}:{step:02}");
            t.send(worker, *sender, step, vec![to("r0", &text), to("r1", &text)]).await;
        }
    }
    let mut delivered = 0;
    for relay in relays {
        delivered += relay.await.expect("no task panics");
    }
    loop {
        let relayed = t.relay(&senders).await;
        delivered += relayed.delivered.len();
        if !relayed.has_more {
            break;
        }
    }
    assert_eq!(delivered, usize::try_from(STEPS).expect("small") * 6);
    for receiver in receivers {
        let texts = t.texts(receiver).await;
        for number in 0..3 {
            let sent = (0..STEPS).map(|step| format!("s{number}:{step:02}"));
            let prefix = format!("s{number}:");
            let got = texts.iter().filter(|text| text.starts_with(&prefix)).cloned();
            assert!(got.eq(sent), "{texts:?}");
        }
    }
}

/// Runs with one workflow id follow each other while messages to it are relayed: each message goes to one run or to
/// the dead letters, and never to two.
async fn relays_race_with_ends_and_new_starts(t: StoreUnderTest) {
    const ROUNDS: i64 = 15;
    let worker = t.worker().await;
    let sender = t.start_owned("sender", worker).await;
    let relays: Vec<_> = [Arc::clone(&t.store), Arc::clone(&t.other)]
        .into_iter()
        .map(|store| {
            tokio::spawn(async move {
                let (mut delivered, mut set_aside) = (Vec::new(), Vec::new());
                for _ in 0..4 * ROUNDS {
                    let relayed = relay_through(&store, &[sender], 3).await;
                    delivered.extend(relayed.delivered);
                    set_aside.extend(relayed.set_aside);
                }
                (delivered, set_aside)
            })
        })
        .collect();
    for round in 0..ROUNDS {
        let receiver = t.start_owned("receiver", worker).await;
        t.send(worker, sender, 2 * round, vec![to("receiver", "one"), to("receiver", "two")]).await;
        t.deliver(signal(receiver, "beside")).await;
        t.commit(worker, close(receiver, 0)).await;
        t.send(worker, sender, 2 * round + 1, vec![to("receiver", "three")]).await;
    }
    let mut keys: Vec<MessageKey> = Vec::new();
    for relay in relays {
        let (delivered, set_aside) = relay.await.expect("no task panics");
        keys.extend(delivered.into_iter().map(|message| message.key));
        keys.extend(set_aside.into_iter().map(|(key, _)| key));
    }
    loop {
        let relayed = t.relay(&[sender]).await;
        keys.extend(relayed.delivered.iter().map(|message| message.key));
        keys.extend(relayed.set_aside.iter().map(|(key, _)| *key));
        if !relayed.has_more {
            break;
        }
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((keys.len(), count), (3 * ROUNDS as usize, 3 * ROUNDS as usize));
}
