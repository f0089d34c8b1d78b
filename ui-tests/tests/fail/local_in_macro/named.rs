use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    let rate = step(number).await;
    macro_rules! with_rate {
        ($amount:expr) => {
            $amount * rate
        };
    }
    macro_rules! text {
        () => {
            format!("{rate}")
        };
    }
    let text = text!();
    step(with_rate!(2)).await + text.len() as u64
}

fn main() {}
