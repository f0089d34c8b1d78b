use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Plain(u64);

#[workflow]
async fn run() {
    let one = Plain(1);
    let two: Box<dyn Fn() -> u64> = Box::new(|| 2);
    step(1).await;
    step(one.0 + two()).await;
}

fn main() {}
