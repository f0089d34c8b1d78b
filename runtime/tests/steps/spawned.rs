//! Spawned operations.

use piton::machine::{ActivityCall, Progress, Sleep, Standalone, StepError};
use piton::model::{Handle, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn quote(sku: u32) -> u32 {
    sku
}

#[activity]
async fn reserve(sku: u32) -> u32 {
    sku
}

#[derive(Serialize, Deserialize)]
struct Offer {
    sku: u32,
    quote: Spawned<ActivityCall<quote>>,
}

#[workflow]
async fn beside(cx: &Context, sku: u32) -> (u32, bool, u32) {
    let offer = cx.spawn(quote(sku));
    let reserved = reserve(sku).await;
    let was_done = offer.is_done(cx);
    (reserved, was_done, offer.await)
}

#[workflow]
async fn many(cx: &Context, count: u32) -> Vec<u32> {
    let mut offers: Vec<_> =
        (0..count).map(|sku| Offer { sku, quote: cx.spawn(quote(sku)) }).collect();
    reserve(0).await;
    // The first offers are dropped, one is kept to the end.
    let last = offers.pop();
    offers.remove(0).quote.cancel();
    offers.truncate(2);
    reserve(1).await;
    let mut quotes = Vec::new();
    for Offer { sku, quote } in offers {
        quotes.push(quote.await * 10 + sku);
    }
    if let Some(Offer { quote, .. }) = last {
        quotes.push(quote.await);
    }
    quotes
}

/// Keeps the handle of a call over the rounds of a loop.
#[workflow]
async fn rounds(cx: &Context, sku: u32) -> (u32, u32) {
    let mut rounds = 0;
    let quote = cx.spawn(quote(sku));
    let deadline = cx.spawn(cx.sleep(minutes(3)));
    let quoted = loop {
        select! {
            quoted = &quote => break quoted,
            () = cx.sleep(minutes(1)) => rounds += 1,
        }
    };
    deadline.await;
    (rounds, quoted)
}

#[workflow]
async fn given_up_by_the_end_of_a_scope(cx: &Context, sku: u32) -> u32 {
    {
        let offer = cx.spawn(quote(sku));
        reserve(1).await;
        drop(offer);
    }
    let _never_named_again = cx.spawn(quote(sku));
    reserve(2).await
}

#[workflow]
async fn twice(cx: &Context, sku: u32) -> u32 {
    let quote = cx.spawn(quote(sku));
    (&quote).await + (&quote).await
}

fn start<W: piton::machine::Workflow>(call: piton::machine::WorkflowCall<W>) -> Standalone<W> {
    let mut run = Standalone::start(call).unwrap();
    assert!(matches!(run.advance_twice(Timestamp(0)).unwrap(), Progress::Waiting));
    run
}

fn handles<W: piton::machine::Workflow>(run: &Standalone<W>) -> Vec<Handle> {
    run.waiting_for().iter().map(|(handle, _)| *handle).collect()
}

fn reply<W: piton::machine::Workflow>(
    run: &mut Standalone<W>,
    handle: Handle,
    value: u32,
) -> Progress<W::Return> {
    run.reply(handle, &value).unwrap();
    *run = Standalone::load(&run.save().unwrap()).unwrap();
    run.advance_twice(Timestamp(1)).unwrap()
}

#[test]
fn it_runs_concurrently_and_returns_its_outcome_when_awaited() {
    let mut run = start(beside(7));
    let [quote, reserve] = handles(&run)[..] else { panic!("{run:?}") };
    // Its outcome causes no step.
    assert_eq!(reply(&mut run, quote, 5), Progress::Waiting);
    assert_eq!(run.state(), "reserve");
    assert_eq!(reply(&mut run, reserve, 3), Progress::Returned((3, true, 5)));

    let mut run = start(beside(7));
    let [quote, reserve] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(reply(&mut run, reserve, 3), Progress::Waiting);
    assert_eq!(run.state(), "offer");
    assert_eq!(reply(&mut run, quote, 5), Progress::Returned((3, false, 5)));
}

#[test]
fn handles_are_kept_in_values_and_dropped_handles_cancel() {
    let mut run = start(many(5));
    let [first, second, third, fourth, last, reserve] = handles(&run)[..] else {
        panic!("{run:?}")
    };
    assert_eq!(reply(&mut run, first, 1), Progress::Waiting);
    assert_eq!(reply(&mut run, reserve, 0), Progress::Waiting);
    let reserve = *handles(&run).last().unwrap();
    assert_eq!(handles(&run), [second, third, last, reserve]);
    // The outcome of a dropped operation is ignored.
    assert_eq!(reply(&mut run, fourth, 9), Progress::Waiting);
    for (handle, value) in [(last, 4), (third, 3), (reserve, 0)] {
        assert_eq!(reply(&mut run, handle, value), Progress::Waiting);
    }
    assert_eq!(reply(&mut run, second, 2), Progress::Returned(vec![21, 32, 4]));
    assert!(handles(&run).is_empty());
}

#[test]
fn a_handle_can_be_awaited_again_and_again() {
    let mut run = start(rounds(7));
    let quote = handles(&run)[0];
    for round in 1..3 {
        let now = Timestamp(0) + minutes(round);
        assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
        assert!(handles(&run).contains(&quote));
    }
    run.reply(quote, &8).unwrap();
    assert_eq!(run.advance_twice(Timestamp(0) + minutes(2)).unwrap(), Progress::Waiting);
    assert_eq!(run.state(), "deadline");
    let end = run.advance_twice(Timestamp(0) + minutes(3)).unwrap();
    assert_eq!(end, Progress::Returned((2, 8)));
}

#[test]
fn its_last_use_gives_it_up() {
    let mut run = start(given_up_by_the_end_of_a_scope(7));
    let [_, reserve] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(reply(&mut run, reserve, 1), Progress::Waiting);
    let [reserve] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(reply(&mut run, reserve, 2), Progress::Returned(2));
}

#[test]
fn an_outcome_is_given_once() {
    let mut run = start(twice(7));
    let [quote] = handles(&run)[..] else { panic!("{run:?}") };
    run.reply(quote, &5).unwrap();
    let Err(StepError::Failed(error)) = run.advance(Timestamp(1)) else { panic!("{run:?}") };
    assert_eq!(error.to_string(), "the outcome of the spawned `quote` was already taken");
}

/// Awaits the handle of another run.
#[workflow]
async fn thief(handle: Spawned<Sleep>) {
    handle.await;
}

#[test]
fn a_handle_belongs_to_its_run() {
    let stolen =
        serde_json::json!([{ "of": "sleep", "run": 5, "pending": { "handle": 0, "fire_at": 9 } }]);
    let stolen = piton::model::Payload::from_json(&stolen);
    let run =
        piton::machine::RunInfo { run_id: piton::model::RunId::new(), workflow_id: "thief".into() };
    use piton::machine::Workflow as _;
    let mut machine = piton::machine::Machine::start(thief::entry(), run, &stolen).unwrap();
    let Err(StepError::Failed(error)) = machine.step(Timestamp(0)) else { panic!("{machine:?}") };
    assert_eq!(error.to_string(), "`sleep` was spawned by another run");
}
