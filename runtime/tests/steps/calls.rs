//! Calls of activities that are made before one await and awaited after it.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use piton::machine::{ActivityCall, Progress, Standalone, Workflow};
use piton::model::{ActivityOperation, Operation, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

#[activity(start_to_close = "7s")]
async fn ship(number: u64) -> u64 {
    number
}

#[derive(Deserialize)]
struct Stubborn;

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it will not"))
    }
}

#[activity]
async fn persuade(_stubborn: Stubborn) {}

/// Saves and loads the run, and completes its only operation at `second`: an activity or a timer.
fn next<W: Workflow>(run: &mut Standalone<W>, second: i64) -> Progress<W::Return> {
    *run = Standalone::load(&run.save().unwrap()).unwrap();
    run.advance(Timestamp(second * 1_000_000)).unwrap()
}

fn asked<W: Workflow>(run: &Standalone<W>) -> Vec<ActivityOperation> {
    let waiting = run.waiting_for().into_iter();
    let activities = waiting.filter_map(|(_, operation)| match operation {
        Operation::Activity(activity) => Some(*activity),
        _ => None,
    });
    activities.collect()
}

fn argument(activity: &ActivityOperation) -> u64 {
    let (argument,) = piton::codec::from_payload(&activity.arguments).unwrap();
    argument
}

#[workflow]
async fn held(cx: &Context) -> u64 {
    let call = ship(3).start_to_close(seconds(9)).queue("slow");
    let plain = ship(4);
    cx.sleep(seconds(1)).await;
    call.await + plain.await
}

#[test]
fn a_call_is_held_with_its_arguments_and_options() {
    let mut run = Standalone::start(held()).unwrap();
    run.advance(Timestamp(0)).unwrap();
    assert_eq!(asked(&run), [], "it runs when it is awaited");
    next(&mut run, 1);
    let [call] = &asked(&run)[..] else { panic!("{run:?}") };
    assert_eq!((call.name.as_ref(), argument(call)), ("ship", 3));
    assert_eq!(call.start_to_close, Some(Duration::from_secs(9)));
    assert_eq!((call.queue.as_deref(), call.scheduled_at), (Some("slow"), Timestamp(1_000_000)));
    run.reply(run.waiting_for()[0].0, &30_u64).unwrap();
    next(&mut run, 2);
    let [plain] = &asked(&run)[..] else { panic!("{run:?}") };
    assert_eq!((argument(plain), &plain.queue), (4, &None));
    assert_eq!(plain.start_to_close, Some(Duration::from_secs(7)), "as the attribute says");
    run.reply(run.waiting_for()[0].0, &40_u64).unwrap();
    assert_eq!(next(&mut run, 3), Progress::Returned(70));
}

#[workflow]
async fn in_lists(cx: &Context, count: u64) -> Vec<u64> {
    let mut calls: Vec<ActivityCall<ship>> = (0..count).map(ship).collect();
    cx.sleep(seconds(1)).await;
    let last = calls.pop();
    let mut results = Vec::new();
    for call in calls {
        results.push(call.await);
    }
    if let Some(last) = last {
        results.extend(join_all([last, ship(count)]).await);
    }
    results
}

#[test]
fn calls_are_held_in_lists_and_awaited_one_by_one_or_together() {
    let mut run = Standalone::start(in_lists(3)).unwrap();
    run.advance(Timestamp(0)).unwrap();
    let mut numbers = Vec::new();
    for second in 1.. {
        if let Progress::Returned(results) = next(&mut run, second) {
            assert_eq!(results, [0, 10, 20, 30]);
            break;
        }
        numbers.push(asked(&run).iter().map(argument).collect::<Vec<_>>());
        for (handle, operation) in run.waiting_for() {
            let Operation::Activity(activity) = operation else { panic!("{run:?}") };
            run.reply(handle, &(argument(&activity) * 10)).unwrap();
        }
    }
    assert_eq!(numbers, [vec![0], vec![1], vec![2, 3]]);
}

#[workflow]
async fn cannot_be_held(cx: &Context) {
    let call = persuade(Stubborn);
    cx.sleep(seconds(1)).await;
    call.await;
}

#[test]
fn a_call_whose_arguments_cannot_be_encoded_says_so_where_it_is_held() {
    let mut run = Standalone::start(cannot_be_held()).unwrap();
    let error = run.advance(Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("it will not"), "{error}");
}
