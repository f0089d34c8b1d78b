use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) -> Vec<u64> {
    let mut all = Vec::new();
    for number in 0..3 {
        all.push(step(number).await);
    }
    let largest = all.iter().max().copied().unwrap_or_default();
    cx.sleep(seconds(largest)).await;
    all
}
