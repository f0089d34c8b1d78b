use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let id = uuid::Uuid::new_v4();
    step(id.as_u128() as u64).await;
}

fn main() {}
