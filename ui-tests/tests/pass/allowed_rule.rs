use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(allow(output))]
async fn run() {
    println!("starting");
    step(1).await;
}
