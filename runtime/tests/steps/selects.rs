//! Branches of `select!` that refuse outputs, are disabled or take turns.

use piton::machine::{Progress, Standalone, StepError};
use piton::model::{Handle, Operation, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Left(u32);

#[derive(Signal, Serialize, Deserialize)]
struct Right(u32);

#[activity]
async fn look(shelf: u32) -> Option<u32> {
    Some(shelf)
}

/// Searches two shelves. A branch that finds nothing is disabled.
#[workflow]
async fn find(with_third: bool) -> String {
    select! {
        Some(found) = look(1) => format!("first {found}"),
        Some(found) = async { look(2).await } => format!("second {found}"),
        Some(found @ (3 | 4)) = look(3), if with_third => format!("third {found}"),
        else => "nowhere".to_owned(),
    }
}

/// The same without a block.
#[workflow]
async fn find_plainly(with_third: bool) -> String {
    let place = String::from("shelf");
    let found = select! {
        Some(found) = look(1), if !place.is_empty() => found,
        Some(found) = look(3), if with_third => found,
        else => {
            look(9).await;
            0
        }
    };
    format!("{place} {found}")
}

#[workflow]
async fn off(cx: &Context, is_on: bool) -> u32 {
    select! {
        Some(found) = look(1), if is_on => found,
        () = cx.sleep(days(1)), if is_on => 0,
    }
}

#[workflow]
async fn off_at_once(is_on: bool) -> u32 {
    let mut rounds = 0;
    loop {
        select! {
            Some(found) = look(1), if is_on && rounds < 1 => return found,
            else => rounds += 1,
        }
        if rounds == 3 {
            return rounds;
        }
    }
}

fn start<W: piton::machine::Workflow>(call: piton::machine::WorkflowCall<W>) -> Standalone<W> {
    let mut run = Standalone::start(call).unwrap();
    assert!(matches!(run.advance_twice(Timestamp(0)).unwrap(), Progress::Waiting));
    run
}

/// The activities that are outstanding.
fn handles<W: piton::machine::Workflow>(run: &Standalone<W>) -> Vec<Handle> {
    run.waiting_for().iter().map(|(handle, _)| *handle).collect()
}

fn answer<W: piton::machine::Workflow>(
    run: &mut Standalone<W>,
    handle: Handle,
    found: Option<u32>,
) -> Progress<W::Return> {
    run.reply(handle, &found).unwrap();
    let saved = run.save().unwrap();
    *run = Standalone::load(&saved).unwrap();
    run.advance_twice(Timestamp(1)).unwrap()
}

#[test]
fn a_branch_that_refuses_is_disabled_and_the_others_continue() {
    let mut run = start(find(true));
    let [first, second, third] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, first, None), Progress::Waiting);
    assert_eq!(handles(&run), [second, third]);
    // Takes only two things from the third shelf.
    assert_eq!(answer(&mut run, third, Some(7)), Progress::Waiting);
    assert_eq!(answer(&mut run, second, Some(5)), Progress::Returned("second 5".to_owned()));
}

#[test]
fn a_value_that_fits_is_taken_after_others_were_refused() {
    let mut run = start(find(true));
    let [first, _, third] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, first, None), Progress::Waiting);
    assert_eq!(answer(&mut run, third, Some(4)), Progress::Returned("third 4".to_owned()));
}

#[test]
fn where_all_have_refused_the_else_branch_runs() {
    let mut run = start(find(false));
    let [first, second] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, second, None), Progress::Waiting);
    assert_eq!(answer(&mut run, first, None), Progress::Returned("nowhere".to_owned()));

    let mut run = start(find_plainly(true));
    let [first, third] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, third, None), Progress::Waiting);
    assert_eq!(answer(&mut run, first, None), Progress::Waiting);
    let [last] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, last, None), Progress::Returned("shelf 0".to_owned()));
}

#[test]
fn where_all_are_off_nothing_is_waited_for() {
    let mut run = Standalone::start(off_at_once(false)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(0)).unwrap(), Progress::Returned(3));
    let mut run = start(off_at_once(true));
    let [first] = handles(&run)[..] else { panic!("{run:?}") };
    assert_eq!(answer(&mut run, first, None), Progress::Returned(3));
}

#[test]
#[should_panic(expected = "all branches of a `select!` are disabled")]
fn without_an_else_branch_that_is_a_mistake() {
    let _ = Standalone::start(off(false)).unwrap().advance(Timestamp(0));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Came {
    Left(u32),
    Right(u32),
    Time,
}

/// Takes signals, in the order of the branches or of their arrival.
#[workflow]
async fn take(cx: &Context, count: usize, is_biased: bool) -> Vec<Came> {
    let deadline = cx.now() + minutes(1);
    let mut came = Vec::new();
    while came.len() < count {
        let next = if is_biased {
            select! {
                biased;
                Left(number) = cx.signal::<Left>() => Came::Left(number),
                () = cx.sleep_until(deadline) => Came::Time,
                Right(number) = cx.signal::<Right>() => Came::Right(number),
            }
        } else {
            select! {
                Left(number) = cx.signal::<Left>() => Came::Left(number),
                () = cx.sleep_until(deadline) => Came::Time,
                Right(number) = cx.signal::<Right>() => Came::Right(number),
            }
        };
        came.push(next);
    }
    came
}

/// Returns the signals that a run takes if all have arrived before its first step, `at` this time.
fn taken(is_biased: bool, at: Timestamp) -> Vec<Came> {
    let mut run = start(take(5, is_biased));
    for number in 0..2 {
        run.signal(&Right(number)).unwrap();
        run.signal(&Left(number)).unwrap();
    }
    let saved = run.save().unwrap();
    let mut run: Standalone<take> = Standalone::load(&saved).unwrap();
    match run.advance_twice(at).unwrap() {
        Progress::Returned(came) => came,
        Progress::Waiting => panic!("{run:?}"),
    }
}

#[test]
fn the_branch_that_was_ready_first_is_taken_first() {
    use Came::{Left, Right, Time};
    let late = Timestamp(0) + hours(1);
    // The time limit has also passed since the last step.
    let first = taken(false, late);
    assert_eq!(first, [Right(0), Time, Time, Time, Time]);
    assert_eq!(taken(true, late), [Left(0), Left(1), Time, Time, Time]);
}

#[test]
fn a_flood_of_signals_does_not_hide_a_timer() {
    let mut run = start(take(3, false));
    for number in 0..10 {
        run.signal(&Left(number)).unwrap();
    }
    run.signal(&Right(0)).unwrap();
    let now = Timestamp(0) + minutes(2);
    assert_eq!(
        run.advance(now).unwrap(),
        Progress::Returned(vec![Came::Left(0), Came::Time, Came::Time])
    );
    let mut run = start(take(12, false));
    (0..10).for_each(|number| run.signal(&Left(number)).unwrap());
    run.signal(&Right(0)).unwrap();
    assert_eq!(run.advance(Timestamp(0) + seconds(1)).unwrap(), Progress::Waiting);
    assert!(run.waiting_for().iter().any(|(_, it)| matches!(it, Operation::Timer { .. })));
    let Progress::Returned(came) = run.advance(now).unwrap() else { panic!("{run:?}") };
    let mut wanted: Vec<_> = (0..10).map(Came::Left).collect();
    wanted.extend([Came::Right(0), Came::Time]);
    assert_eq!(came, wanted);
}

#[workflow]
async fn limited(cx: &Context, count: u32) -> Result<u32, Elapsed> {
    let mut sum = 0;
    let limit = minutes(count.into());
    let first = cx.timeout(seconds(30), look(0)).await?;
    let rest = cx
        .timeout(limit, async {
            for shelf in 1..=count {
                sum += look(shelf).await.unwrap_or(100);
            }
            sum
        })
        .await?;
    Ok(first.unwrap_or(0) + rest)
}

#[test]
fn a_result_in_time_is_given() {
    let mut run = start(limited(2));
    for (shelf, found) in [(0, Some(1)), (1, None), (2, Some(5))] {
        let name = if shelf == 0 { "look" } else { "timeout" };
        assert_eq!(run.state(), name);
        let [call, timer] = &run.waiting_for()[..] else { panic!("{run:?}") };
        let calls = [call, timer].map(|it| matches!(it.1, Operation::Activity(_)));
        let handle = if calls[0] { call.0 } else { timer.0 };
        let end = answer(&mut run, handle, found);
        assert_eq!(end == Progress::Returned(Ok(106)), shelf == 2, "{end:?}");
    }
}

#[test]
fn a_time_that_is_over_is_told() {
    let mut run = start(limited(2));
    let first = run.advance_twice(Timestamp(0) + seconds(30)).unwrap();
    assert!(matches!(first, Progress::Returned(Err(_))), "{first:?}");
    let mut run = start(limited(2));
    let handle = handles(&run)[0];
    // It has arrived when the run makes its step, however late that is.
    run.reply(handle, &Some(1)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(0) + hours(1)).unwrap(), Progress::Waiting);
    let end = run.advance_twice(Timestamp(0) + hours(2)).unwrap();
    let Progress::Returned(Err(elapsed)) = end else { panic!("{end:?}") };
    assert_eq!(elapsed.to_string(), "the time limit has passed");
    assert!(run.waiting_for().is_empty(), "the call is given up: {run:?}");
}

#[test]
fn a_run_that_is_cancelled_ends_within_a_limit() {
    let mut run = start(limited(2));
    run.cancel("enough");
    assert!(matches!(run.advance(Timestamp(1)), Err(StepError::Cancelled)));
}
