//! Signals from one run to another.

use std::collections::BTreeMap;
use std::time::Duration;

use piton::prelude::*;
use piton::store::{ArrivalKind, DeadLetter, DeadLetterFilter, DeadLetterReason, RedeliverOutcome};
use serde::{Deserialize, Serialize};

use crate::activities::echo;
use crate::faults::Failing;
use crate::rig::Rig;

#[derive(Clone, Debug, PartialEq, Signal, Serialize, Deserialize)]
struct Note {
    from: u32,
    number: u32,
}

/// Sends numbered notes, several in some steps, the last ones in the step that ends it.
#[workflow]
async fn gossip(cx: &Context, to: Vec<String>, from: u32, count: u32) {
    for number in 0..count {
        for to in &to {
            cx.signal_run(to, Note { from, number });
        }
        if number % 3 == 0 {
            cx.sleep(Duration::from_millis(u64::from(number % 5))).await;
        }
    }
}

/// The same, in a relaxed run.
#[workflow(durability = "relaxed", max_steps_ahead = 5)]
async fn tell_in_haste(cx: &Context, to: Vec<String>, from: u32, count: u32) {
    for number in 0..count {
        for to in &to {
            cx.signal_run(to, Note { from, number });
        }
        echo(&number.to_string()).await;
    }
}

/// Sends one note, and continues as new until this many runs have.
#[workflow]
async fn pass_on(cx: &Context, to: String, number: u32, count: u32) {
    cx.signal_run(&to, Note { from: 0, number });
    if number + 1 < count {
        cx.continue_as_new(pass_on(to, number + 1, count))
    }
}

/// Takes this many notes.
#[workflow]
async fn listen(cx: &Context, count: u32) -> Vec<Note> {
    let mut notes = Vec::new();
    for _ in 0..count {
        notes.push(cx.signal::<Note>().await);
    }
    notes
}

/// Panics at the given place.
#[workflow]
async fn tell_and_break(cx: &Context, to: String) {
    cx.sleep(seconds(1)).await;
    cx.signal_run(to, Note { from: 0, number: 0 });
    if cx.now() > Timestamp::MIN {
        panic!("as it was told");
    }
}

fn numbers_by_sender(notes: &[Note]) -> BTreeMap<u32, Vec<u32>> {
    let mut numbers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for note in notes {
        numbers.entry(note.from).or_default().push(note.number);
    }
    numbers
}

async fn letters(rig: &Rig) -> Vec<DeadLetter> {
    rig.client.dead_letters(&DeadLetterFilter::default(), 100).await.unwrap()
}

/// From runs in one process to runs in another, while the relay fails before and after its effect.
#[tokio::test(start_paused = true)]
async fn every_message_is_taken_once_and_in_order() {
    const SENDERS: u32 = 6;
    const COUNT: u32 = 20;
    for happens in [false, true] {
        let rig = Rig::new();
        rig.store.set_hook(Failing::new("relay_messages", 7, happens));
        let workers =
            [rig.worker().start().await.unwrap(), rig.remote_worker().start().await.unwrap()];
        let ids = ["one", "two", "three"].map(str::to_owned);
        let mut listeners = Vec::new();
        for id in &ids {
            let run = rig.client.start(listen(SENDERS * COUNT)).id(id).await.unwrap();
            listeners.push(run);
        }
        for from in 0..SENDERS {
            match from % 2 {
                0 => drop(rig.client.start(gossip(ids.to_vec(), from, COUNT)).await.unwrap()),
                _ => {
                    drop(rig.client.start(tell_in_haste(ids.to_vec(), from, COUNT)).await.unwrap())
                }
            }
        }
        let expected: BTreeMap<u32, Vec<u32>> =
            (0..SENDERS).map(|from| (from, (0..COUNT).collect())).collect();
        for run in listeners {
            assert_eq!(numbers_by_sender(&run.result().await.unwrap()), expected);
        }
        for worker in workers {
            worker.shutdown().await.unwrap();
        }
        assert_eq!(letters(&rig).await, []);
    }
}

/// The sending run and its worker have ended by then.
#[tokio::test(start_paused = true)]
async fn messages_before_a_shutdown_are_relayed_by_it() {
    let rig = Rig::new();
    let listener = rig.client.start(listen(20)).id("ear").await.unwrap();
    let worker = rig.worker().poll_interval(hours(1)).start().await.unwrap();
    let teller = rig.client.start(gossip(vec!["ear".into()], 0, 20)).await.unwrap();
    teller.result().await.unwrap();
    worker.shutdown().await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(listener.result().await.unwrap().len(), 20);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_message_without_a_receiver_is_a_dead_letter_until_a_run_has_the_id() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let closed = rig.client.start(listen(0)).id("closed").await.unwrap();
    closed.result().await.unwrap();
    for to in ["closed", "unknown"] {
        let teller = rig.client.start(gossip(vec![to.into()], 1, 1)).await.unwrap();
        teller.result().await.unwrap();
    }
    let mut found = letters(&rig).await;
    for _ in 0..1_000 {
        if found.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        found = letters(&rig).await;
    }
    let reasons: Vec<_> =
        found.iter().map(|letter| (letter.workflow_id.as_str(), &letter.reason)).collect();
    let (closed, unknown) = (DeadLetterReason::Closed, DeadLetterReason::Unknown);
    assert_eq!(reasons, [("closed", &closed), ("unknown", &unknown)]);
    assert!(matches!(&found[0].arrival, ArrivalKind::Signal { name, .. } if name == "Note"));

    let ids: Vec<_> = found.iter().map(|letter| letter.id).collect();
    let run = rig.client.start(listen(1)).id("unknown").await.unwrap();
    let outcomes = rig.client.redeliver_dead_letters(&ids).await.unwrap();
    let delivered = RedeliverOutcome::Delivered { run_id: run.run_id(), seq: 1 };
    assert_eq!(outcomes, [RedeliverOutcome::NoRun, delivered]);
    assert_eq!(run.result().await.unwrap(), [Note { from: 1, number: 0 }]);
    assert_eq!(
        rig.client.redeliver_dead_letters(&ids[1..]).await.unwrap(),
        [RedeliverOutcome::Gone]
    );
    assert_eq!(rig.client.drop_dead_letters(&ids).await.unwrap(), 1);
    assert_eq!(letters(&rig).await, []);
    worker.shutdown().await.unwrap();
}

/// It waits in the inbox of the run until code that can continue the run is deployed.
#[tokio::test(start_paused = true)]
async fn a_message_waits_for_a_run_that_is_blocked() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let listener = rig.client.start(listen(2)).id("ear").await.unwrap();
    rig.until_parked(&listener).await;
    let whole = rig.spoil(&listener);
    rig.client.start(gossip(vec!["ear".into()], 3, 2)).await.unwrap().result().await.unwrap();
    rig.until_blocked(&listener).await;
    rig.store.overwrite_snapshot(listener.run_id(), whole);
    rig.client.unblock(listener.run_id()).await.unwrap();
    let expected = [0, 1].map(|number| Note { from: 3, number });
    assert_eq!(listener.result().await.unwrap(), expected);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_step_that_fails_sends_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let listener = rig.client.start(listen(1)).id("ear").await.unwrap();
    let breaking = rig.client.start(tell_and_break("ear".into())).await.unwrap();
    rig.until_blocked(&breaking).await;
    tokio::time::sleep(hours(1)).await;
    assert_eq!(listener.status().await.unwrap().status, RunStatus::Running);
    worker.shutdown().await.unwrap();
}

/// A run's messages wait for those of the run before it. One sweep relays those of the whole chain.
#[tokio::test(start_paused = true)]
async fn a_sweep_relays_what_a_chain_has_left() {
    const COUNT: u32 = 8;
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let listener = rig.client.start(listen(COUNT)).id("listener").await.unwrap();
    rig.store.set_hook(Failing::new("relay_messages", u32::MAX, false));
    let chain = rig.client.start(pass_on("listener".into(), 0, COUNT)).await.unwrap();
    chain.result().await.unwrap();
    tokio::time::sleep(seconds(5)).await;
    rig.store.set_hook(Failing::new("relay_messages", 0, false));
    let mended = tokio::time::Instant::now();
    let notes = listener.result().await.unwrap();
    assert_eq!(numbers_by_sender(&notes)[&0], (0..COUNT).collect::<Vec<_>>());
    // The poll interval is 2 s.
    assert!(mended.elapsed() < seconds(4), "{:?}", mended.elapsed());
    worker.shutdown().await.unwrap();
}
