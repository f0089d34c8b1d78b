//! Edits of runs with effects that otherwise only commits of steps have.

use crate::machine::OperationOutcome;
use crate::model::{Handle, Message, OutgoingMessage, Payload, RunStatus};
use crate::store::conformance::fixture::{
    NOTHING, StoreUnderTest, activity, block, by_worker, close_as, edit_of, giving_up, park, signal,
};
use crate::store::{
    ActivityEnd, CommitStep, DeadLetterFilter, DeadLetterReason, EditOutcome, EditRun, Effect,
    NewDeadLetter, RelayMessages, Senders,
};

crate::store::conformance::list_cases!("asking_again":
    an_activity_is_on_its_queue_again,
    a_failed_call_is_made_again_once,
    a_message_is_sent,
    a_signal_is_set_aside,
    nothing_is_done_where_nothing_is_changed,
);

async fn edit(t: &StoreUnderTest, edit: EditRun) -> EditOutcome {
    t.store.edit_run(edit).await.expect("runs can be changed")
}

async fn an_activity_is_on_its_queue_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(3)]).await;
    let claimed = t.claim_one(worker).await;
    assert_eq!(claimed.attempt, 1);
    let close = close_as(run_id, 1, RunStatus::Failed, None, None);
    t.commit(worker, CommitStep { effects: giving_up([Handle(3)]), ..close }).await;
    assert_eq!(t.activity(claimed.key).await, None);
    let effects = vec![Effect::Enqueue(activity(3))];
    let change = EditRun { reopen: true, effects, attempts: 2_000, ..edit_of(run_id, 2) };
    assert_eq!(edit(&t, change).await, EditOutcome::Edited);
    // No number is used twice: the worker of the first attempt may still report its end.
    let again = t.claim_one(worker).await;
    assert_eq!((again.key, again.attempt), (claimed.key, 2_001));
}

async fn a_failed_call_is_made_again_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.queue(worker, vec![activity(3)]).await;
    let claimed = t.claim_one(worker).await;
    let failure = "no".to_owned();
    let fails = ActivityEnd::Failed { outcome: OperationOutcome::Unknown, failure };
    t.finish(by_worker(worker, &claimed, fails)).await;
    let close = close_as(run_id, 1, RunStatus::Failed, None, None);
    t.commit(worker, CommitStep { consumed: vec![1], ..close }).await;
    let find = async || t.store.find_failed_call(claimed.key).await.expect("they can be found");
    let failed = find().await.expect("it is kept");
    let again = |step_no| EditRun {
        reopen: true,
        effects: vec![Effect::Enqueue(activity(3))],
        called_again: vec![failed.id],
        ..edit_of(run_id, step_no)
    };
    assert_eq!(edit(&t, again(2)).await, EditOutcome::Edited);
    assert_eq!(find().await, None);
    assert!(t.activity(claimed.key).await.is_some(), "it is on its queue again");
    // Nothing is done for a call that somebody else has made again or discarded.
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(edit(&t, again(3)).await, EditOutcome::CallGone);
    assert_eq!(t.record(run_id).await.status, RunStatus::Terminated);
    assert_eq!(t.activity(claimed.key).await, None);
}

async fn a_message_is_sent(t: StoreUnderTest) {
    let worker = t.worker().await;
    let receiver = t.start_owned("b", worker).await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    let body = Message::Signal { name: "go".into(), payload: Payload(b"value".to_vec()) };
    let effects = vec![Effect::Send(OutgoingMessage { to: "b".to_owned(), body })];
    assert_eq!(edit(&t, EditRun { effects, ..edit_of(run_id, 1) }).await, EditOutcome::Edited);
    let request = RelayMessages { senders: Senders::Runs(&[run_id]), limit: 10 };
    let relayed = t.store.relay_messages(request).await.expect("messages can be relayed");
    assert_eq!((relayed.delivered.len(), t.inbox(receiver).await), (1, vec![1]));
}

async fn a_signal_is_set_aside(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "go")).await;
    t.commit(worker, block(run_id, 0)).await;
    let effects = vec![Effect::SetAside(NewDeadLetter { seq: 1, reason: "poison".into() })];
    let change = EditRun { effects, wake_at: Some(t.now()), ..edit_of(run_id, 1) };
    assert_eq!(edit(&t, change).await, EditOutcome::Edited);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    let filter = DeadLetterFilter { run_id: Some(run_id), workflow_id: None };
    let letters =
        t.store.list_dead_letters(&filter, None, 10).await.expect("letters can be listed");
    let [letter] = &letters[..] else { panic!("one letter, not {letters:?}") };
    assert_eq!(letter.arrival, signal(run_id, "go").kind);
    assert_eq!(letter.reason, DeadLetterReason::Unreadable("poison".into()));
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn nothing_is_done_where_nothing_is_changed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "go")).await;
    let effects = vec![
        Effect::SetAside(NewDeadLetter { seq: 1, reason: "poison".into() }),
        Effect::Enqueue(activity(3)),
    ];
    let change = EditRun { effects, ..edit_of(run_id, 0) };
    assert_eq!(edit(&t, change).await, EditOutcome::Busy { worker: worker.worker_id });
    assert_eq!(t.inbox(run_id).await, [1]);
    assert_eq!(t.claim_keys(worker, 10).await, []);
}
