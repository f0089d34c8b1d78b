//! Machines without an engine, each step made twice.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU64, Ordering};

use piton::machine::{Progress, Standalone, StepError};
use piton::model::{Operation, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Paid {
    cents: u64,
}

#[activity]
async fn ship(number: u64) -> u64 {
    number
}

/// Returns another value at each call.
fn innocent() -> u64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed)
}

#[workflow]
async fn order(cx: &Context, number: u64) -> (u64, u64, u64) {
    let paid = cx.signal::<Paid>().await;
    let shipped = ship(number + cx.random() % 2).await;
    cx.sleep(seconds(5)).await;
    (paid.cents, shipped, cx.now().0.unsigned_abs())
}

#[workflow]
async fn asks(number: u64) {
    ship(number + innocent()).await;
}

#[workflow]
async fn saves(number: u64) -> u64 {
    let kept = innocent();
    ship(number).await;
    kept
}

#[workflow]
async fn returns(number: u64) -> u64 {
    ship(number).await;
    innocent()
}

#[test]
fn a_repeatable_workflow_passes() {
    let mut run = Standalone::start(order(7)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(0)).unwrap(), Progress::Waiting);
    run.signal(&Paid { cents: 5 }).unwrap();
    assert_eq!(run.advance_twice(Timestamp(1)).unwrap(), Progress::Waiting);
    let handle = run.waiting_for()[0].0;
    run.reply(handle, &8_u64).unwrap();
    assert_eq!(run.advance_twice(Timestamp(2)).unwrap(), Progress::Waiting);
    let [(_, Operation::Timer { fire_at })] = run.waiting_for()[..] else { panic!("{run:?}") };
    let end = run.advance_twice(fire_at).unwrap();
    assert_eq!(end, Progress::Returned((5, 8, fire_at.0.unsigned_abs())));
}

fn differs<T>(made_twice: Result<Progress<T>, StepError>) -> (String, &'static str) {
    match made_twice {
        Err(StepError::Unrepeatable { state, differs }) => (state, differs),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("nothing differs"),
    }
}

#[test]
fn what_differs_is_told() {
    let now = Timestamp(0);
    let mut run = Standalone::start(asks(1)).unwrap();
    assert_eq!(differs(run.advance_twice(now)), ("start".into(), "asked for two things"));

    let mut run = Standalone::start(saves(1)).unwrap();
    assert_eq!(differs(run.advance_twice(now)), ("start".into(), "saved two states"));

    let mut run = Standalone::start(returns(1)).unwrap();
    run.advance_twice(now).unwrap();
    run.reply(run.waiting_for()[0].0, &1_u64).unwrap();
    assert_eq!(differs(run.advance_twice(now)), ("ship".into(), "returned two values"));
}

/// Any number can be written, only even ones can be read.
#[derive(Serialize)]
struct Even(u64);

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            odd if odd % 2 == 1 => Err(serde::de::Error::custom("an odd number")),
            even => Ok(Self(even)),
        }
    }
}

#[workflow]
async fn holds(number: u64) -> u64 {
    let even = Even(number);
    ship(number).await;
    even.0
}

#[workflow]
async fn passes(number: u64) -> u64 {
    let (mut even, mut rest) = (Even(number), 2);
    while rest > 0 {
        ship(number).await;
        rest -= 1;
    }
    even.0 += rest;
    even.0
}

#[workflow]
async fn holds_in_a_branch(number: u64) -> u64 {
    let held = join!(
        async {
            let even = Even(number);
            ship(number).await;
            even.0
        },
        ship(number),
    );
    held.0
}

#[workflow]
async fn calls(number: u64) -> u64 {
    holds(number).await
}

fn answered<W: piton::machine::Workflow<Return = u64>>(
    mut run: Standalone<W>,
) -> Result<u64, StepError> {
    loop {
        match run.advance(Timestamp(0))? {
            Progress::Returned(value) => return Ok(value),
            Progress::Waiting => {
                for handle in
                    run.waiting_for().iter().map(|(handle, _)| *handle).collect::<Vec<_>>()
                {
                    run.reply(handle, &0_u64).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_local_that_cannot_be_read_is_an_error_of_the_step() {
    for number in [4, 5] {
        let outcomes = [
            answered(Standalone::start(holds(number)).unwrap()),
            answered(Standalone::start(passes(number)).unwrap()),
            answered(Standalone::start(holds_in_a_branch(number)).unwrap()),
            answered(Standalone::start(calls(number)).unwrap()),
        ];
        for outcome in outcomes {
            match outcome {
                Ok(value) => assert_eq!((value, number % 2), (number, 0)),
                Err(StepError::Decode(error)) => {
                    assert!(number % 2 == 1 && error.to_string().contains("an odd number"));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// The text names the inner of two variables `e`.
#[cfg(feature = "anyhow")]
#[workflow]
async fn measures(photo: String) -> piton::Result<u64> {
    let mut sum = 0;
    for e in 1..3 {
        sum += e;
    }
    let width = photo.parse::<u64>().map_err(|e| anyhow::anyhow!("measuring {}: {e}", photo));
    Ok(sum + width.map_err(piton::Error::boxed)?)
}

#[cfg(feature = "anyhow")]
#[test]
fn anyhow_formats_its_text() {
    let mut run = Standalone::start(measures("x".to_owned())).unwrap();
    let Progress::Returned(Err(error)) = run.advance(Timestamp(0)).unwrap() else { panic!() };
    assert_eq!(error.to_string(), "measuring x: invalid digit found in string");
}
