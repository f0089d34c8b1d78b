//! Activities for many items.

use std::collections::BTreeSet;

use piton::machine::{MapCounts, Progress, Standalone, TooManyFailures, Workflow};
use piton::model::{Handle, Timestamp};
use piton::prelude::*;

#[activity]
async fn ship(parcel: u32) -> Result<u32, String> {
    Ok(parcel)
}

#[activity]
async fn square(number: u32) -> u32 {
    number * number
}

type Shipped = Vec<Result<u32, ActivityError<String>>>;
type Failures = TooManyFailures<ActivityError<String>>;

#[workflow]
async fn squares(cx: &Context, count: u32) -> Vec<u32> {
    cx.map(0..count, square).concurrency(3).await
}

#[workflow]
async fn tolerant(cx: &Context, count: u32, failures: u32) -> Result<Shipped, Failures> {
    cx.map(0..count, |parcel| ship(parcel).start_to_close(minutes(1)))
        .concurrency(4)
        .tolerate(failures)
        .await
}

#[workflow]
async fn counted(cx: &Context, count: u32) -> MapCounts {
    cx.map(0..count, ship).concurrency(10).discard().await
}

#[workflow]
async fn beside(cx: &Context, count: u32) -> (Vec<u32>, Option<u32>) {
    join!(cx.map(0..count, square).concurrency(2), async {
        cx.sleep(seconds(1)).await;
        square(9).await;
        ship(1).await.ok()
    })
}

/// Executes the calls with the outcomes of `outcome`, in the order that `pick` chooses among the outstanding ones.
/// Reloads the run before every step. Returns the result and the number of steps.
fn drive<W: Workflow>(
    call: piton::machine::WorkflowCall<W>,
    mut pick: impl FnMut(&[Handle]) -> usize,
    mut reply: impl FnMut(&mut Standalone<W>, Handle, u32),
) -> (W::Return, usize) {
    let mut run = Standalone::start(call).unwrap();
    let mut steps = 0;
    let mut answered = BTreeSet::new();
    loop {
        match run.advance_twice(Timestamp(0)).unwrap() {
            Progress::Returned(value) => {
                assert!(run.waiting_for().is_empty(), "{run:?}");
                return (value, steps);
            }
            Progress::Waiting => {}
        }
        let before = run.save().unwrap().len();
        let open = run.waiting_for().into_iter();
        let open: Vec<_> = open.filter(|(handle, _)| !answered.contains(handle)).collect();
        assert!(!open.is_empty(), "it waits for nothing after {steps} steps");
        let handles: Vec<_> = open.iter().map(|(handle, _)| *handle).collect();
        let handle = handles[pick(&handles)];
        answered.insert(handle);
        // The calls are requested in the order of the items.
        reply(&mut run, handle, u32::try_from(handle.0).unwrap());
        run = Standalone::load(&run.save().unwrap()).unwrap();
        steps += usize::from(run.save().unwrap().len() < before);
    }
}

#[test]
fn results_come_in_the_order_of_the_items() {
    for count in [0, 1, 2, 3, 4, 50] {
        let square = |run: &mut Standalone<squares>, handle, number: u32| {
            run.reply(handle, &(number * number)).unwrap();
        };
        let wanted: Vec<_> = (0..count).map(|number| number * number).collect();
        let (first, _) = drive(squares(count), |_| 0, square);
        assert_eq!(first, wanted);
        let (last, _) = drive(squares(count), |open| open.len() - 1, square);
        assert_eq!(last, wanted);
        let mut draw = 7;
        let (any, _) = drive(
            squares(count),
            |open| {
                draw = draw * 31 % 1009;
                draw % open.len()
            },
            square,
        );
        assert_eq!(any, wanted);
    }
}

#[test]
fn failures_are_tolerated_up_to_a_number() {
    let fails_every_tenth = |run: &mut Standalone<tolerant>, handle, parcel: u32| {
        let shipped = if parcel % 10 == 3 { Err("lost".to_owned()) } else { Ok(parcel) };
        run.reply(handle, &shipped).unwrap();
    };
    let (shipped, _) = drive(tolerant(40, 4), |_| 0, fails_every_tenth);
    let shipped = shipped.unwrap();
    assert_eq!(shipped.len(), 40);
    let lost = Err(ActivityError::Failed("lost".to_owned()));
    for (parcel, result) in shipped.into_iter().enumerate() {
        let wanted = if parcel % 10 == 3 { lost.clone() } else { Ok(parcel as u32) };
        assert_eq!(result, wanted);
    }
    let (shipped, _) = drive(tolerant(40, 2), |_| 0, fails_every_tenth);
    let failures = shipped.unwrap_err();
    let numbers: Vec<_> = failures.failures.iter().map(|(number, _)| *number).collect();
    assert_eq!((numbers, failures.total), (vec![3, 13, 23], 40));
    assert_eq!(failures.succeeded, 21, "nothing begins after the third failure");
    assert_eq!(failures.to_string(), "3 of 40 items have failed, first item 3: lost");
    let (shipped, _) = drive(tolerant(40, 0), |_| 0, fails_every_tenth);
    assert_eq!(shipped.unwrap_err().succeeded, 3);
}

#[test]
fn results_can_be_counted_only() {
    let fail_some = |run: &mut Standalone<counted>, handle, parcel: u32| {
        let shipped = if parcel.is_multiple_of(7) { Err("lost".to_owned()) } else { Ok(parcel) };
        run.reply(handle, &shipped).unwrap();
    };
    let (counts, _) = drive(counted(100), |open| open.len() / 2, fail_some);
    assert_eq!(counts, MapCounts { total: 100, succeeded: 85, failed: 15 });
}

#[test]
fn the_number_of_steps_does_not_grow_with_the_items() {
    let ship = |run: &mut Standalone<counted>, handle, parcel: u32| {
        run.reply(handle, &Ok::<u32, String>(parcel)).unwrap();
    };
    let (counts, steps) = drive(counted(2_000), |_| 0, ship);
    assert_eq!(counts.succeeded, 2_000);
    assert!(steps < 200, "{steps} steps");
}

#[test]
fn it_continues_beside_other_branches() {
    let mut run = Standalone::start(beside(5)).unwrap();
    let mut answered = BTreeSet::new();
    let mut now = Timestamp(0);
    let end = loop {
        if let Progress::Returned(end) = run.advance_twice(now).unwrap() {
            break end;
        }
        now += seconds(1);
        for (handle, operation) in run.waiting_for() {
            if let piton::model::Operation::Activity(activity) = operation
                && answered.insert(handle)
            {
                match &*activity.name {
                    "ship" => run.reply(handle, &Ok::<u32, String>(7)).unwrap(),
                    _ => run.reply(handle, &u32::try_from(answered.len()).unwrap()).unwrap(),
                }
                break;
            }
        }
        run = Standalone::load(&run.save().unwrap()).unwrap();
    };
    assert_eq!((end.0.len(), end.1), (5, Some(7)));
}
