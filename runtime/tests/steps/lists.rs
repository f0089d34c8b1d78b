//! Lists of operations: all of them, the first, or up to the first error; and calls that are repeated.

use piton::machine::{PollPolicy, Progress, Standalone, StepError};
use piton::model::{Handle, Operation, Timestamp};
use piton::prelude::*;

#[activity]
async fn reserve(item: u32) -> Result<u32, String> {
    Ok(item)
}

#[workflow]
async fn reserve_inline(cx: &Context, item: u32) -> Result<u32, String> {
    cx.sleep(seconds(item.into())).await;
    reserve(item).await.map_err(|error| error.to_string())
}

#[workflow]
async fn all(count: u32) -> Result<Vec<u32>, String> {
    try_join_all((0..count).map(reserve)).await.map_err(|error| error.to_string())
}

#[workflow]
async fn all_inline(count: u32) -> Result<Vec<u32>, String> {
    try_join_all((0..count).map(reserve_inline)).await
}

#[workflow]
async fn fastest(count: u32) -> (usize, u32) {
    let (winner, reserved) = race((0..count).map(reserve)).await;
    (winner, reserved.unwrap_or(99))
}

#[activity]
async fn is_ready(order: u32) -> Result<Option<u32>, String> {
    Ok(Some(order))
}

#[activity]
async fn is_open(order: u32) -> bool {
    order > 0
}

#[workflow]
async fn polled(cx: &Context, order: u32) -> Result<u32, String> {
    cx.poll_until(is_open(order), PollPolicy::every(seconds(10))).await;
    let policy = PollPolicy::every(seconds(10)).backoff(3.0, seconds(60));
    cx.poll_until(is_ready(order), policy).await.map_err(|error| error.to_string())
}

/// A nondeterministic number, different at each call.
fn elsewhere() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static CALLS: AtomicU64 = AtomicU64::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed)
}

#[workflow(strict)]
async fn drawn(cx: &Context) -> bool {
    let drawn = cx.side_effect(|| (elsewhere(), std::time::Instant::now().elapsed()));
    reserve(drawn.0 as u32).await.ok();
    let again = cx.side_effect(elsewhere);
    drawn.0 < again
}

fn start<W: piton::machine::Workflow>(call: piton::machine::WorkflowCall<W>) -> Standalone<W> {
    let mut run = Standalone::start(call).unwrap();
    assert!(matches!(run.advance_twice(Timestamp(0)).unwrap(), Progress::Waiting));
    run
}

fn handles<W: piton::machine::Workflow>(run: &Standalone<W>) -> Vec<Handle> {
    run.waiting_for().iter().map(|(handle, _)| *handle).collect()
}

fn reload<W: piton::machine::Workflow>(run: &mut Standalone<W>) {
    *run = Standalone::load(&run.save().unwrap()).unwrap();
}

#[test]
fn all_values_come_in_the_order_of_the_list() {
    let mut run = start(all(3));
    for (number, handle) in handles(&run).into_iter().enumerate().rev() {
        let reserved: Result<u32, String> = Ok(number as u32 + 10);
        run.reply(handle, &reserved).unwrap();
        reload(&mut run);
        let end = run.advance_twice(Timestamp(1)).unwrap();
        assert_eq!(end == Progress::Returned(Ok(vec![10, 11, 12])), number == 0, "{end:?}");
    }
}

#[test]
fn the_first_error_ends_the_list() {
    let mut run = start(all(3));
    let [first, second, third] = handles(&run)[..] else { panic!("{run:?}") };
    // A value makes no step.
    run.reply(first, &Ok::<u32, String>(1)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(1)).unwrap(), Progress::Waiting);
    assert_eq!(handles(&run), [first, second, third]);
    run.reply(third, &Err::<u32, _>("none left".to_owned())).unwrap();
    reload(&mut run);
    let end = run.advance_twice(Timestamp(1)).unwrap();
    assert_eq!(end, Progress::Returned(Err("none left".to_owned())));
    assert!(handles(&run).is_empty(), "{run:?}");
}

#[test]
fn workflows_in_a_list_go_on_each_by_itself() {
    let mut run = start(all_inline(3));
    assert_eq!(run.advance_twice(Timestamp(0) + seconds(1)).unwrap(), Progress::Waiting);
    let calls = |run: &Standalone<all_inline>| {
        let waiting = run.waiting_for().into_iter();
        let calls = waiting.filter(|(_, operation)| matches!(operation, Operation::Activity(_)));
        calls.map(|(handle, _)| handle).collect::<Vec<_>>()
    };
    let [first, second] = calls(&run)[..] else { panic!("{run:?}") };
    run.reply(second, &Ok::<u32, String>(5)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(0) + seconds(1)).unwrap(), Progress::Waiting);
    run.reply(first, &Err::<u32, _>("none left".to_owned())).unwrap();
    let end = run.advance_twice(Timestamp(0) + seconds(1)).unwrap();
    assert_eq!(end, Progress::Returned(Err("none left".to_owned())));
    assert!(handles(&run).is_empty(), "{run:?}");
}

#[test]
fn the_first_of_a_list_wins_by_arrival() {
    let mut run = start(fastest(3));
    let [first, second, third] = handles(&run)[..] else { panic!("{run:?}") };
    for (handle, value) in [(third, 3), (first, 1), (second, 2)] {
        run.reply(handle, &Ok::<u32, String>(value)).unwrap();
    }
    reload(&mut run);
    assert_eq!(run.advance_twice(Timestamp(1)).unwrap(), Progress::Returned((2, 3)));
    assert!(handles(&run).is_empty(), "{run:?}");
}

#[test]
#[should_panic(expected = "a race needs at least one operation")]
fn a_race_of_nothing_is_a_mistake() {
    let _ = Standalone::start(fastest(0)).unwrap().advance(Timestamp(0));
}

#[test]
fn an_activity_is_polled_until_it_gives_a_value() {
    let mut run = start(polled(7));
    let mut now = Timestamp(0);
    let call = |run: &Standalone<polled>| match &run.waiting_for()[..] {
        [(handle, Operation::Activity(activity))] => (*handle, activity.name.to_string()),
        other => panic!("{other:?}"),
    };
    let pause = |run: &Standalone<polled>| match run.waiting_for()[..] {
        [(_, Operation::Timer { fire_at })] => fire_at,
        ref other => panic!("{other:?}"),
    };
    let (handle, name) = call(&run);
    assert_eq!(name, "is_open");
    run.reply(handle, &false).unwrap();
    assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
    assert_eq!(pause(&run), now + seconds(10));
    now = pause(&run);
    reload(&mut run);
    assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
    run.reply(call(&run).0, &true).unwrap();
    assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
    for length in [10, 30, 60, 60] {
        let (handle, name) = call(&run);
        assert_eq!(name, "is_ready");
        run.reply(handle, &Ok::<Option<u32>, String>(None)).unwrap();
        assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
        assert_eq!(pause(&run), now + seconds(length));
        now = pause(&run);
        reload(&mut run);
        assert_eq!(run.advance_twice(now).unwrap(), Progress::Waiting);
    }
    run.reply(call(&run).0, &Ok::<_, String>(Some(12))).unwrap();
    assert_eq!(run.advance_twice(now).unwrap(), Progress::Returned(Ok(12)));
}

#[test]
fn an_error_or_a_request_to_cancel_ends_polling() {
    let mut run = start(polled(7));
    run.reply(handles(&run)[0], &true).unwrap();
    run.advance_twice(Timestamp(0)).unwrap();
    run.reply(handles(&run)[0], &Err::<Option<u32>, _>("gone".to_owned())).unwrap();
    let end = run.advance_twice(Timestamp(0)).unwrap();
    assert_eq!(end, Progress::Returned(Err("gone".to_owned())));
    let mut run = start(polled(7));
    run.reply(handles(&run)[0], &false).unwrap();
    run.advance_twice(Timestamp(0)).unwrap();
    run.cancel("enough");
    assert!(matches!(run.advance(Timestamp(1)), Err(StepError::Cancelled)));
}

#[test]
fn a_side_effect_is_computed_once_also_in_a_step_that_is_made_twice() {
    let mut run = start(drawn());
    run.reply(handles(&run)[0], &Ok::<u32, String>(1)).unwrap();
    assert_eq!(run.advance_twice(Timestamp(1)).unwrap(), Progress::Returned(true));
}
