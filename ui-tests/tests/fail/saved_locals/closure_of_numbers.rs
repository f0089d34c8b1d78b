use piton::prelude::*;

#[activity]
async fn step(number: i64) -> i64 {
    number
}

#[workflow]
async fn run(cx: &Context) -> i64 {
    let double = |number| number * 2;
    let first = double(step(1).await);
    cx.sleep(std::time::Duration::from_secs(1)).await;
    tracing::info!("{}", double(2_000_000_000));
    first
}

#[workflow]
async fn typed(cx: &Context) -> i64 {
    let double = |number: i64| number * 2;
    let first = double(step(1).await);
    cx.sleep(std::time::Duration::from_secs(1)).await;
    tracing::info!("{}", double(2_000_000_000));
    first
}

fn main() {}
