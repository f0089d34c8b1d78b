use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let number = 1_u64;
    let _ = unsafe { *(&number as *const u64) };
    step(1).await;
}

fn main() {}
