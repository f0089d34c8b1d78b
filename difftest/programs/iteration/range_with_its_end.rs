//! A range with its end that is asked for its numbers one by one ends, also where it is parked at its end.

use std::ops::RangeInclusive;
#[workflow]
async fn walk(mut range: RangeInclusive<i64>, by: u8) -> i64 {
    let mut sum = 0;
    while let Some(x) = range.next() {
        sum += act(x).await;
    }
    note(format!("{range:?} {by}"));
    sum
}
#[workflow]
async fn program(n: i64) -> i64 {
    let sum = walk(n..=n + 1, 1).await;
    let mut back = RangeInclusive::new(0, 2u8);
    while let Some(x) = back.next_back() {
        note(format!("{back:?}"));
        act(i64::from(x)).await;
    }
    sum + back.count() as i64
}
