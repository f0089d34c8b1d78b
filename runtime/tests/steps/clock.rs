//! The time of a run where clocks are set back.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use piton::machine::{Progress, Standalone};
use piton::model::{Operation, Timestamp};
use piton::prelude::*;

#[activity]
async fn ship() {}

#[workflow]
async fn times(cx: &Context) -> Vec<Timestamp> {
    let mut times = vec![cx.now()];
    for _ in 0..3 {
        ship().await;
        times.push(cx.now());
    }
    times
}

/// Continues in another process, whose clock says `now`.
fn resumed<W: piton::machine::Workflow>(run: &Standalone<W>) -> Standalone<W> {
    Standalone::load(&run.save().unwrap()).unwrap()
}

#[test]
fn the_time_of_a_run_never_goes_back_on_another_clock() {
    let clocks = [5_000_000, 2_000_000, 5_000_001, -7].map(Timestamp);
    let mut run = Standalone::start(times()).unwrap();
    for now in clocks {
        if let Progress::Returned(times) = run.advance(now).unwrap() {
            let seen = [5_000_000, 5_000_000, 5_000_001, 5_000_001].map(Timestamp);
            assert_eq!(times, seen);
            return;
        }
        run = resumed(&run);
        let handle = run.waiting_for()[0].0;
        run.reply(handle, &()).unwrap();
    }
    panic!("{run:?}");
}

#[workflow]
async fn sleeps(cx: &Context, lasting: Duration) -> Timestamp {
    ship().await;
    cx.sleep(lasting).await;
    cx.now()
}

#[test]
fn timers_begin_when_the_run_says_that_it_is() {
    let mut run = Standalone::start(sleeps(seconds(3))).unwrap();
    run.advance(Timestamp(9_000_000)).unwrap();
    let mut run = resumed(&run);
    run.reply(run.waiting_for()[0].0, &()).unwrap();
    assert_eq!(run.advance(Timestamp(1_000_000)).unwrap(), Progress::Waiting);
    let [(_, Operation::Timer { fire_at })] = run.waiting_for()[..] else { panic!("{run:?}") };
    assert_eq!(fire_at, Timestamp(12_000_000));
    let mut run = resumed(&run);
    assert_eq!(run.advance(Timestamp(11_999_999)).unwrap(), Progress::Waiting);
    assert_eq!(run.advance(fire_at).unwrap(), Progress::Returned(fire_at));
}

#[workflow]
async fn late(cx: &Context, deadline: Timestamp) -> Timestamp {
    join!(cx.sleep_until(deadline), ship());
    cx.now()
}

#[test]
fn a_deadline_that_a_run_has_seen_pass_has_passed() {
    let (begun, deadline) = (Timestamp(9_000_000), Timestamp(8_000_000));
    let mut run = Standalone::start(late(deadline)).unwrap();
    run.advance(begun).unwrap();
    let mut run = resumed(&run);
    let waiting = run.waiting_for();
    let is_activity = |operation: &Operation| matches!(operation, Operation::Activity(_));
    let (handle, _) = waiting.iter().find(|(_, operation)| is_activity(operation)).unwrap();
    run.reply(*handle, &()).unwrap();
    assert_eq!(run.advance(Timestamp(1_000_000)).unwrap(), Progress::Returned(begun));
}
