//! Updates of runs that go on as other runs.

use piton::machine::Workflow;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;

/// Asks for the number after this one.
#[derive(Update, Serialize, Deserialize)]
#[update(reply = u32)]
struct After {
    number: u32,
}

/// Has the next run take over.
#[derive(Signal, Serialize, Deserialize)]
struct Next;

/// The last of several runs answers, the others take nothing.
#[workflow]
async fn answer_at_last(cx: &Context, runs_left: u32) -> u32 {
    if runs_left > 0 {
        cx.signal::<Next>().await;
        return cx.continue_as_new(answer_at_last(runs_left - 1));
    }
    answer_one().await
}

/// Each run answers once, and goes on as the next.
#[workflow]
async fn answer_in_turn(cx: &Context, runs_left: u32) -> u32 {
    let answered = answer_one().await;
    cx.signal::<Next>().await;
    if runs_left == 0 {
        return answered;
    }
    cx.continue_as_new(answer_in_turn(runs_left - 1))
}

#[workflow]
async fn answer_one(cx: &Context) -> u32 {
    let after = cx.update::<After>().await;
    let number = after.number;
    after.reply(number + 1);
    number
}

/// Lets the last run of the chain hand over.
async fn hand_over<W: Workflow>(rig: &Rig) {
    let run = rig.client.run::<W>("chain").await.unwrap();
    run.signal(Next).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_no_run_has_taken_goes_over_to_the_next() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_at_last(2)).id("chain").await.unwrap();
    let asked = run.update(After { number: 5 }).id("five").accepted().await.unwrap();
    hand_over::<answer_at_last>(&rig).await;
    rig.until(&run, |record| !record.status.is_open()).await;
    hand_over::<answer_at_last>(&rig).await;
    assert_eq!(asked.reply().await.unwrap(), 6);
    assert_eq!(run.result().await.unwrap(), 5);
    assert_eq!(rig.client.chain("chain").await.unwrap().len(), 3);
    // The id is enough, with the run that was asked and with the one that has answered.
    assert_eq!(run.update_by_id::<After>("five").reply().await.unwrap(), 6);
    let last = rig.client.run::<answer_at_last>("chain").await.unwrap();
    assert_ne!(last.run_id(), run.run_id());
    assert_eq!(last.update_by_id::<After>("five").reply().await.unwrap(), 6);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_an_answer_follows_the_chain() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_at_last(1)).id("chain").await.unwrap();
    let asked = run.update(After { number: 5 }).accepted().await.unwrap();
    let (answer, ()) = tokio::join!(asked.reply(), hand_over::<answer_at_last>(&rig));
    assert_eq!(answer.unwrap(), 6);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_a_run_before_stays_with_that_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(answer_in_turn(1)).id("chain").await.unwrap();
    assert_eq!(run.update(After { number: 5 }).id("five").await.unwrap(), 6);
    hand_over::<answer_in_turn>(&rig).await;
    rig.until(&run, |record| !record.status.is_open()).await;
    let last = rig.client.run::<answer_in_turn>("chain").await.unwrap();
    assert_eq!(last.update(After { number: 7 }).id("seven").await.unwrap(), 8);
    assert_eq!(run.update_by_id::<After>("five").reply().await.unwrap(), 6);
    hand_over::<answer_in_turn>(&rig).await;
    assert_eq!(run.result().await.unwrap(), 7);
    worker.shutdown().await.unwrap();
}
