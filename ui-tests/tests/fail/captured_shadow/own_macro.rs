use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! show {
    ($text:literal) => {
        format!($text)
    };
}

#[workflow]
async fn run() {
    let number = 1;
    let text = show!("{number}");
    {
        let number = step(number).await;
        let text = show!("{number}");
        step(text.len() as u64).await;
    }
    step(text.len() as u64).await;
    step(number).await;
}

fn main() {}
