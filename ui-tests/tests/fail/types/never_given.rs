//! Variables that no code gives a value.

use piton::prelude::*;

#[workflow]
async fn declared(cx: &Context) -> u64 {
    let never;
    cx.sleep(seconds(1)).await;
    let (given, other);
    cx.sleep(seconds(2)).await;
    given = 1;
    given
}

#[workflow]
async fn without_a_name(cx: &Context) {
    let _;
    cx.sleep(seconds(1)).await;
}

fn main() {}
