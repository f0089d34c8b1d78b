//! Messages between runs: a relay locks the receivers in the common order, and no senders, and then checks the rows
//! again.

use std::sync::Arc;

use piton::model::{Message, OutgoingMessage, Payload, RunId};
use piton::store::{
    CommitStep, DeadLetterFilter, DeadLetterReason, Effect, MessageKey, NewRun, RelayMessages,
    Relayed, Senders, Store, WorkerLease,
};

use super::order::locks_in_order;
use super::scene::{ENDED, Row, Scene, ended};
use crate::fixture::{keep, new_run};

fn to(workflow_id: &str) -> Effect {
    let body = Message::Signal { name: "go".into(), payload: Payload::default() };
    Effect::Send(OutgoingMessage { to: workflow_id.into(), body })
}

async fn send(store: &dyn Store, owner: WorkerLease, run_id: RunId, step_no: i64, to: Vec<Effect>) {
    let sends = CommitStep { effects: to, ..keep(run_id, step_no) };
    store.commit_steps(owner, &[&sends]).await.expect("a valid worker can commit");
}

async fn relay(store: Arc<dyn Store>, senders: Vec<RunId>) -> Relayed {
    let request = RelayMessages { senders: Senders::Runs(&senders), limit: 100 };
    store.relay_messages(request).await.expect("messages can be relayed")
}

/// Two runs with these workflow ids, in the order of their run ids. The second was started first.
async fn receivers(scene: &Scene, ids: [&str; 2]) -> [RunId; 2] {
    let mut run_ids = [RunId::new(), RunId::new()];
    run_ids.sort_unstable();
    for (run_id, id) in run_ids.into_iter().zip(ids).rev() {
        let run = NewRun { run_id, workflow_id: id.into(), ..new_run(None) };
        scene.store.start_runs(vec![run]).await.expect("runs can be started");
    }
    run_ids
}

pub(crate) async fn relays_lock_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let (one, two) = scene.runs(Some(worker)).await;
    let [first, second] = receivers(&scene, ["first", "second"]).await;
    for sender in [two, one] {
        send(&*scene.store, worker, sender, 0, vec![to("second"), to("first")]).await;
    }
    let mut order = vec![Row::Run(first), Row::Run(second)];
    order.extend(
        [(one, 0), (one, 1), (two, 0), (two, 1)]
            .map(|(run_id, seq)| Row::Message(MessageKey { run_id, seq })),
    );
    locks_in_order(&mut scene, &order, move |store| async move {
        let request = RelayMessages { senders: Senders::Runs(&[two, one]), limit: 100 };
        store.relay_messages(request).await.map(drop)
    })
    .await;
    assert_eq!(scene.inbox(first).await, [1, 2]);
    assert_eq!(scene.count("SELECT count(*) FROM piton_outbox").await, 0);
}

pub(crate) async fn a_relay_delays_no_sender(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let sender = scene.run(Some(worker)).await;
    let [receiver, _] = receivers(&scene, ["first", "second"]).await;
    send(&*scene.store, worker, sender, 0, vec![to("first")]).await;
    scene.lock(Row::Message(MessageKey { run_id: sender, seq: 0 })).await;
    let relayed = tokio::spawn(relay(Arc::clone(&scene.store), vec![sender]));
    scene.until_waiting_at("piton_outbox", 1).await;
    let store = Arc::clone(&scene.store);
    let sent = tokio::spawn(async move {
        send(&*store, worker, sender, 1, vec![to("first")]).await;
    });
    ended(sent).await;
    scene.commit().await;
    assert_eq!(ended(relayed).await.delivered.len(), 1, "the other came later");
    assert_eq!(relay(Arc::clone(&scene.store), vec![sender]).await.delivered.len(), 1);
    assert_eq!(scene.inbox(receiver).await, [1, 2]);
}

pub(crate) async fn a_run_that_ends_meanwhile_gets_no_message(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let sender = scene.run(Some(worker)).await;
    let [receiver, other] = receivers(&scene, ["first", "second"]).await;
    let sent = vec![to("first"), to("second"), to("first")];
    send(&*scene.store, worker, sender, 0, sent).await;
    scene.begin_with(Row::Run(receiver), ENDED).await;
    let relayed = tokio::spawn(relay(Arc::clone(&scene.store), vec![sender]));
    scene.until_waiting_at("piton_runs", 1).await;
    scene.commit().await;
    let relayed = ended(relayed).await;
    assert_eq!((relayed.delivered.len(), relayed.set_aside.len()), (1, 0), "{relayed:?}");
    assert!(relayed.has_more, "those to the other are looked at again");
    assert_eq!(scene.inbox(other).await, [1]);
    let relayed = relay(Arc::clone(&scene.store), vec![sender]).await;
    let reasons: Vec<_> = relayed.set_aside.into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, [DeadLetterReason::Closed, DeadLetterReason::Closed]);
}

/// The second relay has read the message before the first one has delivered it.
pub(crate) async fn a_message_that_is_taken_meanwhile_is_not_delivered_again(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let sender = scene.run(Some(worker)).await;
    let [receiver, _] = receivers(&scene, ["first", "second"]).await;
    send(&*scene.store, worker, sender, 0, vec![to("first"), to("nobody")]).await;
    scene.bar("DELETE", "piton_outbox").await;
    let relays = [&scene.store, &scene.other]
        .map(|store| tokio::spawn(relay(Arc::clone(store), vec![sender])));
    scene.until_barred(1).await;
    scene.until_waiting(1).await;
    scene.open_barrier().await;
    let mut came_to = Vec::new();
    for relayed in relays {
        let relayed = ended(relayed).await;
        came_to.push((relayed.delivered.len(), relayed.set_aside.len()));
    }
    came_to.sort_unstable();
    assert_eq!(came_to, [(0, 0), (1, 1)]);
    assert_eq!(scene.inbox(receiver).await, [1]);
    assert_eq!(scene.count("SELECT count(*) FROM piton_dead_letters").await, 1);
}

pub(crate) async fn redeliveries_lock_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let sender = scene.run(Some(worker)).await;
    send(&*scene.store, worker, sender, 0, vec![to("second"), to("first")]).await;
    relay(Arc::clone(&scene.store), vec![sender]).await;
    let letters = scene.store.list_dead_letters(&DeadLetterFilter::default(), None, 10).await;
    let letters = letters.expect("dead letters can be listed");
    let [one, two] = [letters[0].id, letters[1].id];
    let [first, second] = receivers(&scene, ["first", "second"]).await;
    let order = [Row::Run(first), Row::Run(second), Row::Letter(one), Row::Letter(two)];
    locks_in_order(&mut scene, &order, move |store| async move {
        store.redeliver_dead_letters(&[two, one]).await.map(drop)
    })
    .await;
    assert_eq!(scene.inbox(second).await, [1]);
}
