//! Messages of runs to other runs, without an engine.
#![allow(clippy::unwrap_used)]

use piton::machine::{OperationOutcome, Progress, Standalone, StepError};
use piton::model::{Message, Operation, OutgoingMessage, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Clone, Signal, Serialize, Deserialize)]
struct Tick {
    number: u64,
}

/// Refuses to be encoded.
#[derive(Signal, Deserialize)]
struct Stubborn;

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it will not"))
    }
}

#[activity]
async fn ship(number: u64) -> u64 {
    number
}

fn tick(to: &str, number: u64) -> OutgoingMessage {
    let payload = piton::codec::to_payload(&Tick { number }).unwrap();
    OutgoingMessage { to: to.to_owned(), body: Message::Signal { name: "Tick".into(), payload } }
}

/// Completes every activity with its handle and fires the timers one after another. Returns the messages of each
/// advance.
fn sent_by<W: piton::machine::Workflow>(
    call: piton::machine::WorkflowCall<W>,
) -> Vec<Vec<OutgoingMessage>> {
    let mut run = Standalone::start(call).unwrap();
    let (mut now, mut sent) = (Timestamp(0), Vec::new());
    loop {
        let progress = run.advance_twice(now).unwrap();
        sent.push(run.take_messages());
        if let Progress::Returned(_) = progress {
            return sent;
        }
        let mut timers = Vec::new();
        for (handle, operation) in run.waiting_for() {
            match operation {
                Operation::Activity(_) => run.reply(handle, &handle.0).unwrap(),
                Operation::Timer { fire_at } => timers.push(fire_at),
                _ => {}
            }
        }
        now = timers.into_iter().min().unwrap_or(now);
    }
}

#[workflow]
async fn in_order(cx: &Context) {
    cx.signal_run("a", Tick { number: 1 });
    cx.signal_run(String::from("b"), Tick { number: 2 });
    ship(1).await;
    cx.signal_run("a", Tick { number: 3 });
}

#[test]
fn messages_of_a_step_come_with_it_and_in_order() {
    let sent = sent_by(in_order());
    assert_eq!(sent, [vec![tick("a", 1), tick("b", 2)], vec![tick("a", 3)]]);
}

#[workflow]
async fn in_loops_and_closures(cx: &Context, targets: Vec<String>) {
    for (number, target) in targets.iter().enumerate() {
        cx.signal_run(target, Tick { number: number as u64 });
    }
    targets.iter().for_each(|target| cx.signal_run(target.clone(), Tick { number: 7 }));
    for target in targets {
        cx.sleep(seconds(1)).await;
        cx.signal_run(target, Tick { number: 9 });
    }
}

#[test]
fn loops_and_closures_send() {
    let sent = sent_by(in_loops_and_closures(vec!["a".into(), "b".into()]));
    let first = vec![tick("a", 0), tick("b", 1), tick("a", 7), tick("b", 7)];
    assert_eq!(sent, [first, vec![tick("a", 9)], vec![tick("b", 9)]]);
}

#[workflow]
async fn told(cx: &Context, to: String) -> u64 {
    cx.signal_run(&to, Tick { number: 20 });
    let shipped = ship(1).await;
    cx.signal_run(to, Tick { number: 21 });
    shipped
}

#[workflow]
async fn in_branches(cx: &Context) {
    join!(
        async {
            cx.signal_run("left", Tick { number: 1 });
            cx.sleep(seconds(1)).await;
            cx.signal_run("left", Tick { number: 2 });
        },
        told("right".to_owned()),
    );
    select! {
        _ = async {
            cx.signal_run("lost", Tick { number: 3 });
            cx.sleep(seconds(100)).await;
            cx.signal_run("lost", Tick { number: 4 });
        } => {}
        _ = cx.sleep(seconds(1)) => cx.signal_run("won", Tick { number: 5 }),
    }
}

#[test]
fn branches_and_inline_calls_send_messages() {
    let sent: Vec<_> = sent_by(in_branches()).concat();
    let expected = [
        tick("left", 1),
        tick("right", 20),
        tick("right", 21),
        tick("left", 2),
        tick("lost", 3),
        tick("won", 5),
    ];
    assert_eq!(sent.len(), expected.len(), "{sent:?}");
    assert!(expected.iter().all(|message| sent.contains(message)), "{sent:?}");
}

#[workflow]
async fn fails_after_sending(cx: &Context) {
    cx.signal_run("a", Tick { number: 1 });
    ship(1).await;
    cx.signal_run("a", Tick { number: 2 });
    ship(2).await;
}

#[test]
fn a_failed_step_sends_nothing_and_earlier_messages_stay() {
    let mut run = Standalone::start(fails_after_sending()).unwrap();
    run.advance(Timestamp(0)).unwrap();
    let handle = run.waiting_for()[0].0;
    run.end(handle, OperationOutcome::Panicked("broken".into()));
    assert!(matches!(run.advance(Timestamp(0)), Err(StepError::Failed(_))));
    assert_eq!(run.take_messages(), [tick("a", 1)]);
}

#[workflow]
async fn to_whom(cx: &Context, target: String) -> u64 {
    cx.signal_run("before", Tick { number: 1 });
    cx.signal_run(target, Tick { number: 2 });
    ship(1).await
}

#[test]
fn an_id_that_no_run_can_have_fails_the_run_with_the_reason() {
    let long = "x".repeat(1_001);
    for (target, reason) in [
        ("", "a signal cannot be sent to the workflow id \"\": it is empty"),
        (
            "a\0b",
            "a signal cannot be sent to the workflow id \"a\\0b\": it contains the character NUL",
        ),
        (&*long, "it has 1001 bytes; the limit is 1,000"),
    ] {
        let mut run = Standalone::start(to_whom(target.to_owned())).unwrap();
        let Err(StepError::Failed(error)) = run.advance(Timestamp(0)) else { panic!("{target:?}") };
        let text = format!("{error:#}");
        assert!(text.contains(reason) && text.len() < 300, "{text}");
        assert_eq!(run.take_messages(), []);
    }
    let mut run = Standalone::start(to_whom("x".repeat(1_000))).unwrap();
    assert_eq!(run.advance(Timestamp(0)).unwrap(), Progress::Waiting);
    assert_eq!(run.take_messages().len(), 2);
}

#[workflow]
async fn sends_what_cannot_be_sent(cx: &Context) {
    cx.signal_run("a", Tick { number: 1 });
    cx.signal_run("a", Stubborn);
}

#[test]
fn a_signal_that_cannot_be_encoded_fails_the_step_although_the_workflow_returns() {
    let mut run = Standalone::start(sends_what_cannot_be_sent()).unwrap();
    let Err(StepError::Encode(error)) = run.advance(Timestamp(0)) else { panic!("it is encoded") };
    assert!(error.to_string().contains("it will not"), "{error}");
    assert_eq!(run.take_messages(), []);
}

#[test]
fn messages_that_were_not_taken_are_saved_with_the_run() {
    let mut run = Standalone::start(in_order()).unwrap();
    run.advance(Timestamp(0)).unwrap();
    let mut run: Standalone<in_order> = Standalone::load(&run.save().unwrap()).unwrap();
    let handle = run.waiting_for()[0].0;
    run.reply(handle, &1_u64).unwrap();
    assert_eq!(run.advance(Timestamp(0)).unwrap(), Progress::Returned(()));
    assert_eq!(run.take_messages(), [tick("a", 1), tick("b", 2), tick("a", 3)]);
    assert_eq!(run.take_messages(), []);
}

#[workflow]
async fn panics_after_sending(cx: &Context, number: u64) {
    cx.signal_run("a", Tick { number });
    assert!(number > 1, "too small");
}

#[test]
fn a_step_that_panics_sends_nothing() {
    use piton::machine::{Machine, RunInfo, Workflow};
    use piton::model::RunId;

    fn machine<W: Workflow>(call: piton::machine::WorkflowCall<W>) -> Machine {
        let run = RunInfo { run_id: RunId::new(), workflow_id: "panics".into() };
        Machine::start(W::entry(), run, &call.into_arguments().unwrap()).unwrap()
    }

    let mut machine = machine(panics_after_sending(1));
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        machine.step(Timestamp(0)).is_ok()
    }));
    assert!(made.is_err());
    machine.put_back();
    assert_eq!(machine.take_messages(), []);
}
