//! A number that is compared, or that a method is called on, is copied when its turn comes. Here it would be
//! after the await, and a macro or a method of one's own may have changed it by then.

use piton::prelude::*;

#[activity]
async fn act(value: i64) -> i64 {
    value
}

macro_rules! bump {
    ($value:expr) => {{
        $value += 1;
        $value
    }};
}

#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Meter {
    value: i64,
}

impl Meter {
    fn bump(&mut self) -> i64 {
        self.value += 1;
        self.value
    }
}

#[workflow]
async fn receiver_and_macro(mut count: i64) -> i64 {
    count.max(bump!(count) + act(1).await)
}

#[workflow]
async fn compared_with_a_macro(mut count: i64) -> bool {
    count < bump!(count) + act(1).await
}

#[workflow]
async fn receiver_and_method(mut meter: Meter) -> i64 {
    meter.value.pow((meter.bump() + act(1).await) as u32)
}

#[workflow]
async fn compared_with_a_method(mut meter: Meter) -> bool {
    meter.value == meter.bump() + act(1).await
}

#[workflow]
async fn element(mut counts: Vec<i64>) -> i64 {
    counts[0].min(bump!(counts[0]) + act(1).await)
}

fn main() {}
