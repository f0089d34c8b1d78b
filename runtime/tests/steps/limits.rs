//! Waits for signals with a time limit, beside other waits: an expired wait takes no signal.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use piton::machine::{Progress, Standalone, Workflow, WorkflowCall};
use piton::model::Timestamp;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Paid(u64);

type Got = (Option<u64>, Option<u64>);

fn value(paid: Option<Paid>) -> Option<u64> {
    paid.map(|paid| paid.0)
}

/// Returns the output of a run that gets these signals at these seconds. The run is advanced `at_once`, at each second,
/// or only when a signal arrives.
fn given<W: Workflow<Return = Got>>(
    call: WorkflowCall<W>,
    arrivals: &[(i64, u64)],
    at_once: bool,
) -> Option<Got> {
    let mut run = Standalone::start(call).unwrap();
    run.advance(Timestamp(0)).unwrap();
    for second in 1..=200 {
        let mut comes = second == 200;
        for (_, number) in arrivals.iter().filter(|(at, _)| *at == second) {
            run.signal(&Paid(*number)).unwrap();
            comes = true;
        }
        if at_once || comes {
            run = Standalone::load(&run.save().unwrap()).unwrap();
            if let Progress::Returned(got) = run.advance(Timestamp(second * 1_000_000)).unwrap() {
                return Some(got);
            }
        }
    }
    None
}

#[workflow]
async fn limited_and_not(cx: &Context) -> Got {
    let (limited, open) = join!(cx.signal::<Paid>().timeout(seconds(1)), cx.signal::<Paid>());
    (value(limited), Some(open.0))
}

#[test]
fn a_late_message_goes_to_the_wait_that_continues() {
    for at_once in [true, false] {
        assert_eq!(given(limited_and_not(), &[(20, 7)], at_once), Some((None, Some(7))));
        assert_eq!(given(limited_and_not(), &[(20, 7), (21, 8)], at_once), Some((None, Some(7))));
    }
}

#[workflow]
async fn not_and_limited(cx: &Context) -> Got {
    let (open, limited) = join!(cx.signal::<Paid>(), cx.signal::<Paid>().timeout(seconds(5)));
    (Some(open.0), value(limited))
}

#[test]
fn waits_get_messages_in_order() {
    let both = [(1, 7), (2, 8)];
    assert_eq!(given(not_and_limited(), &both, true), Some((Some(7), Some(8))));
    assert_eq!(given(not_and_limited(), &[(1, 7), (6, 8)], true), Some((Some(7), None)));
    assert_eq!(given(not_and_limited(), &[(9, 7)], true), Some((Some(7), None)));
}

#[workflow]
async fn two_limits(cx: &Context, first: Duration, second: Duration) -> Got {
    let waits = [first, second].map(|limit| cx.signal::<Paid>().timeout(limit));
    let mut got = join_all(waits).await.into_iter().map(value);
    (got.next().unwrap(), got.next().unwrap())
}

#[test]
fn limits_in_a_list_and_limits_that_end_in_one_step() {
    let call = || two_limits(seconds(1), seconds(100));
    assert_eq!(given(call(), &[(20, 7)], true), Some((None, Some(7))));
    assert_eq!(given(call(), &[(20, 7)], false), Some((None, Some(7))));
    // Both waits have expired when the run makes its step, and the signal has arrived: it counts for the first.
    let call = || two_limits(seconds(1), seconds(1));
    assert_eq!(given(call(), &[(20, 7)], false), Some((Some(7), None)));
    assert_eq!(given(call(), &[(20, 7)], true), Some((None, None)));
}

#[workflow]
async fn nested(cx: &Context) -> Got {
    let (got, open) = join!(
        async {
            let (got, ()) = join!(cx.signal::<Paid>().timeout(seconds(1)), cx.sleep(seconds(50)));
            value(got)
        },
        cx.signal::<Paid>(),
    );
    (got, Some(open.0))
}

#[workflow]
async fn selected(cx: &Context) -> Got {
    let got = select! {
        got = cx.signal::<Paid>().timeout(seconds(1)) => value(got),
        () = cx.sleep(seconds(50)) => Some(0),
    };
    (got, Some(cx.signal::<Paid>().await.0))
}

#[test]
fn limits_in_branches_of_branches_and_before_other_waits() {
    assert_eq!(given(nested(), &[(20, 7)], true), Some((None, Some(7))));
    assert_eq!(given(nested(), &[(20, 7)], false), Some((None, Some(7))));
    assert_eq!(given(selected(), &[(20, 7)], true), Some((None, Some(7))));
}

#[workflow]
async fn alone(cx: &Context) -> Got {
    (value(cx.signal::<Paid>().timeout(seconds(1)).await), None)
}

#[test]
fn a_single_wait_takes_an_arrival_after_its_limit() {
    assert_eq!(given(alone(), &[(20, 7)], false), Some((Some(7), None)));
    assert_eq!(given(alone(), &[(20, 7)], true), Some((None, None)));
}
