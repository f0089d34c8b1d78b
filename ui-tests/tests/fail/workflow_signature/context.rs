use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn second(number: u64, cx: &Context) {
    step(number).await;
}

#[workflow]
async fn by_value(cx: Context) {
    cx.sleep(seconds(1)).await;
}

#[workflow]
async fn mutable(cx: &mut Context) {
    cx.sleep(seconds(1)).await;
}

fn main() {}
