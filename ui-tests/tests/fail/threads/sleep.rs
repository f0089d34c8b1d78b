use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    std::thread::sleep(std::time::Duration::from_secs(1));
    step(1).await;
}

fn main() {}
