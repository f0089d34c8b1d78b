//! Dead letters.

use std::sync::Arc;

use super::outbox::to;
use crate::model::{Payload, RunId};
use crate::store::conformance::fixture::{StoreUnderTest, close, keep, park, signal};
use crate::store::{
    ArrivalKind, CommitOutcome, CommitStep, DeadLetter, DeadLetterFilter, DeadLetterId,
    DeadLetterReason, Effect, MAX_ANSWER_BYTES, NewDeadLetter, RedeliverOutcome, WorkerLease,
};

crate::store::conformance::list_cases!("dead_letters":
    a_run_sets_aside_what_it_cannot_read,
    a_run_that_closes_sets_aside_what_it_cannot_read,
    a_lost_step_sets_nothing_aside,
    letters_are_listed_by_what_they_are_for,
    letters_are_listed_in_pages,
    letters_are_listed_as_far_as_they_fit,
    a_letter_is_delivered_after_all,
    a_letter_without_an_open_run_stays,
    letters_are_delivered_in_the_order_of_the_call,
    racing_deliveries_of_a_letter_deliver_it_once,
    dropped_letters_are_gone,
);

impl StoreUnderTest {
    async fn letters(&self, filter: &DeadLetterFilter) -> Vec<DeadLetter> {
        let listed = self.store.list_dead_letters(filter, None, 100).await;
        listed.expect("dead letters can be listed")
    }

    async fn letter_ids(&self) -> Vec<DeadLetterId> {
        self.letters(&DeadLetterFilter::default()).await.iter().map(|letter| letter.id).collect()
    }

    async fn redeliver(&self, ids: &[DeadLetterId]) -> Vec<RedeliverOutcome> {
        self.store.redeliver_dead_letters(ids).await.expect("they can be delivered")
    }

    /// Creates dead letters from messages without a receiver, and returns their ids.
    async fn kill(&self, worker: WorkerLease, messages: &[(&str, &str)]) -> Vec<DeadLetterId> {
        let before = self.letter_ids().await;
        let sender = self.start_owned(&RunId::new().to_string(), worker).await;
        let sent = messages.iter().map(|(id, text)| to(id, text)).collect();
        self.send(worker, sender, 0, sent).await;
        assert_eq!(self.relay(&[sender]).await.set_aside.len(), messages.len());
        let mut ids = self.letter_ids().await;
        ids.retain(|id| !before.contains(id));
        ids
    }
}

fn set_aside(seq: i64, reason: &str) -> Effect {
    Effect::SetAside(NewDeadLetter { seq, reason: reason.into() })
}

async fn a_run_sets_aside_what_it_cannot_read(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = t.start_owned("b", worker).await;
    for arrival in ["one", "two", "three"] {
        t.deliver_all(vec![signal(run_id, arrival), signal(other, arrival)]).await;
    }
    let effects = vec![set_aside(2, "no field `x`\0"), set_aside(9, "it is not there")];
    let step = CommitStep { consumed: vec![1], effects, ..keep(run_id, 0, "on") };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, [3]);
    assert_eq!(t.inbox(other).await, [1, 2, 3]);
    let letters = t.letters(&DeadLetterFilter::default()).await;
    let [letter] = &letters[..] else { panic!("one letter: {letters:?}") };
    let reason = DeadLetterReason::Unreadable("no field `x`\0".into());
    assert_eq!((letter.run_id, letter.workflow_id.as_str()), (Some(run_id), "a"));
    assert_eq!((&letter.reason, letter.message), (&reason, None));
    assert_eq!(letter.set_aside_at, t.now());
    let payload = Payload(b"two".to_vec());
    assert_eq!(letter.arrival, ArrivalKind::Signal { name: "two".into(), payload });
}

async fn a_run_that_closes_sets_aside_what_it_cannot_read(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned(&RunId::new().to_string(), worker).await;
    t.deliver_all(vec![signal(run_id, "one"), signal(run_id, "two")]).await;
    let step = CommitStep { effects: vec![set_aside(2, "why")], ..close(run_id, 0) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, [1]);
    let letters = t.letters(&DeadLetterFilter::default()).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].workflow_id, t.record(run_id).await.workflow_id);
}

async fn a_lost_step_sets_nothing_aside(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "one")).await;
    let late = CommitStep { effects: vec![set_aside(1, "why")], ..keep(run_id, 3, "late") };
    assert_eq!(t.commit(worker, late).await, CommitOutcome::Lost);
    assert_eq!(t.inbox(run_id).await, [1]);
    assert!(t.letter_ids().await.is_empty());
}

async fn letters_are_listed_by_what_they_are_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "one")).await;
    let step = CommitStep { effects: vec![set_aside(1, "why")], ..keep(run_id, 0, "on") };
    t.commit(worker, step).await;
    t.kill(worker, &[("nobody", "two"), ("else", "three")]).await;
    let of_id = |id: &str| DeadLetterFilter { workflow_id: Some(id.into()), run_id: None };
    let of_run = |run_id| DeadLetterFilter { workflow_id: None, run_id: Some(run_id) };
    assert_eq!(t.letters(&DeadLetterFilter::default()).await.len(), 3);
    assert_eq!(t.letters(&of_id("nobody")).await.len(), 1);
    assert_eq!(t.letters(&of_id("a")).await[0].run_id, Some(run_id));
    assert_eq!(t.letters(&of_run(run_id)).await.len(), 1);
    for nothing in [of_id("other"), of_id("no\0body"), of_run(RunId::new())] {
        assert!(t.letters(&nothing).await.is_empty());
    }
}

async fn letters_are_listed_in_pages(t: StoreUnderTest) {
    let worker = t.worker().await;
    let texts: Vec<String> = (0..7).map(|n| n.to_string()).collect();
    let messages: Vec<(&str, &str)> = texts.iter().map(|text| ("nobody", text.as_str())).collect();
    let ids = t.kill(worker, &messages).await;
    let mut listed: Vec<DeadLetter> = Vec::new();
    loop {
        let after = listed.last().map(|letter| letter.id);
        let page = t.store.list_dead_letters(&DeadLetterFilter::default(), after, 3).await;
        let page = page.expect("dead letters can be listed");
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 3);
        listed.extend(page);
    }
    assert!(listed.iter().map(|letter| letter.id).eq(ids));
}

async fn letters_are_listed_as_far_as_they_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let long = "x".repeat(MAX_ANSWER_BYTES / 2);
    let ids = t.kill(worker, &[("a", "short")]).await;
    for _ in 0..2 {
        let sender = t.start_owned(&RunId::new().to_string(), worker).await;
        t.send(worker, sender, 0, vec![to("a", &long)]).await;
        t.relay(&[sender]).await;
    }
    let filter = DeadLetterFilter::default();
    let page = t.store.list_dead_letters(&filter, Some(ids[0]), 10).await;
    let page = page.expect("dead letters can be listed");
    assert_eq!(page.len(), 1, "two are more than fits");
    let rest = t.store.list_dead_letters(&filter, Some(page[0].id), 10).await;
    assert_eq!(rest.expect("dead letters can be listed").len(), 1);
}

async fn a_letter_is_delivered_after_all(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids = t.kill(worker, &[("late", "hello")]).await;
    let run_id = t.start_owned("late", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    let delivered = RedeliverOutcome::Delivered { run_id, seq: 1 };
    assert_eq!(t.redeliver(&[ids[0], ids[0]]).await, [delivered, RedeliverOutcome::Gone]);
    assert_eq!(t.redeliver(&ids).await, [RedeliverOutcome::Gone]);
    assert_eq!(t.texts(run_id).await, ["hello"]);
    assert!(t.letter_ids().await.is_empty());
    assert_eq!(t.claim_ids(worker, 1).await, [run_id], "it is woken");
}

async fn a_letter_without_an_open_run_stays(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids = t.kill(worker, &[("nobody", "hello")]).await;
    assert_eq!(t.redeliver(&ids).await, [RedeliverOutcome::NoRun]);
    let run_id = t.start_owned("nobody", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(t.redeliver(&ids).await, [RedeliverOutcome::NoRun]);
    assert_eq!(t.letter_ids().await, ids);
    assert!(t.redeliver(&[]).await.is_empty());
}

async fn letters_are_delivered_in_the_order_of_the_call(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids = t.kill(worker, &[("a", "0"), ("b", "1"), ("a", "2"), ("nobody", "3")]).await;
    let (a, b) = (t.start("a").await, t.start("b").await);
    let outcomes = t.redeliver(&[ids[2], ids[3], ids[1], ids[0]]).await;
    let delivered = |run_id, seq| RedeliverOutcome::Delivered { run_id, seq };
    let expected = [delivered(a, 1), RedeliverOutcome::NoRun, delivered(b, 1), delivered(a, 2)];
    assert_eq!(outcomes, expected);
    assert_eq!(t.texts(a).await, ["2", "0"]);
    assert_eq!(t.letter_ids().await, [ids[3]]);
}

async fn racing_deliveries_of_a_letter_deliver_it_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let messages: Vec<(&str, &str)> = texts.iter().map(|text| ("late", text.as_str())).collect();
    let ids = t.kill(worker, &messages).await;
    let run_id = t.start("late").await;
    let calls: Vec<_> = (0..6)
        .map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &t.store } else { &t.other });
            let mut ids = ids.clone();
            ids.rotate_left(number);
            tokio::spawn(async move { store.redeliver_dead_letters(&ids).await })
        })
        .collect();
    let mut delivered = 0;
    for call in calls {
        let outcomes = call.await.expect("no task panics").expect("they can be delivered");
        let is_delivered =
            |it: &&RedeliverOutcome| matches!(it, RedeliverOutcome::Delivered { .. });
        delivered += outcomes.iter().filter(is_delivered).count();
    }
    assert_eq!(delivered, 20);
    assert_eq!(t.inbox(run_id).await, (1..=20).collect::<Vec<_>>());
}

async fn dropped_letters_are_gone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids = t.kill(worker, &[("a", "0"), ("a", "1"), ("a", "2")]).await;
    let drop = async |ids: &[DeadLetterId]| {
        t.store.drop_dead_letters(ids).await.expect("they can be dropped")
    };
    assert_eq!(drop(&[ids[0], ids[2]]).await, 2);
    assert_eq!(drop(&[ids[0], ids[2]]).await, 0);
    assert_eq!(drop(&[]).await, 0);
    assert_eq!(t.letter_ids().await, [ids[1]]);
    assert_eq!(t.redeliver(&[ids[0]]).await, [RedeliverOutcome::Gone]);
    let again = t.kill(worker, &[("a", "3")]).await;
    assert!(again[0] > ids[2], "ids are never used twice");
}
